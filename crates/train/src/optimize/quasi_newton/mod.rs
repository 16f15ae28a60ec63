//! Quasi-Newton methods: steps along the gradient times an approximate inverse Hessian, as long as a line
//! search finds (Nocedal, Wright 2006, chapters 6 and 7).

mod broyden;
mod curvature;
mod device;
mod host;
mod memory;
mod stagnation;

use super::line_search::{Line, Sample, search};
use super::{Optimizer, StepOutcome};
use crate::{Loss, Losses, Refusal, Shortage, State, StateError};
use curvature::Curvature;
use device::DeviceWorkings;
use host::HostWorkings;
use stagnation::{Advice, Stagnation};

/// How much noisier than it says a loss may be: where terms are large, rounding is too. Taken one after
/// the other before the method gives up.
const DOUBTS: [f64; 4] = [1.0, 16.0, 256.0, 4096.0];

/// The most that a loss is doubted, as a share of itself.
const MOST_DOUBT: f64 = 0.1;

/// The state of L-BFGS or of self-scaled Broyden.
#[derive(Clone, Debug)]
pub struct QuasiNewton {
    host: HostWorkings,
    /// Where vectors stay with the loss; then those here are what was brought back last.
    device: Option<DeviceWorkings>,
    /// Whether there was no room for them there, or no such place.
    stays: bool,
    /// The bytes that they lacked there.
    lacking: Option<usize>,
    /// Whether losses and gradient are those at the parameters.
    known: bool,
    losses: Losses,
    trial_losses: Losses,
    stagnation: Stagnation,
    /// Which of the doubts is in force.
    doubt: usize,
}

/// Where the vectors of a method are, and what it does with them.
trait Workings {
    /// The losses at the parameters, and the gradient there.
    fn begin(&mut self, loss: &mut dyn Loss, parameters: &[f64], losses: &mut Losses) -> Result<(), Refusal>;

    /// The gradient's square.
    fn square(&mut self, loss: &mut dyn Loss) -> Result<f64, Refusal>;

    /// Aims at where the curvature says; how steeply the loss falls there.
    fn aim(&mut self, loss: &mut dyn Loss) -> Result<f64, Refusal>;

    /// Forgets the curvature and aims straight down; how steeply the loss falls there.
    fn aim_straight(&mut self, loss: &mut dyn Loss) -> Result<f64, Refusal>;

    /// Losses and slope so far along the direction, which is the trial from then on.
    fn sample(
        &mut self,
        loss: &mut dyn Loss,
        parameters: &[f64],
        length: f64,
        losses: &mut Losses,
    ) -> Result<f64, Refusal>;

    /// Learns from the step to the trial and moves there.
    fn accept(&mut self, loss: &mut dyn Loss, parameters: &mut [f64], length: f64) -> Result<(), Refusal>;

    /// Whether nothing is known of the curvature.
    fn is_empty(&self) -> bool;

    /// Forgets it.
    fn clear(&mut self);

    /// The loss is another function from now on.
    fn forget_loss(&mut self);
}

fn workings<'own>(
    device: &'own mut Option<DeviceWorkings>,
    host: &'own mut HostWorkings,
) -> &'own mut dyn Workings {
    match device {
        Some(device) => device,
        None => host,
    }
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
        let nothing = || Losses { total: 0.0, mean_squares: Vec::new(), weights: Vec::new() };
        QuasiNewton {
            host: HostWorkings::new(parameters, curvature),
            device: None,
            stays: false,
            lacking: None,
            known: false,
            losses: nothing(),
            trial_losses: nothing(),
            stagnation: Stagnation::new(),
            doubt: 0,
        }
    }

    fn workings(&mut self) -> &mut dyn Workings {
        workings(&mut self.device, &mut self.host)
    }

    /// Takes the vectors to where the loss is evaluated, if they can stay there.
    fn settle(&mut self, loss: &mut dyn Loss, parameters: &[f64]) -> Result<(), Refusal> {
        if self.device.is_none() && !self.stays {
            match DeviceWorkings::of(&self.host, loss, parameters)? {
                Some(Ok(device)) => self.device = Some(device),
                Some(Err(bytes)) => (self.stays, self.lacking) = (true, Some(bytes)),
                None => self.stays = true,
            }
        }
        Ok(())
    }

    /// Searches along the direction of the curvature, or straight down when nothing is known of it. On `Some`, the
    /// trial point, its losses and its gradient are those of the step found.
    fn try_step(
        &mut self,
        loss: &mut dyn Loss,
        parameters: &[f64],
        square: f64,
        evaluations: &mut u64,
    ) -> Result<Option<Sample>, Refusal> {
        let mut descent = self.workings().aim(loss)?;
        if !descent.is_normal() || descent < 0.0 {
            descent = self.workings().aim_straight(loss)?;
        }
        // The gradient has no length of its own: the first step is at most one long.
        let first = if self.workings().is_empty() { (1.0 / square.sqrt()).min(1.0) } else { 1.0 };
        let start = Sample { length: 0.0, value: self.losses.total, slope: -descent };
        // Counted from the best loss, and not from this one: many small rises must not accumulate.
        let noise = (DOUBTS[self.doubt] * loss.noise(start.value)).min(MOST_DOUBT * start.value);
        let noise = (self.stagnation.best + noise - start.value).clamp(0.0, noise);
        let workings = workings(&mut self.device, &mut self.host);
        let losses = &mut self.trial_losses;
        let mut ray = Ray { workings, loss, parameters, losses, last: 0.0, evaluations };
        let found = search(&mut ray, start, first, noise)?;
        match found {
            // The search may come back to a step that was not its last trial.
            Some(step) if step.length != ray.last => ray.sample(step.length),
            Some(_) | None => Ok(found),
        }
    }

    /// Moves to the trial point.
    fn accept(
        &mut self,
        loss: &mut dyn Loss,
        parameters: &mut [f64],
        length: f64,
        noise: f64,
    ) -> Result<(), Refusal> {
        self.workings().accept(loss, parameters, length)?;
        self.stagnation.note(self.trial_losses.total, noise);
        std::mem::swap(&mut self.losses, &mut self.trial_losses);
        Ok(())
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
        self.settle(loss, parameters)?;
        if !self.known {
            evaluations += 1;
            workings(&mut self.device, &mut self.host).begin(loss, parameters, &mut self.losses)?;
            self.known = true;
        }
        let square = self.workings().square(loss)?;
        let gradient = square.sqrt();
        if !square.is_normal() {
            return Ok(StepOutcome::GradientVanished { gradient, evaluations });
        }
        match self.stagnation.advice() {
            Advice::Wait => {}
            Advice::StartAfresh => self.workings().clear(),
            Advice::GiveUp => return Ok(StepOutcome::NoDescent { gradient, evaluations }),
        }
        loop {
            let straight = self.workings().is_empty();
            match self.try_step(loss, parameters, square, &mut evaluations)? {
                Some(Sample { length, value, .. }) => {
                    let noise = loss.noise(value);
                    self.accept(loss, parameters, length, noise)?;
                    // After the exchange the trial's losses are those before the step.
                    let losses = &self.trial_losses;
                    return Ok(StepOutcome::Taken { losses, length, evaluations, trust: None });
                }
                None if self.doubt + 1 < DOUBTS.len() => self.doubt += 1,
                None if !straight => self.workings().clear(),
                None => return Ok(StepOutcome::NoDescent { gradient, evaluations }),
            }
        }
    }

    fn fallback(&self) -> Option<Shortage> {
        self.lacking.map(|bytes| Shortage::Vectors { bytes })
    }

    fn forget_loss(&mut self) {
        self.workings().forget_loss();
        self.known = false;
        self.stagnation = Stagnation::new();
        self.doubt = 0;
    }

    fn bring_back(&mut self, loss: &mut dyn Loss) -> Result<(), Refusal> {
        match &self.device {
            Some(device) => device.bring_back(&mut self.host, loss),
            None => Ok(()),
        }
    }

    fn save(&self) -> State {
        let Stagnation { best, steps, renewed } = self.stagnation;
        let state = State::default()
            .with_counts("known", [u64::from(self.known)])
            .with_numbers("losses", [&[self.losses.total], &*self.losses.mean_squares].concat())
            .with_numbers("weights", self.losses.weights.as_slice())
            .with_numbers("gradient", self.host.gradient.as_slice())
            .with_numbers("best", [best])
            .with_counts("patience", [u64::from(steps), u64::from(renewed)])
            .with_counts("doubt", [self.doubt as u64]);
        self.host.curvature.save(state)
    }

    fn restore(&mut self, state: &State) -> Result<(), StateError> {
        let parameters = self.host.gradient.len();
        let wrong = |name: &str| StateError::Value { name: name.to_owned() };
        let (total, mean_squares) = state.numbers("losses")?.split_first().ok_or_else(|| wrong("losses"))?;
        let gradient = state.sized("gradient", parameters)?;
        let &[steps, renewed] = state.counts("patience")? else { return Err(wrong("patience")) };
        let stagnation = Stagnation {
            best: state.number("best")?,
            steps: u32::try_from(steps).map_err(|_| wrong("patience"))?,
            renewed: renewed != 0,
        };
        let known = state.count_up_to("known", 1)? == 1;
        let doubt = state.count_up_to("doubt", DOUBTS.len() - 1)?;
        self.host.curvature.restore(state)?;
        let weights = state.numbers("weights")?.to_vec();
        self.losses = Losses { total: *total, mean_squares: mean_squares.to_vec(), weights };
        self.host.gradient.copy_from_slice(gradient);
        // What is elsewhere is of another state.
        self.device = None;
        (self.known, self.stagnation, self.doubt) = (known, stagnation, doubt);
        Ok(())
    }
}

/// The loss along the direction.
struct Ray<'step> {
    workings: &'step mut dyn Workings,
    loss: &'step mut dyn Loss,
    parameters: &'step [f64],
    losses: &'step mut Losses,
    last: f64,
    evaluations: &'step mut u64,
}

impl Line for Ray<'_> {
    fn sample(&mut self, length: f64) -> Result<Option<Sample>, Refusal> {
        *self.evaluations += 1;
        self.last = length;
        match self.workings.sample(self.loss, self.parameters, length, self.losses) {
            Ok(slope) => Ok(slope.is_finite().then_some(Sample { length, value: self.losses.total, slope })),
            Err(Refusal::Residual(_) | Refusal::Gradient) => Ok(None),
            Err(refusal) => Err(refusal),
        }
    }
}

#[cfg(test)]
mod tests;
