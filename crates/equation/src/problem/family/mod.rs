//! Shapes whose numbers depend on the parameters of a family of problems: `disk([0, 0], a)` where `a` is a coordinate.

mod level;
mod make;

pub use make::ShapeStep;

use super::Geometry;
use crate::expression::{Compiled, Expression, Leaf, Pool};
use geometry::{GeometryError, Shape, Solid};
use std::cell::RefCell;

/// A shape for every value of the parameters.
#[derive(Clone, Debug)]
pub struct ShapeFamily {
    /// The coordinates that it depends on.
    pub parameters: Vec<usize>,
    steps: Vec<ShapeStep>,
    /// The numbers of all steps, one after the other.
    numbers: Compiled,
    /// Positive inside, about the distance to the boundary.
    inside: Compiled,
    /// Per primitive and its pieces a function that vanishes there and is positive inside of the primitive.
    levels: Vec<Vec<Expression>>,
}

thread_local! {
    /// Memory for formulas, and for what they come down to.
    static SCRATCH: RefCell<(Vec<f64>, Vec<f64>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

impl ShapeFamily {
    /// The family of what these steps make in the space of some coordinates; `None` where none of their numbers depends on a
    /// coordinate. An error names what of it no formula describes.
    pub fn new(pool: &mut Pool, steps: &[ShapeStep], space: &[usize]) -> Result<Option<Self>, String> {
        let numbers: Vec<Expression> = steps.iter().flat_map(ShapeStep::numbers).copied().collect();
        let axis = |leaf: Leaf| match leaf {
            Leaf::Coordinate(axis) => Some(usize::from(axis)),
            _ => None,
        };
        let mut parameters: Vec<usize> = pool.leaves(&numbers).into_iter().filter_map(axis).collect();
        parameters.sort_unstable();
        if parameters.is_empty() {
            return Ok(None);
        }
        let described = level::describe(pool, steps, space)?;
        let inside = Compiled::new(pool, &[described.inside]);
        let numbers = Compiled::new(pool, &numbers);
        Ok(Some(ShapeFamily { parameters, steps: steps.to_vec(), numbers, inside, levels: described.levels }))
    }

    /// The shape at the parameters of a place.
    pub fn shape(&self, place: &[f64]) -> Result<Shape, GeometryError> {
        let numbers = evaluated(&self.numbers, place, <[f64]>::to_vec);
        make::make(&self.steps, &numbers)
    }

    /// Positive inside, negative outside.
    pub fn depth(&self, place: &[f64]) -> f64 {
        evaluated(&self.inside, place, |found| found[0])
    }

    /// A function that vanishes on a piece of a solid of the family.
    pub fn level(&self, piece: &geometry::Piece) -> Option<Expression> {
        self.levels.get(piece.primitive())?.get(piece.side()).copied()
    }
}

fn evaluated<T>(compiled: &Compiled, place: &[f64], take: impl Fn(&[f64]) -> T) -> T {
    SCRATCH.with_borrow_mut(|(scratch, found)| {
        compiled.run(place, scratch, found);
        take(found)
    })
}

impl Geometry {
    /// The solid at the parameters of a place.
    pub fn at(&self, place: &[f64]) -> std::borrow::Cow<'_, Solid> {
        let posed = self.family.as_ref().and_then(|family| self.solid.posed(family.shape(place).ok()?));
        posed.map_or(std::borrow::Cow::Borrowed(&*self.solid), std::borrow::Cow::Owned)
    }

    /// Whether a piece of the boundary is elsewhere for other parameters.
    pub fn moves(&self, pool: &Pool, surface: usize) -> bool {
        let Some(family) = &self.family else { return false };
        let level = family.level(&self.solid.pieces()[surface]);
        let depends =
            |leaf| matches!(leaf, Leaf::Coordinate(axis) if family.parameters.contains(&usize::from(axis)));
        level.is_none_or(|level| pool.mentions(level, depends))
    }
}
