//! Steps that are taken to see how much memory they take.

use crate::memory::{forget_peak, peak, resident};
use crate::sample::PointRoom;
use crate::trainer::Equations;
use crate::{Experiment, Objective, TrainError};
use equation::problem::Budget;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use train::Quiet;
use train::trainer::{Surroundings, train_phases};

/// Steps that are taken: fresh points are drawn between them.
const STEPS: u64 = 2;

/// Points of the steps before: code and threads are there afterwards.
const FEW: usize = 4096;

/// Seconds that steps may take at most, as those before promise.
const SECONDS: f64 = 10.0;

/// Seconds in which so many times as many points are worth a try.
const ENOUGH: f64 = 4.0;
const TIMES: usize = 8;

/// What steps took beside what was planned for them, in bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Confirmed {
    /// Points inside that each visited.
    pub points: usize,
    /// By plan, without what training takes before its first step and after its last.
    pub planned: u64,
    /// As the system counts it.
    pub measured: u64,
}

impl Experiment {
    /// Takes steps of a phase at so many points, or as many as take some seconds, and compares what they take of the host's
    /// memory with the plan; `None` where the system does not tell. Nothing else may take memory in this process meanwhile.
    pub fn confirm_step(&self, phase: usize, points: usize) -> Result<Option<Confirmed>, TrainError> {
        let Some(settings) = self.settled().get(phase) else { return Ok(None) };
        let mut some = FEW.min(settings.points).min(points);
        let mut rate = self.seconds_of_steps(phase, some)?;
        // What comes before the first step counts less with more points.
        while ENOUGH > rate * (some * TIMES) as f64 && some < points / TIMES {
            some *= TIMES;
            rate = self.seconds_of_steps(phase, some)?;
        }
        let points = points.min((SECONDS / rate.max(f64::MIN_POSITIVE)) as usize).max(some);
        let Some(before) = resident().filter(|_| forget_peak()) else { return Ok(None) };
        self.take_steps(phase, points)?;
        let Some(measured) = peak() else { return Ok(None) };
        let planned = self.need_of_steps(&self.visiting(phase, settings, points)).bytes();
        Ok(Some(Confirmed { points, planned, measured: measured.saturating_sub(before) }))
    }

    /// Seconds of steps per point.
    fn seconds_of_steps(&self, phase: usize, points: usize) -> Result<f64, TrainError> {
        let begin = Instant::now();
        self.take_steps(phase, points)?;
        Ok(begin.elapsed().as_secs_f64() / points as f64)
    }

    fn take_steps(&self, phase: usize, points: usize) -> Result<(), TrainError> {
        let mut stage = self.stage(0)?;
        let phases = stage.phases.to_mut();
        phases.drain(..phase.min(phases.len()));
        phases.truncate(1);
        for settings in &mut *phases {
            *settings = self.visiting(phase, settings, points);
            settings.budget = Budget { steps: Some(STEPS), ..Budget::default() };
            (settings.ends_by_itself, settings.ends_at_noise) = (false, false);
        }
        let mut objective = Objective::new(self.compile(&stage.plan)?, Vec::new());
        let (stop, begin) = (AtomicBool::new(false), Instant::now());
        let clock = || begin.elapsed().as_secs_f64();
        let (problem, plan) = (&*stage.problem, &*stage.plan);
        let mut task = Equations::new((problem, plan), &stage.phases, self.tables(), &mut objective)
            .with_workers(self.workers())
            .prefetching(Some(self.prefetch()))
            .keeping_points(PointRoom { bytes: self.point_memory(), ..PointRoom::default() });
        let surroundings = Surroundings { stop: &stop, clock: &clock };
        train_phases(&mut task, &mut self.start(), surroundings, &mut Quiet)?;
        Ok(())
    }
}
