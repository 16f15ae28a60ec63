//! Why CUDA cannot be used, or stopped working.

use crate::Precision;
use std::path::PathBuf;

/// Why CUDA cannot be used, or stopped working.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CudaError {
    /// Equations were to be solved that were not added up before.
    #[error("no linear system has been assembled yet")]
    NoEquations,
    /// Vectors were asked for that there is no room for yet.
    #[error("no vectors have been allocated yet")]
    NoVectors,
    /// The driver's library is not installed.
    #[error("no NVIDIA driver: libcuda.so.1 is not found")]
    NoDriver,
    /// The driver is there and counts no devices.
    #[error("the NVIDIA driver finds no GPU")]
    NoDevice,
    /// A GPU that is too old.
    #[error("{name} has compute capability {major}.{minor}; 8.0 or newer is needed")]
    TooOld {
        /// The GPU's name.
        name: String,
        /// Of its compute capability.
        major: i32,
        /// Of its compute capability.
        minor: i32,
    },
    /// The run-time compiler is not installed.
    #[error(
        "no CUDA run-time compiler: neither libnvrtc.so.13 nor libnvrtc.so.12 is found; PINNACE_CUDA_LIBRARIES may name its folder"
    )]
    NoCompiler,
    /// The only run-time compiler makes code that the driver does not load.
    #[error(
        "the driver is of CUDA {}.{} and does not load what NVRTC {}.{} compiles: install libnvrtc.so.{} or a newer driver",
        .driver.0, .driver.1, .compiler.0, .compiler.1, .driver.0
    )]
    NewerCompiler {
        /// Version of the compiler.
        compiler: (i32, i32),
        /// The newest version that the driver knows.
        driver: (i32, i32),
    },
    /// The run-time compiler is older than the GPU.
    #[error(
        "NVRTC {}.{} makes no code for {architecture}, only up to sm_{newest}: install a newer one",
        .compiler.0, .compiler.1
    )]
    NoArchitecture {
        /// Such as `sm_100`.
        architecture: String,
        /// Version of the compiler.
        compiler: (i32, i32),
        /// The newest compute capability that it knows, such as 90.
        newest: i32,
    },
    /// The library that multiplies in mode `off` is not installed.
    #[error(
        "compile mode `off` needs cuBLASLt: neither libcublasLt.so.13 nor libcublasLt.so.12 is found; PINNACE_CUDA_LIBRARIES may name its folder"
    )]
    NoProducts,
    /// A precision that the library does not have.
    #[error("compile mode `off` has no products in {precision}; use `f64`, `f32`, `tf32`, `bf16` or `fp16`")]
    NoProductsIn {
        /// Which one.
        precision: Precision,
    },
    /// The compiler refused a kernel: a bug in the emitter.
    #[error("the kernel `{kernel}` does not compile (source: {}):\n{log}", .source_file.display())]
    Compile {
        /// Which kernel.
        kernel: String,
        /// Where its source was written, if it could be.
        source_file: PathBuf,
        /// What the compiler said.
        log: String,
    },
    /// The device's memory does not suffice.
    #[error("the GPU has less than {bytes} bytes free")]
    Memory {
        /// What was asked for.
        bytes: usize,
    },
    /// A call of the driver failed.
    #[error("CUDA: {call} failed: {reason}")]
    Driver {
        /// Which call.
        call: &'static str,
        /// What the driver says.
        reason: String,
    },
    /// No C++ compiler for kernels on the processor.
    #[error("the stand-in for a GPU cannot be built: {reason}")]
    StandIn {
        /// What the compiler or the loader said.
        reason: String,
    },
}
