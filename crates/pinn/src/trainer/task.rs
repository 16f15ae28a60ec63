//! Equations as a task for the loop that all tasks share: points, weights and devices.

use super::adapt::Occasion;
use super::balance::Balanced;
use super::batches::Feed;
use super::check::Ladder;
use super::discrepancy::is_explained;
use super::memory_watch::MemoryWatch;
use super::roles::roles;
use super::series::Ahead;
use super::supply::WantedDraw;
use super::{Settings, TaskState, reset_residual_weights};
use crate::memory::device_note;
use crate::sample::{KeptPoints, PointRoom};
use crate::table::Tables;
use crate::{Objective, SlowWay, TrainError};
use equation::problem::{Method, Problem};
use equation::taylor::Plan;
use kernel::cuda::Unfused;
use kernel::{Kernel, Points};
use method::{Order, Policy};
use std::sync::Arc;
use std::time::Instant;
use train::optimize::{AffineMap, Optimizer, StepOutcome, Trust};
use train::stability::{Fault, Story};
use train::trainer::{LoopFault, OwnOptimizer, PhaseSettings, Task};
use train::{
    Deviation, Event, Loss, Losses, MemoryTaken, PointsMoved, Refusal, Shortage, Sink, Snapshot, State,
};

/// Finds the largest relative L2 error of an unknown at some parameters; `None` where none is defined.
pub type Measure<'run> = dyn Fn(&mut Kernel, &[f64]) -> Result<Option<f64>, TrainError> + 'run;

/// Adds to the points of a term, by its position, what they take over from the window before.
pub type TakeOver<'run> = dyn Fn(usize, &mut Points) -> Result<(), TrainError> + 'run;

/// Seconds in which points were drawn or chosen anew.
#[derive(Clone, Copy, Debug, Default)]
struct Renewals {
    /// In all; `None` before the first.
    all: Option<f64>,
    /// Since the last step that was told.
    last: Option<f64>,
}

impl Renewals {
    fn add(&mut self, seconds: f64) {
        self.all = Some(self.all.unwrap_or(0.0) + seconds);
        self.last = Some(self.last.unwrap_or(0.0) + seconds);
    }
}

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
    /// Whether it has none of those inside, which the device draws.
    pub(super) inside_elsewhere: bool,
    /// Points that were drawn before they are wanted.
    pub(super) drawn: Option<(WantedDraw, Vec<Points>)>,
    /// How steps are taken in series, where they are.
    pub(super) ahead: Option<Ahead>,
    /// How points have moved since the last step.
    pub(super) moved: Option<PointsMoved>,
    /// All points inside, where steps visit batches of them and they follow from nothing but training.
    pub(super) all: Option<Arc<Points>>,
    /// The points inside, where they were chosen in parts.
    pub(super) kept: Option<Arc<KeptPoints>>,
    /// Where these may be.
    pub(super) room: PointRoom,
    /// The time that it takes to draw or choose points anew.
    renewals: Renewals,
    /// What steps visit in batches.
    pub(super) feed: Feed,
    /// Threads that find batches.
    pub(super) workers: usize,
    /// How many batches they find before these are wanted, where that is stated.
    pub(super) prefetch: Option<usize>,
    /// The weights that were told last.
    pub(super) told_weights: Vec<f64>,
    /// Points at which moves are judged, once they were drawn.
    pub(super) fixed: Option<Points>,
    /// Where training goes on where gradients are not accurate enough.
    pub(super) ladder: Option<Ladder<'run>>,
    /// In f64, once gradients were compared.
    pub(super) exact: Option<Kernel>,
    /// How far off they were, since the last step.
    pub(super) deviation: Option<Deviation>,
    /// Memory, where it is looked at.
    pub(super) memory: Option<MemoryWatch<'run>>,
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
            inside_elsewhere: false,
            drawn: None,
            ahead: None,
            moved: None,
            all: None,
            kept: None,
            room: PointRoom::default(),
            renewals: Renewals::default(),
            feed: Feed::default(),
            workers: 1,
            prefetch: None,
            told_weights: Vec::new(),
            fixed: None,
            ladder: None,
            exact: None,
            deviation: None,
            memory: None,
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

    /// With so many batches that are found before they are wanted, where that is stated.
    #[must_use]
    pub fn prefetching(self, batches: Option<usize>) -> Self {
        Equations { prefetch: batches, ..self }
    }

    /// With precisions to go on in where gradients are not accurate enough.
    #[must_use]
    pub fn climbing(self, ladder: Ladder<'run>) -> Self {
        Equations { ladder: Some(ladder), ..self }
    }

    /// Seconds that steps have waited for their batches; `None` where there were none.
    pub fn seconds_waited(&self) -> Option<f64> {
        self.feed.any().then_some(self.feed.waited)
    }

    /// Seconds in which points were drawn or chosen anew; `None` where none were. A device that draws its own takes no time of its own
    /// for that.
    pub fn seconds_renewing(&self) -> Option<f64> {
        self.renewals.all
    }

    /// What the phase at hand does.
    pub(super) fn settings(&self) -> &'run Settings {
        &self.phases[self.phase]
    }

    /// Makes a kernel ready for the phase.
    pub(super) fn prepare_kernel(&mut self) -> Result<(), TrainError> {
        if let Method::GaussNewton { .. } = self.settings().method {
            self.objective.kernel().prepare_equations()?;
        }
        Ok(())
    }

    /// Gives the objective the points of the draw at hand, where the device has drawn them.
    fn host_points(&mut self, now: &Snapshot) -> Result<(), TrainError> {
        let drawn_there = self.ahead.as_ref().is_some_and(Ahead::draws);
        match (drawn_there && self.supplied != self.state.draw) || self.inside_elsewhere {
            true => self.supply(now, Occasion::Later),
            false => Ok(()),
        }
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
        self.plan.architecture.decaying_count()
    }

    fn maps(&self) -> Vec<AffineMap> {
        roles(self.plan).maps
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
        self.give_device_memory_back();
        self.climb_again()?;
        self.scale_loss();
        self.prepare_kernel()?;
        self.supplied = self.state.draw;
        // What was drawn ahead, or is fixed, belongs to the phase before.
        (self.drawn, self.moved, self.fixed) = (None, None, None);
        self.feed.begin_phase();
        match std::mem::take(&mut self.state.points) {
            points if points.is_empty() => self.supply(now, Occasion::First)?,
            points => {
                self.kept = None;
                self.objective.set_points(points);
                self.keep_all();
            }
        }
        self.apply_residual_weights();
        self.objective.set_weights(&self.state.weights)?;
        self.counts = self.objective.points().iter().map(Points::len).collect();
        self.ahead = None;
        self.ahead = self.ahead(optimizer);
        self.begin_batches(now.phase_step);
        let looks_ahead = self.looks_ahead();
        self.objective.kernel().expect_batches(looks_ahead)?;
        if !self.draws_in_order() {
            self.next_batch(self.batch_number(now))?;
        }
        if settings.sampling.causal {
            now.scope = self.state.curriculum.part;
        }
        Ok(())
    }

    fn announce(&mut self, now: &Snapshot, sink: &mut dyn Sink) -> Result<(), TrainError> {
        self.announce_equations(sink)?;
        // Rows of a least-squares problem have a kernel of their own, which takes chains of layers in any precision.
        let gradients = self.settings().method.traits().order != Order::Second;
        let concerns = |obstacle: &Unfused| gradients || *obstacle == Unfused::Network;
        let obstacle = self.objective.kernel().unfused().filter(concerns);
        if let Some(obstacle) = obstacle.filter(|_| !self.told_layers) {
            self.told_layers = true;
            sink.event(&Event::Fallback(SlowWay::Layers { obstacle }.told()));
        }
        let obstacle = self.ahead.as_mut().and_then(|ahead| ahead.obstacle.take());
        if let Some(obstacle) = obstacle.filter(|_| !self.told_points) {
            self.told_points = true;
            sink.event(&Event::Fallback(obstacle.told()));
        }
        self.announce_batches(sink);
        self.announce_memory(now, sink)
    }

    fn loss(&mut self) -> &mut dyn Loss {
        self.objective
    }

    fn points(&self) -> usize {
        self.drawn_count().unwrap_or_else(|| self.objective.point_count())
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
        self.watch_memory(now, sink)?;
        let mut changed = false;
        if resample {
            let begin = Instant::now();
            self.state.draw += 1;
            self.supply_device(now)?;
            if self.kept.is_some() {
                // Batches that were found ahead are of the points before.
                self.begin_batches(self.batch_number(now));
            }
            self.renewals.add(begin.elapsed().as_secs_f64());
            self.state.residual_weights.clear();
            changed = true;
            if self.announced.is_some() {
                self.announce_equations(sink)?;
            }
        }
        if !self.draws_in_order() {
            changed |= self.next_batch(self.batch_number(now))?;
        }
        changed |= self.attend(now)?;
        if let Some(Balanced { parts }) = self.balance(now)? {
            changed = true;
            parts.into_iter().for_each(|parts| sink.event(&Event::Balanced { parts }));
        }
        Ok(changed)
    }

    fn other_points(&mut self, now: &mut Snapshot) -> Result<bool, TrainError> {
        if self.visits_batches() {
            self.state.passed_over += 1;
            return self.next_batch(self.batch_number(now));
        }
        if self.settings().resample.is_none() {
            return Ok(false);
        }
        self.state.draw += 1;
        self.state.residual_weights.clear();
        match self.supply(now, Occasion::Later) {
            Ok(()) => Ok(true),
            // Points that follow residuals cannot be found where those are not finite.
            Err(error) if error.is_non_finite() => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn takes_series(&mut self) -> bool {
        self.objective.kernel().takes_steps()
    }

    fn by_hand(&mut self, now: &Snapshot) -> Result<(), TrainError> {
        self.host_points(now)?;
        // A run that is continued here has the batch of the step at hand, one that goes on that of the step before.
        self.next_batch(self.batch_number(now)).map(|_| ())
    }

    fn computes_otherwise(&mut self, now: &Snapshot, sink: &mut dyn Sink) -> Result<bool, TrainError> {
        self.by_hand(now)?;
        self.leave_halves(now, sink)
    }

    fn story(&mut self, fault: &Fault, now: &Snapshot) -> Option<Story> {
        self.story_of(fault, &now.parameters)
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
        self.count_precision();
        self.objective.note_good_step();
        self.watch_points(now, trust, seconds);
    }

    fn points_moved(&mut self) -> Option<PointsMoved> {
        self.moved.take()
    }

    fn waited(&mut self) -> Option<f64> {
        self.feed.last.take()
    }

    fn renewed(&mut self) -> Option<f64> {
        self.renewals.last.take()
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

    fn checks(&self, now: &Snapshot) -> bool {
        self.is_check_due(now)
    }

    fn check(&mut self, now: &mut Snapshot, sink: &mut dyn Sink) -> Result<bool, TrainError> {
        self.by_hand(now)?;
        self.check_gradient(now, sink)
    }

    fn memory(&mut self) -> Option<MemoryTaken> {
        self.memory.as_mut()?.found.take()
    }

    fn deviation(&mut self) -> Option<Deviation> {
        self.deviation.take()
    }

    fn validation(&mut self, now: &Snapshot) -> Result<Option<f64>, TrainError> {
        self.unseen(now)
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
        let moves = self.settings().sampling.adaptive.moves() && self.kept.is_none();
        let points: Vec<Points> = sets.filter(|_| moves).map(|term| self.all_points(term).clone()).collect();
        let loss_scale = self.objective.loss_scale().or(self.state.loss_scale);
        TaskState { loss_scale, ..self.state.clone() }.save(&points)
    }

    fn leave(&mut self, now: &Snapshot) -> Result<(), TrainError> {
        self.end_batches();
        self.objective.kernel().expect_batches(false)?;
        // Where the device has drawn points, whoever asks the objective gets the same.
        self.host_points(now)
    }

    fn final_losses(&mut self, parameters: &[f64]) -> Result<Losses, Refusal> {
        reset_residual_weights(self.plan, self.objective);
        let losses = self.losses_over_all(parameters);
        match losses.as_ref().map_err(Fault::refused) {
            // Among all points are those that steps have passed over.
            Err(Some(_)) if self.visits_batches() && self.settings().guard.policy != Policy::Stop => {
                self.losses_over_a_batch(parameters)
            }
            Ok(_) | Err(_) => losses,
        }
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
