//! Tells of slower ways once.

use super::{Event, Sink, Snapshot};
use crate::Fallback;

/// Passes events on, those about a cause that was told before excepted.
pub(crate) struct Once<'sink> {
    sink: &'sink mut dyn Sink,
    told: Vec<Fallback>,
}

impl<'sink> Once<'sink> {
    pub(crate) fn new(sink: &'sink mut dyn Sink) -> Self {
        Once { sink, told: Vec::new() }
    }

    /// What was told.
    pub(crate) fn told(&self) -> Vec<Fallback> {
        self.told.clone()
    }
}

impl Sink for Once<'_> {
    fn event(&mut self, event: &Event<'_>) {
        if let Event::Fallback { fallback } = event {
            if self.told.iter().any(|told| told.is_like(fallback)) {
                return;
            }
            self.told.push((*fallback).clone());
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

    fn wants_error(&self) -> bool {
        self.sink.wants_error()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::cuda::Unfused;

    #[test]
    fn a_cause_is_told_once() {
        struct Count(usize);
        impl Sink for Count {
            fn event(&mut self, _event: &Event<'_>) {
                self.0 += 1;
            }
        }
        let mut count = Count(0);
        let mut once = Once::new(&mut count);
        let all = [
            Fallback::Shortage(train::Shortage::Equations { bytes: 5 }),
            Fallback::Shortage(train::Shortage::Equations { bytes: 7 }),
            Fallback::Layers { obstacle: Unfused::Network },
            Fallback::Shortage(train::Shortage::Equations { bytes: 5 }),
        ];
        all.iter().for_each(|fallback| once.event(&Event::Fallback { fallback }));
        assert_eq!(once.told(), [all[0].clone(), all[2].clone()]);
        assert_eq!(count.0, 2);
    }
}
