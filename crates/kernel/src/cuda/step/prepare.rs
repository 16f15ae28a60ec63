//! Everything that a call on all terms needs, on the device.

use super::clip::{ClipTable, DeviceClipping};
use super::next::OtherSet;
use super::room::CallRoom;
use super::run::Recording;
use super::search::Search;
use crate::cuda::CudaError;
use crate::cuda::chunks::{Chunk, TermSize, Wanted};
use crate::cuda::context::DeviceContext;
use crate::cuda::machine::Region;
use crate::cuda::memory::{MemoryPool, Regions, Tenant};
use crate::cuda::off::{Baseline, Operation};
use crate::cuda::parts::PartTable;
use crate::cuda::program::{Handle, Other, PlanArguments, tables};
use crate::{Points, Precision};
use linear::clip::Clipping;
use std::sync::Arc;

/// What calls on points leave behind for the next.
#[derive(Debug, Default)]
pub(crate) struct Step {
    /// The points that lie at the arena's start, and their words, with the counts behind them.
    pub(super) resident: Resident,
    words: usize,
    /// Of which recipe, and which draw, it is counted there how many candidates lie inside.
    pub(super) counted: Option<(u64, u64)>,
    /// The last series of steps, ready to be launched again.
    pub(super) recording: Option<Recording>,
    /// Whether tiles are being timed.
    pub(super) tuning: bool,
    /// Whether gradients are added up and parameters move in launches of their own.
    pub(super) apart: bool,
    /// Words of the table by which gradients are made shorter; 0 where they are not.
    pub(super) clip_words: usize,
    /// What gradients in half precision are multiplied by on their way; by the number of points where nobody says.
    pub(crate) loss_scale: Option<f64>,
    /// What makes gradients shorter, once it was needed.
    pub(super) clip: Option<Other>,
    /// The points that steps visit next.
    pub(super) other: OtherSet,
    /// What looks for points, once it was needed.
    pub(super) search: Option<Other>,
    /// Mode `off`.
    pub(super) baseline: Baseline,
}

/// Which points are in the arena.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) enum Resident {
    #[default]
    Nothing,
    /// Sets with these stamps.
    Given(Vec<u64>),
    /// A draw of the recipe with this stamp.
    Drawn { stamp: u64, number: u64 },
}

/// A call on all terms, everything on the device but points that do not stay there.
pub(crate) struct Prepared {
    pub(super) kernels: Handle,
    pub(super) regions: Regions,
    pub(crate) arguments: PlanArguments,
    pub(super) chunks: Vec<Chunk>,
    /// The arguments that differ from chunk to chunk.
    pub(super) places: Vec<ChunkTables>,
    /// Of every chunk, in mode `off`.
    pub(super) operations: Vec<Vec<Operation>>,
    /// What makes gradients shorter before parameters move.
    pub(super) clip: Option<DeviceClipping>,
    /// What looks for points, where any are looked for, and whether each step visits others.
    pub(super) search: Option<Search>,
    pub(super) ordered: bool,
    /// Whether there is room for two sets of points.
    pub(super) two_sets: bool,
}

/// A chunk's tables.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ChunkTables {
    pub(super) table: Region<u64>,
    pub(super) jobs: Region<u64>,
    pub(super) job_count: u64,
    pub(super) sought: Region<u64>,
    pub(super) sought_count: u64,
}

impl Step {
    /// The next call finds nothing.
    pub(crate) fn forget(&mut self) {
        self.forget_points();
        self.forget_recording();
    }

    /// Adds up and moves in launches of their own, or in one.
    pub(crate) fn set_apart(&mut self, apart: bool) {
        self.apart = apart;
        self.forget();
    }

    /// Makes room for rules by which gradients are made shorter.
    pub(crate) fn expect_clipping(&mut self, clipping: Option<&Clipping>) {
        let words = clipping.map_or(0, |clipping| ClipTable::of(clipping).words());
        if words != self.clip_words {
            self.clip_words = words;
            self.forget();
        }
    }

    /// Whether sums have a place of their own before parameters move.
    pub(super) fn adds_up_apart(&self) -> bool {
        self.apart || self.clip_words > 0
    }

    /// Steps are recorded anew.
    pub(crate) fn forget_recording(&mut self) {
        self.recording = None;
    }

    /// The points at the arena's start may be written over.
    pub(super) fn forget_points(&mut self) {
        (self.resident, self.counted) = (Resident::Nothing, None);
        self.other.stamps.clear();
    }

    /// Words of the points that must stay where they are.
    pub(super) fn resident_words(&self) -> usize {
        if self.resident == Resident::Nothing { 0 } else { self.words }
    }

    /// Brings parameters, unless they are there already, factors, tables and, if all of them have room, points to the device, with
    /// room for `[moments, steps]` words beside them.
    pub(crate) fn prepare(
        &mut self,
        context: &mut DeviceContext,
        (wanted, factors): (Wanted<'_>, &[f64]),
        parameters: Option<&[f64]>,
        extra: [usize; 2],
    ) -> Result<Prepared, CudaError> {
        let plan = Arc::clone(context.plan());
        let room = self.take_room(context, wanted, extra)?;
        let scale = scale(context.program.precision(), &room.sizes, self.loss_scale);
        let factors = factors.iter().map(|factor| scale * 2.0 * factor);
        let given = parameters.unwrap_or_default();
        let numbers = given.iter().copied().chain(factors).map(f64::to_bits);
        let PartTable { words: parts, insides, .. } = &room.parts;
        let words = room.tables.iter().flatten().flatten().chain(parts).chain(insides).copied();
        let header: Region<u64> = context.memory.pool(Tenant::Calls, &room.regions, MemoryPool::Header);
        context.memory.send(header.from(plan.parameter_count() - given.len()), numbers.chain(words))?;

        let turns: Region<u64> = context.memory.pool(Tenant::Calls, &room.regions, MemoryPool::Turns);
        context.memory.send(turns, std::iter::repeat_n(0, turns.count()))?;

        let mut arguments = context.arguments(&room.regions);
        let behind = header.from(plan.parameter_count());
        arguments.factors = behind.cast();
        let mut rest = behind.from(tables(&plan));
        let place = |[table, jobs, sought]: &[Vec<u64>; 3]| {
            let own = ChunkTables {
                table: rest.part(0, table.len()),
                jobs: rest.part(table.len(), jobs.len()),
                job_count: Chunk::job_count(jobs.len()),
                sought: rest.part(table.len() + jobs.len(), sought.len()),
                sought_count: Chunk::job_count(sought.len()),
            };
            rest = rest.from(table.len() + jobs.len() + sought.len());
            own
        };
        let places = room.tables.iter().map(place).collect();
        arguments.parts = rest;
        let insides = rest.part(parts.len(), insides.len());
        arguments.unscale = 1.0 / scale;
        arguments.blocks = room.blocks as u64;
        arguments.rows = self.settle_points(context, &room, wanted)?;
        let search = match room.parts.sought {
            true => {
                let points: Region<u64> =
                    context.memory.pool(Tenant::Calls, &room.regions, MemoryPool::Points);
                let counts = points.from(points.count() - room.parts.counts);
                Some(Search::new(self, context, counts, insides)?)
            }
            false => None,
        };
        let ordered = matches!(wanted, Wanted::Drawn(recipe) if recipe.is_ordered());
        let CallRoom { kernels, regions, chunks, sizes, two_sets, .. } = room;
        let operations = match context.program.work(kernels) {
            None => self.baseline.operations(context, &chunks, &sizes, &arguments)?,
            Some(_) => Vec::new(),
        };
        Ok(Prepared {
            kernels,
            regions,
            arguments,
            chunks,
            places,
            operations,
            clip: None,
            search,
            ordered,
            two_sets,
        })
    }

    /// Makes given points resident, if they have room all at once; those that are drawn are drawn later. Says where points are read.
    fn settle_points(
        &mut self,
        context: &mut DeviceContext,
        room: &CallRoom,
        wanted: Wanted<'_>,
    ) -> Result<Region<f64>, CudaError> {
        let all: Region<f64> = context.memory.pool(Tenant::Calls, &room.regions, MemoryPool::Points);
        let [chunk] = &room.chunks[..] else {
            self.forget_points();
            return Ok(all);
        };
        let words = chunk.words(&room.sizes);
        let (sets, counts) = (1 + usize::from(room.two_sets), room.parts.counts);
        if !room.two_sets && self.other.place > 0 {
            self.forget_points();
        }
        if self.words != sets * words + counts {
            // Where another set was something else is now.
            self.other.stamps.clear();
        }
        self.words = sets * words + counts;
        let known = match (wanted, &self.resident) {
            (Wanted::Given(points), _) => {
                let stamps: Vec<u64> = points.iter().map(Points::stamp).collect();
                self.resident == Resident::Given(stamps.clone()) || room.two_sets && self.turn_to(&stamps)
            }
            (Wanted::Drawn(recipe), Resident::Drawn { stamp, .. }) => *stamp == recipe.stamp,
            (Wanted::Drawn(_), _) => false,
        };
        if !known {
            self.forget_points();
            self.other.place = 0;
            send_points(context, all, wanted, chunk)?;
            if let Wanted::Given(points) = wanted {
                self.resident = Resident::Given(points.iter().map(Points::stamp).collect());
            }
        }
        Ok(all.from(self.other.place * words))
    }
}

/// Brings the points of a chunk that are not drawn there.
pub(super) fn send_points(
    context: &mut DeviceContext,
    to: Region<f64>,
    wanted: Wanted<'_>,
    chunk: &Chunk,
) -> Result<(), CudaError> {
    let mut rest = to;
    for (term, range) in chunk.ranges.iter().enumerate() {
        if let Some(points) = wanted.given(term) {
            let width = points.width();
            let numbers = &points.numbers()[range.start * width..range.end * width];
            context.memory.send(rest, numbers.iter().map(|number| number.to_bits()))?;
        }
        rest = rest.from(range.len() * context.plan().terms[term].row.width());
    }
    Ok(())
}

/// Adjoints are multiplied by this, a power of two, on their way: means over many points are too small for half precision.
fn scale(precision: Precision, sizes: &[TermSize], stated: Option<f64>) -> f64 {
    let most = sizes.iter().map(|size| size.count).max().unwrap_or(1).max(1);
    if precision == Precision::Fp16 { stated.unwrap_or((most.ilog2() as f64).exp2()) } else { 1.0 }
}
