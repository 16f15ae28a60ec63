//! Weights of conditions that state none: as strong as the equations inside. And of equations whose units make them
//! nothing beside others, or beside measurements.
//!
//! A residual that depends weakly on the parameters hardly counts beside one that depends strongly, as a
//! value beside a third derivative. Weights make up for it: every condition's rows of the Jacobian get the mean
//! length of the interior's (Wang, Yu, Perdikaris 2022). They do not depend on units then.

use super::{ResidualPart, is_open, names, parts};
use crate::TrainError;
use crate::trainer::task::Equations;
use equation::taylor::{Plan, Source};
use linear::tree::sum;
use train::{BalancedPart, Pace, Snapshot};

/// Weights are looked at after this many steps of a phase, twice as many, and so on, besides its start.
const FIRST_LOOK: u64 = 10;

/// Equations that are so many times weaker than the strongest one are as strong as it instead; and where all are weaker than
/// measurements by that much, they become as strong as those. Seconds, pascals and metres make such factors; within them, what
/// the file says is kept. Nothing makes an equation weaker: it holds, and measurements have noise.
const FAR: f64 = 100.0;

/// Weights change when one of them is wrong by more than this factor: each change makes another loss.
const TOLERATED: f64 = 2.0;

/// Points of a term that suffice to tell how its residuals depend on the parameters.
const SAMPLE: usize = 128;

/// How many times longer than their median the root of the mean square of gradients may be. Where points gather in a
/// front, a few gradients are longer than all others by orders of magnitude, and the longer, the steeper the front is.
const STEEP: f64 = 4.0;

impl Equations<'_> {
    /// Sets the weights of conditions that state none, where it is time for it and they are wrong; what was
    /// found, if so.
    pub(super) fn balance_rows(
        &mut self,
        now: &mut Snapshot,
    ) -> Result<Option<Vec<BalancedPart>>, TrainError> {
        let step = now.phase_step - now.before_method;
        if !is_time(step) || !is_open(self.plan) {
            return Ok(None);
        }
        let mut squares = self.objective.gradient_squares(&now.parameters, SAMPLE)?;
        let scales: Vec<f64> = squares.iter_mut().map(|squares| typical(squares)).collect();
        let own = self.plan.weights();
        // Units are what they are from the start on; how strong conditions are is not.
        let before = &self.state.weights;
        let weights = match (step, before.is_empty()) {
            (0, _) => balanced(self.plan, &scales, &in_units(self.plan, &scales)),
            (_, true) => balanced(self.plan, &scales, &own),
            (_, false) => balanced(self.plan, &scales, before),
        };
        if before.is_empty() && weights == own {
            return Ok(None);
        }
        let wrong = |(old, new): (&f64, &f64)| (old / new).max(new / old) > TOLERATED;
        if !before.is_empty() && !before.iter().zip(&weights).any(wrong) {
            return Ok(None);
        }
        self.objective.set_weights(&weights)?;
        now.descent.link();
        // Another loss: what the last one was says nothing about points or pace.
        self.state.gap.after = 0.0;
        now.pace = Pace::START;
        let found = names(self.plan).zip(scales.iter().zip(&weights));
        let part =
            |(name, (&scale, &weight)): (&str, _)| BalancedPart { name: name.to_owned(), scale, weight };
        let found = found.map(part).collect();
        self.state.weights = weights;
        Ok(Some(found))
    }
}

/// How strongly a residual depends on the parameters: the root of the mean of lengths squared, as long as it is typical of them.
fn typical(squares: &mut [f64]) -> f64 {
    let mean = sum(squares.iter().copied()) / squares.len().max(1) as f64;
    squares.sort_unstable_by(f64::total_cmp);
    let median = squares.get(squares.len() / 2).copied().unwrap_or(0.0);
    // Most of what a condition is about may depend on nothing.
    if median > 0.0 { mean.min(STEEP * STEEP * median).sqrt() } else { mean.sqrt() }
}

fn is_time(step: u64) -> bool {
    step == 0 || (step.is_multiple_of(FIRST_LOOK) && (step / FIRST_LOOK).is_power_of_two())
}

/// The largest of weight × scale² among some of the residuals.
fn strongest(plan: &Plan, scales: &[f64], weights: &[f64], wanted: fn(Source) -> bool) -> f64 {
    let those = parts(plan).zip(scales.iter().zip(weights)).filter(|((source, _), _)| wanted(*source));
    those.map(|(_, (scale, weight))| weight * scale * scale).fold(0.0, f64::max)
}

/// Weights with those of equations as their units demand.
fn in_units(plan: &Plan, scales: &[f64]) -> Vec<f64> {
    let own: Vec<f64> = parts(plan).map(|(_, part)| part.weight).collect();
    let inside = strongest(plan, scales, &own, |source| source == Source::Interior);
    let measured = strongest(plan, scales, &own, |source| matches!(source, Source::Data(_)));
    let stated = parts(plan).any(|(source, part)| source == Source::Interior && part.stated);
    let far = |ratio: f64| ratio.is_finite() && ratio > FAR * FAR;
    // Who weighs an equation against measurements means it.
    let factor = if far(measured / inside) && !stated { measured / inside } else { 1.0 };
    let weight = |((source, part), scale): (ResidualPart<'_>, &f64)| {
        let strength = part.weight * scale * scale;
        match source {
            Source::Interior if part.stated => part.weight,
            Source::Interior if far(inside / strength) => factor * inside / (scale * scale),
            Source::Interior => factor * part.weight,
            Source::Condition(_) | Source::Data(_) | Source::Prediction => part.weight,
        }
    };
    parts(plan).zip(scales).map(weight).collect()
}

/// Weights that make conditions as strong as the strongest equation inside, of weights that equations have.
fn balanced(plan: &Plan, scales: &[f64], weights: &[f64]) -> Vec<f64> {
    let inside = strongest(plan, scales, weights, |source| source == Source::Interior);
    let weight = |((source, part), (scale, own)): (ResidualPart<'_>, (&f64, &f64))| {
        let as_strong = inside / (scale * scale);
        // What an ansatz of the file meets already depends on parameters by rounding alone.
        let rounding = *scale <= f64::EPSILON * inside.sqrt();
        let sound = as_strong.is_normal() && as_strong > 0.0 && !rounding;
        match source {
            Source::Condition(_) if !part.stated && sound => as_strong,
            Source::Condition(_) => part.weight,
            Source::Interior | Source::Data(_) | Source::Prediction => *own,
        }
    };
    parts(plan).zip(scales.iter().zip(weights)).map(weight).collect()
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
        let balanced = |scales: &[f64]| balanced(&plan, scales, &in_units(&plan, scales));
        assert_eq!(balanced(&[10.0, 2.0, 40.0, 3.0]), [4.0, 100.0, 0.25, 7.0]);
        // What depends on nothing cannot be balanced.
        assert_eq!(balanced(&[10.0, 0.0, f64::NAN, 3.0]), [4.0, 1.0, 1.0, 7.0]);
        assert_eq!(balanced(&[0.0, 1.0, 1.0, 1.0]), [4.0, 1.0, 1.0, 7.0]);
        // Nor can what depends by rounding: an ansatz meets it.
        assert_eq!(balanced(&[10.0, 3e-16, 1e-9, 3.0])[..2], [4.0, 1.0]);
    }

    #[test]
    fn equations_whose_units_make_them_nothing_are_heard() {
        let text = r#"
[domain]
t = [0, 86400]
x = [0, 1]
[unknowns]
u = {}
v = {}
[equations]
first = "u_t = u_xx"
second = "v_t = v_xx"
[conditions]
start = { on = "t = 0", equations = ["u = x", "v = x"] }
walls = { on = "boundary", equations = ["u = x", "v = x"] }
[data]
probe = { file = "probe.csv", columns = ["t", "x", "u", "_"] }
"#;
        let alone = text.split("[data]").next().unwrap_or_default();
        let weights = |text: &str, scales: &[f64]| {
            let plan = plan(&parse_with(text, &[]).expect("it is right")).expect("a plan");
            balanced(&plan, scales, &in_units(&plan, scales))
        };
        let conditions = [1.0; 4];
        let with = |first: &[f64], last: &[f64]| [first, &conditions, last].concat();
        // As the file says, up to a factor of a hundred.
        assert_eq!(weights(alone, &with(&[8.0, 0.125], &[]))[..2], [1.0, 1.0]);
        assert_eq!(weights(alone, &with(&[8.0, 0.0625], &[]))[..2], [1.0, 16_384.0]);
        // And beside measurements. Powers of two have no rounding.
        let tiny = [1.0 / 1024.0; 2];
        assert_eq!(weights(text, &with(&[10.0, 10.0], &[1.0]))[..2], [1.0, 1.0]);
        assert_eq!(weights(text, &with(&[1e4, 1e4], &[1.0]))[..2], [1.0, 1.0], "nothing is made weaker");
        assert_eq!(weights(text, &with(&tiny, &[1.0]))[..2], [1_048_576.0; 2]);
        assert_eq!(weights(text, &with(&tiny, &[1.0]))[2..], [1.0; 5]);
        let stated = text.replace("\"u_t = u_xx\"", "{ equation = \"u_t = u_xx\", weight = 2 }");
        assert_eq!(weights(&stated, &with(&tiny, &[1.0]))[..2], [2.0, 1.0]);
    }

    #[test]
    fn looks_become_rarer() {
        let looks: Vec<u64> = (0..100).filter(|&step| is_time(step)).collect();
        assert_eq!(looks, [0, 10, 20, 40, 80]);
    }
}
