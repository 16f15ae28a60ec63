//! Files that are whole or not there.

use super::ExportError;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file: first beside its place, then moved there. Pipes and devices are written into.
pub(super) fn write(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<(), ExportError> {
    let unwritable = |cause| ExportError::Unwritable { path: path.to_owned(), cause };
    let special = path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
    if special {
        return fill(path, content).map_err(unwritable);
    }
    let part = beside(path);
    let written = fill(&part, content).and_then(|()| std::fs::rename(&part, path));
    written.map_err(|cause| {
        // What is left of it is of no use; that it cannot be removed either changes nothing.
        let _ = std::fs::remove_file(&part);
        unwritable(cause)
    })
}

/// Makes a folder and those above it.
pub(super) fn folder(path: &Path) -> Result<(), ExportError> {
    std::fs::create_dir_all(path).map_err(|cause| ExportError::Unwritable { path: path.to_owned(), cause })
}

fn fill(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut output = BufWriter::new(File::create(path)?);
    content(&mut output)?;
    output.flush()
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}
