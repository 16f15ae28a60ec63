//! Muon (Jordan, Jin, Boza, You, Cesista, Newhouse, Bernstein 2024): the momentum of a hidden matrix is made orthogonal by Newton and Schulz's
//! iteration, so that a step is as long in all directions. Everything else moves by Adam.

use super::loose::{Decays, loose, range};
use super::{AffineMap, Optimizer, Roles, StepOutcome};
use crate::{Loss, Refusal, State, StateError};
use linear::SmallMatrix;
use rayon::prelude::*;
use std::ops::Range;

/// Of what moves by Adam.
const DECAYS: Decays = Decays { mean: 0.9, square: 0.999 };

/// Iterations, and the coefficients of X, XXᵀX and (XXᵀ)²X, chosen by the authors to be steep at zero: singular values end between 0.7 and
/// 1.2, whatever they were.
const ITERATIONS: usize = 5;
const COEFFICIENTS: [f64; 3] = [3.4445, -4.7750, 2.0315];

/// Added to a norm that is divided by.
const LEAST: f64 = 1e-7;

/// The root mean square of Adam's steps, in multiples of the learning rate: with this factor and the root of the larger side, one learning rate
/// suits both (Liu et al. 2025, "Muon is scalable for LLM training", section 2.2).
const LIKE_ADAM: f64 = 0.2;

/// Names in a saved state.
const STEPS: &str = "muon.steps";
const MEAN: &str = "muon.mean";
const SQUARE: &str = "muon.square";

/// The state of Muon.
#[derive(Clone, PartialEq, Debug)]
pub struct Muon {
    momentum: f64,
    steps: u64,
    /// The hidden matrices: where they are, and their sizes.
    hidden: Vec<(Range<usize>, [usize; 2])>,
    /// What moves by Adam.
    loose: Vec<Range<usize>>,
    /// Of the gradient.
    mean: Vec<f64>,
    /// Of its square, of what moves by Adam.
    square: Vec<f64>,
    gradient: Vec<f64>,
}

impl Muon {
    /// The state before the first step.
    pub fn new(roles: &Roles, momentum: f64) -> Self {
        let place = |map: &AffineMap| (range(map, map.without_bias()), map.without_bias());
        let hidden: Vec<_> = roles.maps.iter().filter(|map| map.hidden).map(place).collect();
        let loose = loose(roles.count, hidden.iter().map(|(range, _)| range.clone()));
        let zero = vec![0.0; roles.count];
        Muon { momentum, steps: 0, hidden, loose, mean: zero.clone(), square: zero.clone(), gradient: zero }
    }

    /// Moves `parameters` against `self.gradient`.
    fn move_along(&mut self, parameters: &mut [f64], rate: f64) {
        let Muon { momentum, hidden, loose, mean, square, gradient, .. } = self;
        self.steps += 1;
        let corrections = DECAYS.corrections(rate, self.steps);
        for range in &*loose {
            let moments = (&mut mean[range.clone()], &mut square[range.clone()]);
            DECAYS.step(corrections, moments, &gradient[range.clone()], &mut parameters[range.clone()]);
        }
        let keep = *momentum;
        for (range, _) in &*hidden {
            for (mean, slope) in mean[range.clone()].iter_mut().zip(&gradient[range.clone()]) {
                *mean = keep * *mean + (1.0 - keep) * slope;
            }
        }
        // Each matrix by itself, so that no number depends on how many threads there are.
        let (mean, gradient) = (&*mean, &*gradient);
        let ahead = |(range, [rows, columns]): &(Range<usize>, [usize; 2])| {
            let pairs = mean[range.clone()].iter().zip(&gradient[range.clone()]);
            let ahead: Vec<f64> = pairs.map(|(mean, slope)| keep * mean + (1.0 - keep) * slope).collect();
            made_orthogonal(&SmallMatrix::packed(*rows, *columns, &ahead))
        };
        let steps: Vec<SmallMatrix> = hidden.par_iter().map(ahead).collect();
        for ((range, [rows, columns]), step) in hidden.iter().zip(&steps) {
            let length = rate * LIKE_ADAM * (*rows.max(columns) as f64).sqrt();
            let weights = parameters[range.clone()].iter_mut();
            weights.zip(step.iter()).for_each(|(weight, step)| *weight -= length * step);
        }
    }
}

/// A matrix with the same singular vectors, whose singular values are about one.
fn made_orthogonal(matrix: &SmallMatrix) -> SmallMatrix {
    let tall = matrix.rows() > matrix.columns();
    let mut found = if tall { matrix.transposed() } else { matrix.clone() };
    let scale = 1.0 / (found.norm() + LEAST);
    let zero = SmallMatrix::zero(found.rows(), found.columns());
    found.blend(scale, 0.0, &zero);
    let [once, cubed, fifth] = COEFFICIENTS;
    for _ in 0..ITERATIONS {
        let products = found.times(&found.transposed());
        let mut sum = products.times(&products);
        sum.blend(fifth, cubed, &products);
        let push = sum.times(&found);
        found.blend(once, 1.0, &push);
    }
    if tall { found.transposed() } else { found }
}

impl Optimizer for Muon {
    fn step<'step>(
        &'step mut self,
        loss: &'step mut dyn Loss,
        parameters: &mut [f64],
        rate: f64,
    ) -> Result<StepOutcome<'step>, Refusal> {
        let losses = loss.eval(parameters, &mut self.gradient)?;
        self.move_along(parameters, rate);
        Ok(StepOutcome::Taken { losses, length: rate, evaluations: 1, trust: None })
    }

    /// Running means of gradients are worth as much with other points: nothing is forgotten.
    fn forget_loss(&mut self) {}

    fn save(&self) -> State {
        State::default()
            .with_counts(STEPS, [self.steps])
            .with_numbers(MEAN, self.mean.as_slice())
            .with_numbers(SQUARE, self.square.as_slice())
    }

    fn restore(&mut self, state: &State) -> Result<(), StateError> {
        let count = self.gradient.len();
        let (steps, mean, square) =
            (state.count(STEPS)?, state.sized(MEAN, count)?, state.sized(SQUARE, count)?);
        (self.steps, self.mean, self.square) = (steps, mean.to_vec(), square.to_vec());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: AffineMap = AffineMap { first: 1, inputs: 5, outputs: 4, biased: true, hidden: true };

    fn roles() -> Roles {
        let outer = AffineMap { first: 25, inputs: 4, outputs: 1, biased: true, hidden: false };
        Roles { count: 31, weights: 30, maps: vec![MAP, outer] }
    }

    /// Where a bowl has its end, without a pattern.
    fn end(number: usize) -> f64 {
        (number * number * 7919 % 1009) as f64 / 504.0 - 1.0
    }

    /// Of badly scaled bowls beside each other; those of the hidden matrix have the scales of its rows.
    fn slopes(parameters: &[f64]) -> Vec<f64> {
        let scale = |number: usize| 10f64.powf(-0.5 * (number.wrapping_sub(1) / 4 % 5) as f64);
        let slope = |(number, parameter): (usize, &f64)| scale(number) * (parameter - end(number));
        parameters.iter().enumerate().map(slope).collect()
    }

    fn descended(muon: &mut Muon, steps: Range<u64>, parameters: &mut [f64]) {
        for step in steps {
            muon.gradient = slopes(parameters);
            muon.move_along(parameters, 0.03 * (1.0 - step as f64 / 800.0));
        }
    }

    #[test]
    fn singular_values_end_near_one_whatever_they_were() {
        for [rows, columns] in [[20, 20], [6, 30], [30, 6]] {
            let numbers: Vec<f64> =
                (0..rows * columns).map(|n| 1e-3 * ((n * n * 7919 % 1009) as f64 - 504.0)).collect();
            let found = made_orthogonal(&SmallMatrix::packed(rows, columns, &numbers));
            let products = if rows < columns {
                found.times(&found.transposed())
            } else {
                found.transposed_times(&found)
            };
            let values = linear::eigen(&products).values;
            let near = values.iter().filter(|value| (0.4..1.6).contains(*value)).count();
            assert!(near + 1 >= values.len() && values[0] < 1.6, "{values:?}");
        }
        let zero = SmallMatrix::zero(3, 3);
        assert_eq!(made_orthogonal(&zero), zero);
    }

    #[test]
    fn badly_scaled_bowls_are_descended() {
        let (mut muon, mut parameters) = (Muon::new(&roles(), 0.95), vec![0.0; 31]);
        descended(&mut muon, 0..800, &mut parameters);
        let off = |number: usize| (parameters[number] - end(number)).abs();
        let worst = (0..31).map(off).fold(0.0, f64::max);
        assert!(worst < 0.05, "{worst}");
    }

    #[test]
    fn only_hidden_matrices_are_made_orthogonal_and_the_rest_is_adam() {
        let (mut muon, mut parameters) = (Muon::new(&roles(), 0.95), vec![0.0; 31]);
        descended(&mut muon, 0..1, &mut parameters);
        let loose = [0].into_iter().chain(21..31);
        // The first step of Adam has the length of the rate.
        assert!(loose.clone().all(|number| (parameters[number].abs() - 0.03).abs() < 1e-4), "{parameters:?}");
        let length = 0.03 * LIKE_ADAM * 5f64.sqrt();
        let step: f64 = parameters[1..21].iter().map(|number| number * number).sum::<f64>() / length.powi(2);
        assert!((0.4 * 3.0..1.6 * 4.0).contains(&step), "the squares of four singular values: {step}");
    }

    #[test]
    fn a_state_goes_on_bit_for_bit_on_any_number_of_threads() {
        let trained = |threads: usize, halt: u64| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let mut parameters = vec![0.0; 31];
            pool.install(|| {
                let mut muon = Muon::new(&roles(), 0.9);
                descended(&mut muon, 0..halt, &mut parameters);
                let mut other = Muon::new(&roles(), 0.9);
                other.restore(&muon.save()).expect("its own state");
                descended(&mut other, halt..20, &mut parameters);
            });
            parameters
        };
        let whole = trained(1, 0);
        assert!([(1, 7), (3, 7), (2, 19)].into_iter().all(|(threads, halt)| trained(threads, halt) == whole));
        let soap = crate::optimize::Soap::new(&roles(), 10);
        assert!(Muon::new(&roles(), 0.9).restore(&soap.save()).is_err());
    }
}
