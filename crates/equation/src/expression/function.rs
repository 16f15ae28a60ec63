//! The functions of one argument that expressions may use.

use super::{Expression, Pool};

/// A function of one argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "each variant is the function of that name")]
pub enum Function {
    Sin,
    Cos,
    Tan,
    Sinh,
    Cosh,
    Tanh,
    Asin,
    Acos,
    Atan,
    Exp,
    Log,
    Sqrt,
    Abs,
    Sign,
    Erf,
}

impl Function {
    /// All of them, in the order of the documentation.
    pub const ALL: [Function; 15] = [
        Function::Sin,
        Function::Cos,
        Function::Tan,
        Function::Sinh,
        Function::Cosh,
        Function::Tanh,
        Function::Asin,
        Function::Acos,
        Function::Atan,
        Function::Exp,
        Function::Log,
        Function::Sqrt,
        Function::Abs,
        Function::Sign,
        Function::Erf,
    ];

    /// As written in a problem file.
    pub fn name(self) -> &'static str {
        match self {
            Function::Sin => "sin",
            Function::Cos => "cos",
            Function::Tan => "tan",
            Function::Sinh => "sinh",
            Function::Cosh => "cosh",
            Function::Tanh => "tanh",
            Function::Asin => "asin",
            Function::Acos => "acos",
            Function::Atan => "atan",
            Function::Exp => "exp",
            Function::Log => "log",
            Function::Sqrt => "sqrt",
            Function::Abs => "abs",
            Function::Sign => "sign",
            Function::Erf => "erf",
        }
    }

    /// The value at `x`; NaN outside the domain of definition.
    pub fn value(self, x: f64) -> f64 {
        match self {
            Function::Sin => x.sin(),
            Function::Cos => x.cos(),
            Function::Tan => x.tan(),
            Function::Sinh => x.sinh(),
            Function::Cosh => x.cosh(),
            Function::Tanh => x.tanh(),
            Function::Asin => x.asin(),
            Function::Acos => x.acos(),
            Function::Atan => x.atan(),
            Function::Exp => x.exp(),
            Function::Log => x.ln(),
            Function::Sqrt => x.sqrt(),
            Function::Abs => x.abs(),
            Function::Sign => sign(x),
            Function::Erf => libm::erf(x),
        }
    }

    /// The derivative at the expression `x`. Where there is none (`abs` at 0) it is one-sided or 0.
    pub fn derivative(self, pool: &mut Pool, x: Expression) -> Expression {
        let one = pool.number(1.0);
        let squared = pool.powers(&[(x, 2.0)]);
        match self {
            Function::Sin => pool.apply(Function::Cos, x),
            Function::Cos => {
                let sine = pool.apply(Function::Sin, x);
                pool.negate(sine)
            }
            Function::Tan => {
                let tangent = pool.apply(Function::Tan, x);
                let squared = pool.powers(&[(tangent, 2.0)]);
                pool.add(one, squared)
            }
            Function::Sinh => pool.apply(Function::Cosh, x),
            Function::Cosh => pool.apply(Function::Sinh, x),
            Function::Tanh => {
                let tangent = pool.apply(Function::Tanh, x);
                let squared = pool.powers(&[(tangent, 2.0)]);
                pool.subtract(one, squared)
            }
            Function::Asin => {
                let inside = pool.subtract(one, squared);
                pool.powers(&[(inside, -0.5)])
            }
            Function::Acos => {
                let inside = pool.subtract(one, squared);
                let slope = pool.powers(&[(inside, -0.5)]);
                pool.negate(slope)
            }
            Function::Atan => {
                let inside = pool.add(one, squared);
                pool.powers(&[(inside, -1.0)])
            }
            Function::Exp => pool.apply(Function::Exp, x),
            Function::Log => pool.powers(&[(x, -1.0)]),
            Function::Sqrt => {
                let slope = pool.powers(&[(x, -0.5)]);
                pool.scale(slope, 0.5)
            }
            Function::Abs => pool.apply(Function::Sign, x),
            Function::Sign => pool.number(0.0),
            Function::Erf => {
                let exponent = pool.negate(squared);
                let bell = pool.apply(Function::Exp, exponent);
                pool.scale(bell, std::f64::consts::FRAC_2_SQRT_PI)
            }
        }
    }
}

/// -1, 0 or 1; unlike `f64::signum` zero has no sign here.
pub(crate) fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}
