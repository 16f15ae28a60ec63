//! How losses and errors went down.

use super::axis::{Axis, extent};
use super::canvas::Pen;
use super::colour::Colour;
use super::{Curve, Curves, Panel, Row, Sheet};

/// What is known about the steps of a training.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct History {
    /// The steps that something is known about, ascending.
    pub steps: Vec<u64>,
    /// The loss at each.
    pub losses: Vec<f64>,
    /// Parts of the loss by name, each with a value at every step.
    pub parts: Vec<(String, Vec<f64>)>,
    /// Errors by name, each with the steps at which they were measured.
    pub errors: Vec<(String, Vec<(u64, f64)>)>,
    /// The phases by their first steps and names.
    pub phases: Vec<(u64, String)>,
}

/// Powers of ten that an axis spans at most.
const DECADES: f64 = 1e18;

/// Draws losses and errors over steps; nothing where no step is known.
pub(super) fn loss(title: &str, note: &str, history: &History) -> Option<Sheet> {
    let (first, last) = (*history.steps.first()?, *history.steps.last()?);
    let measured = history.errors.iter().flat_map(|(_, errors)| errors.iter().map(|(step, _)| *step));
    let (first, last) = measured.fold((first, last), |(first, last), step| (first.min(step), last.max(step)));
    let x = || Axis::linear("step", first.min(last.saturating_sub(1)) as f64, last as f64);
    let over_steps = |values: &[f64]| -> Vec<(f64, f64)> {
        history.steps.iter().map(|&step| step as f64).zip(values.iter().copied()).collect()
    };
    let marks: Vec<(f64, String)> =
        history.phases.iter().map(|(step, name)| (*step as f64, name.clone())).collect();

    let part = |(number, (name, values)): (usize, &(String, Vec<f64>))| Curve {
        name: name.clone(),
        points: over_steps(values),
        pen: Pen::solid(Colour::of_curve(number), 2.0),
    };
    // A loss of one part is that part.
    let parts = if history.parts.len() > 1 { history.parts.as_slice() } else { &[] };
    let mut curves: Vec<Curve> = parts.iter().enumerate().map(part).collect();
    // The first part is listed first and lies above the others, the total above all.
    curves.reverse();
    let pen = Pen::solid(Colour::INK, 2.6);
    curves.push(Curve { name: "loss".to_owned(), points: over_steps(&history.losses), pen });
    let panel = |title: &str, curves: Vec<Curve>| {
        let y = decades(curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.1)));
        Panel::Curves(Curves {
            title: title.to_owned(),
            x: x(),
            y,
            curves,
            marks: marks.clone(),
            legend: true,
        })
    };
    let mut panels = vec![panel("loss", curves)];

    let known = history.errors.iter().filter(|(_, errors)| !errors.is_empty());
    let mut errors: Vec<Curve> = known
        .enumerate()
        .map(|(number, (name, errors))| Curve {
            name: name.clone(),
            points: errors.iter().map(|&(step, error)| (step as f64, error)).collect(),
            pen: Pen::solid(Colour::of_curve(number), 2.6),
        })
        .collect();
    errors.reverse();
    if !errors.is_empty() {
        panels.push(panel("relative L2 error", errors));
    }
    let width = if panels.len() == 1 { 900.0 } else { 560.0 };
    let rows = vec![Row { height: 420.0, panels }];
    Some(Sheet { title: title.to_owned(), note: note.to_owned(), legend: Vec::new(), width, rows })
}

/// Whole powers of ten around the values.
fn decades(values: impl Iterator<Item = f64>) -> Axis {
    let (low, high) = extent(values.filter(|value| *value > 0.0)).unwrap_or((0.1, 1.0));
    let low = low.max(high / DECADES);
    Axis::logarithmic("", 10f64.powf(low.log10().floor()), 10f64.powf(high.log10().ceil()))
}
