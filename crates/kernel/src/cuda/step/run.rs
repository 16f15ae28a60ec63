//! Steps of training that stay on the device: points, loss, gradient and update, many of them per launch.

use super::clip::{ClipTable, DeviceClipping, load};
use super::draw::later;
use super::evaluate::{queue_advance, queue_draw};
use super::places::{MOST, StepPlaces, words};
use super::prepare::{ChunkTables, Prepared, Step};
use super::search::Search;
use crate::cuda::CudaError;
use crate::cuda::chunks::Wanted;
use crate::cuda::context::DeviceContext;
use crate::cuda::machine::{Recorded, Region};
use crate::cuda::memory::{MemoryPool, Tenant};
use crate::cuda::program::{CompileMode, Handle, PlanArguments, Rule, tables};
use crate::{Sums, Visited, Visits};
use linear::{Carried, Series, Update};
use std::sync::Arc;

/// Steps of one recording. More would save little: a launch of a recording costs as much as a few kernels.
const RECORDED: usize = 16;

/// A recording of steps, and what it was recorded for.
#[derive(Debug)]
pub(super) struct Recording {
    kernels: Handle,
    rule: Rule,
    arguments: PlanArguments,
    places: Vec<ChunkTables>,
    clip: Option<DeviceClipping>,
    search: Option<Search>,
    recorded: Recorded,
}

/// How a piece of a series ended.
struct Piece {
    taken: usize,
    refused: bool,
    below: bool,
}

impl Step {
    /// See [`crate::Kernel::run_steps`].
    pub(crate) fn run_steps(
        &mut self,
        context: &mut DeviceContext,
        (visits, factors): (Visits<'_>, &[f64]),
        steps: Series<'_>,
        Carried { moments, mut clipping }: Carried<'_>,
        parameters: &mut [f64],
        history: &mut Vec<Visited>,
    ) -> Result<Option<Visited>, CudaError> {
        self.expect_clipping(clipping.as_deref());
        let rule = Rule::from(steps.update);
        let (wanted, extra) = (Wanted::from(visits), words(context.plan(), self.clip_words));
        let mut prepared = self.prepare(context, (wanted, factors), Some(parameters), extra)?;
        let places = StepPlaces::of(context, &prepared.regions, self.clip_words);
        let means: Region<f64> = context.memory.pool(Tenant::Calls, &prepared.regions, MemoryPool::Moments);
        let size = parameters.len();
        let [means, next_parameters, next_means] = means.split([2 * size, size, 2 * size]);
        prepared.arguments = PlanArguments {
            moments: means,
            next_parameters,
            next_moments: next_means,
            lengths: places.lengths,
            history: places.history,
            progress: places.progress,
            bound: steps.bound.unwrap_or(f64::NEG_INFINITY),
            ..with_numbers(steps.update, prepared.arguments)
        };
        context.program.load_rule(prepared.kernels, rule)?;
        if let Visits::Drawn { recipe, interval, .. } = visits {
            prepared.arguments.seed = recipe.seed;
            prepared.arguments.renewal = recipe.renewal;
            prepared.arguments.interval = interval.unwrap_or(0);
        }
        if let Some(clipping) = &clipping {
            let module = match self.clip {
                Some(module) => module,
                None => *self.clip.insert(load(context)?),
            };
            let place = (places.clip, &prepared.arguments);
            prepared.clip = Some(DeviceClipping::bring(context, module, &ClipTable::of(clipping), place)?);
        }
        let numbers = moments.mean.iter().chain(&moments.square).map(|number| number.to_bits());
        context.memory.send(means, numbers)?;
        context.program.pack(prepared.kernels, &prepared.arguments)?;

        history.clear();
        let (mut refused, mut taken) = (None, 0);
        for rates in steps.rates.chunks(MOST) {
            let visits = later(visits, history.len() as u64);
            let update = (steps.update, moments.steps);
            let piece = self.piece(context, &prepared, visits, update, rates, history)?;
            moments.steps += piece.taken as u64;
            if let (Some(clip), Some(clipping)) = (prepared.clip, &mut clipping) {
                clip.note_steps(context, clipping, piece.taken)?;
            }
            taken = piece.taken;
            if piece.refused {
                refused = history.pop();
            }
            if piece.refused || piece.below {
                break;
            }
        }
        // Every piece but the last has an even number of steps, so that the next one starts from the first copy.
        let (here, means) = match taken % 2 {
            0 => (prepared.arguments.parameters, means),
            _ => (next_parameters, next_means),
        };
        if let (Some(clip), Some(clipping)) = (prepared.clip, clipping) {
            clip.fetch(context, clipping)?;
        }
        context.memory.fetch(here, parameters)?;
        context.memory.fetch(means, &mut moments.mean)?;
        context.memory.fetch(means.from(size), &mut moments.square)?;
        Ok(refused)
    }

    /// Takes some steps; adds what was found before all that were taken and of one that was refused to the history.
    fn piece(
        &mut self,
        context: &mut DeviceContext,
        prepared: &Prepared,
        visits: Visits<'_>,
        (update, before): (Update, u64),
        rates: &[f64],
        history: &mut Vec<Visited>,
    ) -> Result<Piece, CudaError> {
        let (step, first) = match visits {
            Visits::Points(_) => (0, 0),
            Visits::Drawn { step, first, .. } => (step, first),
        };
        let PlanArguments { lengths, history: found_at, progress, .. } = prepared.arguments;
        let numbers = rates.iter().zip(before + 1..).flat_map(|(&rate, steps)| {
            let [length, correction] = update.with_rate(rate).corrections(steps);
            [length, correction, rate].map(f64::to_bits)
        });
        context.memory.send(lengths, numbers)?;
        let begin = [0, 0, 0, step, first];
        let zeros = std::iter::repeat_n(0, progress.count() - begin.len());
        context.memory.send(progress, begin.into_iter().chain(zeros))?;
        self.draw_first(context, prepared, visits)?;
        self.run_all(context, prepared, (visits.into(), update.into()), rates.len())?;
        // While the device is busy.
        self.begin_next(context, prepared, visits.into())?;

        let mut ended = [0.0; 3];
        context.memory.fetch(progress.cast(), &mut ended)?;
        // Whoever uses that memory next comes after what was brought.
        context.memory.await_aside()?;
        let [refused, below] = [ended[1], ended[2]].map(|word| word.to_bits() as usize);
        let taken = match (refused, below) {
            (0, 0) => rates.len(),
            (0, below) => below,
            (refused, _) => refused - 1,
        };
        let plan = Arc::clone(context.plan());
        let each = 1 + tables(&plan);
        let found = taken + usize::from(refused > 0);
        let mut numbers = vec![0.0; found * each];
        context.memory.fetch(found_at, &mut numbers)?;
        let sizes = Wanted::from(visits).sizes(&plan);
        for row in numbers.chunks_exact(each) {
            let sums = Sums::of(&plan, row[1..].to_vec(), sizes.iter().map(|size| size.count));
            history.push(Visited { loss: row[0], sums });
        }
        self.note_drawn(prepared, later(visits, (found as u64).saturating_sub(1)));
        Ok(Piece { taken, refused: refused > 0, below: below > 0 })
    }

    /// Queues all steps: whole series as recordings, the rest one by one. Points that the host must bring for every
    /// step leave nothing to record.
    fn run_all(
        &mut self,
        context: &mut DeviceContext,
        prepared: &Prepared,
        (wanted, rule): (Wanted<'_>, Rule),
        count: usize,
    ) -> Result<(), CudaError> {
        if prepared.chunks.len() > 1 && wanted.has_given() {
            return (0..count).try_for_each(|step| {
                let arguments = copies(prepared.arguments, step);
                self.queue_count(context, prepared, &arguments)?;
                let arguments = PlanArguments { always: 1, ..arguments };
                self.visit(context, prepared, wanted, &arguments)?;
                self.queue_update(context, (prepared, rule), &arguments)?;
                queue_advance(&context.program, prepared, 1)
            });
        }
        let (context, program) = (&*context, &context.program);
        let Prepared { kernels, arguments, places, clip, search, .. } = prepared;
        let mut left = count;
        let records = match program.mode() {
            CompileMode::ReduceOverhead | CompileMode::MaxAutotune => true,
            CompileMode::Default | CompileMode::Off => false,
        };
        if count >= RECORDED && records {
            let fits = |known: &Recording| {
                let same = (known.kernels, known.rule) == (*kernels, rule);
                let own = (&known.arguments, &known.places, &known.clip, &known.search);
                same && own == (arguments, places, clip, search)
            };
            if !self.recording.as_ref().is_some_and(fits) {
                self.recording = None;
                let recorded =
                    program.machine().record(|| self.queue(context, (prepared, rule), RECORDED))?;
                let (kernels, arguments, places) = (*kernels, *arguments, places.clone());
                let (clip, search) = (*clip, *search);
                self.recording = Some(Recording { kernels, rule, arguments, places, clip, search, recorded });
            }
            if let Some(recording) = &self.recording {
                let machine = program.machine();
                for _ in 0..count / RECORDED {
                    machine
                        .replay(&recording.recorded, || self.queue(context, (prepared, rule), RECORDED))?;
                }
                left = count % RECORDED;
            }
        }
        self.queue(context, (prepared, rule), left)
    }

    /// Queues some steps whose points are there or are drawn there.
    fn queue(
        &self,
        context: &DeviceContext,
        (prepared, rule): (&Prepared, Rule),
        count: usize,
    ) -> Result<(), CudaError> {
        let several = prepared.chunks.len() > 1;
        for step in 0..count {
            let arguments = copies(prepared.arguments, step);
            let arguments = PlanArguments { index: step as u64, ..arguments };
            self.queue_count(context, prepared, &arguments)?;
            let arguments = PlanArguments { always: u64::from(several), ..arguments };
            for chunk in 0..prepared.chunks.len() {
                if several || arguments.interval > 0 || prepared.ordered {
                    queue_draw(context, prepared, chunk, &arguments)?;
                }
                self.queue_chunk(context, prepared, chunk, &arguments)?;
            }
            self.queue_update(context, (prepared, rule), &arguments)?;
        }
        queue_advance(&context.program, prepared, count)
    }

    /// Queues what counts the candidates of a step's draw, where it has one of its own.
    fn queue_count(
        &self,
        context: &DeviceContext,
        prepared: &Prepared,
        arguments: &PlanArguments,
    ) -> Result<(), CudaError> {
        prepared.search.map_or(Ok(()), |search| search.queue_count(context, arguments))
    }

    /// Queues what adds up gradients and moves parameters: in one launch, or in two, between which gradients can be made shorter
    /// and sums of other devices can be added.
    fn queue_update(
        &self,
        context: &DeviceContext,
        (prepared, rule): (&Prepared, Rule),
        arguments: &PlanArguments,
    ) -> Result<(), CudaError> {
        let (program, kernels, apart) = (&context.program, prepared.kernels, self.adds_up_apart());
        if apart {
            program.reduce(kernels, arguments)?;
        }
        if let Some(clip) = &prepared.clip {
            clip.queue(context, arguments)?;
        }
        program.move_parameters(kernels, (rule, apart), arguments)
    }
}

/// The arguments with the numbers of a rule: a momentum is where the decay of a mean would be.
fn with_numbers(update: Update, arguments: PlanArguments) -> PlanArguments {
    match update {
        Update::Adam { mean_decay, square_decay, floor, decay, decaying, .. } => {
            PlanArguments { decaying: decaying as u64, mean_decay, square_decay, floor, decay, ..arguments }
        }
        Update::Momentum { momentum, .. } => PlanArguments { mean_decay: momentum, ..arguments },
        Update::RmsProp { square_decay, floor, momentum, .. } => {
            PlanArguments { mean_decay: momentum, square_decay, floor, ..arguments }
        }
    }
}

/// The arguments with the copies of parameters and running means that a step reads and writes.
fn copies(arguments: PlanArguments, step: usize) -> PlanArguments {
    let PlanArguments { parameters, moments, next_parameters, next_moments, .. } = arguments;
    match step % 2 {
        0 => arguments,
        _ => PlanArguments {
            parameters: next_parameters,
            moments: next_moments,
            next_parameters: parameters,
            next_moments: moments,
            ..arguments
        },
    }
}
