//! All pictures of a run.

use super::Resolution;
use super::cuts::cuts;
use super::fields::fields;
use super::lines::lines;
use super::loss::{History, loss};
use super::sample::Subject;
use super::slices::Slices;
use super::ticks::written;
use crate::{Experiment, TrainError};

/// A picture as a file.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    /// The file's name.
    pub name: String,
    /// What is in it: a PNG.
    pub bytes: Vec<u8>,
}

/// Draws everything worth seeing about a trained problem: `solution.png`, `cuts.png` (from two coordinates
/// on) and `loss.png` (where `history` knows of any step). What does not fit on one sheet goes on in
/// `solution-2.png` and so on.
pub fn draw(
    experiment: &Experiment,
    parameters: &[f64],
    history: &History,
    resolution: &Resolution,
) -> Result<Vec<Picture>, TrainError> {
    let subject = Subject { experiment, parameters };
    let note = note(history);
    let solution = match Slices::of(experiment.problem()) {
        Some(slices) => fields(subject, resolution, &slices, &note)?,
        None => lines(subject, resolution, &note)?,
    };
    let cuts = cuts(subject, resolution, &note)?;
    let loss = loss(&experiment.problem().title, &note, history).into_iter().collect();
    let mut pictures = Vec::new();
    for (name, sheets) in [("solution", solution), ("cuts", cuts), ("loss", loss)] {
        for (number, sheet) in sheets.iter().enumerate() {
            let name = if number == 0 { format!("{name}.png") } else { format!("{name}-{}.png", number + 1) };
            pictures.push(Picture { name, bytes: sheet.png()? });
        }
    }
    Ok(pictures)
}

/// What is known at the end, in a line.
fn note(history: &History) -> String {
    let steps = history.steps.last().map(|step| format!("{step} step{}", if *step == 1 { "" } else { "s" }));
    let loss = history.losses.last().map(|loss| format!("loss {}", written(*loss)));
    let errors = history.errors.iter().filter_map(|(name, errors)| {
        errors.last().map(|(_, error)| format!("relative L2 error of {name} {}", written(*error)))
    });
    steps.into_iter().chain(loss).chain(errors).collect::<Vec<_>>().join(", ")
}

/// Two remarks in a line.
pub(super) fn join_notes(one: &str, other: &str) -> String {
    [one, other].iter().filter(|note| !note.is_empty()).copied().collect::<Vec<_>>().join("; ")
}
