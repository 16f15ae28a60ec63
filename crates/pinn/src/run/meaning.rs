//! Whether trained weights still mean the same under a change.

use super::ChangeRefusal;
use crate::{Device, Experiment, Points, Precision, TrainError};

/// Places at which unknowns are compared. Functions of trained weights that agree at so many agree everywhere.
const PLACES: usize = 32;

/// Refuses overrides under which trained parameters would be another solution. Decided by what the networks say, not
/// by the names of keys: whatever changes ansatz, inputs or units shows there.
pub(super) fn check(
    before: &Experiment,
    after: &Experiment,
    parameters: &[f64],
    overrides: &[String],
) -> Result<(), TrainError> {
    let text = overrides.join(" ");
    let refuse = |reason| Err(TrainError::Override { text: text.clone(), reason });
    if before.problem().windows() != after.problem().windows() {
        return refuse(ChangeRefusal::Windows);
    }
    if before.plan().parameter_count() != after.plan().parameter_count() {
        return refuse(ChangeRefusal::Network);
    }
    let points = places(before);
    // All windows, also those to come: the network of one stands for those of the others.
    let parameters = parameters.repeat(before.window_count());
    let values = |experiment: &Experiment| {
        experiment.clone().on(Device::Cpu, Precision::F64).predict(&parameters, &points)
    };
    let (before_values, after_values) = (values(before)?, values(after)?);
    let unknowns = &before.problem().unknowns;
    let differs = |position: usize| {
        let of = |values: &[f64]| -> Vec<u64> {
            values.iter().skip(position).step_by(unknowns.len()).map(|value| value.to_bits()).collect()
        };
        of(&before_values) != of(&after_values)
    };
    let others: Vec<String> = unknowns
        .iter()
        .enumerate()
        .filter(|(position, _)| differs(*position))
        .map(|(_, unknown)| unknown.name.clone())
        .collect();
    if others.is_empty() { Ok(()) } else { refuse(ChangeRefusal::Ansatz { unknowns: others }) }
}

/// Spread over the box by multiples of irrational numbers, no two coordinates alike.
fn places(experiment: &Experiment) -> Points {
    let coordinates = &experiment.problem().domain.coordinates;
    let mut points = Points::new(coordinates.len());
    for number in 1..=PLACES {
        let place: Vec<f64> = coordinates
            .iter()
            .enumerate()
            .map(|(axis, coordinate)| {
                let part = (number as f64 * (axis as f64 + 2.5).sqrt()).fract();
                coordinate.low + part * (coordinate.high - coordinate.low)
            })
            .collect();
        points.push(&place);
    }
    points
}
