//! Where the signals of a term lie when all of its points are in memory at once.

use crate::adjoints::Adjoints;
use equation::taylor::{Architecture, Layer, Term};

/// Points of a tile: neighbours in memory, one warp.
pub(super) const POINTS: usize = 32;

/// All signals as rows of one matrix, values first, then adjoints. A row is one neuron.
#[derive(Clone, Debug)]
pub(super) struct Signals {
    /// The first row of every signal's values.
    pub(super) values: Vec<usize>,
    /// Whether a product reads the signal: behind its values is a row that is multiplied with the bias.
    pub(super) multiplied: Vec<bool>,
    pub(super) adjoints: Adjoints,
    /// The first row of every buffer for adjoints.
    pub(super) slots: Vec<usize>,
    /// Rows of all of these.
    pub(super) rows: usize,
}

impl Signals {
    pub(super) fn new(architecture: &Architecture) -> Signals {
        let widths = &architecture.widths;
        let adjoints = Adjoints::assign(architecture, widths);
        let mut multiplied = vec![false; widths.len()];
        for layer in &architecture.layers {
            if let Layer::Dense { input, .. } = *layer {
                multiplied[input] = true;
            }
        }
        let mut rows = 0;
        let mut stack = |count: usize| {
            rows += count;
            rows - count
        };
        let own = widths.iter().zip(&multiplied).map(|(width, read)| width + usize::from(*read));
        let values = own.map(&mut stack).collect();
        let slots = adjoints.slots.iter().copied().map(&mut stack).collect();
        Signals { values, multiplied, adjoints, slots, rows }
    }

    /// The first rows of the network's outputs and of their adjoints.
    pub(super) fn head(&self) -> (usize, usize) {
        (self.values[self.values.len() - 1], self.slots[self.adjoints.output])
    }

    /// Numbers that a term at so many points takes.
    pub(super) fn numbers(&self, term: &Term, scalars: usize, points: usize) -> usize {
        let arrays: usize = arrays(term, scalars).iter().map(|(_, size)| size).sum();
        self.rows * columns(term, points) + points.div_ceil(POINTS) * arrays
    }
}

/// Numbers of a row: all channels at all places of whole tiles.
pub(super) fn columns(term: &Term, points: usize) -> usize {
    term.channels.len() * term.row.sites * points.next_multiple_of(POINTS)
}

/// Names and sizes of the arrays that every tile has behind the signals.
pub(super) fn arrays(term: &Term, scalars: usize) -> [(&'static str, usize); 3] {
    let coefficients = term.channels.coefficients.len() * term.row.sites * POINTS;
    let trained = if term.coefficients_adjoint.variables.is_empty() { 0 } else { coefficients };
    [("COEFFICIENTS", coefficients), ("COEFFICIENTS_BAR", trained), ("SCALAR_BARS", scalars * POINTS)]
}
