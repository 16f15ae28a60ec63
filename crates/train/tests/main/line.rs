//! A second task, as small as can be: a curve through measurements. The loop knows it by [`Task`] alone.

use linear::{Gram, NormalEquations, Subspace};
use method::{Budget, Guard, Method, Policy, Schedule};
use train::optimize::{Optimizer, StepOutcome};
use train::trainer::{LoopFault, PhaseSettings, Stepping, Task};
use train::{Array, Extent, LeastSquares, Loss, Losses, Refusal, Snapshot, State, StateError};

/// Numbers of the curve a·tanh(b·x + c) + d.
pub(crate) const SIZE: usize = 4;
/// Those that the measurements were made with.
const TRUE: [f64; SIZE] = [1.5, 2.0, -0.5, 0.25];
/// Measurements in a batch, and steps that it is used for.
const BATCH: usize = 24;
const STEPS_PER_BATCH: u64 = 5;

fn curve([a, b, c, d]: [f64; SIZE], x: f64) -> (f64, [f64; SIZE]) {
    let tanh = (b * x + c).tanh();
    let slope = a * (1.0 - tanh * tanh);
    (a * tanh + d, [tanh, slope * x, slope, 1.0])
}

/// The squares of the curve's distances to a batch of measurements.
#[derive(Default)]
pub(crate) struct Distances {
    places: Vec<f64>,
    losses: Losses,
    trouble: Option<Trouble>,
    evaluations: u64,
}

/// Something that is made to go wrong.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Trouble {
    pub(crate) place: TroubledPlace,
    pub(crate) value: f64,
    /// Evaluations before it.
    pub(crate) after: u64,
}

/// Where.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum TroubledPlace {
    Point,
    Measurement,
    Loss,
    Gradient,
    Weights,
    OptimizerState,
}

impl TroubledPlace {
    pub(crate) const ALL: [TroubledPlace; 6] = [
        TroubledPlace::Point,
        TroubledPlace::Measurement,
        TroubledPlace::Loss,
        TroubledPlace::Gradient,
        TroubledPlace::Weights,
        TroubledPlace::OptimizerState,
    ];
}

impl Distances {
    /// Every distance with its slopes, over the root of their number.
    fn each(&self, parameters: &[f64]) -> impl Iterator<Item = (f64, [f64; SIZE])> {
        let own = [0, 1, 2, 3].map(|number| parameters[number]);
        let scale = 1.0 / (self.places.len() as f64).sqrt();
        self.places.iter().map(move |&x| {
            let (value, slopes) = curve(own, x);
            (scale * (value - self.measured(x)), slopes.map(|slope| scale * slope))
        })
    }

    /// What was measured at a place.
    fn measured(&self, x: f64) -> f64 {
        match self.due(TroubledPlace::Measurement) {
            Some(value) if self.places.first() == Some(&x) => value,
            Some(_) | None => curve(TRUE, x).0,
        }
    }

    /// What goes wrong at the evaluation at hand.
    fn due(&self, place: TroubledPlace) -> Option<f64> {
        let due = |trouble: &Trouble| trouble.place == place && trouble.after + 1 == self.evaluations;
        self.trouble.filter(due).map(|trouble| trouble.value)
    }

    fn slopes(&mut self, parameters: &[f64], gradient: &mut [f64]) {
        self.evaluations += 1;
        let before = self.places[1];
        self.places[1] = self.due(TroubledPlace::Point).unwrap_or(before);
        gradient.fill(0.0);
        for (row, slopes) in self.each(parameters) {
            gradient.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += 2.0 * row * slope);
        }
        let _ = self.sum(parameters);
        self.places[1] = before;
        if let Some(value) = self.due(TroubledPlace::Loss) {
            (self.losses.total, self.losses.mean_squares[0]) = (value, value);
        }
        if let Some(value) = self.due(TroubledPlace::Gradient) {
            gradient[2] = value;
        }
    }

    fn sum(&mut self, parameters: &[f64]) -> Result<&Losses, Refusal> {
        let squares: f64 = self.each(parameters).map(|(row, _)| row * row).sum();
        self.losses = Losses { total: squares, mean_squares: vec![squares], weights: vec![1.0] };
        if squares.is_finite() { Ok(&self.losses) } else { Err(Refusal::Residual(0)) }
    }
}

impl Loss for Distances {
    fn eval(&mut self, parameters: &[f64], gradient: &mut [f64]) -> Result<&Losses, Refusal> {
        self.slopes(parameters, gradient);
        match self.losses.total.is_finite() && gradient.iter().all(|slope| (slope * slope).is_finite()) {
            true => Ok(&self.losses),
            false => Err(Refusal::Residual(0)),
        }
    }

    fn eval_any(&mut self, parameters: &[f64], gradient: &mut [f64]) -> Result<&Losses, Refusal> {
        self.slopes(parameters, gradient);
        Ok(&self.losses)
    }

    fn noise(&self, loss: f64) -> f64 {
        1e-15 * loss.sqrt()
    }

    fn least_squares(&mut self) -> Option<&mut dyn LeastSquares> {
        Some(self)
    }
}

/// What a method with a matrix of all parameters asks for; the others have no need of so few.
impl LeastSquares for Distances {
    fn extent(&self) -> Extent {
        Extent { parameters: SIZE, rows: self.places.len(), evaluation: 20.0 * self.places.len() as f64 }
    }

    fn normal_equations(&mut self, at: &[f64], normal: &mut NormalEquations) -> Result<&Losses, Refusal> {
        normal.clear();
        let rows: Vec<_> = self.each(at).collect();
        let (residuals, jacobian) = normal.block(rows.len());
        for ((row, slopes), (to, residual)) in
            rows.iter().zip(jacobian.chunks_exact_mut(SIZE).zip(residuals.iter_mut()))
        {
            to.copy_from_slice(slopes);
            *residual = *row;
        }
        normal.add_block(&vec![1.0; rows.len()]);
        self.sum(at)
    }

    fn along(&mut self, at: &[f64], direction: &[f64], rows: &mut [f64]) -> Result<(), Refusal> {
        let product = |slopes: [f64; SIZE]| slopes.iter().zip(direction).map(|(a, b)| a * b).sum();
        rows.iter_mut().zip(self.each(at)).for_each(|(to, (_, slopes))| *to = product(slopes));
        Ok(())
    }

    fn back(&mut self, at: &[f64], rows: &[f64], slope: &mut [f64]) -> Result<(), Refusal> {
        slope.fill(0.0);
        for (row, (_, slopes)) in rows.iter().zip(self.each(at)) {
            slope.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += row * slope);
        }
        Ok(())
    }

    fn rows(&mut self, at: &[f64], rows: &mut [f64]) -> Result<(), Refusal> {
        rows.iter_mut().zip(self.each(at)).for_each(|(to, (row, _))| *to = row);
        Ok(())
    }

    fn curvature(&mut self, _at: &[f64], _direction: &[f64], rows: &mut [f64]) -> Result<(), Refusal> {
        rows.fill(0.0);
        Ok(())
    }

    fn losses(&mut self, at: &[f64]) -> Result<&Losses, Refusal> {
        self.sum(at)
    }

    fn gram(&mut self, _: &[f64], _: &mut Gram) -> Result<&Losses, Refusal> {
        Err(Refusal::NotSquares)
    }

    fn diagonal(&mut self, _: &[f64], _: &mut [f64], _: &mut [f64]) -> Result<&Losses, Refusal> {
        Err(Refusal::NotSquares)
    }

    fn sketch(&mut self, _: &[f64], _: &mut Gram, _: &mut [f64]) -> Result<&Losses, Refusal> {
        Err(Refusal::NotSquares)
    }

    fn subspace_equations(
        &mut self,
        _: &[f64],
        _: (&Subspace, &mut NormalEquations),
        _: &mut [f64],
    ) -> Result<&Losses, Refusal> {
        Err(Refusal::NotSquares)
    }
}

/// The task: batches of measurements, drawn by number.
pub(crate) struct Line {
    phases: Vec<PhaseSettings>,
    loss: Distances,
    batch: u64,
    /// Whether batches change.
    changes: bool,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum LineError {
    #[error(transparent)]
    Loop(#[from] LoopFault),
    #[error(transparent)]
    Folder(#[from] train::folder::RunError),
    #[error("step {step}: {refusal}")]
    Refused { step: u64, refusal: Refusal },
}

impl Line {
    pub(crate) fn new(phases: &[(Method, Budget)]) -> Self {
        let phase = |&(method, budget): &(Method, Budget)| PhaseSettings {
            stepping: Stepping::Method(method),
            learning_rate: 0.05,
            schedule: Schedule::Cosine { warmup: 3 },
            clip: Vec::new(),
            guard: Guard::new(Policy::Adaptive),
            budget,
            ends_at_plateau: false,
            ends_at_noise: false,
        };
        Line {
            phases: phases.iter().map(phase).collect(),
            loss: Distances::default(),
            batch: 0,
            changes: true,
        }
    }

    /// With another guard in all phases.
    pub(crate) fn guarded(mut self, guard: Guard) -> Self {
        self.phases.iter_mut().for_each(|phase| phase.guard = guard);
        self
    }

    /// With another schedule in all phases.
    pub(crate) fn scheduled(mut self, schedule: Schedule) -> Self {
        self.phases.iter_mut().for_each(|phase| phase.schedule = schedule);
        self
    }

    /// With another learning rate in all phases.
    pub(crate) fn with_rate(mut self, rate: f64) -> Self {
        self.phases.iter_mut().for_each(|phase| phase.learning_rate = rate);
        self
    }

    /// With something that goes wrong.
    pub(crate) fn troubled(mut self, trouble: Trouble) -> Self {
        self.loss.trouble = Some(trouble);
        self
    }

    /// With the same measurements in every step.
    pub(crate) fn fixed(mut self) -> Self {
        self.changes = false;
        self
    }

    /// Places between -2 and 2 that follow from the number of the batch.
    fn draw(&mut self) {
        let golden = 0.618_033_988_749_894_9;
        let place = |number: u64| 4.0 * (golden * number as f64).fract() - 2.0;
        self.loss.places = (0..BATCH as u64).map(|number| place(self.batch * 7 + number)).collect();
    }
}

impl Task for Line {
    type Error = LineError;

    fn phases(&self) -> Vec<PhaseSettings> {
        self.phases.clone()
    }

    fn weight_count(&self) -> usize {
        SIZE
    }

    fn enter(&mut self, _optimizer: &mut dyn Optimizer, now: &mut Snapshot) -> Result<(), LineError> {
        let phase = now.phase;
        self.batch = match now.task.count("batch") {
            Ok(batch) => batch,
            Err(StateError::Missing { .. }) => 0,
            Err(cause) => return Err(LoopFault::Misfit { phase, cause }.into()),
        };
        self.draw();
        Ok(())
    }

    fn loss(&mut self) -> &mut dyn Loss {
        &mut self.loss
    }

    fn points(&self) -> usize {
        BATCH
    }

    fn resamples(&self, now: &Snapshot) -> bool {
        self.changes && now.phase_step > 0 && now.phase_step.is_multiple_of(STEPS_PER_BATCH)
    }

    fn before_step(
        &mut self,
        resample: bool,
        _now: &mut Snapshot,
        _sink: &mut dyn train::Sink,
    ) -> Result<bool, LineError> {
        if resample {
            self.batch += 1;
            self.draw();
        }
        Ok(resample)
    }

    fn other_points(&mut self, _now: &mut Snapshot) -> Result<bool, LineError> {
        if self.changes {
            self.batch += 1;
            self.draw();
        }
        Ok(self.changes)
    }

    fn step<'step>(
        &'step mut self,
        optimizer: &'step mut dyn Optimizer,
        now: &mut Snapshot,
        rate: f64,
    ) -> Result<StepOutcome<'step>, Refusal> {
        let due = self.loss.trouble.filter(|trouble| trouble.after == self.loss.evaluations);
        if let Some(Trouble { place, value, .. }) = due {
            // Once: the next step would find it again where no evaluation was counted.
            match place {
                TroubledPlace::Weights => now.parameters[1] = value,
                TroubledPlace::OptimizerState => {
                    let mut state = optimizer.save();
                    state.insert("mean".to_owned(), Array::Numbers(vec![value; SIZE]));
                    optimizer.restore(&state).expect("it fits");
                }
                TroubledPlace::Point
                | TroubledPlace::Measurement
                | TroubledPlace::Loss
                | TroubledPlace::Gradient => {}
            }
        }
        optimizer.step(&mut self.loss, &mut now.parameters, rate)
    }

    /// The mean square of the curve's distances at places of no batch.
    fn validation(&mut self, now: &Snapshot) -> Result<Option<f64>, LineError> {
        let own = [0, 1, 2, 3].map(|number| now.parameters[number]);
        let square = |x: f64| (curve(own, x).0 - curve(TRUE, x).0).powi(2);
        Ok(Some([-1.75, -0.25, 0.5, 1.5].map(square).iter().sum::<f64>() / 4.0))
    }

    fn measure(&mut self, parameters: &[f64]) -> Result<Option<f64>, LineError> {
        let distance = parameters.iter().zip(TRUE).map(|(own, true_one)| (own - true_one).abs());
        Ok(distance.reduce(f64::max))
    }

    fn save(&self) -> State {
        let mut state = State::new();
        state.insert("batch".to_owned(), Array::Counts(vec![self.batch]));
        state
    }

    fn final_losses(&mut self, parameters: &[f64]) -> Result<Losses, Refusal> {
        self.loss.sum(parameters).cloned()
    }

    fn explain(&mut self, refusal: Refusal, now: &Snapshot) -> LineError {
        LineError::Refused { step: now.steps, refusal }
    }

    fn is_non_finite(error: &LineError) -> bool {
        matches!(error, LineError::Refused { refusal: Refusal::Residual(_) | Refusal::Gradient, .. })
    }
}
