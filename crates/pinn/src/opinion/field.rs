//! How the values of other solutions differ from those of the one at hand, and where.

use super::probe::{Probe, norm};
use crate::Experiment;
use crate::evaluate::level_is_free;
use crate::trust::{Evidence, Near, UnknownEstimate, error};

/// How other solutions differ from the one at hand.
pub(super) struct Differences<'run> {
    pub(super) experiment: &'run Experiment,
    /// Of the solution at hand, by unknown.
    pub(super) values: &'run [Vec<f64>],
    /// By comparison, the latest last: by unknown, at every place.
    pub(super) last: Vec<Vec<Vec<f64>>>,
}

impl Differences<'_> {
    /// Takes note of another solution; its distance for every unknown.
    pub(super) fn compare(&mut self, others: &[Vec<f64>]) -> Vec<Option<f64>> {
        let problem = self.experiment.problem();
        let mut differences = Vec::new();
        let mut moved = Vec::new();
        for (unknown, (own, other)) in self.values.iter().zip(others).enumerate() {
            let free = level_is_free(problem, unknown);
            let level = |values: &[f64]| match free {
                true => values.iter().sum::<f64>() / values.len() as f64,
                false => 0.0,
            };
            let [own_level, other_level] = [level(own), level(other)];
            let pairs = own.iter().zip(other);
            let difference: Vec<f64> =
                pairs.map(|(own, other)| (other - other_level) - (own - own_level)).collect();
            let size = |values: &[f64], level: f64| norm(values.iter().map(|value| value - level));
            let whole = size(own, own_level).max(size(other, other_level));
            moved.push((whole > 0.0).then(|| norm(difference.iter().copied()) / whole));
            differences.push(difference);
        }
        self.last.push(differences);
        moved
    }

    /// What is told of an unknown.
    pub(super) fn told(&self, unknown: usize, evidence: &Evidence, probe: &Probe) -> UnknownEstimate {
        let problem = self.experiment.problem();
        let own = &self.values[unknown];
        let level = match level_is_free(problem, unknown) {
            true => own.iter().sum::<f64>() / own.len() as f64,
            false => 0.0,
        };
        let size = norm(own.iter().map(|value| value - level)) / (own.len().max(1) as f64).sqrt();
        let relative_l2 = error(evidence, unknown);
        let root_mean_square = relative_l2.map(|relative| relative * size);
        let ends = own.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(*value), high.max(*value))
        });
        let range = ends.1 - ends.0;
        let peak = self.peak(unknown);
        UnknownEstimate {
            name: problem.unknowns[unknown].name.clone(),
            relative_l2,
            root_mean_square,
            of_range: root_mean_square.filter(|_| range > 0.0).map(|error| error / range),
            largest: root_mean_square.zip(peak).map(|(error, (height, _))| error * height),
            near: peak.map_or_else(Vec::new, |(_, place)| {
                let place = probe.places.row(place).iter();
                let names = problem.domain.coordinates.iter().map(|coordinate| coordinate.name.clone());
                names.zip(place).map(|(coordinate, &value)| Near { coordinate, value }).collect()
            }),
        }
    }

    /// Where the last of the trail and the second opinion differ most, in multiples of how far they do in the mean.
    fn peak(&self, unknown: usize) -> Option<(f64, usize)> {
        let chosen: Vec<(&Vec<f64>, f64)> = self
            .last
            .iter()
            .rev()
            .take(2)
            .map(|by_unknown| &by_unknown[unknown])
            .map(|own| (own, own.iter().map(|value| value * value).sum::<f64>() / own.len().max(1) as f64))
            .filter(|(_, square)| *square > 0.0 && square.is_finite())
            .collect();
        let height = |place: usize| -> f64 {
            let each = chosen.iter().map(|(values, square)| values[place] * values[place] / square);
            each.sum::<f64>() / chosen.len() as f64
        };
        let places = 0..chosen.first()?.0.len();
        places.map(|place| (height(place).sqrt(), place)).max_by(|one, other| one.0.total_cmp(&other.0))
    }
}
