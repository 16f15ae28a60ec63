//! Weights for methods that follow the gradient: looked at every so many steps, and smoothed.

use super::rule::{Part, anneal, ascend, by_change, by_progress, equal, follow};
use super::{Balanced, is_free, is_open, names, parts};
use crate::TrainError;
use crate::trainer::adapt::Occasion;
use crate::trainer::series::Ahead;
use crate::trainer::task::Equations;
use equation::counter::Stream;
use equation::problem::{Balance, GradientSize, Pacing};
use equation::taylor::Source;
use linear::tree::sum;
use train::{BalancedPart, LeastSquares, Refusal, Snapshot};

/// Points of a term that suffice for the trace of its kernel.
const SAMPLE: usize = 128;

/// A weight that has changed by more than this factor since it was told last is told again.
const TOLD: f64 = 2.0;

/// Which random numbers decide whether ReLoBRaLo looks back.
const LOOKBACK: u64 = 0x6c6f_6f6b;

/// Weights of all parts.
struct Weighed {
    /// What they were found by.
    scales: Vec<f64>,
    weights: Vec<f64>,
}

impl Equations<'_> {
    /// Weighs all parts anew, where it is time for it.
    pub(super) fn follow_parts(&mut self, now: &mut Snapshot) -> Result<Option<Balanced>, TrainError> {
        let balance = self.settings().balance;
        let Some(every) = balance.every() else { return Ok(None) };
        if !now.phase_step.is_multiple_of(every)
            || self.state.looked == Some(now.phase_step)
            || !is_open(self.plan)
        {
            return Ok(None);
        }
        self.state.looked = Some(now.phase_step);
        self.catch_up(now)?;
        let own = self.plan.weights();
        let before = if self.state.weights.is_empty() { own } else { self.state.weights.clone() };
        let free = parts(self.plan).map(|(source, part)| is_free(source, part.stated));
        let all: Vec<Part> = free.zip(&before).map(|(free, &weight)| Part { free, weight }).collect();
        let Some(Weighed { scales, weights }) = self.weighed(balance, &all, now)? else { return Ok(None) };
        if weights.iter().any(|weight| !weight.is_finite()) || weights == before {
            return Ok(None);
        }
        self.objective.set_weights(&weights)?;
        now.descent.link();
        let far = |(old, new): (&f64, &f64)| (old / new).max(new / old) > TOLD;
        let worth_a_word =
            self.told_weights.len() != weights.len() || self.told_weights.iter().zip(&weights).any(far);
        let parts = worth_a_word.then(|| {
            self.told_weights.clone_from(&weights);
            let each = names(self.plan).zip(scales.iter().zip(&weights));
            each.map(|(name, (&scale, &weight))| BalancedPart { name: name.to_owned(), scale, weight })
                .collect()
        });
        self.state.weights = weights;
        Ok(Some(Balanced { parts }))
    }

    /// Where a device draws points, the host gets those of the step at hand.
    fn catch_up(&mut self, now: &Snapshot) -> Result<(), TrainError> {
        if !self.ahead.as_ref().is_some_and(Ahead::draws) {
            return Ok(());
        }
        let before = self.state.draw;
        self.state.draw += u64::from(self.is_due(now.phase_step));
        let supplied =
            if self.supplied == self.state.draw { Ok(()) } else { self.supply(now, Occasion::Later) };
        // The device counts the draw when it makes it.
        self.state.draw = before;
        supplied
    }

    /// The weights of all parts; `None` where there is nothing yet to compare with.
    fn weighed(
        &mut self,
        balance: Balance,
        all: &[Part],
        now: &Snapshot,
    ) -> Result<Option<Weighed>, TrainError> {
        let smooth = |Pacing { every, decay }: Pacing, weights: Vec<f64>| match now.phase_step < every {
            // Of the first look, nothing older is worth anything.
            true => weights,
            false => follow(decay, &weights, all),
        };
        match balance {
            Balance::Off | Balance::Usual | Balance::Rows => Ok(None),
            Balance::GradientNorm { pacing, by } => {
                let sizes = self.objective.gradient_sizes(&now.parameters)?;
                let (scales, weights) = match by {
                    GradientSize::Norm => {
                        let norms: Vec<f64> = sizes.iter().map(|size| size.norm).collect();
                        let weights = equal(&norms, all);
                        (norms, weights)
                    }
                    GradientSize::Largest => {
                        let inside = parts(self.plan).map(|(source, _)| source == Source::Interior);
                        let weights = anneal(&sizes, &inside.collect::<Vec<_>>(), all);
                        (sizes.iter().map(|size| size.mean).collect(), weights)
                    }
                };
                Ok(Some(Weighed { scales, weights: smooth(pacing, weights) }))
            }
            Balance::Ntk(pacing) => {
                let squares = self.objective.gradient_squares(&now.parameters, SAMPLE)?;
                let mean = |squares: &Vec<f64>| sum(squares.iter().copied()) / squares.len().max(1) as f64;
                let traces: Vec<f64> = squares.iter().map(mean).collect();
                let weights = smooth(pacing, equal(&traces, all));
                Ok(Some(Weighed { scales: traces, weights }))
            }
            Balance::SelfAdaptive { rate, .. } => {
                let Some(squares) = self.mean_squares(now)? else { return Ok(None) };
                let weights = ascend(rate, &squares, all);
                Ok(Some(Weighed { scales: squares, weights }))
            }
            Balance::SoftAdapt { strength, .. } => {
                let Some(squares) = self.mean_squares(now)? else { return Ok(None) };
                let before = std::mem::replace(&mut self.state.balance, squares.clone());
                if before.len() != squares.len() {
                    return Ok(None);
                }
                let weights = by_change(strength, &before, &squares, all);
                Ok(Some(Weighed { scales: squares, weights }))
            }
            Balance::ReLoBRaLo { every, .. } => {
                let Some(squares) = self.mean_squares(now)? else { return Ok(None) };
                let count = squares.len();
                let known = std::mem::take(&mut self.state.balance);
                if known.len() != 2 * count {
                    self.state.balance = [squares.clone(), squares].concat();
                    return Ok(None);
                }
                let (start, before) = known.split_at(count);
                self.state.balance = [start, &squares].concat();
                let stream = Stream::new(self.problem.training.seed, LOOKBACK);
                let look = (stream, now.phase_step / every);
                let weights = by_progress(balance, (start, before), &squares, all, look);
                Ok(Some(Weighed { scales: squares, weights }))
            }
        }
    }

    /// The mean squares of all parts at the points at hand; `None` where they are not finite, which is for the step to find.
    fn mean_squares(&mut self, now: &Snapshot) -> Result<Option<Vec<f64>>, TrainError> {
        match self.objective.losses(&now.parameters) {
            Ok(losses) => Ok(Some(losses.mean_squares.clone())),
            Err(Refusal::Residual(_) | Refusal::Gradient) => Ok(None),
            Err(refusal) => Err(self.explained(refusal, &now.parameters, now.steps)),
        }
    }
}
