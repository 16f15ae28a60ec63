//! Where everything lies on the device: packed matrices, and a block's scratch memory by rows.

use crate::adjoints::{self, Adjoints};
use equation::taylor::{Architecture, Layer};

/// Matrices are packed in rows of whole 16-byte pieces.
const PIECE: usize = 4;

/// Rows and columns of a tile of a least-squares problem's matrix; as in `device/dense/normal.cuh`.
pub(crate) const SIDE: usize = 128;

/// Numbers from one row of the Jacobian, or of a matrix with so many unknowns, to the next: the residual lies behind
/// the parameters, and two more rows behind the unknowns.
pub(crate) fn stride(unknowns: usize) -> usize {
    (unknowns + 2).next_multiple_of(SIDE)
}

/// A network's memory on the device. A *row* is one neuron: all channels at all places of a tile.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The first row of every signal's values.
    pub(crate) values: Vec<usize>,
    pub(crate) adjoints: Adjoints,
    /// The first row of every buffer for adjoints.
    pub(crate) slots: Vec<usize>,
    /// Rows of all of these.
    pub(crate) rows: usize,
    /// One per layer; `None` where a layer has no weights.
    pub(crate) dense: Vec<Option<DenseLayout>>,
    /// One per layer: where its factors lie among the packed numbers; `None` where it has none.
    pub(crate) factors: Vec<Option<FactorsLayout>>,
    /// Numbers of all packed matrices.
    pub(crate) packed: usize,
}

/// Trainable factors of neurons: how many, and where they lie among the packed numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FactorsLayout {
    pub(crate) count: usize,
    pub(crate) place: usize,
}

/// Where a dense layer's matrix, its transpose and its bias lie among the packed ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DenseLayout {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) matrix: usize,
    pub(crate) transpose: usize,
    pub(crate) bias: usize,
}

impl Layout {
    pub(crate) fn new(architecture: &Architecture) -> Layout {
        let widths = &architecture.widths;
        let adjoints = Adjoints::assign(architecture, widths);
        let mut rows = 0;
        let mut stack = |count: &usize| {
            rows += count;
            rows - count
        };
        let values = widths.iter().map(&mut stack).collect();
        let slots = adjoints.slots.iter().map(&mut stack).collect();
        let mut packed = 0;
        let dense = |layer: &Layer| match *layer {
            Layer::Dense { input, output, .. } => {
                let (inputs, outputs) = (widths[input], widths[output]);
                let matrix = packed;
                let transpose = matrix + inputs * outputs.next_multiple_of(PIECE);
                let bias = transpose + outputs * inputs.next_multiple_of(PIECE);
                packed = bias + outputs.next_multiple_of(PIECE);
                Some(DenseLayout { inputs, outputs, matrix, transpose, bias })
            }
            _ => None,
        };
        let dense = architecture.layers.iter().map(dense).collect();
        let factors = |layer: &Layer| {
            let (_, shared) = layer.factors()?;
            let (count, place) = (if shared { 1 } else { widths[layer.output()] }, packed);
            packed += count.next_multiple_of(PIECE);
            Some(FactorsLayout { count, place })
        };
        let factors = architecture.layers.iter().map(factors).collect();
        Layout { values, adjoints, slots, rows, dense, factors, packed }
    }

    /// For kernels that never come back: rows hold other values as soon as no later layer reads them.
    pub(crate) fn one_way(architecture: &Architecture) -> Layout {
        let mut layout = Layout::new(architecture);
        let (slots, of) = adjoints::values(architecture, &architecture.widths);
        let first = |slot: usize| slots[..slot].iter().sum();
        layout.values = of.into_iter().map(first).collect();
        layout.rows = slots.iter().sum();
        layout
    }
}
