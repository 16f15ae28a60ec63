//! Files that are nothing but files.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Opens a file. Pipes and devices are refused: some block until a writer comes, others never end.
pub fn open_regular(path: &Path) -> std::io::Result<File> {
    if !path.metadata()?.is_file() {
        return Err(std::io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"));
    }
    File::open(path)
}

/// All of such a file.
pub fn read_regular(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}
