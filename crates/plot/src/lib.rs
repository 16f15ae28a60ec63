//! Pictures: numbers in, PNG files out.
//!
//! A [`Sheet`] holds rows of panels, each a [`Map`], [`Curves`] or a [`Scene`], and grows with what they need: nothing
//! is clipped, nothing overlaps. [`draw`] makes all pictures of a trained problem.
//!
//! ```
//! use plot::{Axis, Colour, Curve, Curves, Panel, Pen, Row, Sheet};
//!
//! let points = (0..200).map(|step| f64::from(step) / 20.0).map(|x| (x, x.sin())).collect();
//! let curve = Curve { name: "sine".into(), points, pen: Pen::solid(Colour::of_curve(0), 3.0) };
//! let (x, y) = (Axis::linear("x", 0.0, 10.0), Axis::linear("sin(x)", -1.0, 1.0));
//! let curves = Curves { title: String::new(), x, y, curves: vec![curve], marks: vec![], legend: false };
//! let rows = vec![Row { height: 300.0, panels: vec![Panel::Curves(curves)] }];
//! let sheet = Sheet { title: "A sine".into(), note: String::new(), legend: vec![], width: 600.0, rows };
//! let file: Vec<u8> = sheet.png()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod axis;
mod canvas;
mod colour;
mod contour;
mod curves;
mod cutout;
mod cuts;
mod error;
mod fields;
mod font;
mod frame;
mod interface;
mod lines;
mod look;
mod loss;
mod map;
mod names;
mod ordination;
mod pictures;
mod points;
mod references;
mod resolution;
mod samples;
mod scene;
mod shape;
mod sheet;
mod slices;
mod subject;
mod ticks;

pub use axis::Axis;
pub use canvas::Pen;
pub use colour::{Colour, ColourMap};
pub use curves::{Curve, Curves};
pub use cutout::Cutout;
pub use error::PlotError;
pub use map::Map;
pub use names::Name;
pub use ordination::{Colours, Samples2d, draw_samples};
pub use pictures::{Picture, draw, draw_run};
pub use references::draw_reference;
pub use resolution::{Resolution, ResolutionError};
pub use samples::Samples;
pub use scene::{Arrow, Dots, Ground, Line, Numbers, Scene};
pub use shape::draw_geometry;
pub use sheet::{Panel, Row, Sheet};
