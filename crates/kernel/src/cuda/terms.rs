//! Work on one term: residuals and predictions, Jacobian rows, products with the Jacobian from either side. More
//! points than one launch may write about take several.

use super::emit::{EACH, Work};
use super::engine::Cuda;
use super::machine::Arguments;
use super::memory::{Pool, Regions};
use super::room::Needs;
use super::{CudaError, tiles};
use crate::Points;
use equation::taylor::Term;
use std::ops::Range;

/// Numbers that one launch reads and writes at most: more points take several launches.
const MOST: usize = 1 << 22;

impl<'plan> Cuda<'plan> {
    /// Residuals of a term, or the prediction's values after the last term, point by point.
    pub(crate) fn fill(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        out: &mut [f64],
    ) -> Result<(), CudaError> {
        let place = (term, points, 0..points.len());
        self.write(Work::Fill, place, parameters, &[], &mut [], out)
    }

    /// See [`crate::Kernel::jacobian`].
    pub(crate) fn jacobian(
        &mut self,
        place: (usize, &Points, Range<usize>),
        parameters: &[f64],
        residuals: &mut [f64],
        rows: &mut [f64],
    ) -> Result<(), CudaError> {
        self.write(Work::Jacobian, place, parameters, &[], residuals, rows)
    }

    /// See [`crate::Kernel::jacobian_times`].
    pub(crate) fn along(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        direction: &[f64],
        out: &mut [f64],
    ) -> Result<(), CudaError> {
        let place = (term, points, 0..points.len());
        self.write(Work::Along, place, parameters, direction, &mut [], out)
    }

    fn term(&self, term: usize) -> &'plan Term {
        self.plan.terms.get(term).unwrap_or(&self.plan.prediction)
    }

    /// Launches work on some points of a term, which writes as many numbers per point as `out` has room for, and
    /// the residuals where they are wanted.
    fn write(
        &mut self,
        work: Work,
        (term, points, range): (usize, &Points, Range<usize>),
        parameters: &[f64],
        direction: &[f64],
        residuals: &mut [f64],
        out: &mut [f64],
    ) -> Result<(), CudaError> {
        if out.is_empty() {
            return Ok(());
        }
        let (each, values) = (out.len() / range.len(), residuals.len() / range.len());
        let most = (self.most_numbers() / (each + values + points.width())).clamp(1, range.len());
        let size = match work {
            // As where equations need them; the number of points changes from call to call.
            Work::Fill => tiles::for_any(self.plan, self.term(term)),
            _ => tiles::for_term(self.plan, self.term(term), most, self.machine.blocks(EACH)),
        };
        let kernels = self.kernels(work, size)?;
        let blocks = most.div_ceil(size).min(self.blocks(kernels));
        let needs = Needs {
            header: parameters.len() + direction.len(),
            blocks,
            rows: most * points.width(),
            output: most * each,
            values: most * values,
            ..Needs::default()
        };
        let (regions, blocks) = self.regions(kernels, needs)?;
        let header = parameters.iter().chain(direction).map(|number| number.to_bits());
        self.send(regions.get(Pool::Header).start, header)?;
        let mut arguments = self.arguments(&regions);
        self.launch(kernels, "pack", self.pack_blocks(kernels), &arguments)?;
        if work == Work::Along {
            let pool = regions.get(Pool::Direction);
            arguments.direction = self.arena.address_of(pool.start, pool.len());
            let start = arguments.parameters + (parameters.len() * size_of::<u64>()) as u64;
            let packing = Arguments { parameters: start, weights: arguments.direction, ..arguments };
            self.launch(kernels, "pack", self.pack_blocks(kernels), &packing)?;
            arguments.seeds = start + (self.plan.architecture.weight_count() * size_of::<u64>()) as u64;
        }
        arguments.term = term as u64;
        for (number, part) in out.chunks_mut(most * each).enumerate() {
            let (start, count) = (number * most, part.len() / each);
            self.send_rows(&regions, points, range.start + start..range.start + start + count)?;
            arguments.points = count as u64;
            self.launch(kernels, work.name(), blocks, &arguments)?;
            self.fetch(regions.get(Pool::Output).start, part)?;
            let part = &mut residuals[start * values..(start + count) * values];
            self.fetch(regions.get(Pool::Values).start, part)?;
        }
        Ok(())
    }

    /// Numbers that one launch may read and write: a quarter of a limit, where there is one.
    fn most_numbers(&self) -> usize {
        MOST.min(self.most_bytes() / (4 * size_of::<f64>()))
    }

    fn send_rows(
        &mut self,
        regions: &Regions,
        points: &Points,
        range: Range<usize>,
    ) -> Result<(), CudaError> {
        let rows = range.flat_map(|index| points.row(index)).map(|number| number.to_bits());
        self.send(regions.get(Pool::Rows).start, rows)
    }

    /// See [`crate::Kernel::transposed_times`].
    pub(crate) fn transposed(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        seeds: &[f64],
        gradient: &mut [f64],
    ) -> Result<(), CudaError> {
        if points.is_empty() {
            gradient.fill(0.0);
            return Ok(());
        }
        let each = self.term(term).residuals.len();
        let most = (self.most_numbers() / (each + points.width())).clamp(1, points.len());
        let size = tiles::for_term(self.plan, self.term(term), most, self.machine.blocks(EACH));
        let kernels = self.kernels(Work::Transposed, size)?;
        let blocks = most.div_ceil(size).min(self.blocks(kernels));
        let needs = Needs {
            header: parameters.len(),
            blocks,
            rows: most * points.width(),
            seeds: most * each,
            ..Needs::default()
        };
        let (regions, blocks) = self.regions(kernels, needs)?;
        self.send(regions.get(Pool::Header).start, parameters.iter().map(|number| number.to_bits()))?;
        let mut arguments = self.arguments(&regions);
        self.launch(kernels, "pack", self.pack_blocks(kernels), &arguments)?;
        (arguments.term, arguments.blocks) = (term as u64, blocks as u64);
        for (number, part) in seeds.chunks(most * each).enumerate() {
            let (start, count) = (number * most, part.len() / each);
            self.send_rows(&regions, points, start..start + count)?;
            self.send(regions.get(Pool::Seeds).start, part.iter().map(|number| number.to_bits()))?;
            (arguments.points, arguments.fresh) = (count as u64, u64::from(number == 0));
            self.launch(kernels, Work::Transposed.name(), blocks, &arguments)?;
        }
        self.launch(kernels, "reduce", self.reduce_blocks(kernels), &arguments)?;
        self.fetch(regions.get(Pool::Result).start, gradient)
    }
}
