//! Pictures: numbers in, PNG files out.
//!
//! A [`Sheet`] holds rows of panels, each a [`Map`] or [`Curves`], and grows with what they need: nothing
//! is clipped, nothing overlaps.

mod axis;
mod canvas;
mod colour;
mod curves;
mod cuts;
mod fields;
mod font;
mod frame;
mod lines;
mod look;
mod loss;
mod map;
mod pictures;
mod resolution;
mod sample;
mod samples;
mod sheet;
mod slices;
mod ticks;

pub use axis::{Axis, Scale};
pub use canvas::Pen;
pub use colour::{Colour, ColourMap};
pub use curves::{Curve, Curves};
pub use map::Map;
pub use pictures::{Picture, draw, draw_run};
pub use resolution::{Resolution, ResolutionError};
pub use samples::Samples;
pub use sheet::{Panel, Row, Sheet};
