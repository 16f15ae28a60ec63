//! The text of a problem file.

use crate::TrainError;
use crate::problems::BuiltIn;
use equation::parse::MAX_FILE;
use std::io::{ErrorKind, Read};
use std::path::Path;
use train::folder::open_regular;

/// What stands for standard input in the place of a path.
pub(crate) const STANDARD_INPUT: &str = "-";

/// The text of the file at a path, or of standard input.
pub(crate) fn read(name: &str) -> Result<String, TrainError> {
    let path = Path::new(name);
    let unreadable = |cause| TrainError::Unreadable { path: path.to_owned(), cause };
    if name == STANDARD_INPUT {
        return text(std::io::stdin().lock()).map_err(unreadable);
    }
    if path.is_dir() {
        let inside = Some(path.join("problem.toml")).filter(|file| file.is_file());
        return Err(TrainError::Directory { path: path.to_owned(), inside });
    }
    match open_regular(path).and_then(text) {
        Ok(text) => Ok(text),
        Err(cause) if cause.kind() == ErrorKind::NotFound => {
            Err(TrainError::NoSuchProblem { name: name.to_owned(), nearest: BuiltIn::nearest(name) })
        }
        Err(cause) if cause.kind() == ErrorKind::InvalidInput => {
            Err(unreadable(std::io::Error::other(format!("{cause}; `-` reads standard input"))))
        }
        Err(cause) => Err(unreadable(cause)),
    }
}

/// All of it; of what is too large only as much as the parser needs to refuse it.
pub(crate) fn text(source: impl Read) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    source.take(MAX_FILE as u64 + 1).read_to_end(&mut bytes)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) if error.as_bytes().len() > MAX_FILE => {
            // The cut may go through a letter. Each wrong byte becomes at least as many: still too large.
            Ok(String::from_utf8_lossy(error.as_bytes()).into_owned())
        }
        Err(_) => Err(std::io::Error::new(ErrorKind::InvalidData, "it is not text in UTF-8")),
    }
}
