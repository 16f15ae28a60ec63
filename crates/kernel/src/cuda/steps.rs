//! Steps of training that stay on the device: loss, gradient and update, many of them per launch.

use super::CudaError;
use super::emit::Work;
use super::engine::{Cuda, Prepared};
use super::machine::{Arguments, Recorded};
use super::memory::Pool;
use crate::{Losses, Moments, Points, Update};

/// Steps of one recording. More would save little: a launch of a recording costs as much as a few kernels.
const SERIES: usize = 16;

/// Words that tell how far a call has come; as `progress` in `device/tile.cuh`.
const PROGRESS: usize = 3;

/// A series of steps, and the arguments that it was recorded with.
#[derive(Debug)]
pub(super) struct Series {
    kernels: usize,
    arguments: Arguments,
    recorded: Recorded,
}

impl Cuda<'_> {
    /// See [`crate::Kernel::run_steps`].
    pub(crate) fn run_steps(
        &mut self,
        points: &[Points],
        update: (Update, &[f64]),
        moments: &mut Moments,
        parameters: &mut [f64],
        found: (&mut Losses, &mut Vec<f64>),
    ) -> Result<(), CudaError> {
        let (Update::Adam { mean_decay, square_decay, floor, decay, decaying, .. }, rates) = update;
        let (count, size) = (rates.len(), parameters.len());
        let mut prepared = self.prepare(points, parameters, [2 * size, 2 * count + PROGRESS])?;
        let (means, steps) = (prepared.regions.get(Pool::Moments), prepared.regions.get(Pool::Steps));
        let word = size_of::<u64>();
        prepared.arguments = Arguments {
            moments: self.arena.address_of(means.start, means.len()),
            rates: self.arena.address_of(steps.start, steps.len()),
            history: self.arena.address_of(steps.start + count * word, count * word),
            progress: self.arena.address_of(steps.start + 2 * count * word, PROGRESS * word),
            decaying: decaying as u64,
            mean_decay,
            square_decay,
            floor,
            decay,
            ..prepared.arguments
        };
        let words = moments.mean.iter().chain(&moments.square).map(|number| number.to_bits());
        self.send(means.start, words)?;
        let blank = std::iter::repeat_n(0, count).chain([moments.steps, 0, 0]);
        self.send(steps.start, rates.iter().map(|rate| rate.to_bits()).chain(blank))?;

        self.launch(prepared.kernels, "pack", self.pack_blocks(prepared.kernels), &prepared.arguments)?;
        self.run_all(&prepared, count)?;

        let mut ended = vec![0.0; count + PROGRESS];
        self.fetch(steps.start + count * word, &mut ended)?;
        let refused = ended[count + 2].to_bits() as usize;
        let taken = if refused == 0 { count } else { refused - 1 };
        self.fetch(prepared.regions.get(Pool::Header).start, parameters)?;
        let mut both = vec![0.0; 2 * size];
        self.fetch(means.start, &mut both)?;
        moments.mean.copy_from_slice(&both[..size]);
        moments.square.copy_from_slice(&both[size..]);
        moments.steps += taken as u64;
        let (losses, history) = found;
        history.clear();
        history.extend_from_slice(&ended[..taken]);
        let result = prepared.regions.get(Pool::Result).start + size * word;
        self.fetch(result, &mut losses.mean_squares)?;
        losses.finish(self.plan, points);
        Ok(())
    }

    /// Queues all steps: whole series as recordings, the rest one by one.
    fn run_all(&mut self, prepared: &Prepared, count: usize) -> Result<(), CudaError> {
        let Prepared { kernels, arguments, .. } = prepared;
        if count >= SERIES {
            let known = self.series.as_ref();
            let fits = |series: &Series| (series.kernels, &series.arguments) == (*kernels, arguments);
            if !known.is_some_and(fits) {
                self.series = None;
                let recorded = self.machine.record(|| self.queue(prepared, SERIES))?;
                self.series = Some(Series { kernels: *kernels, arguments: *arguments, recorded });
            }
        }
        if let Some(series) = &self.series {
            for _ in 0..count / SERIES {
                self.machine.replay(&series.recorded, || self.queue(prepared, SERIES))?;
            }
        }
        self.queue(prepared, count % SERIES)
    }

    /// Queues some steps.
    fn queue(&self, prepared: &Prepared, count: usize) -> Result<(), CudaError> {
        let Prepared { kernels, blocks, arguments, .. } = prepared;
        for step in 0..count {
            let arguments = Arguments { index: step as u64, ..*arguments };
            self.launch(*kernels, Work::Evaluate.name(), *blocks, &arguments)?;
            self.launch(*kernels, "reduce", self.reduce_blocks(*kernels), &arguments)?;
            self.launch(*kernels, "update", self.pack_blocks(*kernels), &arguments)?;
        }
        self.launch(*kernels, "advance", 1, &Arguments { index: count as u64, ..*arguments })
    }
}
