//! Whether gradients are accurate enough to follow, as data.

/// How often a loss and its gradient are compared with those in f64, and how far off they may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GradientCheck {
    /// Steps between two comparisons; 0 for none at all.
    pub every: u64,
    /// Points of every term that are compared.
    pub points: usize,
    /// How far the loss may be off, relative to the one in f64.
    pub loss: f64,
    /// How far the gradient may be off, likewise: the length of the difference.
    pub gradient: f64,
}

impl GradientCheck {
    /// Where nobody says otherwise, in numbers with fewer digits.
    pub const USUAL: GradientCheck = GradientCheck { every: 2000, points: 128, loss: 0.01, gradient: 0.1 };
    /// No comparison.
    pub const OFF: GradientCheck = GradientCheck { every: 0, ..GradientCheck::USUAL };

    /// As problem files write it.
    pub fn written(self) -> String {
        let GradientCheck { every, points, loss, gradient } = self;
        match every {
            0 => "false".to_owned(),
            _ => {
                format!("{{ every = {every}, points = {points}, loss = {loss:?}, gradient = {gradient:?} }}")
            }
        }
    }
}
