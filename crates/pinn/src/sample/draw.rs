//! All points of a plan for one phase of training.

use super::inside::{self, InteriorWish};
use super::{PointSequence, condition, in_box};
use crate::TrainError;
use crate::table::Tables;
use equation::counter::Stream;
use equation::problem::{Coordinate, Problem, Sampler};
use equation::taylor::{Plan, Row, Source, Term};
use kernel::Points;
use std::borrow::Cow;
use std::ops::Range;

/// Families of random numbers that belong to sampling: their names start with these bits, so that no
/// other user of the seed meets them.
const STREAMS: u64 = 0x5a << 56;

/// The family that the seeds of later draws come from.
pub(super) const SEEDS: u64 = 0x5b << 56;

/// Which points to draw.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Draw {
    /// In which way.
    pub sampler: Sampler,
    /// Everything random follows from it.
    pub seed: u64,
    /// Which draw of the run, from 0: each has points of its own.
    pub number: u64,
    /// Points inside the domain.
    pub interior: usize,
}

impl Draw {
    /// The random numbers for `part` of the term at `position`.
    fn stream(&self, position: usize, part: usize) -> Stream {
        let seed = match self.number {
            0 => self.seed,
            later => Stream::new(self.seed, SEEDS).bits(later),
        };
        Stream::new(seed, Self::stream_name(position, part))
    }

    /// The name of that stream.
    pub(super) fn stream_name(position: usize, part: usize) -> u64 {
        STREAMS | (position as u64) << 24 | part as u64
    }
}

/// From (0, 1) to the coordinate's interval.
#[inline(always)]
pub(crate) fn affine(coordinate: &Coordinate, unit: f64) -> f64 {
    coordinate.low + (coordinate.high - coordinate.low) * unit
}

/// Draws points inside the domain, each condition's own number on it, and takes every row of every data
/// table. A pure function of its arguments: one set per term of the plan.
pub fn draw(problem: &Problem, plan: &Plan, tables: &Tables, draw: Draw) -> Result<Vec<Points>, TrainError> {
    draw_part(problem, plan, tables, draw, 0..draw.interior)
}

/// The part of a draw that has these of its points inside; all others belong to the part that begins with the first. A late part
/// costs no more than an early one of the same length; on a shape, once the candidates before it were counted.
pub fn draw_part(
    problem: &Problem,
    plan: &Plan,
    tables: &Tables,
    draw: Draw,
    part: Range<usize>,
) -> Result<Vec<Points>, TrainError> {
    plan.terms
        .iter()
        .enumerate()
        .map(|(position, term)| {
            let points = points_of(problem, tables, draw, part.clone(), (position, term))?;
            Ok(completed(problem, term, points))
        })
        .collect()
}

/// A part of the points inside of a draw, as [`draw_part`] has them.
pub(crate) fn draw_inside(
    problem: &Problem,
    (position, term): (usize, &Term),
    draw: Draw,
    part: Range<usize>,
) -> Result<Points, TrainError> {
    Ok(completed(problem, term, inside(problem, term.row, draw, part, draw.stream(position, 0))?))
}

/// Some points inside, out of those of a draw: ranges of them one after the other. In a box all ranges cost the same for a
/// point; in a shape long ones do.
pub(crate) fn draw_ranges(
    problem: &Problem,
    (position, term): (usize, &Term),
    draw: Draw,
    ranges: &[Range<u64>],
) -> Result<Points, TrainError> {
    let stream = draw.stream(position, 0);
    let ranges = ranges.iter().map(|range| range.start as usize..range.end as usize);
    let points = if problem.domain.geometry.is_some() {
        let parts = ranges.map(|part| inside(problem, term.row, draw, part, stream));
        let parts: Vec<Points> = parts.collect::<Result<_, _>>()?;
        Points::from_rows(term.row.width(), parts.iter().flat_map(Points::iter).flatten().copied().collect())
    } else {
        let (dimensions, width) = (problem.domain.len(), term.row.width());
        let sequence = PointSequence::new(draw.sampler, dimensions, draw.interior, stream);
        let count: usize = ranges.clone().map(|range| range.len()).sum();
        let mut rows = vec![1.0; count * width];
        // One after the other: whoever asks is one of several threads that draw.
        for (index, row) in ranges.flatten().zip(rows.chunks_exact_mut(width)) {
            put_in_box(problem, &sequence, index, &mut row[..dimensions]);
        }
        Points::from_rows(width, rows)
    };
    Ok(completed(problem, term, points))
}

/// Puts a point of a sequence into the box.
fn put_in_box(problem: &Problem, sequence: &PointSequence, index: usize, place: &mut [f64]) {
    sequence.point(index as u64, place);
    for (value, coordinate) in place.iter_mut().zip(&problem.domain.coordinates) {
        *value = affine(coordinate, *value);
    }
}

/// Points of a term with all other places that it reads, and with its known functions.
pub(crate) fn completed(problem: &Problem, term: &Term, mut points: Points) -> Points {
    let elsewhere = elsewhere(problem, term);
    if !elsewhere.is_empty() {
        points.fill_sites(term.row, elsewhere);
    }
    match &term.given {
        Some(given) if points.width() == term.row.width() => points.fill_given(given),
        Some(given) => points = points.with_given(term.row, given),
        None => {}
    }
    points
}

/// Where else than at a point itself a term reads fields.
pub(super) fn elsewhere<'p>(problem: &'p Problem, term: &Term) -> &'p [Vec<(usize, f64)>] {
    match term.source {
        Source::Interior => &problem.elsewhere,
        Source::Condition(index) => &problem.conditions[index].elsewhere,
        Source::Data(_) | Source::Prediction => &[],
    }
}

/// The points of one term, whose known functions may be missing.
fn points_of(
    problem: &Problem,
    tables: &Tables,
    draw: Draw,
    part: Range<usize>,
    (position, term): (usize, &Term),
) -> Result<Points, TrainError> {
    match term.source {
        Source::Interior | Source::Prediction => {
            inside(problem, term.row, draw, part, draw.stream(position, 0))
        }
        Source::Condition(_) | Source::Data(_) if part.start > 0 => Ok(Points::new(term.row.width())),
        Source::Condition(index) => condition::draw(problem, index, term.row, |part, dimensions, count| {
            PointSequence::new(draw.sampler, dimensions, count, draw.stream(position, part))
        }),
        Source::Data(index) => Ok(tables.measurements(index).clone()),
    }
}

fn inside(
    problem: &Problem,
    row: Row,
    draw: Draw,
    part: Range<usize>,
    stream: Stream,
) -> Result<Points, TrainError> {
    let (sampler, width) = (draw.sampler, row.width());
    if let Some(geometry) = &problem.domain.geometry {
        let wish = InteriorWish { sampler, stream, whole: draw.interior.max(part.end), part, width };
        return Ok(Points::from_rows(width, inside::inside(&problem.domain, geometry, &wish)?));
    }
    let length = PointSequence::length(sampler);
    if draw.interior.max(part.end) as u64 > length {
        return Err(TrainError::SequenceEnds { sampler, length });
    }
    let sequence = PointSequence::new(sampler, problem.domain.len(), draw.interior, stream);
    let rows = in_box::rows(&problem.domain.coordinates, &sequence, part, width);
    Ok(Points::from_rows(width, rows))
}

/// The problem with no more points on its conditions than are enough to see whether these hold anywhere.
pub(crate) fn with_few_points(problem: &Problem) -> Cow<'_, Problem> {
    const ENOUGH: usize = 1 << 16;
    let stated = problem.conditions.iter().filter_map(|condition| condition.points);
    if stated.chain([problem.training.condition_points]).all(|points| points <= ENOUGH) {
        return Cow::Borrowed(problem);
    }
    let mut fewer = problem.clone();
    fewer.training.condition_points = fewer.training.condition_points.min(ENOUGH);
    for condition in &mut fewer.conditions {
        condition.points = condition.points.map(|points| points.min(ENOUGH));
    }
    Cow::Owned(fewer)
}
