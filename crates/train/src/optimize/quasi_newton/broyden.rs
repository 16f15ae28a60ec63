//! Self-scaled Broyden: a dense inverse Hessian H that learns from every step, and that grows where it saw
//! more curvature than there is (Al-Baali, Khalfan 2005; for networks that solve equations Urbán,
//! Stefanou, Pons 2025).
//!
//! With the step s and the change y of the gradient, H becomes
//! (H − Hy·yᵀH/(yᵀHy) + φ·vvᵀ)/τ + ssᵀ/(yᵀs), where v = √(yᵀHy)·(s/(yᵀs) − Hy/(yᵀHy)).
//! φ = 1 and τ = 1 would be BFGS.

use super::curvature::Move;
use super::memory::{LEAST_COSINE, dot, norm};
use crate::{State, StateError};
use linear::{Packed, RankTwo};

/// The state.
#[derive(Clone, Debug)]
pub(super) struct Broyden {
    /// H; the identity while nothing was learnt.
    matrix: Packed,
    /// Whether nothing was learnt yet.
    empty: bool,
    /// An update that H still lacks. It is carried out on the way to the next product: both need all of H,
    /// and reading that takes most of the time.
    pending: Option<Pending>,
    /// The last step, and H times its change of the gradient: what the update is made of.
    step: Vec<f64>,
    image: Vec<f64>,
    /// H, the pending update included, times the gradient; where that is known.
    product: Vec<f64>,
    known: bool,
    change: Vec<f64>,
}

/// The numbers of an update; see [`RankTwo`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Pending {
    pub(super) factor: f64,
    pub(super) weights: [f64; 3],
}

impl Broyden {
    pub(super) fn new(parameters: usize) -> Self {
        let zeros = || vec![0.0; parameters];
        Broyden {
            matrix: Packed::identity(parameters, 1.0),
            empty: true,
            pending: None,
            step: zeros(),
            image: zeros(),
            product: zeros(),
            known: false,
            change: zeros(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.empty
    }

    pub(super) fn clear(&mut self) {
        self.matrix.set_identity(1.0);
        (self.empty, self.pending, self.known) = (true, None, false);
    }

    /// The gradient at the parameters is another one.
    pub(super) fn forget_gradient(&mut self) {
        self.known = false;
    }

    pub(super) fn apply(&mut self, gradient: &[f64], product: &mut [f64]) {
        if !self.known {
            self.multiply(gradient);
        }
        product.copy_from_slice(&self.product);
    }

    /// Carries out what is pending and multiplies.
    fn multiply(&mut self, gradient: &[f64]) {
        let vectors = [self.step.as_slice(), &self.image];
        let update =
            self.pending.take().map(|Pending { factor, weights }| RankTwo { factor, weights, vectors });
        self.matrix.update_and_multiply(update, gradient, &mut self.product);
        self.known = true;
    }

    pub(super) fn learn(&mut self, step: &Move<'_>) {
        self.multiply(step.after);
        self.change.iter_mut().zip(step.change()).for_each(|(to, from)| *to = from);
        self.step.iter_mut().zip(step.step()).for_each(|(to, from)| *to = from);
        // H·y is H·after − H·before, and the direction is the latter.
        let images = self.product.iter().zip(step.direction);
        self.image.iter_mut().zip(images).for_each(|(to, (after, before))| *to = after + before);
        let product = dot(&self.step, &self.change);
        if product <= LEAST_COSINE * norm(&self.step) * norm(&self.change) {
            return;
        }
        // sᵀH⁻¹s: the step is −length·H·before.
        let predicted = -step.length * dot(&self.step, step.before);
        let found = dot(&self.change, &self.image);
        let Some(update) = update(product, predicted, found, self.step.len()) else { return };
        // The product with the updated matrix, without reading it again.
        let Pending { factor, weights: [own, mixed, other] } = update;
        let along = [dot(&self.step, step.after), dot(&self.image, step.after)];
        let by_step = own * along[0] + mixed * along[1];
        let by_image = mixed * along[0] + other * along[1];
        for ((product, step), image) in self.product.iter_mut().zip(&self.step).zip(&self.image) {
            *product = factor * *product + by_step * step + by_image * image;
        }
        (self.pending, self.empty) = (Some(update), false);
    }

    pub(super) fn save(&self, state: State) -> State {
        let numbers: &[f64] = if self.empty { &[] } else { self.matrix.numbers() };
        let pending = self.pending.map(|Pending { factor, weights: [a, b, c] }| vec![factor, a, b, c]);
        state
            .with_numbers("matrix", numbers)
            .with_numbers("update", pending.unwrap_or_default())
            .with_numbers("update_step", self.step.as_slice())
            .with_numbers("update_image", self.image.as_slice())
            .with_numbers("product", self.product.as_slice())
            .with_counts("product_known", [u64::from(self.known)])
    }

    pub(super) fn restore(&mut self, state: &State) -> Result<(), StateError> {
        let size = self.step.len();
        let wrong = |name: &str| StateError::Value { name: name.to_owned() };
        let numbers = state.numbers("matrix")?;
        let empty = numbers.is_empty();
        let numbers = if empty { numbers } else { state.sized("matrix", self.matrix.numbers().len())? };
        let pending = match *state.numbers("update")? {
            [] => None,
            [factor, a, b, c] => Some(Pending { factor, weights: [a, b, c] }),
            _ => return Err(wrong("update")),
        };
        let vectors = ["update_step", "update_image", "product"].map(|name| state.sized(name, size));
        let [step, image, product] = vectors;
        let (step, image, product) = (step?, image?, product?);
        let known = state.count_up_to("product_known", 1)? == 1;
        match empty {
            true => self.matrix.set_identity(1.0),
            false => self.matrix.numbers_mut().copy_from_slice(numbers),
        }
        self.step.copy_from_slice(step);
        self.image.copy_from_slice(image);
        self.product.copy_from_slice(product);
        (self.empty, self.pending, self.known) = (empty, pending, known);
        Ok(())
    }
}

/// The update for yᵀs, sᵀH⁻¹s and yᵀHy, by the names of the paper; `None` where they are no such products.
pub(super) fn update(ys: f64, s_b_s: f64, y_h_y: f64, size: usize) -> Option<Pending> {
    let (b, h) = (s_b_s / ys, y_h_y / ys);
    // At least one by Cauchy and Schwarz, but for rounding.
    let a = (h * b - 1.0).max(f64::EPSILON);
    let c = (a / (a + 1.0)).sqrt();
    let rho = (h * (1.0 - c)).min(1.0);
    let theta = ((rho - 1.0) / a).max(((1.0 - b) / b).min(1.0 / rho));
    let sigma = 1.0 + a * theta;
    let phi = (1.0 - theta) / sigma;
    let volume = sigma.powf(-1.0 / (size.max(2) - 1) as f64);
    let first = b.recip().min(1.0);
    let tau = if theta > 0.0 { first * volume.min(theta.recip()) } else { (first * volume).min(sigma) };
    let weights =
        [phi * y_h_y / (tau * ys * ys) + ys.recip(), -phi / (tau * ys), (phi - 1.0) / (tau * y_h_y)];
    let usable = b > 0.0 && h > 0.0 && tau > 0.0 && weights.iter().all(|weight| weight.is_finite());
    usable.then(|| Pending { factor: tau.recip(), weights })
}
