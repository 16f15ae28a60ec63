//! Vectors as long as the parameters that stay on the device, in an arena of their own, and a matrix beside them.

use super::CudaError;
use super::chunks::Wanted;
use super::context::Context;
use super::machine::{Module, Region, Shape, ToLoad, given};
use super::memory::Tenant;
use super::program::{NUMBERS, kernel};
use super::step::Step;
use crate::Weighted;
use linear::Change;
use std::fmt::Write;

const THREADS: usize = 256;

/// Blocks that share a product; as in `device/dense/vectors.cuh`.
const SHARED_OUT: usize = 8;

/// Blocks that share a sum or a matrix, on every multiprocessor.
const EACH: usize = 8;

/// The most vectors of one launch: they are told as arguments, which end at 4 KB.
const MOST: usize = 128;

/// Kernels and the functions that they call.
const KERNELS: [(&str, &str); 4] = [
    ("products", "add_products"),
    ("combine", "combine_vectors"),
    ("multiply", "multiply_matrix"),
    ("identity", "set_identity"),
];

given! {
    /// What the kernels are given; as `Arguments` in `device/dense/vectors.cuh`.
    struct Arguments laid out as Words {
        size: u64,
        table: [Region<f64>; MOST],
        coefficients: [f64; MOST],
        count: u64,
        to: Region<f64>,
        parts: Region<f64>,
        matrix: Region<f64>,
        changes: u64,
        factor: f64,
        own: f64,
        mixed: f64,
        other: f64,
        u: Region<f64>,
        v: Region<f64>,
        vector: Region<f64>,
    }
}

/// Where they are.
#[derive(Debug)]
struct Kept {
    module: Module,
    size: usize,
    /// One after the other.
    vectors: Region<f64>,
    /// Of products.
    parts: Region<f64>,
    matrix: Region<f64>,
}

impl Kept {
    fn vector(&self, number: usize) -> Region<f64> {
        self.vectors.part(number * self.size, self.size)
    }

    /// What all kernels share.
    fn arguments(&self) -> Arguments {
        let nowhere = Region::default();
        Arguments {
            size: self.size as u64,
            table: [nowhere; MOST],
            coefficients: [0.0; MOST],
            count: 0,
            to: nowhere,
            parts: self.parts,
            matrix: self.matrix,
            changes: 0,
            factor: 0.0,
            own: 0.0,
            mixed: 0.0,
            other: 0.0,
            u: nowhere,
            v: nowhere,
            vector: nowhere,
        }
    }

    /// Blocks that are worth launching for a vector, each of which takes so many places at a time.
    fn blocks(&self, context: &Context<'_>, each: usize) -> usize {
        self.size.div_ceil(each).min(context.program.machine().blocks(EACH))
    }

    fn launch(
        &self,
        context: &Context<'_>,
        name: &str,
        blocks: usize,
        arguments: &Arguments,
    ) -> Result<(), CudaError> {
        context.program.machine().launch(&self.module, name, blocks, arguments)
    }

    /// The sum of factors times vectors, wherever they are.
    fn add_up(
        &self,
        context: &Context<'_>,
        to: Region<f64>,
        summands: &[(f64, Region<f64>)],
    ) -> Result<(), CudaError> {
        let mut arguments = Arguments { to, count: summands.len() as u64, ..self.arguments() };
        let places = arguments.table.iter_mut().zip(&mut arguments.coefficients);
        for ((place, coefficient), (factor, vector)) in places.zip(summands) {
            (*place, *coefficient) = (*vector, *factor);
        }
        self.launch(context, "combine", self.blocks(context, THREADS), &arguments)
    }
}

/// Vectors of an optimizer, in memory of their own.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    kept: Option<Kept>,
}

/// The text of the kernels.
pub(super) fn text() -> String {
    let mut text = String::from("// Vectors that stay, made by pinnace.\ntypedef double number;\n");
    let workspace = THREADS * size_of::<f64>();
    for (name, value) in [("THREADS", THREADS), ("WORKSPACE_BYTES", workspace), ("MOST", MOST)] {
        _ = writeln!(text, "constexpr int {name} = {value};");
    }
    for part in [NUMBERS, include_str!("device/dense/vectors.cuh")] {
        text.push('\n');
        text += part;
    }
    KERNELS
        .iter()
        .fold(text, |text, (name, function)| text + &kernel(name, &format!("    {function}(arguments);\n")))
}

impl Vectors {
    /// Makes room for vectors, and for a matrix beside them; fails where there is none.
    pub(crate) fn reserve(
        &mut self,
        context: &mut Context<'_>,
        count: usize,
        matrix: bool,
    ) -> Result<(), CudaError> {
        self.kept = None;
        let size = context.plan().parameter_count();
        let shape = Shape { threads: THREADS, shared: 0, each: EACH };
        let (text, kernels) = (text(), KERNELS.map(|(name, _)| name));
        let wanted = ToLoad { text: &text, shape, kernels: &kernels, staging: &[], tables: &[] };
        let module = context.program.machine().load(&[wanted])?.remove(0);
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
        context: &mut Context<'_>,
        vector: usize,
        numbers: &[f64],
    ) -> Result<(), CudaError> {
        context.memory.send(self.kept()?.vector(vector), numbers.iter().map(|number| number.to_bits()))
    }

    pub(crate) fn fetch(
        &self,
        context: &mut Context<'_>,
        vector: usize,
        numbers: &mut [f64],
    ) -> Result<(), CudaError> {
        context.memory.fetch(self.kept()?.vector(vector), numbers)
    }

    /// Products of pairs of vectors.
    pub(crate) fn dots(
        &self,
        context: &mut Context<'_>,
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
        context: &Context<'_>,
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
        context: &Context<'_>,
        change: Option<Change>,
        vector: usize,
        product: usize,
    ) -> Result<(), CudaError> {
        let kept = self.kept()?;
        let mut arguments =
            Arguments { vector: kept.vector(vector), to: kept.vector(product), ..kept.arguments() };
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
        context: &mut Context<'_>,
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
        context: &mut Context<'_>,
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
        context: &mut Context<'_>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::machine::assert_twins;

    #[test]
    fn kernels_read_what_they_are_given() {
        assert_twins::<Arguments>(&text(), &[("SHARED_OUT", SHARED_OUT)]);
    }
}
