//! A change of a symmetric matrix, as data.

/// What becomes of a matrix A that stays with the vectors: `factor`·A + (u v)·M·(u v)ᵀ, where M is symmetric.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Change {
    /// Of the matrix as it was.
    pub factor: f64,
    /// M: the coefficients of uuᵀ, of uvᵀ + vuᵀ, and of vvᵀ.
    pub weights: [f64; 3],
    /// u and v, by number.
    pub vectors: [usize; 2],
}
