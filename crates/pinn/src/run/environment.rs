//! Where a run was trained: for people, and never read to decide anything.

use super::calendar::Moment;
use super::manifest::put_aside;
use super::{ENVIRONMENT, Notice, RunError};
use crate::Experiment;
use crate::checkpoint::{Header, VERSION, write_atomically};
use linear::Level;
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::path::Path;
use std::time::SystemTime;

/// What checkpoints say about where they were computed.
pub(super) fn header(experiment: &Experiment) -> Header {
    Header {
        problem: experiment.name().to_owned(),
        device: experiment.device().name().to_owned(),
        precision: experiment.precision().name().to_owned(),
        level: Level::best().to_string(),
    }
}

/// Writes it for a new run. `from` is the run that its parameters come from.
pub(super) fn write(folder: &Path, experiment: &Experiment, from: Option<&Path>) -> std::io::Result<()> {
    let residuals: Vec<String> = experiment
        .plan()
        .terms
        .iter()
        .flat_map(|term| term.residuals.iter().map(|residual| format!("{}: {}", term.name, residual.name)))
        .collect();
    let Header { problem, device, precision, level } = header(experiment);
    let mut object = json!({
        "pinnace": env!("CARGO_PKG_VERSION"),
        "format": VERSION,
        "problem": problem,
        "title": experiment.problem().title,
        "seed": experiment.problem().training.seed,
        "device": device,
        "precision": precision,
        "level": level,
        "threads": rayon::current_num_threads(),
        "system": std::env::consts::OS,
        "architecture": std::env::consts::ARCH,
        "started": Moment::new(SystemTime::now()).written_out(),
        "residuals": residuals,
    });
    if let Some(from) = from {
        object["from"] = json!(from.to_string_lossy());
    }
    // Nobody waits for the disk on account of this: nothing depends on it.
    std::fs::write(folder.join(ENVIRONMENT), format!("{object:#}\n"))
}

/// Notes that the run goes on from `step`, with these overrides, and what was said about it. What cannot be read is put aside, and
/// that is told.
pub(super) fn note_resumed(
    folder: &Path,
    step: u64,
    overrides: &[String],
    notes: &[String],
) -> Result<Option<Notice>, RunError> {
    let path = folder.join(ENVIRONMENT);
    let (mut object, damaged) = match std::fs::read(&path) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => (json!({}), None),
        Err(cause) => return Err(RunError::Read { path, cause }),
        Ok(text) => match serde_json::from_slice(&text) {
            Ok(object @ Value::Object(_)) => (object, None),
            Ok(_) | Err(_) => {
                let aside = put_aside(&path)?;
                (json!({}), Some(Notice::DamagedEnvironment { path: path.clone(), aside }))
            }
        },
    };
    let mut note = json!({
        "at": Moment::new(SystemTime::now()).written_out(),
        "step": step,
        "overrides": overrides,
        "pinnace": env!("CARGO_PKG_VERSION"),
        "level": Level::best().to_string(),
        "threads": rayon::current_num_threads(),
    });
    if !notes.is_empty() {
        note["notices"] = json!(notes);
    }
    match object.get_mut("resumed").and_then(Value::as_array_mut) {
        Some(notes) => notes.push(note),
        None => object["resumed"] = json!([note]),
    }
    write_atomically(&path, format!("{object:#}\n").as_bytes()).map_err(RunError::write(&path))?;
    Ok(damaged)
}
