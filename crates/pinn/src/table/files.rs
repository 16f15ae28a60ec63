//! Files that shapes and coefficients come from, as the parser asks for them.

use super::{DataSources, TableFault, grid};
use equation::parse::{FileFault, FileGrid, FileReader};
use std::borrow::Cow;
use std::io::{ErrorKind, Read};
use std::path::Path;
use train::folder::open_regular;

/// Larger files of coefficients are refused unread, in bytes.
const MOST_GRID: u64 = 512 << 20;

impl FileReader for DataSources {
    fn read(&self, name: &str, most: u64) -> Result<Cow<'_, [u8]>, FileFault> {
        let fitting = |bytes: u64| match bytes > most {
            true => Err(FileFault::TooLarge { bytes, most }),
            false => Ok(()),
        };
        if let Some((_, content)) = self.within.iter().find(|(known, _)| *known == name) {
            fitting(content.len() as u64)?;
            return Ok(Cow::Borrowed(content.as_bytes()));
        }
        let path = self.folder.join(name);
        let fault = |cause: std::io::Error| match cause.kind() {
            ErrorKind::NotFound => FileFault::Missing,
            ErrorKind::InvalidInput if path.is_dir() => FileFault::Directory,
            ErrorKind::InvalidInput => FileFault::Irregular,
            _ => FileFault::Refused(cause.to_string()),
        };
        let file = open_regular(&path).map_err(fault)?;
        fitting(file.metadata().map_err(fault)?.len())?;
        let mut bytes = Vec::new();
        // It may grow while it is read.
        file.take(most + 1).read_to_end(&mut bytes).map_err(fault)?;
        fitting(bytes.len() as u64)?;
        Ok(Cow::Owned(bytes))
    }

    fn grid(&self, name: &str, choices: &[Vec<&str>]) -> Result<FileGrid, FileFault> {
        let bytes = FileReader::read(self, name, MOST_GRID)?;
        let ending =
            Path::new(name).extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        let found = match ending.as_deref() {
            Some("npy") => grid::of_array(&bytes, choices),
            Some("csv") => grid::of_text(&bytes, choices),
            Some("png") => grid::of_image(&bytes, choices),
            Some(_) | None => Err(TableFault::Unfit("coefficients end in .npy, .csv or .png".to_owned())),
        };
        found.map_err(|fault| FileFault::Unfit(fault.to_string()))
    }
}
