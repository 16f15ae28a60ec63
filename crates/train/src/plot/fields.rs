//! Fields over two coordinates, each beside its reference and its error.

use super::axis::Axis;
use super::colour::ColourMap;
use super::look::{error_shades, shades};
use super::pictures::join_notes;
use super::sample::{Sampled, Subject};
use super::slices::{Slices, places_along};
use super::{Map, Panel, Resolution, Row, Samples, Sheet};
use crate::TrainError;
use equation::problem::{Coordinate, Role};

/// Rows of maps on one sheet; more go to further sheets.
const ROWS: usize = 6;

/// Panels side by side where nothing is compared.
const COLUMNS: usize = 3;

/// Draws every unknown over the slices of its domain.
pub(super) fn fields(
    subject: Subject<'_>,
    resolution: &Resolution,
    slices: &Slices,
    note: &str,
) -> Result<Vec<Sheet>, TrainError> {
    let problem = subject.experiment.problem();
    let [across, up] = [slices.across, slices.up].map(|axis| &problem.domain.coordinates[axis]);
    let (xs, ys) = (
        places_along(across, resolution.count(problem, slices.across)),
        places_along(up, resolution.count(problem, slices.up)),
    );
    let sampled = slices
        .places
        .iter()
        .map(|(place, name)| Ok((name, subject.sample(&slices.points(place, &xs, &ys))?)))
        .collect::<Result<Vec<_>, TrainError>>()?;
    let map = |title: String, samples: Samples, (range, colours): (Axis, ColourMap)| {
        let [x, y] =
            [across, up].map(|coordinate| Axis::linear(&coordinate.name, coordinate.low, coordinate.high));
        Panel::Map(Map { title, x, y, samples, range, colours })
    };
    let on_grid = |values: &[f64]| Samples::Grid { xs: xs.clone(), ys: ys.clone(), values: values.to_vec() };

    let mut rows: Vec<Vec<Panel>> = Vec::new();
    for (unknown, name) in problem.unknowns.iter().map(|unknown| unknown.name.as_str()).enumerate() {
        for (slice, sampled) in &sampled {
            let here = &sampled[unknown];
            let title = |what: &str| match slice.is_empty() {
                true => format!("{name}: {what}"),
                false => format!("{name} at {slice}: {what}"),
            };
            // A table says nothing about slices: where would its points lie?
            let table = if problem.domain.len() == 2 { subject.sample_table(unknown)? } else { None };
            let (compared, place): (&Sampled, Box<dyn Fn(&[f64]) -> Samples>) = match &table {
                Some((points, compared)) => (compared, Box::new(|values| Samples::at(points, values))),
                None => (here, Box::new(on_grid)),
            };
            let exact = compared.exact.as_deref().unwrap_or_default();
            let shades = shades(here.found.iter().chain(exact).copied());
            let mut row = vec![map(title("network"), on_grid(&here.found), shades.clone())];
            if let (Some(exact), Some(error)) = (&compared.exact, compared.error()) {
                row.push(map(title("reference"), place(exact), shades));
                row.push(map(title("|error|"), place(&error), error_shades(&error)));
            }
            rows.push(row);
        }
    }
    if rows.iter().all(|row| row.len() == 1) {
        rows = rows.into_iter().flatten().collect::<Vec<_>>().chunks(COLUMNS).map(<[_]>::to_vec).collect();
    }
    let (width, height) = frame(across, up);
    let sheet = |rows: &[Vec<Panel>]| Sheet {
        title: problem.title.clone(),
        note: join_notes(note, &slices.note),
        legend: Vec::new(),
        width,
        rows: rows.iter().map(|panels| Row { height, panels: panels.clone() }).collect(),
    };
    Ok(rows.chunks(ROWS).map(sheet).collect())
}

/// Width and height of a frame: true to scale where both coordinates are lengths of like size.
fn frame(across: &Coordinate, up: &Coordinate) -> (f64, f64) {
    const WIDTH: f64 = 400.0;
    const HIGHEST: f64 = 420.0;
    const LEAST: f64 = 150.0;
    if across.role != Role::Space || up.role != Role::Space {
        return (WIDTH, 300.0);
    }
    let height = WIDTH * (up.high - up.low) / (across.high - across.low);
    match height {
        height if height > HIGHEST => ((WIDTH * HIGHEST / height).max(LEAST), HIGHEST),
        height => (WIDTH, height.max(LEAST)),
    }
}
