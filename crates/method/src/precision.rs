//! In which numbers a kernel computes.

use std::fmt;
use std::str::FromStr;

/// In which numbers a kernel computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    /// 64-bit floating point throughout.
    F64,
    /// 32-bit floating point; sums over points are kept in 64 bits.
    F32,
    /// 32-bit floating point whose products run on tensor cores, as six products of bfloat16 numbers: as
    /// accurate as [`Precision::F32`].
    Bf16x6,
    /// The same with three products of numbers in half precision, which a power of two per channel and layer brings near
    /// the largest that it has: nearly as accurate, for weights up to 4000. Networks other than plain ones compute in
    /// [`Precision::Bf16x6`].
    Fp16x3,
    /// The same with three products of bfloat16 numbers: about 16 bits.
    Bf16x3,
    /// 32-bit floating point whose products run on tensor cores that take 11 bits of every factor.
    Tf32,
    /// The same with bfloat16 factors: 8 bits.
    Bf16,
    /// The same with factors in half precision: 11 bits, and no numbers above 65504.
    Fp16,
}

/// Why a precision name is not a precision.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PrecisionError {
    /// No precision is called that.
    #[error(
        "there is no precision `{name}`; use `f64`, `f32`, `bf16x6`, `fp16x3`, `bf16x3`, `tf32`, `bf16` or `fp16`"
    )]
    Unknown {
        /// As the user wrote it.
        name: String,
    },
}

impl Precision {
    /// All of them.
    pub const ALL: [Precision; 8] = [
        Precision::F64,
        Precision::F32,
        Precision::Bf16x6,
        Precision::Fp16x3,
        Precision::Bf16x3,
        Precision::Tf32,
        Precision::Bf16,
        Precision::Fp16,
    ];

    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F64 => "f64",
            Precision::F32 => "f32",
            Precision::Bf16x6 => "bf16x6",
            Precision::Fp16x3 => "fp16x3",
            Precision::Bf16x3 => "bf16x3",
            Precision::Tf32 => "tf32",
            Precision::Bf16 => "bf16",
            Precision::Fp16 => "fp16",
        }
    }

    /// The relative rounding of one product.
    pub fn epsilon(self) -> f64 {
        match self {
            Precision::F64 => f64::EPSILON,
            Precision::F32 | Precision::Bf16x6 | Precision::Fp16x3 => f64::from(f32::EPSILON),
            Precision::Bf16x3 => 2f64.powi(-16),
            Precision::Tf32 | Precision::Fp16 => 2f64.powi(-11),
            Precision::Bf16 => 2f64.powi(-8),
        }
    }
}

impl FromStr for Precision {
    type Err = PrecisionError;

    fn from_str(name: &str) -> Result<Self, PrecisionError> {
        match name {
            "f64" => Ok(Precision::F64),
            "f32" => Ok(Precision::F32),
            "bf16x6" => Ok(Precision::Bf16x6),
            "fp16x3" => Ok(Precision::Fp16x3),
            "bf16x3" => Ok(Precision::Bf16x3),
            "tf32" => Ok(Precision::Tf32),
            "bf16" => Ok(Precision::Bf16),
            "fp16" => Ok(Precision::Fp16),
            _ => Err(PrecisionError::Unknown { name: name.to_owned() }),
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
