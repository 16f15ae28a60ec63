//! Products of numbers in half precision, for steps whose damping is far above their error.

use super::cut::tiles;
use super::dense::{self, Dense, THREADS};
use super::queue::Queue;
use super::room::SLOPE_PARTS;
use crate::cuda::CudaError;
use crate::cuda::machine::Region;
use crate::cuda::program::{SIDE, stride};
use linear::{Products, Unknowns};

/// Inner indices that are staged at a time; as in `device/dense/halves.cuh`.
pub(super) const SLICE: usize = 32;

/// Bytes of the terms of a number.
const TERMS: usize = 2 * size_of::<u16>();

/// Where short products have what they need; nothing where there are none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Short {
    /// The terms of all numbers that are there at one time.
    halves: Region<u16>,
    /// What undoes the scales of columns, or of rows.
    unscales: Region<f64>,
    /// The largest sizes of columns, and their products with the residuals, in parts.
    sizes: Region<f64>,
    slopes: Region<f64>,
}

/// Lines of products, and the inner indices that they are sums over.
fn shape(unknowns: Unknowns, rows: usize, row: usize) -> [usize; 2] {
    match unknowns {
        Unknowns::Parameters => [row, rows.next_multiple_of(SLICE)],
        Unknowns::Rows => [stride(rows), row],
        Unknowns::Diagonal | Unknowns::Sketch { .. } | Unknowns::Subspace { .. } => [0, 0],
    }
}

/// Numbers of the largest sizes of columns, and as many of their products with the residuals; rows need neither.
fn parts(unknowns: Unknowns, row: usize) -> usize {
    if unknowns == Unknowns::Parameters { SLOPE_PARTS * row } else { 0 }
}

impl Short {
    /// Bytes for so many rows of `row` numbers at one time.
    pub(super) fn bytes(products: Products, unknowns: Unknowns, rows: usize, row: usize) -> usize {
        let [lines, inner] = shape(unknowns, rows, row);
        match products {
            Products::Exact => 0,
            Products::Short => lines * inner * TERMS + (lines + 2 * parts(unknowns, row)) * size_of::<f64>(),
        }
    }

    /// The same in their place.
    pub(super) fn of(
        all: Region<u8>,
        (products, unknowns): (Products, Unknowns),
        rows: usize,
        row: usize,
    ) -> Self {
        if products == Products::Exact {
            return Short::default();
        }
        let ([lines, inner], parts) = (shape(unknowns, rows, row), parts(unknowns, row));
        let halves = all.part(0, lines * inner * TERMS);
        let numbers = all.from(halves.count()).cast::<f64>();
        let [unscales, sizes, slopes] = numbers.split([lines, parts, parts]);
        Short { halves: halves.cast(), unscales, sizes, slopes }
    }

    /// With what short products need.
    pub(super) fn with(self, dense: Dense) -> Dense {
        let Short { halves, unscales, sizes, .. } = self;
        Dense { halves, unscales, sizes, ..dense }
    }
}

impl Queue<'_> {
    /// Queues the products of the columns of a chunk's rows, and theirs with the residuals, which stay exact.
    pub(super) fn short_columns(&self, dense: &Dense) -> Result<(), CudaError> {
        let own = self.problem.short.with(*dense);
        let stride = own.stride as usize;
        let columns = Dense { parts: SLOPE_PARTS as u64, sums: self.problem.short.slopes, ..own };
        self.launch("largest", stride / dense::BLOCK * SLOPE_PARTS, &columns)?;
        self.launch("scale", stride.div_ceil(THREADS), &columns)?;
        self.halves(&own)?;
        self.launch("products", tiles(own.size as usize) * own.parts as usize, &own)
    }

    /// Queues the sum of what [`Self::short_columns`] found with the residuals, in its place among the equations.
    pub(super) fn exact_slope(&self) -> Result<(), CudaError> {
        let dense = self.problem.dense;
        let (parts, sums) = (SLOPE_PARTS as u64, self.problem.short.slopes);
        let own = Dense { candidates: 1, parts, sums, to: dense.slope, ..dense };
        self.launch("add", (own.stride as usize).div_ceil(THREADS), &own)
    }

    /// Queues the terms of all numbers.
    pub(super) fn halves(&self, dense: &Dense) -> Result<(), CudaError> {
        let [lines, inner] = shape(self.problem.unknowns, dense.row_count as usize, dense.stride as usize);
        self.launch("halve", lines / SIDE * (inner / SLICE), dense)
    }
}
