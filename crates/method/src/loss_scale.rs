//! What a loss is multiplied by on the way to gradients in half precision, as data: a power of two that follows what overflows
//! (Micikevicius et al. 2018, section 3.2).

/// What the loss is multiplied by, and when that changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LossScale {
    /// The power of two.
    pub exponent: i32,
    /// Steps since it changed.
    pub good: u64,
}

impl LossScale {
    /// Before the first step: 65536.
    pub const START: LossScale = LossScale { exponent: 16, good: 0 };

    /// Steps without an overflow after which it is doubled.
    pub const PATIENCE: u64 = 2000;

    /// Overflows in a row that are answered by half the scale; after one more, numbers of another kind are needed.
    pub const TRIES: usize = 5;

    /// The most that it becomes: beyond, even the smallest numbers in half precision that are not zero would be too large.
    const MOST: i32 = 40;

    /// The scale.
    pub fn factor(self) -> f64 {
        f64::from(self.exponent).exp2()
    }

    /// After an overflow.
    #[must_use]
    pub fn halved(self) -> Self {
        LossScale { exponent: self.exponent - 1, good: 0 }
    }

    /// After a step without one.
    #[must_use]
    pub fn after_step(self) -> Self {
        match self.good + 1 {
            LossScale::PATIENCE => LossScale { exponent: (self.exponent + 1).min(LossScale::MOST), good: 0 },
            good => LossScale { good, ..self },
        }
    }

    /// Steps before it may be doubled.
    pub fn steps_left(self) -> u64 {
        LossScale::PATIENCE - self.good
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_halved_at_once_and_doubled_after_two_thousand_good_steps() {
        let mut scale = LossScale::START.after_step().halved();
        assert_eq!((scale.factor(), scale.steps_left()), (32768.0, 2000));
        for _ in 0..1999 {
            scale = scale.after_step();
        }
        assert_eq!((scale.factor(), scale.steps_left()), (32768.0, 1));
        assert_eq!(scale.after_step(), LossScale::START);
    }
}
