//! From a file to a table, whatever its format.

use super::error::{TableError, TableMistake};
use super::{Table, biom, cached, json, text};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use store::Cache;

/// The first bytes of a file that gzip has made.
const GZIP: &[u8] = &[0x1f, 0x8b];

impl Table {
    /// Reads BIOM 2.1, BIOM 1.0 or text, also compressed; what takes long to read is kept in `cache` and found again by its content.
    pub fn open(path: &Path, cache: &Cache) -> Result<Table, TableError> {
        let fault = |fault| match fault {
            Fault::Read(cause) => TableError::Read { path: path.to_owned(), cause },
            Fault::Mistake(mistake) => TableError::Mistake { path: path.to_owned(), mistake },
        };
        let file = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
            true => Err(io::ErrorKind::IsADirectory.into()),
            false => Ok(file),
        });
        let file = file.map_err(|cause| fault(Fault::Read(cause)))?;
        cached::found_or_read(file, cache, |bytes| Ok(Table::parse_owned(bytes)?)).map_err(fault)
    }

    /// The same from bytes.
    pub fn parse(bytes: &[u8]) -> Result<Table, TableMistake> {
        Table::parse_owned(bytes.to_vec())
    }

    /// A table of text alone.
    pub fn parse_text(text: &str) -> Result<Table, TableMistake> {
        text::read(text)
    }

    fn parse_owned(bytes: Vec<u8>) -> Result<Table, TableMistake> {
        let bytes = if bytes.starts_with(GZIP) { unpacked(&bytes)? } else { bytes };
        if bytes.starts_with(biom::MAGIC) {
            return biom::read(bytes);
        }
        match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{') => json::read(&bytes),
            Some(_) => text::read(as_text(&bytes)?.as_ref()),
            None => Err(TableMistake::Empty("content")),
        }
    }
}

/// Why there is no table.
enum Fault {
    Read(io::Error),
    Mistake(TableMistake),
}

impl From<io::Error> for Fault {
    fn from(cause: io::Error) -> Self {
        Fault::Read(cause)
    }
}

impl From<TableMistake> for Fault {
    fn from(mistake: TableMistake) -> Self {
        Fault::Mistake(mistake)
    }
}

/// What gzip has packed. A file that unpacks to more than any table needs is refused before memory is full.
fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, TableMistake> {
    /// Deflate makes text at most so many times shorter.
    const RATIO: u64 = 1040;
    let foreign = |_| TableMistake::Foreign;
    let mut unpacked = Vec::new();
    let most = bytes.len() as u64 * RATIO;
    flate2::read::MultiGzDecoder::new(bytes).take(most).read_to_end(&mut unpacked).map_err(foreign)?;
    Ok(unpacked)
}

fn as_text(bytes: &[u8]) -> Result<Cow<'_, str>, TableMistake> {
    // Bytes that no text has mean another kind of file, not a wrong letter.
    if bytes.contains(&0) {
        return Err(TableMistake::Foreign);
    }
    str::from_utf8(bytes).map(Cow::Borrowed).map_err(|error| TableMistake::NotUtf8(error.valid_up_to()))
}
