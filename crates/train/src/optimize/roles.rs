//! What the trainable numbers are, as far as methods know it.

/// Which of the trainable numbers are weights, and which of those make up matrices.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Roles {
    /// All trainable numbers.
    pub count: usize,
    /// The first so many are weights: nothing draws the others towards zero.
    pub weights: usize,
    /// Weights that are matrices, in their order, none twice. Others belong to no matrix.
    pub maps: Vec<AffineMap>,
}

/// A matrix of weights, row by row with one row for each input, and what it adds to its outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AffineMap {
    /// Where the matrix begins.
    pub first: usize,
    /// Its rows.
    pub inputs: usize,
    /// Its columns.
    pub outputs: usize,
    /// Whether a row of biases follows.
    pub biased: bool,
    /// Whether it neither reads what comes in from outside nor writes what goes out.
    pub hidden: bool,
}

impl Roles {
    /// Numbers of which nothing is known but which are weights: the first so many.
    pub fn plain(count: usize, weights: usize) -> Self {
        Roles { count, weights, maps: Vec::new() }
    }
}

impl AffineMap {
    /// The matrix with its row of biases, where there is one: rows and columns.
    pub fn with_bias(&self) -> [usize; 2] {
        [self.inputs + usize::from(self.biased), self.outputs]
    }

    /// The matrix alone.
    pub fn without_bias(&self) -> [usize; 2] {
        [self.inputs, self.outputs]
    }
}
