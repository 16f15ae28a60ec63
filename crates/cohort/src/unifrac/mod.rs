//! UniFrac: distances between samples along a tree.
//!
//! Only branches that both samples of a pair have need a look: what a branch adds to the distances of a sample that alone has it
//! is known beforehand. Branches come one after another, those below first, each as a list of the samples that have it; a few of
//! them are gathered ([`chunk`]) and added to a band of rows of the matrix ([`band`]). Branches that many samples have go
//! through products of dense panels ([`dense`]), the others through their lists. A pair's sum has the same order whatever the height of
//! bands and the number of threads.

mod band;
mod chunk;
mod dense;
mod faith;
mod memory;
mod metric;
mod terms;
mod walk;

pub use band::{Work, unifrac};
pub use faith::faith;
pub use memory::{MemoryError, band_bytes};
pub use metric::{Metric, MetricError};
pub use terms::{Slower, slower};
