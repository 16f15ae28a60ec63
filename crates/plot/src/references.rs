//! The reference of a problem by itself.

use super::axis::Axis;
use super::canvas::Pen;
use super::colour::Colour;
use super::fields::frame;
use super::interface;
use super::look::{Shades, clipped_note, padded, shades};
use super::pictures::join_notes;
use super::slices::{Slices, places_along, shown};
use super::{Curve, Curves, Cutout, Map, Panel, Picture, Resolution, Row, Samples, Sheet};
use crate::PlotError;
use pinnace::{Experiment, Points};

/// Draws every unknown whose reference can be computed anywhere, a row each: `reference.png`. `None` where
/// there is no such unknown.
pub fn draw_reference(
    experiment: &Experiment,
    resolution: &Resolution,
) -> Result<Option<Picture>, PlotError> {
    let sheet = match Slices::of(experiment.problem(), resolution) {
        Some(slices) => maps(experiment, resolution, &slices),
        None => curves(experiment, resolution),
    };
    match sheet.rows.is_empty() {
        true => Ok(None),
        false => Ok(Some(Picture { name: "reference.png".to_owned(), bytes: sheet.png()? })),
    }
}

fn maps(experiment: &Experiment, resolution: &Resolution, slices: &Slices) -> Sheet {
    let problem = experiment.problem();
    let coordinates = shown(problem);
    let [across, up] = [slices.across, slices.up].map(|axis| &coordinates[axis]);
    let xs = places_along(across, resolution.count(problem, slices.across));
    let ys = places_along(up, resolution.count(problem, slices.up));
    let (width, height) = frame(problem, across, up);
    let mut clipped = Vec::new();
    let row = |unknown: usize| {
        let values = |place: &[f64]| experiment.exact(unknown, &slices.points(place, &xs, &ys));
        let here: Vec<Vec<f64>> =
            slices.places.iter().map(|(place, _)| values(place)).collect::<Option<_>>()?;
        // All slices of an unknown share their colours, so that they compare.
        let Shades { range, colours, clipped: is_clipped } = shades(here.iter().flatten().copied());
        let name = &problem.unknowns[unknown].name;
        clipped.extend(is_clipped.then_some(name.as_str()));
        let panel = |(values, (place, slice)): (Vec<f64>, &(Vec<f64>, String))| {
            let title = if slice.is_empty() { name.clone() } else { format!("{name} at {slice}") };
            let [x, y] = [across, up].map(|axis| Axis::linear(&axis.name, axis.low, axis.high));
            let samples = Samples::Grid { xs: xs.clone(), ys: ys.clone(), values };
            let axes = (slices.across, slices.up);
            let cutout = Cutout::of(problem, place, axes, (&x, &y), (width, height));
            let interfaces = interface::lines(experiment, place, axes, (&x, &y), (width, height));
            let (range, marks) = (range.clone(), Vec::new());
            Panel::Map(Map { title, x, y, samples, range, colours, cutout, interfaces, marks })
        };
        Some(Row { height, panels: here.into_iter().zip(&slices.places).map(panel).collect() })
    };
    let rows = (0..problem.unknowns.len()).filter_map(row).collect();
    let note = join_notes(&slices.note, &clipped_note(&clipped));
    Sheet { title: problem.title.clone(), note, legend: Vec::new(), width, rows }
}

fn curves(experiment: &Experiment, resolution: &Resolution) -> Sheet {
    let problem = experiment.problem();
    let coordinate = &shown(problem)[0];
    let xs = places_along(coordinate, resolution.count(problem, 0));
    let mut points = Points::new(1);
    xs.iter().for_each(|&x| points.push(&[x]));
    let row = |unknown: usize| {
        let values = experiment.exact(unknown, &points)?;
        let name = &problem.unknowns[unknown].name;
        let y = padded(name, values.iter().copied());
        let points = xs.iter().copied().zip(values).collect();
        let curve = Curve { name: name.clone(), points, pen: Pen::solid(Colour::of_curve(0), 3.0) };
        let x = Axis::linear(&coordinate.name, coordinate.low, coordinate.high);
        let panel =
            Curves { title: String::new(), x, y, curves: vec![curve], marks: Vec::new(), legend: false };
        Some(Row { height: 300.0, panels: vec![Panel::Curves(panel)] })
    };
    let rows = (0..problem.unknowns.len()).filter_map(row).collect();
    Sheet { title: problem.title.clone(), note: String::new(), legend: Vec::new(), width: 900.0, rows }
}
