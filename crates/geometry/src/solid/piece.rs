//! Pieces of a solid's boundary.

use super::part::Part;
use crate::measure::Measure;
use crate::placement::Placement;
use crate::primitive::patch::{Patch, Spot};
use crate::quadric::Quadric;
use crate::vector::padded;

/// A smooth piece of a primitive's surface: an end of an interval, a side of a rectangle or polygon, a circle, a face of
/// a box, the mantle of a cylinder. Operations may have removed some of it.
#[derive(Clone, Debug)]
pub struct Piece {
    pub(super) name: String,
    pub(super) parent: String,
    pub(super) part: usize,
    /// Which of its primitive's patches it is.
    pub(super) side: usize,
    pub(super) patch: Patch,
    pub(super) placement: Placement,
    pub(super) dimension: usize,
    /// Length or area before operations.
    pub(super) whole: f64,
    pub(super) left: f64,
    pub(super) measure: Measure,
    pub(super) level: Option<Quadric>,
    /// Parts before its own that have the same surface somewhere: there it is theirs.
    pub(super) rivals: Vec<usize>,
}

impl Piece {
    /// The name of its primitive, the number of its copy and what it is of that: `disk1`, `channel.left`, `fin.2.top`.
    ///
    /// A primitive without a given name is called by its kind and a number: `disk1`, `disk2`. Where one name was given to
    /// several primitives, they are numbered: `fins.1`, `fins.2`. Copies of a repeated shape are numbered after that.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of its primitive: given, or made from the kind.
    pub fn parent(&self) -> &str {
        &self.parent
    }

    /// Which primitive it belongs to, copies counted: the same number for all pieces of one.
    pub fn primitive(&self) -> usize {
        self.part
    }

    /// Which of the pieces of its primitive it is, from zero, removed ones counted.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Puts another surface in its place.
    pub(super) fn move_to(&mut self, patch: Patch, part: &Part) {
        self.placement = part.placement;
        self.whole = patch.measure() * part.placement.scale().powi(patch.parameters() as i32);
        let error = if self.measure.value > 0.0 { self.measure.error / self.measure.value } else { 0.0 };
        let left = self.whole * self.left;
        self.measure = Measure { value: left, error: left * error };
        self.level = patch.level().map(|level| level.placed(&part.placement, self.dimension));
        self.patch = patch;
    }

    /// Whether a name means this piece: its own, or the first parts of it, as `fin` and `fin.2` do for `fin.2.top`.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// How many numbers place a point: one less than the dimension.
    pub fn parameters(&self) -> usize {
        self.patch.parameters()
    }

    /// The point at parameters in `[0, 1)`, and the unit normal there, outward of its own primitive, into slices of one
    /// number per dimension. Uniform parameters
    /// give points uniform in length or area, whether operations have left the surface there or not: ask
    /// [`Solid::outward`](crate::Solid::outward).
    ///
    /// Shares of lengths and areas are accurate to rounding, except on ellipsoids and splines: to 1e-9 of the whole there.
    pub fn place(&self, unit: &[f64], point: &mut [f64], normal: &mut [f64]) {
        let spot = self.spot(unit);
        point.copy_from_slice(&spot.point[..self.dimension]);
        normal.copy_from_slice(&spot.normal[..self.dimension]);
    }

    pub(super) fn spot(&self, unit: &[f64]) -> Spot {
        let spot = self.patch.spot(&padded(unit)[..self.patch.parameters()]);
        Spot { point: self.placement.outwards(spot.point), normal: self.placement.direction(spot.normal) }
    }

    /// Length or area of what is left on the solid's boundary, or one for an end of an interval. Without error where no
    /// other primitive comes near, otherwise a share of samples: 4096 along a line, 16384 on a surface.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// The share that is left on the solid's boundary, above zero and up to one.
    pub fn left(&self) -> f64 {
        self.left
    }

    /// Length or area before operations, or one for an end of an interval.
    pub(crate) fn whole(&self) -> f64 {
        self.whole
    }

    /// A smooth function that is zero on the surface and positive where the inside of its primitive is, with a gradient of
    /// length one on planes, circles and spheres and of about that on ellipses and ellipsoids. `None` where the surface
    /// is no plane and no quadric, or is one sheet of two.
    pub fn level(&self) -> Option<&Quadric> {
        self.level.as_ref()
    }
}
