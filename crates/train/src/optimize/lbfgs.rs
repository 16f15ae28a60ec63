//! L-BFGS (Nocedal, Wright 2006, algorithms 7.4 and 7.5).

use super::line_search::{Line, Sample, search};
use super::{Loss, Optimizer, State, StateError, StepOutcome};
use crate::Refusal;
use kernel::Losses;

/// A change of the gradient enters the memory when the cosine of its angle to the step is at least
/// this: below, the curvature is rounding.
const LEAST_COSINE: f64 = 1e-10;

/// Steps in which the loss must fall, or else the memory is thrown away; after as many more steps
/// without it the method is at its end.
const PATIENCE: u32 = 200;

/// How far it must fall in them, as a share of the noise of one loss: a trend over many steps shows
/// through noise that hides a single one.
const LEAST_FALL: f64 = 1.0 / 32.0;

/// How much noisier than it says a loss may be: where terms are large, rounding is too. Taken one after
/// the other before the method gives up.
const DOUBTS: [f64; 4] = [1.0, 16.0, 256.0, 4096.0];

/// The most that a loss is doubted, as a share of itself.
const MOST_DOUBT: f64 = 0.1;

/// The state of L-BFGS.
#[derive(Clone, Debug)]
pub struct Lbfgs {
    memory: Memory,
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

impl Lbfgs {
    /// The state before the first step, for `parameters` numbers and a memory of `pairs` steps.
    pub fn new(parameters: usize, pairs: usize) -> Self {
        let zeros = || vec![0.0; parameters];
        let nothing = || Losses { total: 0.0, mean_squares: Vec::new() };
        Lbfgs {
            memory: Memory::new(parameters, pairs),
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

    /// Searches along the memory's direction, or straight down when the memory is empty. On `Some`, the
    /// trial point, its losses and its gradient are those of the step found.
    fn try_step(
        &mut self,
        loss: &mut dyn Loss,
        parameters: &[f64],
        evaluations: &mut u64,
    ) -> Result<Option<Sample>, Refusal> {
        self.direction.copy_from_slice(&self.gradient);
        self.memory.apply(&mut self.direction);
        let mut descent = dot(&self.direction, &self.gradient);
        if !descent.is_normal() || descent < 0.0 {
            self.memory.clear();
            self.direction.copy_from_slice(&self.gradient);
            descent = dot(&self.direction, &self.gradient);
        }
        self.direction.iter_mut().for_each(|number| *number = -*number);
        // The gradient has no length of its own: the first step is at most one long.
        let first = if self.memory.is_empty() { (1.0 / norm(&self.gradient)).min(1.0) } else { 1.0 };
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
    fn accept(&mut self, parameters: &mut [f64], noise: f64) {
        let step = self.trial.iter().zip(parameters.iter()).map(|(to, from)| to - from);
        let change = self.trial_gradient.iter().zip(&self.gradient).map(|(to, from)| to - from);
        self.memory.push(step, change);
        self.patience.note(self.trial_losses.total, noise);
        parameters.copy_from_slice(&self.trial);
        std::mem::swap(&mut self.losses, &mut self.trial_losses);
        std::mem::swap(&mut self.gradient, &mut self.trial_gradient);
    }
}

impl Optimizer for Lbfgs {
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
            Verdict::StartAfresh => self.memory.clear(),
            Verdict::GiveUp => return Ok(StepOutcome::NoDescent { gradient, evaluations }),
        }
        loop {
            let straight = self.memory.is_empty();
            match self.try_step(loss, parameters, &mut evaluations)? {
                Some(Sample { length, value, .. }) => {
                    self.accept(parameters, loss.noise(value));
                    // After the exchange the trial's losses are those before the step.
                    let losses = &self.trial_losses;
                    return Ok(StepOutcome::Taken { losses, length, evaluations, trust: None });
                }
                None if self.doubt + 1 < DOUBTS.len() => self.doubt += 1,
                None if !straight => self.memory.clear(),
                None => return Ok(StepOutcome::NoDescent { gradient, evaluations }),
            }
        }
    }

    fn forget_loss(&mut self) {
        self.memory.clear();
        self.known = false;
        self.patience = Patience::new();
        self.doubt = 0;
    }

    fn save(&self) -> State {
        let Patience { best, steps, renewed } = self.patience;
        let state = State::default()
            .with_counts("known", [u64::from(self.known)])
            .with_numbers("losses", [&[self.losses.total], &*self.losses.mean_squares].concat())
            .with_numbers("gradient", self.gradient.as_slice())
            .with_numbers("best", [best])
            .with_counts("patience", [u64::from(steps), u64::from(renewed)])
            .with_counts("doubt", [self.doubt as u64]);
        self.memory.save(state)
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
        self.memory.restore(state, parameters)?;
        self.losses = Losses { total: *total, mean_squares: mean_squares.to_vec() };
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

/// Whether the loss still falls by more than its noise.
#[derive(Clone, Copy, Debug)]
struct Patience {
    best: f64,
    steps: u32,
    renewed: bool,
}

impl Patience {
    fn new() -> Self {
        Patience { best: f64::INFINITY, steps: 0, renewed: false }
    }

    fn note(&mut self, loss: f64, noise: f64) {
        if loss < self.best - LEAST_FALL * noise {
            *self = Patience { best: loss, ..Patience::new() };
        } else {
            self.steps += 1;
        }
    }

    fn verdict(&mut self) -> Verdict {
        match (self.steps >= PATIENCE, self.renewed) {
            (false, _) => Verdict::Wait,
            (true, false) => {
                *self = Patience { steps: 0, renewed: true, ..*self };
                Verdict::StartAfresh
            }
            (true, true) => Verdict::GiveUp,
        }
    }
}

/// What becomes of a search whose loss does not fall.
enum Verdict {
    Wait,
    StartAfresh,
    GiveUp,
}

/// The last steps and what they did to the gradient, in a ring.
#[derive(Clone, Debug)]
struct Memory {
    /// One place more than pairs are kept: a pair that is refused has then written over none.
    pairs: Vec<Pair>,
    /// Pairs in use.
    count: usize,
    /// The free place.
    next: usize,
    factors: Vec<f64>,
}

#[derive(Clone, Debug)]
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    /// Of step and change.
    product: f64,
}

impl Memory {
    fn new(parameters: usize, pairs: usize) -> Self {
        let pair = Pair { step: vec![0.0; parameters], change: vec![0.0; parameters], product: 0.0 };
        Memory { pairs: vec![pair; pairs + 1], count: 0, next: 0, factors: vec![0.0; pairs + 1] }
    }

    fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn clear(&mut self) {
        self.count = 0;
        self.next = 0;
    }

    /// Takes in a step and its change of the gradient, in place of the oldest, unless there is no
    /// positive curvature in them.
    fn push(&mut self, step: impl Iterator<Item = f64>, change: impl Iterator<Item = f64>) {
        let pair = &mut self.pairs[self.next];
        pair.step.iter_mut().zip(step).for_each(|(to, from)| *to = from);
        pair.change.iter_mut().zip(change).for_each(|(to, from)| *to = from);
        pair.product = dot(&pair.step, &pair.change);
        if pair.product > LEAST_COSINE * norm(&pair.step) * norm(&pair.change) {
            self.next = (self.next + 1) % self.pairs.len();
            self.count = (self.count + 1).min(self.pairs.len() - 1);
        }
    }

    /// Places in the ring from the newest to the oldest pair.
    fn newest_first(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let (size, next) = (self.pairs.len(), self.next);
        (1..=self.count).map(move |age| (next + size - age) % size)
    }

    /// The pairs in use, oldest first: nothing depends on where in the ring they lie.
    fn save(&self, state: State) -> State {
        let pairs = || self.newest_first().rev().map(|place| &self.pairs[place]);
        state
            .with_numbers("memory_steps", pairs().flat_map(|pair| &pair.step).copied().collect::<Vec<_>>())
            .with_numbers(
                "memory_changes",
                pairs().flat_map(|pair| &pair.change).copied().collect::<Vec<_>>(),
            )
            .with_numbers("memory_products", pairs().map(|pair| pair.product).collect::<Vec<_>>())
    }

    /// Takes the pairs of a saved memory; of one that was larger, the newest.
    fn restore(&mut self, state: &State, parameters: usize) -> Result<(), StateError> {
        let products = state.numbers("memory_products")?;
        let steps = state.sized("memory_steps", products.len() * parameters)?;
        let changes = state.sized("memory_changes", products.len() * parameters)?;
        let kept = products.len().min(self.pairs.len() - 1);
        for (place, index) in (products.len() - kept..products.len()).enumerate() {
            let pair = &mut self.pairs[place];
            pair.step.copy_from_slice(&steps[index * parameters..(index + 1) * parameters]);
            pair.change.copy_from_slice(&changes[index * parameters..(index + 1) * parameters]);
            pair.product = products[index];
        }
        (self.count, self.next) = (kept, kept % self.pairs.len());
        Ok(())
    }

    /// Multiplies by the approximate inverse Hessian: the two-loop recursion, algorithm 7.4.
    fn apply(&mut self, vector: &mut [f64]) {
        for place in self.newest_first() {
            let pair = &self.pairs[place];
            self.factors[place] = dot(&pair.step, vector) / pair.product;
            add(vector, -self.factors[place], &pair.change);
        }
        if let Some(newest) = self.newest_first().next() {
            let pair = &self.pairs[newest];
            let scale = pair.product / dot(&pair.change, &pair.change);
            vector.iter_mut().for_each(|number| *number *= scale);
        }
        for place in self.newest_first().rev() {
            let pair = &self.pairs[place];
            let factor = self.factors[place] - dot(&pair.change, vector) / pair.product;
            add(vector, factor, &pair.step);
        }
    }
}

fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}

fn norm(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

/// Eight sums side by side: one would wait for itself at every addition.
fn dot(first: &[f64], second: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (firsts, first_rest) = first.as_chunks::<LANES>();
    let (seconds, second_rest) = second.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in firsts.iter().zip(seconds) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = first_rest.iter().zip(second_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests;
