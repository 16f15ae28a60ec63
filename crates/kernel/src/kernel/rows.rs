//! A kernel's sum of squares as a least-squares problem: rows √factor · residual of all terms, term by term, point by point,
//! residual by residual.

use super::visit::{Diagonal, Narrow, Sketch, scale, scales};
use crate::cuda::CudaError;
use crate::error::fits;
use crate::{Dimension, Kernel, KernelError, Points, Sums, Weighted};
use linear::tree::sum;
use linear::{Gram, NormalEquations, Subspace, Unknowns};
use std::sync::Arc;

impl Kernel {
    /// The squared lengths of the gradients of every residual, one per point, at the first `most` points of its term. Not
    /// weighted; none without points.
    pub fn gradient_squares(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        most: usize,
    ) -> Result<Vec<Vec<f64>>, KernelError> {
        self.check(points, parameters)?;
        let mut found = Vec::with_capacity(self.sums.squares.len());
        let (mut residuals, mut rows) = (Vec::new(), Vec::new());
        let plan = Arc::clone(&self.plan);
        for (number, (term, points)) in plan.terms.iter().zip(points).enumerate() {
            let (each, count) = (term.residuals.len(), points.len().min(most));
            residuals.resize(count * each, 0.0);
            rows.resize(count * each * parameters.len(), 0.0);
            self.engine.jacobian((number, points, 0..count), parameters, &mut residuals, &mut rows)?;
            let mut squares = vec![Vec::with_capacity(count); each];
            for (place, row) in rows.chunks_exact(parameters.len().max(1)).enumerate() {
                squares[place % each].push(row.iter().map(|slope| slope * slope).sum::<f64>());
            }
            found.extend(squares);
        }
        Ok(found)
    }

    /// Rows of the least-squares problem over these points.
    pub fn row_count(&self, points: &[Points]) -> usize {
        let terms = self.plan.terms.iter().zip(points);
        terms.map(|(term, points)| term.residuals.len() * points.len()).sum()
    }

    /// The normal equations. They replace what `normal` held.
    pub fn normal_equations(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        normal: &mut NormalEquations,
    ) -> Result<&Sums, KernelError> {
        self.check_all(over, parameters)?;
        fits(Dimension::Gradient, self.plan.parameter_count(), normal.size())?;
        if self.solves_equations() {
            match self.linearize(over, parameters, None, Unknowns::Parameters) {
                Ok(found) => {
                    self.sums = found.sums;
                    self.fetch_equations(normal)?;
                    return Ok(&self.sums);
                }
                // Rows still come from the device, block by block, and are summed here.
                Err(KernelError::Cuda(CudaError::Memory { .. })) => {}
                Err(error) => return Err(error),
            }
        }
        self.visit_rows(over, parameters, normal)
    }

    /// The normal equations of a subspace of the parameters, which replace what `normal` held, and the rows r into `out`.
    pub fn subspace_equations(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        (subspace, normal): (&Subspace, &mut NormalEquations),
        out: &mut [f64],
    ) -> Result<&Sums, KernelError> {
        self.check_all(over, parameters)?;
        fits(Dimension::Output, self.row_count(over.points), out.len())?;
        fits(Dimension::Gradient, subspace.unknowns(), normal.size())?;
        let parameter_count = parameters.len();
        let mut narrow = Narrow { subspace, normal, out, parameters: parameter_count, wide: Vec::new() };
        self.visit_rows(over, parameters, &mut narrow)
    }

    /// The sums of [`Self::evaluate`] alone, for a third of its cost.
    pub fn sums(&mut self, points: &[Points], parameters: &[f64]) -> Result<&Sums, KernelError> {
        self.check(points, parameters)?;
        self.sums.begin(&self.plan, points.iter().map(Points::len));
        let mut squares = self.sums.squares.as_mut_slice();
        let plan = Arc::clone(&self.plan);
        for (number, (term, points)) in plan.terms.iter().zip(points).enumerate() {
            let (own, rest) = std::mem::take(&mut squares).split_at_mut(term.residuals.len());
            squares = rest;
            self.residuals.resize(points.len() * own.len(), 0.0);
            self.engine.fill(number, points, parameters, &mut self.residuals)?;
            let each = own.len();
            for (number, to) in own.iter_mut().enumerate() {
                let residuals = self.residuals.chunks_exact(each).map(|residuals| residuals[number]);
                *to = sum(residuals.map(|residual| residual * residual));
            }
        }
        Ok(&self.sums)
    }

    /// The products of all rows with each other; they replace what `gram` held.
    pub fn gram(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        gram: &mut Gram,
    ) -> Result<&Sums, KernelError> {
        self.check_all(over, parameters)?;
        fits(Dimension::Output, self.row_count(over.points), gram.size())?;
        self.visit_rows(over, parameters, gram)?;
        gram.finish();
        Ok(&self.sums)
    }

    /// The products of sums of rows with random signs, as many as `gram` has rows, and the rows r into `out`.
    pub fn sketch(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        gram: &mut Gram,
        out: &mut [f64],
    ) -> Result<&Sums, KernelError> {
        self.check_all(over, parameters)?;
        fits(Dimension::Output, self.row_count(over.points), out.len())?;
        gram.clear();
        self.visit_rows(over, parameters, &mut Sketch { gram, out })?;
        gram.finish_sums();
        Ok(&self.sums)
    }

    /// The diagonal of JᵀJ into `diagonal`, and the rows r into `out`.
    pub fn diagonal(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        diagonal: &mut [f64],
        out: &mut [f64],
    ) -> Result<&Sums, KernelError> {
        self.check_all(over, parameters)?;
        fits(Dimension::Gradient, parameters.len(), diagonal.len())?;
        fits(Dimension::Output, self.row_count(over.points), out.len())?;
        self.visit_rows(over, parameters, &mut Diagonal::new(diagonal, out))
    }

    /// J times a direction in parameter space.
    pub fn rows_along(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        direction: &[f64],
        out: &mut [f64],
    ) -> Result<(), KernelError> {
        self.fill_rows(over, parameters, out, |kernel, number, points, own| {
            kernel.jacobian_times(number, points, parameters, direction, own)
        })
    }

    /// The rows r.
    pub fn rows(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        out: &mut [f64],
    ) -> Result<(), KernelError> {
        self.fill_rows(over, parameters, out, |kernel, number, points, own| {
            kernel.engine.fill(number, points, parameters, own)
        })
    }

    /// Jᵀ times one number per row; replaces what `slope` held.
    pub fn rows_back(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        rows: &[f64],
        slope: &mut [f64],
    ) -> Result<(), KernelError> {
        self.check_all(over, parameters)?;
        fits(Dimension::Output, self.row_count(over.points), rows.len())?;
        let (mut seeds, mut part) = (rows.to_vec(), vec![0.0; slope.len()]);
        slope.fill(0.0);
        self.for_each_term(over, &mut seeds, |kernel, number, points, own, scales| {
            scale(own, scales);
            kernel.transposed_times(number, points, parameters, own, &mut part)?;
            slope.iter_mut().zip(&part).for_each(|(to, from)| *to += from);
            Ok(())
        })
    }

    /// Has the rows of every term filled, and scales them.
    fn fill_rows(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        out: &mut [f64],
        mut fill: impl FnMut(&mut Self, usize, &Points, &mut [f64]) -> Result<(), KernelError>,
    ) -> Result<(), KernelError> {
        self.check_all(over, parameters)?;
        fits(Dimension::Output, self.row_count(over.points), out.len())?;
        self.for_each_term(over, out, |kernel, number, points, own, scales| {
            fill(kernel, number, points, own)?;
            scale(own, scales);
            Ok(())
        })
    }

    /// Calls `each` for every term with its points, its part of `rows`, and what its residuals are to be multiplied by.
    fn for_each_term(
        &mut self,
        over: Weighted<'_>,
        rows: &mut [f64],
        mut each: impl FnMut(&mut Self, usize, &Points, &mut [f64], &[f64]) -> Result<(), KernelError>,
    ) -> Result<(), KernelError> {
        let (mut rest, mut factors) = (rows, over.factors);
        let plan = Arc::clone(&self.plan);
        for (number, (term, points)) in plan.terms.iter().zip(over.points).enumerate() {
            let (own, later) = factors.split_at(term.residuals.len());
            factors = later;
            let (part, later) = std::mem::take(&mut rest).split_at_mut(points.len() * own.len());
            rest = later;
            each(self, number, points, part, &scales(own))?;
        }
        Ok(())
    }
}
