//! Kernels by time: the tiles that turned out to be the fastest.

use super::prepare::Step;
use crate::cuda::CudaError;
use crate::cuda::chunks::Wanted;
use crate::cuda::context::DeviceContext;
use crate::cuda::machine::{Compiled, Key};
use crate::cuda::program::{MOST, Variant, Work};
use std::time::Instant;

/// Evaluations of every candidate that are timed.
const REPEATS: u32 = 5;

impl Step {
    /// Chooses the fastest tiles for these points, unless that was done before.
    pub(super) fn tune(
        &mut self,
        context: &mut DeviceContext,
        wanted: Wanted<'_>,
        counts: &[usize],
    ) -> Result<(), CudaError> {
        if context.program.chosen_for(counts).is_some() {
            return Ok(());
        }
        let candidates = context.program.candidates();
        let key = Key::of(&[
            "tiles",
            &context.program.text_of((Work::Evaluate, MOST, Variant::default())).text,
            &format!("{counts:?} {:?}", context.memory.limit()),
            &context.program.machine().describe(),
        ]);
        let cache = context.program.machine().cache().cloned();
        let entry = cache.as_ref().and_then(|cache| cache.get(key));
        let known = entry.and_then(|entry| entry.log.parse::<usize>().ok());
        let best = match known.filter(|tile| candidates.contains(tile)) {
            Some(known) => known,
            None => {
                let mut timed = Vec::new();
                for &tile in &candidates {
                    let kernels = context.program.evaluating(tile, counts)?;
                    context.program.choose(counts, kernels);
                    timed.push((self.seconds(context, wanted)?, tile));
                }
                timed.sort_by(|one, other| one.0.total_cmp(&other.0));
                timed[0].1
            }
        };
        let kernels = context.program.evaluating(best, counts)?;
        context.program.choose(counts, kernels);
        if let Some(cache) = cache {
            cache.put(key, &Compiled { image: Vec::new(), log: best.to_string() });
        }
        Ok(())
    }

    /// What the chosen kernels take for loss and gradient of the first chunk.
    fn seconds(&mut self, context: &mut DeviceContext, wanted: Wanted<'_>) -> Result<f64, CudaError> {
        let plan = context.plan();
        let (parameters, extra) = (plan.initialize(0), super::places::words(plan, self.clip_words));
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
