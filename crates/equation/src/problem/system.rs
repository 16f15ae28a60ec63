//! Coordinates that are not Cartesian: what `laplacian`, `grad`, `div` and integrals mean in them.

use crate::expression::{Expression, Function, Leaf, Pool};
use std::f64::consts::PI;

/// What the space coordinates are, in the order of the file. Fields do not depend on coordinates that are left out.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum CoordinateSystem {
    /// Straight, at right angles.
    #[default]
    Cartesian,
    /// A radius and an angle in the plane, or the radius alone.
    Polar,
    /// A distance from an axis and a place along it.
    Axisymmetric,
    /// A distance from an axis, an angle around it and a place along it.
    Cylindrical,
    /// A radius, an angle from an axis and one around it; or the first two, or the radius alone.
    Spherical,
}

/// Powers of the radius and of the sine of the angle from the axis.
type Powers = (i32, i32);

impl CoordinateSystem {
    /// All of them, by name.
    pub const ALL: [(&'static str, CoordinateSystem); 5] = [
        ("cartesian", CoordinateSystem::Cartesian),
        ("polar", CoordinateSystem::Polar),
        ("axisymmetric", CoordinateSystem::Axisymmetric),
        ("cylindrical", CoordinateSystem::Cylindrical),
        ("spherical", CoordinateSystem::Spherical),
    ];

    /// As the file calls it.
    pub fn name(self) -> &'static str {
        let found = CoordinateSystem::ALL.into_iter().find(|(_, system)| *system == self);
        found.map_or("cartesian", |(name, _)| name)
    }

    /// The numbers of space coordinates that it may have, and what they are.
    pub(crate) fn coordinates(self) -> (std::ops::RangeInclusive<usize>, &'static str) {
        match self {
            CoordinateSystem::Cartesian => (0..=usize::MAX, "any"),
            CoordinateSystem::Polar => (1..=2, "a radius and, where fields depend on it, an angle"),
            CoordinateSystem::Axisymmetric => (2..=2, "a distance from the axis and a place along it"),
            CoordinateSystem::Cylindrical => {
                (3..=3, "a distance from the axis, an angle and a place along the axis")
            }
            CoordinateSystem::Spherical => (1..=3, "a radius, an angle from the axis and one around it"),
        }
    }

    /// The length of a small step along each of `count` coordinates, and the volume of a small box.
    fn lengths(self, count: usize) -> (Vec<Powers>, Powers) {
        let (all, volume): (&[Powers], Powers) = match self {
            CoordinateSystem::Cartesian => return (vec![(0, 0); count], (0, 0)),
            CoordinateSystem::Polar => (&[(0, 0), (1, 0)], (1, 0)),
            CoordinateSystem::Axisymmetric => (&[(0, 0), (0, 0)], (1, 0)),
            CoordinateSystem::Cylindrical => (&[(0, 0), (1, 0), (0, 0)], (1, 0)),
            CoordinateSystem::Spherical if count == 1 => (&[(0, 0)], (2, 0)),
            CoordinateSystem::Spherical => (&[(0, 0), (1, 0), (1, 1)], (2, 1)),
        };
        (all[..count.min(all.len())].to_vec(), volume)
    }

    /// What fields that do not depend on coordinates that are left out count for.
    fn around(self, count: usize) -> f64 {
        match (self, count) {
            (CoordinateSystem::Polar, 1)
            | (CoordinateSystem::Axisymmetric, _)
            | (CoordinateSystem::Spherical, 2) => 2.0 * PI,
            (CoordinateSystem::Spherical, 1) => 4.0 * PI,
            _ => 1.0,
        }
    }

    /// The volume of a small box at a place, or the area of its side across a coordinate.
    pub(crate) fn measure(self, space: &[usize], place: &[f64], across: Option<usize>) -> f64 {
        let (lengths, volume) = self.lengths(space.len());
        let side = across.and_then(|axis| space.iter().position(|&own| own == axis));
        let (radius, sine) =
            side.map_or(volume, |side| (volume.0 - lengths[side].0, volume.1 - lengths[side].1));
        let value = |position: usize| space.get(position).map_or(1.0, |&axis| place[axis]);
        self.around(space.len()) * value(0).powi(radius) * value(1).sin().powi(sine)
    }

    /// Of every coordinate one over the length of a small step, as an expression.
    pub(crate) fn inverse_lengths(self, pool: &mut Pool, space: &[usize]) -> Vec<Expression> {
        let (lengths, _) = self.lengths(space.len());
        lengths.into_iter().map(|(radius, sine)| power(pool, space, (-radius, -sine))).collect()
    }

    /// Of every coordinate the relative change along it of volume over a power of the length of a step.
    pub(crate) fn spread(self, pool: &mut Pool, space: &[usize], exponent: i32) -> Vec<Expression> {
        let (lengths, volume) = self.lengths(space.len());
        let each = lengths.into_iter().zip(space).map(|((radius, sine), &axis)| {
            let ratio = (volume.0 - exponent * radius, volume.1 - exponent * sine);
            let (ratio, whole) = (power(pool, space, ratio), power(pool, space, volume));
            let slope = pool.differentiate(ratio, axis);
            pool.powers(&[(slope, 1.0), (whole, -1.0)])
        });
        each.collect()
    }
}

fn power(pool: &mut Pool, space: &[usize], (radius, sine): Powers) -> Expression {
    let mut factors = Vec::new();
    if radius != 0 {
        factors.push((pool.leaf(Leaf::Coordinate(space[0] as u16)), f64::from(radius)));
    }
    if sine != 0 {
        let angle = pool.leaf(Leaf::Coordinate(space[1] as u16));
        factors.push((pool.apply(Function::Sin, angle), f64::from(sine)));
    }
    pool.powers(&factors)
}
