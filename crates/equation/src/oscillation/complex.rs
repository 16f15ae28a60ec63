//! Complex numbers, as far as they are needed here.

use std::ops::{Add, Div, Mul, Sub};

/// A complex number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Complex {
    pub(super) real: f64,
    pub(super) imaginary: f64,
}

impl Complex {
    pub(super) fn turned(radius: f64, angle: f64) -> Complex {
        Complex { real: radius * angle.cos(), imaginary: radius * angle.sin() }
    }

    pub(super) fn size(self) -> f64 {
        self.real.hypot(self.imaginary)
    }
}

impl From<f64> for Complex {
    fn from(real: f64) -> Complex {
        Complex { real, imaginary: 0.0 }
    }
}

impl Add for Complex {
    type Output = Complex;

    fn add(self, other: Complex) -> Complex {
        Complex { real: self.real + other.real, imaginary: self.imaginary + other.imaginary }
    }
}

impl Sub for Complex {
    type Output = Complex;

    fn sub(self, other: Complex) -> Complex {
        Complex { real: self.real - other.real, imaginary: self.imaginary - other.imaginary }
    }
}

impl Mul for Complex {
    type Output = Complex;

    fn mul(self, other: Complex) -> Complex {
        Complex {
            real: self.real * other.real - self.imaginary * other.imaginary,
            imaginary: self.real * other.imaginary + self.imaginary * other.real,
        }
    }
}

impl Div for Complex {
    type Output = Complex;

    fn div(self, other: Complex) -> Complex {
        let scale = other.real * other.real + other.imaginary * other.imaginary;
        let Complex { real, imaginary } = self * Complex { real: other.real, imaginary: -other.imaginary };
        Complex { real: real / scale, imaginary: imaginary / scale }
    }
}
