//! The run-time compiler: CUDA C++ to machine code of one architecture. The CUDA libraries are found when they are
//! first needed; a machine without them runs everything else.

use crate::cuda::CudaError;
use cudarc::nvrtc::{result, sys};
use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Names the folder of the CUDA libraries, where they are not in a usual place.
const FOLDER_VARIABLE: &str = "PINNACE_CUDA_LIBRARIES";

/// The compiler and what it loads itself; loaded in this order.
const LIBRARIES: [&str; 2] = ["libnvrtc-builtins.so.13.0", "libnvrtc.so.13"];

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
    /// One thread looks for the libraries; `true` once they were found.
    static FOUND: Mutex<bool> = Mutex::new(false);
    let mut found = FOUND.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !*found {
        LIBRARIES.iter().for_each(|name| preload(name));
        // SAFETY: asks the loader for the library; no CUDA function is called.
        *found = unsafe { sys::is_culib_present() };
    }
    if !*found {
        return Err(CudaError::NoCompiler);
    }
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the library is present, and both addresses are valid for the call.
    let status = unsafe { sys::nvrtcVersion(&mut major, &mut minor) };
    status.result().map_err(|_| CudaError::NoCompiler)?;
    Ok((major, minor))
}

/// Compiles for an architecture such as `sm_90a`.
pub(crate) fn compile(kernel: &str, text: &str, architecture: &str) -> Result<Compiled, CudaError> {
    version()?;
    let refused =
        |log: String| CudaError::Compile { kernel: kernel.to_owned(), source_file: PathBuf::new(), log };
    let options = options(text, architecture);
    let text = CString::new(text).map_err(|error| refused(error.to_string()))?;
    let name = CString::new(format!("{kernel}.cu")).map_err(|error| refused(error.to_string()))?;
    let program = Program(result::create_program(&text, Some(&name)).map_err(|e| refused(format!("{e:?}")))?);
    // SAFETY: the program was created above and lives until the end of this function.
    let outcome = unsafe { result::compile_program(program.0, &options) };
    let log = program.log();
    outcome.map_err(|_| refused(log.clone()))?;
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

/// Owns a program of the compiler.
struct Program(sys::nvrtcProgram);

impl Program {
    fn log(&self) -> String {
        // SAFETY: the program is alive.
        let Ok(log) = (unsafe { result::get_program_log(self.0) }) else { return String::new() };
        // SAFETY: the compiler ends its log with a zero.
        unsafe { CStr::from_ptr(log.as_ptr()) }.to_string_lossy().into_owned()
    }

    fn image(&self) -> Option<Vec<u8>> {
        let mut size = 0;
        // SAFETY: the program is alive and the address valid.
        unsafe { sys::nvrtcGetCUBINSize(self.0, &mut size) }.result().ok()?;
        let mut image = vec![0u8; size];
        // SAFETY: the buffer has the size that the compiler asked for.
        unsafe { sys::nvrtcGetCUBIN(self.0, image.as_mut_ptr().cast()) }.result().ok()?;
        (!image.is_empty()).then_some(image)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once. A failure leaves nothing to be done.
        _ = unsafe { result::destroy_program(self.0) };
    }
}

/// Loads a library from wherever it is and keeps it, so that later look-ups by name find it.
pub(crate) fn preload(name: &str) {
    let places = folders().into_iter().map(|folder| folder.join(name)).filter(|path| path.exists());
    for path in places.chain([PathBuf::from(name)]) {
        // SAFETY: NVIDIA's libraries may be loaded at any time; their initialisers do nothing that we rely on.
        if let Ok(library) = unsafe { libloading::Library::new(&path) } {
            std::mem::forget(library);
            return;
        }
    }
}

/// Where CUDA libraries are found beside the loader's own places: named ones, the toolkit, Python packages.
fn folders() -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let mut folders: Vec<PathBuf> = variable(FOLDER_VARIABLE).into_iter().collect();
    folders
        .extend(["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(variable).map(|home| home.join("lib64")));
    folders.extend(["/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib"].map(PathBuf::from));
    let roots = variable("VIRTUAL_ENV").into_iter().chain(["/usr", "/usr/local"].map(PathBuf::from));
    roots.for_each(|root| python_folders(&root, &mut folders));
    folders
}

fn python_folders(root: &Path, folders: &mut Vec<PathBuf>) {
    let children = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    for python in children(&root.join("lib")) {
        for package in children(&python.path().join("site-packages/nvidia")) {
            folders.push(package.path().join("lib"));
        }
    }
}
