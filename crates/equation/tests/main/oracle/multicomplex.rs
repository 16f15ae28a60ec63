//! Multicomplex numbers: derivatives of any order to full precision by tiny imaginary steps, one
//! imaginary unit per derivative. Nothing here knows about channels.

use equation::expression::{Function, Number};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The imaginary step. Its square vanishes next to one, and its fifth power is still a normal f64.
pub(crate) const STEP: f64 = 1e-30;

/// `real + i·imaginary` over any number, itself possibly complex with another unit.
#[derive(Clone, Debug)]
pub(crate) struct Complex<T> {
    pub real: T,
    pub imaginary: T,
}

/// `value + i·step`
pub(crate) fn stepped<T: Number>(value: T, step: f64) -> Complex<T> {
    Complex { real: value, imaginary: T::from_f64(step) }
}

impl<T: Number> Add for Complex<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Complex { real: self.real + other.real, imaginary: self.imaginary + other.imaginary }
    }
}

impl<T: Number> Sub for Complex<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Complex { real: self.real - other.real, imaginary: self.imaginary - other.imaginary }
    }
}

impl<T: Number> Neg for Complex<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Complex { real: -self.real, imaginary: -self.imaginary }
    }
}

impl<T: Number> Mul for Complex<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Complex {
            real: self.real.clone() * other.real.clone() - self.imaginary.clone() * other.imaginary.clone(),
            imaginary: self.real * other.imaginary + self.imaginary * other.real,
        }
    }
}

impl<T: Number> Div for Complex<T> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let conjugate = Complex { real: other.real.clone(), imaginary: -other.imaginary.clone() };
        let size = other.real.clone() * other.real + other.imaginary.clone() * other.imaginary;
        let product = self * conjugate;
        Complex { real: product.real / size.clone(), imaginary: product.imaginary / size }
    }
}

impl<T: Number> Number for Complex<T> {
    fn from_f64(value: f64) -> Self {
        Complex { real: T::from_f64(value), imaginary: T::from_f64(0.0) }
    }

    fn real(&self) -> f64 {
        self.real.real()
    }

    fn apply(self, function: Function) -> Self {
        let Complex { real: a, imaginary: b } = self;
        let f = |function: Function, x: &T| x.clone().apply(function);
        let one = || T::from_f64(1.0);
        use Function::*;
        match function {
            Exp => {
                let size = f(Exp, &a);
                Complex { real: size.clone() * f(Cos, &b), imaginary: size * f(Sin, &b) }
            }
            Sin => Complex { real: f(Sin, &a) * f(Cosh, &b), imaginary: f(Cos, &a) * f(Sinh, &b) },
            Cos => Complex { real: f(Cos, &a) * f(Cosh, &b), imaginary: -(f(Sin, &a) * f(Sinh, &b)) },
            Sinh => Complex { real: f(Sinh, &a) * f(Cos, &b), imaginary: f(Cosh, &a) * f(Sin, &b) },
            Cosh => Complex { real: f(Cosh, &a) * f(Cos, &b), imaginary: f(Sinh, &a) * f(Sin, &b) },
            Tan => self_quotient(Complex { real: a, imaginary: b }, Sin, Cos),
            Tanh => self_quotient(Complex { real: a, imaginary: b }, Sinh, Cosh),
            // The step is so small that f(a + ib) = f(a) + i·b·f'(a) to the last digit.
            Log => Complex { real: f(Log, &a), imaginary: b / a },
            Sqrt => {
                let root = f(Sqrt, &a);
                Complex { real: root.clone(), imaginary: b / (T::from_f64(2.0) * root) }
            }
            Asin | Acos => {
                let slope = one() / f(Sqrt, &(one() - a.clone() * a.clone()));
                let slope = if function == Acos { -slope } else { slope };
                Complex { real: f(function, &a), imaginary: b * slope }
            }
            Atan => Complex { real: f(Atan, &a), imaginary: b / (one() + a.clone() * a) },
            Erf => {
                let bell = f(Exp, &-(a.clone() * a.clone()));
                let slope = T::from_f64(std::f64::consts::FRAC_2_SQRT_PI) * bell;
                Complex { real: f(Erf, &a), imaginary: b * slope }
            }
            Abs => {
                if a.real() < 0.0 {
                    Complex { real: -a, imaginary: -b }
                } else {
                    Complex { real: a, imaginary: b }
                }
            }
            Sign => Complex { real: f(Sign, &a), imaginary: T::from_f64(0.0) },
        }
    }
}

fn self_quotient<T: Number>(z: Complex<T>, above: Function, below: Function) -> Complex<T> {
    z.clone().apply(above) / z.apply(below)
}
