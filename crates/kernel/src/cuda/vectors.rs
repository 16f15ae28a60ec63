//! Vectors as long as the parameters that stay on the device, in an arena of their own, and a matrix beside them.

use super::CudaError;
use super::emit::{NUMBERS, Shape, kernel};
use super::engine::Cuda;
use super::given::given;
use super::machine::{Arena, Arguments as Plan, Module, ToLoad};
use super::memory::Pool;
use super::rows::Wanted;
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
    struct Arguments {
        size: u64,
        table: [u64; MOST],
        coefficients: [f64; MOST],
        count: u64,
        to: u64,
        parts: u64,
        matrix: u64,
        changes: u64,
        factor: f64,
        own: f64,
        mixed: f64,
        other: f64,
        u: u64,
        v: u64,
        vector: u64,
    }
}

/// Where they are: vectors, then parts of products, then the matrix.
#[derive(Debug)]
pub(super) struct Vectors {
    arena: Arena,
    module: Module,
    size: usize,
    count: usize,
}

impl Vectors {
    fn place(&self, vector: usize) -> usize {
        assert!(vector < self.count, "a vector that there is room for");
        vector * self.size * size_of::<f64>()
    }

    fn address(&self, vector: usize) -> u64 {
        self.arena.address_of(self.place(vector), self.size * size_of::<f64>())
    }

    fn parts(&self) -> usize {
        self.count * self.size * size_of::<f64>()
    }

    fn matrix(&self) -> usize {
        self.parts() + MOST / 2 * SHARED_OUT * size_of::<f64>()
    }

    /// What all kernels share.
    fn arguments(&self) -> Arguments {
        let address = |place| self.arena.address_of(place, 0);
        Arguments {
            size: self.size as u64,
            table: [0; MOST],
            coefficients: [0.0; MOST],
            count: 0,
            to: 0,
            parts: address(self.parts()),
            matrix: address(self.matrix()),
            changes: 0,
            factor: 0.0,
            own: 0.0,
            mixed: 0.0,
            other: 0.0,
            u: 0,
            v: 0,
            vector: 0,
        }
    }
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

impl Cuda<'_> {
    /// Bytes of the vectors.
    pub(super) fn vector_bytes(&self) -> usize {
        self.vectors.as_ref().map_or(0, |vectors| vectors.arena.bytes())
    }

    /// Makes room for vectors, and for a matrix beside them; fails where there is none.
    pub(crate) fn reserve_vectors(&mut self, count: usize, matrix: bool) -> Result<(), CudaError> {
        self.vectors = None;
        let size = self.plan.parameter_count();
        let shape = Shape { threads: THREADS, shared: 0, each: EACH };
        let (text, kernels) = (text(), KERNELS.map(|(name, _)| name));
        let wanted = ToLoad { text: &text, shape, kernels: &kernels, staging: &[], tables: &[] };
        let module = self.machine.load(&[wanted])?.remove(0);
        let mut vectors = Vectors { arena: Arena::new(&self.machine), module, size, count };
        let bytes = vectors.matrix() + if matrix { size * size * size_of::<f64>() } else { 0 };
        // Half of a limit is kept for evaluations.
        if self.limit.is_some_and(|limit| bytes > limit / 2) {
            return Err(CudaError::Memory { bytes });
        }
        vectors.arena.reserve(bytes)?;
        self.vectors = Some(vectors);
        self.peak = self.peak.max(self.bytes());
        Ok(())
    }

    fn vectors(&self) -> Result<&Vectors, CudaError> {
        self.vectors.as_ref().ok_or(CudaError::NoVectors)
    }

    /// Brings numbers to a place behind a vector's start or the matrix.
    fn put_at(&mut self, place: usize, words: impl Iterator<Item = u64>) -> Result<(), CudaError> {
        let Cuda { machine, staging, vectors, .. } = self;
        machine.send(&vectors.as_ref().ok_or(CudaError::NoVectors)?.arena, place, staging, words)
    }

    fn fetch_at(&mut self, place: usize, numbers: &mut [f64]) -> Result<(), CudaError> {
        let Cuda { machine, staging, vectors, .. } = self;
        machine.fetch(&vectors.as_ref().ok_or(CudaError::NoVectors)?.arena, place, staging, numbers)
    }

    pub(crate) fn put_vector(&mut self, vector: usize, numbers: &[f64]) -> Result<(), CudaError> {
        let place = self.vectors()?.place(vector);
        self.put_at(place, numbers.iter().map(|number| number.to_bits()))
    }

    pub(crate) fn fetch_vector(&mut self, vector: usize, numbers: &mut [f64]) -> Result<(), CudaError> {
        let place = self.vectors()?.place(vector);
        self.fetch_at(place, numbers)
    }

    /// Products of pairs of vectors.
    pub(crate) fn dots(&mut self, pairs: &[[usize; 2]]) -> Result<Vec<f64>, CudaError> {
        let mut products = Vec::with_capacity(pairs.len());
        for pairs in pairs.chunks(MOST / 2) {
            let vectors = self.vectors()?;
            let (parts, mut arguments) = (vectors.parts(), vectors.arguments());
            for (place, vector) in arguments.table.iter_mut().zip(pairs.as_flattened()) {
                *place = vectors.address(*vector);
            }
            self.launch_vectors("products", pairs.len() * SHARED_OUT, &arguments)?;
            let mut sums = vec![0.0; pairs.len() * SHARED_OUT];
            self.fetch_at(parts, &mut sums)?;
            products.extend(sums.chunks_exact(SHARED_OUT).map(|parts| parts.iter().sum::<f64>()));
        }
        Ok(products)
    }

    /// `to` becomes the sum of vectors times coefficients.
    pub(crate) fn combine(&mut self, to: usize, summands: &[(f64, usize)]) -> Result<(), CudaError> {
        // What does not fit into one launch is added to what is there: what `to` itself contributes comes first.
        let (own, others): (Vec<_>, Vec<_>) = summands.iter().partition(|(_, vector)| *vector == to);
        let own = own.into_iter().reduce(|(sum, to), (factor, _)| (sum + factor, to));
        let all: Vec<(f64, usize)> = own.into_iter().chain(others).collect();
        for (number, part) in all.chunks(MOST - 1).enumerate() {
            let vectors = self.vectors()?;
            let before = (number > 0).then_some((1.0, to));
            let part: Vec<(f64, u64)> = (before.iter().chain(part))
                .map(|&(factor, vector)| (factor, vectors.address(vector)))
                .collect();
            self.add_up(vectors.address(to), &part)?;
        }
        Ok(())
    }

    /// Changes the matrix and multiplies it with a vector, as [`crate::Packed::update_and_multiply`] does.
    pub(crate) fn multiply_matrix(
        &mut self,
        change: Option<Change>,
        vector: usize,
        product: usize,
    ) -> Result<(), CudaError> {
        let vectors = self.vectors()?;
        let mut arguments = Arguments {
            vector: vectors.address(vector),
            to: vectors.address(product),
            ..vectors.arguments()
        };
        if let Some(Change { factor, weights, vectors: [u, v] }) = change {
            (arguments.changes, arguments.factor) = (1, factor);
            [arguments.own, arguments.mixed, arguments.other] = weights;
            (arguments.u, arguments.v) = (vectors.address(u), vectors.address(v));
        }
        self.launch_vectors("multiply", self.vector_blocks(THREADS / 32), &arguments)
    }

    /// The matrix becomes what `numbers` says, its lower triangle row by row, or the identity.
    pub(crate) fn put_matrix(&mut self, numbers: Option<&[f64]>) -> Result<(), CudaError> {
        let vectors = self.vectors()?;
        let (size, place, arguments) = (vectors.size, vectors.matrix(), vectors.arguments());
        let Some(numbers) = numbers else {
            return self.launch_vectors("identity", self.vector_blocks(1), &arguments);
        };
        let at = |row: usize, column: usize| numbers[row * (row + 1) / 2 + column];
        let all = (0..size * size).map(|place| (place / size, place % size));
        self.put_at(place, all.map(|(row, column)| at(row.max(column), row.min(column)).to_bits()))
    }

    /// The lower triangle of the matrix, row by row.
    pub(crate) fn fetch_matrix_numbers(&mut self, numbers: &mut [f64]) -> Result<(), CudaError> {
        let vectors = self.vectors()?;
        let (size, place) = (vectors.size, vectors.matrix());
        let mut rest = numbers;
        for row in 0..size {
            let (own, others) = rest.split_at_mut(row + 1);
            self.fetch_at(place + row * size * size_of::<f64>(), own)?;
            rest = others;
        }
        Ok(())
    }

    /// Sums at the parameters that vector `at` holds; their gradient goes to another vector.
    pub(crate) fn evaluate_at(
        &mut self,
        over: Weighted<'_>,
        at: usize,
        gradient: usize,
        squares: &mut [f64],
    ) -> Result<(), CudaError> {
        let wanted = Wanted::Given(over.points);
        let prepared = self.prepare((wanted, over.factors), None, [0, 0])?;
        let Plan { parameters, result, .. } = prepared.arguments;
        let vectors = self.vectors()?;
        let [at, gradient] = [at, gradient].map(|vector| vectors.address(vector));
        self.add_up(parameters, &[(1.0, at)])?;
        self.launch(prepared.kernels, "pack", self.pack_blocks(prepared.kernels), &prepared.arguments)?;
        self.visit(&prepared, wanted, &prepared.arguments)?;
        self.launch(prepared.kernels, "reduce", self.reduce_blocks(prepared.kernels), &prepared.arguments)?;
        self.add_up(gradient, &[(1.0, result)])?;
        let behind = self.plan.parameter_count() * size_of::<f64>();
        let place = prepared.regions.get(Pool::Result).start + behind;
        self.fetch(place, squares)
    }

    /// The sum of factors times vectors, all by address.
    fn add_up(&self, to: u64, summands: &[(f64, u64)]) -> Result<(), CudaError> {
        let mut arguments = Arguments { to, count: summands.len() as u64, ..self.vectors()?.arguments() };
        let places = arguments.table.iter_mut().zip(&mut arguments.coefficients);
        for ((place, coefficient), (factor, address)) in places.zip(summands) {
            (*place, *coefficient) = (*address, *factor);
        }
        self.launch_vectors("combine", self.vector_blocks(THREADS), &arguments)
    }

    /// Blocks that are worth launching for a vector, each of which takes so many places at a time.
    fn vector_blocks(&self, each: usize) -> usize {
        self.plan.parameter_count().div_ceil(each).min(self.machine.blocks(EACH))
    }

    fn launch_vectors(&self, name: &str, blocks: usize, arguments: &Arguments) -> Result<(), CudaError> {
        self.machine.launch(&self.vectors()?.module, name, blocks, arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::probe::assert_twins;

    #[test]
    fn kernels_read_what_they_are_given() {
        assert_twins::<Arguments>(&text(), &[("SHARED_OUT", SHARED_OUT)]);
    }
}
