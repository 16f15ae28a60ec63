//! Quasi-Newton methods: steps along the gradient times an approximate inverse Hessian, as long as a line
//! search finds (Nocedal, Wright 2006, chapters 6 and 7).

mod broyden;
mod curvature;
mod memory;
mod patience;

use super::line_search::{Line, Sample, search};
use super::{Loss, Optimizer, State, StateError, StepOutcome};
use crate::Refusal;
use curvature::{Curvature, Move};
use kernel::Losses;
use memory::{dot, norm};
use patience::{Patience, Verdict};

/// How much noisier than it says a loss may be: where terms are large, rounding is too. Taken one after
/// the other before the method gives up.
const DOUBTS: [f64; 4] = [1.0, 16.0, 256.0, 4096.0];

/// The most that a loss is doubted, as a share of itself.
const MOST_DOUBT: f64 = 0.1;

/// The state of L-BFGS or of self-scaled Broyden.
#[derive(Clone, Debug)]
pub struct QuasiNewton {
    curvature: Curvature,
    /// Whether losses and gradient are those at the parameters.
    known: bool,
    losses: Losses,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    trial: Vec<f64>,
    trial_losses: Losses,
    trial_gradient: Vec<f64>,
    patience: Patience,
    /// Which of the doubts is in force.
    doubt: usize,
}

impl QuasiNewton {
    /// L-BFGS before the first step, for `parameters` numbers and a memory of `pairs` steps.
    pub fn limited(parameters: usize, pairs: usize) -> Self {
        Self::new(parameters, Curvature::limited(parameters, pairs))
    }

    /// Self-scaled Broyden before the first step, for `parameters` numbers.
    pub fn self_scaled(parameters: usize) -> Self {
        Self::new(parameters, Curvature::dense(parameters))
    }

    fn new(parameters: usize, curvature: Curvature) -> Self {
        let zeros = || vec![0.0; parameters];
        let nothing = || Losses { total: 0.0, mean_squares: Vec::new(), weights: Vec::new() };
        QuasiNewton {
            curvature,
            known: false,
            losses: nothing(),
            gradient: zeros(),
            direction: zeros(),
            trial: zeros(),
            trial_losses: nothing(),
            trial_gradient: zeros(),
            patience: Patience::new(),
            doubt: 0,
        }
    }

    /// Searches along the direction of the curvature, or straight down when nothing is known of it. On `Some`, the
    /// trial point, its losses and its gradient are those of the step found.
    fn try_step(
        &mut self,
        loss: &mut dyn Loss,
        parameters: &[f64],
        evaluations: &mut u64,
    ) -> Result<Option<Sample>, Refusal> {
        self.curvature.apply(&self.gradient, &mut self.direction);
        let mut descent = dot(&self.direction, &self.gradient);
        if !descent.is_normal() || descent < 0.0 {
            self.curvature.clear();
            self.direction.copy_from_slice(&self.gradient);
            descent = dot(&self.direction, &self.gradient);
        }
        self.direction.iter_mut().for_each(|number| *number = -*number);
        // The gradient has no length of its own: the first step is at most one long.
        let first = if self.curvature.is_empty() { (1.0 / norm(&self.gradient)).min(1.0) } else { 1.0 };
        let start = Sample { length: 0.0, value: self.losses.total, slope: -descent };
        // Counted from the best loss, and not from this one: many small rises must not add up.
        let noise = (DOUBTS[self.doubt] * loss.noise(start.value)).min(MOST_DOUBT * start.value);
        let noise = (self.patience.best + noise - start.value).clamp(0.0, noise);
        let mut ray = Ray {
            loss,
            parameters,
            direction: &self.direction,
            trial: &mut self.trial,
            losses: &mut self.trial_losses,
            gradient: &mut self.trial_gradient,
            last: 0.0,
            evaluations,
        };
        let found = search(&mut ray, start, first, noise)?;
        match found {
            // The search may come back to a step that was not its last trial.
            Some(step) if step.length != ray.last => ray.sample(step.length),
            Some(_) | None => Ok(found),
        }
    }

    /// Moves to the trial point.
    fn accept(&mut self, parameters: &mut [f64], length: f64, noise: f64) {
        self.curvature.learn(&Move {
            from: parameters,
            to: &self.trial,
            before: &self.gradient,
            after: &self.trial_gradient,
            direction: &self.direction,
            length,
        });
        self.patience.note(self.trial_losses.total, noise);
        parameters.copy_from_slice(&self.trial);
        std::mem::swap(&mut self.losses, &mut self.trial_losses);
        std::mem::swap(&mut self.gradient, &mut self.trial_gradient);
    }
}

impl Optimizer for QuasiNewton {
    fn step<'step>(
        &'step mut self,
        loss: &'step mut dyn Loss,
        parameters: &mut [f64],
        _rate: f64,
    ) -> Result<StepOutcome<'step>, Refusal> {
        let mut evaluations = 0;
        if !self.known {
            evaluations += 1;
            self.losses.clone_from(loss.eval(parameters, &mut self.gradient)?);
            self.known = true;
        }
        let square = dot(&self.gradient, &self.gradient);
        let gradient = square.sqrt();
        if !square.is_normal() {
            return Ok(StepOutcome::GradientVanished { gradient, evaluations });
        }
        match self.patience.verdict() {
            Verdict::Wait => {}
            Verdict::StartAfresh => self.curvature.clear(),
            Verdict::GiveUp => return Ok(StepOutcome::NoDescent { gradient, evaluations }),
        }
        loop {
            let straight = self.curvature.is_empty();
            match self.try_step(loss, parameters, &mut evaluations)? {
                Some(Sample { length, value, .. }) => {
                    self.accept(parameters, length, loss.noise(value));
                    // After the exchange the trial's losses are those before the step.
                    let losses = &self.trial_losses;
                    return Ok(StepOutcome::Taken { losses, length, evaluations, trust: None });
                }
                None if self.doubt + 1 < DOUBTS.len() => self.doubt += 1,
                None if !straight => self.curvature.clear(),
                None => return Ok(StepOutcome::NoDescent { gradient, evaluations }),
            }
        }
    }

    fn forget_loss(&mut self) {
        self.curvature.forget_loss();
        self.known = false;
        self.patience = Patience::new();
        self.doubt = 0;
    }

    fn save(&self) -> State {
        let Patience { best, steps, renewed } = self.patience;
        let state = State::default()
            .with_counts("known", [u64::from(self.known)])
            .with_numbers("losses", [&[self.losses.total], &*self.losses.mean_squares].concat())
            .with_numbers("weights", self.losses.weights.as_slice())
            .with_numbers("gradient", self.gradient.as_slice())
            .with_numbers("best", [best])
            .with_counts("patience", [u64::from(steps), u64::from(renewed)])
            .with_counts("doubt", [self.doubt as u64]);
        self.curvature.save(state)
    }

    fn restore(&mut self, state: &State) -> Result<(), StateError> {
        let parameters = self.gradient.len();
        let wrong = |name: &str| StateError::Value { name: name.to_owned() };
        let (total, mean_squares) = state.numbers("losses")?.split_first().ok_or_else(|| wrong("losses"))?;
        let gradient = state.sized("gradient", parameters)?;
        let &[steps, renewed] = state.counts("patience")? else { return Err(wrong("patience")) };
        let patience = Patience {
            best: state.number("best")?,
            steps: u32::try_from(steps).map_err(|_| wrong("patience"))?,
            renewed: renewed != 0,
        };
        let known = state.count_up_to("known", 1)? == 1;
        let doubt = state.count_up_to("doubt", DOUBTS.len() - 1)?;
        self.curvature.restore(state)?;
        let weights = state.numbers("weights")?.to_vec();
        self.losses = Losses { total: *total, mean_squares: mean_squares.to_vec(), weights };
        self.gradient.copy_from_slice(gradient);
        (self.known, self.patience, self.doubt) = (known, patience, doubt);
        Ok(())
    }
}

/// The loss along the direction.
struct Ray<'step> {
    loss: &'step mut dyn Loss,
    parameters: &'step [f64],
    direction: &'step [f64],
    trial: &'step mut [f64],
    losses: &'step mut Losses,
    gradient: &'step mut [f64],
    last: f64,
    evaluations: &'step mut u64,
}

impl Line for Ray<'_> {
    fn sample(&mut self, length: f64) -> Result<Option<Sample>, Refusal> {
        for (trial, (from, along)) in self.trial.iter_mut().zip(self.parameters.iter().zip(self.direction)) {
            *trial = from + length * along;
        }
        *self.evaluations += 1;
        self.last = length;
        match self.loss.eval(self.trial, self.gradient) {
            Ok(losses) => self.losses.clone_from(losses),
            Err(Refusal::Residual(_) | Refusal::Gradient) => return Ok(None),
            Err(refusal) => return Err(refusal),
        }
        let slope = dot(self.gradient, self.direction);
        Ok(slope.is_finite().then_some(Sample { length, value: self.losses.total, slope }))
    }
}

#[cfg(test)]
mod tests;
