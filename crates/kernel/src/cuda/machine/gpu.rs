//! A GPU through the CUDA driver. Everything here that talks to the driver is `unsafe` inside and safe outside:
//! addresses come from regions, which know their lengths, and calls are ordered by one stream.

use super::cache::KernelCache;
use super::compiler::{self, Compiled};
use super::either::{Shape, ToLoad};
use super::given::Laid;
use super::peak;
use super::region::Region;
use crate::Precision;
use crate::cuda::CudaError;
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaGraph, CudaModule, CudaStream, DriverError, result, sys,
};
use cudarc::nvrtc::Ptx;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Held while a thread records steps: a first stream waits for the whole device, and whoever records would lose the recording.
static RECORDING: Mutex<()> = Mutex::new(());

/// The first GPU of this machine.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    /// Copies that run beside what is queued.
    aside: Arc<CudaStream>,
    name: String,
    multiprocessors: usize,
    /// Bytes of shared memory of one of them.
    shared_bytes: usize,
    /// Bytes of the cache that they share.
    cache_bytes: usize,
    /// Such as `sm_90a`.
    architecture: String,
    cache: KernelCache,
    /// Free bytes before anything was loaded or allocated, and the fewest since.
    free_at_first: usize,
    fewest_free: Arc<AtomicUsize>,
}

/// A kernel, and the bytes of shared memory that its launches ask for.
#[derive(Debug)]
struct GpuKernel {
    name: &'static str,
    function: CudaFunction,
    shared: usize,
}

/// Kernels that the driver has loaded.
#[derive(Debug)]
pub(crate) struct GpuModule {
    kernels: Vec<GpuKernel>,
    /// What the driver took for it, and no less than its machine code.
    pub(crate) bytes: usize,
    shape: Shape,
    /// Owns the code of the kernels.
    _module: Arc<CudaModule>,
}

fn failed(call: &'static str) -> impl Fn(DriverError) -> CudaError {
    move |error| CudaError::Driver { call, reason: format!("{error:?}") }
}

/// Whether an architecture has the matrix instruction of four warps.
pub(crate) fn groups(architecture: &str) -> bool {
    architecture == "sm_90a"
}

impl GpuModule {
    pub(crate) fn has(&self, kernel: &str) -> bool {
        self.kernels.iter().any(|known| known.name == kernel)
    }
}

impl Gpu {
    /// Bytes of the driver's pages, as its own count of free memory shows them.
    pub(crate) const PAGE: usize = 2 << 20;

    /// Opens the first GPU, if this machine has one that can be used.
    pub(crate) fn open() -> Result<Gpu, CudaError> {
        // SAFETY: asks the loader for the library; no CUDA function is called.
        if !unsafe { sys::is_culib_present() } {
            return Err(CudaError::NoDriver);
        }
        let count = CudaContext::device_count().map_err(|_| CudaError::NoDevice)?;
        if count < 1 {
            return Err(CudaError::NoDevice);
        }
        let context = CudaContext::new(0).map_err(failed("opening the device"))?;
        let name = context.name().map_err(failed("reading the device's name"))?;
        let (major, minor) =
            context.compute_capability().map_err(failed("reading the compute capability"))?;
        if major < 8 {
            return Err(CudaError::TooOld { name, major, minor });
        }
        let count = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        let multiprocessors = context.attribute(count).map_err(failed("counting multiprocessors"))?;
        let shared = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR;
        let shared_bytes = context.attribute(shared).map_err(failed("asking for shared memory"))?;
        let cached = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE;
        let cache_bytes = context.attribute(cached).map_err(failed("asking for the cache"))?;
        let [stream, aside] = {
            let _alone = RECORDING.lock().unwrap_or_else(PoisonError::into_inner);
            let stream = || context.new_stream().map_err(failed("making a stream"));
            [stream()?, stream()?]
        };
        // Only Hopper's own instructions need the letter; code without it runs on later chips of a family.
        let architecture = if major == 9 { "sm_90a".to_owned() } else { format!("sm_{major}{minor}") };
        compiler::check(&architecture)?;
        let multiprocessors = usize::try_from(multiprocessors).unwrap_or(1);
        let shared_bytes = usize::try_from(shared_bytes).unwrap_or(0);
        let cache_bytes = usize::try_from(cache_bytes).unwrap_or(0);
        context.bind_to_thread().map_err(failed("entering the device's context"))?;
        let (free_at_first, _) = result::mem_get_info().map_err(failed("asking for free memory"))?;
        let fewest_free = Arc::new(AtomicUsize::new(free_at_first));
        let cache = KernelCache::of_user();
        Ok(Gpu {
            context,
            stream,
            aside,
            name,
            multiprocessors,
            shared_bytes,
            cache_bytes,
            architecture,
            cache,
            free_at_first,
            fewest_free,
        })
    }

    /// As people know it, with its architecture and memory.
    pub(crate) fn describe(&self) -> String {
        let memory = self.context.total_mem().unwrap_or(0) as f64 / f64::from(1 << 30);
        let (major, minor) = compiler::version().unwrap_or((0, 0));
        let (driver, of_driver) = super::libraries::driver_version().unwrap_or((0, 0));
        let Gpu { name, architecture, multiprocessors, .. } = self;
        format!(
            "{name}, {architecture}, {multiprocessors} multiprocessors, {memory:.1} GiB, driver of CUDA {driver}.{of_driver}, NVRTC {major}.{minor}"
        )
    }

    /// See [`super::peak_flops`].
    pub(crate) fn peak_flops(&self, precision: Precision) -> Option<f64> {
        let clock = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE;
        let kilohertz = self.context.attribute(clock).ok()?;
        let capability = self.context.compute_capability().ok()?;
        peak::flops(capability, self.multiprocessors, 1e3 * f64::from(kilohertz), precision)
    }

    /// Where it is on its bus, as NVML writes it.
    pub(crate) fn bus_address(&self) -> Result<String, CudaError> {
        use sys::CUdevice_attribute::{
            CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID,
            CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID,
        };
        let read = |attribute| self.context.attribute(attribute).map_err(failed("reading the bus address"));
        let domain = read(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)?;
        let (bus, device) = (read(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)?, read(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)?);
        Ok(format!("{domain:08x}:{bus:02x}:{device:02x}.0"))
    }

    /// The stream that everything is queued on.
    pub(crate) fn stream(&self) -> sys::CUstream {
        self.stream.cu_stream()
    }

    pub(crate) fn multiprocessors(&self) -> usize {
        self.multiprocessors
    }

    pub(crate) fn cache(&self) -> &KernelCache {
        &self.cache
    }

    pub(crate) fn shared_bytes(&self) -> usize {
        self.shared_bytes
    }

    pub(crate) fn cache_bytes(&self) -> usize {
        self.cache_bytes
    }

    /// Whether it has the matrix instruction of four warps.
    pub(crate) fn groups(&self) -> bool {
        groups(&self.architecture)
    }

    /// Compiles all of them side by side, or finds them compiled.
    pub(crate) fn load(&self, wanted: &[ToLoad<'_>]) -> Result<Vec<GpuModule>, CudaError> {
        let compile = |one: &ToLoad<'_>| self.cache.compiled(one.kernels[0], one.text, &self.architecture);
        let compiled = wanted.par_iter().map(compile).collect::<Result<Vec<_>, _>>()?;
        compiled.into_iter().zip(wanted).map(|(compiled, one)| self.enter(compiled, one)).collect()
    }

    /// Hands machine code to the driver.
    fn enter(&self, compiled: Compiled, wanted: &ToLoad<'_>) -> Result<GpuModule, CudaError> {
        let ToLoad { shape, kernels, staging, tables, .. } = *wanted;
        self.bind()?;
        let (image, before) = (compiled.image.len(), self.free_bytes());
        let module =
            self.context.load_module(Ptx::from_binary(compiled.image)).map_err(failed("loading a kernel"))?;
        for table in tables {
            let mut place = module.get_global(table.name, &self.stream).map_err(failed("finding a table"))?;
            self.stream.memcpy_htod(&table.bytes, &mut place).map_err(failed("filling a table"))?;
        }
        let load = |(place, &name): (usize, &&'static str)| {
            let function = module.load_function(name).map_err(failed("finding a kernel"))?;
            let own = staging.iter().find(|(other, _)| *other == name).map_or(0, |(_, bytes)| *bytes);
            let shared = if place == 0 { shape.shared } else { own };
            if shared > 0 {
                let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
                let bytes = i32::try_from(shared).unwrap_or(i32::MAX);
                function.set_attribute(attribute, bytes).map_err(failed("asking for shared memory"))?;
            }
            Ok(GpuKernel { name, function, shared })
        };
        let kernels: Result<Vec<_>, CudaError> = kernels.iter().enumerate().map(load).collect();
        let kernels = kernels?;
        let bytes = before.saturating_sub(self.free_bytes()).max(image);
        Ok(GpuModule { kernels, bytes, shape, _module: module })
    }

    pub(crate) fn launch(
        &self,
        module: &GpuModule,
        kernel: &str,
        blocks: usize,
        arguments: &impl Laid,
    ) -> Result<(), CudaError> {
        let found = module.kernels.iter().find(|known| known.name == kernel);
        let found = found.expect("every kernel that is launched was named when its module was loaded");
        let GpuKernel { function, shared, .. } = found;
        self.bind()?;
        let mut arguments = *arguments;
        let mut pointers = [(&raw mut arguments).cast()];
        let grid = (u32::try_from(blocks).unwrap_or(u32::MAX), 1, 1);
        let block = (module.shape.threads as u32, 1, 1);
        let (function, stream, shared) = (function.cu_function(), self.stream.cu_stream(), *shared as u32);
        // SAFETY: the kernel takes one `Arguments`, laid out as what we give; its addresses are those of
        // regions of a live arena, cut for this kernel.
        let launched = unsafe { result::launch_kernel(function, grid, block, shared, stream, &mut pointers) };
        launched.map_err(failed("launching a kernel"))
    }

    /// Records what `launches` queues, without running it.
    pub(crate) fn record(&self, launches: impl Fn() -> Result<(), CudaError>) -> Result<Graph, CudaError> {
        self.bind()?;
        let _alone = RECORDING.lock().unwrap_or_else(PoisonError::into_inner);
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        self.stream.begin_capture(mode).map_err(failed("recording"))?;
        let launched = launches();
        // Ended in any case: a stream that records runs nothing.
        let graph = self.stream.end_capture(sys::CUgraphInstantiate_flags(0)).map_err(failed("recording"))?;
        launched?;
        let reason = || CudaError::Driver { call: "recording", reason: "nothing was recorded".to_owned() };
        graph.map(|graph| Graph { graph, context: Arc::clone(&self.context) }).ok_or_else(reason)
    }

    pub(crate) fn pinned(&self, words: usize) -> Result<Pinned, CudaError> {
        self.bind()?;
        // SAFETY: no flags; the memory is freed once, when `Pinned` is dropped.
        let address = unsafe { result::malloc_host(words * size_of::<u64>(), 0) };
        let address: *mut u64 = address.map_err(failed("allocating pinned memory"))?.cast();
        // SAFETY: the driver has just allocated that many words at that address.
        unsafe { std::ptr::write_bytes(address, 0, words) };
        Ok(Pinned { address, words, context: Arc::clone(&self.context) })
    }

    pub(crate) fn upload(&self, to: Region<u64>, pinned: &mut Pinned) -> Result<(), CudaError> {
        self.bind()?;
        let words = &pinned.words()[..to.count()];
        // SAFETY: a region has as many words as it says; we wait before the words may change.
        let copied = unsafe { result::memcpy_htod_async(to.address(), words, self.stream.cu_stream()) };
        copied.map_err(failed("copying to the device"))?;
        self.stream.synchronize().map_err(failed("waiting for a copy"))
    }

    /// Begins to copy numbers by way of a ring of pinned memory, beside what is queued. Nothing that is queued waits before
    /// [`Gpu::await_aside`]; nobody else may use the region until then.
    pub(crate) fn send_aside(
        &self,
        to: Region<u64>,
        ring: &mut PinnedRing,
        numbers: &[f64],
    ) -> Result<(), CudaError> {
        self.bind()?;
        assert!(numbers.len() <= to.count(), "a region for all numbers");
        let mut to = to;
        for part in numbers.chunks(ring.words) {
            let place = ring.next % ring.pieces.len();
            let (pinned, sent) = &mut ring.pieces[place];
            if let Some(sent) = sent {
                sent.synchronize().map_err(failed("waiting for a copy"))?;
            }
            let words = &mut pinned.words()[..part.len()];
            fill(words, part);
            // SAFETY: a region has as many words as it says, checked above; the words change only after the event below.
            let copied = unsafe { result::memcpy_htod_async(to.address(), words, self.aside.cu_stream()) };
            copied.map_err(failed("copying to the device"))?;
            *sent = Some(self.aside.record_event(None).map_err(failed("marking a copy"))?);
            ring.last = place;
            ring.next += 1;
            to = to.from(part.len());
        }
        Ok(())
    }

    /// What is queued from now on waits for the copies that were begun.
    pub(crate) fn await_aside(&self, ring: &PinnedRing) -> Result<(), CudaError> {
        self.bind()?;
        match &ring.pieces[ring.last].1 {
            Some(sent) => self.stream.wait(sent).map_err(failed("ordering copies")),
            None => Ok(()),
        }
    }

    /// So many pieces of pinned memory, used one after the other.
    pub(crate) fn ring(&self, pieces: usize, words: usize) -> Result<PinnedRing, CudaError> {
        let pieces = (0..pieces).map(|_| Ok((self.pinned(words)?, None))).collect::<Result<_, _>>()?;
        Ok(PinnedRing { pieces, words, next: 0, last: 0 })
    }

    pub(crate) fn download(&self, from: Region<u64>, pinned: &mut Pinned) -> Result<(), CudaError> {
        self.bind()?;
        let words = &mut pinned.words()[..from.count()];
        // SAFETY: a region has as many words as it says; we wait before the words are read.
        let copied = unsafe { result::memcpy_dtoh_async(words, from.address(), self.stream.cu_stream()) };
        copied.map_err(failed("copying from the device"))?;
        self.stream.synchronize().map_err(failed("running a kernel"))
    }

    /// Bytes that nobody has taken, as far as the driver tells.
    pub(crate) fn free_bytes(&self) -> usize {
        let free =
            self.bind().and_then(|()| result::mem_get_info().map_err(failed("asking for free memory")));
        free.map_or(0, |(free, _)| free)
    }

    /// The most bytes that were taken since this GPU was opened, and those that were taken before: by its context
    /// and by others.
    pub(crate) fn taken_bytes(&self) -> (usize, usize) {
        let fewest = self.fewest_free.fetch_min(self.free_bytes(), Ordering::Relaxed).min(self.free_bytes());
        let total = self.context.total_mem().unwrap_or(self.free_at_first);
        (self.free_at_first.saturating_sub(fewest), total.saturating_sub(self.free_at_first))
    }

    pub(crate) fn allocate(&self, bytes: usize) -> Result<Region<u8>, CudaError> {
        self.bind()?;
        // SAFETY: the address is freed once, by the arena that asked for it.
        let address = unsafe { result::malloc_sync(bytes) }.map_err(|_| CudaError::Memory { bytes })?;
        // SAFETY: the driver has just allocated that many bytes at that address.
        let cleared = unsafe { result::memset_d8_async(address, 0, bytes, self.stream.cu_stream()) };
        cleared.map_err(failed("clearing memory"))?;
        self.fewest_free.fetch_min(self.free_bytes(), Ordering::Relaxed);
        Ok(Region::new(address, bytes))
    }

    pub(crate) fn free(&self, region: Region<u8>) {
        // A failure here means that the context is gone, and the memory with it.
        if self.bind().is_ok() && self.stream.synchronize().is_ok() {
            // SAFETY: allocated by `allocate`, freed by its one owner, and no kernel is running.
            _ = unsafe { result::free_sync(region.address()) };
        }
    }

    /// Makes the device's context current: an engine may be used from any thread.
    pub(crate) fn bind(&self) -> Result<(), CudaError> {
        self.context.bind_to_thread().map_err(failed("entering the device's context"))
    }
}

/// A recorded series of launches.
pub(crate) struct Graph {
    graph: CudaGraph,
    context: Arc<CudaContext>,
}

// SAFETY: a graph has one owner; the driver lets any thread launch it that has entered the context.
unsafe impl Send for Graph {}

impl std::fmt::Debug for Graph {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Graph")
    }
}

impl Graph {
    pub(crate) fn launch(&self) -> Result<(), CudaError> {
        self.context.bind_to_thread().map_err(failed("entering the device's context"))?;
        self.graph.launch().map_err(failed("launching a graph"))
    }
}

/// Host memory that the device copies from and to by itself.
#[derive(Debug)]
pub(crate) struct Pinned {
    address: *mut u64,
    words: usize,
    context: Arc<CudaContext>,
}

// SAFETY: plain memory with one owner; freeing it from another thread is what `bind_to_thread` is for.
unsafe impl Send for Pinned {}

impl Pinned {
    pub(crate) fn words(&mut self) -> &mut [u64] {
        // SAFETY: allocated with that many words, all of them written; `&mut self` makes the slice the only one.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.words) }
    }
}

/// Pinned memory in pieces, each with what tells that it has been copied.
pub(crate) struct PinnedRing {
    pieces: Vec<(Pinned, Option<CudaEvent>)>,
    /// Of a piece.
    words: usize,
    next: usize,
    /// The piece that was sent last.
    last: usize,
}

impl std::fmt::Debug for PinnedRing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("PinnedRing")
    }
}

impl Drop for PinnedRing {
    fn drop(&mut self) {
        // A copy that is under way still reads.
        self.pieces.iter().filter_map(|(_, sent)| sent.as_ref()).for_each(|sent| _ = sent.synchronize());
    }
}

/// Copies numbers as words, by several threads where that is worth it.
fn fill(words: &mut [u64], numbers: &[f64]) {
    const SHARE: usize = 1 << 16;
    let copy = |(words, numbers): (&mut [u64], &[f64])| {
        words.iter_mut().zip(numbers).for_each(|(word, number)| *word = number.to_bits());
    };
    words.par_chunks_mut(SHARE).zip(numbers.par_chunks(SHARE)).for_each(copy);
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: allocated by `malloc_host`, freed once.
            _ = unsafe { result::free_host(self.address.cast()) };
        }
    }
}
