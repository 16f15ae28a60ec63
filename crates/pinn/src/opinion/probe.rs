//! Places and fresh points at which solutions are compared.

use crate::grid::test_points;
use crate::sample::{Draw, draw};
use crate::windows::Seam;
use crate::{Experiment, TrainError};
use equation::problem::Sampler;
use equation::taylor::Source;
use kernel::{Device, Kernel, Points, Precision};

/// Places at which values are compared: of more test points, some.
const PLACES: usize = 4096;

/// Fresh points inside, at most and at least.
const INSIDE: [usize; 2] = [2048, 256];

/// Operations that residuals at fresh points may take.
const MOST_FLOPS: f64 = 2e9;

/// Fresh points of a condition, and rows of measurements.
const ROWS: usize = 1024;

/// The draw of fresh points: training counts its own from 0, and losses on fresh points have the last.
const DRAW: u64 = u64::MAX - 1;

/// Compares solutions of an experiment, in f64 on the CPU, at places and points that follow from its problem.
pub(super) struct Probe {
    here: Experiment,
    pub(super) places: Points,
    /// By window, then by term.
    sets: Vec<Vec<Points>>,
    /// Of residuals, as the loss has them.
    weights: Vec<f64>,
}

impl Probe {
    /// As far as windows of a solution were begun, whose loss has these weights.
    pub(super) fn new(
        experiment: &Experiment,
        solution: &[f64],
        weights: &[f64],
    ) -> Result<Self, TrainError> {
        let here = experiment.clone().on(Device::Cpu, Precision::F64);
        let problem = here.problem();
        let windows = here.networks(solution).len();
        let reached = here.reached(windows);
        let is_seen = |place: &&[f64]| {
            problem.domain.covers(place) && reached.as_ref().is_none_or(|reached| reached.contains(place))
        };
        let mut places = Points::new(problem.domain.len());
        // A shape is asked about some of them only.
        let some = test_points(problem).spread(4 * PLACES);
        some.iter().filter(is_seen).for_each(|place| places.push(place));
        let places = places.spread(PLACES);
        let mut sets = Vec::new();
        for number in 0..windows {
            let stage = here.stage(number)?;
            let inside = stage.plan.terms.iter().find(|term| term.source == Source::Interior);
            let flops = inside.map_or(1.0, |term| term.cost.flops() as f64);
            let share = MOST_FLOPS / (flops * windows as f64);
            let [most, least] = INSIDE;
            let interior = (share as usize).clamp(least, most);
            let seed = problem.training.seed;
            let wanted = Draw { sampler: Sampler::Sobol, seed, number: DRAW, interior };
            let drawn = draw(&stage.problem, &stage.plan, &here.tables, wanted)?;
            let few = stage.plan.terms.iter().zip(drawn).map(|(term, points)| match term.source {
                Source::Condition(_) | Source::Data(_) => points.spread(ROWS),
                Source::Interior | Source::Prediction => points,
            });
            sets.push(few.collect());
        }
        Ok(Probe { here, places, sets, weights: weights.to_vec() })
    }

    /// The values of all unknowns at the places, by unknown; `experiment` has the network.
    pub(super) fn values(
        &self,
        experiment: &Experiment,
        solution: &[f64],
    ) -> Result<Vec<Vec<f64>>, TrainError> {
        let there = experiment.clone().on(Device::Cpu, Precision::F64);
        let found = there.predict(solution, &self.places)?;
        let count = self.here.problem().unknowns.len();
        Ok((0..count).map(|unknown| found.iter().skip(unknown).step_by(count).copied().collect()).collect())
    }

    /// All residuals at the fresh points, such that the sum of their squares is the loss, a mean over windows.
    pub(super) fn residuals(
        &self,
        experiment: &Experiment,
        solution: &[f64],
    ) -> Result<Vec<f64>, TrainError> {
        let there = experiment.clone().on(Device::Cpu, Precision::F64);
        let networks = there.networks(solution);
        let mut all = Vec::new();
        for (number, (parameters, sets)) in networks.iter().zip(&self.sets).enumerate() {
            let stage = there.stage(number)?;
            let before = number.checked_sub(1).map(|before| there.stage(before)).transpose()?;
            let seam = before.as_ref().map(|before| Seam::new(before, networks[number - 1])).transpose()?;
            let mut kernel = Kernel::compile(&stage.plan, Device::Cpu, Precision::F64)?;
            let mut weights = self.weights.iter();
            for (position, (term, points)) in stage.plan.terms.iter().zip(sets).enumerate() {
                let mut points = points.clone();
                seam.as_ref().map_or(Ok(()), |seam| seam.fill(position, &mut points))?;
                let each = term.residuals.len();
                let mut found = vec![0.0; points.len() * each];
                kernel.residuals(position, &points, parameters, &mut found)?;
                let share = 1.0 / (points.len().max(1) * self.sets.len()) as f64;
                let factors: Vec<f64> =
                    weights.by_ref().take(each).map(|weight| (weight * share).sqrt()).collect();
                all.extend(found.iter().zip(factors.iter().cycle()).map(|(found, factor)| found * factor));
            }
        }
        Ok(all)
    }
}

/// The root of the sum of squares.
pub(super) fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt()
}

/// The root of the sum of squares of differences.
pub(super) fn distance(one: &[f64], other: &[f64]) -> f64 {
    norm(one.iter().zip(other).map(|(one, other)| one - other))
}
