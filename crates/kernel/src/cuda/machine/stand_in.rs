//! The processor standing in for a GPU: the same kernel text, compiled by the machine's C++ compiler, with the
//! threads of a block taking turns. It checks kernels where there is no GPU; it is of no use for training.

use super::either::ToLoad;
use super::given::Laid;
use super::region::Region;
use crate::cuda::CudaError;
use std::ffi::c_void;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use store::Key;

pub(super) const RUNTIME: &str = include_str!("../device/stand_in.hpp");

/// Kernels keep their fibers in globals of their library: one of them runs at a time.
static TURN: Mutex<()> = Mutex::new(());

/// A stand-in; its kernels live in files of the system's temporary folder while they are being loaded.
#[derive(Clone, Debug)]
pub(crate) struct StandIn {
    /// What it has to give at one time.
    pub(crate) bytes: usize,
}

type Kernel = unsafe extern "C" fn(*const c_void, u32);

/// Kernels as functions of a library.
#[derive(Debug)]
pub(crate) struct StandInModule {
    kernels: Vec<(&'static str, Kernel)>,
    /// Owns the code of the kernels.
    _library: libloading::Library,
}

impl StandIn {
    /// Few, so that small tests have blocks with several tiles and sums over several blocks.
    pub(crate) const BLOCKS: usize = 3;

    /// Small tests have factors of both kinds.
    pub(crate) const LEAST_WIDE: usize = 100;

    /// As Hopper has.
    pub(crate) const SHARED_BYTES: usize = 228 * 1024;

    pub(crate) fn load(&self, wanted: &ToLoad<'_>) -> Result<StandInModule, CudaError> {
        let ToLoad { text, kernels, tables, .. } = *wanted;
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let failed = |reason: String| CudaError::StandIn { reason };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let stem = std::env::temp_dir().join(format!("pinnace-stand-in-{}-{number}", std::process::id()));
        let (source, library) = (stem.with_extension("cpp"), stem.with_extension("so"));
        let mut whole = format!("{RUNTIME}\n{text}\n");
        for name in kernels {
            _ = writeln!(
                whole,
                "extern \"C\" __attribute__((visibility(\"default\"))) void run_{name}(const void* arguments, unsigned blocks) {{\n\
                 \x20   stand_in::run<Arguments, {name}>(arguments, blocks, THREADS);\n}}"
            );
        }
        let files = Files(vec![source.clone(), library.clone()]);
        let code = compiled(&whole, &source, &library)?;
        // Every module has globals of its own, so each loads a file of its own.
        std::fs::write(&library, code).map_err(|error| failed(error.to_string()))?;
        // SAFETY: the library is ours and has no initialisers of its own.
        let library = unsafe { libloading::Library::new(&library) };
        let library = library.map_err(|error| failed(error.to_string()))?;
        drop(files);
        for table in tables {
            // SAFETY: written above as numbers that take these bytes; nothing else reads or writes them now.
            let place = unsafe { library.get::<*mut u8>(table.name.as_bytes()) };
            let place = place.map_err(|error| failed(error.to_string()))?;
            // SAFETY: as before.
            unsafe { std::ptr::copy_nonoverlapping(table.bytes.as_ptr(), *place, table.bytes.len()) };
        }
        let function = |&name: &&'static str| {
            // SAFETY: written above with this signature.
            let symbol = unsafe { library.get::<Kernel>(format!("run_{name}").as_bytes()) };
            symbol.map(|symbol| (name, *symbol)).map_err(|error| failed(error.to_string()))
        };
        let kernels: Result<_, CudaError> = kernels.iter().map(function).collect();
        Ok(StandInModule { kernels: kernels?, _library: library })
    }

    /// Memory full of NaNs, so that numbers that nobody wrote show.
    pub(super) fn allocate(&self, bytes: usize) -> Result<Region<u8>, CudaError> {
        if bytes > self.bytes {
            return Err(CudaError::Memory { bytes });
        }
        // SAFETY: arenas do not ask for zero bytes.
        let address = unsafe { std::alloc::alloc(layout(bytes)) };
        assert!(!address.is_null(), "{bytes} bytes of memory");
        // SAFETY: just allocated with that size.
        unsafe { std::ptr::write_bytes(address, 0xff, bytes) };
        Ok(Region::new(address as u64, bytes))
    }
}

/// How kernels are compiled. Kernels may be called what functions of the C library are called, and every text has its own
/// constants and shared memory of the same names: each library keeps its own.
const OPTIONS: [&str; 7] =
    ["-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-Bsymbolic"];

/// The library of a text: found in the cache, or made and kept.
fn compiled(text: &str, source: &Path, library: &Path) -> Result<Vec<u8>, CudaError> {
    let failed = |reason: String| CudaError::StandIn { reason };
    let cache = store::Cache::of_user("stand-in");
    let key = Key::of(&[text, &OPTIONS.join(" "), compiler()]);
    if let Some(code) = cache.get(key) {
        return Ok(code);
    }
    std::fs::write(source, text).map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new("c++");
    command.args(OPTIONS).arg("-o").args([library, source]);
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let code = std::fs::read(library).map_err(|error| failed(error.to_string()))?;
    // The file is loaded next: one that was loaded before under the same name is not written over.
    std::fs::remove_file(library).map_err(|error| failed(error.to_string()))?;
    cache.put(key, &code);
    Ok(code)
}

/// The version of the machine's C++ compiler.
fn compiler() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let output = Command::new("c++").arg("--version").output();
        output.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned())
    })
}

/// Removes files when it goes.
struct Files(Vec<PathBuf>);

impl Drop for Files {
    fn drop(&mut self) {
        self.0.iter().for_each(|path| _ = std::fs::remove_file(path));
    }
}

impl StandInModule {
    pub(crate) fn has(&self, kernel: &str) -> bool {
        self.kernels.iter().any(|(name, _)| *name == kernel)
    }

    /// Runs a kernel on blocks one after the other.
    pub(crate) fn launch(&self, kernel: &str, blocks: usize, arguments: &impl Laid) {
        let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let found = self.kernels.iter().find(|(name, _)| *name == kernel);
        let (_, function) =
            found.expect("every kernel that is launched was named when its module was loaded");
        // SAFETY: what is given is laid out as `Arguments` of the kernel's text; its addresses are those of regions of a live arena.
        unsafe { function((&raw const *arguments).cast(), u32::try_from(blocks).unwrap_or(u32::MAX)) };
    }
}

/// Bytes between the poisoned start and end of an allocation are in whole words.
fn layout(bytes: usize) -> std::alloc::Layout {
    std::alloc::Layout::from_size_align(bytes.next_multiple_of(256), 256).expect("a size that memory has")
}

pub(super) fn free(region: Region<u8>) {
    // SAFETY: allocated by `allocate` with the same size, freed by its one owner.
    unsafe { std::alloc::dealloc(region.address() as *mut u8, layout(region.bytes())) };
}

pub(super) fn upload(to: Region<u64>, words: &[u64]) {
    assert_eq!(to.count(), words.len(), "a region for all words");
    // SAFETY: a region has as many words as it says.
    unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), to.address() as *mut u64, words.len()) };
}

pub(super) fn download(from: Region<u64>, words: &mut [u64]) {
    assert_eq!(from.count(), words.len(), "a region of as many words");
    // SAFETY: a region has as many words as it says.
    unsafe { std::ptr::copy_nonoverlapping(from.address() as *const u64, words.as_mut_ptr(), words.len()) };
}
