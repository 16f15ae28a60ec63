//! Primitives: each in its own frame, at the origin where that is natural, with the patches that its surface is made of.

mod ball;
mod bands;
mod block;
mod cone;
mod cubic;
mod cylinder;
mod ellipsoid;
mod half_space;
pub(crate) mod mesh;
pub(crate) mod outline;
pub(crate) mod patch;
mod polygon;
mod spline;
mod torus;

pub(crate) use ball::Ball;
pub(crate) use bands::is_passed;
pub(crate) use block::Block;
pub(crate) use cone::Cone;
pub(crate) use cylinder::Cylinder;
pub(crate) use ellipsoid::Ellipsoid;
pub(crate) use half_space::HalfSpace;
pub(crate) use polygon::{MOST_CORNERS, Polygon};
pub(crate) use spline::Spline;
pub(crate) use torus::Torus;

use crate::vector::Vector;
use mesh::Mesh;
use outline::Outline;
use patch::Patch;
use std::sync::Arc;

/// What every primitive can tell about itself.
pub(crate) trait Form {
    /// Whether a point is in the open interior.
    fn contains(&self, point: Vector) -> bool;

    /// The distance to the surface, negative inside. Exact up to rounding, so that it changes no faster than its point.
    fn distance(&self, point: Vector) -> f64;

    /// The largest `point·direction` over all points; infinite where there is none.
    fn support(&self, direction: Vector) -> f64;

    /// Length, area or volume.
    fn measure(&self) -> f64;

    /// The pieces of the surface, and what each is called; an only piece is called by its primitive's name. A surface
    /// without end shows what of it is in the window.
    fn surface(&self, window: &Window) -> Vec<(String, Patch)>;
}

/// A ball in the frame of a primitive outside of which nothing matters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) center: Vector,
    pub(crate) radius: f64,
}

/// A primitive of any kind.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Primitive {
    Block(Block),
    Ball(Ball),
    Ellipsoid(Ellipsoid),
    Polygon(Polygon),
    Spline(Arc<Spline>),
    Cylinder(Cylinder),
    Cone(Cone),
    Torus(Torus),
    Mesh(Arc<Mesh>),
    Outline(Arc<Outline>),
    HalfSpace(HalfSpace),
}

impl Primitive {
    pub(crate) fn form(&self) -> &dyn Form {
        match self {
            Primitive::Block(block) => block,
            Primitive::Ball(ball) => ball,
            Primitive::Ellipsoid(ellipsoid) => ellipsoid,
            Primitive::Polygon(polygon) => polygon,
            Primitive::Spline(spline) => spline,
            Primitive::Cylinder(cylinder) => cylinder,
            Primitive::Cone(cone) => cone,
            Primitive::Torus(torus) => torus,
            Primitive::Mesh(mesh) => mesh,
            Primitive::Outline(outline) => outline,
            Primitive::HalfSpace(half_space) => half_space,
        }
    }
}
