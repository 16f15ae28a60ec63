//! How much is done before the first step to make the others fast.

use super::CudaError;
use super::cache::Key;
use super::compiler::Compiled;
use super::emit::Work;
use super::engine::Cuda;
use super::memory::Pool;
use super::rows::Wanted;
use super::tiles;
use crate::Visits;
use linear::{Moments, Series, Update};
use std::fmt;
use std::str::FromStr;
use std::time::Instant;

/// Evaluations of every candidate that are timed.
const REPEATS: u32 = 5;

/// How much is done before the first step to make the others fast.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CompileMode {
    /// Kernels by rule, launched one by one.
    Default,
    /// Kernels by rule, many steps recorded and launched as one.
    #[default]
    ReduceOverhead,
    /// The same, but where points are so few that every block has one tile, many steps are one launch of one kernel.
    ManySteps,
    /// Kernels by time: the tiles that turned out to be the fastest for these points, and the faster way to launch many steps;
    /// which ones is remembered. Sums are added up in an order that depends on the tiles.
    MaxAutotune,
    /// A step the ordinary way, for comparison: products by cuBLASLt, and kernels of ours between them, launched one
    /// by one, with all channels of all points in memory.
    Off,
}

/// Why a name is no mode.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "there is no compile mode `{name}`; use `default`, `reduce-overhead`, `many-steps`, `max-autotune` or `off`"
)]
pub struct CompileModeError {
    /// As the user wrote it.
    pub name: String,
}

impl CompileMode {
    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            CompileMode::Default => "default",
            CompileMode::ReduceOverhead => "reduce-overhead",
            CompileMode::ManySteps => "many-steps",
            CompileMode::MaxAutotune => "max-autotune",
            CompileMode::Off => "off",
        }
    }
}

impl FromStr for CompileMode {
    type Err = CompileModeError;

    fn from_str(name: &str) -> Result<Self, CompileModeError> {
        let all = [
            CompileMode::Default,
            CompileMode::ReduceOverhead,
            CompileMode::ManySteps,
            CompileMode::MaxAutotune,
            CompileMode::Off,
        ];
        let found = all.into_iter().find(|mode| mode.name() == name);
        found.ok_or_else(|| CompileModeError { name: name.to_owned() })
    }
}

impl fmt::Display for CompileMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Cuda<'_> {
    /// Chooses the fastest tiles for these points, unless that was done before.
    pub(super) fn tune(&mut self, wanted: Wanted<'_>, counts: &[usize]) -> Result<(), CudaError> {
        if self.chosen.as_ref().is_some_and(|(known, _)| known == counts) {
            return Ok(());
        }
        let candidates = self.candidates();
        let key = Key::of(&[
            "tiles",
            &self.source(Work::Evaluate, tiles::MOST).text,
            &format!("{counts:?} {:?}", self.limit),
            &self.machine.describe(),
        ]);
        let cache = self.machine.cache().cloned();
        let entry = cache.as_ref().and_then(|cache| cache.get(key));
        let known =
            entry.and_then(|entry| entry.log.parse::<usize>().ok()).map(|log| (log / 2, log % 2 == 1));
        let (best, series) = match known.filter(|(tile, _)| candidates.contains(tile)) {
            Some(known) => known,
            None => {
                let mut timed = Vec::new();
                for &tile in &candidates {
                    self.chosen = Some((counts.to_vec(), self.evaluating(tile, counts, false)?));
                    timed.push((self.seconds(wanted)?, tile));
                }
                timed.sort_by(|one, other| one.0.total_cmp(&other.0));
                let best = timed[0].1;
                let single = self.evaluating(best, counts, false)?;
                let many = self.evaluating(best, counts, true)?;
                // Where many steps cannot be one launch both are the same.
                let mut seconds = [0.0; 2];
                if single != many {
                    for (seconds, kernels) in seconds.iter_mut().zip([single, many]) {
                        self.chosen = Some((counts.to_vec(), kernels));
                        *seconds = self.seconds_of_steps(wanted)?;
                    }
                }
                (best, seconds[1] < seconds[0])
            }
        };
        self.chosen = Some((counts.to_vec(), self.evaluating(best, counts, series)?));
        if let Some(cache) = cache {
            let log = (2 * best + usize::from(series)).to_string();
            cache.put(key, &Compiled { image: Vec::new(), log });
        }
        Ok(())
    }

    /// What the chosen kernels take for some steps.
    fn seconds_of_steps(&mut self, wanted: Wanted<'_>) -> Result<f64, CudaError> {
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
        let (mut parameters, factors) = (self.plan.initialize(0), self.plan.weights());
        let (mut moments, mut history) = (Moments::new(parameters.len()), Vec::new());
        let mut best = f64::INFINITY;
        // The first time is recorded, too.
        for _ in 0..REPEATS {
            let begin = Instant::now();
            self.run_steps((visits, &factors), steps, &mut moments, &mut parameters, &mut history)?;
            best = best.min(begin.elapsed().as_secs_f64());
        }
        Ok(best)
    }

    /// The sizes that give different tiles.
    fn candidates(&self) -> Vec<usize> {
        let mut found: Vec<(usize, Vec<usize>)> = Vec::new();
        for size in tiles::SIZES {
            let points = self.source(Work::Evaluate, size).points;
            if found.iter().all(|(_, known)| *known != points) {
                found.push((size, points));
            }
        }
        found.into_iter().map(|(size, _)| size).collect()
    }

    /// What the chosen kernels take for loss and gradient of the first chunk.
    fn seconds(&mut self, wanted: Wanted<'_>) -> Result<f64, CudaError> {
        let parameters = self.plan.initialize(0);
        let prepared = self.prepare((wanted, &self.plan.weights()), Some(&parameters), self.step_words())?;
        let sums = prepared.regions.get(Pool::Sums).start;
        self.launch(prepared.kernels, "pack", self.pack_blocks(prepared.kernels), &prepared.arguments)?;
        self.queue_chunk(&prepared, 0, &prepared.arguments)?;
        self.fetch(sums, &mut [0.0])?;
        let begin = Instant::now();
        for _ in 0..REPEATS {
            self.queue_chunk(&prepared, 0, &prepared.arguments)?;
        }
        self.fetch(sums, &mut [0.0])?;
        Ok(begin.elapsed().as_secs_f64())
    }
}
