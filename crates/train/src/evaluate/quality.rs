//! How good any parameters are, trained or not.

use super::{FieldError, Gauge};
use crate::sample::{Draw, draw};
use crate::trainer::settle;
use crate::windows::{Reached, Seam, Stage};
use crate::{Experiment, Losses, Objective, TrainError};
use kernel::{Kernel, Points};

/// The draw that no training reaches: phases count theirs from 0.
const FRESH: u64 = u64::MAX;

impl Experiment {
    /// The loss that training begins with: over the points of its first phase. For those who bring
    /// their own [`Optimizer`](crate::optimize::Optimizer). Windows have no influence on it: it is over all
    /// of time.
    pub fn objective(&self) -> Result<Objective<'_>, TrainError> {
        let settings = settle(self.problem(), self.plan(), self.device(), self.precision());
        let points = match settings.first() {
            Some(settings) => {
                draw(self.problem(), self.plan(), &self.tables, Draw::of(self.problem(), settings, 0))?
            }
            None => Vec::new(),
        };
        Ok(Objective::new(Kernel::compile(self.plan(), self.device(), self.precision())?, points))
    }

    /// The losses over points that training has not seen, as many as in its last phase; the mean over all
    /// windows. Measurements are the same: there are no others.
    pub fn losses_on_fresh_points(&self, parameters: &[f64]) -> Result<Losses, TrainError> {
        let networks = self.networks(parameters);
        let mut mean: Option<Losses> = None;
        for number in 0..networks.len() {
            let losses = self.losses_in_window(&networks[..=number])?;
            let Some(mean) = &mut mean else {
                mean = Some(losses);
                continue;
            };
            let share = 1.0 / (number + 1) as f64;
            mean.total += share * (losses.total - mean.total);
            for (mean, square) in mean.mean_squares.iter_mut().zip(losses.mean_squares) {
                *mean += share * (square - *mean);
            }
        }
        // No parameters at all are refused for their number.
        mean.map_or_else(|| self.losses_in_window(&[parameters]), Ok)
    }

    /// The same for the last of these windows.
    fn losses_in_window(&self, networks: &[&[f64]]) -> Result<Losses, TrainError> {
        let number = networks.len() - 1;
        let Stage { problem, plan } = &self.stage(number)?;
        let mut points = match settle(problem, plan, self.device(), self.precision()).last() {
            Some(settings) => draw(problem, plan, &self.tables, Draw::of(problem, settings, FRESH))?,
            None => Vec::new(),
        };
        if number > 0 {
            let before = self.stage(number - 1)?;
            let seam = Seam::new(&before, networks[number - 1])?;
            points.iter_mut().enumerate().try_for_each(|(term, points)| seam.fill(term, points))?;
        }
        let mut kernel = Kernel::compile(plan, self.device(), self.precision())?;
        let sums = kernel.sums(&points, networks[number])?;
        Ok(Losses::of(&sums.squares, &sums.counts, &plan.weights()))
    }

    /// What errors are measured with: at `points`, or else at the test points, as far as times were reached.
    pub(crate) fn gauge(&self, points: Option<&Points>, reached: Option<&Reached>) -> Gauge {
        Gauge::new(self.problem(), &self.truths, &self.tables, points, reached)
    }

    /// The error of every unknown at some parameters; `None` for those without a reference. Windows that
    /// were not begun are left out.
    pub fn errors(&self, parameters: &[f64]) -> Result<Vec<Option<FieldError>>, TrainError> {
        self.measure(parameters, None)
    }

    /// The error of every unknown at `points`; `None` for unknowns without a reference. Where the
    /// reference is a table, its own points are compared. Windows that were not begun are left out.
    pub fn errors_at(
        &self,
        parameters: &[f64],
        points: &Points,
    ) -> Result<Vec<Option<FieldError>>, TrainError> {
        self.measure(parameters, Some(points))
    }

    fn measure(
        &self,
        parameters: &[f64],
        points: Option<&Points>,
    ) -> Result<Vec<Option<FieldError>>, TrainError> {
        let reached = self.reached(self.networks(parameters).len());
        let gauge = self.gauge(points, reached.as_ref());
        let found = gauge.places().iter().map(|points| self.predict(parameters, points));
        Ok(gauge.errors(&found.collect::<Result<Vec<_>, _>>()?))
    }
}
