//! A plan as kernels: written, compiled, loaded, and launched by name.
//!
//! `emit` writes a plan as CUDA C++ and `loaded` has what was compiled of it. `tiles` are the sizes that there are, `price` what
//! they cost, `choice` which are taken, `mode` what users have a say in, `rule` how parameters move. `layout` says where numbers lie, `arguments` what
//! kernels are given.

mod arguments;
mod choice;
mod emit;
mod layout;
mod loaded;
mod price;
mod rule;
mod tiles;

pub(super) use arguments::PlanArguments;
pub use emit::Unfused;
pub(super) use emit::{
    ARGUMENTS, DRAW, EACH, INSTRUCTIONS, KernelSource, KernelTarget, NUMBERS, PARAMETER_OF, SEQUENCE, SLOPES,
    THREADS, TermText, UPDATE, Variant, Work, feature_tables, given_tables, kernel, kernel_of, source,
};
pub(super) use layout::{Layout, SIDE, stride};
#[cfg(test)]
pub(super) use loaded::reduced;
pub(super) use loaded::{Handle, LoadedProgram, Other, tables};
pub use method::{CompileMode, CompileModeError};
pub(super) use price::MOST_SHARING;
pub(super) use rule::Rule;
pub(super) use tiles::{MOST, for_any, for_term, largest};
