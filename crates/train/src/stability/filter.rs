//! A loss whose faults are seen, and mended where that is wanted.

use super::Fault;
use crate::{Array, LeastSquares, Loss, Losses, Refusal, State, Vectors};
use linear::clip::Clipping;
use method::{Guard, Policy};

/// What the last evaluations were like.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Seen {
    /// What was wrong with the last one.
    pub(super) fault: Option<Fault>,
    /// What was done about it where it was mended.
    pub(super) mended: Option<Policy>,
    /// The parameters where it was mended: the step that follows leaves them.
    pub(super) at: Option<Vec<f64>>,
    /// The norm of the last gradient that was finite, as it was found.
    pub(super) norm: Option<f64>,
    /// Whether the last one was made shorter.
    pub(super) clipped: bool,
}

const NORM: &str = "guard.norm";

impl Seen {
    /// What a method's own state says of evaluations before it was saved.
    pub(super) fn of(state: &State) -> Seen {
        Seen { norm: state.number(NORM).ok(), ..Seen::default() }
    }

    /// Adds what later steps depend on to a method's own state.
    pub(super) fn add_to(&self, mut state: State) -> State {
        if let Some(norm) = self.norm {
            state.insert(NORM.to_owned(), Array::Numbers(vec![norm]));
        }
        state
    }
}

/// Stands between a method that follows the gradient and its loss.
pub(super) struct Filter<'step> {
    pub(super) loss: &'step mut dyn Loss,
    pub(super) policy: Policy,
    pub(super) seen: &'step mut Seen,
    pub(super) clipping: &'step mut Clipping,
}

impl Loss for Filter<'_> {
    fn eval(&mut self, parameters: &[f64], gradient: &mut [f64]) -> Result<&Losses, Refusal> {
        let Filter { loss, policy, seen, clipping } = self;
        (seen.fault, seen.mended, seen.at, seen.clipped) = (None, None, None, false);
        let losses = loss.eval_any(parameters, gradient)?;
        let square: f64 = gradient.iter().map(|slope| slope * slope).sum();
        let Some(fault) = Fault::of(parameters, losses, gradient, square) else {
            seen.norm = Some(square.sqrt());
            seen.clipped = clipping.apply(parameters, gradient);
            return Ok(losses);
        };
        seen.fault = Some(fault);
        let treatment = fault.treatment(*policy);
        match (treatment, seen.norm) {
            (Policy::Replace, _) => gradient.iter_mut().for_each(replace),
            (Policy::Zero, _) => gradient.fill(0.0),
            (Policy::Scale, Some(usual)) => scale(gradient, usual),
            // How long is a gradient that was never finite? Steps of no length would hide that for as long as training takes.
            (Policy::Scale, None) => return Err(fault.refusal()),
            (Policy::Stop | Policy::Skip | Policy::Restore | Policy::Adaptive, _) => {
                return Err(fault.refusal());
            }
        }
        seen.mended = Some(treatment);
        seen.at = Some(parameters.to_vec());
        seen.clipped = clipping.apply(parameters, gradient);
        Ok(losses)
    }

    fn noise(&self, loss: f64) -> f64 {
        self.loss.noise(loss)
    }

    fn least_squares(&mut self) -> Option<&mut dyn LeastSquares> {
        self.loss.least_squares()
    }

    fn vectors(&mut self) -> Option<&mut dyn Vectors> {
        self.loss.vectors()
    }
}

/// A slope that is no number becomes zero, one that is too large as large as is allowed.
fn replace(slope: &mut f64) {
    *slope = if slope.is_nan() { 0.0 } else { slope.clamp(-Guard::LARGEST, Guard::LARGEST) };
}

/// What is not finite becomes zero; the rest gets a norm.
fn scale(gradient: &mut [f64], norm: f64) {
    let largest =
        gradient.iter().filter(|slope| slope.is_finite()).fold(0.0f64, |most, slope| most.max(slope.abs()));
    if largest == 0.0 {
        gradient.fill(0.0);
        return;
    }
    // Divided by the largest first: squares of what is left may overflow.
    gradient.iter_mut().for_each(|slope| *slope = if slope.is_finite() { *slope / largest } else { 0.0 });
    let own = gradient.iter().map(|slope| slope * slope).sum::<f64>().sqrt();
    gradient.iter_mut().for_each(|slope| *slope *= norm / own);
}

#[cfg(test)]
mod tests {
    use super::*;
    use linear::clip::Partition;

    struct Given {
        losses: Losses,
        gradient: Vec<f64>,
    }

    impl Loss for Given {
        fn eval(&mut self, at: &[f64], gradient: &mut [f64]) -> Result<&Losses, Refusal> {
            self.eval_any(at, gradient)
        }

        fn eval_any(&mut self, _at: &[f64], gradient: &mut [f64]) -> Result<&Losses, Refusal> {
            gradient.copy_from_slice(&self.gradient);
            Ok(&self.losses)
        }

        fn noise(&self, _loss: f64) -> f64 {
            0.0
        }
    }

    fn filtered(policy: Policy, slopes: &[f64], seen: &mut Seen) -> Result<Vec<f64>, Refusal> {
        let mut given = Given { losses: Losses::of(&[1.0], &[1], &[1.0]), gradient: slopes.to_vec() };
        let mut gradient = vec![0.0; slopes.len()];
        let mut clipping = Clipping::new(&[], Partition::default());
        Filter { loss: &mut given, policy, seen, clipping: &mut clipping }.eval(&[], &mut gradient)?;
        Ok(gradient)
    }

    #[test]
    fn every_policy_does_with_a_gradient_what_its_name_says() {
        let bad = [3.0, f64::NAN, f64::NEG_INFINITY, 4.0];
        let mut seen = Seen::default();
        assert_eq!(filtered(Policy::Stop, &[6.0, 8.0], &mut seen).expect("all is well"), [6.0, 8.0]);
        assert_eq!((seen.fault, seen.norm), (None, Some(10.0)));
        let mut after = |policy| filtered(policy, &bad, &mut seen).ok();
        assert_eq!(after(Policy::Replace), Some(vec![3.0, 0.0, -1e6, 4.0]));
        assert_eq!(after(Policy::Zero), Some(vec![0.0; 4]));
        let scaled = after(Policy::Scale).expect("it is scaled");
        // As long as the last good one, which was ten.
        assert!((scaled[0] - 6.0).abs() < 1e-14 && (scaled[3] - 8.0).abs() < 1e-14, "{scaled:?}");
        assert_eq!(scaled[1..3], [0.0, 0.0]);
        for refused in [Policy::Stop, Policy::Skip, Policy::Restore, Policy::Adaptive] {
            assert_eq!(after(refused), None, "{refused:?}");
        }
        // Where none was ever finite, nobody knows how long it should be.
        assert_eq!(filtered(Policy::Scale, &bad, &mut Seen::default()).ok(), None);
        // Its square alone is infinite: scaled by severity.
        let huge = filtered(Policy::Adaptive, &[3e300, 4e300], &mut seen).expect("it is scaled");
        assert!((huge[0] - 6.0).abs() < 1e-14, "{huge:?}");
        assert_eq!(seen.mended, Some(Policy::Scale));
    }
}
