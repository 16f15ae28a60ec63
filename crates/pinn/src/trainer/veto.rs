//! Moves of points that did harm are taken back.
//!
//! Residuals at fixed points, which training never visits, are measured when points move, and again when they are about to move the next time. Where their
//! mean square has grown by more than the stated factor in between, while training saw the new points, the points before
//! the move come back, and stay until the next move is due. Parameters are not taken back: the steps were taken, and only what they
//! looked at was wrong.

use super::Curriculum;
use super::adapt::Before;
use super::task::Equations;
use crate::TrainError;
use crate::sample::{Cell, Draw, draw, mean_square};
use equation::problem::Sampler;
use equation::taylor::Source;
use kernel::Points;
use train::{PointsMoved, Snapshot};

/// The draw that the fixed points come from: training counts its draws from 0, and fresh points at its end have the last number.
const FIXED: u64 = u64::MAX - 1;

/// How many they are where no veto says so.
const FIXED_POINTS: usize = 1024;

/// A move that is not judged yet.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveTrial {
    /// The points before it.
    pub points: Points,
    /// The cells before it.
    pub cells: Vec<Cell>,
    /// The mean square of residuals at the fixed points when it was made.
    pub validation: f64,
    /// The part of time that those lay in.
    pub part: f64,
}

/// What is said of the last move.
pub(super) enum Judgement {
    /// It is taken back: these are the points before it.
    TakenBack(Points),
    /// It is not.
    Stands {
        /// A part of time and the mean square that was found there, if there was anything to judge.
        measured: Option<(f64, f64)>,
    },
}

impl Equations<'_> {
    /// Judges the last move, if there is one.
    pub(super) fn judge(&mut self, number: usize, now: &Snapshot) -> Result<Judgement, TrainError> {
        let (sampling, Some(trial)) = (&self.settings().sampling, self.state.trial.take()) else {
            return Ok(Judgement::Stands { measured: None });
        };
        let Some(veto) = sampling.veto else { return Ok(Judgement::Stands { measured: None }) };
        let validation = self.validation(number, trial.part, now)?;
        // What is no number has grown, too.
        if validation <= veto.factor * trial.validation {
            return Ok(Judgement::Stands { measured: Some((trial.part, validation)) });
        }
        let before = (trial.points, trial.cells);
        let points = self.state.put_back(before, sampling.adaptive.grows());
        self.moved = Some(PointsMoved {
            draw: self.state.draw,
            points: points.len(),
            moved: points.len(),
            validation: Some(validation),
            taken_back: true,
            ..PointsMoved::default()
        });
        Ok(Judgement::TakenBack(points))
    }

    /// Remembers a move, and what was before it, until it is judged. What is `known` was measured before.
    pub(super) fn watch_move(
        &mut self,
        number: usize,
        (points, cells): Before,
        known: Option<(f64, f64)>,
        now: &Snapshot,
    ) -> Result<(), TrainError> {
        if self.settings().sampling.veto.is_none() {
            return Ok(());
        }
        let part = if self.settings().sampling.causal { self.state.curriculum.part } else { 1.0 };
        let validation = match known {
            Some((known, validation)) if known == part => validation,
            Some(_) | None => self.validation(number, part, now)?,
        };
        self.state.trial = Some(MoveTrial { points, cells, validation, part });
        self.moved.iter_mut().for_each(|moved| moved.validation = Some(validation));
        Ok(())
    }

    /// The mean square of the equations' residuals at the fixed points, in the part of time that is trained; `None` where it is not finite, or where there is
    /// no equation.
    pub(super) fn unseen(&mut self, now: &Snapshot) -> Result<Option<f64>, TrainError> {
        let Some(number) = self.plan.terms.iter().position(|term| term.source == Source::Interior) else {
            return Ok(None);
        };
        let part = if self.settings().sampling.causal { self.state.curriculum.part } else { 1.0 };
        match self.validation(number, part, now) {
            Ok(found) => Ok(Some(found).filter(|found| found.is_finite())),
            Err(error) if error.is_non_finite() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The mean square of residuals at the fixed points, in a part of time.
    fn validation(&mut self, number: usize, part: f64, now: &Snapshot) -> Result<f64, TrainError> {
        let mut points = match &self.fixed {
            Some(fixed) => fixed.clone(),
            None => {
                let (seed, veto) = (self.problem.training.seed, self.settings().sampling.veto);
                let interior = veto.map_or(FIXED_POINTS, |veto| veto.points);
                let wanted = Draw { sampler: Sampler::Sobol, seed, number: FIXED, interior };
                let fixed = draw(self.problem, self.plan, self.tables, wanted)?.swap_remove(number);
                self.fixed.insert(fixed).clone()
            }
        };
        let curriculum = Curriculum { part, ..Curriculum::WHOLE };
        curriculum.confine(self.problem, &self.plan.terms[number], &mut points);
        Ok(mean_square(self.sizes_at(number, &points, now)?.into_iter()))
    }
}
