//! A second task, as small as can be: a curve through measurements. The loop knows it by [`Task`] alone.

use linear::{Gram, NormalEquations, Subspace};
use method::{Budget, Method, Schedule};
use train::optimize::Optimizer;
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
}

impl Distances {
    /// Every distance with its slopes, over the root of their number.
    fn each(&self, parameters: &[f64]) -> impl Iterator<Item = (f64, [f64; SIZE])> {
        let own = [0, 1, 2, 3].map(|number| parameters[number]);
        let scale = 1.0 / (self.places.len() as f64).sqrt();
        self.places.iter().map(move |&x| {
            let (value, slopes) = curve(own, x);
            (scale * (value - curve(TRUE, x).0), slopes.map(|slope| scale * slope))
        })
    }

    fn sum(&mut self, parameters: &[f64]) -> Result<&Losses, Refusal> {
        let squares: f64 = self.each(parameters).map(|(row, _)| row * row).sum();
        self.losses = Losses { total: squares, mean_squares: vec![squares], weights: vec![1.0] };
        if squares.is_finite() { Ok(&self.losses) } else { Err(Refusal::Residual(0)) }
    }
}

impl Loss for Distances {
    fn eval(&mut self, parameters: &[f64], gradient: &mut [f64]) -> Result<&Losses, Refusal> {
        gradient.fill(0.0);
        for (row, slopes) in self.each(parameters) {
            gradient.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += 2.0 * row * slope);
        }
        self.sum(parameters)
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
            budget,
            ends_at_plateau: false,
            ends_at_noise: false,
        };
        Line { phases: phases.iter().map(phase).collect(), loss: Distances::default(), batch: 0 }
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
        now.phase_step > 0 && now.phase_step.is_multiple_of(STEPS_PER_BATCH)
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
