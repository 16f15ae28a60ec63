//! What lies inside of a solid as inequalities of quadrics, where that can be said so.

use super::Solid;
use super::branch::Outline;
use crate::bounds::Bounds;
use crate::quadric::Quadric;
use crate::sequence::even;
use crate::vector::{length, subtract};

/// A set of points.
#[derive(Clone, PartialEq, Debug)]
pub enum Inside {
    /// Where all of these are positive.
    Positive(Vec<Quadric>),
    /// What lies in one of these.
    Any(Vec<Inside>),
    /// What lies in all of these.
    All(Vec<Inside>),
    /// What lies in the first and not in the second.
    Without(Box<[Inside; 2]>),
}

impl Inside {
    /// Whether a point lies in it.
    pub fn contains(&self, point: &[f64]) -> bool {
        match self {
            Inside::Positive(all) => all.iter().all(|one| one.value(point) > 0.0),
            Inside::Any(members) => members.iter().any(|member| member.contains(point)),
            Inside::All(members) => members.iter().all(|member| member.contains(point)),
            Inside::Without(pair) => pair[0].contains(point) && !pair[1].contains(point),
        }
    }
}

/// Points at which a formula is compared with the solid.
const SAMPLES: usize = 4096;

impl Solid {
    /// The solid as inequalities; `None` where a part is no intersection of half-spaces, balls, ellipsoids and other quadrics: stars,
    /// polygons with notches, splines, tori, meshes.
    pub fn inside(&self) -> Option<Inside> {
        let dimension = self.dimension();
        let bounds = Bounds(std::array::from_fn(|axis| self.bounds.get(axis).copied().unwrap_or([0.0, 0.0])));
        let middle = bounds.middle(dimension);
        let corner = Bounds(bounds.0.map(|[_, high]| [high, high])).middle(dimension);
        let radius = 2.0 * length(subtract(corner, middle));
        let part = |index: usize| {
            let part = &self.parts[index];
            let surface = part.form().surface(&part.window(middle, radius)).into_iter();
            let levels =
                surface.map(|(_, patch)| patch.level().map(|level| level.placed(&part.placement, dimension)));
            levels.collect::<Option<Vec<Quadric>>>().map(Inside::Positive)
        };
        let inside = written(&self.root.outline(), &part)?;
        let mut unit = vec![0.0; dimension];
        let agrees = (0..SAMPLES).all(|index| {
            even(index, 0, &mut unit);
            let place = unit.iter().zip(&self.bounds).map(|(unit, [low, high])| low + (high - low) * unit);
            let place: Vec<f64> = place.collect();
            inside.contains(&place) == self.contains(&place)
        });
        agrees.then_some(inside)
    }
}

fn written(outline: &Outline<'_>, part: &dyn Fn(usize) -> Option<Inside>) -> Option<Inside> {
    let all = |members: &[super::branch::Branch]| {
        members.iter().map(|member| written(&member.outline(), part)).collect::<Option<Vec<_>>>()
    };
    Some(match outline {
        Outline::Part(index) => part(*index)?,
        Outline::Union(members) => Inside::Any(all(members)?),
        Outline::Intersection(members) => Inside::All(all(members)?),
        Outline::Difference(pair) => {
            let [first, second] = [0, 1].map(|place| written(&pair[place].outline(), part));
            Inside::Without(Box::new([first?, second?]))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    #[test]
    fn what_quadrics_bound_is_a_formula_and_other_shapes_are_not() {
        let solid = |shape: Shape| Solid::new(shape).expect("a shape");
        let disk = |x: f64| Shape::disk([x, 0.0], 1.0).expect("a disk");
        let lens = solid(disk(0.0).intersection(disk(0.7)).expect("a lens"));
        assert!(lens.inside().is_some_and(|it| it.contains(&[0.3, 0.0]) && !it.contains(&[-0.5, 0.0])));
        let moon = solid(disk(0.0).difference(disk(0.7)).expect("a moon"));
        assert!(moon.inside().is_some_and(|it| it.contains(&[-0.5, 0.0]) && !it.contains(&[0.3, 0.0])));
        let corners = vec![[0.0, 0.0], [2.0, 0.0], [1.0, 0.4], [0.0, 2.0]];
        assert!(solid(Shape::polygon(corners).expect("a polygon")).inside().is_none(), "it has a notch");
        let corners = vec![[0.0, 0.0], [2.0, 0.0], [1.5, 1.4], [0.0, 2.0]];
        assert!(solid(Shape::polygon(corners).expect("a polygon")).inside().is_some());
        let pipe = Shape::cylinder([0.0; 3], [0.0, 0.0, 2.0], 0.5).expect("a cylinder");
        assert!(solid(pipe).inside().is_some_and(|it| it.contains(&[0.1, 0.1, 1.0])));
    }
}
