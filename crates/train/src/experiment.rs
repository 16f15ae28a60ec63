//! The whole pipeline behind one noun.

use crate::TrainError;
use crate::evaluate::{FieldError, Misfit, check_grid, field_errors, misfits};
use crate::problem_file;
use crate::problems::BuiltIn;
use crate::reference::Truth;
use crate::sample::{Draw, draw};
use crate::table::Tables;
use crate::trainer::{self, Sink, Stopped, Surroundings};
use equation::parse::parse_with;
use equation::problem::{Budget, Problem};
use equation::taylor::{Plan, plan};
use kernel::{Device, Kernel, Losses, Points, Precision};
use std::cell::RefCell;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A problem that is ready to be trained: parsed, planned, its data read, its reference known. What
/// can be found wrong before training has been looked for.
#[derive(Clone, Debug)]
pub struct Experiment {
    problem: Problem,
    plan: Plan,
    pub(crate) tables: Tables,
    pub(crate) truths: Vec<Option<Truth>>,
    device: Device,
    precision: Precision,
}

/// A trained problem.
#[derive(Clone, Debug)]
pub struct Trained {
    /// Weights, then the problem's scalars in their unbounded form.
    pub parameters: Vec<f64>,
    /// The losses at these parameters over the points of the last phase.
    pub losses: Losses,
    /// The error of every unknown; `None` for those without a reference.
    pub errors: Vec<Option<FieldError>>,
    /// The problem's trainable scalars.
    pub scalars: Vec<f64>,
    /// Steps taken.
    pub steps: u64,
    /// Evaluations of the loss that they took: one each, more where a step length was searched for.
    pub evaluations: u64,
    /// Time taken, without measuring the errors.
    pub seconds: f64,
    /// Why training ended.
    pub stopped: Stopped,
}

impl Experiment {
    /// Opens a built-in problem by name, or else a problem file by path; `-` reads standard input. `overrides` are
    /// `section.key=value` texts laid over it.
    pub fn open(name: &str, overrides: &[String]) -> Result<Self, TrainError> {
        if let Some(built_in) = BuiltIn::find(name) {
            return Self::from_text(&format!("{name} (built in)"), built_in.text, Path::new("."), overrides);
        }
        let text = problem_file::read(name)?;
        let folder = Path::new(name).parent().unwrap_or(Path::new("."));
        Self::from_text(problem_file::shown(name), &text, folder, overrides)
    }

    /// Prepares the problem that `text` states; `file` is what its mistakes are reported under and, less
    /// its ending, the title of a problem that states none; data files are looked for in `folder`.
    pub fn from_text(
        file: &str,
        text: &str,
        folder: &Path,
        overrides: &[String],
    ) -> Result<Self, TrainError> {
        let mut problem = parse_with(text, overrides)
            .map_err(|diagnostics| TrainError::Problem { file: file.to_owned(), diagnostics })?;
        if problem.title.trim().is_empty() {
            let stem = Path::new(file).file_stem().unwrap_or_default();
            problem.title = stem.to_string_lossy().into_owned();
        }
        let plan = plan(&problem)?;
        let tables = Tables::read(&problem, folder)?;
        let truths = (0..problem.unknowns.len())
            .map(|unknown| Truth::of(&problem, unknown))
            .collect::<Result<_, _>>()?;
        check_grid(&problem)?;
        // A condition that holds nowhere is found now, before anyone has waited for training.
        for phase in &problem.training.phases {
            draw(&problem, &plan, &tables, Draw { interior: 0, ..Draw::of(&problem, phase, 0) })?;
        }
        let (device, precision) = (Device::Cpu, Precision::F64);
        Ok(Experiment { problem, plan, tables, truths, device, precision })
    }

    /// Chooses where and in which numbers to compute.
    pub fn on(self, device: Device, precision: Precision) -> Self {
        Experiment { device, precision, ..self }
    }

    /// Makes training take `steps` steps, unless its method comes to an end before: phases keep their own number of steps while there are
    /// enough, the last of them takes the rest, and bounds on time, loss and error no longer count.
    pub fn with_steps(mut self, steps: u64) -> Self {
        let phases = &mut self.problem.training.phases;
        let count = phases.len();
        let mut rest = steps;
        for (number, phase) in phases.iter_mut().enumerate() {
            let own = if number + 1 == count { rest } else { phase.budget.steps.unwrap_or(rest).min(rest) };
            rest -= own;
            phase.budget = Budget { steps: Some(own), ..Budget::default() };
        }
        self
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Its plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Where it will be computed.
    pub fn device(&self) -> Device {
        self.device
    }

    /// In which numbers.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Trains from the start through all phases and measures the errors. `stop` may be set from
    /// another thread or a signal handler to end training after the current step.
    pub fn train(&self, stop: &AtomicBool, sink: &mut dyn Sink) -> Result<Trained, TrainError> {
        let mut parameters = self.plan.initialize(self.problem.training.seed);
        let start = Instant::now();
        let clock = || start.elapsed().as_secs_f64();
        // One kernel for all measurements, and none of training's, whose scratch is in use.
        let gauge = RefCell::new(Kernel::compile(&self.plan, self.device, self.precision)?);
        let error = |parameters: &[f64]| -> Result<Option<f64>, TrainError> {
            let errors = self.measure(&mut gauge.borrow_mut(), parameters)?;
            Ok(errors.iter().flatten().filter_map(|error| error.relative_l2).reduce(f64::max))
        };
        let surroundings = Surroundings {
            device: self.device,
            precision: self.precision,
            stop,
            clock: &clock,
            error: &error,
        };
        let outcome =
            trainer::train(&self.problem, &self.plan, &self.tables, &mut parameters, surroundings, sink)?;
        let errors = self.measure(&mut gauge.borrow_mut(), &parameters)?;
        let scalars = self.plan.scalar_values(&parameters);
        let trainer::Outcome { steps, evaluations, seconds, losses, stopped } = outcome;
        Ok(Trained { parameters, losses, errors, scalars, steps, evaluations, seconds, stopped })
    }

    fn measure(
        &self,
        kernel: &mut Kernel<'_>,
        parameters: &[f64],
    ) -> Result<Vec<Option<FieldError>>, TrainError> {
        field_errors(&self.problem, &self.truths, &self.tables, kernel, parameters, None)
    }

    /// How well every equation holds, by the losses of a trained problem.
    pub fn misfits(&self, losses: &Losses) -> Vec<Misfit<'_>> {
        misfits(&self.problem, &self.plan, losses)
    }

    /// The values of all unknowns at points given by their coordinates, point by point.
    pub fn predict(&self, parameters: &[f64], points: &Points) -> Result<Vec<f64>, TrainError> {
        let mut kernel = Kernel::compile(&self.plan, self.device, self.precision)?;
        let mut values = vec![0.0; points.len() * self.problem.unknowns.len()];
        kernel.predict(points, parameters, &mut values)?;
        Ok(values)
    }
}
