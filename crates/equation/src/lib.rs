//! Text of a differential equation → [`problem::Problem`] → [`taylor::Plan`], and the f64 interpreter
//! that every engine is checked against.
//!
//! No I/O, no threads, no devices, no `unsafe`, no `f32`: what is here can be reasoned about on paper.

#![forbid(unsafe_code)]

pub mod constrain;
pub mod counter;
pub mod decide;
pub mod expression;
pub mod oscillation;
pub mod parse;
pub mod problem;
pub mod tabulated;
pub mod taylor;
