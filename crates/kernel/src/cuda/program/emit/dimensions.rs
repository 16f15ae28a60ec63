//! How large everything of a fused kernel is, before a word of it is written.

use super::cut::{TileCut, WORKSPACE_BYTES};
use super::fused::Plain;
use super::{KernelTarget, TileMeasure};
use crate::Precision;
use crate::cuda::machine::Shape;
use equation::taylor::Plan;

/// In what a fused kernel computes: its numbers, their bytes, the terms of 16 bits that each is split into for the matrix units
/// (none: they take whole numbers), and how many of these lie apart.
#[derive(Clone, Copy)]
pub(super) struct NumberFormat {
    pub(super) name: &'static str,
    pub(super) terms: usize,
    pub(super) number: usize,
    pub(super) planes: usize,
}

impl NumberFormat {
    /// `None` where no fused kernel computes in a precision.
    pub(super) fn of(precision: Precision) -> Option<Self> {
        let (name, terms, number) = match precision {
            Precision::F64 => ("double", 0, 8),
            Precision::F32 => return None,
            Precision::Tf32 => ("float", 0, 4),
            Precision::Bf16x6 => ("float", 3, 4),
            Precision::Fp16x3 | Precision::Bf16x3 => ("float", 2, 4),
            Precision::Bf16 | Precision::Fp16 => ("float", 1, 4),
        };
        Some(NumberFormat { name, terms, number, planes: terms.max(1) })
    }

    /// Numbers of memory that 16 by 16 weights take.
    fn fragment(self) -> usize {
        if self.terms > 0 { self.planes * 128 } else { 256 }
    }

    /// Bytes of one layer's values in shared memory, which lie as `cell_at` in `device/step/fragments.cuh` says; or of what the
    /// last layer's activation is applied to, which takes their place.
    pub(super) fn cell_bytes(self, columns: usize, rows: usize) -> usize {
        let (cell, padding) = match (self.terms, self.number) {
            (1.., _) => (2, 0),
            (0, 4) => (4, 8),
            (0, number) => (number, 4),
        };
        let values = self.planes * rows * (columns.next_multiple_of(16) + padding) * cell;
        values.max(rows * columns * self.number)
    }
}

/// How large a fused kernel's parts are.
pub(super) struct Dimensions {
    pub(super) cut: TileCut,
    pub(super) shape: Shape,
    /// Numbers of scratch memory per block, of a gradient, of a block's own sums, of packed parameters.
    pub(super) scratch: usize,
    pub(super) gradient: usize,
    pub(super) sums: usize,
    pub(super) packed: usize,
    /// Rows of a layer's values in shared memory.
    pub(super) rows: usize,
    /// Layers whose sums wait there.
    pub(super) near_layers: usize,
    /// What the text states by name.
    pub(super) constants: Vec<(&'static str, usize)>,
}

impl Dimensions {
    /// With tiles of at most `most` points; `None` where not even the smallest have room.
    pub(super) fn of(
        plan: &Plan,
        plain: &Plain,
        format: NumberFormat,
        target: KernelTarget,
        most: usize,
    ) -> Option<Self> {
        let number = format.number;
        let cut = TileCut::of(plan, plain, format, most, target)?;
        let Plain { features, neurons, hidden, outputs, .. } = *plain;
        let tiles = cut.warps * cut.down;
        let width = 16 * tiles;
        let feature_rows = features.next_multiple_of(16);
        let fragment = format.fragment();
        // Of a product's inner dimension; warps that only fill up a group add rows, no steps.
        let inner = neurons.div_ceil(16);
        let (first_packed, square_packed) = (feature_rows / 16 * tiles * fragment, inner * tiles * fragment);
        let biases_packed = first_packed + 2 * (hidden - 1) * square_packed;
        let head_packed = biases_packed + hidden * width;
        // Rows and inputs in eights: what only fills up tiles has no gradient.
        let rows_gradient = neurons.next_multiple_of(8);
        let first_gradient = rows_gradient * features.next_multiple_of(8);
        let square_gradient = rows_gradient * rows_gradient;
        let biases_gradient = first_gradient + (hidden - 1) * square_gradient;
        let head_gradient = biases_gradient + hidden * rows_gradient;
        let gradient = (head_gradient + outputs * (rows_gradient + 1)).next_multiple_of(64);
        let columns = plan
            .terms
            .iter()
            .zip(&cut.points)
            .map(|(term, &points)| term.channels.len() * term.row.sites * points);
        // Sums of all layers but the last wait for the way back: as many layers as have room in shared memory, or some columns of
        // each where not even one has, the others outside.
        let (waiting, across) = (hidden - 1, columns.max().unwrap_or(0) / 8);
        let tile = 8 * width;
        let near_layers = waiting.min(cut.spare / (across * tile * number).max(1));
        let near_tiles = match near_layers {
            0 => cut.spare.checked_div(waiting * tile * number).unwrap_or(0),
            _ => 0,
        };
        let near = near_layers * across + waiting * near_tiles;
        let scratch = (waiting * across - near) * tile;
        let shared = cut.shared + near * tile * number;
        let residuals: usize = plan.terms.iter().map(|term| term.residuals.len()).sum();
        let (weights, scalars) = (plan.architecture.weight_count(), plan.scalars.len());
        let sums = scalars + residuals;
        let threads = 32 * cut.warps;
        let constants = vec![
            ("THREADS", threads),
            ("WORKSPACE_BYTES", WORKSPACE_BYTES * threads),
            ("SHARED_BYTES", shared),
            ("NEAR_BYTES", cut.shared),
            ("NEAR_TILES", near_tiles),
            ("WEIGHTS", weights),
            ("SCALARS", scalars),
            ("PARAMETERS", plan.parameter_count()),
            ("SCRATCH", scratch),
            ("SHARING", target.variant.sharing),
            ("GRADIENT", gradient),
            ("SUMS", sums),
            ("DOWN", cut.down),
            ("TILES", tiles),
            ("INNER", inner),
            ("WIDTH", width),
            ("NEURONS", neurons),
            ("HIDDEN", hidden),
            ("OUTPUTS", outputs),
            ("FEATURE_ROWS", feature_rows),
            ("ROWS", width.max(feature_rows)),
            ("FIRST_PACKED", first_packed),
            ("SQUARE_PACKED", square_packed),
            ("BIASES_PACKED", biases_packed),
            ("HEAD_PACKED", head_packed),
            ("FIRST_GRADIENT", first_gradient),
            ("ROWS_GRADIENT", rows_gradient),
            ("SQUARE_GRADIENT", square_gradient),
            ("BIASES_GRADIENT", biases_gradient),
            ("HEAD_GRADIENT", head_gradient),
        ];
        Some(Dimensions {
            shape: Shape { threads, shared, each: cut.each },
            cut,
            scratch,
            gradient,
            sums,
            packed: head_packed + outputs * (width + 1),
            rows: width.max(feature_rows),
            near_layers,
            constants,
        })
    }

    pub(super) fn into_measure(self) -> TileMeasure {
        let Dimensions { cut, shape, scratch, gradient, .. } = self;
        TileMeasure { points: cut.points, shape, scratch, gradient }
    }
}
