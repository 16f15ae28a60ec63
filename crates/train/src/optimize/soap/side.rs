//! The rows or the columns of a matrix: how gradients lie in them, and a basis that follows.

use linear::{SmallMatrix, eigen, orthogonal};

/// A side of more rows than this keeps the basis that it has: finding another would take longer than the step.
const MOST: usize = 1024;

/// One side of a matrix.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Side {
    /// Nothing is to be turned: a single row, or too many.
    Fixed(usize),
    /// With a running mean of products.
    Turned {
        /// Of the gradient with itself.
        products: SmallMatrix,
        /// One column each, all at right angles.
        basis: SmallMatrix,
        /// The same, row by row.
        transposed: SmallMatrix,
    },
}

impl Side {
    /// Before the first gradient.
    pub(super) fn new(size: usize) -> Self {
        if !(2..=MOST).contains(&size) {
            return Side::Fixed(size);
        }
        let identity = SmallMatrix::identity(size);
        let products = SmallMatrix::zero(size, size);
        Side::Turned { products, transposed: identity.clone(), basis: identity }
    }

    /// Takes note of a gradient's products with itself.
    pub(super) fn learn(&mut self, found: impl FnOnce() -> SmallMatrix, keep: f64) {
        if let Side::Turned { products, .. } = self {
            products.blend(keep, 1.0 - keep, &found());
        }
    }

    /// Finds the first basis: the eigenvectors of the products.
    pub(super) fn begin(&mut self) {
        if let Side::Turned { products, .. } = self {
            let found = eigen(products).vectors;
            self.set_basis(found);
        }
    }

    /// A step of the power iteration from the basis at hand towards the eigenvectors, sorted by what they stand for; where each came from.
    pub(super) fn turn(&mut self) -> Vec<usize> {
        let (products, basis) = match self {
            Side::Fixed(size) => return (0..*size).collect(),
            Side::Turned { products, basis, .. } => (&*products, &*basis),
        };
        let size = products.rows();
        let pushed = products.times(basis);
        let share = |column: usize| -> f64 {
            (0..size).map(|row| basis.row(row)[column] * pushed.row(row)[column]).sum()
        };
        let shares: Vec<f64> = (0..size).map(share).collect();
        let mut order: Vec<usize> = (0..size).collect();
        order.sort_by(|&one, &other| shares[other].total_cmp(&shares[one]));
        let mut sorted = SmallMatrix::zero(size, size);
        for row in 0..size {
            let from = pushed.row(row);
            sorted.row_mut(row).iter_mut().zip(&order).for_each(|(to, &column)| *to = from[column]);
        }
        self.set_basis(orthogonal(&sorted));
        order
    }

    fn set_basis(&mut self, found: SmallMatrix) {
        if let Side::Turned { basis, transposed, .. } = self {
            *transposed = found.transposed();
            *basis = found;
        }
    }

    /// Rows in terms of the basis.
    pub(super) fn inside_rows(&self, matrix: &SmallMatrix) -> SmallMatrix {
        match self {
            Side::Fixed(_) => matrix.clone(),
            Side::Turned { basis, .. } => basis.transposed_times(matrix),
        }
    }

    /// Columns in terms of the basis.
    pub(super) fn inside_columns(&self, matrix: SmallMatrix) -> SmallMatrix {
        match self {
            Side::Fixed(_) => matrix,
            Side::Turned { basis, .. } => matrix.times(basis),
        }
    }

    /// What rows in terms of the basis are.
    pub(super) fn outside_rows(&self, matrix: &SmallMatrix) -> SmallMatrix {
        match self {
            Side::Fixed(_) => matrix.clone(),
            Side::Turned { basis, .. } => basis.times(matrix),
        }
    }

    /// What columns in terms of the basis are.
    pub(super) fn outside_columns(&self, matrix: SmallMatrix) -> SmallMatrix {
        match self {
            Side::Fixed(_) => matrix,
            Side::Turned { transposed, .. } => matrix.times(transposed),
        }
    }

    /// How many numbers it is saved as.
    pub(super) fn count(&self) -> usize {
        match self {
            Side::Fixed(_) => 0,
            Side::Turned { products, .. } => 2 * products.rows() * products.rows(),
        }
    }

    /// What is saved: the products, then the basis.
    pub(super) fn numbers(&self) -> Vec<f64> {
        match self {
            Side::Fixed(_) => Vec::new(),
            Side::Turned { products, basis, .. } => products.iter().chain(basis.iter()).collect(),
        }
    }

    /// Sets what was saved, [`Self::count`] numbers.
    pub(super) fn set(&mut self, numbers: &[f64]) {
        let Side::Turned { products, .. } = self else { return };
        let size = products.rows();
        let (before, behind) = numbers.split_at(size * size);
        *products = SmallMatrix::packed(size, size, before);
        self.set_basis(SmallMatrix::packed(size, size, behind));
    }
}
