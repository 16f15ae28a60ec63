//! How gradients change.

use crate::{Loss, Refusal};

/// A loss around some parameters.
pub(super) struct Bent<'step> {
    loss: &'step mut dyn Loss,
    parameters: &'step [f64],
    evaluations: &'step mut u64,
    /// How far gradients are taken on either side.
    reach: f64,
    there: Vec<f64>,
    back: Vec<f64>,
}

impl<'step> Bent<'step> {
    pub(super) fn new(
        loss: &'step mut dyn Loss,
        parameters: &'step [f64],
        evaluations: &'step mut u64,
    ) -> Self {
        let count = parameters.len();
        let mean = parameters.iter().map(|own| own * own).sum::<f64>() / count.max(1) as f64;
        // Where the third derivative and rounding have about the same share in a central difference.
        let reach = f64::EPSILON.cbrt() * (1.0 + mean.sqrt());
        Bent { loss, parameters, evaluations, reach, there: vec![0.0; count], back: vec![0.0; count] }
    }

    /// How many parameters there are.
    pub(super) fn count(&self) -> usize {
        self.parameters.len()
    }

    /// The Hessian times a vector: the central difference of gradients along it.
    pub(super) fn product(&mut self, vector: &[f64]) -> Result<Vec<f64>, Refusal> {
        let length = vector.iter().map(|part| part * part).sum::<f64>().sqrt();
        if length == 0.0 {
            return Ok(vec![0.0; vector.len()]);
        }
        let reach = self.reach / length;
        for (side, gradient) in [(reach, &mut self.there), (-reach, &mut self.back)] {
            let place: Vec<f64> =
                self.parameters.iter().zip(vector).map(|(own, part)| own + side * part).collect();
            *self.evaluations += 1;
            self.loss.eval(&place, gradient)?;
        }
        let scale = 0.5 / reach;
        Ok(self.there.iter().zip(&self.back).map(|(there, back)| scale * (there - back)).collect())
    }
}
