//! What training passed through: solutions from the way to the last one, as many from late as from early steps.

use std::collections::BTreeMap;
use train::{Event, Sink, Snapshot};

/// Solutions of a stage that are kept, at most; twice as many steps make half of them go.
const KEPT: usize = 16;

/// How far off a part of the way may be: of a few steps, none has just that part.
const FAR_OFF: f64 = 0.15;

/// Listens beside another sink and keeps some of the states that training passes through. Which, is decided by counted steps; the other
/// sink sees nothing of it.
pub(crate) struct Trail<'sink> {
    sink: &'sink mut dyn Sink,
    stages: BTreeMap<usize, StageTrail>,
    /// The stage of the last step.
    stage: usize,
    /// Whether the state that was asked for last is wanted here, and there.
    wanted: [bool; 2],
}

/// Of one stage.
#[derive(Default)]
struct StageTrail {
    /// Steps taken in it.
    steps: u64,
    /// Between two that are kept.
    interval: u64,
    /// After how many steps, the parameters.
    kept: Vec<(u64, Vec<f64>)>,
}

impl StageTrail {
    fn is_due(&self) -> bool {
        let last = self.kept.last().map_or(0, |(step, _)| *step);
        self.steps >= last + self.interval.max(1)
    }

    fn keep(&mut self, parameters: &[f64]) {
        self.kept.push((self.steps, parameters.to_vec()));
        if self.kept.len() > KEPT {
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.interval = 2 * self.interval.max(1);
        }
    }

    /// The parameters after a part of its steps, with that part as it is; `None` where nothing near it was kept.
    fn at(&self, part: f64) -> Option<(f64, &[f64])> {
        let wanted = part * self.steps as f64;
        let distance = |step: u64| (step as f64 - wanted).abs();
        let kept = self.kept.iter().filter(|(step, _)| *step < self.steps);
        let (step, parameters) =
            kept.min_by(|(one, _), (other, _)| distance(*one).total_cmp(&distance(*other)))?;
        let found = *step as f64 / self.steps as f64;
        ((found - part).abs() <= FAR_OFF).then_some((found, parameters.as_slice()))
    }
}

impl<'sink> Trail<'sink> {
    /// Beside a sink.
    pub(crate) fn new(sink: &'sink mut dyn Sink) -> Self {
        Trail { sink, stages: BTreeMap::new(), stage: 0, wanted: [false; 2] }
    }

    /// Steps that were heard of.
    pub(crate) fn steps(&self) -> u64 {
        self.stages.values().map(|stage| stage.steps).sum()
    }

    /// The solution of every stage after about a part of its steps, one after the other, and the part of all of them; stages that were finished
    /// before have the parameters of the `last` solution. `None` where some stage has kept nothing near that part.
    pub(crate) fn at(&self, part: f64, last: &[Vec<f64>]) -> Option<(f64, Vec<f64>)> {
        let mut solution = Vec::new();
        let mut parts = Vec::new();
        for (number, parameters) in last.iter().enumerate() {
            match self.stages.get(&number) {
                Some(stage) => {
                    let (found, kept) = stage.at(part)?;
                    parts.push(found);
                    solution.extend_from_slice(kept);
                }
                None => solution.extend_from_slice(parameters),
            }
        }
        let count = parts.len();
        (count > 0).then(|| (parts.iter().sum::<f64>() / count as f64, solution))
    }
}

impl Sink for Trail<'_> {
    fn event(&mut self, event: &Event) {
        if let Event::Step(taken) = event {
            self.stage = taken.stage;
            self.stages.entry(taken.stage).or_default().steps += 1;
        }
        self.sink.event(event);
    }

    fn wants_state(&mut self, seconds: f64) -> bool {
        let own = self.stages.get(&self.stage).is_some_and(StageTrail::is_due);
        self.wanted = [own, self.sink.wants_state(seconds)];
        self.wanted.contains(&true)
    }

    fn state(&mut self, state: &Snapshot) {
        let [own, other] = std::mem::take(&mut self.wanted);
        if own
            && state.stopped.is_none()
            && let Some(stage) = self.stages.get_mut(&state.finished.len())
        {
            stage.keep(&state.parameters);
        }
        // Ends, and starts of phases, are told without being asked for.
        if other || !own || state.stopped.is_some() || state.phase_step == 0 {
            self.sink.state(state);
        }
    }

    fn refused(&mut self, state: &Snapshot) {
        self.sink.refused(state);
    }

    fn troubled(&mut self, state: &Snapshot) {
        self.sink.troubled(state);
    }

    fn wants_error(&self) -> bool {
        self.sink.wants_error()
    }

    fn answer(&mut self) -> Option<Event> {
        self.sink.answer()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use train::{Quiet, StepTaken};

    #[derive(Default)]
    struct Counting {
        states: usize,
    }

    impl Sink for Counting {
        fn event(&mut self, _event: &Event) {}

        fn state(&mut self, _state: &Snapshot) {
            self.states += 1;
        }
    }

    fn walk(trail: &mut Trail<'_>, steps: u64) {
        for step in 1..=steps {
            trail.event(&Event::Step(StepTaken { step, ..StepTaken::default() }));
            if trail.wants_state(0.0) {
                let state = Snapshot { phase_step: step, ..Snapshot::start(vec![step as f64]) };
                trail.state(&state);
            }
        }
    }

    #[test]
    fn parts_of_a_long_way_are_found_and_memory_stays_bounded() {
        let mut quiet = Quiet;
        let mut trail = Trail::new(&mut quiet);
        walk(&mut trail, 1000);
        assert!(trail.stages[&0].kept.len() <= KEPT);
        for part in [0.125, 0.25, 0.5, 0.75] {
            let (found, solution) = trail.at(part, &[vec![1000.0]]).expect("it was kept");
            assert!((found - part).abs() < 0.07, "{found} for {part}");
            assert_eq!(solution, [(found * 1000.0).round()]);
        }
        assert_eq!(trail.steps(), 1000);
        let mut few = Trail::new(&mut quiet);
        walk(&mut few, 2);
        assert!(few.at(0.5, &[vec![2.0]]).is_some() && few.at(0.25, &[vec![2.0]]).is_none());
    }

    #[test]
    fn the_other_sink_sees_ends_and_nothing_that_it_did_not_ask_for() {
        let mut counting = Counting::default();
        let mut trail = Trail::new(&mut counting);
        walk(&mut trail, 50);
        // Asked for, and not taken: training ended meanwhile.
        trail.wanted = [true, false];
        trail.state(&Snapshot { stopped: Some(train::Stopped::Steps), ..Snapshot::start(vec![0.0]) });
        drop(trail);
        assert_eq!(counting.states, 1);
    }
}
