//! The engine: plans the machine's memory, brings points and parameters there, launches kernels, fetches results.

use super::emit::{Source, Target, Unfused, Variant, Work, obstacle, source};
use super::machine::{Arena, Arguments, Machine, Module, Staging, ToLoad};
use super::memory::{Pool, Regions};
use super::newton::{self, Newton};
use super::off::{self, Operation, Products};
use super::room::Room;
use super::rows::{Chunk, Size, Wanted};
use super::steps::Series;
use super::vectors::Vectors;
use super::{CompileMode, CudaError, tiles};
use crate::{Points, Precision, Weighted};
use equation::taylor::Plan;

/// Words of the staging memory at least: copies are made in pieces of it.
const STAGING: usize = 1 << 20;

/// Places of the blocks' gradients that a block of so many threads adds up; as `REDUCED` in `device/step/update.cuh`.
pub(super) fn reduced(threads: usize) -> usize {
    match threads {
        ..64 => 4,
        64..128 => 8,
        128..256 => 32,
        _ => 64,
    }
}

/// A plan on a GPU.
#[derive(Debug)]
pub(crate) struct Cuda<'plan> {
    pub(super) plan: &'plan Plan,
    pub(super) precision: Precision,
    pub(super) machine: Machine,
    pub(super) arena: Arena,
    pub(super) staging: Staging,
    /// Those that were needed so far.
    loaded: Vec<Loaded>,
    /// Those that suit so many points of every term: finding out means writing them.
    pub(super) chosen: Option<(Vec<usize>, usize)>,
    mode: CompileMode,
    /// Whether tiles are being timed.
    pub(super) tuning: bool,
    /// The points that lie at the arena's start, and their words.
    pub(super) resident: Resident,
    words: usize,
    /// The last series of steps, ready to be launched again.
    pub(super) series: Option<Series>,
    /// Bytes that the arena may have, and those that the machine turned out to have.
    pub(super) limit: Option<usize>,
    pub(super) available: Option<usize>,
    /// The most bytes that both arenas had.
    pub(super) peak: usize,
    /// The last least-squares problem, in an arena of its own: other calls come between its parts.
    pub(super) newton: Option<Newton>,
    /// Kernels of dense linear algebra, once they were needed.
    pub(super) dense: Option<Module>,
    /// What multiplies in mode `off`, once it was needed.
    pub(super) products: Option<Products>,
    /// Vectors of an optimizer, in an arena of their own.
    pub(super) vectors: Option<Vectors>,
}

/// Which points are in the arena.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Resident {
    Nothing,
    /// Sets with these stamps.
    Given(Vec<u64>),
    /// A draw of the recipe with this stamp.
    Drawn {
        stamp: u64,
        number: u64,
    },
}

/// Kernels of one kind of work for one size of tile.
#[derive(Debug)]
struct Loaded {
    work: Work,
    points: usize,
    variant: Variant,
    source: Source,
    modules: Vec<Module>,
}

/// Which kernels: what they do, points of a tile at most, which text.
type Wish = (Work, usize, Variant);

/// A call on all terms, everything on the device but points that do not stay there.
pub(super) struct Prepared {
    pub(super) kernels: usize,
    pub(super) regions: Regions,
    pub(super) arguments: Arguments,
    pub(super) chunks: Vec<Chunk>,
    /// The arguments that differ from chunk to chunk.
    pub(super) places: Vec<Place>,
    /// Of every chunk, where launches are separate.
    pub(super) operations: Vec<Vec<Operation>>,
}

/// Addresses of a chunk's tables.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Place {
    pub(super) table: u64,
    pub(super) jobs: u64,
    pub(super) job_count: u64,
}

impl<'plan> Cuda<'plan> {
    /// Kernels are compiled when they are first needed.
    pub(crate) fn new(plan: &'plan Plan, precision: Precision, machine: Machine) -> Result<Self, CudaError> {
        let parameters = plan.parameter_count();
        let staging = machine.staging(STAGING.max(parameters + tables(plan)))?;
        let arena = Arena::new(&machine);
        Ok(Cuda {
            plan,
            precision,
            machine,
            arena,
            staging,
            loaded: Vec::new(),
            chosen: None,
            mode: CompileMode::default(),
            tuning: false,
            resident: Resident::Nothing,
            words: 0,
            series: None,
            limit: None,
            available: None,
            peak: 0,
            newton: None,
            dense: None,
            products: None,
            vectors: None,
        })
    }

    /// Changes how kernels are chosen and launched, from the next call on.
    pub(crate) fn set_mode(&mut self, mode: CompileMode) {
        (self.mode, self.chosen, self.series) = (mode, None, None);
    }

    pub(super) fn mode(&self) -> CompileMode {
        self.mode
    }

    /// Bytes of its memory.
    pub(crate) fn bytes(&self) -> usize {
        self.arena.bytes() + self.newton_bytes() + self.vector_bytes()
    }

    pub(super) fn source_of(&self, kernels: usize) -> &Source {
        &self.loaded[kernels].source
    }

    pub(super) fn work(&self, kernels: usize) -> Work {
        self.loaded[kernels].work
    }

    /// Bytes of loaded kernels.
    pub(super) fn image_bytes(&self) -> usize {
        self.loaded.iter().flat_map(|loaded| &loaded.modules).chain(&self.dense).map(Module::bytes).sum()
    }

    pub(super) fn staging_bytes(&mut self) -> usize {
        size_of_val(self.staging.words())
    }

    /// Words of the points that must stay where they are.
    pub(super) fn resident_words(&self) -> usize {
        if self.resident == Resident::Nothing { 0 } else { self.words }
    }

    /// The points at the arena's start may be written over.
    pub(super) fn forget_points(&mut self) {
        self.resident = Resident::Nothing;
    }

    /// The position of the kernels in [`Self::loaded`].
    pub(super) fn kernels(&mut self, work: Work, points: usize) -> Result<usize, CudaError> {
        self.load(work, points, Variant::default())
    }

    /// The same kernels for points that come in chunks.
    pub(super) fn chunked(&mut self, kernels: usize) -> Result<usize, CudaError> {
        let Loaded { work, points, variant, .. } = self.loaded[kernels];
        // Separate launches add up as they go in any case.
        if work == Work::Separate {
            return Ok(kernels);
        }
        self.load(work, points, Variant { chunked: true, series: false, ..variant })
    }

    fn load(&mut self, work: Work, points: usize, variant: Variant) -> Result<usize, CudaError> {
        let wanted = (work, points, variant);
        self.load_all(&[wanted], &[])?;
        Ok(self.known(wanted).expect("kernels that were just loaded"))
    }

    /// Loads those of the kernels that are not there yet, and texts of other kinds, side by side.
    fn load_all(&mut self, wanted: &[Wish], others: &[ToLoad<'_>]) -> Result<Vec<Module>, CudaError> {
        let missing = wanted.iter().filter(|wish| self.known(**wish).is_none());
        let sources: Vec<(Wish, Source)> = missing
            .map(|&(work, points, variant)| ((work, points, variant), self.source_for(work, points, variant)))
            .collect();
        let texts: Vec<Vec<ToLoad<'_>>> =
            sources.iter().map(|((work, ..), source)| source.to_load(*work)).collect();
        let counts: Vec<usize> = texts.iter().map(Vec::len).collect();
        let all: Vec<ToLoad<'_>> = others.iter().copied().chain(texts.into_iter().flatten()).collect();
        let mut modules = self.machine.load(&all)?;
        let mut own = modules.split_off(others.len()).into_iter();
        for (((work, points, variant), source), count) in sources.into_iter().zip(counts) {
            let modules = own.by_ref().take(count).collect();
            self.loaded.push(Loaded { work, points, variant, source, modules });
        }
        Ok(modules)
    }

    fn known(&self, wanted: Wish) -> Option<usize> {
        self.loaded.iter().position(|loaded| (loaded.work, loaded.points, loaded.variant) == wanted)
    }

    /// Loads what steps of least squares need, side by side.
    pub(crate) fn load_equations(&mut self) -> Result<(), CudaError> {
        if self.dense.is_some() {
            return Ok(());
        }
        let (points, dense) = (tiles::largest(self.plan), newton::text());
        let wanted = [Work::Fill, Work::Rows].map(|work| (work, points, Variant::default()));
        self.dense = self.load_all(&wanted, &[newton::to_load(&dense)])?.pop();
        Ok(())
    }

    /// Loads what takes steps at so many points of every term, and what predicts, for training measures errors too.
    pub(super) fn load_training(&mut self, counts: &[usize]) -> Result<(), CudaError> {
        let (points, variant) = self.best(counts);
        let size = tiles::for_any(self.plan, &self.plan.prediction);
        let wanted = [(Work::Evaluate, points, variant), (Work::Fill, size, Variant::default())];
        self.load_all(&wanted, &[]).map(|_| ())
    }

    pub(super) fn number_bytes(&self) -> usize {
        match self.precision {
            Precision::F64 => size_of::<f64>(),
            Precision::F32
            | Precision::Bf16x6
            | Precision::Fp16x3
            | Precision::Bf16x3
            | Precision::Tf32
            | Precision::Bf16
            | Precision::Fp16 => size_of::<f32>(),
        }
    }

    /// The arguments that all kernels share.
    pub(super) fn arguments(&self, regions: &Regions) -> Arguments {
        let address = |pool: Pool| {
            let region = regions.get(pool);
            self.arena.address_of(region.start, region.len())
        };
        Arguments {
            parameters: address(Pool::Header),
            weights: address(Pool::Weights),
            scratch: address(Pool::Jets),
            gradients: address(Pool::Gradients),
            turns: address(Pool::Turns),
            sums: address(Pool::Sums),
            result: address(Pool::Result),
            unscale: 1.0,
            rows: address(Pool::Rows),
            seeds: address(Pool::Seeds),
            output: address(Pool::Output),
            values: address(Pool::Values),
            ..Arguments::default()
        }
    }

    /// Copies words to a place of the arena, piece by piece.
    pub(super) fn send(&mut self, at: usize, words: impl Iterator<Item = u64>) -> Result<(), CudaError> {
        self.machine.send(&self.arena, at, &mut self.staging, words)
    }

    /// Fetches numbers from a place of the arena, piece by piece.
    pub(super) fn fetch(&mut self, at: usize, numbers: &mut [f64]) -> Result<(), CudaError> {
        self.machine.fetch(&self.arena, at, &mut self.staging, numbers)
    }

    /// See [`crate::Kernel::evaluate`].
    pub(crate) fn evaluate(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        gradient: &mut [f64],
        squares: &mut [f64],
    ) -> Result<(), CudaError> {
        let wanted = Wanted::Given(over.points);
        let prepared = self.prepare((wanted, over.factors), Some(parameters), [0, 0])?;
        self.launch(prepared.kernels, "pack", self.pack_blocks(prepared.kernels), &prepared.arguments)?;
        self.visit(&prepared, wanted, &prepared.arguments)?;
        self.launch(prepared.kernels, "reduce", self.reduce_blocks(prepared.kernels), &prepared.arguments)?;
        let mut result = vec![0.0; parameters.len() + squares.len()];
        self.fetch(prepared.regions.get(Pool::Result).start, &mut result)?;
        gradient.copy_from_slice(&result[..parameters.len()]);
        squares.copy_from_slice(&result[parameters.len()..]);
        Ok(())
    }

    /// Adds up losses and gradients of all chunks, bringing points there that do not stay.
    pub(super) fn visit(
        &mut self,
        prepared: &Prepared,
        wanted: Wanted<'_>,
        arguments: &Arguments,
    ) -> Result<(), CudaError> {
        let streamed = prepared.chunks.len() > 1;
        for (number, chunk) in prepared.chunks.iter().enumerate() {
            if streamed {
                self.send_points(prepared.regions.get(Pool::Points).start, wanted, chunk)?;
                self.queue_draw(prepared, number, arguments)?;
            }
            self.queue_chunk(prepared, number, arguments)?;
        }
        Ok(())
    }

    /// Queues the draw of a chunk's points, where there is something to draw.
    pub(super) fn queue_draw(
        &self,
        prepared: &Prepared,
        chunk: usize,
        arguments: &Arguments,
    ) -> Result<(), CudaError> {
        let Place { jobs, job_count, .. } = prepared.places[chunk];
        if job_count == 0 {
            return Ok(());
        }
        let arguments = Arguments { jobs, job_count, ..*arguments };
        self.launch(prepared.kernels, "draw", self.blocks(prepared.kernels), &arguments)
    }

    /// Queues loss and gradient of one chunk, whose points are there.
    pub(super) fn queue_chunk(
        &self,
        prepared: &Prepared,
        chunk: usize,
        arguments: &Arguments,
    ) -> Result<(), CudaError> {
        if self.work(prepared.kernels) == Work::Separate {
            return self.queue_separate(prepared, chunk, arguments);
        }
        let (table, fresh) = (prepared.places[chunk].table, u64::from(chunk == 0));
        let (own, blocks) = (Arguments { table, fresh, ..*arguments }, arguments.blocks as usize);
        self.launch(prepared.kernels, Work::Evaluate.name(), blocks, &own)?;
        match self.source_of(prepared.kernels).narrow {
            Some(_) => self.launch(prepared.kernels, "narrow", blocks, &own),
            None => Ok(()),
        }
    }

    /// Brings the points of a chunk that are not drawn there.
    pub(super) fn send_points(
        &mut self,
        at: usize,
        wanted: Wanted<'_>,
        chunk: &Chunk,
    ) -> Result<(), CudaError> {
        let mut at = at;
        for (term, range) in chunk.ranges.iter().enumerate() {
            if let Some(points) = wanted.given(term) {
                let rows = range.clone().flat_map(|index| points.row(index)).map(|number| number.to_bits());
                self.send(at, rows)?;
            }
            at += range.len() * self.plan.terms[term].row.width() * size_of::<u64>();
        }
        Ok(())
    }

    /// Brings parameters, unless they are there already, factors, tables and, if all of them have room, points to the device, with
    /// room for `[moments, steps]` words beside them.
    pub(super) fn prepare(
        &mut self,
        (wanted, factors): (Wanted<'_>, &[f64]),
        parameters: Option<&[f64]>,
        extra: [usize; 2],
    ) -> Result<Prepared, CudaError> {
        let plan = self.plan;
        let room = self.take_room(wanted, extra)?;
        let scale = self.scale(&room.sizes);
        let factors = factors.iter().map(|factor| scale * 2.0 * factor);
        let given = parameters.unwrap_or_default();
        let numbers = given.iter().copied().chain(factors).map(f64::to_bits);
        let tables = room.tables.iter().flatten().flatten().chain(&room.parts.words).copied();
        let header = room.regions.get(Pool::Header);
        let missing = plan.parameter_count() - given.len();
        self.send(header.start + missing * size_of::<u64>(), numbers.chain(tables))?;

        let turns = room.regions.get(Pool::Turns);
        self.send(turns.start, std::iter::repeat_n(0, turns.len() / size_of::<u64>()))?;

        let mut arguments = self.arguments(&room.regions);
        let word = size_of::<u64>() as u64;
        let residuals: usize = plan.terms.iter().map(|term| term.residuals.len()).sum();
        arguments.factors = arguments.parameters + plan.parameter_count() as u64 * word;
        let mut address = arguments.factors + residuals as u64 * word;
        let place = |[table, jobs]: &[Vec<u64>; 2]| {
            let start = address;
            let behind = start + table.len() as u64 * word;
            address = behind + jobs.len() as u64 * word;
            Place { table: start, jobs: behind, job_count: Chunk::job_count(jobs.len()) }
        };
        let places = room.tables.iter().map(place).collect();
        arguments.parts = address;
        arguments.unscale = 1.0 / scale;
        arguments.blocks = room.blocks as u64;
        let resident = room.regions.get(Pool::Points);
        arguments.rows = self.arena.address_of(resident.start, resident.len());
        self.settle_points(&room, wanted)?;
        let Room { kernels, regions, chunks, sizes, .. } = room;
        let operations = match self.work(kernels) {
            Work::Separate => self.separate_operations(&chunks, &sizes, &arguments)?,
            _ => Vec::new(),
        };
        Ok(Prepared { kernels, regions, arguments, chunks, places, operations })
    }

    /// Adjoints are multiplied by this, a power of two, on their way: means over many points are too small for half
    /// precision.
    fn scale(&self, sizes: &[Size]) -> f64 {
        let most = sizes.iter().map(|size| size.count).max().unwrap_or(1).max(1);
        if self.precision == Precision::Fp16 { (most.ilog2() as f64).exp2() } else { 1.0 }
    }

    /// Makes given points resident, if they have room all at once; those that are drawn are drawn later.
    fn settle_points(&mut self, room: &Room, wanted: Wanted<'_>) -> Result<(), CudaError> {
        let [chunk] = &room.chunks[..] else {
            self.forget_points();
            return Ok(());
        };
        let known = match (wanted, &self.resident) {
            (Wanted::Given(points), Resident::Given(stamps)) => {
                stamps.iter().copied().eq(points.iter().map(Points::stamp))
            }
            (Wanted::Drawn(recipe), Resident::Drawn { stamp, .. }) => *stamp == recipe.stamp,
            _ => false,
        };
        if !known {
            self.forget_points();
            self.send_points(room.regions.get(Pool::Points).start, wanted, chunk)?;
            if let Wanted::Given(points) = wanted {
                self.resident = Resident::Given(points.iter().map(Points::stamp).collect());
            }
        }
        self.words = chunk.words(&room.sizes);
        Ok(())
    }

    /// The kernels whose tiles share out so many points of every term best.
    pub(super) fn kernels_for(&mut self, counts: &[usize]) -> Result<usize, CudaError> {
        if let Some((known, kernels)) = &self.chosen
            && known == counts
        {
            return Ok(*kernels);
        }
        if self.mode == CompileMode::Off {
            return self.kernels(Work::Separate, off::POINTS);
        }
        let (best, variant) = self.best(counts);
        let kernels = self.load(Work::Evaluate, best, variant)?;
        self.chosen = Some((counts.to_vec(), kernels));
        Ok(kernels)
    }

    /// The tiles that share out so many points of every term best, and which text for them.
    fn best(&self, counts: &[usize]) -> (usize, Variant) {
        let cost = |most: usize| {
            let source = self.source(Work::Evaluate, most);
            let cost = tiles::cost(self.plan, &source, counts, self.machine.blocks(1));
            cost + tiles::update_cost(self.gradient_bytes(&source, counts))
                + self.missed_cost(&source, counts)
        };
        let costs = tiles::SIZES.map(|most| (cost(most), most));
        let best = costs.into_iter().min_by(|one, other| one.0.total_cmp(&other.0));
        let best = best.map_or(tiles::FEWEST, |(_, most)| most);
        (best, self.variant(best, counts))
    }

    /// What sums cost that wait outside of the second-level cache.
    fn missed_cost(&self, source: &Source, counts: &[usize]) -> f64 {
        let (tiles, number) = (source.tiles(counts), self.number_bytes());
        let blocks = tiles.min(self.machine.blocks(source.shape.each));
        let gradients = blocks.div_ceil(tiles::sharing(tiles, blocks, self.precision == Precision::F64));
        let resident = (blocks * source.scratch + gradients * source.gradient) * number;
        tiles::missed_cost(tiles, source.scratch * number, resident, self.machine.cache_bytes())
    }

    /// Bytes of all gradients, where every block has its own.
    fn gradient_bytes(&self, source: &Source, counts: &[usize]) -> usize {
        let blocks = source.tiles(counts).min(self.machine.blocks(source.shape.each));
        blocks * source.gradient * self.number_bytes()
    }

    /// Which text for tiles of at most so many points.
    fn variant(&self, most: usize, counts: &[usize]) -> Variant {
        let own = Variant::default();
        let merged = Variant { merged: true, ..own };
        let sources = [own, merged].map(|one| self.source_for(Work::Evaluate, most, one));
        let multiprocessors = self.machine.blocks(1);
        let (variant, source) = match tiles::merges(self.plan, &sources, counts, multiprocessors) {
            true => (merged, &sources[1]),
            false => (own, &sources[0]),
        };
        // Sums of layers that have no room beside another block's may have room then.
        let alone = source.scratch > 0 && source.tiles(counts) <= multiprocessors;
        let blocks = self.machine.blocks(source.shape.each);
        let sharing = tiles::sharing(source.tiles(counts), blocks, self.precision == Precision::F64);
        let sharing = sharing.min(self.machine.sharing());
        let series = self.series_fits(source, counts, if alone { 1 } else { source.shape.each });
        let apart = !variant.merged && source.networks > 1 && tiles::apart(source.tiles(counts), blocks);
        Variant { alone, sharing, series, apart: apart && !series, ..variant }
    }

    /// The kernels of loss and gradient with tiles of at most so many points; those that take many steps per launch if that
    /// is wanted and they are so few.
    pub(super) fn evaluating(
        &mut self,
        most: usize,
        counts: &[usize],
        series: bool,
    ) -> Result<usize, CudaError> {
        let variant = self.variant(most, counts);
        self.load(Work::Evaluate, most, Variant { series: series && variant.series, ..variant })
    }

    pub(super) fn source(&self, work: Work, points: usize) -> Source {
        self.source_for(work, points, Variant::default())
    }

    fn source_for(&self, work: Work, points: usize, variant: Variant) -> Source {
        let (shared, groups) = (self.machine.shared_bytes(), self.machine.groups());
        let target = Target { precision: self.precision, shared, groups, variant };
        source(self.plan, target, work, points)
    }

    /// Why training steps are not fused, where they are not and nobody asked for that.
    pub(crate) fn unfused(&self) -> Option<Unfused> {
        let (shared, groups) = (self.machine.shared_bytes(), self.machine.groups());
        let target = Target { precision: self.precision, shared, groups, variant: Variant::default() };
        if self.mode == CompileMode::Off { None } else { obstacle(self.plan, target) }
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
        let Source { gradient, shape, .. } = &self.loaded[kernels].source;
        gradient / reduced(shape.threads) + 1
    }

    pub(super) fn launch(
        &self,
        kernels: usize,
        name: &str,
        blocks: usize,
        arguments: &Arguments,
    ) -> Result<(), CudaError> {
        self.machine.launch(self.module(kernels, name), name, blocks, arguments)
    }

    /// The module that has a kernel.
    pub(super) fn module(&self, kernels: usize, name: &str) -> &Module {
        let found = self.loaded[kernels].modules.iter().find(|module| module.has(name));
        found.expect("every kernel that is launched was named when its module was loaded")
    }

    /// Whether kernels of loss and gradient can take many steps in one launch.
    pub(super) fn takes_series(&self, kernels: usize) -> bool {
        self.loaded[kernels].variant.series
    }
}

/// Sums of squares that follow a gradient.
pub(super) fn tables(plan: &Plan) -> usize {
    plan.terms.iter().map(|term| term.residuals.len()).sum()
}
