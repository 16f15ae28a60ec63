//! Equations as a task for the loop that all tasks share: points, weights and devices.

use super::adapt::Occasion;
use super::batches::Feed;
use super::discrepancy::is_explained;
use super::series::Ahead;
use super::supply::WantedDraw;
use super::{Settings, TaskState, reset_residual_weights};
use crate::memory::device_note;
use crate::table::Tables;
use crate::{Objective, SlowWay, TrainError};
use equation::problem::{Method, Problem};
use equation::taylor::Plan;
use kernel::{Kernel, Points};
use method::Order;
use std::sync::Arc;
use train::optimize::{Optimizer, StepOutcome, Trust};
use train::trainer::{LoopFault, OwnOptimizer, PhaseSettings, Task};
use train::{Event, Loss, Losses, PointsMoved, Refusal, Shortage, Sink, Snapshot, State};

/// Finds the largest relative L2 error of an unknown at some parameters; `None` where none is defined.
pub type Measure<'run> = dyn Fn(&mut Kernel, &[f64]) -> Result<Option<f64>, TrainError> + 'run;

/// Adds to the points of a term, by its position, what they take over from the window before.
pub type TakeOver<'run> = dyn Fn(usize, &mut Points) -> Result<(), TrainError> + 'run;

/// A problem's equations, in one time window, as they are trained.
pub struct Equations<'run> {
    pub(super) problem: &'run Problem,
    pub(super) plan: &'run Plan,
    pub(super) tables: &'run Tables,
    pub(super) objective: &'run mut Objective,
    pub(super) phases: &'run [Settings],
    pub(super) before: Option<&'run TakeOver<'run>>,
    error: Option<&'run Measure<'run>>,
    last: bool,
    own: Option<&'run OwnOptimizer>,
    /// Which phase is trained.
    pub(super) phase: usize,
    /// What is remembered between steps.
    pub(super) state: TaskState,
    /// Points of every term where the phase began; those of measurements are always the same.
    counts: Vec<usize>,
    /// Points, and the pieces that they come in, for which it was told which memory equations take.
    announced: Option<(usize, usize)>,
    /// Whether it was told that steps go layer by layer.
    told_layers: bool,
    /// Whether it was told that a device gets its points from the host.
    told_points: bool,
    /// The draw whose points the objective has.
    pub(super) supplied: u64,
    /// Points that were drawn before they are wanted.
    pub(super) drawn: Option<(WantedDraw, Vec<Points>)>,
    /// How steps are taken in series, where they are.
    pub(super) ahead: Option<Ahead>,
    /// How points have moved since the last step.
    pub(super) moved: Option<PointsMoved>,
    /// All points inside, where steps visit batches of them and they follow from nothing but training.
    pub(super) all: Option<Arc<Points>>,
    /// What steps visit in batches.
    pub(super) feed: Feed,
    /// Threads that find batches.
    pub(super) workers: usize,
    /// Points at which moves are judged, once they were drawn.
    pub(super) fixed: Option<Points>,
}

impl<'run> Equations<'run> {
    /// A problem with its settled phases. The objective's points are replaced; its kernel is the plan's.
    pub fn new(
        (problem, plan): (&'run Problem, &'run Plan),
        phases: &'run [Settings],
        tables: &'run Tables,
        objective: &'run mut Objective,
    ) -> Self {
        Equations {
            problem,
            plan,
            tables,
            objective,
            phases,
            before: None,
            error: None,
            last: true,
            own: None,
            phase: 0,
            state: TaskState::START,
            counts: Vec::new(),
            announced: None,
            told_layers: false,
            told_points: false,
            supplied: 0,
            drawn: None,
            ahead: None,
            moved: None,
            all: None,
            feed: Feed::default(),
            workers: 1,
            fixed: None,
        }
    }

    /// With a measure of the error, for budgets that wait for one and for whoever watches.
    #[must_use]
    pub fn measured(self, error: &'run Measure<'run>) -> Self {
        Equations { error: Some(error), ..self }
    }

    /// In a time window: what it takes over from the one before, if there is one, and whether it is the last.
    #[must_use]
    pub fn in_window(self, before: Option<&'run TakeOver<'run>>, last: bool) -> Self {
        Equations { before, last, ..self }
    }

    /// With steps of a method from outside, where there is one.
    #[must_use]
    pub fn stepping(self, own: Option<&'run OwnOptimizer>) -> Self {
        Equations { own, ..self }
    }

    /// With so many threads that find the batches of the next steps; with none, each step finds its own.
    #[must_use]
    pub fn with_workers(self, workers: usize) -> Self {
        Equations { workers, ..self }
    }

    /// Seconds that steps have waited for their batches; `None` where there were none.
    pub fn seconds_waited(&self) -> Option<f64> {
        self.feed.any().then_some(self.feed.waited)
    }

    /// What the phase at hand does.
    pub(super) fn settings(&self) -> &'run Settings {
        &self.phases[self.phase]
    }

    /// Tells which memory Gauss-Newton's equations take on a device that has memory of its own; and again when points come in
    /// other pieces.
    fn announce_equations(&mut self, sink: &mut dyn Sink) -> Result<(), TrainError> {
        let Method::GaussNewton { solver } = self.settings().method else { return Ok(()) };
        let points = self.objective.point_count();
        if self.announced.is_some_and(|(known, _)| known == points) {
            return Ok(());
        }
        let plan = self.objective.plan_equations(solver)?;
        let chunks = plan.as_ref().map(|plan| plan.chunks);
        if chunks != self.announced.map(|(_, chunks)| chunks) {
            plan.iter().for_each(|plan| sink.event(&Event::Note(device_note(plan))));
        }
        self.announced = chunks.map(|chunks| (points, chunks));
        Ok(())
    }
}

impl Task for Equations<'_> {
    type Error = TrainError;

    fn phases(&self) -> Vec<PhaseSettings> {
        self.phases.iter().map(|settings| settings.phase(self.own)).collect()
    }

    fn weight_count(&self) -> usize {
        self.plan.architecture.weight_count()
    }

    fn next_phase(&self, now: &mut Snapshot) -> Result<(), TrainError> {
        let phase = now.phase;
        let misfit = |cause| LoopFault::Misfit { phase, cause };
        let mut state = TaskState::of(&now.task).map_err(misfit)?;
        state.next_phase(now);
        now.task = state.save(&[]);
        Ok(())
    }

    fn enter(&mut self, optimizer: &mut dyn Optimizer, now: &mut Snapshot) -> Result<(), TrainError> {
        let phase = now.phase;
        let misfit = |cause| LoopFault::Misfit { phase, cause };
        (self.phase, self.state) = (phase, TaskState::of(&now.task).map_err(misfit)?);
        self.check_tables()?;
        let settings = self.settings();
        if self.state.interior == 0 {
            self.state.interior = settings.points;
        }
        if let Method::GaussNewton { .. } = settings.method {
            self.objective.kernel().prepare_equations()?;
        }
        self.supplied = self.state.draw;
        // What was drawn ahead, or is fixed, belongs to the phase before.
        (self.drawn, self.moved, self.fixed) = (None, None, None);
        match std::mem::take(&mut self.state.points) {
            points if points.is_empty() => self.supply(now, Occasion::First)?,
            points => {
                self.objective.set_points(points);
                self.keep_all();
            }
        }
        self.apply_residual_weights();
        self.objective.set_weights(&self.state.weights)?;
        self.counts = self.objective.points().iter().map(Points::len).collect();
        self.begin_batches(now.phase_step);
        self.next_batch(now.phase_step)?;
        self.ahead = self.ahead(optimizer);
        if settings.sampling.causal {
            now.scope = self.state.curriculum.part;
        }
        Ok(())
    }

    fn announce(&mut self, now: &Snapshot, sink: &mut dyn Sink) -> Result<(), TrainError> {
        self.announce_equations(sink)?;
        let gradients = self.settings().method.traits().order != Order::Second;
        if let Some(obstacle) = self.objective.kernel().unfused().filter(|_| gradients && !self.told_layers) {
            self.told_layers = true;
            sink.event(&Event::Fallback(SlowWay::Layers { obstacle }.told()));
        }
        let obstacle = self.ahead.as_mut().and_then(|ahead| ahead.obstacle.take());
        if let Some(obstacle) = obstacle.filter(|_| !self.told_points) {
            self.told_points = true;
            sink.event(&Event::Fallback(SlowWay::Points { obstacle }.told()));
        }
        self.announce_batches(sink);
        self.announce_memory(now, sink)
    }

    fn loss(&mut self) -> &mut dyn Loss {
        self.objective
    }

    fn points(&self) -> usize {
        self.objective.point_count()
    }

    fn weights(&self) -> &[f64] {
        &self.state.weights
    }

    fn may_grow(&self) -> bool {
        self.state.interior < self.settings().most_points
    }

    fn resamples(&self, now: &Snapshot) -> bool {
        self.is_due(now.phase_step) && !self.ahead.as_ref().is_some_and(Ahead::draws)
    }

    fn before_step(
        &mut self,
        resample: bool,
        now: &mut Snapshot,
        sink: &mut dyn Sink,
    ) -> Result<bool, TrainError> {
        let mut changed = false;
        if resample {
            self.state.draw += 1;
            self.supply(now, Occasion::Later)?;
            self.state.residual_weights.clear();
            changed = true;
            if self.announced.is_some() {
                self.announce_equations(sink)?;
            }
        }
        changed |= self.next_batch(now.phase_step)?;
        changed |= self.attend(now)?;
        if let Some(parts) = self.balance(now)? {
            changed = true;
            sink.event(&Event::Balanced { parts });
        }
        Ok(changed)
    }

    fn step<'step>(
        &'step mut self,
        optimizer: &'step mut dyn Optimizer,
        now: &mut Snapshot,
        rate: f64,
    ) -> Result<StepOutcome<'step>, Refusal> {
        self.step_and_draw(optimizer, now, rate)
    }

    fn after_step(&mut self, now: &mut Snapshot, trust: Option<Trust>, seconds: f64) {
        self.watch_points(now, trust, seconds);
    }

    fn points_moved(&mut self) -> Option<PointsMoved> {
        self.moved.take()
    }

    fn waited(&mut self) -> Option<f64> {
        self.feed.last.take()
    }

    fn most_in_series(&self, now: &Snapshot) -> Option<u64> {
        self.uninterrupted(now)
    }

    fn series(
        &mut self,
        optimizer: &mut dyn Optimizer,
        rates: (&[f64], Option<f64>),
        now: &mut Snapshot,
        losses: &mut Vec<Losses>,
    ) -> Result<Option<Losses>, Refusal> {
        self.run_series(optimizer, rates, now, losses)
    }

    fn fits_noise(&self, losses: &Losses) -> bool {
        is_explained(self.problem, self.plan, &self.counts, losses)
    }

    fn measure(&mut self, parameters: &[f64]) -> Result<Option<f64>, TrainError> {
        self.error.map_or(Ok(None), |error| error(self.objective.kernel(), parameters))
    }

    fn measures_all(&self) -> bool {
        self.last
    }

    /// Points that follow from parameters of the past are part of it.
    fn save(&self) -> State {
        let sets = 0..self.objective.points().len();
        let moves = self.settings().sampling.adaptive.moves();
        let points: Vec<Points> = sets.filter(|_| moves).map(|term| self.all_points(term).clone()).collect();
        self.state.save(&points)
    }

    fn leave(&mut self, now: &Snapshot) -> Result<(), TrainError> {
        self.end_batches();
        // Where the device has drawn points, whoever asks the objective gets the same.
        let drawn_there = self.ahead.as_ref().is_some_and(Ahead::draws);
        if drawn_there && self.supplied != self.state.draw {
            self.supply(now, Occasion::Later)
        } else {
            Ok(())
        }
    }

    fn final_losses(&mut self, parameters: &[f64]) -> Result<Losses, Refusal> {
        reset_residual_weights(self.plan, self.objective);
        self.losses_over_all(parameters)
    }

    fn explain(&mut self, refusal: Refusal, now: &Snapshot) -> TrainError {
        self.explained(refusal, &now.parameters, now.steps)
    }

    fn is_non_finite(error: &TrainError) -> bool {
        error.is_non_finite()
    }

    fn slower(&self, shortage: Shortage) -> train::Fallback {
        SlowWay::Shortage(shortage).told()
    }
}
