//! Values and derivatives of activations, to the fifth order that a reverse pass of order 4 needs.

use crate::problem::Activation;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// σ and its first five derivatives.
pub type Derivatives = [f64; 6];

/// What a frozen input feature applies to its affine argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wave {
    /// Nothing.
    Identity,
    /// The sine.
    Sin,
    /// The cosine.
    Cos,
}

impl Wave {
    /// Value and derivatives at `z`.
    pub fn derivatives(self, z: f64) -> Derivatives {
        let (s, c) = z.sin_cos();
        match self {
            Wave::Identity => [z, 1.0, 0.0, 0.0, 0.0, 0.0],
            Wave::Sin => [s, c, -s, -c, s, c],
            Wave::Cos => [c, -s, -c, s, c, -s],
        }
    }
}

/// Value and derivatives of an activation at `z`.
pub fn derivatives(activation: Activation, z: f64) -> Derivatives {
    match activation {
        Activation::Tanh => tanh(z),
        Activation::Sin => Wave::Sin.derivatives(z),
        Activation::Gelu => gelu(z),
        Activation::Silu => silu(z),
    }
}

fn tanh(z: f64) -> Derivatives {
    // 1 - a² would lose all digits of a saturated neuron; 4e/(1+e)² keeps them.
    let e = (-2.0 * z.abs()).exp();
    let r = 1.0 / (1.0 + e);
    let a = -(-2.0 * z.abs()).exp_m1() * r * z.signum();
    let s1 = 4.0 * e * r * r;
    let a2 = a * a;
    [
        a,
        s1,
        -2.0 * a * s1,
        s1 * (6.0 * a2 - 2.0),
        8.0 * a * s1 * (2.0 - 3.0 * a2),
        8.0 * s1 * (15.0 * a2 * a2 - 15.0 * a2 + 2.0),
    ]
}

fn gelu(z: f64) -> Derivatives {
    let cumulative = 0.5 * libm::erfc(-z * FRAC_1_SQRT_2);
    let density = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
    let z2 = z * z;
    [
        z * cumulative,
        cumulative + z * density,
        (2.0 - z2) * density,
        z * (z2 - 4.0) * density,
        (-z2 * z2 + 7.0 * z2 - 4.0) * density,
        z * (z2 * z2 - 11.0 * z2 + 18.0) * density,
    ]
}

fn silu(z: f64) -> Derivatives {
    // With q = sigmoid(z): q(1-q) from the small side, without cancellation.
    let e = (-z.abs()).exp();
    let r = 1.0 / (1.0 + e);
    let q = if z >= 0.0 { r } else { e * r };
    let slope = e * r * r;
    let (q2, q3, q4) = (q * q, q * q * q, q * q * q * q);
    [
        z * q,
        q + z * slope,
        slope * (2.0 + z * (1.0 - 2.0 * q)),
        slope * (3.0 - 6.0 * q + z * (1.0 - 6.0 * q + 6.0 * q2)),
        slope * (4.0 - 24.0 * q + 24.0 * q2 + z * (1.0 - 14.0 * q + 36.0 * q2 - 24.0 * q3)),
        slope
            * (5.0 - 70.0 * q + 180.0 * q2 - 120.0 * q3
                + z * (1.0 - 30.0 * q + 150.0 * q2 - 240.0 * q3 + 120.0 * q4)),
    ]
}
