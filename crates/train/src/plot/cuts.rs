//! Fields along lines.

use super::axis::Axis;
use super::look::{legend, network_pen, padded, reference_pen};
use super::pictures::join_notes;
use super::slices::{Slices, at, fixed_note, places_along};
use super::subject::{Sampled, Subject};
use super::ticks::written;
use super::{Curve, Curves, Panel, Resolution, Row, Sheet};
use crate::TrainError;
use equation::problem::{Coordinate, Role};
use kernel::Points;

/// Rows of panels on one sheet; more go to further sheets.
const ROWS: usize = 6;

/// Draws every unknown along one coordinate at some places of another: along space at times, if there is
/// time. Nothing for a problem with a single coordinate.
pub(super) fn cuts(
    subject: Subject<'_>,
    resolution: &Resolution,
    note: &str,
) -> Result<Vec<Sheet>, TrainError> {
    let problem = subject.experiment.problem();
    let coordinates = &problem.domain.coordinates;
    let Some(slices) = Slices::of(problem) else { return Ok(Vec::new()) };
    let (fixed, along) = match coordinates[slices.up].role {
        Role::Time => (slices.up, slices.across),
        Role::Space | Role::Parameter => (slices.across, slices.up),
    };
    let middle: Vec<f64> = coordinates.iter().map(|coordinate| at(coordinate, 0.5)).collect();
    let places = places_along(&coordinates[along], resolution.count(problem, along));
    let cuts = cut_places(&coordinates[fixed]);
    let sampled = cuts
        .iter()
        .map(|&value| {
            let mut points = Points::new(middle.len());
            let mut row = middle.clone();
            row[fixed] = value;
            for &place in &places {
                row[along] = place;
                points.push(&row);
            }
            subject.sample(&points)
        })
        .collect::<Result<Vec<_>, TrainError>>()?;

    let mut compared = false;
    let mut rows = Vec::new();
    for (unknown, name) in problem.unknowns.iter().map(|unknown| unknown.name.as_str()).enumerate() {
        let all = sampled.iter().map(|cut| &cut[unknown]);
        let values = all.flat_map(|cut| cut.found.iter().chain(cut.exact.iter().flatten()));
        let y = padded(name, values.copied());
        let panel = |(&value, cut): (&f64, &Vec<_>)| {
            let curve = |name: &str, values: &[f64], pen| Curve {
                name: name.to_owned(),
                points: places.iter().copied().zip(values.iter().copied()).collect(),
                pen,
            };
            let here: &Sampled = &cut[unknown];
            let mut curves = vec![curve("network", &here.found, network_pen())];
            curves.extend(here.exact.as_ref().map(|exact| curve("reference", exact, reference_pen())));
            Panel::Curves(Curves {
                title: format!("{} = {}", coordinates[fixed].name, written(value)),
                x: Axis::linear(&coordinates[along].name, coordinates[along].low, coordinates[along].high),
                y: y.clone(),
                curves,
                marks: Vec::new(),
                legend: false,
            })
        };
        compared |= sampled.iter().any(|cut| cut[unknown].exact.is_some());
        rows.push(Row { height: 280.0, panels: cuts.iter().zip(&sampled).map(panel).collect() });
    }
    let others: Vec<usize> = (0..middle.len()).filter(|&axis| axis != fixed && axis != along).collect();
    let note = join_notes(note, &fixed_note(problem, others.iter(), &middle));
    let sheet = |rows: &[Row]| Sheet {
        title: problem.title.clone(),
        note: note.clone(),
        legend: legend(compared),
        width: 310.0,
        rows: rows.to_vec(),
    };
    Ok(rows.chunks(ROWS).map(sheet).collect())
}

/// Where cuts are made.
fn cut_places(coordinate: &Coordinate) -> Vec<f64> {
    let shares: &[f64] = match coordinate.role {
        // The start is what was given, the end is the farthest from it.
        Role::Time => &[0.25, 0.5, 0.75, 1.0],
        Role::Space | Role::Parameter => &[0.25, 0.5, 0.75],
    };
    shares.iter().map(|&share| at(coordinate, share)).collect()
}
