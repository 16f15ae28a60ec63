//! How large something is, and how well that is known.

/// A length, an area, a volume or a count.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measure {
    /// The size.
    pub value: f64,
    /// How far the value may be off: three standard errors of an estimate, zero where only rounding is.
    pub error: f64,
}

impl Measure {
    pub(crate) fn exact(value: f64) -> Measure {
        Measure { value, error: 0.0 }
    }
}
