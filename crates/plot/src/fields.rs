//! Fields over two coordinates, each beside its reference and its error.

use super::axis::Axis;
use super::interface;
use super::look::{Shades, clipped_note, error_shades, shades};
use super::pictures::join_notes;
use super::slices::{Slices, places_along, shown};
use super::subject::{Sampled, Subject};
use super::{Cutout, Map, Panel, Resolution, Row, Samples, Sheet};
use crate::PlotError;
use equation::problem::{Coordinate, Problem, Role};

/// Rows of maps on one sheet; more go to further sheets.
const ROWS: usize = 6;

/// Panels side by side where nothing is compared.
const COLUMNS: usize = 3;

/// Wider frames, in pixels, stand one below the other.
const WIDE: f64 = 600.0;

/// Draws every unknown over the slices of its domain.
pub(super) fn fields(
    subject: Subject<'_>,
    resolution: &Resolution,
    slices: &Slices,
    note: &str,
) -> Result<Vec<Sheet>, PlotError> {
    let problem = subject.experiment.problem();
    let coordinates = shown(problem);
    let [across, up] = [slices.across, slices.up].map(|axis| &coordinates[axis]);
    let (xs, ys) = (
        places_along(across, resolution.count(problem, slices.across)),
        places_along(up, resolution.count(problem, slices.up)),
    );
    let places = (slices.places.len() * xs.len()) as f64 * ys.len() as f64;
    subject.experiment.check_places(places, 2 * problem.unknowns.len())?;
    let sampled = slices
        .places
        .iter()
        .map(|(place, name)| Ok((name, subject.sample(&slices.points(place, &xs, &ys))?)))
        .collect::<Result<Vec<_>, PlotError>>()?;
    let (width, height) = frame(problem, across, up);
    let [x, y] =
        [across, up].map(|coordinate| Axis::linear(&coordinate.name, coordinate.low, coordinate.high));
    let cutouts: Vec<Option<Cutout>> = slices
        .places
        .iter()
        .map(|(place, _)| Cutout::of(problem, place, (slices.across, slices.up), (&x, &y), (width, height)))
        .collect();
    let interfaces: Vec<interface::Lines> = slices
        .places
        .iter()
        .map(|(place, _)| {
            let axes = (slices.across, slices.up);
            interface::lines(subject.experiment, place, axes, (&x, &y), (width, height))
        })
        .collect();
    let map = |title: String, samples: Samples, shades: Shades, slice: usize| {
        let (x, y, cutout) = (x.clone(), y.clone(), cutouts[slice].clone());
        let Shades { range, colours, .. } = shades;
        let interfaces = interfaces[slice].clone();
        Panel::Map(Map { title, x, y, samples, range, colours, cutout, interfaces, marks: Vec::new() })
    };
    let on_grid = |values: &[f64]| Samples::Grid { xs: xs.clone(), ys: ys.clone(), values: values.to_vec() };

    let (mut rows, mut alone): (Vec<Vec<Panel>>, Vec<Panel>) = (Vec::new(), Vec::new());
    let mut clipped = Vec::new();
    for (unknown, name) in problem.unknowns.iter().map(|unknown| unknown.name.as_str()).enumerate() {
        // A table says nothing about slices: where would its points lie?
        let table = if problem.domain.len() == 2 { subject.sample_table(unknown)? } else { None };
        let compared: Vec<&Sampled> = match &table {
            Some((_, compared)) => vec![compared],
            None => sampled.iter().map(|(_, here)| &here[unknown]).collect(),
        };
        let place = |values: &[f64]| match &table {
            Some((points, _)) => Samples::at(points, values),
            None => on_grid(values),
        };
        // All slices of an unknown share their colours, so that they compare.
        let errors: Vec<Option<Vec<f64>>> = compared.iter().map(|compared| compared.error()).collect();
        let found = sampled.iter().flat_map(|(_, here)| &here[unknown].found);
        let exact = compared.iter().flat_map(|compared| compared.exact.iter().flatten());
        let shades = shades(found.chain(exact).copied());
        clipped.extend(shades.clipped.then_some(name));
        let error_shades = error_shades(errors.iter().flatten().flatten().copied());
        for (position, (((slice, here), compared), error)) in
            sampled.iter().zip(compared).zip(&errors).enumerate()
        {
            let title = |what: &str| match slice.is_empty() {
                true => format!("{name}: {what}"),
                false => format!("{name} at {slice}: {what}"),
            };
            let network = map(title("network"), on_grid(&here[unknown].found), shades.clone(), position);
            match (&compared.exact, error) {
                (Some(exact), Some(error)) => rows.push(vec![
                    network,
                    map(title("reference"), place(exact), shades.clone(), position),
                    map(title("|error|"), place(error), error_shades.clone(), position),
                ]),
                _ => alone.push(network),
            }
        }
    }
    rows.extend(alone.chunks(COLUMNS).map(<[_]>::to_vec));
    let note = join_notes(note, &clipped_note(&clipped));
    if width > WIDE {
        rows = rows.into_iter().flatten().map(|panel| vec![panel]).collect();
    }
    let sheet = |rows: &[Vec<Panel>]| Sheet {
        title: problem.title.clone(),
        note: join_notes(&note, &slices.note),
        legend: Vec::new(),
        width,
        rows: rows.iter().map(|panels| Row { height, panels: panels.clone() }).collect(),
    };
    Ok(rows.chunks(ROWS).map(sheet).collect())
}

/// Width and height of a frame: true to scale where both coordinates are lengths of like size, and of whatever size where they
/// are those of a shape, which nobody knows again when it is squashed.
pub(super) fn frame(problem: &Problem, across: &Coordinate, up: &Coordinate) -> (f64, f64) {
    const WIDTH: f64 = 400.0;
    const HIGHEST: f64 = 420.0;
    const LEAST: f64 = 150.0;
    if across.role != Role::Space || up.role != Role::Space {
        return (WIDTH, 300.0);
    }
    let ratio = (up.high - up.low) / (across.high - across.low);
    if problem.domain.geometry.is_some() {
        return frame_of_shape(ratio);
    }
    match WIDTH * ratio {
        height if height > HIGHEST => ((WIDTH * HIGHEST / height).max(LEAST), HIGHEST),
        height => (WIDTH, height.max(LEAST)),
    }
}

/// The same by the height of a shape in terms of its width.
fn frame_of_shape(ratio: f64) -> (f64, f64) {
    /// Side of a square.
    const SIDE: f64 = 400.0;
    const LONGEST: f64 = 720.0;
    /// Numbers and colour bars need some room: what is thinner than this is squashed after all.
    const LEAST: f64 = 70.0;
    let longer = |ratio: f64| (SIDE / ratio.sqrt()).min(LONGEST).round();
    match ratio {
        ratio if ratio > 1.0 => {
            let height = longer(1.0 / ratio);
            ((height / ratio).max(LEAST), height)
        }
        ratio => {
            let width = longer(ratio);
            (width, (width * ratio).max(LEAST))
        }
    }
}
