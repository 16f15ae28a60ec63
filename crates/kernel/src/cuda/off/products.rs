//! Products of matrices, by whatever multiplies on a machine.

use super::library::Library;
use super::plain;
use super::signals::POINTS;
use crate::Precision;
use crate::cuda::CudaError;
use crate::cuda::machine::{DeviceNumber, Machine, Region};

/// What of a dense layer is computed. Signals have one row per neuron, weights one row per input and the bias behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ProductKind {
    /// Its output from weights and input.
    Forward,
    /// The adjoint of its input from weights and the adjoint of its output.
    Reverse,
    /// The gradient of weights and bias from input and the adjoint of its output.
    Gradient,
}

/// One kind of product of one size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MatrixProduct {
    pub(super) kind: ProductKind,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// Numbers of a signal's row.
    pub(super) columns: usize,
    /// Addresses of the weights are multiples of so many bytes.
    pub(super) alignment: u32,
}

/// Rows of signals are whole tiles of points: addresses are multiples of so many bytes.
const SIGNAL_ALIGNMENT: u32 = (POINTS * size_of::<f32>()) as u32;

/// The most that the library asks about.
pub(super) const MOST_ALIGNMENT: u32 = 256;

/// A matrix, column by column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MatrixLayout {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) transposed: bool,
    /// Its address is a multiple of so many bytes.
    pub(super) alignment: u32,
}

impl MatrixProduct {
    /// Left factor, right factor and result, as they lie in memory column by column: what has one row per neuron
    /// there has one column per neuron here.
    pub(super) fn matrices(&self) -> [MatrixLayout; 3] {
        let MatrixProduct { inputs, outputs, columns, alignment, .. } = *self;
        let signal = |neurons| MatrixLayout {
            rows: columns,
            columns: neurons,
            transposed: false,
            alignment: SIGNAL_ALIGNMENT,
        };
        let weights =
            |neurons| MatrixLayout { rows: outputs, columns: neurons, transposed: false, alignment };
        let transposed = |matrix| MatrixLayout { transposed: true, ..matrix };
        match self.kind {
            ProductKind::Forward => [signal(inputs + 1), transposed(weights(inputs + 1)), signal(outputs)],
            ProductKind::Reverse => [signal(outputs), weights(inputs), signal(inputs)],
            ProductKind::Gradient => [transposed(signal(outputs)), signal(inputs + 1), weights(inputs + 1)],
        }
    }
}

/// Where the factors and the result of a product lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Factors {
    pub(super) left: Region<DeviceNumber>,
    pub(super) right: Region<DeviceNumber>,
    pub(super) result: Region<DeviceNumber>,
    /// Whether the result is added to what is there.
    pub(super) adds: bool,
}

/// What multiplies.
#[derive(Debug)]
pub(crate) enum Products {
    Library(Library),
    /// Plain loops of the processor.
    Plain(Precision),
}

impl Products {
    /// Fails where there is no library, or where it does not multiply in that precision.
    pub(crate) fn new(machine: &Machine, precision: Precision) -> Result<Self, CudaError> {
        match (machine, precision) {
            (_, Precision::Bf16x6 | Precision::Fp16x3 | Precision::Bf16x3) => {
                Err(CudaError::NoProductsIn { precision })
            }
            (Machine::Gpu(gpu), _) => Library::open(gpu, precision).map(Products::Library),
            (Machine::StandIn(_), _) => Ok(Products::Plain(precision)),
        }
    }

    /// Prepares a product, unless that was done before.
    pub(super) fn prepare(&mut self, product: MatrixProduct) -> Result<(), CudaError> {
        match self {
            Products::Library(library) => library.prepare(product),
            Products::Plain(_) => Ok(()),
        }
    }

    /// Queues a product that was prepared; `workspace` is where the library's sums in parts go.
    pub(super) fn multiply(
        &self,
        product: MatrixProduct,
        factors: Factors,
        workspace: Region<u8>,
    ) -> Result<(), CudaError> {
        match self {
            Products::Library(library) => library.multiply(product, factors, workspace),
            Products::Plain(Precision::F64) => {
                plain::multiply::<f64>(product, factors);
                Ok(())
            }
            Products::Plain(_) => {
                plain::multiply::<f32>(product, factors);
                Ok(())
            }
        }
    }
}
