//! Kernels by time: the tiles that turned out to be the fastest.

use super::prepare::Step;
use crate::Visits;
use crate::cuda::CudaError;
use crate::cuda::chunks::Wanted;
use crate::cuda::context::Context;
use crate::cuda::machine::{Compiled, Key};
use crate::cuda::program::{MOST, Program, SIZES, Variant, Work};
use linear::{Moments, Series, Update};
use std::time::Instant;

/// Evaluations of every candidate that are timed.
const REPEATS: u32 = 5;

/// The sizes that give different tiles.
fn candidates(program: &Program<'_>) -> Vec<usize> {
    let mut found: Vec<(usize, Vec<usize>)> = Vec::new();
    for size in SIZES {
        let points = program.measured(size).points;
        if found.iter().all(|(_, known)| *known != points) {
            found.push((size, points));
        }
    }
    found.into_iter().map(|(size, _)| size).collect()
}

impl Step {
    /// Chooses the fastest tiles for these points, unless that was done before.
    pub(super) fn tune(
        &mut self,
        context: &mut Context<'_>,
        wanted: Wanted<'_>,
        counts: &[usize],
    ) -> Result<(), CudaError> {
        if context.program.chosen_for(counts).is_some() {
            return Ok(());
        }
        let candidates = candidates(&context.program);
        let key = Key::of(&[
            "tiles",
            &context.program.text_of((Work::Evaluate, MOST, Variant::default())).text,
            &format!("{counts:?} {:?}", context.memory.limit()),
            &context.program.machine().describe(),
        ]);
        let cache = context.program.machine().cache().cloned();
        let entry = cache.as_ref().and_then(|cache| cache.get(key));
        let known =
            entry.and_then(|entry| entry.log.parse::<usize>().ok()).map(|log| (log / 2, log % 2 == 1));
        let (best, series) = match known.filter(|(tile, _)| candidates.contains(tile)) {
            Some(known) => known,
            None => {
                let mut timed = Vec::new();
                for &tile in &candidates {
                    let kernels = context.program.evaluating(tile, counts, false)?;
                    context.program.choose(counts, kernels);
                    timed.push((self.seconds(context, wanted)?, tile));
                }
                timed.sort_by(|one, other| one.0.total_cmp(&other.0));
                let best = timed[0].1;
                let single = context.program.evaluating(best, counts, false)?;
                let many = context.program.evaluating(best, counts, true)?;
                // Where many steps cannot be one launch both are the same.
                let mut seconds = [0.0; 2];
                if single != many {
                    for (seconds, kernels) in seconds.iter_mut().zip([single, many]) {
                        context.program.choose(counts, kernels);
                        *seconds = self.seconds_of_steps(context, wanted)?;
                    }
                }
                (best, seconds[1] < seconds[0])
            }
        };
        let kernels = context.program.evaluating(best, counts, series)?;
        context.program.choose(counts, kernels);
        if let Some(cache) = cache {
            let log = (2 * best + usize::from(series)).to_string();
            cache.put(key, &Compiled { image: Vec::new(), log });
        }
        Ok(())
    }

    /// What the chosen kernels take for some steps.
    fn seconds_of_steps(&mut self, context: &mut Context<'_>, wanted: Wanted<'_>) -> Result<f64, CudaError> {
        let visits = match wanted {
            Wanted::Given(points) => Visits::Points(points),
            Wanted::Drawn(recipe) => Visits::Drawn { recipe, first: 0, interval: None, step: 0 },
        };
        let update = Update::Adam {
            rate: 0.0,
            mean_decay: 0.9,
            square_decay: 0.999,
            floor: 1e-8,
            decay: 0.0,
            decaying: 0,
        };
        let steps = Series { update, rates: &[0.0; 64], bound: None };
        let (mut parameters, factors) = (context.plan().initialize(0), context.plan().weights());
        let (mut moments, mut history) = (Moments::new(parameters.len()), Vec::new());
        let mut best = f64::INFINITY;
        // The first time is recorded, too.
        for _ in 0..REPEATS {
            let begin = Instant::now();
            let over = (visits, &factors[..]);
            self.run_steps(context, over, steps, &mut moments, &mut parameters, &mut history)?;
            best = best.min(begin.elapsed().as_secs_f64());
        }
        Ok(best)
    }

    /// What the chosen kernels take for loss and gradient of the first chunk.
    fn seconds(&mut self, context: &mut Context<'_>, wanted: Wanted<'_>) -> Result<f64, CudaError> {
        let plan = context.plan();
        let (parameters, extra) = (plan.initialize(0), super::places::words(plan));
        let prepared = self.prepare(context, (wanted, &plan.weights()), Some(&parameters), extra)?;
        let sums = prepared.arguments.sums;
        context.program.pack(prepared.kernels, &prepared.arguments)?;
        self.queue_chunk(context, &prepared, 0, &prepared.arguments)?;
        context.memory.fetch(sums, &mut [0.0])?;
        let begin = Instant::now();
        for _ in 0..REPEATS {
            self.queue_chunk(context, &prepared, 0, &prepared.arguments)?;
        }
        context.memory.fetch(sums, &mut [0.0])?;
        Ok(begin.elapsed().as_secs_f64())
    }
}
