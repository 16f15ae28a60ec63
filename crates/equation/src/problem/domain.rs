//! Coordinates, and the part of space that a problem is about.

use super::{CoordinateSystem, ShapeFamily, Subdomain};
use geometry::Solid;
use std::sync::Arc;

/// The box on which the problem is posed.
#[derive(Clone, Debug)]
pub struct Domain {
    /// In the file's order, which is the network's input order.
    pub coordinates: Vec<Coordinate>,
    /// What the space coordinates are.
    pub system: CoordinateSystem,
    /// Where space is not the whole box.
    pub geometry: Option<Geometry>,
    /// Parts of space with solutions of their own.
    pub subdomains: Vec<Subdomain>,
}

/// The part of space that a problem is about.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// What lies inside, and the pieces of the boundary.
    pub solid: Arc<Solid>,
    /// The space coordinates, in the order of the shape's.
    pub axes: Vec<usize>,
    /// What should be known about the files that it was made of, a line each.
    pub notes: Vec<String>,
    /// Where its numbers depend on parameters: then `solid` is what it is at the middle of their ranges.
    pub family: Option<Arc<ShapeFamily>>,
}

impl Geometry {
    /// The space coordinates of a point.
    pub fn space(&self, place: &[f64]) -> Vec<f64> {
        self.axes.iter().map(|&axis| place[axis]).collect()
    }

    /// Whether a point, given by all coordinates, lies inside.
    pub fn contains(&self, place: &[f64]) -> bool {
        match &self.family {
            Some(family) => family.depth(place) > 0.0,
            None => self.solid.contains(&self.space(place)),
        }
    }

    /// About the distance of a point, given by all coordinates, from the boundary: negative inside.
    pub fn signed_distance(&self, place: &[f64]) -> f64 {
        match &self.family {
            Some(family) => -family.depth(place),
            None => self.solid.signed_distance(&self.space(place)),
        }
    }

    /// Whether a point lies inside or, up to rounding, on the boundary. Where a part that is cut out ends on the boundary of
    /// what it is cut out of, both are zero and neither is left: the inside must be near.
    pub fn covers(&self, place: &[f64]) -> bool {
        /// Distances from the boundary that are rounding, as a share of the shape's size.
        const ROUNDING: f64 = 1e-9;
        /// How near the inside must be, as a share of the shape's size.
        const NEAR: f64 = 1e-6;
        let size = self.solid.bounds().iter().map(|[low, high]| high - low).fold(0.0, f64::max);
        if let Some(family) = &self.family {
            return family.depth(place) > -ROUNDING * size;
        }
        let place = self.space(place);
        if self.solid.contains(&place) {
            return true;
        }
        if self.solid.signed_distance(&place) > ROUNDING * size {
            return false;
        }
        // A step back, none or one ahead along each coordinate.
        let ways = 3_usize.pow(place.len() as u32);
        (0..ways).any(|mut way| {
            let near = place.iter().map(|&value| {
                let step = (way % 3) as f64 - 1.0;
                way /= 3;
                value + step * NEAR * size
            });
            self.solid.contains(&near.collect::<Vec<f64>>())
        })
    }
}

/// One coordinate.
#[derive(Clone, Debug)]
pub struct Coordinate {
    /// Its name in expressions.
    pub name: String,
    /// Lower end; finite.
    pub low: f64,
    /// Upper end; finite and above `low`.
    pub high: f64,
    /// What operators such as `laplacian` take it for.
    pub role: Role,
    /// Ends that need no condition, as the file says.
    pub open: Open,
}

/// Which ends of a coordinate are left without a condition on purpose.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Open {
    /// The lower one.
    pub low: bool,
    /// The upper one.
    pub high: bool,
}

impl Open {
    /// Whether both are.
    pub fn both(self) -> bool {
        self.low && self.high
    }
}

/// What a coordinate stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Space: `laplacian`, `grad`, `div` and `curl` act on it.
    Space,
    /// Time: the coordinate named `t`.
    Time,
    /// A parameter of a family of problems, given to the network as an input.
    Parameter,
}

impl Domain {
    /// How many coordinates there are.
    pub fn len(&self) -> usize {
        self.coordinates.len()
    }

    /// Whether there are none; never true of a checked problem.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// Whether a point lies in the part of space that the problem is about.
    pub fn contains(&self, place: &[f64]) -> bool {
        self.geometry.as_ref().is_none_or(|geometry| geometry.contains(place))
    }

    /// Whether a point lies there or on the boundary.
    pub fn covers(&self, place: &[f64]) -> bool {
        self.geometry.as_ref().is_none_or(|geometry| geometry.covers(place))
    }

    /// The interval of a coordinate in which there is anything: that of the shape, where there is one.
    pub fn reach(&self, axis: usize) -> (f64, f64) {
        let coordinate = &self.coordinates[axis];
        // A shape that changes is anywhere in the box.
        let fixed = self.geometry.as_ref().filter(|geometry| geometry.family.is_none());
        let shape = fixed.and_then(|geometry| {
            let place = geometry.axes.iter().position(|&other| other == axis)?;
            Some(geometry.solid.bounds()[place])
        });
        shape.map_or((coordinate.low, coordinate.high), |[low, high]| {
            (low.max(coordinate.low), high.min(coordinate.high))
        })
    }

    /// The coordinate of this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.coordinates.iter().position(|coordinate| coordinate.name == name)
    }

    /// The space coordinates, in order.
    pub fn space(&self) -> Vec<usize> {
        let is_space = |&axis: &usize| self.coordinates[axis].role == Role::Space;
        (0..self.len()).filter(is_space).collect()
    }
}

/// A text as coordinate names one after the other, the longest possible first, with or without an
/// underscore between two: `xy`, `x1x1`, `x1_x2`. `None` when it is something else.
pub(crate) fn axes<'n>(
    coordinates: impl Iterator<Item = &'n str> + Clone,
    suffix: &str,
) -> Option<Vec<usize>> {
    /// Longer texts are refused rather than searched.
    const LONGEST: usize = 256;
    if suffix.is_empty() || suffix.len() > LONGEST {
        return None;
    }
    // From the back: `next[p]` is the axis to take at byte p so that the rest works out.
    let mut next: Vec<Option<(usize, usize)>> = vec![None; suffix.len() + 1];
    for position in (0..suffix.len()).rev().filter(|&position| suffix.is_char_boundary(position)) {
        let mut longest = 0;
        for (axis, name) in coordinates.clone().enumerate() {
            if name.len() <= longest || !suffix[position..].starts_with(name) {
                continue;
            }
            let mut end = position + name.len();
            let separated = suffix[end..].starts_with('_') && end + 1 < suffix.len();
            if end < suffix.len() && next[end].is_none() && separated {
                end += 1;
            }
            if end == suffix.len() || next[end].is_some() {
                longest = name.len();
                next[position] = Some((axis, end));
            }
        }
    }
    let mut axes = Vec::new();
    let mut position = 0;
    while position < suffix.len() {
        let (axis, end) = next[position]?;
        axes.push(axis);
        position = end;
    }
    Some(axes)
}
