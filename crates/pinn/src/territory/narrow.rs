//! Places of a shape that are thinner than points are apart.

use super::short;
use equation::problem::Problem;
use geometry::{Piece, Solid};

/// Two walls that face each other at less than the distance of points.
struct Narrow {
    width: f64,
    /// A place on one wall, and the place on the other one that it faces.
    ends: [Vec<f64>; 2],
    /// The piece of the first.
    piece: usize,
}

/// A place on the boundary, with the outward normal.
struct Spot {
    piece: usize,
    point: Vec<f64>,
    normal: Vec<f64>,
}

/// Places on the boundary from which is looked, about as many in all, and the fewest on a piece; of more pieces than these,
/// every second, third and so on.
const PLACES: usize = 4096;
const FEWEST: usize = 8;
const MOST_PIECES: usize = 512;

/// Walls face each other where their normals are as far from opposite as the sides of a corner of 18 degrees: in a sharper corner,
/// too, hardly any point lies.
const FACING: f64 = 0.95;

/// Sentences about the thinnest place inside, the thinnest hole or gap, and the smallest part, where `points` points inside are farther
/// from each other.
pub(super) fn warnings(problem: &Problem, points: usize) -> Vec<String> {
    let Some(geometry) = problem.domain.geometry.as_ref().filter(|_| points > 0) else { return Vec::new() };
    let solid = &geometry.solid;
    let dimension = solid.dimension();
    let power = 1.0 / dimension as f64;
    let apart = (solid.measure().value / points as f64).powf(power);
    if dimension < 2 || !apart.is_finite() {
        return Vec::new();
    }
    let spots = spots(solid);
    let enough = |width: f64| rounded_up(solid.measure().value / width.powi(dimension as i32));
    let advice = |width: f64| {
        format!(
            "the {points} points of training are about {} apart, so that few or none lie there; `points = {}` in [training] \
             would be as near to each other",
            short(apart),
            enough(width)
        )
    };
    let near = |point: &[f64]| -> String {
        let numbers: Vec<String> = point.iter().map(|&number| short(number)).collect();
        format!("({})", numbers.join(", "))
    };
    let name = |piece: usize| solid.pieces()[piece].name();
    let mut lines = Vec::new();
    let mut told: Vec<&str> = Vec::new();
    for (sign, what) in [(-1.0, "the shape is only"), (1.0, "a hole or gap of the shape is only")] {
        let Some(Narrow { width, ends: [start, end], piece }) = narrowest(solid, &spots, sign, apart) else {
            continue;
        };
        let other = nearest(&spots, &end).unwrap_or(piece);
        let between = match name(piece) == name(other) {
            true => format!("at `{}`", name(piece)),
            false => format!("between `{}` and `{}`", name(piece), name(other)),
        };
        lines.push(format!(
            "{what} {} across {between} near {}: {}",
            short(width),
            near(&start),
            advice(width)
        ));
        told.extend([group(name(piece)), group(name(other))]);
    }
    // Of so many pieces that not all are looked at, nobody knows how large parts are.
    let all = solid.pieces().len() <= MOST_PIECES;
    let part = if all { smallest(solid, &spots) } else { None };
    if let Some((part, size)) = part.filter(|(part, size)| *size < apart && !told.contains(part)) {
        lines.push(format!("`{part}` is only about {} across: {}", short(size), advice(size)));
    }
    lines
}

fn spots(solid: &Solid) -> Vec<Spot> {
    let pieces = solid.pieces();
    let each = (PLACES / pieces.len().max(1)).max(FEWEST);
    let nth = pieces.len().div_ceil(MOST_PIECES).max(1);
    let chosen = pieces.iter().enumerate().step_by(nth);
    let on_piece = |(piece, own): (usize, &Piece)| {
        let place = move |index: usize| {
            let (mut point, mut normal) = (vec![0.0; solid.dimension()], vec![0.0; solid.dimension()]);
            own.place(&even(index, each)[..own.parameters()], &mut point, &mut normal);
            let sign = solid.outward(piece, &point, &normal)?;
            normal.iter_mut().for_each(|slope| *slope *= sign);
            Some(Spot { piece, point, normal })
        };
        (0..each).filter_map(place).collect::<Vec<_>>()
    };
    chosen.flat_map(on_piece).collect()
}

/// Place `index` of so many that are spread evenly over a line, or over a square by the first number and the golden ratio.
fn even(index: usize, count: usize) -> [f64; 2] {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    [(index as f64 + 0.5) / count as f64, (0.5 + GOLDEN * (index as f64 + 1.0)).fract()]
}

/// The shortest way, below `limit`, from a wall along its normal times a sign to a wall that faces it.
fn narrowest(solid: &Solid, spots: &[Spot], sign: f64, limit: f64) -> Option<Narrow> {
    let mut found: Option<Narrow> = None;
    for spot in spots {
        // Many walls may be as near to each other: the first of them is enough.
        let limit = found.as_ref().map_or(limit, |narrow| 0.99 * narrow.width);
        let at = |length: f64| -> Vec<f64> {
            spot.point.iter().zip(&spot.normal).map(|(value, slope)| value + sign * length * slope).collect()
        };
        let Some(width) = crossing(|length| solid.contains(&at(length)), sign > 0.0, limit) else { continue };
        let end = at(width);
        let slopes = slopes(solid, &end, width);
        let size = slopes.iter().map(|slope| slope * slope).sum::<f64>().sqrt();
        let along: f64 = slopes.iter().zip(&spot.normal).map(|(one, other)| one * other).sum();
        // At a corner of the other wall they are no slopes of a distance.
        if along.abs() > FACING * size && (size - 1.0).abs() < 0.05 {
            found = Some(Narrow { width, ends: [spot.point.clone(), end], piece: spot.piece });
        }
    }
    found
}

/// The first length up to a limit at which a set begins, or ends where it does not begin; small ones are looked at, too.
fn crossing(contains: impl Fn(f64) -> bool, begins: bool, limit: f64) -> Option<f64> {
    const STEPS: i32 = 32;
    let halves = (6..=12).rev().map(|half| limit * 0.5f64.powi(half));
    let lengths = halves.chain((1..=STEPS).map(|step| limit * f64::from(step) / f64::from(STEPS)));
    let mut before = 0.0;
    for length in lengths {
        if contains(length) == begins {
            let (mut low, mut high) = (before, length);
            for _ in 0..30 {
                let middle = 0.5 * (low + high);
                *if contains(middle) == begins { &mut high } else { &mut low } = middle;
            }
            return Some(high);
        }
        before = length;
    }
    None
}

/// How the distance from the boundary changes along each coordinate at a place beside a gap of this width.
fn slopes(solid: &Solid, place: &[f64], width: f64) -> Vec<f64> {
    let step = 1e-3 * width;
    let along = |axis: usize| {
        let at = |step: f64| {
            let mut place = place.to_vec();
            place[axis] += step;
            solid.signed_distance(&place)
        };
        (at(step) - at(-step)) / (2.0 * step)
    };
    (0..place.len()).map(along).collect()
}

/// The piece that has the nearest of some places.
fn nearest(spots: &[Spot], place: &[f64]) -> Option<usize> {
    let distance =
        |spot: &Spot| -> f64 { spot.point.iter().zip(place).map(|(one, other)| (one - other).powi(2)).sum() };
    spots.iter().min_by(|one, other| distance(one).total_cmp(&distance(other))).map(|spot| spot.piece)
}

/// The part with the smallest extent along a coordinate of those that lie on the boundary with all of their surface.
fn smallest<'s>(solid: &'s Solid, spots: &[Spot]) -> Option<(&'s str, f64)> {
    let mut sizes: Vec<(&str, Vec<[f64; 2]>)> = Vec::new();
    for spot in spots {
        let part = group(solid.pieces()[spot.piece].name());
        let position = sizes.iter().position(|(name, _)| *name == part).unwrap_or_else(|| {
            sizes.push((part, vec![[f64::INFINITY, f64::NEG_INFINITY]; solid.dimension()]));
            sizes.len() - 1
        });
        for ([low, high], value) in sizes[position].1.iter_mut().zip(&spot.point) {
            (*low, *high) = (low.min(*value), high.max(*value));
        }
    }
    let pieces = || solid.pieces().iter();
    let is_cut = |part: &str| pieces().any(|piece| group(piece.name()) == part && piece.left() < 1.0);
    let removed = |part: &str| solid.removed().iter().any(|name| group(name) == part);
    let size =
        |bounds: Vec<[f64; 2]>| bounds.iter().map(|[low, high]| high - low).fold(f64::INFINITY, f64::min);
    let whole = sizes.into_iter().filter(|(part, _)| !is_cut(part) && !removed(part));
    whole.map(|(part, bounds)| (part, size(bounds))).min_by(|one, other| one.1.total_cmp(&other.1))
}

/// The part that a piece is of: `fin.2` for `fin.2.top`, `fin.2` for `fin.2`.
fn group(piece: &str) -> &str {
    match piece.rsplit_once('.') {
        Some((part, last)) if !last.starts_with(|first: char| first.is_ascii_digit()) => part,
        _ => piece,
    }
}

/// A number of points with two digits, not below this.
fn rounded_up(number: f64) -> u64 {
    let unit = 10f64.powf((number.log10().floor() - 1.0).max(0.0));
    ((number / unit).ceil() * unit) as u64
}
