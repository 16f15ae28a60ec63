//! Unknowns over one coordinate, with their references and errors.

use super::axis::Axis;
use super::canvas::Pen;
use super::colour::Colour;
use super::look::{error_axis, legend, network_pen, padded, reference_pen};
use super::slices::{places_along, shown};
use super::subject::Subject;
use super::{Curve, Curves, Panel, Resolution, Row, Sheet};
use crate::PlotError;
use pinnace::Points;

/// Unknowns side by side.
const COLUMNS: usize = 3;

/// Draws every unknown of a problem with one coordinate.
pub(super) fn lines(
    subject: Subject<'_>,
    resolution: &Resolution,
    note: &str,
) -> Result<Vec<Sheet>, PlotError> {
    let problem = subject.experiment.problem();
    let coordinate = &shown(problem)[0];
    let xs = places_along(coordinate, resolution.count(problem, 0));
    let mut points = Points::new(1);
    xs.iter().for_each(|&x| points.push(&[x]));
    let x = |label: &str| Axis::linear(label, coordinate.low, coordinate.high);
    let curve = |name: &str, xs: &[f64], ys: &[f64], pen| Curve {
        name: name.to_owned(),
        points: xs.iter().copied().zip(ys.iter().copied()).collect(),
        pen,
    };
    let sampled = subject.sample(&points)?;
    let (mut fields, mut errors, mut compared_any) = (Vec::new(), Vec::new(), false);
    for (unknown, here) in sampled.iter().enumerate() {
        let name = &problem.unknowns[unknown].name;
        let table = subject.sample_table(unknown)?;
        let (places, compared) = match &table {
            Some((points, compared)) => (points.iter().map(|row| row[0]).collect(), compared),
            None => (xs.clone(), here),
        };
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by(|&one, &other| places[one].total_cmp(&places[other]));
        let ordered = |values: &[f64]| order.iter().map(|&place| values[place]).collect::<Vec<f64>>();
        let places = ordered(&places);
        let exact = compared.exact.as_deref().unwrap_or_default();
        let y = padded(name, here.found.iter().chain(exact).copied());
        let mut curves = vec![curve("network", &xs, &here.found, network_pen())];
        if let (Some(exact), Some(error)) = (&compared.exact, compared.error()) {
            compared_any = true;
            curves.push(curve("reference", &places, &ordered(exact), reference_pen()));
            errors.push(Panel::Curves(Curves {
                title: String::new(),
                x: x(&coordinate.name),
                y: error_axis(&format!("|error of {name}|"), error.iter().copied()),
                curves: vec![curve(
                    "|error|",
                    &places,
                    &ordered(&error),
                    Pen::solid(Colour::of_curve(1), 2.5),
                )],
                marks: Vec::new(),
                legend: false,
            }));
        }
        let title = if sampled.len() > 1 { name.clone() } else { String::new() };
        let (x, marks) = (x(&coordinate.name), Vec::new());
        fields.push(Panel::Curves(Curves { title, x, y, curves, marks, legend: false }));
    }
    let (width, height) = if fields.len() == 1 { (900.0, 400.0) } else { (440.0, 300.0) };
    let mut rows = Vec::new();
    let mut errors = errors.chunks(COLUMNS);
    for panels in fields.chunks(COLUMNS) {
        rows.push(Row { height, panels: panels.to_vec() });
        rows.extend(errors.next().map(|panels| Row { height: height / 2.0, panels: panels.to_vec() }));
    }
    let legend = legend(compared_any);
    Ok(vec![Sheet { title: problem.title.clone(), note: note.to_owned(), legend, width, rows }])
}
