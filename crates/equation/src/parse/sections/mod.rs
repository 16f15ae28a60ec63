//! One file per section of the problem file.

pub(super) mod ansatz;
pub(super) mod conditions;
pub(super) mod constants;
pub(super) mod data;
pub(super) mod domain;
pub(super) mod equations;
pub(super) mod functions;
pub(super) mod geometry;
pub(super) mod network;
pub(super) mod place;
pub(super) mod quantities;
pub(super) mod reference;
pub(super) mod regions;
pub(super) mod repeated;
pub(super) mod sampling;
mod table_function;
pub(super) mod training;
pub(super) mod unknowns;
pub(super) mod windows;
