//! A kernel's loss as a least-squares problem: rows √(weight/points) · residual of all terms, term by term,
//! point by point, residual by residual. Weights may be others than the plan's here.

use crate::cuda::CudaError;
use crate::error::fits;
use crate::kernel::plan_weights;
use crate::{
    Gram, Kernel, KernelError, Losses, NormalEquations, Points, Products, Shape, Subspace, Unknowns,
};

/// Numbers of the Jacobian that are there at a time where only its diagonal is wanted.
const ROOM: usize = 1 << 21;

/// Points of a term that suffice to tell how its residuals depend on the parameters.
const SAMPLE: usize = 128;

/// How many times longer than their median the root of the mean square of gradients may be. Where points gather in a
/// front, a few gradients are longer than all others by orders of magnitude, and the longer, the steeper the front is.
const STEEP: f64 = 4.0;

/// The root of the mean of lengths squared, as long as it is typical of them.
fn typical(squares: &mut [f64]) -> f64 {
    let mean = squares.iter().sum::<f64>() / squares.len().max(1) as f64;
    squares.sort_unstable_by(f64::total_cmp);
    let median = squares.get(squares.len() / 2).copied().unwrap_or(0.0);
    // Most of what a condition is about may depend on nothing.
    if median > 0.0 { mean.min(STEEP * STEEP * median).sqrt() } else { mean.sqrt() }
}

impl Kernel<'_> {
    /// Makes these the factors of the residuals, in the order of [`Losses::mean_squares`]; the plan's own
    /// where there are none. [`Kernel::evaluate`] and [`Kernel::run_steps`] keep to the plan's.
    pub fn set_weights(&mut self, weights: &[f64]) -> Result<(), KernelError> {
        let own = plan_weights(self.plan);
        fits(Shape::Weights, own.len(), if weights.is_empty() { own.len() } else { weights.len() })?;
        self.weights = if weights.is_empty() { own } else { weights.to_vec() };
        Ok(())
    }

    /// How strongly every residual depends on the parameters: the root of the mean, over some of the points,
    /// of its gradient squared, but no more than four times the median length. Not weighted; zero without points.
    pub fn scales(&mut self, points: &[Points], parameters: &[f64]) -> Result<Vec<f64>, KernelError> {
        self.check(points, parameters)?;
        let mut found = Vec::with_capacity(self.weights.len());
        let (mut residuals, mut rows) = (Vec::new(), Vec::new());
        for (number, (term, points)) in self.plan.terms.iter().zip(points).enumerate() {
            let (each, count) = (term.residuals.len(), points.len().min(SAMPLE));
            residuals.resize(count * each, 0.0);
            rows.resize(count * each * parameters.len(), 0.0);
            self.engine.jacobian((number, points, 0..count), parameters, &mut residuals, &mut rows)?;
            let mut squares = vec![Vec::with_capacity(count); each];
            for (place, row) in rows.chunks_exact(parameters.len().max(1)).enumerate() {
                squares[place % each].push(row.iter().map(|slope| slope * slope).sum::<f64>());
            }
            found.extend(squares.iter_mut().map(|squares| typical(squares)));
        }
        Ok(found)
    }

    /// Rows of the least-squares problem over these points.
    pub fn row_count(&self, points: &[Points]) -> usize {
        let terms = self.plan.terms.iter().zip(points);
        terms.map(|(term, points)| term.residuals.len() * points.len()).sum()
    }

    /// The normal equations. They replace what `normal` held. The Jacobian is never there as a whole.
    pub fn normal_equations(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        normal: &mut NormalEquations,
    ) -> Result<&Losses, KernelError> {
        self.check(points, parameters)?;
        fits(Shape::Gradient, self.plan.parameter_count(), normal.size())?;
        if self.solves_equations() {
            match self.linearize(points, parameters, None, (Unknowns::Parameters, Products::Exact)) {
                Ok(found) => {
                    self.losses = found.losses;
                    self.fetch_equations(normal)?;
                    return Ok(&self.losses);
                }
                // Rows still come from the device, block by block, and are added up here.
                Err(KernelError::Cuda(CudaError::Memory { .. })) => {}
                Err(error) => return Err(error),
            }
        }
        normal.clear();
        self.losses.mean_squares.fill(0.0);
        let mut squares = self.losses.mean_squares.as_mut_slice();
        let mut offset = 0;
        for (number, (term, points)) in self.plan.terms.iter().zip(points).enumerate() {
            let (own, rest) = std::mem::take(&mut squares).split_at_mut(term.residuals.len());
            squares = rest;
            let scales = scales(&self.weights[offset..][..term.residuals.len()], points);
            offset += term.residuals.len();
            for range in NormalEquations::blocks(points.len(), scales.len()) {
                let (residuals, rows) = normal.block(range.len() * scales.len());
                self.engine.jacobian((number, points, range), parameters, residuals, rows)?;
                for (place, residual) in residuals.iter().enumerate() {
                    own[place % scales.len()] += residual * residual;
                }
                normal.add_block(&scales);
            }
        }
        self.losses.finish(self.plan, points);
        self.losses.weigh(&self.weights);
        Ok(&self.losses)
    }

    /// The normal equations of a subspace of the parameters, which replace what `normal` held, and the rows r into `out`.
    pub fn subspace_equations(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        (subspace, normal): (&Subspace, &mut NormalEquations),
        out: &mut [f64],
    ) -> Result<&Losses, KernelError> {
        self.check(points, parameters)?;
        fits(Shape::Output, self.row_count(points), out.len())?;
        fits(Shape::Gradient, subspace.unknowns(), normal.size())?;
        normal.clear();
        self.losses.mean_squares.fill(0.0);
        let mut squares = self.losses.mean_squares.as_mut_slice();
        let (mut out, mut wide) = (out, Vec::new());
        let mut offset = 0;
        for (number, (term, points)) in self.plan.terms.iter().zip(points).enumerate() {
            let (own, rest) = std::mem::take(&mut squares).split_at_mut(term.residuals.len());
            squares = rest;
            let scales = scales(&self.weights[offset..][..term.residuals.len()], points);
            offset += term.residuals.len();
            for range in NormalEquations::blocks(points.len(), scales.len()) {
                let (found, later) = std::mem::take(&mut out).split_at_mut(range.len() * scales.len());
                out = later;
                wide.resize(found.len() * parameters.len(), 0.0);
                let (residuals, rows) = normal.block(found.len());
                self.engine.jacobian((number, points, range), parameters, residuals, &mut wide)?;
                for (place, residual) in residuals.iter().enumerate() {
                    own[place % scales.len()] += residual * residual;
                    found[place] = *residual * scales[place % scales.len()];
                }
                for (from, to) in
                    wide.chunks_exact(parameters.len()).zip(rows.chunks_exact_mut(subspace.unknowns()))
                {
                    subspace.gather(from, to);
                }
                normal.add_block(&scales);
            }
        }
        self.losses.finish(self.plan, points);
        self.losses.weigh(&self.weights);
        Ok(&self.losses)
    }

    /// The losses of [`Self::evaluate`] alone, for a third of its cost.
    pub fn losses(&mut self, points: &[Points], parameters: &[f64]) -> Result<&Losses, KernelError> {
        self.check(points, parameters)?;
        self.losses.mean_squares.fill(0.0);
        let mut squares = self.losses.mean_squares.as_mut_slice();
        for (number, (term, points)) in self.plan.terms.iter().zip(points).enumerate() {
            let (own, rest) = std::mem::take(&mut squares).split_at_mut(term.residuals.len());
            squares = rest;
            self.residuals.resize(points.len() * own.len(), 0.0);
            self.engine.fill(number, points, parameters, &mut self.residuals)?;
            for residuals in self.residuals.chunks_exact(own.len().max(1)) {
                own.iter_mut().zip(residuals).for_each(|(sum, residual)| *sum += residual * residual);
            }
        }
        self.losses.finish(self.plan, points);
        self.losses.weigh(&self.weights);
        Ok(&self.losses)
    }

    /// The products of all rows with each other; they replace what `gram` held.
    pub fn gram(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        gram: &mut Gram,
    ) -> Result<&Losses, KernelError> {
        self.check(points, parameters)?;
        fits(Shape::Output, self.row_count(points), gram.size())?;
        self.losses.mean_squares.fill(0.0);
        let mut squares = self.losses.mean_squares.as_mut_slice();
        let mut first = 0;
        let mut offset = 0;
        for (number, (term, points)) in self.plan.terms.iter().zip(points).enumerate() {
            let (own, rest) = std::mem::take(&mut squares).split_at_mut(term.residuals.len());
            squares = rest;
            let scales = scales(&self.weights[offset..][..term.residuals.len()], points);
            offset += term.residuals.len();
            for range in Gram::blocks(points.len(), scales.len()) {
                let count = range.len() * scales.len();
                let (residuals, rows) = gram.block(first, count);
                self.engine.jacobian((number, points, range), parameters, residuals, rows)?;
                for (place, residual) in residuals.iter().enumerate() {
                    own[place % scales.len()] += residual * residual;
                }
                gram.keep_block(first, count, &scales);
                first += count;
            }
        }
        gram.finish();
        self.losses.finish(self.plan, points);
        self.losses.weigh(&self.weights);
        Ok(&self.losses)
    }

    /// The products of sums of rows with random signs, as many as `gram` has rows, and the rows r into `out`.
    pub fn sketch(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        gram: &mut Gram,
        out: &mut [f64],
    ) -> Result<&Losses, KernelError> {
        self.check(points, parameters)?;
        fits(Shape::Output, self.row_count(points), out.len())?;
        gram.clear();
        self.losses.mean_squares.fill(0.0);
        let mut squares = self.losses.mean_squares.as_mut_slice();
        let (mut rest, mut first, mut offset) = (out, 0, 0);
        for (number, (term, points)) in self.plan.terms.iter().zip(points).enumerate() {
            let (own, others) = std::mem::take(&mut squares).split_at_mut(term.residuals.len());
            squares = others;
            let scales = scales(&self.weights[offset..][..term.residuals.len()], points);
            offset += term.residuals.len();
            for range in Gram::blocks(points.len(), scales.len()) {
                let (residuals, later) = std::mem::take(&mut rest).split_at_mut(range.len() * scales.len());
                rest = later;
                let rows = gram.block_to_add(residuals.len());
                self.engine.jacobian((number, points, range), parameters, residuals, rows)?;
                for (place, residual) in residuals.iter_mut().enumerate() {
                    own[place % scales.len()] += *residual * *residual;
                    *residual *= scales[place % scales.len()];
                }
                gram.add_block(first, &scales);
                first += residuals.len();
            }
        }
        gram.finish_sums();
        self.losses.finish(self.plan, points);
        self.losses.weigh(&self.weights);
        Ok(&self.losses)
    }

    /// The diagonal of JᵀJ into `diagonal`, and the rows r into `out`.
    pub fn diagonal(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        diagonal: &mut [f64],
        out: &mut [f64],
    ) -> Result<&Losses, KernelError> {
        self.check(points, parameters)?;
        fits(Shape::Gradient, parameters.len(), diagonal.len())?;
        fits(Shape::Output, self.row_count(points), out.len())?;
        diagonal.fill(0.0);
        self.losses.mean_squares.fill(0.0);
        let mut squares = self.losses.mean_squares.as_mut_slice();
        let (mut out, mut rows) = (out, Vec::new());
        let mut offset = 0;
        for (number, (term, points)) in self.plan.terms.iter().zip(points).enumerate() {
            let (own, rest) = std::mem::take(&mut squares).split_at_mut(term.residuals.len());
            squares = rest;
            let scales = scales(&self.weights[offset..][..term.residuals.len()], points);
            offset += term.residuals.len();
            let most = (ROOM / (parameters.len() * scales.len()).max(1)).max(16);
            for start in (0..points.len()).step_by(most) {
                let range = start..(start + most).min(points.len());
                let (residuals, later) = std::mem::take(&mut out).split_at_mut(range.len() * scales.len());
                out = later;
                rows.resize(residuals.len() * parameters.len(), 0.0);
                self.engine.jacobian((number, points, range), parameters, residuals, &mut rows)?;
                for (place, residual) in residuals.iter_mut().enumerate() {
                    own[place % scales.len()] += *residual * *residual;
                    *residual *= scales[place % scales.len()];
                }
                for (place, row) in rows.chunks_exact(parameters.len().max(1)).enumerate() {
                    let square = scales[place % scales.len()].powi(2);
                    diagonal.iter_mut().zip(row).for_each(|(sum, slope)| *sum += square * slope * slope);
                }
            }
        }
        self.losses.finish(self.plan, points);
        self.losses.weigh(&self.weights);
        Ok(&self.losses)
    }

    /// J times a direction in parameter space.
    pub fn rows_along(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        direction: &[f64],
        out: &mut [f64],
    ) -> Result<(), KernelError> {
        self.check(points, parameters)?;
        self.fill_rows(points, out, |kernel, number, points, own| {
            kernel.jacobian_times(number, points, parameters, direction, own)
        })
    }

    /// Jᵀ times one number per row; replaces what `slope` held.
    pub fn rows_back(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        rows: &[f64],
        slope: &mut [f64],
    ) -> Result<(), KernelError> {
        self.check(points, parameters)?;
        fits(Shape::Output, self.row_count(points), rows.len())?;
        let (mut rest, mut part) = (rows, vec![0.0; slope.len()]);
        slope.fill(0.0);
        let mut offset = 0;
        for (number, (term, points)) in self.plan.terms.iter().zip(points).enumerate() {
            let scales = scales(&self.weights[offset..][..term.residuals.len()], points);
            offset += term.residuals.len();
            let (own, later) = rest.split_at(points.len() * scales.len());
            rest = later;
            let mut seeds = own.to_vec();
            scale(&mut seeds, &scales);
            self.transposed_times(number, points, parameters, &seeds, &mut part)?;
            slope.iter_mut().zip(&part).for_each(|(to, from)| *to += from);
        }
        Ok(())
    }

    /// The rows r.
    pub fn rows(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        out: &mut [f64],
    ) -> Result<(), KernelError> {
        self.check(points, parameters)?;
        self.fill_rows(points, out, |kernel, number, points, own| {
            kernel.engine.fill(number, points, parameters, own)
        })
    }

    /// Has the rows of every term filled, and scales them.
    fn fill_rows(
        &mut self,
        points: &[Points],
        out: &mut [f64],
        mut fill: impl FnMut(&mut Self, usize, &Points, &mut [f64]) -> Result<(), KernelError>,
    ) -> Result<(), KernelError> {
        fits(Shape::Output, self.row_count(points), out.len())?;
        let mut rest = out;
        let mut offset = 0;
        for (number, (term, points)) in self.plan.terms.iter().zip(points).enumerate() {
            let scales = scales(&self.weights[offset..][..term.residuals.len()], points);
            offset += term.residuals.len();
            let (own, later) = std::mem::take(&mut rest).split_at_mut(points.len() * scales.len());
            rest = later;
            fill(self, number, points, own)?;
            scale(own, &scales);
        }
        Ok(())
    }
}

/// What turns the residuals of a point into rows.
pub(crate) fn scales(weights: &[f64], points: &Points) -> Vec<f64> {
    weights.iter().map(|weight| (weight / points.len() as f64).sqrt()).collect()
}

fn scale(rows: &mut [f64], scales: &[f64]) {
    for point in rows.chunks_exact_mut(scales.len().max(1)) {
        point.iter_mut().zip(scales).for_each(|(row, scale)| *row *= scale);
    }
}
