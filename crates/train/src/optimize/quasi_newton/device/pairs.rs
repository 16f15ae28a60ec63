//! The memory of L-BFGS where its vectors stay. The two-loop recursion (Nocedal, Wright 2006, algorithm 7.4) runs on
//! coefficients of the remembered vectors: all products that it needs are known or asked for at once (Chen, Wang, Zhou
//! 2014).

use super::{CURVATURE, DIRECTION, PARAMETERS, TRIAL};
use crate::Refusal;
use crate::optimize::quasi_newton::memory::LEAST_COSINE;
use crate::{State, Vectors};

/// The last steps and what they did to the gradient, in a ring; as on the host.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    /// One more than pairs are kept.
    size: usize,
    count: usize,
    next: usize,
    /// Of step and change of the same pair.
    products: Vec<f64>,
    /// Of the step of one pair with the change of another.
    mixed: Vec<Vec<f64>>,
    /// Of the changes of two pairs.
    changes: Vec<Vec<f64>>,
}

impl Pairs {
    pub(super) fn new(pairs: usize) -> Self {
        let size = pairs + 1;
        let square = || vec![vec![0.0; size]; size];
        Pairs { size, count: 0, next: 0, products: vec![0.0; size], mixed: square(), changes: square() }
    }

    pub(super) fn vector_count(&self) -> usize {
        2 * self.size
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn clear(&mut self) {
        (self.count, self.next) = (0, 0);
    }

    fn step(&self, place: usize) -> usize {
        CURVATURE + place
    }

    fn change(&self, place: usize) -> usize {
        CURVATURE + self.size + place
    }

    /// Places in the ring from the newest to the oldest pair.
    fn newest_first(&self) -> Vec<usize> {
        (1..=self.count).map(|age| (self.next + self.size - age) % self.size).collect()
    }

    /// Takes in the pair at the free place, whose product is that; asks for its products with all others.
    fn take(&mut self, vectors: &mut dyn Vectors, product: f64) -> Result<(), Refusal> {
        let (own, mut others) = (self.next, self.newest_first());
        // The oldest one goes.
        others.truncate(self.size.saturating_sub(2));
        let (step, change) = (self.step(own), self.change(own));
        let mut pairs = vec![[change, change]];
        for &other in &others {
            pairs.extend([
                [step, self.change(other)],
                [self.step(other), change],
                [change, self.change(other)],
            ]);
        }
        let found = vectors.dots(&pairs)?;
        self.products[own] = product;
        (self.mixed[own][own], self.changes[own][own]) = (product, found[0]);
        for (&other, found) in others.iter().zip(found[1..].as_chunks::<3>().0) {
            [self.mixed[own][other], self.mixed[other][own], self.changes[own][other]] = *found;
            self.changes[other][own] = found[2];
        }
        self.next = (self.next + 1) % self.size;
        self.count = (self.count + 1).min(self.size - 1);
        Ok(())
    }

    pub(super) fn learn(&mut self, vectors: &mut dyn Vectors, gradients: [usize; 2]) -> Result<(), Refusal> {
        let ([before, after], step, change) = (gradients, self.step(self.next), self.change(self.next));
        vectors.combine(step, &[(1.0, TRIAL), (-1.0, PARAMETERS)])?;
        vectors.combine(change, &[(1.0, after), (-1.0, before)])?;
        let found = vectors.dots(&[[step, change], [step, step], [change, change]])?;
        if found[0] > LEAST_COSINE * found[1].sqrt() * found[2].sqrt() {
            self.take(vectors, found[0])?;
        }
        Ok(())
    }

    /// The direction becomes minus the inverse Hessian times the gradient.
    pub(super) fn aim(&mut self, vectors: &mut dyn Vectors, gradient: usize) -> Result<(), Refusal> {
        let places = self.newest_first();
        let Some(&newest) = places.first() else { return vectors.combine(DIRECTION, &[(-1.0, gradient)]) };
        let pairs: Vec<[usize; 2]> = places
            .iter()
            .flat_map(|&place| [self.step(place), self.change(place)].map(|own| [own, gradient]))
            .collect();
        let with_gradient = vectors.dots(&pairs)?;
        let mut factors = vec![0.0; self.size];
        for (age, &place) in places.iter().enumerate() {
            let taken: f64 =
                places[..age].iter().map(|&newer| factors[newer] * self.mixed[place][newer]).sum();
            factors[place] = (with_gradient[2 * age] - taken) / self.products[place];
        }
        let scale = self.products[newest] / self.changes[newest][newest];
        let mut added = vec![0.0; self.size];
        for (age, &place) in places.iter().enumerate().rev() {
            let taken: f64 = places.iter().map(|&other| factors[other] * self.changes[place][other]).sum();
            let given: f64 =
                places[age + 1..].iter().map(|&older| added[older] * self.mixed[older][place]).sum();
            let product = scale * (with_gradient[2 * age + 1] - taken) + given;
            added[place] = factors[place] - product / self.products[place];
        }
        let mut summands = vec![(-scale, gradient)];
        for &place in &places {
            summands.push((scale * factors[place], self.change(place)));
            summands.push((-added[place], self.step(place)));
        }
        vectors.combine(DIRECTION, &summands)
    }

    /// Takes the pairs of a state of the host's memory.
    pub(super) fn put(&mut self, vectors: &mut dyn Vectors, state: &State) -> Result<(), Refusal> {
        let read = |name: &str| state.numbers(name).map_err(|_| Refusal::NoVectors);
        let (products, steps) = (read("memory_products")?, read("memory_steps")?);
        let changes = read("memory_changes")?;
        let size = steps.len() / products.len().max(1);
        for (index, &product) in products.iter().enumerate() {
            let own = index * size..(index + 1) * size;
            vectors.put(self.step(self.next), &steps[own.clone()])?;
            vectors.put(self.change(self.next), &changes[own])?;
            self.take(vectors, product)?;
        }
        Ok(())
    }

    /// The same the other way; vectors have `size` numbers.
    pub(super) fn fetch(&self, vectors: &mut dyn Vectors, size: usize) -> Result<State, Refusal> {
        let places = self.newest_first();
        let mut all = |of: &dyn Fn(usize) -> usize| -> Result<Vec<f64>, Refusal> {
            let mut numbers = vec![0.0; places.len() * size];
            for (&place, own) in places.iter().rev().zip(numbers.chunks_exact_mut(size.max(1))) {
                vectors.fetch(of(place), own)?;
            }
            Ok(numbers)
        };
        let (steps, changes) = (all(&|place| self.step(place))?, all(&|place| self.change(place))?);
        let products: Vec<f64> = places.iter().rev().map(|&place| self.products[place]).collect();
        Ok(State::default()
            .with_numbers("memory_steps", steps)
            .with_numbers("memory_changes", changes)
            .with_numbers("memory_products", products))
    }
}
