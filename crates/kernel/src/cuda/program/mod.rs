//! A plan as kernels: written, compiled, loaded, and launched by name.
//!
//! `emit` writes a plan as CUDA C++ and `loaded` has what was compiled of it. `tiles` are the sizes that there are, `price` what
//! they cost, `choice` which are taken, `mode` what users have a say in. `layout` and `signals` say where numbers lie, `arguments`
//! what kernels are given.

mod arguments;
mod choice;
mod emit;
mod layout;
mod loaded;
mod mode;
mod price;
mod signals;
mod tiles;

pub(super) use arguments::PlanArguments;
pub use emit::Unfused;
pub(super) use emit::{EACH, INSTRUCTIONS, KernelTarget, NUMBERS, Variant, Work, kernel, kernel_of, source};
pub(super) use layout::{SIDE, stride};
#[cfg(test)]
pub(super) use loaded::reduced;
pub(super) use loaded::{Handle, LoadedProgram, Other, tables};
pub use mode::{CompileMode, CompileModeError};
pub(super) use price::MOST_SHARING;
pub(super) use signals::{POINTS, Signals, columns};
pub(super) use tiles::{MOST, SIZES, for_any, for_term, largest};
