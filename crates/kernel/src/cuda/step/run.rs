//! Steps of training that stay on the device: points, loss, gradient and update, many of them per launch.

use super::evaluate::queue_draw;
use super::prepare::{Place, Prepared, Resident, Step, send_points};
use super::series;
use crate::cuda::CudaError;
use crate::cuda::chunks::Wanted;
use crate::cuda::context::Context;
use crate::cuda::machine::{Recorded, Region};
use crate::cuda::memory::{Pool, Regions, Tenant};
use crate::cuda::program::{Arguments, CompileMode, Handle, Program, tables};
use crate::{Points, Recipe, Sums, Visited, Visits};
use equation::taylor::Plan;
use linear::{Moments, Series, Update};

/// Steps of one recording. More would save little: a launch of a recording costs as much as a few kernels.
const RECORDED: usize = 16;

/// Steps whose lengths and losses have room on the device.
const MOST: usize = 512;

/// Words that tell how far a call has come, as `progress` in `device/shared/arguments.cuh`, and that fill up their line of the cache.
const PROGRESS: usize = 16;

/// Words of a count among blocks; as `COUNTS_APART` in `device/step/turns.cuh`.
const COUNT: usize = 16;

/// Words of what a step is made of; as `Step` in `device/step/update.cuh`.
const STEP: usize = 3;

/// A recording of steps, and what it was recorded for.
#[derive(Debug)]
pub(super) struct Recording {
    kernels: Handle,
    arguments: Arguments,
    places: Vec<Place>,
    recorded: Recorded,
}

/// How a piece of a series ended.
struct Piece {
    taken: usize,
    refused: bool,
    below: bool,
}

/// Words of an optimizer's running means, of a second copy of parameters and means, and of steps.
pub(super) fn words(plan: &Plan) -> [usize; 2] {
    [5 * plan.parameter_count(), step_words(plan).into_iter().sum()]
}

/// Words of lengths of steps, of what was found before them, of progress, and of counts among blocks.
fn step_words(plan: &Plan) -> [usize; 4] {
    [STEP * MOST, MOST * (1 + tables(plan)), PROGRESS, COUNT * plan.architecture.layers.len()]
}

/// Where those are; progress is what it and the counts are, which begin anew together.
struct StepPlaces {
    lengths: Region<f64>,
    history: Region<f64>,
    progress: Region<u64>,
    counts: Region<i32>,
}

impl StepPlaces {
    fn of(context: &Context<'_>, regions: &Regions) -> Self {
        let all: Region<u64> = context.memory.pool(Tenant::Calls, regions, Pool::Steps);
        let [lengths, history, progress, counts] = all.split(step_words(context.plan()));
        let progress_and_counts = all.from(lengths.count() + history.count());
        debug_assert_eq!(progress_and_counts.count(), progress.count() + counts.count());
        StepPlaces {
            lengths: lengths.cast(),
            history: history.cast(),
            progress: progress_and_counts,
            counts: counts.cast(),
        }
    }
}

impl Step {
    /// See [`crate::Kernel::run_steps`].
    pub(crate) fn run_steps(
        &mut self,
        context: &mut Context<'_>,
        (visits, factors): (Visits<'_>, &[f64]),
        steps: Series<'_>,
        moments: &mut Moments,
        parameters: &mut [f64],
        history: &mut Vec<Visited>,
    ) -> Result<Option<Visited>, CudaError> {
        let Series { update: Update::Adam { mean_decay, square_decay, floor, decay, decaying, .. }, .. } =
            steps;
        let (wanted, extra) = (Wanted::from(visits), words(context.plan()));
        let mut prepared = self.prepare(context, (wanted, factors), Some(parameters), extra)?;
        let places = StepPlaces::of(context, &prepared.regions);
        let means: Region<f64> = context.memory.pool(Tenant::Calls, &prepared.regions, Pool::Moments);
        let size = parameters.len();
        let [means, next_parameters, next_means] = means.split([2 * size, size, 2 * size]);
        prepared.arguments = Arguments {
            moments: means,
            next_parameters,
            next_moments: next_means,
            lengths: places.lengths,
            history: places.history,
            progress: places.progress,
            counts: places.counts,
            decaying: decaying as u64,
            mean_decay,
            square_decay,
            floor,
            decay,
            bound: steps.bound.unwrap_or(f64::NEG_INFINITY),
            ..prepared.arguments
        };
        if let Visits::Drawn { recipe, interval, .. } = visits {
            prepared.arguments.seed = recipe.seed;
            prepared.arguments.renewal = recipe.renewal;
            prepared.arguments.interval = interval.unwrap_or(0);
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
        context.memory.fetch(here, parameters)?;
        context.memory.fetch(means, &mut moments.mean)?;
        context.memory.fetch(means.from(size), &mut moments.square)?;
        Ok(refused)
    }

    /// Takes some steps; adds what was found before all that were taken and of one that was refused to the history.
    fn piece(
        &mut self,
        context: &mut Context<'_>,
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
        let Arguments { lengths, history: found_at, progress, .. } = prepared.arguments;
        let numbers = rates.iter().zip(before + 1..).flat_map(|(&rate, steps)| {
            let [length, correction] = update.with_rate(rate).corrections(steps);
            [length, correction, rate].map(f64::to_bits)
        });
        context.memory.send(lengths, numbers)?;
        let begin = [0, 0, 0, step, first];
        let zeros = std::iter::repeat_n(0, progress.count() - begin.len());
        context.memory.send(progress, begin.into_iter().chain(zeros))?;
        self.draw_first(&context.program, prepared, visits)?;
        self.run_all(context, prepared, visits.into(), rates.len())?;

        let mut ended = [0.0; 3];
        context.memory.fetch(progress.cast(), &mut ended)?;
        let [refused, below] = [ended[1], ended[2]].map(|word| word.to_bits() as usize);
        let taken = match (refused, below) {
            (0, 0) => rates.len(),
            (0, below) => below,
            (refused, _) => refused - 1,
        };
        let plan = context.plan();
        let each = 1 + tables(plan);
        let found = taken + usize::from(refused > 0);
        let mut numbers = vec![0.0; found * each];
        context.memory.fetch(found_at, &mut numbers)?;
        let sizes = Wanted::from(visits).sizes(plan);
        for row in numbers.chunks_exact(each) {
            let sums = Sums::of(plan, row[1..].to_vec(), sizes.iter().map(|size| size.count));
            history.push(Visited { loss: row[0], sums });
        }
        self.note_drawn(prepared, later(visits, (found as u64).saturating_sub(1)));
        Ok(Piece { taken, refused: refused > 0, below: below > 0 })
    }

    /// See [`crate::Kernel::draw`].
    pub(crate) fn draw(
        &mut self,
        context: &mut Context<'_>,
        recipe: &Recipe,
        number: u64,
    ) -> Result<Vec<Points>, CudaError> {
        let plan = context.plan();
        let (wanted, parameters) = (Wanted::Drawn(recipe), vec![0.0; plan.parameter_count()]);
        let prepared = self.prepare(context, (wanted, &plan.weights()), Some(&parameters), words(plan))?;
        let StepPlaces { progress, .. } = StepPlaces::of(context, &prepared.regions);
        context.memory.send(progress, [0, 0, 0, 0, number].into_iter())?;
        let arguments = Arguments {
            progress,
            seed: recipe.seed,
            renewal: recipe.renewal,
            always: 1,
            ..prepared.arguments
        };
        let mut sets: Vec<Points> = plan.terms.iter().map(|term| Points::new(term.row.width())).collect();
        for (chunk, own) in prepared.chunks.iter().enumerate() {
            send_points(context, &prepared.regions, wanted, own)?;
            queue_draw(&context.program, &prepared, chunk, &arguments)?;
            let mut rest = prepared.arguments.rows;
            for (points, range) in sets.iter_mut().zip(&own.ranges) {
                let mut rows = vec![0.0; range.len() * points.width()];
                context.memory.fetch(rest, &mut rows)?;
                rest = rest.from(rows.len());
                rows.chunks_exact(points.width()).for_each(|row| points.push(row));
            }
        }
        self.forget_points();
        Ok(sets)
    }

    /// Draws the points of the first step, unless they are there.
    fn draw_first(
        &self,
        program: &Program<'_>,
        prepared: &Prepared,
        visits: Visits<'_>,
    ) -> Result<(), CudaError> {
        let Visits::Drawn { recipe, .. } = visits else { return Ok(()) };
        let there = Resident::Drawn { stamp: recipe.stamp, number: draw_of(visits) };
        if prepared.chunks.len() == 1 && self.resident != there {
            queue_draw(program, prepared, 0, &Arguments { always: 1, ..prepared.arguments })?;
        }
        Ok(())
    }

    /// Remembers the points of the last step.
    fn note_drawn(&mut self, prepared: &Prepared, visits: Visits<'_>) {
        if let (Visits::Drawn { recipe, .. }, 1) = (visits, prepared.chunks.len()) {
            self.resident = Resident::Drawn { stamp: recipe.stamp, number: draw_of(visits) };
        }
    }

    /// Queues all steps: whole series as recordings, the rest one by one. Points that the host must bring for every
    /// step leave nothing to record.
    fn run_all(
        &mut self,
        context: &mut Context<'_>,
        prepared: &Prepared,
        wanted: Wanted<'_>,
        count: usize,
    ) -> Result<(), CudaError> {
        if prepared.chunks.len() > 1 && wanted.has_given() {
            return (0..count).try_for_each(|step| {
                let arguments = Arguments { always: 1, ..copies(prepared.arguments, step) };
                self.visit(context, prepared, wanted, &arguments)?;
                context.program.reduce(prepared.kernels, "update", &arguments)?;
                queue_advance(&context.program, prepared, 1)
            });
        }
        let (context, program) = (&*context, &context.program);
        let blocks = prepared.arguments.blocks as usize;
        if let Some(movers) = series::movers(program, prepared.kernels, blocks, &prepared.chunks)? {
            return series::queue(program, prepared, movers, count);
        }
        let Prepared { kernels, arguments, places, .. } = prepared;
        let mut left = count;
        let records = match program.mode() {
            CompileMode::ReduceOverhead | CompileMode::ManySteps | CompileMode::MaxAutotune => true,
            CompileMode::Default | CompileMode::Off => false,
        };
        if count >= RECORDED && records {
            let fits = |known: &Recording| {
                (known.kernels, &known.arguments, &known.places) == (*kernels, arguments, places)
            };
            if !self.recording.as_ref().is_some_and(fits) {
                self.recording = None;
                let recorded = program.machine().record(|| self.queue(context, prepared, RECORDED))?;
                let (kernels, arguments, places) = (*kernels, *arguments, places.clone());
                self.recording = Some(Recording { kernels, arguments, places, recorded });
            }
            if let Some(recording) = &self.recording {
                let machine = program.machine();
                for _ in 0..count / RECORDED {
                    machine.replay(&recording.recorded, || self.queue(context, prepared, RECORDED))?;
                }
                left = count % RECORDED;
            }
        }
        self.queue(context, prepared, left)
    }

    /// Queues some steps whose points are there or are drawn there.
    fn queue(&self, context: &Context<'_>, prepared: &Prepared, count: usize) -> Result<(), CudaError> {
        let several = prepared.chunks.len() > 1;
        for step in 0..count {
            let arguments = copies(prepared.arguments, step);
            let arguments = Arguments { index: step as u64, always: u64::from(several), ..arguments };
            for chunk in 0..prepared.chunks.len() {
                if several || arguments.interval > 0 {
                    queue_draw(&context.program, prepared, chunk, &arguments)?;
                }
                self.queue_chunk(context, prepared, chunk, &arguments)?;
            }
            context.program.reduce(prepared.kernels, "update", &arguments)?;
        }
        queue_advance(&context.program, prepared, count)
    }
}

/// Queues what tells the device that so many steps are done.
pub(super) fn queue_advance(
    program: &Program<'_>,
    prepared: &Prepared,
    count: usize,
) -> Result<(), CudaError> {
    let arguments = Arguments { index: count as u64, ..prepared.arguments };
    program.launch(prepared.kernels, "advance", 1, &arguments)
}

/// The arguments with the copies of parameters and running means that a step reads and writes.
fn copies(arguments: Arguments, step: usize) -> Arguments {
    let Arguments { parameters, moments, next_parameters, next_moments, .. } = arguments;
    match step % 2 {
        0 => arguments,
        _ => Arguments {
            parameters: next_parameters,
            moments: next_moments,
            next_parameters: parameters,
            next_moments: moments,
            ..arguments
        },
    }
}

/// What steps visit after `count` of them.
fn later(visits: Visits<'_>, count: u64) -> Visits<'_> {
    match visits {
        Visits::Points(_) => visits,
        Visits::Drawn { recipe, first, interval, step } => {
            Visits::Drawn { recipe, first, interval, step: step + count }
        }
    }
}

/// The number of the draw that the first step visits.
fn draw_of(visits: Visits<'_>) -> u64 {
    match visits {
        Visits::Points(_) => 0,
        Visits::Drawn { first, interval, step, .. } => first + interval.map_or(0, |interval| step / interval),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Precision;
    use crate::cuda::chunks::{JOB, PART};
    use crate::cuda::machine::assert_twins;
    use crate::cuda::program::{Target, Variant, Work, reduced, source};
    use series::groups;

    #[test]
    fn kernels_read_what_they_are_given() {
        let text = include_str!("../../../../equation/cases/burgers.toml");
        let problem = equation::parse::parse(text).expect("a valid case");
        let plan = equation::taylor::plan(&problem).expect("a plan");
        let variant = Variant { series: true, ..Variant::default() };
        let target = Target { precision: Precision::F64, shared: 228 * 1024, groups: true, variant };
        let fused = source(&plan, target, Work::Evaluate, 16);
        let threads = fused.shape.threads;
        let words = |bytes: usize| bytes * size_of::<u64>();
        let step = [("sizeof(Step)", words(STEP)), ("REDUCED", reduced(threads))];
        let waiting = [("sizeof(int) * COUNTS_APART", words(COUNT)), ("GROUPS_WISHED", groups(threads))];
        assert_twins::<Arguments>(&fused.text, &[step, waiting].concat());
        let around = fused.around.expect("a text of their own");
        let drawing = [("sizeof(Job)", words(JOB)), ("sizeof(Part)", words(PART))];
        assert_twins::<Arguments>(&around, &[step, drawing].concat());
        // The same struct where numbers are smaller.
        let target = Target { precision: Precision::F32, ..target };
        let layers = source(&plan, target, Work::Evaluate, 16);
        assert_twins::<Arguments>(&layers.text, &[("REDUCED", reduced(layers.shape.threads))]);
    }
}
