//! Complex numbers, as far as transforms and exponential integrators need them.

use std::ops::{Add, Mul, Sub};

/// `real + i·imaginary`
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Complex {
    pub(super) real: f64,
    pub(super) imaginary: f64,
}

impl Complex {
    pub(super) fn new(real: f64, imaginary: f64) -> Self {
        Complex { real, imaginary }
    }

    /// exp(i·angle)
    pub(super) fn on_circle(angle: f64) -> Self {
        Complex::new(angle.cos(), angle.sin())
    }

    #[cfg(test)]
    pub(super) fn exp(self) -> Self {
        Complex::on_circle(self.imaginary).scale(self.real.exp())
    }

    pub(super) fn conjugate(self) -> Self {
        Complex::new(self.real, -self.imaginary)
    }

    pub(super) fn scale(self, factor: f64) -> Self {
        Complex::new(self.real * factor, self.imaginary * factor)
    }

    /// Times i.
    pub(super) fn turned(self) -> Self {
        Complex::new(-self.imaginary, self.real)
    }

    #[cfg(test)]
    pub(super) fn reciprocal(self) -> Self {
        self.conjugate().scale(1.0 / (self.real * self.real + self.imaginary * self.imaginary))
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Complex::new(self.real + other.real, self.imaginary + other.imaginary)
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Complex::new(self.real - other.real, self.imaginary - other.imaginary)
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Complex::new(
            self.real * other.real - self.imaginary * other.imaginary,
            self.real * other.imaginary + self.imaginary * other.real,
        )
    }
}
