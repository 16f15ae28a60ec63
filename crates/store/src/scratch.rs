//! Files without a name: what is too large for memory while a program runs, and worth nothing afterwards.

use crate::positioned::read_exact_at;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// What names of such files begin and end with, while they have any.
const PREFIX: &str = ".pinnace-";
const SUFFIX: &str = ".scratch";

/// A file that is written from its beginning to its end and then read at positions. The system takes its room back with the process,
/// however that ends: no folder lists it.
#[derive(Debug)]
pub struct Scratch {
    file: File,
}

impl Scratch {
    /// Removes what processes have left in a folder that nobody else uses, if they were killed before their file had lost its name.
    pub fn sweep(folder: &Path) {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let own = |name: &str| name.starts_with(PREFIX) && name.ends_with(SUFFIX);
        let left = entries.filter(|entry| entry.file_name().to_str().is_some_and(own));
        // What cannot be removed is in nobody's way.
        left.for_each(|entry| _ = std::fs::remove_file(entry.path()));
    }

    /// Begins one on the disk of a folder.
    pub fn begin(folder: &Path) -> io::Result<Self> {
        /// Several of a process may begin at the same time.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{PREFIX}{}-{number}{SUFFIX}", std::process::id()));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        let file = open(&mut options, &path)?;
        // A system that deletes the file when it is closed has no need of this.
        #[cfg(unix)]
        std::fs::remove_file(&path)?;
        Ok(Scratch { file })
    }

    /// Adds bytes at its end.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Fills `bytes` from a position on. A file that ends before is an error of the kind `UnexpectedEof`.
    pub fn read(&self, position: u64, bytes: &mut [u8]) -> io::Result<()> {
        read_exact_at(&self.file, position, bytes)
    }
}

#[cfg(unix)]
fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600).open(path)
}

#[cfg(windows)]
fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    /// `FILE_FLAG_DELETE_ON_CLOSE`, as Windows documents it.
    const DELETE_ON_CLOSE: u32 = 0x0400_0000;
    std::os::windows::fs::OpenOptionsExt::custom_flags(options, DELETE_ON_CLOSE).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_appended_is_read_at_positions_and_no_folder_lists_it() {
        let folder = std::env::temp_dir().join(format!("pinnace-scratch-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a writable place");
        let mut scratch = Scratch::begin(&folder).expect("a writable place");
        let mut other = Scratch::begin(&folder).expect("another one");
        scratch.append(b"01234").expect("there is room");
        other.append(b"abc").expect("there is room");
        scratch.append(b"56789").expect("there is room");
        let at = |scratch: &Scratch, position: u64, length: usize| {
            let mut bytes = vec![0; length];
            scratch.read(position, &mut bytes).map(|()| bytes).map_err(|error| error.kind())
        };
        assert_eq!((at(&scratch, 3, 4), at(&other, 0, 3)), (Ok(b"3456".to_vec()), Ok(b"abc".to_vec())));
        assert_eq!(at(&scratch, 8, 3), Err(io::ErrorKind::UnexpectedEof));
        #[cfg(unix)]
        assert_eq!(std::fs::read_dir(&folder).expect("it is there").count(), 0);
        assert!(Scratch::begin(&folder.join("nowhere")).is_err());
        drop((scratch, other));
        // What a process left that was killed before its file had lost its name.
        std::fs::write(folder.join(".pinnace-1-0.scratch"), b"012").expect("a writable place");
        std::fs::write(folder.join("kept"), b"012").expect("a writable place");
        Scratch::sweep(&folder);
        assert!(!folder.join(".pinnace-1-0.scratch").exists() && folder.join("kept").exists());
        let _ = std::fs::remove_dir_all(folder);
    }
}
