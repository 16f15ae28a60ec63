//! One loss term, prepared for tiles.

use super::activation::Chain;
use super::layout::TapeLayout;
use super::product::ProductRule;
use equation::taylor::{Architecture, Layer, Term};
use linear::Float;
use std::sync::Arc;

/// Bytes of jets that a tile may occupy: about half of a second-level cache.
const TILE_BYTES: usize = 640 * 1024;

/// Points of the largest tile; more bring nothing.
pub(crate) const MOST_POINTS: usize = 64;

/// Points of the smallest tile: with fewer, products have too few rows.
const FEWEST_POINTS: usize = 8;

#[derive(Clone, Debug)]
pub(crate) struct TermCode<T> {
    pub(crate) term: Arc<Term>,
    pub(crate) chain: Chain<T>,
    pub(crate) product: ProductRule<T>,
    pub(crate) channels: usize,
    /// Points per tile.
    pub(crate) points: usize,
    /// Coefficients differ from point to point.
    pub(crate) varies: bool,
    /// Coefficients depend on trainable scalars, so their adjoints are wanted.
    pub(crate) trains_coefficients: bool,
}

impl<T: Float> TermCode<T> {
    pub(crate) fn new(architecture: &Architecture, layout: &TapeLayout, term: &Arc<Term>) -> Self {
        let channels = term.channels.len();
        let numbers: usize = architecture
            .layers
            .iter()
            .map(|layer| match *layer {
                // The value, and the two numbers that its derivatives follow from.
                Layer::Activate { output, .. } => layout.padded[output] * (channels + 2),
                layer => layout.padded[layer.output()] * channels,
            })
            .sum();
        let bytes = (numbers * term.row.sites).max(1) * size_of::<T>();
        let points = (TILE_BYTES / bytes).clamp(FEWEST_POINTS, MOST_POINTS);
        TermCode {
            term: Arc::clone(term),
            chain: Chain::new(&term.rules, channels),
            product: ProductRule::new(&term.rules),
            channels,
            points: points / 4 * 4,
            varies: !term.channels.coefficients.is_empty(),
            trains_coefficients: !term.coefficients_adjoint.variables.is_empty(),
        }
    }

    /// Rows of one tile's matrices.
    pub(crate) fn rows(&self) -> usize {
        self.channels * self.points
    }
}
