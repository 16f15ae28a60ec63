//! Iterations of Gauss-Newton with much damping, where products may be short.

use super::iteration::{first_losses, timed};
use crate::BenchError;
use equation::problem::{Products as Wanted, Solver};
use linear::{Attempt, Course, Products};
use pinnace::LeastSquares;
use pinnace::optimize::{GaussNewton, Optimizer, first_products};
use pinnace::{Objective, Refusal};

/// Of the steps that are timed.
const DAMPING: f64 = 0.1;

/// What was measured, with the equations that are cheapest.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Early {
    /// Milliseconds of an iteration of training with exact products.
    pub exact_ms: f64,
    /// The same with short ones.
    pub short_ms: f64,
    /// The loss after five iterations with exact products.
    pub exact_loss5: f64,
    /// The same with short ones.
    pub short_loss5: f64,
    /// Dampings of steps, and by how much those of short products differ from exact ones in multiples of their length, at the
    /// parameters to which the iterations came.
    pub differs: [[f64; 2]; 4],
}

/// Measures them; `None` on devices that do not solve equations by themselves, and where no products of theirs may be short.
pub(super) fn measure(objective: &mut Objective<'_>, start: &[f64]) -> Result<Option<Early>, BenchError> {
    let unknowns = objective.extent().unknowns_for_devices(Solver::Auto, 0);
    let exact = first_products(Wanted::Short, unknowns) == Products::Exact;
    if exact || objective.on_device().is_none() {
        return Ok(None);
    }
    let (exact_ms, exact_loss5, _) = iterations(objective, start, Wanted::Exact)?;
    let (short_ms, short_loss5, there) = iterations(objective, start, Wanted::Short)?;
    let differs = differences(objective, &there)?;
    Ok(Some(Early { exact_ms, short_ms, exact_loss5, short_loss5, differs }))
}

/// The median time of iterations in milliseconds, the loss after five, and where they came to.
fn iterations(
    objective: &mut Objective<'_>,
    start: &[f64],
    wanted: Wanted,
) -> Result<(f64, f64, Vec<f64>), BenchError> {
    let mut training = GaussNewton::new(start.len(), Solver::Auto, wanted);
    let mut parameters = start.to_vec();
    let mut step = |objective: &mut Objective<'_>, parameters: &mut [f64]| {
        training.step(objective, parameters, 1.0).map(|_| ())
    };
    let [_, loss5] = first_losses(objective, &mut parameters, &mut step)?;
    // The same step again and again.
    let (there, state) = (parameters.clone(), training.save().with_numbers("damping", [DAMPING]));
    let mut step = |objective: &mut Objective<'_>, parameters: &mut [f64]| {
        parameters.copy_from_slice(&there);
        training.restore(&state).map_err(|_| Refusal::NotSquares)?;
        training.step(objective, parameters, 1.0).map(|_| ())
    };
    let (time, _) = timed(objective, &mut parameters, &mut step)?;
    Ok((time, loss5, there))
}

/// Dampings, and by how much steps differ.
fn differences(objective: &mut Objective<'_>, start: &[f64]) -> Result<[[f64; 2]; 4], BenchError> {
    const DAMPINGS: [f64; 4] = [1e-4, 1e-5, 1e-6, 1e-7];
    let unknowns = objective.extent().unknowns_for_devices(Solver::Auto, 0);
    let mut steps = |products: Products| -> Result<Vec<Vec<f64>>, Refusal> {
        let device = objective.on_device().ok_or(Refusal::NotSquares)?;
        let mean = device.linearize(start, None, (unknowns, products))?.mean;
        let attempt =
            |damping: f64| Attempt { added: damping * mean, factored: damping * mean, momentum: false };
        device.try_steps(&DAMPINGS.map(attempt), Course::straight(unknowns))?;
        let mut ends = vec![start.to_vec(); DAMPINGS.len()];
        ends.iter_mut().enumerate().try_for_each(|(number, end)| device.take_step(number, end))?;
        Ok(ends)
    };
    let (exact, short) = (steps(Products::Exact)?, steps(Products::Short)?);
    let distance = |one: &[f64], other: &[f64]| -> f64 {
        one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
    };
    let mut differs = [[0.0; 2]; 4];
    for (place, (exact, short)) in exact.iter().zip(&short).enumerate() {
        differs[place] = [DAMPINGS[place], distance(exact, short) / distance(exact, start)];
    }
    Ok(differs)
}
