//! One file per section of the problem file.

pub(super) mod ansatz;
mod balance;
pub(super) mod conditions;
pub(super) mod constants;
pub(super) mod data;
pub(super) mod domain;
pub(super) mod equations;
pub(super) mod functions;
pub(super) mod geometry;
mod gradient_check;
pub(super) mod network;
mod optimizer;
pub(super) mod performance;
pub(super) mod place;
pub(super) mod quantities;
pub(super) mod reference;
pub(super) mod regions;
pub(super) mod repeated;
pub(super) mod sampling;
mod schedule;
mod stability;
mod table_function;
pub(super) mod training;
pub(super) mod unknowns;
pub(super) mod windows;
