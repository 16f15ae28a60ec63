//! Steps of training that stay on the device: points, loss, gradient and update, many of them per launch.

use super::engine::{Cuda, Place, Prepared, Resident, tables};
use super::machine::{Arguments, Recorded};
use super::memory::Pool;
use super::rows::Wanted;
use super::{CompileMode, CudaError};
use crate::{Points, Recipe, Sums, Visited, Visits};
use linear::{Moments, Series as Steps, Update};

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
pub(super) struct Series {
    kernels: usize,
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

impl Cuda<'_> {
    /// Words of an optimizer's running means, of a second copy of parameters and means, and of steps.
    pub(super) fn step_words(&self) -> [usize; 2] {
        let counts = COUNT * self.plan.architecture.layers.len();
        [5 * self.plan.parameter_count(), MOST * (STEP + 1 + tables(self.plan)) + PROGRESS + counts]
    }

    /// Words of steps before those that tell how far a call has come.
    fn progress(&self) -> usize {
        MOST * (STEP + 1 + tables(self.plan))
    }

    /// See [`crate::Kernel::run_steps`].
    pub(crate) fn run_steps(
        &mut self,
        (visits, factors): (Visits<'_>, &[f64]),
        steps: Steps<'_>,
        moments: &mut Moments,
        parameters: &mut [f64],
        history: &mut Vec<Visited>,
    ) -> Result<Option<Visited>, CudaError> {
        let Steps { update: Update::Adam { mean_decay, square_decay, floor, decay, decaying, .. }, .. } =
            steps;
        let (wanted, extra) = (Wanted::from(visits), self.step_words());
        let mut prepared = self.prepare((wanted, factors), Some(parameters), extra)?;
        let (means, words) = (prepared.regions.get(Pool::Moments), prepared.regions.get(Pool::Steps));
        let word = size_of::<u64>();
        let ahead = |count: usize| self.arena.address_of(words.start + count * word, 0);
        prepared.arguments = Arguments {
            moments: self.arena.address_of(means.start, means.len()),
            next_parameters: self.arena.address_of(means.start + 2 * parameters.len() * word, 0),
            next_moments: self.arena.address_of(means.start + 3 * parameters.len() * word, 0),
            lengths: ahead(0),
            history: ahead(STEP * MOST),
            progress: ahead(self.progress()),
            counts: ahead(self.progress() + PROGRESS),
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
        self.send(means.start, numbers)?;
        self.launch(prepared.kernels, "pack", self.pack_blocks(prepared.kernels), &prepared.arguments)?;

        history.clear();
        let (mut refused, mut taken) = (None, 0);
        for rates in steps.rates.chunks(MOST) {
            let visits = later(visits, history.len() as u64);
            let piece = self.piece(&prepared, visits, (steps.update, moments.steps), rates, history)?;
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
            0 => (prepared.regions.get(Pool::Header).start, means.start),
            _ => (means.start + 2 * parameters.len() * word, means.start + 3 * parameters.len() * word),
        };
        self.fetch(here, parameters)?;
        self.fetch(means, &mut moments.mean)?;
        self.fetch(means + parameters.len() * word, &mut moments.square)?;
        Ok(refused)
    }

    /// Takes some steps; adds what was found before all that were taken and of one that was refused to the history.
    fn piece(
        &mut self,
        prepared: &Prepared,
        visits: Visits<'_>,
        (update, before): (Update, u64),
        rates: &[f64],
        history: &mut Vec<Visited>,
    ) -> Result<Piece, CudaError> {
        let word = size_of::<u64>();
        let (step, first) = match visits {
            Visits::Points(_) => (0, 0),
            Visits::Drawn { step, first, .. } => (step, first),
        };
        let words = prepared.regions.get(Pool::Steps);
        let numbers = rates.iter().zip(before + 1..).flat_map(|(&rate, steps)| {
            let [length, correction] = update.with_rate(rate).corrections(steps);
            [length, correction, rate].map(f64::to_bits)
        });
        self.send(words.start, numbers)?;
        let progress = words.start + self.progress() * word;
        let counts = (words.end - progress) / word - 5;
        self.send(progress, [0, 0, 0, step, first].into_iter().chain(std::iter::repeat_n(0, counts)))?;
        self.draw_first(prepared, visits)?;
        self.run_all(prepared, visits.into(), rates.len())?;

        let mut ended = [0.0; 3];
        self.fetch(progress, &mut ended)?;
        let [refused, below] = [ended[1], ended[2]].map(|word| word.to_bits() as usize);
        let taken = match (refused, below) {
            (0, 0) => rates.len(),
            (0, below) => below,
            (refused, _) => refused - 1,
        };
        let each = 1 + tables(self.plan);
        let found = taken + usize::from(refused > 0);
        let mut numbers = vec![0.0; found * each];
        self.fetch(words.start + STEP * MOST * word, &mut numbers)?;
        let sizes = Wanted::from(visits).sizes(self.plan);
        for row in numbers.chunks_exact(each) {
            let sums = Sums::of(self.plan, row[1..].to_vec(), sizes.iter().map(|size| size.count));
            history.push(Visited { loss: row[0], sums });
        }
        self.note_drawn(prepared, later(visits, (found as u64).saturating_sub(1)));
        Ok(Piece { taken, refused: refused > 0, below: below > 0 })
    }

    /// See [`crate::Kernel::draw`].
    pub(crate) fn draw(&mut self, recipe: &Recipe, number: u64) -> Result<Vec<Points>, CudaError> {
        let (wanted, parameters) = (Wanted::Drawn(recipe), vec![0.0; self.plan.parameter_count()]);
        let prepared = self.prepare((wanted, &self.plan.weights()), Some(&parameters), self.step_words())?;
        let words = prepared.regions.get(Pool::Steps);
        let progress = words.start + self.progress() * size_of::<u64>();
        self.send(progress, [0, 0, 0, 0, number].into_iter())?;
        let arguments = Arguments {
            progress: self.arena.address_of(progress, 0),
            seed: recipe.seed,
            renewal: recipe.renewal,
            always: 1,
            ..prepared.arguments
        };
        let start = prepared.regions.get(Pool::Points).start;
        let mut sets: Vec<Points> =
            self.plan.terms.iter().map(|term| Points::new(term.row.width())).collect();
        for (chunk, own) in prepared.chunks.iter().enumerate() {
            self.send_points(start, wanted, own)?;
            self.queue_draw(&prepared, chunk, &arguments)?;
            let mut at = start;
            for (points, range) in sets.iter_mut().zip(&own.ranges) {
                let mut rows = vec![0.0; range.len() * points.width()];
                self.fetch(at, &mut rows)?;
                at += size_of_val(&rows[..]);
                rows.chunks_exact(points.width()).for_each(|row| points.push(row));
            }
        }
        self.forget_points();
        Ok(sets)
    }

    /// Draws the points of the first step, unless they are there.
    fn draw_first(&mut self, prepared: &Prepared, visits: Visits<'_>) -> Result<(), CudaError> {
        let Visits::Drawn { recipe, .. } = visits else { return Ok(()) };
        let there = Resident::Drawn { stamp: recipe.stamp, number: draw_of(visits) };
        if prepared.chunks.len() == 1 && self.resident != there {
            self.queue_draw(prepared, 0, &Arguments { always: 1, ..prepared.arguments })?;
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
    fn run_all(&mut self, prepared: &Prepared, wanted: Wanted<'_>, count: usize) -> Result<(), CudaError> {
        if prepared.chunks.len() > 1 && wanted.has_given() {
            return (0..count).try_for_each(|step| {
                let arguments = Arguments { always: 1, ..copies(prepared.arguments, step) };
                self.visit(prepared, wanted, &arguments)?;
                self.queue_update(prepared, &arguments)?;
                self.queue_advance(prepared, 1)
            });
        }
        let blocks = prepared.arguments.blocks as usize;
        if let Some(movers) = self.movers(prepared.kernels, blocks, &prepared.chunks)? {
            return self.queue_series(prepared, movers, count);
        }
        let Prepared { kernels, arguments, places, .. } = prepared;
        let mut left = count;
        let records = match self.mode() {
            CompileMode::ReduceOverhead | CompileMode::ManySteps | CompileMode::MaxAutotune => true,
            CompileMode::Default | CompileMode::Off => false,
        };
        if count >= RECORDED && records {
            let fits = |known: &Series| {
                (known.kernels, &known.arguments, &known.places) == (*kernels, arguments, places)
            };
            if !self.series.as_ref().is_some_and(fits) {
                self.series = None;
                let recorded = self.machine.record(|| self.queue(prepared, RECORDED))?;
                let (kernels, arguments, places) = (*kernels, *arguments, places.clone());
                self.series = Some(Series { kernels, arguments, places, recorded });
            }
            if let Some(series) = &self.series {
                for _ in 0..count / RECORDED {
                    self.machine.replay(&series.recorded, || self.queue(prepared, RECORDED))?;
                }
                left = count % RECORDED;
            }
        }
        self.queue(prepared, left)
    }

    /// Queues some steps whose points are there or are drawn there.
    fn queue(&self, prepared: &Prepared, count: usize) -> Result<(), CudaError> {
        let several = prepared.chunks.len() > 1;
        for step in 0..count {
            let arguments = copies(prepared.arguments, step);
            let arguments = Arguments { index: step as u64, always: u64::from(several), ..arguments };
            for chunk in 0..prepared.chunks.len() {
                if several || arguments.interval > 0 {
                    self.queue_draw(prepared, chunk, &arguments)?;
                }
                self.queue_chunk(prepared, chunk, &arguments)?;
            }
            self.queue_update(prepared, &arguments)?;
        }
        self.queue_advance(prepared, count)
    }

    fn queue_update(&self, prepared: &Prepared, arguments: &Arguments) -> Result<(), CudaError> {
        self.launch(prepared.kernels, "update", self.reduce_blocks(prepared.kernels), arguments)
    }

    pub(super) fn queue_advance(&self, prepared: &Prepared, count: usize) -> Result<(), CudaError> {
        let arguments = Arguments { index: count as u64, ..prepared.arguments };
        self.launch(prepared.kernels, "advance", 1, &arguments)
    }
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
    use crate::cuda::emit::{Target, Variant, Work, source};
    use crate::cuda::engine::reduced;
    use crate::cuda::probe::assert_twins;
    use crate::cuda::rows::{JOB, PART};
    use crate::cuda::series::groups;

    #[test]
    fn kernels_read_what_they_are_given() {
        let text = include_str!("../../../equation/cases/burgers.toml");
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
