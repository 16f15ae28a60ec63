//! How losses and errors went down.

use super::axis::{Axis, extent};
use super::canvas::Pen;
use super::colour::Colour;
use super::{Curve, Curves, Panel, Row, Sheet};
use equation::taylor::Plan;
use pinnace::Experiment;
use pinnace::run::Record;

/// How many times the least value of an axis fits into its largest, at most.
const DECADES: f64 = 1e18;

/// Parts of the loss are followed down to this share of its least value.
const SMALLEST_PART: f64 = 1e4;

/// Draws the loss, its parts and the error over steps, `error` after the last; nothing where no step is
/// known.
pub(super) fn loss(
    experiment: &Experiment,
    history: &[Record],
    error: Option<f64>,
    note: &str,
) -> Option<Sheet> {
    let (problem, plan) = (experiment.problem(), experiment.plan());
    let last = history.last()?.step;
    let marks = phases(experiment, history);
    let panel = |title: &str, floor: f64, curves: Vec<Curve>| {
        let y = decades(floor, curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.1)));
        let x = Axis::linear("step", 0.0, last.max(1) as f64);
        let legend = curves.len() > 1;
        Panel::Curves(Curves { title: title.to_owned(), x, y, curves, marks: marks.clone(), legend })
    };

    let parts = parts(plan);
    // The first part is listed first, and the loss before it; what is listed first lies above.
    let mut losses: Vec<Curve> = Vec::new();
    if parts.len() > 1 {
        for (number, (name, weight)) in parts.iter().enumerate().rev() {
            let points = over_steps(history, |record| {
                Some(record.weights.get(number).unwrap_or(weight) * record.mean_squares.get(number)?)
            });
            losses.push(Curve { name: name.clone(), points, pen: Pen::solid(Colour::of_curve(number), 2.8) });
        }
    }
    let points = over_steps(history, |record| Some(record.loss));
    // Often one part is nearly all of the loss: dashed above it, both can be seen.
    let pen = if losses.is_empty() { Pen::solid(Colour::INK, 2.6) } else { Pen::dashed(Colour::INK, 2.2) };
    losses.push(Curve { name: "loss".to_owned(), points, pen });
    let least = history.iter().map(|record| record.loss).fold(f64::INFINITY, f64::min);
    let mut panels = vec![panel("loss", least / SMALLEST_PART, losses)];

    let errors = over_steps(history, |record| error.filter(|_| record.step == last).or(record.error));
    // A single value stands below the title; it makes no curve.
    if errors.iter().filter(|(_, error)| error.is_finite()).count() > 1 {
        let title =
            if problem.unknowns.len() > 1 { "largest relative L2 error" } else { "relative L2 error" };
        let pen = Pen::solid(Colour::of_curve(1), 2.6);
        panels.push(panel(title, 0.0, vec![Curve { name: "error".to_owned(), points: errors, pen }]));
    }
    let width = if panels.len() == 1 { 900.0 } else { 560.0 };
    let rows = vec![Row { height: 420.0, panels }];
    Some(Sheet { title: problem.title.clone(), note: note.to_owned(), legend: Vec::new(), width, rows })
}

/// What is known of records, over their steps. Another window has another network: what has no place breaks the curve there.
fn over_steps(history: &[Record], value: impl Fn(&Record) -> Option<f64>) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    let mut window = None;
    for (record, value) in history.iter().filter_map(|record| Some((record, value(record)?))) {
        let step = record.step as f64;
        if window.replace(record.window).is_some_and(|before| before != record.window) {
            points.push((step, f64::NAN));
        }
        points.push((step, value));
    }
    points
}

/// The residuals by name, with the weights of their mean squares in the loss.
fn parts(plan: &Plan) -> Vec<(String, f64)> {
    let terms = plan.terms.iter().flat_map(|term| term.residuals.iter().map(move |part| (term, part)));
    terms
        // The equations of a condition carry its name already.
        .map(|(term, part)| match part.name.starts_with(&term.name) {
            true => (part.name.clone(), part.weight),
            false => (format!("{}: {}", term.name, part.name), part.weight),
        })
        .collect()
}

/// The step before which every phase begins, and its method; of windows, their names.
fn phases(experiment: &Experiment, history: &[Record]) -> Vec<(f64, String)> {
    let settled = experiment.settled();
    let windowed = experiment.window_count() > 1;
    let mut phases: Vec<(f64, String)> = Vec::new();
    let changes = history.chunk_by(|one, next| match windowed {
        true => one.window == next.window,
        false => one.phase == next.phase,
    });
    for first in changes.filter_map(|records| records.first()) {
        let method = settled.get(first.phase).map_or("", |settings| settings.method.title());
        let name = if windowed { format!("window {}", first.window + 1) } else { method.to_owned() };
        phases.push((first.step.saturating_sub(first.phase_step) as f64, name));
    }
    phases
}

/// Whole powers of ten around the values, none below `floor`.
fn decades(floor: f64, values: impl Iterator<Item = f64>) -> Axis {
    let (low, high) = extent(values.filter(|value| *value > 0.0)).unwrap_or((0.1, 1.0));
    let low = low.max(high / DECADES).max(floor.min(high));
    Axis::logarithmic("", 10f64.powf(low.log10().floor()), 10f64.powf(high.log10().ceil()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(step: u64, window: usize, error: Option<f64>) -> Record {
        Record {
            step,
            window,
            phase: 0,
            phase_step: 1,
            seconds: 0.0,
            loss: 1.0,
            mean_squares: Vec::new(),
            weights: Vec::new(),
            length: 1.0,
            points: 1,
            sampling: None,
            waited: None,
            renewed: None,
            damping: None,
            gain: None,
            steadiness: None,
            deviation: None,
            memory: None,
            evaluations: step,
            error,
            fallbacks: Vec::new(),
        }
    }

    #[test]
    fn no_curve_goes_on_from_one_window_to_the_next() {
        let history = [
            record(1, 0, Some(0.5)),
            record(2, 0, Some(0.25)),
            record(3, 1, None),
            record(4, 1, Some(0.125)),
            record(5, 2, None),
        ];
        let pieces = |points: Vec<(f64, f64)>| -> Vec<Vec<f64>> {
            let pieces = points.split(|(_, value)| value.is_nan());
            pieces.map(|piece| piece.iter().map(|(step, _)| *step).collect()).collect()
        };
        let losses = over_steps(&history, |record| Some(record.loss));
        assert_eq!(pieces(losses), [vec![1.0, 2.0], vec![3.0, 4.0], vec![5.0]]);
        let errors = over_steps(&history, |record| record.error);
        assert_eq!(pieces(errors), [vec![1.0, 2.0], vec![4.0]]);
    }
}
