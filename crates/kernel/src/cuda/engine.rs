//! The engine: plans the machine's memory, brings points and parameters there, launches kernels, fetches results.

use super::emit::{Source, Target, Work, source};
use super::machine::{Arena, Arguments, Machine, Module, Staging};
use super::memory::{Pool, Regions};
use super::steps::Series;
use super::{CudaError, tiles};
use crate::{Losses, Points, Precision};
use equation::taylor::Plan;

/// Words of the staging memory at least: copies are made in pieces of it.
const STAGING: usize = 1 << 20;

/// Threads that add up one place of the blocks' gradients; as in `device/update.cuh`.
const SHARES: usize = 4;

/// A plan on a GPU.
#[derive(Debug)]
pub(crate) struct Cuda<'plan> {
    pub(super) plan: &'plan Plan,
    precision: Precision,
    pub(super) machine: Machine,
    pub(super) arena: Arena,
    staging: Staging,
    /// Those that were needed so far.
    loaded: Vec<Loaded>,
    /// The identity of every term's points that lie in the arena, and where they do.
    resident: Vec<u64>,
    resident_words: usize,
    /// The last series of steps, ready to be launched again.
    pub(super) series: Option<Series>,
    /// Bytes that the arena may have.
    limit: Option<usize>,
}

/// Kernels of one kind of work for one size of tile.
#[derive(Debug)]
struct Loaded {
    work: Work,
    points: usize,
    source: Source,
    module: Module,
}

/// What one call needs beside the resident points, in words or numbers.
#[derive(Clone, Copy, Default)]
pub(super) struct Needs {
    pub(super) header: usize,
    pub(super) blocks: usize,
    pub(super) rows: usize,
    pub(super) output: usize,
    pub(super) values: usize,
    pub(super) seeds: usize,
    pub(super) moments: usize,
    pub(super) steps: usize,
}

/// A call of `evaluate`, everything on the device but the parameters.
pub(super) struct Prepared {
    pub(super) kernels: usize,
    pub(super) blocks: usize,
    pub(super) regions: Regions,
    pub(super) arguments: Arguments,
}

impl<'plan> Cuda<'plan> {
    /// Kernels are compiled when they are first needed.
    pub(crate) fn new(plan: &'plan Plan, precision: Precision, machine: Machine) -> Result<Self, CudaError> {
        let parameters = plan.parameter_count();
        let staging = machine.staging(STAGING.max(parameters + tables(plan)))?;
        let arena = Arena::new(&machine);
        let engine = Cuda {
            plan,
            precision,
            machine,
            arena,
            staging,
            loaded: Vec::new(),
            resident: Vec::new(),
            resident_words: 0,
            series: None,
            limit: None,
        };
        Ok(engine)
    }

    /// Bytes of the arena.
    pub(crate) fn bytes(&self) -> usize {
        self.arena.bytes()
    }

    /// The position of the kernels in [`Self::loaded`].
    pub(super) fn kernels(&mut self, work: Work, points: usize) -> Result<usize, CudaError> {
        let known = self.loaded.iter().position(|loaded| (loaded.work, loaded.points) == (work, points));
        if let Some(known) = known {
            return Ok(known);
        }
        let source = self.source(work, points);
        let mut names = vec![work.name(), "pack"];
        names.extend(match work {
            Work::Evaluate => &["reduce", "update", "advance"][..],
            Work::Transposed => &["reduce"],
            Work::Fill | Work::Jacobian | Work::Along => &[],
        });
        let module = self.machine.load(&source.text, source.shape, &names)?;
        self.loaded.push(Loaded { work, points, source, module });
        Ok(self.loaded.len() - 1)
    }

    fn number_bytes(&self) -> usize {
        match self.precision {
            Precision::F64 => size_of::<f64>(),
            Precision::F32 | Precision::Bf16x6 | Precision::Bf16x3 | Precision::Bf16 => size_of::<f32>(),
        }
    }

    /// Lays out the arena for one call and makes room. Resident points come first, so that they stay where they are.
    /// Where memory does not suffice, fewer blocks share the work: also says how many.
    pub(super) fn regions(&mut self, kernels: usize, needs: Needs) -> Result<(Regions, usize), CudaError> {
        let mut blocks = needs.blocks;
        loop {
            let regions = self.laid_out(kernels, Needs { blocks, ..needs });
            let bytes = regions.bytes();
            let fits = self.limit.is_none_or(|limit| bytes <= limit);
            let reserved = if bytes <= self.arena.bytes() {
                Ok(())
            } else if fits {
                self.resident.clear();
                self.arena.reserve(bytes)
            } else {
                Err(CudaError::Memory { bytes })
            };
            match reserved {
                Err(CudaError::Memory { .. }) if blocks > 1 => blocks = blocks.div_ceil(2),
                reserved => return reserved.map(|()| (regions, blocks)),
            }
        }
    }

    fn laid_out(&self, kernels: usize, needs: Needs) -> Regions {
        let number = self.number_bytes();
        let source = &self.loaded[kernels].source;
        let word = size_of::<u64>();
        let results = self.plan.parameter_count() + tables(self.plan);
        Regions::new(&[
            (Pool::Points, self.resident_words * word),
            (Pool::Header, needs.header * word),
            (Pool::Weights, source.packed * number),
            (Pool::Direction, source.packed * number),
            (Pool::Jets, needs.blocks * source.scratch * number),
            (Pool::Gradients, needs.blocks * source.gradient * number),
            (Pool::Sums, needs.blocks * source.sums * word),
            (Pool::Result, results * word),
            (Pool::Norms, self.reduce_blocks(kernels) * word),
            (Pool::Moments, needs.moments * word),
            (Pool::Steps, needs.steps * word),
            (Pool::Rows, needs.rows * word),
            (Pool::Seeds, needs.seeds * word),
            (Pool::Output, needs.output * word),
            (Pool::Values, needs.values * word),
        ])
    }

    /// Bounds the arena from the next call on; `None` takes what the machine has.
    pub(crate) fn limit_bytes(&mut self, limit: Option<usize>) {
        self.limit = limit;
        self.arena = Arena::new(&self.machine);
        self.resident.clear();
        self.series = None;
    }

    /// The arguments that all kernels share.
    pub(super) fn arguments(&self, kernels: usize, regions: &Regions) -> Arguments {
        let address = |pool: Pool| {
            let region = regions.get(pool);
            self.arena.address_of(region.start, region.len())
        };
        Arguments {
            parameters: address(Pool::Header),
            weights: address(Pool::Weights),
            scratch: address(Pool::Jets),
            gradients: address(Pool::Gradients),
            sums: address(Pool::Sums),
            result: address(Pool::Result),
            norms: address(Pool::Norms),
            reducers: self.reduce_blocks(kernels) as u64,
            rows: address(Pool::Rows),
            seeds: address(Pool::Seeds),
            output: address(Pool::Output),
            values: address(Pool::Values),
            ..Arguments::default()
        }
    }

    /// Copies words to a place of the arena, piece by piece.
    pub(super) fn send(&mut self, at: usize, words: impl Iterator<Item = u64>) -> Result<(), CudaError> {
        let (mut at, mut count) = (at, 0);
        let most = self.staging.words().len();
        for word in words {
            self.staging.words()[count] = word;
            count += 1;
            if count == most {
                self.machine.upload(&self.arena, at, &mut self.staging, count)?;
                (at, count) = (at + count * size_of::<u64>(), 0);
            }
        }
        self.machine.upload(&self.arena, at, &mut self.staging, count)
    }

    /// Fetches numbers from a place of the arena, piece by piece.
    pub(super) fn fetch(&mut self, at: usize, numbers: &mut [f64]) -> Result<(), CudaError> {
        let mut at = at;
        let most = self.staging.words().len();
        for piece in numbers.chunks_mut(most) {
            self.machine.download(&self.arena, at, &mut self.staging, piece.len())?;
            let words = self.staging.words().iter();
            piece.iter_mut().zip(words).for_each(|(number, word)| *number = f64::from_bits(*word));
            at += piece.len() * size_of::<u64>();
        }
        Ok(())
    }

    /// See [`crate::Kernel::evaluate`].
    pub(crate) fn evaluate(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        gradient: &mut [f64],
        losses: &mut Losses,
    ) -> Result<(), CudaError> {
        let prepared = self.prepare(points, parameters, [0, 0])?;
        let Prepared { kernels, blocks, regions, arguments } = &prepared;
        self.launch(*kernels, "pack", self.pack_blocks(*kernels), arguments)?;
        self.launch(*kernels, Work::Evaluate.name(), *blocks, arguments)?;
        self.launch(*kernels, "reduce", self.reduce_blocks(*kernels), arguments)?;
        let mut result = vec![0.0; parameters.len() + losses.mean_squares.len()];
        self.fetch(regions.get(Pool::Result).start, &mut result)?;
        gradient.copy_from_slice(&result[..parameters.len()]);
        losses.mean_squares.copy_from_slice(&result[parameters.len()..]);
        losses.finish(self.plan, points);
        Ok(())
    }

    /// Brings points and parameters to the device, with room for `[moments, steps]` words beside them.
    pub(super) fn prepare(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        [moments, steps]: [usize; 2],
    ) -> Result<Prepared, CudaError> {
        let plan = self.plan;
        let kernels = self.kernels_for(points)?;
        let words: usize = points.iter().map(|set| set.len() * set.width()).sum();
        let mut table = Vec::with_capacity(3 * points.len() + 3);
        let (mut start, mut tile) = (0, 0);
        for (set, size) in points.iter().zip(&self.loaded[kernels].source.points) {
            table.extend([start, set.len(), tile]);
            start += set.len() * set.width();
            tile += set.len().div_ceil(*size);
        }
        table.extend([start, 0, tile]);
        let factors = plan.terms.iter().zip(points).flat_map(|(term, set)| {
            let count = set.len().max(1) as f64;
            term.residuals.iter().map(move |residual| 2.0 * residual.weight / count)
        });
        let header: Vec<u64> = (parameters.iter().copied().chain(factors).map(f64::to_bits))
            .chain(table.iter().map(|&entry| entry as u64))
            .collect();

        let stamps: Vec<u64> = points.iter().map(Points::stamp).collect();
        if self.resident != stamps {
            self.resident.clear();
            self.resident_words = words;
        }
        let blocks = tile.min(self.blocks(kernels));
        let needs = Needs { header: header.len(), blocks, moments, steps, ..Needs::default() };
        let (regions, blocks) = self.regions(kernels, needs)?;
        if self.resident != stamps {
            let rows = points.iter().flat_map(Points::iter).flatten().map(|number| number.to_bits());
            self.send(regions.get(Pool::Points).start, rows)?;
            self.resident = stamps;
        }
        self.send(regions.get(Pool::Header).start, header.into_iter())?;

        let residuals: usize = plan.terms.iter().map(|term| term.residuals.len()).sum();
        let mut arguments = self.arguments(kernels, &regions);
        arguments.factors = arguments.parameters + (parameters.len() * size_of::<u64>()) as u64;
        arguments.table = arguments.factors + (residuals * size_of::<u64>()) as u64;
        let resident = regions.get(Pool::Points);
        arguments.rows = self.arena.address_of(resident.start, resident.len());
        arguments.blocks = blocks as u64;
        Ok(Prepared { kernels, blocks, regions, arguments })
    }

    /// The kernels whose tiles share out the work best.
    fn kernels_for(&mut self, points: &[Points]) -> Result<usize, CudaError> {
        let cost = |&most: &usize| {
            let source = self.source(Work::Evaluate, most);
            let tiles = points.iter().zip(&source.points).map(|(set, size)| set.len().div_ceil(*size));
            let rounds = tiles.sum::<usize>().div_ceil(self.machine.blocks(source.shape.each));
            rounds * tiles::cost(self.plan, &source.points)
        };
        let best = tiles::SIZES.iter().copied().min_by_key(cost).unwrap_or(tiles::FEWEST);
        self.kernels(Work::Evaluate, best)
    }

    fn source(&self, work: Work, points: usize) -> Source {
        let target = Target { precision: self.precision, shared: self.machine.shared_bytes() };
        source(self.plan, target, work, points)
    }

    /// Blocks of a module that are worth launching at once.
    pub(super) fn blocks(&self, kernels: usize) -> usize {
        self.machine.blocks(self.loaded[kernels].source.shape.each)
    }

    pub(super) fn pack_blocks(&self, kernels: usize) -> usize {
        let Source { packed, shape, .. } = &self.loaded[kernels].source;
        packed.div_ceil(shape.threads).min(self.blocks(kernels))
    }

    pub(super) fn reduce_blocks(&self, kernels: usize) -> usize {
        let Source { gradient, sums, shape, .. } = &self.loaded[kernels].source;
        (gradient + sums).div_ceil(shape.threads / SHARES)
    }

    pub(super) fn launch(
        &self,
        kernels: usize,
        name: &str,
        blocks: usize,
        arguments: &Arguments,
    ) -> Result<(), CudaError> {
        self.machine.launch(&self.loaded[kernels].module, name, blocks, arguments)
    }
}

/// Words that follow the parameters in a header at most.
fn tables(plan: &Plan) -> usize {
    let residuals: usize = plan.terms.iter().map(|term| term.residuals.len()).sum();
    residuals + 3 * plan.terms.len() + 3
}
