//! Shapes that were checked and prepared.

mod branch;
mod formula;
mod lanes;
mod names;
mod part;
mod piece;
mod size;
mod survey;
mod test;

pub use formula::Inside;
pub use lanes::{LANES, Lane, LaneScratch, Lanes, Mask};
pub use piece::Piece;
pub use test::{InsidePrimitive, InsideStep, InsideTest};

use crate::GeometryError;
use crate::bounds::Bounds;
use crate::measure::Measure;
use crate::shape::Shape;
use crate::vector::{Vector, length, padded, subtract};
use branch::Branch;
use part::Part;
use survey::{Finding, Survey};

/// A shape that was checked and prepared: inside test, bounds, pieces of its boundary.
#[derive(Clone, Debug)]
pub struct Solid {
    shape: Shape,
    parts: Vec<Part>,
    root: Branch,
    bounds: Vec<[f64; 2]>,
    step: f64,
    pieces: Vec<Piece>,
    removed: Vec<String>,
    measure: Measure,
}

/// How far from a surface its two sides are looked at, relative to the thinnest primitive.
const RELATIVE_STEP: f64 = 1e-7;

/// The same relative to the largest coordinate, which no step goes below: ten thousand times what rounding leaves.
const LEAST_STEP: f64 = 4e-12;

impl Solid {
    /// Refuses a shape of which nothing is left, one without end, and names that were given twice.
    ///
    /// What is left of a piece is found by samples: less than a few thousandths of it may go unnoticed.
    pub fn new(shape: Shape) -> Result<Solid, GeometryError> {
        Solid::checked(shape, size::measure)
    }

    /// The same without its length, area or volume, which takes longer than all else to find: that is zero.
    pub fn unmeasured(shape: Shape) -> Result<Solid, GeometryError> {
        Solid::checked(shape, |_, _, _| Measure::exact(0.0))
    }

    fn checked(
        shape: Shape,
        measure: impl Fn(&Survey, &[Piece], &[Finding]) -> Measure,
    ) -> Result<Solid, GeometryError> {
        let dimension = shape.dimension();
        let labels = names::labels(&shape)?;
        let (parts, root) = branch::assemble(&shape);
        if root.bounds.is_empty() {
            return Err(GeometryError::Empty);
        }
        let bounds = root.bounds.0[..dimension].to_vec();
        if bounds.iter().flatten().any(|end| !end.is_finite()) {
            return Err(GeometryError::Unbounded);
        }
        let survey =
            Survey { parts: &parts, root: &root, dimension, step: step(&root.bounds, &parts, dimension) };
        let candidates = candidates(&survey, &labels);
        let findings: Vec<Finding> = candidates.iter().map(|piece| survey.look(piece)).collect();
        let measure = measure(&survey, &candidates, &findings);
        let mut pieces = Vec::new();
        let mut removed = Vec::new();
        for (mut piece, finding) in candidates.into_iter().zip(findings) {
            if finding.share == 0.0 {
                removed.push(piece.name);
                continue;
            }
            piece.left = finding.share;
            piece.measure =
                Measure { value: piece.whole * finding.share, error: piece.whole * finding.error };
            piece.rivals = finding.rivals;
            pieces.push(piece);
        }
        if pieces.is_empty() {
            return Err(GeometryError::Empty);
        }
        let step = survey.step;
        Ok(Solid { shape, parts, root, bounds, step, pieces, removed, measure })
    }

    /// The same solid with other numbers in its primitives and transforms: nothing is looked for anew. Of every piece
    /// operations leave the share that they leave of its own. `None` where the shape is made otherwise.
    pub fn posed(&self, shape: Shape) -> Option<Solid> {
        let dimension = self.dimension();
        let (parts, root) = branch::assemble(&shape);
        let step = step(&root.bounds, &parts, dimension);
        let (center, radius) = reach(&root.bounds, dimension, step);
        let mut pieces = self.pieces.clone();
        for piece in &mut pieces {
            let part = parts.get(piece.part)?;
            let (_, patch) = part.form().surface(&part.window(center, radius)).into_iter().nth(piece.side)?;
            piece.move_to(patch, part);
        }
        let bounds = root.bounds.0[..dimension].to_vec();
        Some(Solid {
            shape,
            parts,
            root,
            bounds,
            step,
            pieces,
            removed: self.removed.clone(),
            measure: self.measure,
        })
    }

    /// What it was made of.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// 1, 2 or 3.
    pub fn dimension(&self) -> usize {
        self.bounds.len()
    }

    /// Per coordinate the lowest and the highest value. Tight for primitives and their unions; what a difference or an
    /// intersection with something other than a half-space along an axis takes away does not make it smaller.
    pub fn bounds(&self) -> &[[f64; 2]] {
        &self.bounds
    }

    /// Whether a point is in the open interior, up to rounding. The same expressions are used everywhere: a point is inside
    /// or not, whoever asks.
    pub fn contains(&self, point: &[f64]) -> bool {
        self.root.contains(padded(point), &self.parts)
    }

    /// The pieces of the boundary, in the order their primitives are written: only those of which something is left.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Names of pieces that operations removed entirely, or that are the same as earlier ones.
    pub fn removed(&self) -> &[String] {
        &self.removed
    }

    /// Length, area or volume: without error in one dimension and where the surfaces of primitives do not meet, otherwise
    /// the share of 65536 evenly spread points of the bounds.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// The sign that turns the normal of [`Piece::place`] into the outward normal of the solid at a point of that piece's
    /// surface, or `None` where operations have removed the surface there.
    pub fn outward(&self, piece: usize, point: &[f64], normal: &[f64]) -> Option<f64> {
        let (parts, root) = (&self.parts, &self.root);
        let survey = Survey { parts, root, dimension: self.dimension(), step: self.step };
        survey.outward(&self.pieces[piece].rivals, padded(point), padded(normal))
    }

    /// The distance to the boundary, negative inside. Exact for primitives. For set operations, where it is the least or
    /// greatest of their distances, it has the right sign, and the boundary is at least as far away as it says.
    pub fn signed_distance(&self, point: &[f64]) -> f64 {
        self.root.distance(padded(point), &self.parts)
    }
}

fn step(bounds: &Bounds, parts: &[Part], dimension: usize) -> f64 {
    let mut thinnest = f64::INFINITY;
    let mut largest = 0.0f64;
    for bounds in parts.iter().map(|part| &part.bounds).chain([bounds]) {
        for [low, high] in &bounds.0[..dimension] {
            if low.is_finite() && high.is_finite() {
                thinnest = thinnest.min(high - low);
                largest = largest.max(low.abs()).max(high.abs());
            }
        }
    }
    (RELATIVE_STEP * thinnest).max(LEAST_STEP * largest)
}

/// The surfaces of all parts, as if nothing of them was removed.
fn candidates(survey: &Survey, labels: &[names::Label]) -> Vec<Piece> {
    let (center, radius) = reach(&survey.root.bounds, survey.dimension, survey.step);
    let mut pieces = Vec::new();
    for (index, part) in survey.parts.iter().enumerate() {
        let label = &labels[part.written];
        let patches = part.form().surface(&part.window(center, radius));
        for (side, (suffix, patch)) in patches.into_iter().enumerate() {
            let mut piece = Piece {
                name: label.piece(&part.copies, &suffix),
                parent: label.base.clone(),
                part: index,
                side,
                patch: patch.clone(),
                placement: part.placement,
                dimension: survey.dimension,
                whole: 0.0,
                left: 1.0,
                measure: Measure::exact(0.0),
                level: None,
                rivals: Vec::new(),
            };
            piece.move_to(patch, part);
            pieces.push(piece);
        }
    }
    pieces
}

/// A ball that holds a solid with these bounds: its center and radius.
fn reach(bounds: &Bounds, dimension: usize, step: f64) -> (Vector, f64) {
    let middle = bounds.middle(dimension);
    let corner = Bounds(bounds.0.map(|[_, high]| [high, high])).middle(dimension);
    (middle, length(subtract(corner, middle)) + 4.0 * step)
}
