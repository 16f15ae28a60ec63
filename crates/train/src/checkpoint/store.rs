//! The checkpoints of a run as files.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use store::{is_partial, partial, replace, sync_folder, write_atomically};

/// Checkpoints that are kept: the newest, and the one before in case that the newest gets damaged.
const KEPT: usize = 2;

/// A folder of checkpoints.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// The checkpoints in `folder`.
    pub fn new(folder: PathBuf) -> Self {
        Store { folder }
    }

    /// Where they lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Steps and files, newest first.
    pub fn list(&self) -> io::Result<Vec<(u64, PathBuf)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if let Some(step) = step_of(&path) {
                found.push((step, path));
            }
        }
        found.sort_by(|first, second| second.cmp(first));
        Ok(found)
    }

    /// Where the checkpoint after `step` lies.
    pub fn path(&self, step: u64) -> PathBuf {
        self.folder.join(format!("step-{step:010}.safetensors"))
    }

    /// Writes the checkpoint after `step` and removes those that are no longer needed. On `Err`, those
    /// from before are untouched.
    pub fn save(&self, step: u64, bytes: &[u8]) -> io::Result<()> {
        write_atomically(&self.path(step), bytes)?;
        // One that cannot be removed only takes space.
        for (_, old) in self.list().unwrap_or_default().into_iter().skip(KEPT) {
            let _ = fs::remove_file(old);
        }
        Ok(())
    }

    /// The best state, where one was kept.
    pub fn best(&self) -> PathBuf {
        self.folder.join("best.safetensors")
    }

    /// Keeps the checkpoint after `step` as the best one, whatever becomes of the newest.
    pub fn keep_as_best(&self, step: u64) -> io::Result<()> {
        let (best, step) = (self.best(), self.path(step));
        let partial = partial(&best);
        // Another name for the same bytes, where the disk has such names.
        let _ = fs::remove_file(&partial);
        match fs::hard_link(&step, &partial) {
            Ok(()) => fs::rename(&partial, best),
            Err(_) => replace(&best, &fs::read(&step)?),
        }
    }

    /// Makes this state, after `step`, the newest one; those after it are put aside.
    pub fn go_back(&self, step: u64, bytes: &[u8]) -> io::Result<()> {
        write_atomically(&self.path(step), bytes)?;
        for (_, later) in self.list()?.into_iter().filter(|(number, _)| *number > step) {
            self.put_aside(&later, "diverged")?;
        }
        sync_folder(&self.folder)
    }

    /// Puts a state that no step can be taken from aside, as long as there is another one.
    pub fn refuse(&self, step: u64) -> io::Result<()> {
        let path = self.path(step);
        let others = self.list()?.iter().any(|(_, other)| *other != path);
        if others && path.exists() { self.put_aside(&path, "refused") } else { Ok(()) }
    }

    /// Puts a checkpoint aside, by the reason: it must not be taken for the newest one again.
    pub fn put_aside(&self, path: &Path, why: &str) -> io::Result<()> {
        let mut name = OsString::from(path);
        name.push(format!(".{why}"));
        fs::rename(path, name)
    }

    /// Removes what a write left behind that was cut short.
    pub fn tidy(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if is_partial(&path) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

/// The step that a checkpoint's name states.
pub fn step_of(path: &Path) -> Option<u64> {
    path.file_name()?.to_str()?.strip_prefix("step-")?.strip_suffix(".safetensors")?.parse().ok()
}
