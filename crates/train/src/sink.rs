//! Whoever listens to training.

use crate::stability::{Incidents, Steadiness};
use crate::{Event, Fallback, Snapshot};

/// Someone who listens to training. Called in every step: a slow sink slows training.
pub trait Sink {
    /// Takes note of an event.
    fn event(&mut self, event: &Event);

    /// Whether [`Self::state`] is wanted now, so many seconds into the run; asked between two steps.
    fn wants_state(&mut self, _seconds: f64) -> bool {
        false
    }

    /// Takes note of all that training needs to continue from here: when wanted, and when it ends.
    fn state(&mut self, _state: &Snapshot) {}

    /// Takes note of a state that no step can be taken from: its loss or the gradient is not finite.
    fn refused(&mut self, _state: &Snapshot) {}

    /// Takes note of a state where something went wrong, before anything is done about it: the proof.
    fn troubled(&mut self, _state: &Snapshot) {}

    /// Whether the error is worth measuring now and then, in two per cent of the time. It has no
    /// influence on training.
    fn wants_error(&self) -> bool {
        false
    }

    /// What this sink has to tell the others, such as that a disk is full; asked until there is nothing left.
    fn answer(&mut self) -> Option<Event> {
        None
    }
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Sink for Quiet {
    fn event(&mut self, _event: &Event) {}
}

/// Several sinks as one: each hears everything, in order, and what others answer.
pub struct Fan<'sinks>(Vec<&'sinks mut dyn Sink>);

impl<'sinks> Fan<'sinks> {
    /// Of these sinks.
    pub fn new(sinks: Vec<&'sinks mut dyn Sink>) -> Self {
        Fan(sinks)
    }

    fn pass_on_answers(&mut self) {
        for number in 0..self.0.len() {
            while let Some(answer) = self.0[number].answer() {
                let others = self.0.iter_mut().enumerate().filter(|(other, _)| *other != number);
                others.for_each(|(_, sink)| sink.event(&answer));
            }
        }
    }
}

impl Sink for Fan<'_> {
    fn event(&mut self, event: &Event) {
        self.0.iter_mut().for_each(|sink| sink.event(event));
        self.pass_on_answers();
    }

    fn wants_state(&mut self, seconds: f64) -> bool {
        // All are asked: one that counts its calls must not miss any.
        let wanted: Vec<bool> = self.0.iter_mut().map(|sink| sink.wants_state(seconds)).collect();
        wanted.contains(&true)
    }

    fn state(&mut self, state: &Snapshot) {
        self.0.iter_mut().for_each(|sink| sink.state(state));
        self.pass_on_answers();
    }

    fn refused(&mut self, state: &Snapshot) {
        self.0.iter_mut().for_each(|sink| sink.refused(state));
        self.pass_on_answers();
    }

    fn troubled(&mut self, state: &Snapshot) {
        self.0.iter_mut().for_each(|sink| sink.troubled(state));
        self.pass_on_answers();
    }

    fn wants_error(&self) -> bool {
        self.0.iter().any(|sink| sink.wants_error())
    }
}

/// Passes events on, those about a slower way whose cause was told before excepted; counts what went wrong.
pub struct Once<'sink> {
    sink: &'sink mut dyn Sink,
    told: Vec<Fallback>,
    incidents: Incidents,
    steadiness: Option<Steadiness>,
}

impl<'sink> Once<'sink> {
    /// In front of a sink.
    pub fn new(sink: &'sink mut dyn Sink) -> Self {
        Once { sink, told: Vec::new(), incidents: Incidents::default(), steadiness: None }
    }

    /// What was told.
    pub fn told(&self) -> Vec<Fallback> {
        self.told.clone()
    }

    /// What went wrong.
    pub fn incidents(&self) -> Incidents {
        self.incidents
    }

    /// How steady training was at its last step, where that was told.
    pub fn steadiness(&self) -> Option<Steadiness> {
        self.steadiness
    }
}

impl Sink for Once<'_> {
    fn event(&mut self, event: &Event) {
        if let Event::Fallback(fallback) = event {
            if self.told.iter().any(|told| told.cause == fallback.cause) {
                return;
            }
            self.told.push(fallback.clone());
        }
        if let Event::Incident(incident) = event {
            self.incidents.note(incident);
        }
        if let Event::Step(taken) = event {
            self.steadiness = taken.steadiness;
        }
        self.sink.event(event);
    }

    fn wants_state(&mut self, seconds: f64) -> bool {
        self.sink.wants_state(seconds)
    }

    fn state(&mut self, state: &Snapshot) {
        self.sink.state(state);
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

    #[derive(Default)]
    struct Heard {
        events: Vec<Event>,
        answer: Option<Event>,
    }

    impl Sink for Heard {
        fn event(&mut self, event: &Event) {
            self.events.push(event.clone());
        }

        fn answer(&mut self) -> Option<Event> {
            self.answer.take()
        }
    }

    fn fallback(cause: &str, why: &str) -> Fallback {
        Fallback { cause: cause.to_owned(), what: "slower".to_owned(), why: why.to_owned() }
    }

    #[test]
    fn a_cause_is_told_once() {
        let mut heard = Heard::default();
        let mut once = Once::new(&mut heard);
        let all = [
            fallback("equations", "5"),
            fallback("equations", "7"),
            fallback("layers", ""),
            fallback("equations", "5"),
        ];
        all.iter().for_each(|fallback| once.event(&Event::Fallback(fallback.clone())));
        assert_eq!(once.told(), [all[0].clone(), all[2].clone()]);
        assert_eq!(heard.events.len(), 2);
    }

    #[test]
    fn all_sinks_hear_all_events_and_what_one_of_them_answers_reaches_the_others() {
        let trouble = Event::NotSaved { error: "the disk is full".to_owned() };
        let (mut first, mut second) =
            (Heard::default(), Heard { answer: Some(trouble.clone()), ..Heard::default() });
        let started = Event::Started { parameters: 3, phases: 1, steps: 0 };
        Fan::new(vec![&mut first, &mut second]).event(&started);
        assert_eq!(first.events, [started.clone(), trouble]);
        assert_eq!(second.events, [started]);
    }
}
