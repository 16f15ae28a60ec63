//! The run-time compiler: CUDA C++ to machine code of one architecture. The CUDA libraries are found when they are
//! first needed; a machine without them runs everything else.

pub(crate) use super::libraries::preload;
use super::nvrtc::{Nvrtc, nvrtc};
use crate::cuda::CudaError;
use std::ffi::CString;
use std::path::PathBuf;

/// A line of a text whose functions are to be compiled side by side. Always by as many threads, for what comes out
/// depends on how functions were shared out.
pub(crate) const SIDE_BY_SIDE: &str = "// Functions are compiled side by side.\n";
const THREADS: usize = 8;

/// Machine code and what the compiler said about it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Compiled {
    pub(crate) image: Vec<u8>,
    pub(crate) log: String,
}

/// The compiler's version; `Err` where there is none.
pub(crate) fn version() -> Result<(i32, i32), CudaError> {
    nvrtc().map(|nvrtc| nvrtc.version)
}

/// Whether there is a compiler that makes code for an architecture such as `sm_90a`, and if not, why.
pub(crate) fn check(architecture: &str) -> Result<(), CudaError> {
    knows(nvrtc()?, architecture)
}

fn knows(nvrtc: &Nvrtc, architecture: &str) -> Result<(), CudaError> {
    let digits: String = architecture.chars().filter(char::is_ascii_digit).collect();
    let known = digits.parse().is_ok_and(|capability| nvrtc.capabilities.contains(&capability));
    let unknown = || CudaError::NoArchitecture {
        architecture: architecture.to_owned(),
        compiler: nvrtc.version,
        newest: nvrtc.capabilities.iter().copied().max().unwrap_or(0),
    };
    if known { Ok(()) } else { Err(unknown()) }
}

/// Compiles for an architecture such as `sm_90a`.
pub(crate) fn compile(kernel: &str, text: &str, architecture: &str) -> Result<Compiled, CudaError> {
    let nvrtc = nvrtc()?;
    knows(nvrtc, architecture)?;
    let refused =
        |log: String| CudaError::Compile { kernel: kernel.to_owned(), source_file: PathBuf::new(), log };
    let with_zero = |text: String| CString::new(text).map_err(|error| refused(error.to_string()));
    let options = options(text, architecture).into_iter().map(with_zero).collect::<Result<Vec<_>, _>>()?;
    let (text, name) = (with_zero(text.to_owned())?, with_zero(format!("{kernel}.cu"))?);
    let program = nvrtc.program(&text, &name).ok_or_else(|| refused("it is no program".to_owned()))?;
    let compiled = program.compile(&options);
    let log = program.log();
    if !compiled {
        return Err(refused(log));
    }
    let image = program.image().ok_or_else(|| refused("no machine code came out".to_owned()))?;
    Ok(Compiled { image, log })
}

/// What the compiler is told; part of a cache entry's identity.
pub(crate) fn options(text: &str, architecture: &str) -> Vec<String> {
    let mut options = vec![
        format!("--gpu-architecture={architecture}"),
        "--std=c++17".to_owned(),
        "--ptxas-options=-v".to_owned(),
        "--diag-suppress=177".to_owned(),
    ];
    if text.contains(SIDE_BY_SIDE) {
        options.push(format!("--split-compile={THREADS}"));
    }
    options
}
