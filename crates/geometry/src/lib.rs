//! Shapes in one, two and three dimensions: what lies inside, what their boundary is made of, and how large they are.
//!
//! A [`Shape`] is what somebody wrote: primitives, set operations, transforms. A [`Solid`] is a shape that was checked and
//! prepared: it answers questions about points, and has the [`Piece`]s of its boundary. Nothing here reads files, starts
//! threads or draws random numbers: the same shape gives the same bits.

#![forbid(unsafe_code)]

mod bounds;
mod cumulative;
mod elliptic;
mod error;
mod measure;
mod placement;
mod primitive;
mod quadrature;
mod quadric;
mod sequence;
mod shape;
mod solid;
mod vector;

pub use error::GeometryError;
pub use measure::Measure;
pub use primitive::mesh::{FaceRule, MOST_FACES, MOST_TRIANGLES, Mesh, MeshError, StlPlace};
pub use primitive::outline::{Outline, OutlineError};
pub use quadrature::{QuadratureNode, gauss};
pub use quadric::Quadric;
pub use shape::{MOST_PARTS, Shape};
pub use solid::{
    Inside, InsidePrimitive, InsideStep, InsideTest, LANES, Lane, LaneScratch, Lanes, Mask, Piece, Solid,
};
