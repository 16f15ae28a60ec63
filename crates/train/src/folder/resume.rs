//! Takes a run for this process, to be trained on.

use super::lock::Lock;
use super::open::problem_in;
use super::{
    CHECKPOINTS, Contents, KeptFolder, Notice, Opened, PROBLEM, RunError, Used, environment, manifest,
};
use crate::checkpoint::Store;
use std::path::{Path, PathBuf};

/// A run that no other process trains as long as this is held.
#[derive(Debug)]
pub struct Held {
    path: PathBuf,
    lock: Lock,
}

impl Held {
    /// Takes the run in a folder.
    pub fn take(path: &Path) -> Result<Self, RunError> {
        if path.is_file() {
            return Err(RunError::OnlyACheckpoint { path: path.to_owned() });
        }
        if path.is_dir() {
            problem_in(path, path)?;
        }
        std::fs::metadata(path).map_err(RunError::read(path))?;
        Ok(Held { path: path.to_owned(), lock: Lock::take(path)? })
    }

    /// Goes on with the run from a state that was opened. `contents` say what it is about from here on; where it is changed by
    /// overrides, its problem is among their files and is written. `seconds` is the time between two checkpoints.
    pub fn go_on(
        self,
        opened: &Opened,
        contents: &Contents,
        overrides: &[String],
        seconds: f64,
    ) -> Result<KeptFolder, RunError> {
        let Held { path, lock } = self;
        let changed = contents.files.iter().find(|(name, _)| name == PROBLEM);
        if let Some((_, text)) = changed {
            manifest::rewrite(&path, PROBLEM, text)?;
        }
        opened.settle(contents)?;
        let notes: Vec<String> = opened.notices.iter().map(Notice::to_string).collect();
        let steps = opened.snapshot.steps;
        let damaged = environment::note_resumed(&path, (steps, &contents.header), overrides, &notes)?;
        let (header, layout) = (contents.header.clone(), contents.layout.clone());
        let mut folder = KeptFolder::with_lock(lock, path, (header, layout), &opened.snapshot, seconds)?;
        if changed.is_some() {
            folder.distrusts_change(steps);
        }
        Ok(folder.noting(damaged))
    }
}

impl Opened {
    /// Makes the state at hand the newest one of its folder: what cannot be used or came after it is put aside.
    fn settle(&self, contents: &Contents) -> Result<(), RunError> {
        let store = Store::new(self.folder.join(CHECKPOINTS));
        for notice in &self.notices {
            if let Notice::Damaged { path, .. } = notice {
                store.put_aside(path, "damaged").map_err(RunError::write(path))?;
            }
        }
        store.tidy().map_err(RunError::write(store.folder()))?;
        let renewed = self.notices.iter().any(|notice| matches!(notice, Notice::Renewed(_)));
        if renewed || self.used == Used::Best {
            let bytes = contents.layout.encode(&contents.header, &self.snapshot);
            let bytes = bytes.map_err(RunError::Unsavable)?;
            let steps = self.snapshot.steps;
            manifest::announce(&self.folder, &store.path(steps), &bytes)?;
            store.go_back(steps, &bytes).map_err(RunError::write(store.folder()))?;
        }
        Ok(())
    }
}
