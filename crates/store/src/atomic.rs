//! Files that are replaced as a whole: written beside their place, then renamed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How names of files end that are being written.
const PARTIAL: &str = "partial";

/// Where a file is written before it has its place.
pub fn partial(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{PARTIAL}"));
    PathBuf::from(name)
}

/// Whether a file was left by a write that was cut short, or is being written.
pub fn is_partial(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == PARTIAL)
}

/// Writes a file so that at every moment either the old or the new one is there, whole, whatever
/// happens to the process or the machine: beside it, onto the disk, and then in its place.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, bytes)?;
    // The folder of a bare name is an empty path, which nobody can open.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    sync_folder(folder.unwrap_or(Path::new(".")))
}

/// The same, except that after a power cut the old file may be there once more.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    put(path, &partial(path), |partial| write(partial, |output| output.write_all(bytes)))
}

/// The same for content that is written piece by piece.
pub fn replace_with(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    put(path, &partial(path), |partial| {
        write(partial, |file| {
            let mut output = BufWriter::new(file.try_clone()?);
            content(&mut output)?;
            output.flush()
        })
    })
}

/// The same while other threads and processes may write that file too. It may be lost, or damaged, in a power cut:
/// nothing waits for the disk.
pub fn replace_among_others(path: &Path, bytes: &[u8]) -> io::Result<()> {
    /// Distinguishes the unfinished files of one process.
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let number = WRITES.fetch_add(1, Ordering::Relaxed);
    let mut own = OsString::from(path);
    own.push(format!(".{}-{number}.{PARTIAL}", std::process::id()));
    put(path, Path::new(&own), |partial| fs::write(partial, bytes))
}

/// Makes names in a folder last. Systems that cannot open folders keep them by themselves.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn put(path: &Path, partial: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let written = write(partial).and_then(|()| fs::rename(partial, path));
    if written.is_err() {
        // Gives back the space of a disk that is full; the error to report is the first one.
        let _ = fs::remove_file(partial);
    }
    written
}

fn write(path: &Path, content: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    // What lies there was left by a write that was cut short, or leads elsewhere: nothing is written through it.
    match fs::remove_file(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause),
        Ok(()) | Err(_) => {}
    }
    let mut file = File::create_new(path)?;
    content(&mut file)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_fails_leaves_the_old_file_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("pinnace-atomic-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a writable place");
        let path = folder.join("file");
        write_atomically(&path, b"old").expect("a writable folder");
        let failed = replace_with(&path, |output| {
            output.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).expect("the old file"), b"old");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1);
        replace_with(&path, |output| output.write_all(b"new")).expect("a writable folder");
        assert_eq!(fs::read(&path).expect("the new file"), b"new");
        let _ = fs::remove_dir_all(folder);
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link_in_the_way() {
        let folder = std::env::temp_dir().join(format!("pinnace-link-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a writable place");
        let (path, elsewhere) = (folder.join("file"), folder.join("elsewhere"));
        fs::write(&elsewhere, "untouched").expect("a writable folder");
        std::os::unix::fs::symlink(&elsewhere, partial(&path)).expect("a link");
        replace(&path, b"new").expect("a writable folder");
        assert_eq!(fs::read(&elsewhere).expect("a file"), b"untouched");
        assert_eq!(fs::read(&path).expect("a file"), b"new");
        let _ = fs::remove_dir_all(folder);
    }
}
