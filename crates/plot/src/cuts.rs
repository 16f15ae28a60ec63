//! Fields along lines.

use super::axis::Axis;
use super::look::{legend, network_pen, padded, reference_pen};
use super::pictures::join_notes;
use super::slices::{Slices, at, fixed_note, places_along, shown};
use super::subject::{Sampled, Subject};
use super::ticks::written;
use super::{Curve, Curves, Panel, Resolution, Row, Sheet};
use crate::PlotError;
use equation::problem::Role;
use pinnace::Points;

/// Rows of panels on one sheet; more go to further sheets.
const ROWS: usize = 6;

/// Draws every unknown along one coordinate at some places of another: along space at times, if there is
/// time. Nothing for a problem with a single coordinate.
pub(super) fn cuts(
    subject: Subject<'_>,
    resolution: &Resolution,
    note: &str,
) -> Result<Vec<Sheet>, PlotError> {
    let problem = subject.experiment.problem();
    let coordinates = &shown(problem);
    let Some(slices) = Slices::of(problem, resolution) else { return Ok(Vec::new()) };
    let is_fixed = |axis: usize| resolution.value(axis).is_some();
    let is_time = coordinates[slices.up].role == Role::Time;
    let (fixed, along) = if is_fixed(slices.up) || (is_time && !is_fixed(slices.across)) {
        (slices.up, slices.across)
    } else {
        (slices.across, slices.up)
    };
    let places = places_along(&coordinates[along], resolution.count(problem, along));
    let lines = |shares: Shares| Lines::sample(subject, resolution, (fixed, along), &places, shares);
    let (usual, aside) = (lines(USUAL)?, lines(ASIDE)?);
    let Lines { cuts, rest, sampled } = if usual.vanish_beside(&aside) { aside } else { usual };

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
    let others: Vec<usize> = (0..rest.len()).filter(|&axis| axis != fixed && axis != along).collect();
    let note = join_notes(note, &fixed_note(problem, others.iter(), &rest));
    let sheet = |rows: &[Row]| Sheet {
        title: problem.title.clone(),
        note: note.clone(),
        legend: legend(compared),
        width: 310.0,
        rows: rows.to_vec(),
    };
    Ok(rows.chunks(ROWS).map(sheet).collect())
}

/// Where cuts are made, in shares of the intervals.
#[derive(Clone, Copy)]
struct Shares {
    /// Of the coordinate that they fix; the end of time is always one of its places.
    cuts: [f64; 3],
    /// Of the coordinates that are not shown.
    rest: f64,
}

const USUAL: Shares = Shares { cuts: [0.25, 0.5, 0.75], rest: 0.5 };

/// For fields that vanish there, as waves do at their nodes.
const ASIDE: Shares = Shares { cuts: [0.3, 0.55, 0.8], rest: 0.3 };

/// Fields this much smaller than elsewhere vanish.
const VANISHING: f64 = 0.01;

/// All unknowns along some lines.
struct Lines {
    /// The values of the coordinate that each line fixes.
    cuts: Vec<f64>,
    /// Where the other coordinates rest.
    rest: Vec<f64>,
    /// Every unknown on every line.
    sampled: Vec<Vec<Sampled>>,
}

impl Lines {
    fn sample(
        subject: Subject<'_>,
        resolution: &Resolution,
        (fixed, along): (usize, usize),
        places: &[f64],
        shares: Shares,
    ) -> Result<Self, PlotError> {
        let coordinates = &shown(subject.experiment.problem());
        let mut cuts = shares.cuts.map(|share| at(&coordinates[fixed], share)).to_vec();
        if let Some(value) = resolution.value(fixed) {
            cuts = vec![value];
        } else if coordinates[fixed].role == Role::Time {
            // The start is what was given, the end is the farthest from it.
            cuts.push(coordinates[fixed].high);
        }
        let rest: Vec<f64> = (0..coordinates.len())
            .map(|axis| resolution.value(axis).unwrap_or_else(|| at(&coordinates[axis], shares.rest)))
            .collect();
        let line = |&value: &f64| {
            let mut points = Points::new(rest.len());
            let mut row = rest.clone();
            row[fixed] = value;
            for &place in places {
                row[along] = place;
                points.push(&row);
            }
            subject.sample(&points)
        };
        let sampled = cuts.iter().map(line).collect::<Result<Vec<_>, PlotError>>()?;
        Ok(Lines { cuts, rest, sampled })
    }

    /// Whether an unknown is nothing on these lines that is something on others.
    fn vanish_beside(&self, others: &Lines) -> bool {
        let unknowns = self.sampled.first().map_or(0, Vec::len);
        (0..unknowns).any(|unknown| self.largest(unknown) < VANISHING * others.largest(unknown))
    }

    /// The largest size of the reference of an unknown, or of what was found where there is none.
    fn largest(&self, unknown: usize) -> f64 {
        let lines = self.sampled.iter().map(|line| &line[unknown]);
        let values = lines.flat_map(|line| line.exact.as_ref().unwrap_or(&line.found));
        values.fold(0.0, |largest, value| value.abs().max(largest))
    }
}
