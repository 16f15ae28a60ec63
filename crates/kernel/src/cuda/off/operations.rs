//! What a step is made of: products and launches, term by term and layer by layer.

use super::products::{Factors, MOST_ALIGNMENT, MatrixProduct, ProductKind, Products};
use super::signals::{Signals, columns};
use super::{WORKSPACE, source};
use crate::cuda::CudaError;
use crate::cuda::chunks::{Chunk, TermSize};
use crate::cuda::context::DeviceContext;
use crate::cuda::machine::Region;
use crate::cuda::memory::{MemoryPool, Regions, Tenant};
use crate::cuda::program::{Handle, LoadedProgram, PlanArguments};
use equation::taylor::{Layer, Plan};

/// One entry of the list that loss and gradient of a chunk are made of.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Operation {
    Launch {
        kernel: &'static str,
        term: usize,
        points: usize,
        /// Words before the term's points.
        before: usize,
        layer: usize,
    },
    Multiply(MatrixProduct, Factors),
}

/// Numbers that the widest term of a chunk takes: terms come one after the other.
pub(crate) fn separate_numbers(plan: &Plan, chunks: &[Chunk]) -> usize {
    let signals = Signals::new(&plan.architecture);
    let scalars = plan.scalars.len();
    let of = |chunk: &Chunk| {
        let terms = plan.terms.iter().zip(&chunk.ranges);
        terms.map(|(term, range)| signals.numbers(term, scalars, range.len())).max().unwrap_or(0)
    };
    chunks.iter().map(of).max().unwrap_or(0)
}

/// What steps in mode `off` need and others do not; found when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct Baseline {
    kernels: Option<Handle>,
    products: Option<Products>,
}

impl Baseline {
    /// Its kernels.
    pub(crate) fn kernels(&mut self, program: &mut LoadedProgram) -> Result<Handle, CudaError> {
        match self.kernels {
            Some(kernels) => Ok(kernels),
            None => {
                let source = source(program.plan(), program.precision());
                Ok(*self.kernels.insert(program.load_written(source)?))
            }
        }
    }

    /// The operations of every chunk, with all products prepared; none for kernels that are not the baseline's.
    pub(crate) fn operations(
        &mut self,
        context: &DeviceContext,
        chunks: &[Chunk],
        sizes: &[TermSize],
        arguments: &PlanArguments,
    ) -> Result<Vec<Vec<Operation>>, CudaError> {
        let (plan, program) = (context.plan(), &context.program);
        let signals = Signals::new(&plan.architecture);
        let list = List { plan, signals, number: program.number_bytes(), arguments };
        let operations: Vec<Vec<Operation>> = chunks.iter().map(|chunk| list.of(chunk, sizes)).collect();
        let products = match &mut self.products {
            Some(products) => products,
            none => none.insert(Products::new(program.machine(), program.precision())?),
        };
        for operation in operations.iter().flatten() {
            if let Operation::Multiply(product, _) = operation {
                products.prepare(*product)?;
            }
        }
        Ok(operations)
    }

    /// Queues loss and gradient of one chunk, whose points are there.
    pub(crate) fn queue(
        &self,
        context: &DeviceContext,
        (kernels, regions): (Handle, &Regions),
        operations: &[Operation],
        arguments: &PlanArguments,
    ) -> Result<(), CudaError> {
        let blocks = arguments.blocks as usize;
        if arguments.fresh != 0 {
            context.program.launch(kernels, "clear", blocks, arguments)?;
        }
        let workspace: Region<u8> = context.memory.pool(Tenant::Calls, regions, MemoryPool::Workspace);
        let workspace = workspace.part(0, WORKSPACE);
        for operation in operations {
            match *operation {
                Operation::Launch { kernel, term, points, before, layer } => {
                    let own = PlanArguments {
                        term: term as u64,
                        points: points as u64,
                        rows: arguments.rows.from(before),
                        layer: layer as u64,
                        ..*arguments
                    };
                    context.program.launch(kernels, kernel, blocks, &own)?;
                }
                Operation::Multiply(product, factors) => {
                    let products = self.products.as_ref().expect("products were prepared with the list");
                    products.multiply(product, factors, workspace)?;
                }
            }
        }
        Ok(())
    }
}

/// Makes lists.
struct List<'a> {
    plan: &'a Plan,
    signals: Signals,
    /// Bytes of a number.
    number: usize,
    arguments: &'a PlanArguments,
}

impl List<'_> {
    fn of(&self, chunk: &Chunk, sizes: &[TermSize]) -> Vec<Operation> {
        let (mut operations, mut before) = (Vec::new(), 0);
        for (term, (range, size)) in chunk.ranges.iter().zip(sizes).enumerate() {
            if !range.is_empty() {
                self.add_term(&mut operations, term, range.len(), before);
            }
            before += range.len() * size.width;
        }
        operations
    }

    fn add_term(&self, operations: &mut Vec<Operation>, term: usize, points: usize, before: usize) {
        let launch = |kernel, layer| Operation::Launch { kernel, term, points, before, layer };
        let trains = !self.plan.terms[term].coefficients_adjoint.variables.is_empty();
        let layers = &self.plan.architecture.layers;
        operations.push(launch("features", 0));
        for (number, layer) in layers.iter().enumerate() {
            let Layer::Dense { output, .. } = *layer else {
                operations.push(launch("layer", number));
                continue;
            };
            operations.push(self.product(ProductKind::Forward, term, points, number));
            if self.signals.multiplied[output] {
                operations.push(launch("layer", number));
            }
        }
        operations.push(launch("losses", 0));
        for (number, layer) in layers.iter().enumerate().rev() {
            match *layer {
                Layer::Dense { input, .. } => {
                    operations.push(self.product(ProductKind::Gradient, term, points, number));
                    if input != 0 || trains {
                        operations.push(self.product(ProductKind::Reverse, term, points, number));
                    }
                }
                _ => operations.push(launch("layer_reverse", number)),
            }
        }
        if !self.plan.scalars.is_empty() {
            operations.push(launch("scalars", 0));
        }
    }

    /// A product of the dense layer with this number.
    fn product(&self, kind: ProductKind, term: usize, points: usize, layer: usize) -> Operation {
        let Layer::Dense { input, output, weights, bias } = self.plan.architecture.layers[layer] else {
            unreachable!("only dense layers are products");
        };
        let widths = &self.plan.architecture.widths;
        let (inputs, outputs) = (widths[input], widths[output]);
        debug_assert_eq!(bias, weights + inputs * outputs, "the bias lies behind its weights");
        let columns = columns(&self.plan.terms[term], points);
        let row = |row: usize| self.arguments.scratch.from(row * columns * self.number);
        let [value, result] = [input, output].map(|signal| row(self.signals.values[signal]));
        let bars = &self.signals.adjoints.layers[layer];
        let (operand, bar) = (bars.operands[0], row(self.signals.slots[bars.output]));
        let place = weights * self.number;
        let (matrix, gradient) = (self.arguments.weights.from(place), self.arguments.gradients.from(place));
        let factors = match kind {
            ProductKind::Forward => Factors { left: value, right: matrix, result, adds: false },
            ProductKind::Reverse => {
                let result = row(self.signals.slots[operand.slot]);
                Factors { left: bar, right: matrix, result, adds: operand.adds }
            }
            // Gradients of all terms and chunks are added up.
            ProductKind::Gradient => Factors { left: bar, right: value, result: gradient, adds: true },
        };
        let alignment = matrix.alignment(MOST_ALIGNMENT).min(gradient.alignment(MOST_ALIGNMENT));
        Operation::Multiply(MatrixProduct { kind, inputs, outputs, columns, alignment }, factors)
    }
}
