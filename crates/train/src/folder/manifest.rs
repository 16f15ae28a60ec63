//! `manifest.json`: lengths and checksums of the files that decide what a run computes.
//!
//! A process may be killed between writing a file and noting that it is written. So contents are listed before they
//! are written, and the contents before them stay listed until then: a healthy file is always listed.

use super::error::MANIFEST;
use super::regular::read_regular;
use super::{CHECKPOINTS, DATA, PROBLEM, RunError};
use crate::checkpoint::{Store, step_of};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use store::{replace, write_atomically};

/// The format that is written and read.
const FORMAT: u64 = 1;

/// Checkpoints that stay listed after they are gone: whoever reads a run while it is trained may hold one of them.
const REMEMBERED: usize = 8;

/// What is known of the files of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    format: u64,
    /// The problem and its data by name, each with all contents that it may have.
    files: BTreeMap<String, Vec<Sum>>,
    /// Checkpoints that may be there, in the order in which they were written.
    checkpoints: Vec<Listed>,
    /// The checkpoint that must be there, unless a later one is.
    newest: Option<String>,
}

/// What is known of the contents of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Sum {
    bytes: u64,
    /// In hexadecimal digits.
    crc32: String,
}

impl Sum {
    fn of(bytes: &[u8]) -> Self {
        Sum { bytes: bytes.len() as u64, crc32: format!("{:08x}", crc32fast::hash(bytes)) }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Listed {
    name: String,
    contents: Sum,
}

/// A manifest as it is written, with a checksum of its own: a flipped bit in it must not accuse the other files.
#[derive(Serialize, Deserialize)]
struct Sealed {
    manifest: Manifest,
    crc32: String,
}

/// What a folder has for a manifest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum FoundManifest {
    Whole(Manifest),
    /// Runs of earlier versions have none.
    Absent,
    /// Not what was written, or of a later version.
    Damaged,
}

/// How a checkpoint stands to the manifest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    Listed,
    /// Nothing is known under its name.
    Unlisted,
    /// Other contents are known under its name.
    Replaced,
}

/// Where the manifest of a run lies.
pub(super) fn path_in(folder: &Path) -> PathBuf {
    folder.join(MANIFEST)
}

/// Reads the manifest of a run.
pub(super) fn find(folder: &Path) -> Result<FoundManifest, RunError> {
    let path = path_in(folder);
    let bytes = match read_regular(&path) {
        Ok(bytes) => bytes,
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(FoundManifest::Absent),
        Err(cause) => return Err(RunError::Read { path, cause }),
    };
    Ok(match serde_json::from_slice(&bytes) {
        Ok(Sealed { manifest, crc32 }) if manifest.seal() == crc32 && manifest.format == FORMAT => {
            FoundManifest::Whole(manifest)
        }
        Ok(_) | Err(_) => FoundManifest::Damaged,
    })
}

impl FoundManifest {
    /// The files that are not what the run was trained with. Those that are missing are left to whoever needs them.
    pub(super) fn changed(&self, folder: &Path) -> Result<Vec<PathBuf>, RunError> {
        let FoundManifest::Whole(manifest) = self else { return Ok(Vec::new()) };
        let mut changed = Vec::new();
        for (name, contents) in &manifest.files {
            let path = folder.join(name);
            match read_regular(&path) {
                Ok(bytes) if contents.contains(&Sum::of(&bytes)) => {}
                Ok(_) => changed.push(path),
                Err(cause) if cause.kind() == ErrorKind::NotFound => {}
                Err(cause) => return Err(RunError::Read { path, cause }),
            }
        }
        Ok(changed)
    }

    /// What is to be thought of a checkpoint with these bytes.
    pub(super) fn standing(&self, checkpoint: &Path, bytes: &[u8]) -> Standing {
        // Where nothing is known, nothing can be found wrong.
        let FoundManifest::Whole(manifest) = self else { return Standing::Listed };
        let (name, contents) = (name_of(checkpoint), Sum::of(bytes));
        let mut known = manifest.checkpoints.iter().filter(|listed| listed.name == name).peekable();
        match (known.peek().is_some(), known.any(|listed| listed.contents == contents)) {
            (false, _) => Standing::Unlisted,
            (true, true) => Standing::Listed,
            (true, false) => Standing::Replaced,
        }
    }

    /// The checkpoint that must be there, unless a later one is.
    pub(super) fn newest(&self, folder: &Path) -> Option<PathBuf> {
        let FoundManifest::Whole(manifest) = self else { return None };
        manifest.newest.as_ref().map(|name| folder.join(CHECKPOINTS).join(name))
    }
}

impl Manifest {
    /// Of the files that a run has now, whose newest checkpoint is the one after `step`.
    pub(super) fn write_first(folder: &Path, step: u64) -> Result<(), RunError> {
        let mut manifest = Self::made(folder)?;
        manifest.go_on_from(folder, step)?;
        manifest.write(folder)
    }

    /// The manifest of a run that continues after `step`, in its folder too. Where there is none it is made of the
    /// files as they are.
    pub(super) fn taken(folder: &Path, step: u64) -> Result<Self, RunError> {
        let found = find(folder)?;
        if found == FoundManifest::Damaged {
            put_aside(&path_in(folder))?;
        }
        let mut manifest = match &found {
            FoundManifest::Whole(manifest) => manifest.clone(),
            FoundManifest::Absent | FoundManifest::Damaged => Self::made(folder)?,
        };
        manifest.go_on_from(folder, step)?;
        if found != FoundManifest::Whole(manifest.clone()) {
            manifest.write(folder)?;
        }
        Ok(manifest)
    }

    fn made(folder: &Path) -> Result<Self, RunError> {
        let mut files = BTreeMap::new();
        let mut names = vec![PROBLEM.to_owned()];
        match std::fs::read_dir(folder.join(DATA)) {
            Ok(entries) => {
                let entries = entries.filter_map(Result::ok).filter(|entry| entry.path().is_file());
                // Names of problem files are text: what is called otherwise is not of the problem.
                let found = entries.filter_map(|entry| entry.file_name().into_string().ok());
                names.extend(found.map(|name| format!("{DATA}/{name}")));
            }
            Err(cause) if cause.kind() == ErrorKind::NotFound => {}
            Err(cause) => return Err(RunError::Read { path: folder.join(DATA), cause }),
        }
        for name in names {
            let path = folder.join(&name);
            let bytes = read_regular(&path).map_err(RunError::read(&path))?;
            files.insert(name, vec![Sum::of(&bytes)]);
        }
        Ok(Manifest { format: FORMAT, files, checkpoints: Vec::new(), newest: None })
    }

    /// Takes the checkpoint after `step` for the newest: later ones are no part of the run any more.
    fn go_on_from(&mut self, folder: &Path, step: u64) -> Result<(), RunError> {
        let newest = Store::new(folder.join(CHECKPOINTS)).path(step);
        let bytes = read_regular(&newest).map_err(RunError::read(&newest))?;
        self.checkpoints.retain(|listed| step_of(Path::new(&listed.name)).is_none_or(|other| other < step));
        self.list(&newest, &bytes);
        self.newest = Some(name_of(&newest));
        Ok(())
    }

    /// Lists a checkpoint that is about to be written.
    pub(super) fn announce(&mut self, folder: &Path, path: &Path, bytes: &[u8]) -> Result<(), RunError> {
        self.list(path, bytes);
        self.write(folder)
    }

    /// Lists the best checkpoint, which is about to become the one after `step`. The one before stays listed until the
    /// next: a process may be killed in between.
    pub(super) fn announce_best(&mut self, folder: &Path, store: &Store, step: u64) -> Result<(), RunError> {
        let (best, step) = (name_of(&store.best()), name_of(&store.path(step)));
        let Some(contents) = self.checkpoints.iter().rev().find(|listed| listed.name == step) else {
            return Ok(());
        };
        let listed = Listed { name: best.clone(), contents: contents.contents.clone() };
        let before = self.checkpoints.iter().rposition(|listed| listed.name == best);
        let before = before.map(|place| self.checkpoints[place].clone());
        self.checkpoints.retain(|listed| listed.name != best);
        // In front: the last one is the newest.
        self.checkpoints.splice(0..0, before.into_iter().chain([listed]));
        self.write(folder)
    }

    /// Takes the checkpoint after `step` for the newest: those after it were put aside.
    pub(super) fn take_back(&mut self, folder: &Path, step: u64) -> Result<(), RunError> {
        self.go_on_from(folder, step)?;
        self.write(folder)
    }

    fn list(&mut self, checkpoint: &Path, bytes: &[u8]) {
        let listed = Listed { name: name_of(checkpoint), contents: Sum::of(bytes) };
        self.checkpoints.retain(|other| *other != listed);
        self.checkpoints.push(listed);
    }

    /// Notes that the checkpoint which was announced last is there: it must not get lost from now on.
    pub(super) fn confirm(&mut self, folder: &Path) -> Result<(), RunError> {
        let Some(there) = self.checkpoints.pop() else { return Ok(()) };
        self.checkpoints.retain(|other| other.name != there.name);
        let old = self.checkpoints.len().saturating_sub(REMEMBERED);
        let exists = |listed: &Listed| folder.join(CHECKPOINTS).join(&listed.name).exists();
        let (old, young) = self.checkpoints.split_at(old);
        let kept = old.iter().filter(|listed| exists(listed)).chain(young);
        self.checkpoints = kept.cloned().chain([there.clone()]).collect();
        self.newest = Some(there.name);
        self.write(folder)
    }

    fn seal(&self) -> String {
        // Of the value and not of the text: blanks mean nothing. Values of this type always become JSON.
        Sum::of(&serde_json::to_vec(self).unwrap_or_default()).crc32
    }

    fn write(&self, folder: &Path) -> Result<(), RunError> {
        let path = path_in(folder);
        let sealed = Sealed { manifest: self.clone(), crc32: self.seal() };
        let text = serde_json::to_string_pretty(&sealed).map_err(std::io::Error::from);
        // Without waiting for the folder: the checkpoint that follows does.
        text.and_then(|text| replace(&path, format!("{text}\n").as_bytes())).map_err(RunError::write(&path))
    }
}

/// Lists a checkpoint that is about to be written, where there is a list.
pub(super) fn announce(folder: &Path, path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    match find(folder)? {
        FoundManifest::Whole(mut manifest) => manifest.announce(folder, path, bytes),
        FoundManifest::Absent | FoundManifest::Damaged => Ok(()),
    }
}

/// Replaces a file of a run and what the manifest knows of it. A process that is killed meanwhile leaves the old file
/// or the new one, and the manifest agrees with both.
pub(super) fn rewrite(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), RunError> {
    let path = folder.join(name);
    let write = || write_atomically(&path, bytes).map_err(RunError::write(&path));
    let FoundManifest::Whole(mut manifest) = find(folder)? else { return write() };
    let contents = Sum::of(bytes);
    manifest.files.entry(name.to_owned()).or_default().push(contents.clone());
    manifest.write(folder)?;
    write()?;
    manifest.files.insert(name.to_owned(), vec![contents]);
    manifest.write(folder)
}

/// Renames a damaged file, so that nothing of it is lost, and says what it is called then.
pub(super) fn put_aside(path: &Path) -> Result<PathBuf, RunError> {
    let aside = free_name(path);
    std::fs::rename(path, &aside).map_err(RunError::write(path))?;
    Ok(aside)
}

/// What a damaged file is to be called, so that nothing else is overwritten.
pub(super) fn free_name(path: &Path) -> PathBuf {
    let mut number = 1;
    loop {
        let mut name = path.as_os_str().to_owned();
        name.push(if number == 1 { ".damaged".to_owned() } else { format!(".damaged-{number}") });
        let aside = PathBuf::from(name);
        if aside.symlink_metadata().is_err() {
            return aside;
        }
        number += 1;
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_kill_leaves_of_a_checkpoint_is_listed() {
        let folder = std::env::temp_dir().join(format!("pinnace-manifest-unit-{}", std::process::id()));
        let store = Store::new(folder.join(CHECKPOINTS));
        std::fs::create_dir_all(store.folder()).expect("the temporary folder can be written");
        std::fs::write(folder.join(PROBLEM), "problem").expect("it can be written");
        store.save(3, b"three").expect("it can be written");
        Manifest::write_first(&folder, 3).expect("it can be written");
        let mut manifest = Manifest::taken(&folder, 3).expect("it is there");
        let found = || find(&folder).expect("it can be read");
        let standing = |step, bytes: &[u8]| found().standing(&store.path(step), bytes);
        assert_eq!((standing(3, b"three"), found().newest(&folder)), (Standing::Listed, Some(store.path(3))));
        assert_eq!((standing(3, b"four"), standing(4, b"four")), (Standing::Replaced, Standing::Unlisted));
        // The same step again, as at the end of a phase: before and after it is written, both are good.
        for (step, bytes) in [(4, b"four"), (4, b"fuor")] {
            let before = found().newest(&folder);
            manifest.announce(&folder, &store.path(step), bytes).expect("it can be written");
            assert_eq!((standing(step, bytes), found().newest(&folder)), (Standing::Listed, before));
            assert_eq!((standing(3, b"three"), standing(4, b"four")), (Standing::Listed, Standing::Listed));
            manifest.confirm(&folder).expect("it can be written");
            assert_eq!(
                (standing(step, bytes), found().newest(&folder)),
                (Standing::Listed, Some(store.path(4)))
            );
        }
        assert_eq!(standing(4, b"four"), Standing::Replaced);
        // The list does not grow for ever, and what is there stays on it.
        for step in 5..50 {
            manifest.announce(&folder, &store.path(step), b"more").expect("it can be written");
            manifest.confirm(&folder).expect("it can be written");
        }
        assert_eq!(manifest.checkpoints.len(), REMEMBERED + 2);
        assert_eq!((standing(3, b"three"), standing(49, b"more")), (Standing::Listed, Standing::Listed));
        let _ = std::fs::remove_dir_all(&folder);
    }
}
