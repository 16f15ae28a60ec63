//! What a problem file says nothing about.

/// What a file leaves open, of what follows from its equations. Until [`crate::decide::decide`] has looked at it, the
/// fields of the problem hold what is usual.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LeftOpen {
    /// `training.windows`.
    pub windows: bool,
    /// `network.activation`.
    pub activation: Neurons,
    /// `training.condition_points`.
    pub condition_points: bool,
    /// `unknowns.*.unit`: the unknowns, by position, whose unit is open.
    pub units: Vec<usize>,
}

/// What a file says about what neurons do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Neurons {
    /// Their activation.
    #[default]
    Stated,
    /// No activation, but other things about the network that an activation has to suit.
    Shaped,
    /// Nothing.
    Open,
}
