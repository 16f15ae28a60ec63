//! Where training looks: the points of a state over the residuals that it has left.

use super::fields::frame;
use super::interface;
use super::look::{Shades, error_shades};
use super::slices::{places_along, shown};
use super::subject::Subject;
use super::ticks::written;
use super::{Axis, Cutout, Map, Panel, Resolution, Row, Samples, Sheet};
use crate::PlotError;
use pinnace::{Points, Snapshot};

/// Points that are marked; of more, every second, third and so on.
const MOST_MARKS: usize = 4000;

/// Draws residuals, and points over them, of a problem with two coordinates.
pub(super) fn points(
    subject: Subject<'_>,
    now: &Snapshot,
    resolution: &Resolution,
) -> Result<Option<Sheet>, PlotError> {
    let problem = subject.experiment.problem();
    let coordinates = shown(problem);
    let [across, up] = &coordinates[..] else { return Ok(None) };
    let [xs, ys] =
        [(across, 0), (up, 1)].map(|(axis, number)| places_along(axis, resolution.count(problem, number)));
    subject.experiment.check_places(xs.len() as f64 * ys.len() as f64, problem.equations.len())?;
    let mut places = Points::new(2);
    xs.iter().for_each(|&x| ys.iter().for_each(|&y| places.push(&[x, y])));
    let values = subject.experiment.residual_sizes(subject.parameters, &places)?;
    let inside = subject.experiment.points_inside(now)?;
    let nth = inside.len().div_ceil(MOST_MARKS).max(1);
    let marks: Vec<(f64, f64)> = inside.iter().step_by(nth).map(|row| (row[0], row[1])).collect();

    let (width, height) = frame(problem, across, up);
    let [x, y] = [across, up].map(|axis| Axis::linear(&axis.name, axis.low, axis.high));
    let middle = [0.5 * (across.low + across.high), 0.5 * (up.low + up.high)];
    let cutout = Cutout::of(problem, &middle, (0, 1), (&x, &y), (width, height));
    let interfaces = interface::lines(subject.experiment, &middle, (0, 1), (&x, &y), (width, height));
    let Shades { range, colours, .. } = error_shades(values.iter().copied());
    let map = |title: &str, marks: Vec<(f64, f64)>| {
        let samples = Samples::Grid { xs: xs.clone(), ys: ys.clone(), values: values.clone() };
        let (x, y, range, cutout) = (x.clone(), y.clone(), range.clone(), cutout.clone());
        let interfaces = interfaces.clone();
        Panel::Map(Map { title: title.to_owned(), x, y, samples, range, colours, cutout, interfaces, marks })
    };
    // Of very many, some stand for all.
    let stated = subject.experiment.settled().get(now.phase).map_or(0, |settings| settings.points);
    let all = inside.len().max(stated);
    let shown = if marks.len() < all { format!("{} of {all}", marks.len()) } else { all.to_string() };
    let known: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    let square = known.iter().map(|value| value * value).sum::<f64>() / known.len().max(1) as f64;
    let note = format!(
        "after {} steps; {shown} points inside; root mean square of residuals {}",
        now.steps,
        written(square.sqrt())
    );
    let panels = vec![map("|residual|", Vec::new()), map("points", marks)];
    let rows = if width > 600.0 {
        panels.into_iter().map(|panel| Row { height, panels: vec![panel] }).collect()
    } else {
        vec![Row { height, panels }]
    };
    Ok(Some(Sheet { title: problem.title.clone(), note, legend: Vec::new(), width, rows }))
}
