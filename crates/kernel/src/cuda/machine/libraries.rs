//! Where NVIDIA's libraries are found on this machine, and what its driver takes.

use cudarc::driver::sys;
use std::path::{Path, PathBuf};

/// Names the folder of the CUDA libraries, where they are not in a usual place.
const FOLDER_VARIABLE: &str = "PINNACE_CUDA_LIBRARIES";

/// The newest version of CUDA that the driver knows: major and minor. `None` without a driver.
pub(crate) fn driver_version() -> Option<(i32, i32)> {
    // SAFETY: asks the loader for the library; no CUDA function is called.
    if !unsafe { sys::is_culib_present() } {
        return None;
    }
    let mut version = 0;
    // SAFETY: the library is present, and the address is valid for the call.
    unsafe { sys::cuDriverGetVersion(&mut version) }.result().ok()?;
    Some((version / 1000, version % 1000 / 10))
}

/// Loads a library from wherever it is and keeps it, so that later look-ups by name find it.
pub(crate) fn preload(name: &str) {
    for path in places(name) {
        // SAFETY: NVIDIA's libraries may be loaded at any time; their initialisers do nothing that we rely on.
        if let Ok(library) = unsafe { libloading::Library::new(&path) } {
            std::mem::forget(library);
            return;
        }
    }
}

/// What a library may be loaded as, best first: files, and at last its bare name, for the loader's own places.
pub(crate) fn places(name: &str) -> impl Iterator<Item = PathBuf> + use<'_> {
    let files = folders().into_iter().map(move |folder| folder.join(name)).filter(|path| path.exists());
    files.chain([PathBuf::from(name)])
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
    for python in children(&root.join("lib")) {
        for package in children(&python.join("site-packages/nvidia")) {
            folders.push(package.join("lib"));
        }
    }
}

/// What lies in a folder, in the order of names.
pub(crate) fn children(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}
