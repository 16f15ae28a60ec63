//! Products of numbers in half precision, for steps whose damping is far above their error.

use super::Newton;
use super::dense::{self, Dense, SIDE, THREADS};
use super::room::SLOPE_PARTS;
use crate::cuda::CudaError;
use crate::cuda::engine::Cuda;
use linear::{Products, Unknowns};

/// Inner indices that are staged at a time; as in `device/dense/halves.cuh`.
pub(super) const SLICE: usize = 32;

/// Bytes of the terms of a number.
const TERMS: usize = 2 * size_of::<u16>();

/// Where short products have what they need; nothing where there are none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Short {
    /// The terms of all numbers that are there at one time.
    halves: u64,
    /// What undoes the scales of columns, or of rows.
    unscales: u64,
    /// The largest sizes of columns, and their products with the residuals, in parts.
    sizes: u64,
    slopes: u64,
}

/// Lines of products, and the inner indices that they are sums over.
fn shape(unknowns: Unknowns, rows: usize, stride: usize) -> [usize; 2] {
    match unknowns {
        Unknowns::Parameters => [stride, rows.next_multiple_of(SLICE)],
        Unknowns::Rows => [dense::stride(rows), stride],
        Unknowns::Diagonal | Unknowns::Sketch { .. } | Unknowns::Subspace { .. } => [0, 0],
    }
}

impl Short {
    /// Bytes for so many rows at one time.
    pub(super) fn bytes(products: Products, unknowns: Unknowns, rows: usize, stride: usize) -> usize {
        let [lines, inner] = shape(unknowns, rows, stride);
        let parts = if unknowns == Unknowns::Parameters { 2 * SLOPE_PARTS * stride } else { 0 };
        match products {
            Products::Exact => 0,
            Products::Short => lines * inner * TERMS + (lines + parts) * size_of::<f64>(),
        }
    }

    /// The same, from an address on.
    pub(super) fn at(start: u64, unknowns: Unknowns, rows: usize, stride: usize) -> Self {
        let [lines, inner] = shape(unknowns, rows, stride);
        let unscales = start + (lines * inner * TERMS) as u64;
        let sizes = unscales + (lines * size_of::<f64>()) as u64;
        let slopes = sizes + (SLOPE_PARTS * stride * size_of::<f64>()) as u64;
        Short { halves: start, unscales, sizes, slopes }
    }

    /// With what short products need.
    pub(super) fn of(self, dense: Dense) -> Dense {
        let Short { halves, unscales, sizes, .. } = self;
        Dense { halves, unscales, sizes, ..dense }
    }
}

impl Cuda<'_> {
    /// Queues the products of the columns of a chunk's rows, and theirs with the residuals, which stay exact.
    pub(super) fn queue_short_columns(&self, newton: &Newton, dense: &Dense) -> Result<(), CudaError> {
        let own = newton.short.of(*dense);
        let stride = own.stride as usize;
        let columns = Dense { parts: SLOPE_PARTS as u64, sums: newton.short.slopes, ..own };
        self.queue_dense("largest", stride / dense::BLOCK * SLOPE_PARTS, &columns)?;
        self.queue_dense("scale", stride.div_ceil(THREADS), &columns)?;
        self.queue_halves(newton.unknowns, &own)?;
        self.queue_dense("products", dense::tiles(own.size as usize) * own.parts as usize, &own)
    }

    /// Queues the sum of what [`Self::queue_short_columns`] found with the residuals, in its place among the equations.
    pub(super) fn queue_exact_slope(&self, newton: &Newton) -> Result<(), CudaError> {
        let dense = newton.dense;
        let (parts, sums) = (SLOPE_PARTS as u64, newton.short.slopes);
        let own = Dense { candidates: 1, parts, sums, to: dense.slope, ..dense };
        self.queue_dense("add", (own.stride as usize).div_ceil(THREADS), &own)
    }

    /// Queues the terms of all numbers.
    pub(super) fn queue_halves(&self, unknowns: Unknowns, dense: &Dense) -> Result<(), CudaError> {
        let [lines, inner] = shape(unknowns, dense.row_count as usize, dense.stride as usize);
        self.queue_dense("halve", lines / SIDE * (inner / SLICE), dense)
    }
}
