//! How busy the GPU is, by its own count (NVML, found when it is first asked for).

use super::gpu::Gpu;
use crate::cuda::CudaError;
use nvml_wrapper::Nvml;
use std::ffi::OsStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Between two questions; the GPU's own statistics cover about as much.
const INTERVAL: Duration = Duration::from_millis(200);

/// The first answers are about the time before.
const LEFT_OUT: usize = 5;

/// Watches the GPU from another thread.
#[derive(Debug)]
pub struct Busy {
    done: Arc<AtomicBool>,
    watcher: JoinHandle<Vec<u32>>,
}

impl Busy {
    /// Begins to watch the GPU that kernels run on.
    pub fn watch() -> Result<Busy, CudaError> {
        let refused = |error: nvml_wrapper::error::NvmlError| CudaError::Driver {
            call: "asking NVML",
            reason: error.to_string(),
        };
        let address = Gpu::open()?.bus_address()?;
        // The name without a number comes with development packages only.
        let numbered = Nvml::builder().lib_path(OsStr::new("libnvidia-ml.so.1")).init();
        let nvml = numbered.or_else(|_| Nvml::init()).map_err(refused)?;
        nvml.device_by_pci_bus_id(address.as_str())
            .and_then(|gpu| gpu.utilization_rates())
            .map_err(refused)?;
        let done = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&done);
        let watcher = std::thread::spawn(move || {
            let mut answers = Vec::new();
            while !told.load(Ordering::Relaxed) {
                let gpu = nvml.device_by_pci_bus_id(address.as_str());
                answers.extend(gpu.and_then(|gpu| gpu.utilization_rates()).map(|rates| rates.gpu));
                std::thread::sleep(INTERVAL);
            }
            answers
        });
        Ok(Busy { done, watcher })
    }

    /// Ends watching: the share of time in which a kernel ran; `None` where that was too short to tell.
    pub fn share(self) -> Option<f64> {
        self.done.store(true, Ordering::Relaxed);
        let answers = self.watcher.join().ok()?;
        let answers = answers.get(LEFT_OUT..).filter(|answers| !answers.is_empty())?;
        Some(answers.iter().map(|&percent| f64::from(percent)).sum::<f64>() / (100.0 * answers.len() as f64))
    }
}
