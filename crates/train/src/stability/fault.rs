//! What is wrong with an evaluation of the loss.

use crate::{Losses, Refusal};
use method::Policy;
use serde::Serialize;

/// What was found in losses and their gradient that is no basis for a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Fault {
    /// Something is no number.
    pub nan: bool,
    /// Something is infinite.
    pub infinite: bool,
    /// All are finite, and their squares or their sum are not.
    pub overflow: bool,
    /// The parameters are not finite: no gradient mends them.
    pub parameters: bool,
    /// The first residual whose mean square is not finite, where it is not the gradient alone.
    pub residual: Option<usize>,
}

/// What each kind of fault adds to the severity.
const NAN: f64 = 1.0;
const INFINITE: f64 = 0.7;
const OVERFLOW: f64 = 0.3;

/// Faults at least as severe are reason to go back to a good state.
const RESTORED: f64 = 1.5;

/// Faults at least as severe are reason to skip the step.
const SKIPPED: f64 = 0.8;

impl Fault {
    /// The fault of losses at some parameters, and of a gradient whose sum of squares is `square`; `None` where all is well.
    pub fn of(parameters: &[f64], losses: &Losses, gradient: &[f64], square: f64) -> Option<Fault> {
        if losses.total.is_finite() && square.is_finite() {
            return None;
        }
        let lost = parameters.iter().any(|parameter| !parameter.is_finite());
        let mut fault = Fault { residual: losses.first_non_finite(), parameters: lost, ..Fault::default() };
        for number in losses.mean_squares.iter().chain(gradient) {
            fault.nan |= number.is_nan();
            fault.infinite |= number.is_infinite();
        }
        fault.overflow = !fault.nan && !fault.infinite;
        Some(fault)
    }

    /// The fault that an evaluation was refused for, of which nothing else is known.
    pub fn refused(refusal: &Refusal) -> Option<Fault> {
        let nan = Fault { nan: true, ..Fault::default() };
        match refusal {
            Refusal::Residual(position) => Some(Fault { residual: Some(*position), ..nan }),
            Refusal::Gradient => Some(nan),
            Refusal::NotSquares
            | Refusal::NoRule
            | Refusal::NoVectors
            | Refusal::NoRoom { .. }
            | Refusal::Device(_) => None,
        }
    }

    /// The sum of what was found: 1 where something is no number, 0.7 where something is infinite, 0.3 where a square overflows.
    pub fn severity(&self) -> f64 {
        [(self.nan, NAN), (self.infinite, INFINITE), (self.overflow, OVERFLOW)]
            .iter()
            .map(|&(found, severity)| if found { severity } else { 0.0 })
            .sum()
    }

    /// What is done about it by a policy; never [`Policy::Adaptive`].
    pub fn treatment(&self, policy: Policy) -> Policy {
        match policy {
            Policy::Stop => Policy::Stop,
            _ if self.parameters => Policy::Restore,
            Policy::Adaptive if self.severity() >= RESTORED => Policy::Restore,
            Policy::Adaptive if self.severity() >= SKIPPED => Policy::Skip,
            Policy::Adaptive => Policy::Scale,
            Policy::Skip | Policy::Restore | Policy::Replace | Policy::Zero | Policy::Scale => policy,
        }
    }

    /// Why no step is taken.
    pub(super) fn refusal(&self) -> Refusal {
        self.residual.map_or(Refusal::Gradient, Refusal::Residual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(squares: &[f64], gradient: &[f64]) -> Option<Fault> {
        let losses = Losses::of(squares, &vec![1; squares.len()], &vec![1.0; squares.len()]);
        Fault::of(&[0.0], &losses, gradient, gradient.iter().map(|slope| slope * slope).sum())
    }

    #[test]
    fn faults_are_told_apart_and_add_up() {
        assert_eq!(found(&[1.0], &[1.0, -2.0]), None);
        let overflow = found(&[1.0], &[1e200, 0.0]).expect("its square is infinite");
        assert_eq!((overflow.severity(), overflow.treatment(Policy::Adaptive)), (0.3, Policy::Scale));
        let infinite = found(&[1.0], &[f64::INFINITY]).expect("it is infinite");
        assert_eq!((infinite.severity(), infinite.treatment(Policy::Adaptive)), (0.7, Policy::Scale));
        let nan = found(&[1.0, f64::NAN], &[0.0]).expect("a residual is none");
        assert_eq!((nan.residual, nan.treatment(Policy::Adaptive)), (Some(1), Policy::Skip));
        let both = found(&[f64::INFINITY], &[f64::NAN]).expect("both");
        assert_eq!((both.severity(), both.treatment(Policy::Adaptive)), (1.7, Policy::Restore));
        assert_eq!(both.treatment(Policy::Zero), Policy::Zero);
        let lost = Fault { parameters: true, ..nan };
        let treated = |policy| lost.treatment(policy);
        assert_eq!([Policy::Skip, Policy::Zero, Policy::Adaptive].map(treated), [Policy::Restore; 3]);
        assert_eq!(treated(Policy::Stop), Policy::Stop);
    }

    #[test]
    fn what_no_guard_can_mend_is_no_fault() {
        assert!(Fault::refused(&Refusal::NoRoom { bytes: 3 }).is_none());
        assert_eq!(Fault::refused(&Refusal::Residual(2)).and_then(|fault| fault.residual), Some(2));
    }
}
