//! Pictures: numbers in, PNG files out.
//!
//! A [`Sheet`] holds rows of panels, each a [`Map`] or [`Curves`], and grows with what they need: nothing
//! is clipped, nothing overlaps.

mod axis;
mod canvas;
mod colour;
mod curves;
mod font;
mod frame;
mod map;
mod sheet;
mod ticks;

pub use axis::{Axis, Scale};
pub use canvas::Pen;
pub use colour::{Colour, ColourMap};
pub use curves::{Curve, Curves};
pub use map::{Map, Samples};
pub use sheet::{Panel, Row, Sheet};
