//! The network as a list of vector operations.

/// The network.
#[derive(Clone, Debug)]
pub struct Architecture {}

/// A trainable scalar.
#[derive(Clone, Debug)]
pub struct Scalar {}

impl Architecture {
    /// Trainable numbers.
    pub fn parameter_count(&self) -> usize {
        todo!()
    }
}
