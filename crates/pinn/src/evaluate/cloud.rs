//! Where training looks: the points of a state.

use crate::sample::{Draw, draw};
use crate::trainer::{Equations, TaskState, some_of};
use crate::windows::Stage;
use crate::{Experiment, Objective, TrainError};
use equation::taylor::Source;
use kernel::Points;
use train::Snapshot;
use train::trainer::LoopFault;

impl Experiment {
    /// The points inside the domain that training visits at a state, coordinates alone: those of the window at hand. They are part of
    /// the state where they have moved, and follow from its draw otherwise. Of more than a million that are drawn batch by batch, some
    /// stand for all, as do those of the first part where they were chosen in parts.
    pub fn points_inside(&self, now: &Snapshot) -> Result<Points, TrainError> {
        let Stage { problem, plan, phases } = &self.stage(now.finished.len())?;
        let misfit = |cause| LoopFault::Misfit { phase: now.phase, cause };
        let mut state = TaskState::of(&now.task).map_err(misfit)?;
        let coordinates = problem.domain.len();
        let inside = plan.terms.iter().position(|term| term.source == Source::Interior);
        let (Some(number), Some(settings)) = (inside, phases.get(now.phase)) else {
            return Ok(Points::new(coordinates));
        };
        let points = if number < state.points.len() {
            state.points.swap_remove(number)
        } else if !state.chosen_at.is_empty() {
            let mut objective = Objective::new(self.compile(plan)?, Vec::new());
            let mut task = Equations::new((problem, plan), phases, &self.tables, &mut objective);
            match task.chosen_part(now)? {
                Some(points) => points,
                None => Points::new(coordinates),
            }
        } else {
            let wanted = settings.draw(problem, state.draw);
            let interior = if state.interior == 0 { settings.points } else { state.interior };
            let wanted = Draw { interior, ..wanted };
            let mut points =
                match settings.visited().and_then(|size| some_of(problem, (plan, number), size, wanted)) {
                    Some(points) => points?,
                    None => draw(problem, plan, &self.tables, wanted)?.swap_remove(number),
                };
            if settings.sampling.causal {
                state.curriculum.confine(problem, &plan.terms[number], &mut points);
            }
            points
        };
        let places = points.iter().flat_map(|row| &row[..coordinates]).copied().collect();
        Ok(Points::from_rows(coordinates, places))
    }
}
