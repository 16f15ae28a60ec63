//! How good any parameters are, trained or not.

use super::{FieldError, Gauge};
use crate::memory::{HostPurpose, Need, available};
use crate::sample::{draw, draw_part};
use crate::windows::{Reached, Seam, Stage};
use crate::{Experiment, Objective, TrainError};
use equation::taylor::{Plan, Source};
use kernel::{Kernel, Points};
use train::Losses;

/// The draw that no training reaches: phases count theirs from 0.
const FRESH: u64 = u64::MAX;

/// Numbers of fresh points that are there at a time: 128 megabytes. Training may have as many points as memory holds,
/// while others train, too.
const NUMBERS: usize = 1 << 24;

impl Experiment {
    /// The loss that training begins with: over the points of its first phase. For those who bring
    /// their own [`Optimizer`](crate::optimize::Optimizer). Windows have no influence on it: it is over all
    /// of time.
    pub fn objective(&self) -> Result<Objective, TrainError> {
        let points = match self.settled().first() {
            Some(settings) => {
                draw(self.problem(), self.plan(), &self.tables, settings.draw(self.problem(), 0))?
            }
            None => Vec::new(),
        };
        Ok(Objective::new(self.compile(self.plan())?, points))
    }

    /// The losses over points that training has not seen, as many as in its last phase; the mean over all
    /// windows. Measurements are the same: there are no others.
    pub fn losses_on_fresh_points(&self, parameters: &[f64]) -> Result<Losses, TrainError> {
        let networks = self.networks(parameters);
        let mut mean: Option<Losses> = None;
        for number in 0..networks.len() {
            let losses = self.losses_in_window(&networks[..=number], NUMBERS)?;
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
        mean.map_or_else(|| self.losses_in_window(&[parameters], NUMBERS), Ok)
    }

    /// The same for the last of these windows, with at most so many numbers of points inside at a time.
    fn losses_in_window(&self, networks: &[&[f64]], numbers: usize) -> Result<Losses, TrainError> {
        let number = networks.len() - 1;
        let Stage { problem, plan, phases } = &self.stage(number)?;
        let (mut kernel, parameters) = (self.compile(plan)?, networks[number]);
        let Some(settings) = phases.last() else {
            return losses_over(&mut kernel, &[], parameters);
        };
        let widest = plan.terms.iter().map(|term| term.row.width()).max().unwrap_or(1);
        let each = (numbers / widest.max(1)).clamp(1, settings.points.max(1));
        let on_walls = plan.terms.iter().map(|term| match term.source {
            Source::Interior | Source::Prediction | Source::Data(_) => 0,
            Source::Condition(number) => {
                problem.conditions[number].points.unwrap_or(problem.training.condition_points)
            }
        });
        let points = each as f64 + on_walls.map(|count| count as f64).sum::<f64>();
        Need::default().with(HostPurpose::Points, points * widest as f64).check(available()?)?;
        let before = number.checked_sub(1).map(|before| self.stage(before)).transpose()?;
        let seam = before.as_ref().map(|before| Seam::new(before, networks[number - 1])).transpose()?;
        let mut mean: Option<Losses> = None;
        // There is a first part, even one without points inside.
        for start in (0..settings.points.max(1)).step_by(each) {
            let part = start..(start + each).min(settings.points);
            let draw = settings.draw(problem, FRESH);
            let mut points = draw_part(problem, plan, &self.tables, draw, part.clone())?;
            if let Some(seam) = &seam {
                points.iter_mut().enumerate().try_for_each(|(term, points)| seam.fill(term, points))?;
            }
            let losses = losses_over(&mut kernel, &points, parameters)?;
            match &mut mean {
                None => mean = Some(losses),
                Some(mean) => join(plan, mean, &losses, part.len() as f64 / part.end as f64),
            }
        }
        mean.map_or_else(|| losses_over(&mut kernel, &[], parameters), Ok)
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

/// The losses over these points, with the plan's weights.
fn losses_over(kernel: &mut Kernel, points: &[Points], parameters: &[f64]) -> Result<Losses, TrainError> {
    let weights = kernel.plan().weights();
    let sums = kernel.sums(points, parameters)?;
    Ok(Losses::of(&sums.squares, &sums.counts, &weights))
}

/// Moves means over points inside towards those over more of them, which are a `share` of all by now.
fn join(plan: &Plan, mean: &mut Losses, more: &Losses, share: f64) {
    let inside = plan.terms.iter().flat_map(|term| {
        term.residuals.iter().map(|_| matches!(term.source, Source::Interior | Source::Prediction))
    });
    let squares = mean.mean_squares.iter_mut().zip(&more.mean_squares);
    for ((mean, more), _) in squares.zip(inside).filter(|(_, inside)| *inside) {
        *mean += share * (more - *mean);
    }
    mean.total = mean.weights.iter().zip(&mean.mean_squares).map(|(weight, square)| weight * square).sum();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn losses_over_fresh_points_do_not_depend_on_how_many_are_there_at_a_time() {
        let text = "[domain]\nt = [0, 1]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\nheat = \"u_t = u_xx + 1\"\n[conditions]\n\
            start = { on = \"t = 0\", equation = \"u = x\" }\nwalls = { on = \"x = 0, x = 1\", equation = \"u_x = 0\", points = 50 }\n\
            [network]\nwidth = 6\ndepth = 2\n[training]\npoints = 1000\nwindows = 2\n";
        let experiment = Experiment::from_text("heat", text, Path::new("."), &[]).expect("it is right");
        let network = experiment.start().parameters;
        let networks = [network.as_slice(), &network];
        let whole = experiment.losses_in_window(&networks, NUMBERS).expect("losses");
        for numbers in [1, 700, 1999, 2000] {
            let parts = experiment.losses_in_window(&networks, numbers).expect("losses");
            assert_eq!(parts.weights, whole.weights);
            for (part, whole) in parts.mean_squares.iter().zip(&whole.mean_squares) {
                // A rounding for every part.
                assert!((part - whole).abs() <= 1e3 * f64::EPSILON * whole, "{numbers}: {part} for {whole}");
            }
            assert!((parts.total - whole.total).abs() <= 1e3 * f64::EPSILON * whole.total);
        }
    }
}
