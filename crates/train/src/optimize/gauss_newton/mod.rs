//! Damped Gauss-Newton (Levenberg 1944, Marquardt 1963) with geodesic acceleration (Transtrum, Sethna 2012).

mod candidate;
mod correct;
mod cost;
mod overfit;
mod refine;
mod subspace;
mod system;

use super::{Optimizer, StepOutcome, Trust};
use crate::{
    Extent, LeastSquares, Linearized, Loss, Losses, OnDevice, Refusal, Shortage, State, StateError, TriedStep,
};
use candidate::Candidate;
use correct::{Corrector, achieves_prediction};
use linear::{Attempt, Course, Unknowns, least_damping};
use method::Solver;
use overfit::Overfit;
use rayon::prelude::*;
use std::iter;
use system::System;

/// Before the first step.
const FIRST_DAMPING: f64 = 1e-2;

/// Dampings that a step tries at once, in multiples of the last one that was good: one per core of a
/// small machine, and always as many, so that steps do not depend on the machine.
const TRIED: [f64; 2] = [1.0 / 3.0, 1.0];

/// The same where the last steps fitted fewer rows than parameters too closely, and no more are available.
const TRIED_WHEN_STRAINED: [f64; 2] = [2.0, 4.0];

/// Dampings that are tried when none of those lowers the loss, in multiples of the largest so far.
const TRIED_NEXT: [f64; 2] = [4.0, 32.0];

/// The part of the last step around which another is looked for, besides the one around nothing. What damping holds
/// back accumulates over steps like this (Goldshlager, Abrahamsen, Lin 2024); which of the two is taken, the loss decides.
const MOMENTUM: f64 = 0.9;

/// How often larger dampings are tried before a step is given up.
const ROUNDS: u32 = 8;

/// The smallest damping, in multiples of the least with which there is a factor: so few conjugate gradients see no difference
/// below.
const LEAST_DAMPING: f64 = 1e-4;

/// Steps in a row that may be given up where each has points of its own.
const MOST_IDLE: u64 = 10;

/// The state.
#[derive(Clone, Debug)]
pub struct GaussNewton {
    /// In multiples of the mean of the diagonal.
    damping: f64,
    /// Steps given up since the last that was taken.
    idle: u64,
    /// The loss is another function than at the last step.
    fresh: bool,
    /// More points come where they are too few.
    more_points: bool,
    overfit: Overfit,
    solver: Solver,
    /// Of the last step; none before the first.
    system: Option<System>,
    candidates: Vec<Candidate>,
    corrector: Corrector,
    losses: Losses,
    slope: Vec<f64>,
    /// The rows at the step's start.
    here: Vec<f64>,
    /// The lowest end among those tried.
    lowest: Vec<f64>,
    /// The part of the last step around which the next may lie.
    momentum: Option<Vec<f64>>,
    /// Where a device had no room for the equations of a step.
    lacking: Option<Lacking>,
    /// Steps that were looked for: each in a random subspace has its own.
    turn: u64,
}

impl GaussNewton {
    /// The state before the first step, for `parameters` numbers.
    pub fn new(parameters: usize, solver: Solver) -> Self {
        GaussNewton {
            damping: FIRST_DAMPING,
            idle: 0,
            fresh: true,
            more_points: true,
            overfit: Overfit::default(),
            solver,
            system: None,
            candidates: TRIED.iter().map(|_| Candidate::new(parameters)).collect(),
            corrector: Corrector::new(),
            losses: Losses { total: 0.0, mean_squares: Vec::new(), weights: Vec::new() },
            slope: vec![0.0; parameters],
            here: Vec::new(),
            lowest: vec![0.0; parameters],
            momentum: None,
            lacking: None,
            turn: 0,
        }
    }

    /// What a state is worth for another loss of a network like it: the damping and the last step. Nothing of the
    /// states of other methods.
    pub fn hand_on(state: &State) -> State {
        match state.number("damping") {
            Ok(_) => state.clone().with_counts("idle", [0, u64::from(true)]),
            Err(_) => State::default(),
        }
    }

    /// Solves for every candidate's step, and finds the one after which the loss is lowest, if it is lower than now.
    fn try_dampings(
        &mut self,
        system: &System,
        squares: &mut dyn LeastSquares,
        parameters: &[f64],
        dampings: [f64; 2],
        evaluations: &mut u64,
    ) -> Result<Option<Best>, Refusal> {
        let extent = squares.extent();
        let GaussNewton { slope, here, candidates, corrector, losses, lowest, momentum, .. } = self;
        let mean = system.mean(parameters.len());
        rayon::join(
            || corrector.factorize(system, dampings, mean, extent),
            || {
                let pairs = candidates.par_iter_mut().zip(dampings);
                pairs.for_each(|(candidate, damping)| candidate.factorize(system, damping, mean));
            },
        );
        let mut best: Option<Best> = None;
        let (mut end, mut there) = (vec![0.0; parameters.len()], vec![0.0; here.len()]);
        for (number, candidate) in candidates.iter_mut().enumerate().filter(|(_, one)| one.factorized()) {
            for origin in iter::once(None).chain(momentum.as_deref().map(Some)) {
                candidate.solve(system, squares, parameters, (here, slope), origin)?;
                if !candidate.predicted().is_finite() {
                    continue;
                }
                candidate.accelerate(system, squares, parameters, here)?;
                let steps = parameters.iter().zip(&candidate.step);
                end.iter_mut().zip(steps).for_each(|(end, (from, step))| *end = from - step);
                squares.rows(&end, &mut there)?;
                let mut note = |after: f64, end: &[f64]| {
                    *evaluations += 1;
                    if after < best.map_or(losses.total, |best| best.after) {
                        let (damping, predicted) = (candidate.damping(), candidate.predicted());
                        best = Some(Best { number, damping, predicted, after });
                        lowest.copy_from_slice(end);
                    }
                };
                let after = dot(&there, &there);
                note(after, &end);
                let done = achieves_prediction(candidate.predicted(), losses.total, after);
                if after.is_finite() && corrector.is_ready() && !done {
                    let after = corrector.correct(system, squares, parameters, &mut end, &mut there)?;
                    note(after, &end);
                }
            }
        }
        Ok(best)
    }

    /// The first dampings to try, given the loss before the step, and how strained its points are.
    fn dampings(&self, extent: Extent, loss: f64) -> ([f64; 2], Overfit) {
        let few = self.fresh && !self.more_points && extent.rows < extent.parameters;
        let overfit = if few { self.overfit.renewed(loss) } else { self.overfit };
        let strained = few && overfit.is_too_large() || self.fresh && self.overfit.has_risen(loss);
        let factors = if strained { TRIED_WHEN_STRAINED } else { TRIED };
        (
            factors
                .map(|factor| (self.damping * factor).max(LEAST_DAMPING * least_damping(extent.parameters))),
            overfit,
        )
    }

    /// The step on this CPU.
    fn step_here(
        &mut self,
        squares: &mut dyn LeastSquares,
        parameters: &mut [f64],
    ) -> Result<Searched, Refusal> {
        let extent = squares.extent();
        let system = self.system.take().filter(|system| system.fits(self.solver, extent));
        let mut system = system.unwrap_or_else(|| System::new(self.solver, extent));
        self.losses = system.linearize(
            squares,
            (&*parameters, self.momentum.as_deref(), self.turn),
            &mut self.slope,
            &mut self.here,
        )?;
        let gradient = 2.0 * dot(&self.slope, &self.slope).sqrt();
        let (dampings, overfit) = self.dampings(extent, self.losses.total);
        let found = search(dampings, gradient, |dampings, evaluations| {
            self.try_dampings(&system, squares, parameters, dampings, evaluations)
        });
        self.system = Some(system);
        let found = found?;
        self.overfit = overfit;
        if found.best.is_some() {
            let steps =
                parameters.iter().zip(&self.lowest).map(|(before, after)| MOMENTUM * (before - after));
            self.momentum = Some(steps.collect());
            parameters.copy_from_slice(&self.lowest);
        }
        Ok(found)
    }

    /// The step where a device solves the equations by itself.
    fn step_on_device(
        &mut self,
        device: &mut dyn OnDevice,
        parameters: &mut [f64],
        (extent, unknowns): (Extent, Unknowns),
    ) -> Result<Searched, Refusal> {
        let Linearized { losses, mean, slope } =
            device.linearize(parameters, self.momentum.as_deref(), unknowns)?;
        let origins = if self.momentum.is_some() { &[false, true][..] } else { &[false] };
        let least = unknowns.least_damping(extent.parameters);
        let (dampings, overfit) = self.dampings(extent, losses.total);
        let found = search(dampings, 2.0 * slope, |dampings, evaluations| {
            let damped =
                dampings.into_iter().flat_map(|damping| origins.iter().map(move |&on| (damping, on)));
            let attempts: Vec<Attempt> = damped
                .clone()
                .map(|(damping, momentum)| {
                    let factored = mean * damping.max(least);
                    let added = if unknowns.stays() { factored } else { mean * damping };
                    Attempt { added, factored, momentum }
                })
                .collect();
            let added = mean * correct::damping(dampings);
            let corrected = correct::can_be_judged(extent) && unknowns != Unknowns::Diagonal;
            let course =
                if corrected { Course::corrected(unknowns, added) } else { Course::accelerated(unknowns) };
            let tried = device.try_steps(&attempts, course)?;
            let mut best: Option<Best> = None;
            // Corrected ends come behind the others.
            let count = attempts.len();
            let kept =
                |step: &TriedStep| achieves_prediction(step.predicted, losses.total, step.losses.total);
            for (number, (step, (damping, _))) in tried.iter().zip(damped.clone().chain(damped)).enumerate() {
                let lowest = best.map_or(losses.total, |best| best.after);
                let due = number < count || !kept(&tried[number - count]);
                *evaluations += u64::from(due);
                if step.predicted.is_finite() && step.losses.total < lowest && due {
                    let (predicted, after) = (step.predicted, step.losses.total);
                    best = Some(Best { number, damping, predicted, after });
                }
            }
            Ok(best)
        })?;
        (self.losses, self.overfit) = (losses, overfit);
        if let Some(best) = &found.best {
            let before = parameters.to_vec();
            device.take_step(best.number, parameters)?;
            let steps = before.iter().zip(&*parameters).map(|(before, after)| MOMENTUM * (before - after));
            self.momentum = Some(steps.collect());
        }
        Ok(found)
    }
}

/// Equations that a device has no room for: as many rows are not tried again.
#[derive(Clone, Copy, Debug)]
struct Lacking {
    rows: usize,
    bytes: usize,
}

/// The damping whose step ends lowest.
#[derive(Clone, Copy, Debug)]
struct Best {
    number: usize,
    damping: f64,
    predicted: f64,
    /// The loss at its end.
    after: f64,
}

/// What a search found.
struct Searched {
    /// Norm of the gradient where it began.
    gradient: f64,
    best: Option<Best>,
    evaluations: u64,
}

/// Tries larger and larger dampings until one lowers the loss. There is nothing to search without a gradient.
fn search(
    mut dampings: [f64; 2],
    gradient: f64,
    mut attempt: impl FnMut([f64; 2], &mut u64) -> Result<Option<Best>, Refusal>,
) -> Result<Searched, Refusal> {
    let mut evaluations = 1;
    for _ in 0..if gradient.is_normal() { ROUNDS } else { 0 } {
        let best = attempt(dampings, &mut evaluations)?;
        if best.is_some() {
            return Ok(Searched { gradient, best, evaluations });
        }
        dampings = TRIED_NEXT.map(|factor| dampings[1] * factor);
    }
    Ok(Searched { gradient, best: None, evaluations })
}

impl Optimizer for GaussNewton {
    fn step<'step>(
        &'step mut self,
        loss: &'step mut dyn Loss,
        parameters: &mut [f64],
        _rate: f64,
    ) -> Result<StepOutcome<'step>, Refusal> {
        let squares = loss.least_squares().ok_or(Refusal::NotSquares)?;
        let extent = squares.extent();
        let unknowns = extent.unknowns_for_devices(self.solver, self.turn);
        let on_device = (squares.on_device())
            .filter(|_| self.lacking.is_none_or(|lacking| extent.rows < lacking.rows))
            .map(|device| self.step_on_device(device, parameters, (extent, unknowns)));
        let found = match on_device {
            None => self.step_here(squares, parameters)?,
            Some(Err(Refusal::NoRoom { bytes })) => {
                self.lacking = Some(Lacking { rows: extent.rows, bytes });
                self.step_here(squares, parameters)?
            }
            Some(found) => {
                let found = found?;
                self.lacking = None;
                found
            }
        };
        self.turn += 1;
        let Searched { gradient, best, evaluations } = found;
        if !gradient.is_normal() {
            return Ok(StepOutcome::GradientVanished { gradient, evaluations });
        }
        if let Some(Best { damping, predicted, after, .. }) = best {
            (self.damping, self.idle, self.fresh) = (damping, 0, false);
            (self.overfit.before, self.overfit.after) = (self.losses.total, after);
            let gain = (self.losses.total - after) / predicted;
            let trust = Some(Trust { damping, gain, after });
            return Ok(StepOutcome::Taken { losses: &self.losses, length: 1.0, evaluations, trust });
        }
        self.idle += 1;
        if !self.fresh || self.idle > MOST_IDLE {
            return Ok(StepOutcome::NoDescent { gradient, evaluations });
        }
        // Other points may have a way down, a little more carefully.
        (self.damping, self.fresh) = (self.damping * TRIED_NEXT[0], false);
        let trust = Some(Trust { damping: self.damping, gain: 0.0, after: self.losses.total });
        Ok(StepOutcome::Taken { losses: &self.losses, length: 0.0, evaluations, trust })
    }

    fn fallback(&self) -> Option<Shortage> {
        self.lacking.map(|Lacking { bytes, .. }| Shortage::Equations { bytes })
    }

    fn expect_points(&mut self, more: bool) {
        self.more_points = more;
    }

    /// The damping stays: it belongs to the network more than to its points.
    fn forget_loss(&mut self) {
        self.fresh = true;
    }

    fn save(&self) -> State {
        let state = State::default()
            .with_numbers("damping", [self.damping])
            .with_numbers("strain", [self.overfit.after, self.overfit.mean, self.overfit.before])
            .with_counts("idle", [self.idle, u64::from(self.fresh)])
            .with_counts("turn", [self.turn]);
        match &self.momentum {
            Some(momentum) => state.with_numbers("carried", momentum.clone()),
            None => state,
        }
    }

    fn restore(&mut self, state: &State) -> Result<(), StateError> {
        let wrong = |name: &str| StateError::Value { name: name.to_owned() };
        let damping = state.number("damping")?;
        let &[idle, fresh] = state.counts("idle")? else { return Err(wrong("idle")) };
        if !(damping.is_finite() && damping > 0.0) {
            return Err(wrong("damping"));
        }
        let overfit = match state.numbers("strain") {
            Ok(&[after, mean, before]) => Overfit { before, after, mean },
            // From before losses that rise were noticed.
            Ok(&[after, mean]) => Overfit { before: 0.0, after, mean },
            Err(StateError::Missing { .. }) => Overfit::default(),
            Ok(_) => return Err(wrong("strain")),
            Err(error) => return Err(error),
        };
        self.momentum = match state.sized("carried", self.lowest.len()) {
            Ok(momentum) => Some(momentum.to_vec()),
            Err(StateError::Missing { .. }) => None,
            Err(error) => return Err(error),
        };
        self.turn = match state.counts("turn") {
            Ok(&[turn]) => turn,
            // From before there were subspaces.
            Err(StateError::Missing { .. }) => 0,
            Ok(_) => return Err(wrong("turn")),
            Err(error) => return Err(error),
        };
        (self.damping, self.idle, self.fresh) = (damping, idle, fresh != 0);
        self.overfit = overfit;
        Ok(())
    }
}

fn dot(first: &[f64], second: &[f64]) -> f64 {
    first.iter().zip(second).map(|(a, b)| a * b).sum()
}
