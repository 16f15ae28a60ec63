//! Vectors as long as the parameters that stay on the device, and a matrix beside them.

use super::kept::{Kept, MOST, SHARED_OUT, THREADS, VectorArguments, load};
use crate::Weighted;
use crate::cuda::CudaError;
use crate::cuda::chunks::Wanted;
use crate::cuda::context::DeviceContext;
use crate::cuda::machine::Region;
use crate::cuda::memory::Tenant;
use crate::cuda::step::Step;
use linear::Change;

/// Vectors of an optimizer, in memory of their own.
#[derive(Debug, Default)]
pub(crate) struct DeviceVectors {
    kept: Option<Kept>,
}

impl DeviceVectors {
    /// Makes room for vectors, and for a matrix beside them; fails where there is none.
    pub(crate) fn reserve(
        &mut self,
        context: &mut DeviceContext,
        count: usize,
        matrix: bool,
    ) -> Result<(), CudaError> {
        self.kept = None;
        let size = context.plan().parameter_count();
        let module = load(context)?;
        let counts = [count * size, MOST / 2 * SHARED_OUT, if matrix { size * size } else { 0 }];
        context.memory.reserve_for_vectors(counts.iter().sum::<usize>() * size_of::<f64>())?;
        let [vectors, parts, matrix] = context.memory.whole(Tenant::Vectors).split(counts);
        self.kept = Some(Kept { module, size, vectors, parts, matrix });
        Ok(())
    }

    fn kept(&self) -> Result<&Kept, CudaError> {
        self.kept.as_ref().ok_or(CudaError::NoVectors)
    }

    pub(crate) fn put(
        &self,
        context: &mut DeviceContext,
        vector: usize,
        numbers: &[f64],
    ) -> Result<(), CudaError> {
        context.memory.send(self.kept()?.vector(vector), numbers.iter().map(|number| number.to_bits()))
    }

    pub(crate) fn fetch(
        &self,
        context: &mut DeviceContext,
        vector: usize,
        numbers: &mut [f64],
    ) -> Result<(), CudaError> {
        context.memory.fetch(self.kept()?.vector(vector), numbers)
    }

    /// Products of pairs of vectors.
    pub(crate) fn dots(
        &self,
        context: &mut DeviceContext,
        pairs: &[[usize; 2]],
    ) -> Result<Vec<f64>, CudaError> {
        let kept = self.kept()?;
        let mut products = Vec::with_capacity(pairs.len());
        for pairs in pairs.chunks(MOST / 2) {
            let mut arguments = kept.arguments();
            for (place, vector) in arguments.table.iter_mut().zip(pairs.as_flattened()) {
                *place = kept.vector(*vector);
            }
            kept.launch(context, "products", pairs.len() * SHARED_OUT, &arguments)?;
            let mut sums = vec![0.0; pairs.len() * SHARED_OUT];
            context.memory.fetch(kept.parts, &mut sums)?;
            products.extend(sums.chunks_exact(SHARED_OUT).map(|parts| parts.iter().sum::<f64>()));
        }
        Ok(products)
    }

    /// `to` becomes the sum of vectors times coefficients.
    pub(crate) fn combine(
        &self,
        context: &DeviceContext,
        to: usize,
        summands: &[(f64, usize)],
    ) -> Result<(), CudaError> {
        let kept = self.kept()?;
        // What does not fit into one launch is added to what is there: what `to` itself contributes comes first.
        let (own, others): (Vec<_>, Vec<_>) = summands.iter().partition(|(_, vector)| *vector == to);
        let own = own.into_iter().reduce(|(sum, to), (factor, _)| (sum + factor, to));
        let all: Vec<(f64, usize)> = own.into_iter().chain(others).collect();
        for (number, part) in all.chunks(MOST - 1).enumerate() {
            let before = (number > 0).then_some((1.0, to));
            let part: Vec<(f64, Region<f64>)> =
                (before.iter().chain(part)).map(|&(factor, vector)| (factor, kept.vector(vector))).collect();
            kept.add_up(context, kept.vector(to), &part)?;
        }
        Ok(())
    }

    /// Changes the matrix and multiplies it with a vector, as [`linear::Packed::update_and_multiply`] does.
    pub(crate) fn multiply_matrix(
        &self,
        context: &DeviceContext,
        change: Option<Change>,
        vector: usize,
        product: usize,
    ) -> Result<(), CudaError> {
        let kept = self.kept()?;
        let mut arguments =
            VectorArguments { vector: kept.vector(vector), to: kept.vector(product), ..kept.arguments() };
        if let Some(Change { factor, weights, vectors: [u, v] }) = change {
            (arguments.changes, arguments.factor) = (1, factor);
            [arguments.own, arguments.mixed, arguments.other] = weights;
            (arguments.u, arguments.v) = (kept.vector(u), kept.vector(v));
        }
        kept.launch(context, "multiply", kept.blocks(context, THREADS / 32), &arguments)
    }

    /// The matrix becomes what `numbers` says, its lower triangle row by row, or the identity.
    pub(crate) fn put_matrix(
        &self,
        context: &mut DeviceContext,
        numbers: Option<&[f64]>,
    ) -> Result<(), CudaError> {
        let kept = self.kept()?;
        let size = kept.size;
        let Some(numbers) = numbers else {
            return kept.launch(context, "identity", kept.blocks(context, 1), &kept.arguments());
        };
        let at = |row: usize, column: usize| numbers[row * (row + 1) / 2 + column];
        let all = (0..size * size).map(|place| (place / size, place % size));
        let words = all.map(|(row, column)| at(row.max(column), row.min(column)).to_bits());
        context.memory.send(kept.matrix, words)
    }

    /// The lower triangle of the matrix, row by row.
    pub(crate) fn fetch_matrix(
        &self,
        context: &mut DeviceContext,
        numbers: &mut [f64],
    ) -> Result<(), CudaError> {
        let kept = self.kept()?;
        let mut rest = numbers;
        for row in 0..kept.size {
            let (own, others) = rest.split_at_mut(row + 1);
            context.memory.fetch(kept.matrix.from(row * kept.size), own)?;
            rest = others;
        }
        Ok(())
    }

    /// Sums at the parameters that vector `at` holds; their gradient goes to another vector.
    pub(crate) fn evaluate_at(
        &self,
        context: &mut DeviceContext,
        step: &mut Step,
        over: Weighted<'_>,
        [at, gradient]: [usize; 2],
        squares: &mut [f64],
    ) -> Result<(), CudaError> {
        let kept = self.kept()?;
        let wanted = Wanted::Given(over.points);
        let prepared = step.prepare(context, (wanted, over.factors), None, [0, 0])?;
        let (parameters, result) = (prepared.arguments.parameters, prepared.arguments.result);
        kept.add_up(context, parameters.part(0, kept.size), &[(1.0, kept.vector(at))])?;
        step.add_up(context, &prepared, wanted)?;
        kept.add_up(context, kept.vector(gradient), &[(1.0, result.part(0, kept.size))])?;
        context.memory.fetch(result.from(kept.size), squares)
    }
}
