//! Points that are drawn on the device.

use super::evaluate::queue_draw;
use super::places::{StepPlaces, words};
use super::prepare::{Prepared, Resident, Step, send_points};
use crate::cuda::CudaError;
use crate::cuda::chunks::Wanted;
use crate::cuda::context::DeviceContext;
use crate::cuda::program::PlanArguments;
use crate::{Points, Recipe, Visits};
use std::sync::Arc;

impl Step {
    /// See [`crate::Kernel::draw`].
    pub(crate) fn draw(
        &mut self,
        context: &mut DeviceContext,
        recipe: &Recipe,
        at: [u64; 2],
    ) -> Result<Vec<Points>, CudaError> {
        let plan = Arc::clone(context.plan());
        let (prepared, arguments) = self.prepare_draw(context, recipe, at)?;
        if let Some(search) = &prepared.search {
            search.queue_count(context, &arguments)?;
        }
        let mut sets: Vec<Points> = plan.terms.iter().map(|term| Points::new(term.row.width())).collect();
        for (chunk, own) in prepared.chunks.iter().enumerate() {
            send_points(context, prepared.arguments.rows, Wanted::Drawn(recipe), own)?;
            queue_draw(context, &prepared, chunk, &arguments)?;
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

    /// See [`crate::Kernel::draw_only`].
    pub(crate) fn draw_only(
        &mut self,
        context: &mut DeviceContext,
        recipe: &Recipe,
        draws: u64,
    ) -> Result<(), CudaError> {
        let (prepared, arguments) = self.prepare_draw(context, recipe, [0, 0])?;
        for index in 0..draws {
            let arguments = PlanArguments { index, interval: 1, ..arguments };
            if let Some(search) = &prepared.search {
                search.queue_count(context, &arguments)?;
            }
            (0..prepared.chunks.len())
                .try_for_each(|chunk| queue_draw(context, &prepared, chunk, &arguments))?;
        }
        self.forget_points();
        // It waits until all of them are there.
        context.memory.fetch(prepared.arguments.progress.cast(), &mut [0.0])
    }

    /// Everything that draws need, from a draw and a step on, whether they are due or not.
    fn prepare_draw(
        &mut self,
        context: &mut DeviceContext,
        recipe: &Recipe,
        [number, step]: [u64; 2],
    ) -> Result<(Prepared, PlanArguments), CudaError> {
        let plan = Arc::clone(context.plan());
        let (wanted, parameters) = (Wanted::Drawn(recipe), vec![0.0; plan.parameter_count()]);
        let mut prepared = self.prepare(
            context,
            (wanted, &plan.weights()),
            Some(&parameters),
            words(&plan, self.clip_words),
        )?;
        let StepPlaces { progress, .. } = StepPlaces::of(context, &prepared.regions, self.clip_words);
        context.memory.send(progress, [0, 0, 0, step, number].into_iter())?;
        prepared.arguments.progress = progress;
        let (seed, renewal) = (recipe.seed, recipe.renewal);
        let arguments = PlanArguments { seed, renewal, always: 1, ..prepared.arguments };
        Ok((prepared, arguments))
    }

    /// Counts candidates of the first step's draw and draws its points, unless they are there.
    pub(super) fn draw_first(
        &mut self,
        context: &DeviceContext,
        prepared: &Prepared,
        visits: Visits<'_>,
    ) -> Result<(), CudaError> {
        let Visits::Drawn { recipe, .. } = visits else { return Ok(()) };
        let (stamp, number) = (recipe.stamp, draw_of(visits));
        let arguments = PlanArguments { always: 1, ..prepared.arguments };
        if let Some(search) = prepared.search.filter(|_| self.counted != Some((stamp, number))) {
            search.queue_count(context, &arguments)?;
            self.counted = Some((stamp, number));
        }
        let there = Resident::Drawn { stamp, number };
        if prepared.chunks.len() == 1 && self.resident != there {
            queue_draw(context, prepared, 0, &arguments)?;
        }
        Ok(())
    }

    /// Remembers the points of the last step.
    pub(super) fn note_drawn(&mut self, prepared: &Prepared, visits: Visits<'_>) {
        let Visits::Drawn { recipe, .. } = visits else { return };
        let (stamp, number) = (recipe.stamp, draw_of(visits));
        self.counted = Some((stamp, number));
        if prepared.chunks.len() == 1 {
            self.resident = Resident::Drawn { stamp, number };
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
