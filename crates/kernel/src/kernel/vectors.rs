//! Vectors as long as the parameters that stay on a device: methods that remember steps see products of them, and no
//! more.

use crate::error::fits;
use crate::{Dimension, Kernel, KernelError, Points, Sums, Weighted};
use linear::Change;

impl Kernel {
    /// Whether its device keeps vectors.
    pub fn keeps_vectors(&mut self) -> bool {
        self.engine.solver().is_some()
    }

    /// Makes room for so many vectors as long as the parameters, and for a matrix; what was there before is lost.
    /// Fails where a device does not have it.
    pub fn reserve_vectors(&mut self, count: usize, matrix: bool) -> Result<(), KernelError> {
        Ok(self.keeper()?.reserve_vectors(count, matrix)?)
    }

    /// Brings numbers to a vector.
    pub fn put_vector(&mut self, vector: usize, numbers: &[f64]) -> Result<(), KernelError> {
        fits(Dimension::Parameters, self.plan.parameter_count(), numbers.len())?;
        Ok(self.keeper()?.put_vector(vector, numbers)?)
    }

    /// Fetches the numbers of a vector.
    pub fn fetch_vector(&mut self, vector: usize, numbers: &mut [f64]) -> Result<(), KernelError> {
        fits(Dimension::Parameters, self.plan.parameter_count(), numbers.len())?;
        Ok(self.keeper()?.fetch_vector(vector, numbers)?)
    }

    /// The products of pairs of vectors.
    pub fn dots(&mut self, pairs: &[[usize; 2]]) -> Result<Vec<f64>, KernelError> {
        Ok(self.keeper()?.dots(pairs)?)
    }

    /// A vector becomes the sum of coefficients times vectors, which may be itself.
    pub fn combine(&mut self, to: usize, summands: &[(f64, usize)]) -> Result<(), KernelError> {
        Ok(self.keeper()?.combine(to, summands)?)
    }

    /// As [`Self::evaluate`], at the parameters that vector `at` holds; the gradient goes to another vector.
    pub fn evaluate_at(
        &mut self,
        over: Weighted<'_>,
        at: usize,
        gradient: usize,
    ) -> Result<&Sums, KernelError> {
        fits(Dimension::Weights, self.sums.squares.len(), over.factors.len())?;
        fits(Dimension::PointSets, self.plan.terms.len(), over.points.len())?;
        for (term, points) in self.plan.terms.iter().zip(over.points) {
            fits(Dimension::RowWidth, term.row.width(), points.width())?;
        }
        let device = self.device();
        let engine = self.engine.solver().ok_or(KernelError::SolvesNothing { device })?;
        self.sums.begin(&self.plan, over.points.iter().map(Points::len));
        engine.evaluate_at(over, at, gradient, &mut self.sums.squares)?;
        Ok(&self.sums)
    }

    /// Changes the matrix, if that is wanted, and writes its product with a vector into another.
    pub fn change_and_multiply(
        &mut self,
        change: Option<Change>,
        vector: usize,
        product: usize,
    ) -> Result<(), KernelError> {
        Ok(self.keeper()?.multiply_matrix(change, vector, product)?)
    }

    /// The matrix becomes the symmetric one whose lower triangle is `numbers`, row by row, or the identity.
    pub fn put_matrix(&mut self, numbers: Option<&[f64]>) -> Result<(), KernelError> {
        let (size, given) = (self.plan.parameter_count(), numbers.map(<[f64]>::len));
        let expected = size * (size + 1) / 2;
        fits(Dimension::Output, expected, given.unwrap_or(expected))?;
        Ok(self.keeper()?.put_matrix(numbers)?)
    }

    /// The lower triangle of the matrix, row by row.
    pub fn fetch_matrix(&mut self, numbers: &mut [f64]) -> Result<(), KernelError> {
        let size = self.plan.parameter_count();
        fits(Dimension::Output, size * (size + 1) / 2, numbers.len())?;
        Ok(self.keeper()?.fetch_matrix_numbers(numbers)?)
    }

    fn keeper(&mut self) -> Result<&mut crate::cuda::Cuda, KernelError> {
        let device = self.device();
        self.engine.solver().ok_or(KernelError::SolvesNothing { device })
    }
}
