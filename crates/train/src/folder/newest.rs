//! Finds the checkpoint from which a run goes on.

use super::manifest::{self, Standing};
use super::{CHECKPOINTS, Notice, RunError, Used};
use crate::Snapshot;
use crate::checkpoint::{CheckpointFault, Header, ParameterLayout, Store, step_of};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// How often the checkpoints are looked for anew while another process replaces them.
const ATTEMPTS: usize = 20;

type Loaded = (Header, Snapshot);

/// The newest checkpoint that is good. One of a newer version ends the search: what it holds must not be
/// taken back by accident.
pub(super) fn newest(
    folder: &Path,
    layout: &ParameterLayout,
    notices: &mut Vec<Notice>,
) -> Result<Loaded, RunError> {
    let store = Store::new(folder.join(CHECKPOINTS));
    let mut search = CheckpointSearch { folder, layout, bad: Vec::new() };
    for _ in 0..ATTEMPTS {
        search.bad.clear();
        let before = manifest::find(folder)?;
        let files = match store.list() {
            Ok(files) => files,
            Err(cause) if cause.kind() == ErrorKind::NotFound => {
                return Err(RunError::NotARun { path: folder.to_owned(), missing: CHECKPOINTS });
            }
            Err(cause) => return Err(RunError::Read { path: store.folder().to_owned(), cause }),
        };
        match search.among(&files, &before)? {
            Lookup::Found { step, path, standing, loaded } => {
                let damaged = |(path, fault)| Notice::Damaged { path, fault, step };
                notices.extend(search.bad.into_iter().map(damaged));
                let lost = before.newest(folder).filter(|lost| {
                    step_of(lost).is_some_and(|lost| lost > step)
                        && !files.iter().any(|(_, path)| path == lost)
                });
                notices.extend(lost.map(|path| Notice::Missing { path, step }));
                if standing == Standing::Unlisted {
                    notices.push(Notice::Unlisted { path });
                }
                return Ok(*loaded);
            }
            Lookup::Moving => {}
            Lookup::Nothing => break,
        }
    }
    match search.bad.into_iter().next() {
        Some((path, fault)) => Err(RunError::Checkpoint { path, fault }),
        None => Err(RunError::NotARun { path: folder.to_owned(), missing: "checkpoint" }),
    }
}

struct CheckpointSearch<'run> {
    folder: &'run Path,
    layout: &'run ParameterLayout,
    /// Those that were tried and cannot be used.
    bad: Vec<(PathBuf, CheckpointFault)>,
}

enum Lookup {
    Found {
        step: u64,
        path: PathBuf,
        standing: Standing,
        loaded: Box<Loaded>,
    },
    /// Another process has replaced files meanwhile.
    Moving,
    Nothing,
}

impl CheckpointSearch<'_> {
    /// Tries the files, which are sorted from the newest on. `before` was read before they were listed.
    fn among(
        &mut self,
        files: &[(u64, PathBuf)],
        before: &manifest::FoundManifest,
    ) -> Result<Lookup, RunError> {
        let mut moving = false;
        for (step, path) in files {
            let (step, path) = (*step, path.clone());
            let (bytes, loaded) = match load(&path, self.layout) {
                Ok(loaded) => loaded,
                Err(CheckpointFault::Unreadable(cause)) if cause.kind() == ErrorKind::NotFound => {
                    moving = true;
                    continue;
                }
                Err(fault @ CheckpointFault::Newer { .. }) => {
                    return Err(RunError::Checkpoint { path, fault });
                }
                Err(fault) => {
                    self.bad.push((path, fault));
                    continue;
                }
            };
            // Read after the file: what was written meanwhile had been listed before.
            let after = manifest::find(self.folder)?;
            match after.standing(&path, &bytes) {
                Standing::Unlisted | Standing::Replaced if after != *before => return Ok(Lookup::Moving),
                Standing::Replaced => self.bad.push((path, CheckpointFault::Replaced)),
                standing @ (Standing::Listed | Standing::Unlisted) => {
                    return Ok(Lookup::Found { step, path, standing, loaded: Box::new(loaded) });
                }
            }
        }
        Ok(if moving { Lookup::Moving } else { Lookup::Nothing })
    }
}

/// The bytes of a checkpoint and what they hold.
pub(super) fn load(path: &Path, layout: &ParameterLayout) -> Result<(Vec<u8>, Loaded), CheckpointFault> {
    let bytes = std::fs::read(path)?;
    let loaded = layout.decode(&bytes)?;
    Ok((bytes, loaded))
}

/// The newest state, or the best one that was kept where training has diverged since.
pub(super) fn sound(
    folder: &Path,
    layout: &ParameterLayout,
    (header, newest): Loaded,
    notices: &mut Vec<Notice>,
) -> Result<(Header, Snapshot, Used), RunError> {
    let Some(concern) = newest.descent.concern() else { return Ok((header, newest, Used::Newest)) };
    let changed = newest.before_method > 0;
    let method_since =
        changed.then(|| newest.steps.saturating_sub(newest.phase_step.saturating_sub(newest.before_method)));
    let suspect = |step, used| Notice::Suspect { concern, newest: newest.steps, step, used, method_since };
    let path = Store::new(folder.join(CHECKPOINTS)).best();
    if newest.descent.has_diverged()
        && let Ok((bytes, (best_header, best))) = load(&path, layout)
        && !best.descent.has_diverged()
        && manifest::find(folder)?.standing(&path, &bytes) != Standing::Replaced
    {
        notices.push(suspect(best.steps, Used::Best));
        return Ok((best_header, best, Used::Best));
    }
    notices.push(suspect(newest.steps, Used::Newest));
    Ok((header, newest, Used::Newest))
}
