//! Vectors that are not on the host.

use crate::{Losses, Refusal};
use linear::Change;

/// Whether there is room for vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Room {
    /// There is.
    Enough,
    /// There is not.
    TooLittle {
        /// What would be needed.
        bytes: usize,
    },
}

/// Vectors as long as the parameters that stay where the loss is evaluated, by number: a method sees products of them.
pub trait Vectors {
    /// Makes room for so many, and for a matrix where one is wanted; what was there is lost.
    fn reserve(&mut self, count: usize, matrix: bool) -> Result<Room, Refusal>;

    /// Brings numbers to a vector.
    fn put(&mut self, vector: usize, numbers: &[f64]) -> Result<(), Refusal>;

    /// Fetches the numbers of a vector.
    fn fetch(&mut self, vector: usize, numbers: &mut [f64]) -> Result<(), Refusal>;

    /// Products of pairs of vectors.
    fn dots(&mut self, pairs: &[[usize; 2]]) -> Result<Vec<f64>, Refusal>;

    /// A vector becomes the sum of coefficients times vectors, which may be itself.
    fn combine(&mut self, to: usize, summands: &[(f64, usize)]) -> Result<(), Refusal>;

    /// The losses at the parameters of a vector, finite, with their gradient in another, finite or not.
    fn eval(&mut self, at: usize, gradient: usize) -> Result<&Losses, Refusal>;

    /// Changes the matrix, if that is wanted, and writes its product with a vector into another.
    fn multiply(&mut self, change: Option<Change>, vector: usize, product: usize) -> Result<(), Refusal>;

    /// The matrix becomes the symmetric one with this lower triangle, row by row, or the identity.
    fn put_matrix(&mut self, numbers: Option<&[f64]>) -> Result<(), Refusal>;

    /// The lower triangle of the matrix, row by row.
    fn fetch_matrix(&mut self, numbers: &mut [f64]) -> Result<(), Refusal>;
}
