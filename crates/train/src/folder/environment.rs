//! Where a run was trained: for people, and never read to decide anything.

use super::calendar::Moment;
use super::manifest::put_aside;
use super::{ENVIRONMENT, Notice, RunError};
use crate::checkpoint::{Header, VERSION};
use serde_json::{Map, Value, json};
use std::io::ErrorKind;
use std::path::Path;
use std::time::SystemTime;
use store::write_atomically;

/// Writes it for a new run: what is known here, and what the task says.
pub(super) fn write(folder: &Path, header: &Header, task: &Map<String, Value>) -> std::io::Result<()> {
    let Header { problem, device, precision, level, arithmetic } = header;
    let mut object = json!({
        "pinnace": env!("CARGO_PKG_VERSION"),
        "format": VERSION,
        "problem": problem,
        "device": device,
        "precision": precision,
        "level": level,
        "arithmetic": arithmetic,
        "threads": rayon::current_num_threads(),
        "system": std::env::consts::OS,
        "architecture": std::env::consts::ARCH,
        "started": Moment::new(SystemTime::now()).written_out(),
    });
    task.iter().for_each(|(name, value)| object[name] = value.clone());
    // Nobody waits for the disk on account of this: nothing depends on it.
    std::fs::write(folder.join(ENVIRONMENT), format!("{object:#}\n"))
}

/// Notes that the run continues from `step`, with these overrides, and what was said about it. What cannot be read is put aside, and
/// that is told.
pub(super) fn note_resumed(
    folder: &Path,
    (step, header): (u64, &Header),
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
        "level": header.level,
        "arithmetic": header.arithmetic,
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
