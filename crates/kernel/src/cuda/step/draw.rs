//! Points that are drawn on the device.

use super::evaluate::queue_draw;
use super::places::{StepPlaces, words};
use super::prepare::{Prepared, Resident, Step, send_points};
use crate::cuda::CudaError;
use crate::cuda::chunks::Wanted;
use crate::cuda::context::DeviceContext;
use crate::cuda::program::{LoadedProgram, PlanArguments};
use crate::{Points, Recipe, Visits};
use std::sync::Arc;

impl Step {
    /// See [`crate::Kernel::draw`].
    pub(crate) fn draw(
        &mut self,
        context: &mut DeviceContext,
        recipe: &Recipe,
        number: u64,
    ) -> Result<Vec<Points>, CudaError> {
        let plan = Arc::clone(context.plan());
        let (wanted, parameters) = (Wanted::Drawn(recipe), vec![0.0; plan.parameter_count()]);
        let prepared = self.prepare(
            context,
            (wanted, &plan.weights()),
            Some(&parameters),
            words(&plan, self.clip_words),
        )?;
        let StepPlaces { progress, .. } = StepPlaces::of(context, &prepared.regions, self.clip_words);
        context.memory.send(progress, [0, 0, 0, 0, number].into_iter())?;
        let arguments = PlanArguments {
            progress,
            seed: recipe.seed,
            renewal: recipe.renewal,
            always: 1,
            ..prepared.arguments
        };
        let mut sets: Vec<Points> = plan.terms.iter().map(|term| Points::new(term.row.width())).collect();
        for (chunk, own) in prepared.chunks.iter().enumerate() {
            send_points(context, &prepared.regions, wanted, own)?;
            queue_draw(&context.program, &prepared, chunk, &arguments)?;
            let mut rest = prepared.arguments.rows;
            for (points, range) in sets.iter_mut().zip(&own.ranges) {
                let mut rows = vec![0.0; range.len() * points.width()];
                context.memory.fetch(rest, &mut rows)?;
                rest = rest.from(rows.len());
                rows.chunks_exact(points.width()).for_each(|row| points.push(row));
            }
        }
        self.forget_points();
        Ok(sets)
    }

    /// Draws the points of the first step, unless they are there.
    pub(super) fn draw_first(
        &self,
        program: &LoadedProgram,
        prepared: &Prepared,
        visits: Visits<'_>,
    ) -> Result<(), CudaError> {
        let Visits::Drawn { recipe, .. } = visits else { return Ok(()) };
        let there = Resident::Drawn { stamp: recipe.stamp, number: draw_of(visits) };
        if prepared.chunks.len() == 1 && self.resident != there {
            queue_draw(program, prepared, 0, &PlanArguments { always: 1, ..prepared.arguments })?;
        }
        Ok(())
    }

    /// Remembers the points of the last step.
    pub(super) fn note_drawn(&mut self, prepared: &Prepared, visits: Visits<'_>) {
        if let (Visits::Drawn { recipe, .. }, 1) = (visits, prepared.chunks.len()) {
            self.resident = Resident::Drawn { stamp: recipe.stamp, number: draw_of(visits) };
        }
    }
}

/// What steps visit after `count` of them.
pub(super) fn later(visits: Visits<'_>, count: u64) -> Visits<'_> {
    match visits {
        Visits::Points(_) => visits,
        Visits::Drawn { recipe, first, interval, step } => {
            Visits::Drawn { recipe, first, interval, step: step + count }
        }
    }
}

/// The number of the draw that the first step visits.
fn draw_of(visits: Visits<'_>) -> u64 {
    match visits {
        Visits::Points(_) => 0,
        Visits::Drawn { first, interval, step, .. } => first + interval.map_or(0, |interval| step / interval),
    }
}
