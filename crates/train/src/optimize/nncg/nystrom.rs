//! A Nyström approximation of the Hessian, as a preconditioner (Frangella, Tropp, Udell 2023; Rathore et al. 2024, algorithms 5 and 6).

use super::bent::Bent;
use crate::Refusal;
use linear::{Eigen, SmallMatrix, Subspace, eigen, orthogonal};

/// Products are known to so many digits of the largest.
const ROUGH: f64 = 1e-7;
/// Eigenvalues below this share of the largest are rounding.
const LEAST: f64 = 1e-10;

/// The largest eigenvalues of the Hessian, and their eigenvectors.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Nystrom {
    /// One row each.
    pub(super) vectors: SmallMatrix,
    /// The largest first; all above zero.
    pub(super) values: Vec<f64>,
}

impl Nystrom {
    /// From products with so many random vectors, which are those of a turn. Negative curvature is left out: what is to be solved with is
    /// positive.
    pub(super) fn of(bent: &mut Bent<'_>, rank: usize, turn: u64) -> Result<Self, Refusal> {
        let count = bent.count();
        let rank = rank.min(count);
        let tests = orthogonal(&signs(rank, count, turn).transposed()).transposed();
        let mut products = SmallMatrix::zero(rank, count);
        for row in 0..rank {
            products.row_mut(row).copy_from_slice(&bent.product(tests.row(row))?);
        }
        // A shift makes up for rounding; it is taken off again at the end.
        let shift = ROUGH * products.norm();
        products.blend(1.0, shift, &tests);
        let mut core = tests.times(&products.transposed());
        let other = core.transposed();
        core.blend(0.5, 0.5, &other);
        // Y·core⁺·Yᵀ = BBᵀ, in the eigenvectors of BᵀB.
        let roots = scaled_down(&eigen(&core), products);
        let found = eigen(&roots.times(&roots.transposed()));
        let kept = found.values.iter().take_while(|value| **value > LEAST * found.values[0]).count();
        let vectors = scaled_down(&found, roots);
        let first = SmallMatrix::packed(kept, count, &vectors.iter().take(kept * count).collect::<Vec<_>>());
        let values = found.values[..kept].iter().map(|value| (value - shift).max(0.0)).collect();
        Ok(Nystrom { vectors: orthogonal(&first.transposed()).transposed(), values })
    }

    /// What was saved.
    pub(super) fn saved(vectors: &[f64], values: &[f64]) -> Self {
        let rank = values.len();
        let count = vectors.len() / rank.max(1);
        Nystrom { vectors: SmallMatrix::packed(rank, count, vectors), values: values.to_vec() }
    }

    /// What solves for a vector with the approximation and a damping, up to a factor.
    pub(super) fn solve(&self, damping: f64, vector: &[f64]) -> Vec<f64> {
        let mut found = vector.to_vec();
        let Some(last) = self.values.last() else { return found };
        for (row, value) in self.values.iter().enumerate() {
            let own = self.vectors.row(row);
            let share: f64 = own.iter().zip(vector).map(|(own, part)| own * part).sum();
            let factor = share * ((last + damping) / (value + damping) - 1.0);
            found.iter_mut().zip(own).for_each(|(found, own)| *found += factor * own);
        }
        found
    }
}

/// D^(-1/2)·Vᵀ times a matrix, over the eigenvalues D that are no rounding; other rows are zero.
fn scaled_down(Eigen { values, vectors }: &Eigen, matrix: SmallMatrix) -> SmallMatrix {
    let mut turned = vectors.transposed_times(&matrix);
    let least = LEAST * values.first().copied().unwrap_or(0.0).max(0.0);
    for (row, value) in values.iter().enumerate() {
        let factor = if *value > least { value.sqrt().recip() } else { 0.0 };
        turned.row_mut(row).iter_mut().for_each(|number| *number *= factor);
    }
    turned
}

/// Random signs, the same for the same turn.
fn signs(rows: usize, columns: usize, turn: u64) -> SmallMatrix {
    let mut matrix = SmallMatrix::zero(rows, columns);
    let mut next = turn.wrapping_mul((rows * columns) as u64);
    for row in 0..rows {
        for number in matrix.row_mut(row) {
            *number = if Subspace::key(next) & 1 == 0 { 1.0 } else { -1.0 };
            next = next.wrapping_add(1);
        }
    }
    matrix
}
