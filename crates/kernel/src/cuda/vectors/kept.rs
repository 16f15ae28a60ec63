//! The kernels of vectors, and where vectors are that they work on.

use crate::cuda::CudaError;
use crate::cuda::context::DeviceContext;
use crate::cuda::machine::{Module, Region, Shape, ToLoad, given};
use crate::cuda::program::{NUMBERS, kernel};
use std::fmt::Write;

pub(super) const THREADS: usize = 256;

/// Blocks that share a product; as in `device/dense/vectors.cuh`.
pub(super) const SHARED_OUT: usize = 8;

/// Blocks that share a sum or a matrix, on every multiprocessor.
const EACH: usize = 8;

/// The most vectors of one launch: they are told as arguments, which end at 4 KB.
pub(super) const MOST: usize = 128;

/// Kernels and the functions that they call.
const KERNELS: [(&str, &str); 4] = [
    ("products", "add_products"),
    ("combine", "combine_vectors"),
    ("multiply", "multiply_matrix"),
    ("identity", "set_identity"),
];

given! {
    /// What the kernels are given; as `Arguments` in `device/dense/vectors.cuh`.
    pub(super) struct VectorArguments laid out as VectorWords {
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
pub(super) struct Kept {
    pub(super) module: Module,
    pub(super) size: usize,
    /// One after the other.
    pub(super) vectors: Region<f64>,
    /// Of products.
    pub(super) parts: Region<f64>,
    pub(super) matrix: Region<f64>,
}

impl Kept {
    pub(super) fn vector(&self, number: usize) -> Region<f64> {
        self.vectors.part(number * self.size, self.size)
    }

    /// What all kernels share.
    pub(super) fn arguments(&self) -> VectorArguments {
        let nowhere = Region::default();
        VectorArguments {
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
    pub(super) fn blocks(&self, context: &DeviceContext, each: usize) -> usize {
        self.size.div_ceil(each).min(context.program.machine().blocks(EACH))
    }

    pub(super) fn launch(
        &self,
        context: &DeviceContext,
        name: &str,
        blocks: usize,
        arguments: &VectorArguments,
    ) -> Result<(), CudaError> {
        context.program.machine().launch(&self.module, name, blocks, arguments)
    }

    /// The sum of factors times vectors, wherever they are.
    pub(super) fn add_up(
        &self,
        context: &DeviceContext,
        to: Region<f64>,
        summands: &[(f64, Region<f64>)],
    ) -> Result<(), CudaError> {
        let mut arguments = VectorArguments { to, count: summands.len() as u64, ..self.arguments() };
        let places = arguments.table.iter_mut().zip(&mut arguments.coefficients);
        for ((place, coefficient), (factor, vector)) in places.zip(summands) {
            (*place, *coefficient) = (*vector, *factor);
        }
        self.launch(context, "combine", self.blocks(context, THREADS), &arguments)
    }
}

/// The text of the kernels.
pub(in crate::cuda) fn text() -> String {
    let mut text = String::from("// Vectors that stay, made by pinnace.\ntypedef double number;\n");
    let workspace = THREADS * size_of::<f64>();
    for (name, value) in [("THREADS", THREADS), ("WORKSPACE_BYTES", workspace), ("MOST", MOST)] {
        _ = writeln!(text, "constexpr int {name} = {value};");
    }
    for part in [NUMBERS, include_str!("../device/dense/vectors.cuh")] {
        text.push('\n');
        text += part;
    }
    KERNELS
        .iter()
        .fold(text, |text, (name, function)| text + &kernel(name, &format!("    {function}(arguments);\n")))
}

/// Loads the kernels.
pub(super) fn load(context: &DeviceContext) -> Result<Module, CudaError> {
    let shape = Shape { threads: THREADS, shared: 0, each: EACH };
    let (text, kernels) = (text(), KERNELS.map(|(name, _)| name));
    let wanted = ToLoad { text: &text, shape, kernels: &kernels, staging: &[], tables: &[] };
    Ok(context.program.machine().load(&[wanted])?.remove(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::machine::assert_twins;

    #[test]
    fn kernels_read_what_they_are_given() {
        assert_twins::<VectorArguments>(&text(), &[("SHARED_OUT", SHARED_OUT)]);
    }
}
