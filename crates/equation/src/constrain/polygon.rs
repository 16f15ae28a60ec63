//! What the sides of a convex polygon prescribe, as one function that is smooth inside and in the corners.
//!
//! At a corner, what both of its sides prescribe, each carried along the direction of the other, less the value in the corner
//! itself, has the values of both on both (Coons 1967). Wachspress' coordinates (1975) blend these functions: on a side only
//! those of its two ends are not zero, and they add up to one.

use super::claim::SurfaceDatum;
use crate::expression::{Expression, Leaf, Pool};
use crate::problem::{Geometry, Problem, largest, places, surface_places};

/// Ends of sides this close, as a share of the polygon's size, are one corner.
const TOGETHER: f64 = 1e-9;

/// Sides of a polygon: products of all their levels would be long ones.
const MOST_SIDES: usize = 16;

/// One side, with the inside to its left.
#[derive(Clone)]
struct Side {
    surface: usize,
    from: [f64; 2],
    to: [f64; 2],
    prescribed: Option<Expression>,
}

/// Why sides have no function.
pub(super) enum NotBlended {
    /// They are not the sides of one convex polygon.
    NoPolygon,
    /// Two of them prescribe different values where they meet; one of them.
    Differ {
        /// Which piece of the boundary.
        surface: usize,
    },
}

/// A function that has the values of these pieces of the boundary, if they are sides of one convex polygon. Nothing but their values
/// on the sides enters it. Values in a corner may differ by `tolerance` of the larger one.
pub(super) fn blended(
    pool: &mut Pool,
    problem: &Problem,
    own: &[(usize, SurfaceDatum)],
    tolerance: f64,
) -> Result<Expression, NotBlended> {
    // Sides that move have no corners that a formula could name.
    let fixed = |geometry: &&Geometry| own.iter().all(|(_, datum)| !geometry.moves(pool, datum.surface));
    let geometry = problem.domain.geometry.as_ref().filter(fixed).ok_or(NotBlended::NoPolygon)?;
    let sides = sides(geometry, own).ok_or(NotBlended::NoPolygon)?;
    let count = sides.len();
    let axes = [geometry.axes[0], geometry.axes[1]];
    let before = |corner: usize| &sides[(corner + count - 1) % count];
    let levels: Vec<Expression> = sides.iter().map(|side| side.level(pool, axes)).collect();
    let mut blend = Vec::new();
    let mut weights = Vec::new();
    for (corner, side) in sides.iter().enumerate() {
        let weight = side.area_after(before(corner));
        let others = levels.iter().enumerate();
        let others = others.filter(|(other, _)| *other != corner && (*other + 1) % count != corner);
        let mut factors: Vec<Expression> = others.map(|(_, level)| *level).collect();
        factors.push(pool.number(weight));
        let weight = pool.product(&factors);
        weights.push(weight);
        if let Some(function) = at_corner(pool, problem, axes, (before(corner), side), tolerance)? {
            blend.push(pool.multiply(weight, function));
        }
    }
    let (blend, weights) = (pool.sum(&blend), pool.sum(&weights));
    let function = pool.divide(blend, weights);
    // Carried beyond a side, a formula may be no number.
    let mut inside = places(&problem.domain, &[]);
    inside.retain(|place| problem.domain.contains(place));
    match largest(pool, function, &inside).1.is_finite() {
        true => Ok(function),
        false => Err(NotBlended::NoPolygon),
    }
}

/// What has the values of both sides of a corner; `None` where neither prescribes any.
fn at_corner(
    pool: &mut Pool,
    problem: &Problem,
    axes: [usize; 2],
    (one, other): (&Side, &Side),
    tolerance: f64,
) -> Result<Option<Expression>, NotBlended> {
    let carried = |pool: &mut Pool, side: &Side, along: &Side| {
        side.prescribed.map(|function| side.carried(pool, axes, function, along.direction()))
    };
    let (first, second) = (carried(pool, one, other), carried(pool, other, one));
    let (Some(first), Some(second)) = (first, second) else { return Ok(first.or(second)) };
    let mut ends =
        [one, other].map(|side| side.prescribed.map(|function| fixed(pool, axes, function, other.from)));
    let (Some(end), Some(same)) = (ends[0].take(), ends[1].take()) else { return Ok(None) };
    let differ = pool.subtract(end, same);
    // At any time, and for any parameter.
    let places = surface_places(&problem.domain, other.surface);
    let size = largest(pool, end, &places).1.max(largest(pool, same, &places).1);
    if largest(pool, differ, &places).1 > tolerance * size.max(f64::MIN_POSITIVE) {
        return Err(NotBlended::Differ { surface: other.surface });
    }
    Ok(Some(pool.combine(&[(first, 1.0), (second, 1.0), (end, -1.0)])))
}

impl Side {
    /// As long as one.
    fn direction(&self) -> [f64; 2] {
        let along = [self.to[0] - self.from[0], self.to[1] - self.from[1]];
        along.map(|value| value / self.length())
    }

    fn length(&self) -> f64 {
        (self.to[0] - self.from[0]).hypot(self.to[1] - self.from[1])
    }

    /// Twice the area of the triangle of this side and the one before, over the lengths of both.
    fn area_after(&self, before: &Side) -> f64 {
        let ([a, b], [c, d]) = (before.direction(), self.direction());
        a * d - b * c
    }

    /// The distance from the side's line, positive inside.
    fn level(&self, pool: &mut Pool, axes: [usize; 2]) -> Expression {
        let [along, up] = self.direction();
        let [x, y] = axes.map(|axis| pool.leaf(Leaf::Coordinate(axis as u16)));
        let constant = pool.number(up * self.from[0] - along * self.from[1]);
        pool.combine(&[(x, -up), (y, along), (constant, 1.0)])
    }

    /// A function of the side at the place of its line that is reached in this direction.
    fn carried(
        &self,
        pool: &mut Pool,
        axes: [usize; 2],
        function: Expression,
        direction: [f64; 2],
    ) -> Expression {
        let [along, up] = self.direction();
        let slope = along * direction[1] - up * direction[0];
        let level = self.level(pool, axes);
        let moved: Vec<Expression> = (0..2)
            .map(|place| {
                let own = pool.leaf(Leaf::Coordinate(axes[place] as u16));
                pool.combine(&[(own, 1.0), (level, -direction[place] / slope)])
            })
            .collect();
        replaced(pool, axes, function, [moved[0], moved[1]])
    }
}

/// A function at one place of the plane.
fn fixed(pool: &mut Pool, axes: [usize; 2], function: Expression, place: [f64; 2]) -> Expression {
    let place = place.map(|value| pool.number(value));
    replaced(pool, axes, function, place)
}

fn replaced(pool: &mut Pool, axes: [usize; 2], function: Expression, by: [Expression; 2]) -> Expression {
    pool.substitute(function, &mut |_, leaf| {
        let axis = axes.iter().position(|&axis| leaf == Leaf::Coordinate(axis as u16))?;
        Some(by[axis])
    })
}

/// All sides of the polygon of which these pieces are some, anticlockwise; `None` where that is no convex polygon.
fn sides(geometry: &Geometry, own: &[(usize, SurfaceDatum)]) -> Option<Vec<Side>> {
    let pieces = geometry.solid.pieces();
    let primitive = pieces[own.first()?.1.surface].primitive();
    let straight = |surface: usize| pieces[surface].level().is_some_and(|level| level.is_plane());
    let belongs = |surface: usize| pieces[surface].primitive() == primitive && straight(surface);
    if geometry.axes.len() != 2 || !own.iter().all(|(_, datum)| belongs(datum.surface)) {
        return None;
    }
    let mut left: Vec<Side> = (0..pieces.len())
        .filter(|&surface| belongs(surface))
        .map(|surface| {
            let end = |unit: f64| {
                let (mut point, mut normal) = ([0.0; 2], [0.0; 2]);
                pieces[surface].place(&[unit], &mut point, &mut normal);
                point
            };
            let datum = own.iter().find(|(_, datum)| datum.surface == surface);
            Side { surface, from: end(0.0), to: end(1.0), prescribed: datum.map(|(_, datum)| datum.data) }
        })
        .collect();
    if !(3..=MOST_SIDES).contains(&left.len()) {
        return None;
    }
    let size = left.iter().map(Side::length).fold(0.0, f64::max);
    let near =
        |one: [f64; 2], other: [f64; 2]| (one[0] - other[0]).hypot(one[1] - other[1]) <= TOGETHER * size;
    let mut loop_of = vec![left.swap_remove(0)];
    while !left.is_empty() {
        let end = loop_of[loop_of.len() - 1].to;
        let next = left.iter().position(|side| near(side.from, end) || near(side.to, end))?;
        let mut side = left.swap_remove(next);
        if !near(side.from, end) {
            std::mem::swap(&mut side.from, &mut side.to);
        }
        loop_of.push(side);
    }
    let closed = near(loop_of[0].from, loop_of[loop_of.len() - 1].to);
    let count = loop_of.len();
    let turns = |side: usize| loop_of[(side + 1) % count].area_after(&loop_of[side]);
    if !closed {
        return None;
    }
    if (0..count).all(|side| turns(side) < -TOGETHER) {
        loop_of.reverse();
        loop_of.iter_mut().for_each(|side| std::mem::swap(&mut side.from, &mut side.to));
        return Some(loop_of);
    }
    (0..count).all(|side| turns(side) > TOGETHER).then_some(loop_of)
}
