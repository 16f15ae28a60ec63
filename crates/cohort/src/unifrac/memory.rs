//! What distances take of memory, before they are computed.

use super::chunk::Chunk;
use super::dense::ROWS;
use super::metric::Metric;
use super::terms::Way;
use crate::table::Table;

/// A limit of memory that nothing can be computed within.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", self.sentence())]
pub struct MemoryError {
    /// Bytes that are needed at least.
    pub least: usize,
    /// Bytes that there may be.
    pub limit: usize,
    /// Those of the matrix, where it is wanted in memory.
    pub matrix: usize,
}

impl MemoryError {
    fn sentence(&self) -> String {
        let megabytes = |bytes: usize| bytes.div_ceil(1_000_000);
        let (least, limit) = (megabytes(self.least), megabytes(self.limit));
        let what = format!("distances need {least} MB at least, and {limit} MB are the limit");
        match self.matrix {
            0 => what,
            matrix => format!(
                "{what}: {} MB are the matrix, which axes, pictures and text need as a whole; --out FILE.npy alone does not",
                megabytes(matrix)
            ),
        }
    }
}

/// What the program itself takes, with room for lists of branches.
const PROGRAM: usize = 24 << 20;

/// Bytes for bands, so that table, tree, bands and, where it is wanted, the matrix keep to a limit; without one, what is quick.
pub fn band_bytes(
    table: &Table,
    metric: Metric,
    matrix: bool,
    limit: Option<usize>,
) -> Result<usize, MemoryError> {
    /// Of the tree and its branches, per taxon.
    const TAXON: usize = 400;
    let samples = table.samples().len();
    let way = Way::of(metric, &table.totals());
    let square = samples.saturating_mul(samples).saturating_mul(size_of::<f64>());
    let usual = super::Work::usual_bytes(samples);
    let Some(limit) = limit else { return Ok(usual) };
    let matrix = if matrix { square } else { 0 };
    // A table is there twice while it is read.
    let fixed =
        PROGRAM + 2 * table.bytes() + TAXON * table.taxa().len() + Chunk::bytes(way, samples) + matrix;
    let tile = ROWS * samples * size_of::<f64>() * way.sums();
    match limit.checked_sub(fixed) {
        Some(left) if left >= tile => Ok(left.min(usual)),
        Some(_) | None => Err(MemoryError { least: fixed + tile, limit, matrix }),
    }
}
