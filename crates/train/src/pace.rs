//! Whether training still gets somewhere.

/// Steps whose losses are compared with those of as many before.
const WINDOW: u64 = 20;

/// The fall of the logarithm of the loss over a window below which it is slow: 1.5 % a step.
const SLOW: f64 = 0.3;

/// The same below which it is flat: half a per cent a step.
const FLAT: f64 = 0.1;

/// Flat windows in a row after which going on is not worth it.
const MOST_FLAT: u64 = 3;

/// How fast losses fall.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pace {
    /// Of the logarithms of losses in the window at hand.
    pub sum: f64,
    /// How many they are.
    pub count: u64,
    /// The mean of the window before; infinite where there is none.
    pub before: f64,
    /// Flat windows in a row.
    pub flat: u64,
}

impl Pace {
    /// Before the first step.
    pub const START: Pace = Pace { sum: 0.0, count: 0, before: f64::INFINITY, flat: 0 };

    /// Takes note of a loss; whether a window ended with it that was slow.
    pub fn note(&mut self, loss: f64) -> bool {
        self.sum += loss.max(f64::MIN_POSITIVE).ln();
        self.count += 1;
        if self.count < WINDOW {
            return false;
        }
        let mean = self.sum / self.count as f64;
        let fall = self.before - mean;
        let flat = if fall < FLAT { self.flat + 1 } else { 0 };
        *self = Pace { sum: 0.0, count: 0, before: mean, flat };
        fall < SLOW
    }

    /// Whether going on is not worth it.
    pub fn is_over(self) -> bool {
        self.flat >= MOST_FLAT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows that end slow, and whether training is over after them, for losses that fall by a factor a step.
    fn after(windows: u64, factor: f64) -> (usize, bool) {
        let mut pace = Pace::START;
        let losses = (0..windows * WINDOW).map(|step| factor.powi(step as i32));
        (losses.filter(|&loss| pace.note(loss)).count(), pace.is_over())
    }

    #[test]
    fn losses_that_fall_go_on_and_losses_that_do_not_end() {
        assert_eq!(after(20, 0.95), (0, false));
        // The first window has none to be compared with.
        assert_eq!(after(20, 0.99), (19, false));
        assert_eq!(after(4, 0.999), (3, true));
        assert_eq!(after(3, 1.0), (2, false));
        assert_eq!(after(4, 1.01), (3, true));
    }
}
