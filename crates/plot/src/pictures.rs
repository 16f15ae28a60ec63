//! All pictures of a run.

use super::Resolution;
use super::cuts::cuts;
use super::fields::fields;
use super::lines::lines;
use super::loss::loss;
use super::points::points;
use super::slices::Slices;
use super::subject::Subject;
use super::ticks::written;
use crate::PlotError;
use equation::problem::Problem;
use pinnace::run::{Record, Run, RunError};
use pinnace::trust::{Confidence, ErrorEstimate};
use pinnace::{Experiment, FieldError, write_atomically};
use std::path::{Path, PathBuf};

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
    history: &[Record],
    resolution: &Resolution,
) -> Result<Vec<Picture>, PlotError> {
    drawn(experiment, parameters, (history, None), resolution)
}

/// The same with what was found to be wrong with it.
fn drawn(
    experiment: &Experiment,
    parameters: &[f64],
    (history, estimate): (&[Record], Option<&ErrorEstimate>),
    resolution: &Resolution,
) -> Result<Vec<Picture>, PlotError> {
    let subject = Subject { experiment, parameters };
    let problem = experiment.problem();
    let errors = experiment.errors(parameters)?;
    let note = join_notes(&trust(estimate), &note(problem, &errors, history));
    let error = errors.iter().flatten().filter_map(|error| error.relative_l2).reduce(f64::max);
    let solution = match Slices::of(problem, resolution) {
        Some(slices) => fields(subject, resolution, &slices, &note)?,
        None => lines(subject, resolution, &note)?,
    };
    let cuts = cuts(subject, resolution, &note)?;
    let loss = loss(experiment, history, error, &note).into_iter().collect();
    let mut pictures = Vec::new();
    for (name, sheets) in [("solution", solution), ("cuts", cuts), ("loss", loss)] {
        for (number, sheet) in sheets.iter().enumerate() {
            let name = if number == 0 { format!("{name}.png") } else { format!("{name}-{}.png", number + 1) };
            pictures.push(Picture { name, bytes: sheet.png()? });
        }
    }
    Ok(pictures)
}

/// [`draw`] for a run as it lies on the disk, up to its checkpoint, and `points.png`: where training looks, over residuals, in two coordinates.
pub fn draw_run(run: &Run, resolution: &Resolution) -> Result<Vec<Picture>, PlotError> {
    let mut history = run.history()?;
    history.retain(|record| record.step <= run.snapshot().steps);
    let estimate = run.error_estimate()?;
    let mut pictures = drawn(run.experiment(), run.parameters(), (&history, estimate.as_ref()), resolution)?;
    let subject = Subject { experiment: run.experiment(), parameters: run.parameters() };
    if let Some(sheet) = points(subject, run.snapshot(), resolution)? {
        pictures.push(Picture { name: "points.png".to_owned(), bytes: sheet.png()? });
    }
    Ok(pictures)
}

impl Picture {
    /// Writes it into `folder`, which is made if need be, in place of an older one. Says where it is.
    pub fn save(&self, folder: &Path) -> Result<PathBuf, RunError> {
        let path = folder.join(&self.name);
        std::fs::create_dir_all(folder)
            .and_then(|()| write_atomically(&path, &self.bytes))
            .map_err(|cause| RunError::Write { path: path.clone(), cause })?;
        Ok(path)
    }
}

/// How far training came, in a line.
fn note(problem: &Problem, errors: &[Option<FieldError>], history: &[Record]) -> String {
    /// More would not fit.
    const MOST_ERRORS: usize = 4;
    let steps = history.last().map_or(0, |record| record.step);
    let steps = (steps > 0).then(|| format!("after {steps} step{}", if steps == 1 { "" } else { "s" }));
    let known = problem.unknowns.iter().zip(errors);
    let mut errors: Vec<String> = known
        .filter_map(|(unknown, error)| Some((&unknown.name, error.as_ref()?.relative_l2?)))
        .map(|(name, error)| format!("{name} {}", written(error)))
        .collect();
    if errors.len() > MOST_ERRORS {
        let left_out = errors.split_off(MOST_ERRORS - 1).len();
        errors.push(format!("and {left_out} more"));
    }
    let errors = (!errors.is_empty()).then(|| format!("relative L2 error of {}", errors.join(", ")));
    steps.into_iter().chain(errors).collect::<Vec<_>>().join("; ")
}

/// What is known of the error without a reference, in a line; a warning, where a solution cannot be trusted.
fn trust(estimate: Option<&ErrorEstimate>) -> String {
    let Some(estimate) = estimate else { return String::new() };
    let error = estimate.largest().map(|error| format!("estimated error {}", written(rounded(error))));
    let error = error.unwrap_or_else(|| "error not known".to_owned());
    match estimate.trust {
        Confidence::Good => error,
        Confidence::Doubtful => format!("DOUBTFUL: {error}"),
        Confidence::Bad => format!("NOT TO BE TRUSTED: {error}"),
    }
}

/// With two digits: more are not known.
fn rounded(error: f64) -> f64 {
    let unit = 10f64.powf(error.log10().floor() - 1.0);
    (error / unit).round() * unit
}

/// Two remarks in a line.
pub(super) fn join_notes(one: &str, other: &str) -> String {
    [one, other].iter().filter(|note| !note.is_empty()).copied().collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pinnace::trust::{Evidence, UnknownEstimate};

    fn estimate(trust: Confidence, relative_l2: Option<f64>) -> ErrorEstimate {
        let evidence = Evidence {
            residual: 1e-3,
            trained_residual: None,
            relative_residual: None,
            trail: Vec::new(),
            second: None,
            epsilon: f64::EPSILON,
            steps: 10,
            missing: 0,
            periods: None,
            windows: 1,
        };
        let unknown = UnknownEstimate {
            name: "u".to_owned(),
            relative_l2,
            root_mean_square: None,
            of_range: None,
            largest: None,
            near: Vec::new(),
        };
        ErrorEstimate { trust, doubts: Vec::new(), unknowns: vec![unknown], evidence, seconds: 1.0 }
    }

    #[test]
    fn a_picture_of_a_solution_that_cannot_be_trusted_says_so_first() {
        let told = |trust: Confidence, error: Option<f64>| super::trust(Some(&estimate(trust, error)));
        assert_eq!(told(Confidence::Good, Some(0.001234)), "estimated error 0.0012");
        assert_eq!(told(Confidence::Doubtful, Some(0.0261)), "DOUBTFUL: estimated error 0.026");
        assert_eq!(told(Confidence::Bad, Some(1.0789)), "NOT TO BE TRUSTED: estimated error 1.1");
        assert_eq!(told(Confidence::Bad, None), "NOT TO BE TRUSTED: error not known");
        assert_eq!(trust(None), "");
    }
}
