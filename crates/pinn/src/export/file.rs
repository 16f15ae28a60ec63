//! Files that are whole or not there.

use super::ExportError;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes a file: first beside its place, then moved there. Pipes and devices are written into.
pub(super) fn write(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<(), ExportError> {
    let unwritable = |cause| ExportError::Unwritable { path: path.to_owned(), cause };
    let special = path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
    if special {
        let fill = |file| {
            let mut output = BufWriter::new(file);
            content(&mut output)?;
            output.flush()
        };
        return File::create(path).and_then(fill).map_err(unwritable);
    }
    store::replace_with(path, content).map_err(unwritable)
}

/// Makes a folder and those above it.
pub(super) fn folder(path: &Path) -> Result<(), ExportError> {
    std::fs::create_dir_all(path).map_err(|cause| ExportError::Unwritable { path: path.to_owned(), cause })
}
