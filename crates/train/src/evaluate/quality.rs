//! How good any parameters are, trained or not.

use super::{FieldError, Gauge};
use crate::sample::{Draw, draw};
use crate::trainer::{Settings, settle};
use crate::{Experiment, Objective, TrainError};
use kernel::{Kernel, Losses, Points};

/// The draw that no training reaches: phases count theirs from 0.
const FRESH: u64 = u64::MAX;

impl Experiment {
    /// The loss that training begins with: over the points of its first phase. For those who bring
    /// their own [`Optimizer`](crate::optimize::Optimizer).
    pub fn objective(&self) -> Result<Objective<'_>, TrainError> {
        let points = match self.settings().first() {
            Some(settings) => self.draw(settings, 0)?,
            None => Vec::new(),
        };
        Ok(Objective::new(Kernel::compile(self.plan(), self.device(), self.precision())?, points))
    }

    /// The losses over points that training has not seen, as many as in its last phase. Measurements
    /// are the same: there are no others.
    pub fn losses_on_fresh_points(&self, parameters: &[f64]) -> Result<Losses, TrainError> {
        let points = match self.settings().last() {
            Some(settings) => self.draw(settings, FRESH)?,
            None => Vec::new(),
        };
        let mut kernel = Kernel::compile(self.plan(), self.device(), self.precision())?;
        let mut gradient = vec![0.0; parameters.len()];
        Ok(kernel.evaluate(&points, parameters, &mut gradient)?.clone())
    }

    fn settings(&self) -> Vec<Settings> {
        settle(self.problem(), self.plan(), self.precision())
    }

    fn draw(&self, settings: &Settings, number: u64) -> Result<Vec<Points>, TrainError> {
        draw(self.problem(), self.plan(), &self.tables, Draw::of(self.problem(), settings, number))
    }

    /// The error of every unknown at `points`; `None` for unknowns without a reference. Where the
    /// reference is a table, its own points are compared.
    pub fn errors_at(
        &self,
        parameters: &[f64],
        points: &Points,
    ) -> Result<Vec<Option<FieldError>>, TrainError> {
        let mut kernel = Kernel::compile(self.plan(), self.device(), self.precision())?;
        Gauge::new(self.problem(), &self.truths, &self.tables, Some(points)).errors(&mut kernel, parameters)
    }
}
