//! The curvature that L-BFGS remembers (Nocedal, Wright 2006, algorithms 7.4 and 7.5).

use crate::{State, StateError};

/// A change of the gradient enters the memory when the cosine of its angle to the step is at least
/// this: below, the curvature is rounding.
pub(super) const LEAST_COSINE: f64 = 1e-10;

/// The last steps and what they did to the gradient, in a ring.
#[derive(Clone, Debug)]
pub(super) struct CurvatureMemory {
    /// One place more than pairs are kept: a pair that is refused has then written over none.
    pairs: Vec<Pair>,
    /// Pairs in use.
    count: usize,
    /// The free place.
    next: usize,
    factors: Vec<f64>,
}

#[derive(Clone, Debug)]
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    /// Of step and change.
    product: f64,
}

impl CurvatureMemory {
    pub(super) fn new(parameters: usize, pairs: usize) -> Self {
        let pair = Pair { step: vec![0.0; parameters], change: vec![0.0; parameters], product: 0.0 };
        CurvatureMemory { pairs: vec![pair; pairs + 1], count: 0, next: 0, factors: vec![0.0; pairs + 1] }
    }

    /// Pairs that are kept.
    pub(super) fn size(&self) -> usize {
        self.pairs.len() - 1
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.next = 0;
    }

    /// Takes in a step and its change of the gradient, in place of the oldest, unless there is no
    /// positive curvature in them.
    pub(super) fn push(&mut self, step: impl Iterator<Item = f64>, change: impl Iterator<Item = f64>) {
        let pair = &mut self.pairs[self.next];
        pair.step.iter_mut().zip(step).for_each(|(to, from)| *to = from);
        pair.change.iter_mut().zip(change).for_each(|(to, from)| *to = from);
        pair.product = dot(&pair.step, &pair.change);
        if pair.product > LEAST_COSINE * norm(&pair.step) * norm(&pair.change) {
            self.next = (self.next + 1) % self.pairs.len();
            self.count = (self.count + 1).min(self.pairs.len() - 1);
        }
    }

    /// Places in the ring from the newest to the oldest pair.
    fn newest_first(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let (size, next) = (self.pairs.len(), self.next);
        (1..=self.count).map(move |age| (next + size - age) % size)
    }

    /// The pairs in use, oldest first: nothing depends on where in the ring they lie.
    pub(super) fn save(&self, state: State) -> State {
        let pairs = || self.newest_first().rev().map(|place| &self.pairs[place]);
        state
            .with_numbers("memory_steps", pairs().flat_map(|pair| &pair.step).copied().collect::<Vec<_>>())
            .with_numbers(
                "memory_changes",
                pairs().flat_map(|pair| &pair.change).copied().collect::<Vec<_>>(),
            )
            .with_numbers("memory_products", pairs().map(|pair| pair.product).collect::<Vec<_>>())
    }

    /// Takes the pairs of a saved memory; of one that was larger, the newest.
    pub(super) fn restore(&mut self, state: &State) -> Result<(), StateError> {
        let parameters = self.pairs[0].step.len();
        let products = state.numbers("memory_products")?;
        let steps = state.sized("memory_steps", products.len() * parameters)?;
        let changes = state.sized("memory_changes", products.len() * parameters)?;
        let kept = products.len().min(self.pairs.len() - 1);
        for (place, index) in (products.len() - kept..products.len()).enumerate() {
            let pair = &mut self.pairs[place];
            pair.step.copy_from_slice(&steps[index * parameters..(index + 1) * parameters]);
            pair.change.copy_from_slice(&changes[index * parameters..(index + 1) * parameters]);
            pair.product = products[index];
        }
        (self.count, self.next) = (kept, kept % self.pairs.len());
        Ok(())
    }

    /// Multiplies by the approximate inverse Hessian: the two-loop recursion, algorithm 7.4.
    pub(super) fn apply(&mut self, vector: &mut [f64]) {
        for place in self.newest_first() {
            let pair = &self.pairs[place];
            self.factors[place] = dot(&pair.step, vector) / pair.product;
            add(vector, -self.factors[place], &pair.change);
        }
        if let Some(newest) = self.newest_first().next() {
            let pair = &self.pairs[newest];
            let scale = pair.product / dot(&pair.change, &pair.change);
            vector.iter_mut().for_each(|number| *number *= scale);
        }
        for place in self.newest_first().rev() {
            let pair = &self.pairs[place];
            let factor = self.factors[place] - dot(&pair.change, vector) / pair.product;
            add(vector, factor, &pair.step);
        }
    }
}

fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}

pub(super) fn norm(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

/// Eight sums side by side: one would wait for itself at every addition.
pub(super) fn dot(first: &[f64], second: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (firsts, first_rest) = first.as_chunks::<LANES>();
    let (seconds, second_rest) = second.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in firsts.iter().zip(seconds) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = first_rest.iter().zip(second_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}
