//! What kernels run on, and the memory that it has: a GPU, or the processor standing in for one.
//!
//! `either` is both; `gpu` talks to the driver, `libraries` and `nvrtc` find the compiler, `compiler` and `cache` make machine code, `stand_in` runs the same kernels on the
//! processor. `region` is a piece of memory with its length, `copies` go to and fro, `given` what kernels are told. `peak` and `busy` measure.

mod busy;
mod cache;
mod compiler;
mod copies;
mod either;
mod given;
mod gpu;
mod libraries;
mod nvrtc;
mod peak;
#[cfg(test)]
mod probe;
mod region;
mod stand_in;

pub use busy::Busy;
pub(super) use cache::{KernelCache, Key};
pub(super) use compiler::{Compiled, SIDE_BY_SIDE, preload};
pub(super) use copies::{Ring, Staging};
pub(crate) use either::Machine;
pub(super) use either::{GivenTable, Module, Recorded, Shape, ToLoad};
pub(super) use given::{Given, Laid, Word, given};
pub(super) use gpu::{Gpu, groups};
#[cfg(test)]
pub(super) use probe::{ArgumentField, Read, assert_twins};
pub(super) use region::{DeviceNumber, Region};
pub(super) use stand_in::StandIn;
