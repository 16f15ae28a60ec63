//! How many points a step may visit: as many as memory holds by plan, and what steps really take.
//!
//! `confirm` (steps that are taken to see), `device` (points that a device takes at a time).

mod confirm;
mod device;

pub use confirm::Confirmed;
pub use device::at_once;

use crate::decide::Settings;
use crate::memory::{MemoryError, Need, available, show};
use crate::{Experiment, TrainError};
use equation::decide::Decision;

/// More points than any sequence has that goes on are never looked for.
const MOST: usize = 1 << 50;

/// The largest step of a phase.
#[derive(Clone, PartialEq, Debug)]
pub struct Largest {
    /// Points inside that it visits.
    pub points: usize,
    /// Whether these are all that the phase has.
    pub all: bool,
    /// What training takes with it.
    pub need: Need,
    /// What there is, and the share of it that may be taken.
    pub available: u64,
    /// See [`Experiment::memory_threshold`].
    pub share: f64,
}

impl Experiment {
    /// The largest step of a phase that memory holds by plan; `None` where nobody tells how much there is, or where not even one
    /// point fits.
    pub fn largest_step(&self, phase: usize) -> Result<Option<Largest>, MemoryError> {
        Ok(available()?.and_then(|available| self.largest_step_in(phase, available)))
    }

    /// The same where there are so many bytes.
    pub fn largest_step_in(&self, phase: usize, available: u64) -> Option<Largest> {
        let settings = self.settled().get(phase)?;
        let share = self.memory_threshold();
        let usable = (available as f64 * share) as u64;
        let fits = |points: usize| self.need_of(&self.visiting(phase, settings, points)).bytes() <= usable;
        let bound = if self.takes_batches(phase) { settings.points.max(1) } else { MOST };
        let points = most(bound, &fits)?;
        let need = self.need_of(&self.visiting(phase, settings, points));
        Some(Largest {
            points,
            all: self.takes_batches(phase) && points >= settings.points,
            need,
            available,
            share,
        })
    }

    /// A phase whose steps visit so many points: in batches where it has any, otherwise all that it has.
    pub(crate) fn visiting(&self, phase: usize, settings: &Settings, points: usize) -> Settings {
        match self.takes_batches(phase) {
            true => Settings { batch: Some(points.div_ceil(settings.accumulate).max(1)), ..settings.clone() },
            false => Settings { points, most_points: points, ..settings.clone() },
        }
    }

    fn takes_batches(&self, phase: usize) -> bool {
        let stated = self.problem().training.phases.get(phase).is_some_and(|phase| phase.batch_by_memory);
        stated || self.settled().get(phase).is_some_and(|settings| settings.batch.is_some())
    }

    /// Whether a phase visits as many points at a step as memory holds, and it is open how many these are.
    pub fn batch_is_open(&self) -> bool {
        self.problem().training.phases.iter().any(|phase| phase.batch_by_memory)
    }

    /// Finds how many points these are, here and now. Each number is a decision: a run states it in its problem file, and finds
    /// nothing when it goes on. Where all points fit, the batch has all of them; so it has where nobody tells how much memory
    /// there is.
    pub fn with_batches_by_memory(self) -> Result<Self, TrainError> {
        if !self.batch_is_open() {
            return Ok(self);
        }
        let available = available().map_err(TrainError::from)?;
        self.with_batches_in(available)
    }

    /// The same where there are so many bytes.
    pub fn with_batches_in(mut self, available: Option<u64>) -> Result<Self, TrainError> {
        let listed = self.problem().training.listed;
        for phase in 0..self.problem().training.phases.len() {
            if !self.problem().training.phases[phase].batch_by_memory {
                continue;
            }
            let Some(settings) = self.settled().get(phase).cloned() else { continue };
            let (points, why) = match available.map(|bytes| (bytes, self.largest_step_in(phase, bytes))) {
                None => (
                    settings.points,
                    "this system does not tell how much memory there is: all points".to_owned(),
                ),
                // Refused with what is too much, where training begins.
                Some((_, None)) => (1, "memory does not hold a single point beside the rest".to_owned()),
                Some((_, Some(found))) => (found.points, found.why()),
            };
            let batch = points.div_ceil(settings.accumulate).max(1);
            let key = match listed {
                true => format!("training.phase.{phase}.batch"),
                false => "training.batch".to_owned(),
            };
            self = self.with_batch(phase, batch).with_measured(Decision::new(key, batch.to_string(), why));
        }
        Ok(self)
    }
}

impl Largest {
    fn why(&self) -> String {
        let Largest { all, available, share, need, .. } = self;
        let (percent, there) = (100.0 * share, show(*available));
        match all {
            true => format!("all points fit into {percent:.0} % of the {there} that are available"),
            false => format!(
                "as many fit into {percent:.0} % of the {there} that are available (planned: {})",
                show(need.bytes())
            ),
        }
    }
}

/// The largest number from 1 to a bound that fits, where more never fit if fewer do not. Numbers far beyond it are not tried.
fn most(bound: usize, fits: &dyn Fn(usize) -> bool) -> Option<usize> {
    if !fits(1) {
        return None;
    }
    let mut low = 1;
    while low <= bound / 2 && fits(2 * low) {
        low *= 2;
    }
    let mut high = bound.min(2 * low);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if fits(middle) { low = middle } else { high = middle - 1 }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn experiment(overrides: &[&str]) -> Experiment {
        let text = "[domain]\nx = [0, 1]\ny = [0, 1]\n[unknowns]\nu = {}\n[equations]\npoisson = \"laplacian(u) = 1\"\n\
            [conditions]\nwalls = { on = \"boundary\", equation = \"u = 0\" }\n[network]\nwidth = 8\ndepth = 2\n\
            [training]\noptimizer = \"adam\"\n";
        let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
        Experiment::from_text("poisson", text, Path::new("."), &overrides).expect("it is right")
    }

    #[test]
    fn the_largest_step_fits_and_one_more_point_does_not() {
        assert_eq!(most(1000, &|number| number <= 617), Some(617));
        assert_eq!((most(10, &|_| true), most(10, &|_| false)), (Some(10), None));
        for overrides in [&[][..], &["training.batch=100", "training.points=1000000000"]] {
            let experiment = experiment(overrides);
            let found = experiment.largest_step_in(0, 1_000_000_000).expect("some fit");
            assert!(found.need.bytes() <= 800_000_000, "{}", found.need);
            let more = experiment.visiting(0, &experiment.settled()[0], found.points + 1);
            assert!(experiment.need_of(&more).bytes() > 800_000_000, "{}", found.points);
            assert!(!found.all && found.points > 1_000_000, "{}", found.points);
        }
        assert_eq!(experiment(&[]).largest_step_in(0, 1000), None);
    }

    #[test]
    fn a_batch_by_memory_is_decided_once_and_stated() {
        let stated = ["training.batch=auto", "training.points=1000000000", "training.accumulate=4"];
        let open = experiment(&stated);
        assert!(open.batch_is_open());
        let found = open.with_batches_in(Some(500_000_000)).expect("it is found");
        let batch = found.settled()[0].batch.expect("a number");
        assert!(!found.batch_is_open() && (100_000..10_000_000).contains(&batch), "{batch}");
        assert!(found.memory_need().bytes() <= 400_000_000, "{}", found.memory_need());
        let file = found.resolved(&mut str::to_owned).expect("a file");
        assert!(
            file.contains(&format!("batch = {batch}\n")) && file.contains("80 % of the 500.0 MB"),
            "{file}"
        );
        let again = Experiment::from_text("again", &file, Path::new("."), &[]).expect("it is right");
        assert!(!again.batch_is_open() && again.settled() == found.settled());
        // Fewer points than memory holds: all of them.
        let small =
            experiment(&["training.batch=auto"]).with_batches_in(Some(500_000_000)).expect("it is found");
        assert_eq!(small.settled()[0].batch, Some(small.settled()[0].points));
    }
}
