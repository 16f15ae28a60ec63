//! Files of which parts are read wherever they lie, by several threads at once.
//!
//! They are read and not mapped into memory: a file that someone cuts short while it is used is an error then, and would end the
//! process otherwise; and what was read counts as memory only as long as it is wanted.

use std::fs::File;
use std::io;

/// A file that is read at positions.
#[derive(Debug)]
pub struct Positioned {
    file: File,
    length: u64,
}

impl Positioned {
    /// A file that is open for reading.
    pub fn new(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Positioned { file, length })
    }

    /// Bytes that it had when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Fills `bytes` from a position on. A file that ends before is an error of the kind `UnexpectedEof`.
    pub fn read(&self, position: u64, bytes: &mut [u8]) -> io::Result<()> {
        read_exact_at(&self.file, position, bytes)
    }
}

#[cfg(unix)]
pub(crate) fn read_exact_at(file: &File, position: u64, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, position)
}

#[cfg(windows)]
pub(crate) fn read_exact_at(file: &File, mut position: u64, mut bytes: &mut [u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, position) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                position += count as u64;
                bytes = &mut bytes[count..];
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_where_they_lie_and_what_is_not_there_is_an_error() {
        let path = std::env::temp_dir().join(format!("pinnace-positioned-{}", std::process::id()));
        std::fs::write(&path, b"0123456789").expect("a writable place");
        let file = Positioned::new(File::open(&path).expect("it is there")).expect("it has a length");
        let at = |position: u64, length: usize| {
            let mut bytes = vec![0; length];
            file.read(position, &mut bytes).map(|()| bytes).map_err(|error| error.kind())
        };
        assert_eq!((file.length(), at(7, 3), at(2, 1)), (10, Ok(b"789".to_vec()), Ok(b"2".to_vec())));
        assert_eq!(at(8, 3), Err(io::ErrorKind::UnexpectedEof));
        std::fs::write(&path, b"01").expect("a writable place");
        assert_eq!(at(7, 3), Err(io::ErrorKind::UnexpectedEof), "a file that was cut short");
        let _ = std::fs::remove_file(path);
    }
}
