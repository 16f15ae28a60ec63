//! Steps that visit a part of the points inside, or of the rows of a data table: every one of them once in an epoch, in an order that
//! is another one in each. Points that follow from their number are drawn when they are needed, and rows of large tables are read
//! then: what a batch takes is memory for a few batches.
//!
//! `shuffle` (the orders), `source` (where points come from), `pipeline` (threads that find the next batches).

mod pipeline;
mod shuffle;
mod source;

pub(crate) use pipeline::ahead;
pub(crate) use source::PIECE;

use super::series::drawn_before;
use super::task::Equations;
use crate::TrainError;
use crate::sample::Draw;
use equation::problem::Problem;
use equation::taylor::{Plan, Source};
use kernel::{EpochOrder, Points, Sums};
use pipeline::{BatchWork, Pipeline, StepPoints};
use serde_json::json;
use source::Batched;
use std::sync::Arc;
use std::time::Instant;
use train::{Event, Hardware, LeastSquares, Losses, Note, Refusal, Sink, Snapshot};

/// What steps of a phase visit in batches.
#[derive(Debug, Default)]
pub(super) struct Feed {
    /// What is found by its number, step by step.
    found: Option<Found>,
    /// The points of a step to come, where they were found before it: a device copies them beside the step before.
    pub(super) next: Option<(u64, StepPoints)>,
    /// The points that have moved, out of which batches are taken.
    held: Option<Batched>,
    /// Seconds that steps have waited for points, and the last of them.
    pub(super) waited: f64,
    pub(super) last: Option<f64>,
    /// Whether it was told what is visited in batches.
    told: bool,
    /// The number of the last batch.
    pub(super) last_taken: u64,
}

#[derive(Debug)]
struct Found {
    work: Arc<BatchWork>,
    pipeline: Option<Pipeline>,
}

/// Threads that find points, where nobody says how many: beside a processor that takes the steps one is enough, a device waits for more.
pub(crate) fn usual_workers(hardware: Hardware) -> usize {
    /// So many find about 20 million points a second, which is what a large device takes of a small network.
    const MOST: usize = 12;
    match hardware {
        Hardware::Cpu => 1,
        Hardware::Accelerator => rayon::current_num_threads().saturating_sub(1).clamp(1, MOST),
    }
}

/// Some of the points of a draw that is visited in batches, in a shuffled order; `None` where they are few enough to have them all.
pub(crate) fn some_of(
    problem: &Problem,
    (plan, number): (&Plan, usize),
    size: usize,
    draw: Draw,
) -> Option<Result<Points, TrainError>> {
    let all = Batched::drawn(problem, number, size, draw, None);
    all.part_looked_at().map(|_| all.piece(problem, &plan.terms[number], draw.number, 0))
}

impl Feed {
    /// Forgets what was told of the phase before.
    pub(super) fn begin_phase(&mut self) {
        (self.told, self.last) = (false, None);
    }

    /// Makes threads look for so many batches ahead at most.
    pub(super) fn set_ahead(&self, ahead: u64) {
        let pipeline = self.found.as_ref().and_then(|found| found.pipeline.as_ref());
        pipeline.iter().for_each(|pipeline| pipeline.set_ahead(ahead));
    }

    /// Whether there is anything to wait for.
    pub(super) fn any(&self) -> bool {
        self.found.is_some()
    }

    /// The points of a step, as soon as they are found; how long that takes is counted.
    pub(super) fn take(&mut self, step: u64) -> Result<StepPoints, TrainError> {
        if let Some((number, sets)) = self.next.take()
            && number == step
        {
            return Ok(sets);
        }
        let Some(Found { work, pipeline }) = &self.found else { return Ok(Vec::new()) };
        let before = Instant::now();
        let found = match pipeline {
            Some(pipeline) => pipeline.take(step),
            None => work.of_step(step),
        };
        let seconds = before.elapsed().as_secs_f64();
        self.waited += seconds;
        self.last = Some(self.last.unwrap_or(0.0) + seconds);
        found
    }
}

impl Equations<'_> {
    /// Which term has the points inside, and how many of them a step visits, where it is not all.
    fn batched(&self) -> Option<(usize, usize)> {
        let inside = self.plan.terms.iter().position(|term| term.source == Source::Interior)?;
        Some((inside, self.settings().visited()?))
    }

    /// Whether points inside are drawn batch by batch: nobody has all of them.
    pub(super) fn draws_batches(&self) -> bool {
        let moves = self.settings().sampling.adaptive.moves();
        self.batched().is_some_and(|(_, size)| size < self.state.interior) && !moves
    }

    /// Whether steps visit anything in batches.
    pub(super) fn visits_batches(&self) -> bool {
        self.settings().in_batches() || self.problem.data.iter().any(|data| data.batch.is_some())
    }

    /// Takes the objective's points for those of which steps visit batches, where points move.
    pub(super) fn keep_all(&mut self) {
        let moves = self.settings().sampling.adaptive.moves();
        let own = self.batched().filter(|_| moves && self.kept.is_none());
        self.all = own.map(|(number, _)| Arc::new(self.objective.points()[number].clone()));
        self.feed.held = match (&self.all, own) {
            (Some(all), Some((number, size))) if size < all.len() => {
                Some(Batched::held(self.problem.training.seed, number, size, Arc::clone(all)))
            }
            _ => None,
        };
    }

    /// All points of a term, of which the objective may have a batch.
    pub(super) fn all_points(&self, number: usize) -> &Points {
        match (&self.all, self.batched()) {
            (Some(all), Some((batched, _))) if batched == number => all,
            _ => &self.objective.points()[number],
        }
    }

    /// How many batches are found before they are wanted, where memory has room.
    pub(super) fn ahead_of_batches(&self) -> u64 {
        self.prefetch.map_or_else(|| ahead(self.workers), |batches| batches as u64)
    }

    /// Refuses to go on with other tables than those that training began with: what stays in its file is not kept with a run.
    pub(super) fn check_tables(&mut self) -> Result<(), TrainError> {
        let tables: Vec<_> =
            (0..self.problem.data.len()).filter_map(|index| self.tables.stored(index)).collect();
        let marks: Vec<u64> = tables.iter().map(|table| table.mark()).collect();
        let before = std::mem::replace(&mut self.state.tables, marks.clone());
        let other = before.iter().zip(&marks).position(|(before, now)| before != now);
        match other.and_then(|position| tables.get(position)) {
            Some(table) => Err(TrainError::OtherTable { path: table.path().to_owned() }),
            None => Ok(()),
        }
    }

    /// The points inside, where they are drawn batch by batch in a phase that was entered at a step.
    fn drawn_in_batches(&self, step: u64) -> Option<Batched> {
        let (number, size) = self.batched().filter(|_| self.draws_batches())?;
        let settings = self.settings();
        let first = self.state.draw.saturating_sub(drawn_before(settings, step));
        let draw = Draw { interior: self.state.interior, ..settings.draw(self.problem, first) };
        Some(Batched::drawn(self.problem, number, size, draw, settings.resample))
    }

    /// Which term's points are drawn batch by batch, and the order in which steps visit them.
    pub(super) fn order_of_batches(&self) -> Option<(usize, EpochOrder)> {
        let own = self.drawn_in_batches(0)?;
        Some((own.number, own.order()?))
    }

    /// Begins to look for the batches of a phase that was entered at a step, whose points the objective has.
    pub(super) fn begin_batches(&mut self, step: u64) {
        let settings = self.settings();
        let (seed, accumulate) = (self.problem.training.seed, settings.accumulate);
        let mut batched: Vec<Batched> = self.drawn_in_batches(step).into_iter().collect();
        if let (Some((number, size)), Some(kept)) = (self.batched(), &self.kept) {
            batched.push(Batched::kept(seed, number, size, Arc::clone(kept)));
        }
        for (number, term) in self.plan.terms.iter().enumerate() {
            let Source::Data(index) = term.source else { continue };
            let Some(size) = self.problem.data[index].batch.map(|batch| batch.saturating_mul(accumulate))
            else {
                continue;
            };
            let rows = &self.objective.points()[number];
            if let Some(table) = self.tables.stored(index) {
                batched.push(Batched::stored(seed, number, size, (Arc::clone(table), index)));
            } else if size < rows.len() {
                batched.push(Batched::held(seed, number, size, Arc::new(rows.clone())));
            }
        }
        let batched: Vec<Batched> = batched.into_iter().map(|own| own.in_parts(accumulate)).collect();
        let work = (!batched.is_empty())
            .then(|| Arc::new(BatchWork::new(self.problem, self.plan, batched, accumulate)));
        // A device that draws them needs nobody to look.
        let workers = if self.draws_in_order() { 0 } else { self.workers };
        let ahead = if self.is_tight() { 1 } else { self.ahead_of_batches() };
        self.feed.found = work.map(|work| {
            let pipeline = (workers > 0 && work.takes_time())
                .then(|| Pipeline::start(Arc::clone(&work), (workers, ahead), step));
            Found { work, pipeline }
        });
        // Of the points before.
        self.feed.next = None;
    }

    /// Whether a device copies the points of the next step while one is under way: threads find them, and they follow from nothing but
    /// their number.
    pub(super) fn looks_ahead(&self) -> bool {
        let found = self.feed.found.as_ref().is_some_and(|found| found.pipeline.is_some());
        found && self.ahead.is_some() && self.feed.held.is_none() && !self.settings().sampling.causal
    }

    /// Which batch a step visits: those that no step was taken with do not come again in its place.
    pub(super) fn batch_number(&self, now: &Snapshot) -> u64 {
        now.phase_step + self.state.passed_over
    }

    /// The losses over the first batch, from the last one on, where they are finite; those of the last that was looked at, where none are.
    pub(super) fn losses_over_a_batch(&mut self, parameters: &[f64]) -> Result<Losses, Refusal> {
        let (last, tries) = (self.feed.last_taken, self.settings().guard.tries);
        for number in last..last + tries {
            self.next_batch(number).map_err(|error| Refusal::Device(Arc::new(error)))?;
            if let Ok(losses) = LeastSquares::losses(self.objective, parameters) {
                return Ok(losses.clone());
            }
        }
        LeastSquares::losses(self.objective, parameters).cloned()
    }

    /// Gives the objective the batches of a step of the phase; whether there are any.
    pub(super) fn next_batch(&mut self, step: u64) -> Result<bool, TrainError> {
        self.feed.last_taken = step;
        let mut sets = self.feed.take(step)?;
        sets.iter_mut().for_each(|(number, points)| self.confine(*number, points));
        if let Some(own) = &self.feed.held {
            sets.push((own.number, own.batch(self.problem, &self.plan.terms[own.number], step)?));
        }
        if sets.is_empty() {
            return Ok(false);
        }
        self.objective.set_points_of(sets);
        Ok(true)
    }

    /// Gives the objective all points that there are in memory. Nobody looks for batches any more.
    pub(super) fn end_batches(&mut self) {
        if let Some(found) = &mut self.feed.found {
            found.pipeline = None;
        }
        self.feed.next = None;
        if let (Some((number, _)), Some(all)) = (self.batched(), &self.all) {
            self.objective.set_points_of(Vec::from([(number, Points::clone(all))]));
        }
    }

    /// Tells what steps visit in batches, once for a phase.
    pub(super) fn announce_batches(&mut self, sink: &mut dyn Sink) {
        let Some(Found { work, pipeline }) = self.feed.found.as_ref().filter(|_| !self.feed.told) else {
            return;
        };
        let on_device = self.draws_in_order();
        let workers = pipeline.as_ref().map_or(0, Pipeline::workers);
        let ahead = pipeline.as_ref().map_or(0, Pipeline::ahead);
        let accumulate = self.settings().accumulate;
        let what = if accumulate > 1 { "batches" } else { "steps" };
        let who = match workers {
            0 if on_device => " (by the device)".to_owned(),
            0 => String::new(),
            1 => format!(" (by 1 worker, up to {ahead} {what} ahead)"),
            _ => format!(" (by {workers} workers, up to {ahead} {what} ahead)"),
        };
        let line = |own: &Batched| {
            let (name, how) = (&self.plan.terms[own.number].name, own.told());
            let part =
                own.part_looked_at().map(|part| format!("; the loss at the end is over {part} of them"));
            let (size, count) = (own.part().min(own.count), own.count);
            let sum = if accumulate > 1 {
                format!(", {accumulate} of which a step adds up")
            } else {
                String::new()
            };
            format!(
                "{name}: batches of {size} of {count} points{sum}, {how}{who}{}",
                part.unwrap_or_default()
            )
        };
        let lines = work.batched().map(line).collect();
        let part = |own: &Batched| json!({ "term": self.plan.terms[own.number].name, "batch": own.part(), "accumulate": accumulate, "points": own.count });
        let parts: Vec<_> = work.batched().map(part).collect();
        let data = json!({ "workers": workers, "ahead": ahead, "on_device": on_device, "parts": parts });
        sink.event(&Event::Note(Note { kind: "batches".to_owned(), lines, data }));
        self.feed.told = true;
    }

    /// The losses over all points of a phase that was left, piece by piece where nobody has all of them.
    pub(super) fn losses_over_all(&mut self, parameters: &[f64]) -> Result<Losses, Refusal> {
        let Some(Found { work, .. }) = &self.feed.found else {
            return LeastSquares::losses(self.objective, parameters).cloned();
        };
        let work = Arc::clone(work);
        let pieces = work.batched().map(Batched::pieces).max().unwrap_or(0);
        let mut all: Option<Sums> = None;
        for number in 0..pieces.max(1) {
            let piece = work.piece(self.state.draw, number);
            let mut sets = piece.map_err(|error| Refusal::Device(Arc::new(error)))?;
            sets.iter_mut().for_each(|(number, points)| self.confine(*number, points));
            if number == 1 {
                // All others were looked at with the first piece.
                let is_other = |term: &usize| work.batched().all(|own| own.number != *term);
                let others = (0..self.plan.terms.len()).filter(is_other);
                sets.extend(others.map(|term| (term, Points::new(self.plan.terms[term].row.width()))));
            }
            self.objective.set_points_of(sets);
            let sums = self.objective.sums(parameters)?;
            match &mut all {
                None => all = Some(sums),
                Some(all) => {
                    all.squares.iter_mut().zip(sums.squares).for_each(|(all, more)| *all += more);
                    all.counts.iter_mut().zip(sums.counts).for_each(|(all, more)| *all += more);
                }
            }
        }
        match all {
            Some(all) => self.objective.losses_of(&all),
            None => LeastSquares::losses(self.objective, parameters).cloned(),
        }
    }
}
