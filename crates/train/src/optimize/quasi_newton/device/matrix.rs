//! The matrix of self-scaled Broyden where its vectors stay; see `broyden.rs` for what happens to it.

use super::{CURVATURE, DIRECTION, PARAMETERS, TRIAL};
use crate::Refusal;
use crate::optimize::quasi_newton::broyden::{Pending, update};
use crate::optimize::quasi_newton::memory::LEAST_COSINE;
use crate::{State, Vectors};
use linear::Change;

/// Vectors by number, as on the host.
const STEP: usize = CURVATURE;
const IMAGE: usize = CURVATURE + 1;
const PRODUCT: usize = CURVATURE + 2;
const CHANGE: usize = CURVATURE + 3;

/// What is remembered of it.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    /// Of a vector.
    size: usize,
    /// Whether nothing was learnt yet.
    empty: bool,
    /// Whether what lies there is the matrix; otherwise that is the identity.
    there: bool,
    /// An update that the matrix still lacks.
    pending: Option<Pending>,
    /// Whether the product with the gradient is known.
    known: bool,
}

impl Matrix {
    pub(super) const VECTORS: usize = 4;

    pub(super) fn new(size: usize) -> Self {
        Matrix { size, empty: true, there: false, pending: None, known: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.empty
    }

    pub(super) fn clear(&mut self) {
        *self = Matrix::new(self.size);
    }

    pub(super) fn forget_gradient(&mut self) {
        self.known = false;
    }

    /// Carries out what is pending and multiplies.
    fn multiply(&mut self, vectors: &mut dyn Vectors, gradient: usize) -> Result<(), Refusal> {
        if !self.there {
            vectors.put_matrix(None)?;
            self.there = true;
        }
        let change = self.pending.take();
        let change =
            change.map(|Pending { factor, weights }| Change { factor, weights, vectors: [STEP, IMAGE] });
        vectors.multiply(change, gradient, PRODUCT)?;
        self.known = true;
        Ok(())
    }

    /// The direction becomes minus the inverse Hessian times the gradient.
    pub(super) fn aim(&mut self, vectors: &mut dyn Vectors, gradient: usize) -> Result<(), Refusal> {
        if !self.known {
            self.multiply(vectors, gradient)?;
        }
        vectors.combine(DIRECTION, &[(-1.0, PRODUCT)])
    }

    pub(super) fn learn(
        &mut self,
        vectors: &mut dyn Vectors,
        [before, after]: [usize; 2],
        length: f64,
    ) -> Result<(), Refusal> {
        self.multiply(vectors, after)?;
        vectors.combine(CHANGE, &[(1.0, after), (-1.0, before)])?;
        vectors.combine(STEP, &[(1.0, TRIAL), (-1.0, PARAMETERS)])?;
        vectors.combine(IMAGE, &[(1.0, PRODUCT), (1.0, DIRECTION)])?;
        let found = vectors.dots(&[
            [STEP, CHANGE],
            [STEP, STEP],
            [CHANGE, CHANGE],
            [STEP, before],
            [CHANGE, IMAGE],
            [STEP, after],
            [IMAGE, after],
        ])?;
        let &[product, step, change, slope, found, by_step, by_image] = &found[..] else {
            return Err(Refusal::NoVectors);
        };
        if product <= LEAST_COSINE * step.sqrt() * change.sqrt() {
            return Ok(());
        }
        let Some(update) = update(product, -length * slope, found, self.size) else { return Ok(()) };
        // The product with the updated matrix, without reading it again.
        let Pending { factor, weights: [own, mixed, other] } = update;
        let (of_step, of_image) = (own * by_step + mixed * by_image, mixed * by_step + other * by_image);
        vectors.combine(PRODUCT, &[(factor, PRODUCT), (of_step, STEP), (of_image, IMAGE)])?;
        (self.pending, self.empty) = (Some(update), false);
        Ok(())
    }

    /// Takes a state of the host's matrix.
    pub(super) fn put(&mut self, vectors: &mut dyn Vectors, state: &State) -> Result<(), Refusal> {
        let read = |name: &str| state.numbers(name).map_err(|_| Refusal::NoVectors);
        for (vector, name) in [(STEP, "update_step"), (IMAGE, "update_image"), (PRODUCT, "product")] {
            vectors.put(vector, read(name)?)?;
        }
        let numbers = read("matrix")?;
        (self.empty, self.there) = (numbers.is_empty(), !numbers.is_empty());
        if self.there {
            vectors.put_matrix(Some(numbers))?;
        }
        self.pending = match *read("update")? {
            [factor, a, b, c] => Some(Pending { factor, weights: [a, b, c] }),
            _ => None,
        };
        self.known = state.count_up_to("product_known", 1).map_err(|_| Refusal::NoVectors)? == 1;
        Ok(())
    }

    /// The same the other way.
    pub(super) fn fetch(&self, vectors: &mut dyn Vectors) -> Result<State, Refusal> {
        let mut matrix = vec![0.0; if self.empty { 0 } else { self.size * (self.size + 1) / 2 }];
        if !self.empty {
            vectors.fetch_matrix(&mut matrix)?;
        }
        let pending = self.pending.map(|Pending { factor, weights: [a, b, c] }| vec![factor, a, b, c]);
        let mut state = State::default()
            .with_numbers("matrix", matrix)
            .with_numbers("update", pending.unwrap_or_default())
            .with_counts("product_known", [u64::from(self.known)]);
        for (vector, name) in [(STEP, "update_step"), (IMAGE, "update_image"), (PRODUCT, "product")] {
            let mut numbers = vec![0.0; self.size];
            vectors.fetch(vector, &mut numbers)?;
            state = state.with_numbers(name, numbers);
        }
        Ok(state)
    }
}
