//! The functions of NVRTC, the run-time compiler, from its library of CUDA 13 or 12.
//!
//! They have been the same in all of these versions. Which library is taken depends on the driver, which loads machine
//! code up to its own major version: a name that is fixed when we are compiled would shut out older drivers.

use super::libraries::{children, driver_version, places, preload};
use crate::cuda::CudaError;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::null;
use std::sync::Mutex;

/// Major versions of CUDA whose compilers will do, best first.
const MAJORS: [i32; 2] = [13, 12];

/// What every function answers; zero where all is well.
type Status = c_int;
/// A program of the library, which only it looks into.
type Handle = *mut c_void;

/// The compiler of this process.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    /// Major and minor.
    pub(crate) version: (i32, i32),
    /// Compute capabilities that it makes code for, such as 90.
    pub(crate) capabilities: Vec<i32>,
    create: unsafe extern "C" fn(
        *mut Handle,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    destroy: unsafe extern "C" fn(*mut Handle) -> Status,
    compile: unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> Status,
    log_size: unsafe extern "C" fn(Handle, *mut usize) -> Status,
    log: unsafe extern "C" fn(Handle, *mut c_char) -> Status,
    image_size: unsafe extern "C" fn(Handle, *mut usize) -> Status,
    image: unsafe extern "C" fn(Handle, *mut c_char) -> Status,
}

/// The compiler that the driver takes code from, or the best one where there is no driver.
pub(crate) fn nvrtc() -> Result<&'static Nvrtc, CudaError> {
    /// One thread looks for it; one that was not found is looked for again.
    static FOUND: Mutex<Option<&'static Nvrtc>> = Mutex::new(None);
    let mut found = FOUND.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(found) = *found {
        return Ok(found);
    }
    let nvrtc = find(driver_version())?;
    Ok(found.insert(Box::leak(Box::new(nvrtc))))
}

fn find(driver: Option<(i32, i32)>) -> Result<Nvrtc, CudaError> {
    let taken = |major: &i32| driver.is_none_or(|(most, _)| *major <= most);
    if let Some(found) = MAJORS.into_iter().filter(taken).find_map(Nvrtc::open) {
        return Ok(found);
    }
    let newer = MAJORS.into_iter().filter(|major| !taken(major)).find_map(Nvrtc::open);
    Err(match (newer, driver) {
        (Some(newer), Some(driver)) => CudaError::NewerCompiler { compiler: newer.version, driver },
        _ => CudaError::NoCompiler,
    })
}

impl Nvrtc {
    fn open(major: i32) -> Option<Nvrtc> {
        let name =
            if cfg!(windows) { format!("nvrtc64_{major}0_0.dll") } else { format!("libnvrtc.so.{major}") };
        let found = places(&name).find_map(|path| {
            builtins(&path, major);
            // SAFETY: NVIDIA's libraries may be loaded at any time; their initialisers do nothing that we rely on.
            unsafe { Library::new(&path) }.ok()
        })?;
        // Never unloaded: the functions below outlive this call.
        let library = Box::leak(Box::new(found));
        // SAFETY: the types are those of nvrtc.h.
        let version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status =
            unsafe { function(library, c"nvrtcVersion")? };
        let mut found = (0, 0);
        // SAFETY: both addresses are valid for the call.
        let status = unsafe { version(&mut found.0, &mut found.1) };
        (status == 0).then_some(())?;
        Some(Nvrtc {
            version: found,
            capabilities: capabilities(library)?,
            // SAFETY: the types are those of nvrtc.h, here and below.
            create: unsafe { function(library, c"nvrtcCreateProgram")? },
            // SAFETY: see above.
            destroy: unsafe { function(library, c"nvrtcDestroyProgram")? },
            // SAFETY: see above.
            compile: unsafe { function(library, c"nvrtcCompileProgram")? },
            // SAFETY: see above.
            log_size: unsafe { function(library, c"nvrtcGetProgramLogSize")? },
            // SAFETY: see above.
            log: unsafe { function(library, c"nvrtcGetProgramLog")? },
            // SAFETY: see above.
            image_size: unsafe { function(library, c"nvrtcGetCUBINSize")? },
            // SAFETY: see above.
            image: unsafe { function(library, c"nvrtcGetCUBIN")? },
        })
    }

    /// Makes a program of a text; `None` if the library refuses it.
    pub(crate) fn program(&'static self, text: &CStr, name: &CStr) -> Option<NvrtcProgram> {
        let mut handle: Handle = std::ptr::null_mut();
        // SAFETY: both texts end with a zero and live for the call; there are no headers.
        let status = unsafe { (self.create)(&mut handle, text.as_ptr(), name.as_ptr(), 0, null(), null()) };
        (status == 0).then_some(NvrtcProgram { nvrtc: self, handle })
    }
}

/// A program of the compiler.
pub(crate) struct NvrtcProgram {
    nvrtc: &'static Nvrtc,
    handle: Handle,
}

impl NvrtcProgram {
    /// Compiles it; `false` if there are mistakes, which the log tells.
    pub(crate) fn compile(&self, options: &[CString]) -> bool {
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(options.len()).unwrap_or(0);
        // SAFETY: the program is alive, and so are the options, each of which ends with a zero.
        unsafe { (self.nvrtc.compile)(self.handle, count, options.as_ptr()) == 0 }
    }

    pub(crate) fn log(&self) -> String {
        let bytes = self.bytes(self.nvrtc.log_size, self.nvrtc.log).unwrap_or_default();
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).into_owned()
    }

    pub(crate) fn image(&self) -> Option<Vec<u8>> {
        self.bytes(self.nvrtc.image_size, self.nvrtc.image).filter(|image| !image.is_empty())
    }

    fn bytes(
        &self,
        size: unsafe extern "C" fn(Handle, *mut usize) -> Status,
        read: unsafe extern "C" fn(Handle, *mut c_char) -> Status,
    ) -> Option<Vec<u8>> {
        let mut count = 0;
        // SAFETY: the program is alive and the address valid.
        let status = unsafe { size(self.handle, &mut count) };
        (status == 0).then_some(())?;
        let mut bytes = vec![0u8; count];
        // SAFETY: the buffer has the size that the compiler asked for.
        let status = unsafe { read(self.handle, bytes.as_mut_ptr().cast()) };
        (status == 0).then_some(bytes)
    }
}

impl Drop for NvrtcProgram {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once. A failure leaves nothing to be done.
        _ = unsafe { (self.nvrtc.destroy)(&mut self.handle) };
    }
}

/// Loads what the library beside it loads by name while it compiles, which only the loader's own places would have.
fn builtins(library: &Path, major: i32) {
    let folder = library.parent().filter(|folder| !folder.as_os_str().is_empty());
    let start = format!("libnvrtc-builtins.so.{major}.");
    for path in folder.map(children).unwrap_or_default() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with(&start) {
            preload(&path.to_string_lossy());
        }
    }
}

fn capabilities(library: &Library) -> Option<Vec<i32>> {
    // SAFETY: the type is that of nvrtc.h.
    let count: unsafe extern "C" fn(*mut c_int) -> Status =
        unsafe { function(library, c"nvrtcGetNumSupportedArchs")? };
    // SAFETY: the type is that of nvrtc.h.
    let list: unsafe extern "C" fn(*mut c_int) -> Status =
        unsafe { function(library, c"nvrtcGetSupportedArchs")? };
    let mut number = 0;
    // SAFETY: the address is valid for the call.
    let status = unsafe { count(&mut number) };
    (status == 0).then_some(())?;
    let mut found = vec![0; usize::try_from(number).ok()?];
    // SAFETY: the buffer has room for as many as the compiler counts.
    let status = unsafe { list(found.as_mut_ptr()) };
    (status == 0).then_some(found)
}

/// A function of a library.
///
/// # Safety
///
/// `F` is the type of the function of that name, and the library stays loaded.
unsafe fn function<F: Copy>(library: &Library, name: &CStr) -> Option<F> {
    // SAFETY: the caller vouches for the type.
    unsafe { library.get::<F>(name.to_bytes_with_nul()) }.ok().map(|found| *found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_compiler_is_taken_whose_code_the_driver_does_not_load() {
        assert!(matches!(find(Some((11, 8))), Err(CudaError::NoCompiler | CudaError::NewerCompiler { .. })));
        match find(Some((12, 4))) {
            Ok(nvrtc) => assert_eq!(nvrtc.version.0, 12),
            Err(CudaError::NewerCompiler { compiler, driver }) => {
                assert_eq!((compiler.0, driver), (13, (12, 4)));
            }
            Err(reason) => assert_eq!(reason, CudaError::NoCompiler),
        }
    }
}
