//! The part of space that a problem is about, and what holds on its boundary: facts to look at before anybody trains.

mod holding;
mod points;
mod warnings;

pub use holding::Holding;
pub use points::FirstPoints;

use crate::Experiment;
use equation::problem::{Coordinate, Domain, Problem};
use geometry::{GeometryError, Measure, Shape, Solid};
use std::sync::Arc;

/// The part of space that a problem is about: a shape, or else the box.
#[derive(Clone, Debug)]
pub struct Territory {
    /// The space coordinates, by position.
    pub axes: Vec<usize>,
    /// Per space coordinate the lowest and the highest value.
    pub bounds: Vec<[f64; 2]>,
    /// Length, area or volume.
    pub measure: Measure,
    /// Which share of the box that the file states that is.
    pub share: f64,
    /// The pieces of the boundary; of a box, its faces.
    pub walls: Vec<Wall>,
    /// Names of pieces that operations removed.
    pub removed: Vec<String>,
    /// For which values of parameters all this is, where the shape depends on some: the middle of their ranges.
    pub shown_at: Vec<(String, f64)>,
    /// Conditions that hold elsewhere: at a time, on planes through the inside.
    pub elsewhere: Vec<Holding>,
    /// `None` for a box of more dimensions than shapes have.
    solid: Option<Arc<Solid>>,
    /// Whether the file has a shape.
    shaped: bool,
}

/// A piece of the boundary.
#[derive(Clone, Debug)]
pub struct Wall {
    /// As places in problem files are called.
    pub name: String,
    /// Length or area of what is left of it, or one for a point.
    pub measure: Measure,
    /// The share that operations have left.
    pub left: f64,
    /// What holds there.
    pub held: Vec<Holding>,
    /// On which share of it any condition holds.
    pub covered: f64,
}

/// A place on the boundary, and the unit normal there that points outward.
#[derive(Clone, PartialEq, Debug)]
pub struct Footing {
    /// The space coordinates.
    pub point: Vec<f64>,
    /// One number for each of them.
    pub normal: Vec<f64>,
}

impl Territory {
    /// How many space coordinates there are.
    pub fn dimension(&self) -> usize {
        self.axes.len()
    }

    /// Whether the file has a shape.
    pub fn is_shape(&self) -> bool {
        self.shaped
    }

    /// Whether it can be drawn: it has one to three dimensions.
    pub fn is_drawable(&self) -> bool {
        self.solid.is_some()
    }

    /// Whether a point of space lies inside; never for what cannot be drawn.
    pub fn contains(&self, point: &[f64]) -> bool {
        self.solid.as_ref().is_some_and(|solid| solid.contains(point))
    }

    /// The distance to the boundary or less, negative inside.
    pub fn distance(&self, point: &[f64]) -> f64 {
        self.solid.as_ref().map_or(f64::NAN, |solid| solid.signed_distance(point))
    }

    /// The place on a piece at parameters in `[0, 1)`, one less than there are dimensions; even parameters give evenly
    /// spread places. `None` where operations have removed it.
    pub fn footing(&self, wall: usize, unit: &[f64]) -> Option<Footing> {
        let solid = self.solid.as_ref()?;
        let mut footing = Footing { point: vec![0.0; self.dimension()], normal: vec![0.0; self.dimension()] };
        let Footing { point, normal } = &mut footing;
        solid.pieces().get(wall)?.place(unit, point, normal);
        let sign = solid.outward(wall, point, normal)?;
        normal.iter_mut().for_each(|slope| *slope *= sign);
        Some(footing)
    }
}

impl Experiment {
    /// The part of space that it is about; `None` where there is no space, only time.
    pub fn territory(&self) -> Option<Territory> {
        let problem = self.problem();
        let axes = problem.domain.space();
        if axes.is_empty() {
            return None;
        }
        let mut territory = match &problem.domain.geometry {
            Some(geometry) => of_shape(&geometry.solid, axes),
            None => of_box(&problem.domain, axes),
        };
        let sides = territory.axes.iter().map(|&axis| {
            let coordinate = &problem.domain.coordinates[axis];
            coordinate.high - coordinate.low
        });
        territory.shown_at = shown_at(&problem.domain);
        territory.share = (territory.measure.value / sides.product::<f64>()).min(1.0);
        holding::hold(problem, &mut territory);
        Some(territory)
    }
}

fn shown_at(domain: &Domain) -> Vec<(String, f64)> {
    let family = domain.geometry.as_ref().and_then(|geometry| geometry.family.as_ref());
    let parameters = family.map_or(&[][..], |family| &family.parameters);
    let middle = |&axis: &usize| {
        let Coordinate { name, low, high, .. } = &domain.coordinates[axis];
        (name.clone(), 0.5 * (low + high))
    };
    parameters.iter().map(middle).collect()
}

fn of_shape(solid: &Arc<Solid>, axes: Vec<usize>) -> Territory {
    let wall = |piece: &geometry::Piece| Wall {
        name: piece.name().to_owned(),
        measure: piece.measure(),
        left: piece.left(),
        held: Vec::new(),
        covered: 0.0,
    };
    Territory {
        axes,
        bounds: solid.bounds().to_vec(),
        measure: solid.measure(),
        share: 1.0,
        walls: solid.pieces().iter().map(wall).collect(),
        removed: solid.removed().to_vec(),
        shown_at: Vec::new(),
        elsewhere: Vec::new(),
        solid: Some(Arc::clone(solid)),
        shaped: true,
    }
}

fn of_box(domain: &Domain, axes: Vec<usize>) -> Territory {
    let bounds: Vec<[f64; 2]> =
        axes.iter().map(|&axis| [domain.coordinates[axis].low, domain.coordinates[axis].high]).collect();
    let lengths: Vec<f64> = bounds.iter().map(|[low, high]| high - low).collect();
    let wall = |(own, end): (usize, f64)| {
        let others = lengths.iter().enumerate().filter(|(other, _)| *other != own);
        Wall {
            name: format!("{} = {}", domain.coordinates[axes[own]].name, short(end)),
            measure: Measure { value: others.map(|(_, length)| length).product(), error: 0.0 },
            left: 1.0,
            held: Vec::new(),
            covered: 0.0,
        }
    };
    // In the order in which the pieces of a box come as a shape.
    let ends = bounds.iter().enumerate().flat_map(|(own, [low, high])| [(own, *low), (own, *high)]);
    Territory {
        measure: Measure { value: lengths.iter().product(), error: 0.0 },
        share: 1.0,
        walls: ends.map(wall).collect(),
        removed: Vec::new(),
        shown_at: Vec::new(),
        elsewhere: Vec::new(),
        // An interval of a size that shapes do not have is a box that is not drawn.
        solid: solid(&bounds).ok().map(Arc::new),
        shaped: false,
        axes,
        bounds,
    }
}

fn solid(bounds: &[[f64; 2]]) -> Result<Solid, GeometryError> {
    Solid::new(match *bounds {
        [[low, high]] => Shape::interval(low, high)?,
        [x, y] => Shape::rectangle([x[0], y[0]], [x[1], y[1]])?,
        [x, y, z] => Shape::cuboid([x[0], y[0], z[0]], [x[1], y[1], z[1]])?,
        _ => return Err(GeometryError::Dimension { found: bounds.len() }),
    })
}

/// The face of a box at one end of a coordinate, by position.
fn face(problem: &Problem, territory: &Territory, (axis, value): (usize, f64)) -> Option<usize> {
    let own = territory.axes.iter().position(|&other| other == axis)?;
    let coordinate = &problem.domain.coordinates[axis];
    let ends = [coordinate.low, coordinate.high];
    ends.iter().position(|end| *end == value).map(|end| 2 * own + end)
}

/// A number in few digits.
fn short(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-3..1e6).contains(&size) {
        return format!("{number:.3e}");
    }
    // Rounded first, so that 0.30000000000000004 is 0.3; the sum makes a plain zero of a negative one.
    format!("{}", (number * 1e4).round() / 1e4 + 0.0)
}
