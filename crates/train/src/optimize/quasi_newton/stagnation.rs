//! When a method has come to its end.

/// Steps in which the loss must fall, or else the memory is thrown away; after as many more steps
/// without it the method is at its end.
const PATIENCE: u32 = 200;

/// How far it must fall in them, as a share of the noise of one loss: a trend over many steps shows
/// through noise that hides a single one.
const LEAST_FALL: f64 = 1.0 / 32.0;

/// Whether the loss still falls by more than its noise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stagnation {
    pub(super) best: f64,
    pub(super) steps: u32,
    pub(super) renewed: bool,
}

impl Stagnation {
    pub(super) fn new() -> Self {
        Stagnation { best: f64::INFINITY, steps: 0, renewed: false }
    }

    pub(super) fn note(&mut self, loss: f64, noise: f64) {
        if loss < self.best - LEAST_FALL * noise {
            *self = Stagnation { best: loss, ..Stagnation::new() };
        } else {
            self.steps += 1;
        }
    }

    pub(super) fn advice(&mut self) -> Advice {
        match (self.steps >= PATIENCE, self.renewed) {
            (false, _) => Advice::Wait,
            (true, false) => {
                *self = Stagnation { steps: 0, renewed: true, ..*self };
                Advice::StartAfresh
            }
            (true, true) => Advice::GiveUp,
        }
    }
}

/// What becomes of a search whose loss does not fall.
pub(super) enum Advice {
    Wait,
    StartAfresh,
    GiveUp,
}
