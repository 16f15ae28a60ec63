//! How well the points of steps stand for all others.
//!
//! With fewer rows than parameters there is always a step after which next to nothing is left at its own points, and the
//! smaller the damping, the less: the loss there does not tell when damping is too small. Fresh points do.

/// Losses at fresh points, in multiples of those left at the points before, above which steps are damped more.
const MOST: f64 = 1.7;

/// Losses at fresh points, in multiples of those before the last step, above which that step was too long.
const MOST_RISE: f64 = 1.3;

/// How much of the mean each step renews.
const RENEWAL: f64 = 0.5;

/// What is left after steps, against what is found at fresh points.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Overfit {
    /// The loss before the last step, at its own points; zero where there is none.
    pub(super) before: f64,
    /// The loss that it left there; zero where there is none.
    pub(super) after: f64,
    /// The mean of the logarithms of losses at fresh points in multiples of that.
    pub(super) mean: f64,
}

impl Overfit {
    /// After the loss at fresh points was found.
    pub(super) fn renewed(self, fresh: f64) -> Self {
        let Overfit { after, mean, .. } = self;
        let change = if after > 0.0 && fresh > 0.0 { (fresh / after).ln() - mean } else { 0.0 };
        Overfit { mean: mean + RENEWAL * change, ..self }
    }

    /// Whether the loss is larger at fresh points than before the last step at its own.
    pub(super) fn has_risen(self, fresh: f64) -> bool {
        self.before > 0.0 && fresh > MOST_RISE * self.before
    }

    /// Whether the last steps fitted their points too closely.
    pub(super) fn is_too_large(self) -> bool {
        self.mean > MOST.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_that_do_not_hold_at_fresh_points_are_noticed_and_forgiven_when_they_do() {
        let none = Overfit::default();
        assert!(
            !none.renewed(5.0).is_too_large() && !none.renewed(f64::NAN).is_too_large(),
            "nothing to compare"
        );
        let strained = Overfit { after: 1.0, ..none }.renewed(10.0);
        assert!(strained.is_too_large());
        let relieved = (0..5).fold(strained, |overfit, _| overfit.renewed(1.1));
        assert!(!relieved.is_too_large());
    }
}
