//! How losses went: where they began, how low they came, where they are.
//!
//! Losses are compared within one time window. Where weights change, what follows is another loss: the two are
//! linked by taking the next loss for the last one in other units. While early times come first, losses rise because
//! more of time is seen, which is no failure.

use std::fmt;

/// A loss so many times above where training began is that of a run that went wrong. No method that works raises it so
/// far; steps that are too long raise it by powers of ten.
const FAR_ABOVE_START: f64 = 100.0;

/// A loss so many times above the lowest one is worth a word. Steps of a constant length raise it by ten or a hundred now and
/// then.
const FAR_ABOVE_LOWEST: f64 = 1000.0;

/// Losses below are rounding: whether they rise or fall says nothing.
const LEAST: f64 = 1e-20;

/// How losses went in the window at hand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Descent {
    /// The loss before the first step; in multiples of the next loss where `last` is zero.
    pub first: f64,
    /// The lowest loss; in multiples of the next loss where `last` is zero.
    pub lowest: f64,
    /// The loss before the last step; zero where there is none, or the next one has other weights.
    pub last: f64,
    /// The loss at the end, where training has ended.
    pub end: Option<f64>,
}

/// What is wrong with a loss.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Concern {
    /// It is far above where training began.
    Diverged {
        /// The loss.
        loss: f64,
        /// Where it began, in the same weights.
        first: f64,
    },
    /// It is far above the lowest one.
    Risen {
        /// The loss.
        loss: f64,
        /// The lowest.
        lowest: f64,
    },
}

impl Descent {
    /// Before the first step.
    pub const START: Descent = Descent { first: 1.0, lowest: 1.0, last: 0.0, end: None };

    /// Takes note of the loss before a step.
    pub fn note(&mut self, loss: f64) {
        // Not `max`, which would take what is no number for the least.
        let loss = if loss < LEAST { LEAST } else { loss };
        if self.last == 0.0 {
            self.first *= loss;
            self.lowest *= loss;
        }
        self.last = loss;
        self.lowest = self.lowest.min(loss);
    }

    /// The next loss has other weights.
    pub fn link(&mut self) {
        if self.last > 0.0 {
            self.first /= self.last;
            self.lowest /= self.last;
            self.last = 0.0;
        }
    }

    /// The last loss saw less of time than the next one will.
    pub fn widen(&mut self) {
        self.first = self.first.max(self.last);
        self.lowest = self.last;
    }

    /// The newest loss in multiples of the first.
    pub fn relative(&self) -> f64 {
        if self.last == 0.0 { self.first.recip() } else { self.end.unwrap_or(self.last) / self.first }
    }

    /// Whether the loss is far above where training began.
    pub fn has_diverged(&self) -> bool {
        let relative = self.relative();
        relative.is_nan() || relative > FAR_ABOVE_START
    }

    /// What is wrong with the newest loss, if anything.
    pub fn concern(&self) -> Option<Concern> {
        let loss = self.end.unwrap_or(self.last);
        if self.has_diverged() {
            return Some(Concern::Diverged { loss, first: loss / self.relative() });
        }
        let risen = self.last > 0.0 && loss > FAR_ABOVE_LOWEST * self.lowest;
        risen.then_some(Concern::Risen { loss, lowest: self.lowest })
    }
}

impl Concern {
    /// As people read it, of the loss after so many steps.
    pub fn after(&self, step: u64) -> String {
        self.sentence(&format!("after step {step} the loss"))
    }

    fn sentence(&self, subject: &str) -> String {
        match self {
            Concern::Diverged { loss, first } => {
                format!("training diverged: {subject} is {loss:.1e}, initially it was {first:.1e}")
            }
            Concern::Risen { loss, lowest } => {
                format!("{subject} is {loss:.1e}, its lowest value was {lowest:.1e}")
            }
        }
    }
}

impl fmt::Display for Concern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.sentence("the loss"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(losses: &[f64]) -> Descent {
        let mut descent = Descent::START;
        losses.iter().for_each(|&loss| descent.note(loss));
        descent
    }

    #[test]
    fn losses_far_above_the_start_or_the_lowest_are_told_and_others_are_not() {
        assert_eq!(Descent::START.concern(), None);
        assert_eq!(after(&[2.0, 150.0]).concern(), None);
        assert_eq!(after(&[2.0, 400.0]).concern(), Some(Concern::Diverged { loss: 400.0, first: 2.0 }));
        assert_eq!(after(&[2.0, 1e-6, 1e-4]).concern(), None);
        assert_eq!(after(&[2.0, 1e-6, 1e-2]).concern(), Some(Concern::Risen { loss: 1e-2, lowest: 1e-6 }));
        let ended = Descent { end: Some(4e20), ..after(&[2.0, 1.0]) };
        assert_eq!(ended.concern(), Some(Concern::Diverged { loss: 4e20, first: 2.0 }));
        assert!(Descent { end: Some(f64::NAN), ..after(&[2.0, 1.0]) }.has_diverged());
    }

    #[test]
    fn a_step_is_that_of_the_loss_and_not_of_what_it_is_compared_with() {
        let diverged = Concern::Diverged { loss: 4e5, first: 0.24 };
        let said = "training diverged: after step 300 the loss is 4.0e5, initially it was 2.4e-1";
        assert_eq!(diverged.after(300), said);
        let risen = Concern::Risen { loss: 1.6e-3, lowest: 1.5e-6 };
        assert_eq!(risen.after(75), "after step 75 the loss is 1.6e-3, its lowest value was 1.5e-6");
    }

    #[test]
    fn other_weights_do_not_hide_that_losses_rose() {
        let mut descent = after(&[1.0, 1024.0]);
        descent.link();
        assert!(descent.has_diverged());
        descent.note(4.0);
        assert_eq!((descent.first, descent.relative()), (4.0 / 1024.0, 1024.0));
        let mut good = after(&[1.0, 0.25]);
        good.link();
        good.note(1e6);
        assert_eq!((good.first, good.concern()), (4e6, None));
    }

    #[test]
    fn what_is_found_without_an_error_may_be_lost_to_rounding() {
        assert_eq!(after(&[0.0, 1e-25, 1e-19]).concern(), None);
    }

    #[test]
    fn losses_that_rise_because_more_of_time_is_seen_are_no_failure() {
        let mut descent = Descent::START;
        for loss in [1.0, 10.0, 1e3, 1e5] {
            descent.note(loss);
            descent.widen();
        }
        assert_eq!(descent.concern(), None);
    }
}
