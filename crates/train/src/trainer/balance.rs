//! Weights of conditions that state none: as strong as the equations inside.
//!
//! A residual that depends weakly on the parameters hardly counts beside one that depends strongly, as a
//! value beside a third derivative. Weights make up for it: every condition's rows of the Jacobian get the mean
//! length of the interior's (Wang, Yu, Perdikaris 2022). They do not depend on units then.

use super::run::Run;
use super::{Pace, Settings, Snapshot};
use crate::{Objective, TrainError};
use equation::taylor::{Plan, Source};

/// Weights are looked at after this many steps of a phase, twice as many, and so on, besides its start.
const FIRST_LOOK: u64 = 10;

/// Weights change when one of them is wrong by more than this factor: each change makes another loss.
const TOLERATED: f64 = 2.0;

/// What a look at the balance found: numbers in the order of the plan's residuals.
#[derive(Clone, PartialEq, Debug)]
pub struct Balance {
    /// How strongly each depends on the parameters.
    pub scales: Vec<f64>,
    /// What its mean square is multiplied with in the loss.
    pub weights: Vec<f64>,
}

impl Run<'_> {
    /// Sets the weights of conditions that state none, where it is time for it and they are wrong; what was
    /// found, if so.
    pub(super) fn balance(
        &self,
        settings: &Settings,
        objective: &mut Objective<'_>,
        now: &mut Snapshot,
    ) -> Result<Option<Balance>, TrainError> {
        if !settings.balance || !is_time(now.phase_step) || !is_open(self.plan) {
            return Ok(None);
        }
        let scales = objective.scales(&now.parameters)?;
        let weights = balanced(self.plan, &scales);
        let wrong = |(old, new): (&f64, &f64)| (old / new).max(new / old) > TOLERATED;
        if !now.weights.is_empty() && !now.weights.iter().zip(&weights).any(wrong) {
            return Ok(None);
        }
        objective.set_weights(&weights)?;
        now.weights.clone_from(&weights);
        // Another loss: what the last one was says nothing about points or pace.
        now.strain.after = 0.0;
        now.pace = Pace::START;
        Ok(Some(Balance { scales, weights }))
    }
}

fn is_time(step: u64) -> bool {
    step == 0 || (step.is_multiple_of(FIRST_LOOK) && (step / FIRST_LOOK).is_power_of_two())
}

/// Whether a term's weights may be chosen: measurements have noise, which no weight makes smaller.
fn is_free(source: Source, stated: bool) -> bool {
    matches!(source, Source::Condition(_)) && !stated
}

fn is_open(plan: &Plan) -> bool {
    plan.terms.iter().any(|term| term.residuals.iter().any(|part| is_free(term.source, part.stated)))
}

/// Weights that make conditions as strong as the strongest equation inside.
fn balanced(plan: &Plan, scales: &[f64]) -> Vec<f64> {
    let parts = || plan.terms.iter().flat_map(|term| term.residuals.iter().map(|part| (term.source, part)));
    let inside = parts().zip(scales).filter(|((source, _), _)| *source == Source::Interior);
    let strongest = inside.map(|((_, part), scale)| part.weight * scale * scale).fold(0.0, f64::max);
    let weight = |((source, part), scale): ((Source, &equation::taylor::Residual), &f64)| {
        let weight = strongest / (scale * scale);
        let sound = weight.is_normal() && weight > 0.0;
        if is_free(source, part.stated) && sound { weight } else { part.weight }
    };
    parts().zip(scales).map(weight).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use equation::parse::parse_with;
    use equation::taylor::plan;

    const PROBLEM: &str = r#"
[domain]
t = [0, 1]
x = [0, 1]
[unknowns]
u = {}
[equations]
heat = { equation = "u_t = u_xx", weight = 4 }
[conditions]
start = { on = "t = 0", equations = ["u = sin(pi*x)", "u_xx = 0"] }
walls = { on = "x = 0, x = 1", equation = "u = 0", weight = 7 }
"#;

    #[test]
    fn conditions_get_the_strength_of_the_interior_and_stated_weights_stay() {
        let plan = plan(&parse_with(PROBLEM, &[]).expect("it is right")).expect("a plan");
        assert!(is_open(&plan));
        assert_eq!(balanced(&plan, &[10.0, 2.0, 40.0, 3.0]), [4.0, 100.0, 0.25, 7.0]);
        // What depends on nothing cannot be balanced.
        assert_eq!(balanced(&plan, &[10.0, 0.0, f64::NAN, 3.0]), [4.0, 1.0, 1.0, 7.0]);
        assert_eq!(balanced(&plan, &[0.0, 1.0, 1.0, 1.0]), [4.0, 1.0, 1.0, 7.0]);
    }

    #[test]
    fn looks_become_rarer() {
        let looks: Vec<u64> = (0..100).filter(|&step| is_time(step)).collect();
        assert_eq!(looks, [0, 10, 20, 40, 80]);
    }
}
