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
    let over_steps = |value: &dyn Fn(&Record) -> Option<f64>| -> Vec<(f64, f64)> {
        history.iter().filter_map(|record| Some((record.step as f64, value(record)?))).collect()
    };
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
            let points = over_steps(&|record| {
                Some(record.weights.get(number).unwrap_or(weight) * record.mean_squares.get(number)?)
            });
            losses.push(Curve { name: name.clone(), points, pen: Pen::solid(Colour::of_curve(number), 2.8) });
        }
    }
    let points = over_steps(&|record| Some(record.loss));
    // Often one part is nearly all of the loss: dashed above it, both can be seen.
    let pen = if losses.is_empty() { Pen::solid(Colour::INK, 2.6) } else { Pen::dashed(Colour::INK, 2.2) };
    losses.push(Curve { name: "loss".to_owned(), points, pen });
    let least = history.iter().map(|record| record.loss).fold(f64::INFINITY, f64::min);
    let mut panels = vec![panel("loss", least / SMALLEST_PART, losses)];

    let mut errors = over_steps(&|record| record.error);
    if let Some(error) = error {
        errors.retain(|(step, _)| *step < last as f64);
        errors.push((last as f64, error));
    }
    // A single value stands below the title; it makes no curve.
    if errors.len() > 1 {
        let title =
            if problem.unknowns.len() > 1 { "largest relative L2 error" } else { "relative L2 error" };
        let pen = Pen::solid(Colour::of_curve(1), 2.6);
        panels.push(panel(title, 0.0, vec![Curve { name: "error".to_owned(), points: errors, pen }]));
    }
    let width = if panels.len() == 1 { 900.0 } else { 560.0 };
    let rows = vec![Row { height: 420.0, panels }];
    Some(Sheet { title: problem.title.clone(), note: note.to_owned(), legend: Vec::new(), width, rows })
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

/// The step before which every phase begins, and its method; of windows, their numbers.
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
        let name = if windowed { (first.window + 1).to_string() } else { method.to_owned() };
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
