//! The vectors of a method where the loss is evaluated: the host sees products of them, and the parameters after every
//! step.

mod matrix;
mod pairs;

use super::Workings;
use super::host::HostWorkings;
use crate::{Loss, Losses, Refusal, Room, State, Vectors};
use matrix::Matrix;
use pairs::Pairs;

/// Vectors by number.
const PARAMETERS: usize = 0;
const DIRECTION: usize = 1;
const TRIAL: usize = 2;
/// Gradients at the parameters and at the trial, in turn.
const GRADIENTS: usize = 3;
/// Those that the curvature needs.
const CURVATURE: usize = 5;

/// What is remembered of them.
#[derive(Clone, Debug)]
pub(super) struct DeviceWorkings {
    curvature: DeviceCurvature,
    /// Which of the gradients is that at the parameters: 0 or 1.
    turn: usize,
}

#[derive(Clone, Debug)]
enum DeviceCurvature {
    Limited(Pairs),
    Dense(Matrix),
}

fn vectors(loss: &mut dyn Loss) -> Result<&mut dyn Vectors, Refusal> {
    loss.vectors().ok_or(Refusal::NoVectors)
}

impl DeviceWorkings {
    /// Takes everything there, if there is room; otherwise the bytes that there are not. `None` where there is no such place.
    pub(super) fn of(
        host: &HostWorkings,
        loss: &mut dyn Loss,
        parameters: &[f64],
    ) -> Result<Option<Result<Self, usize>>, Refusal> {
        let Some(vectors) = loss.vectors() else { return Ok(None) };
        let curvature = match host.curvature.pairs() {
            Some(pairs) => DeviceCurvature::Limited(Pairs::new(pairs)),
            None => DeviceCurvature::Dense(Matrix::new(parameters.len())),
        };
        let (count, matrix) = match &curvature {
            DeviceCurvature::Limited(pairs) => (pairs.vector_count(), false),
            DeviceCurvature::Dense(_) => (Matrix::VECTORS, true),
        };
        if let Room::TooLittle { bytes } = vectors.reserve(CURVATURE + count, matrix)? {
            return Ok(Some(Err(bytes)));
        }
        let mut device = DeviceWorkings { curvature, turn: 0 };
        vectors.put(PARAMETERS, parameters)?;
        vectors.put(device.before(), &host.gradient)?;
        let state = host.curvature.save(State::default());
        match &mut device.curvature {
            DeviceCurvature::Limited(pairs) => pairs.put(vectors, &state)?,
            DeviceCurvature::Dense(matrix) => matrix.put(vectors, &state)?,
        }
        Ok(Some(Ok(device)))
    }

    /// Brings back what a saved state is made of.
    pub(super) fn bring_back(&self, host: &mut HostWorkings, loss: &mut dyn Loss) -> Result<(), Refusal> {
        let vectors = vectors(loss)?;
        vectors.fetch(self.before(), &mut host.gradient)?;
        let state = match &self.curvature {
            DeviceCurvature::Limited(pairs) => pairs.fetch(vectors, host.gradient.len())?,
            DeviceCurvature::Dense(matrix) => matrix.fetch(vectors)?,
        };
        host.curvature.restore(&state).map_err(|_| Refusal::NoVectors)
    }

    /// The gradient at the parameters.
    fn before(&self) -> usize {
        GRADIENTS + self.turn
    }

    /// The gradient at the trial.
    fn after(&self) -> usize {
        GRADIENTS + 1 - self.turn
    }
}

impl Workings for DeviceWorkings {
    fn begin(&mut self, loss: &mut dyn Loss, parameters: &[f64], losses: &mut Losses) -> Result<(), Refusal> {
        let (vectors, gradient) = (vectors(loss)?, self.before());
        vectors.put(PARAMETERS, parameters)?;
        losses.clone_from(vectors.eval(PARAMETERS, gradient)?);
        let square = vectors.dots(&[[gradient, gradient]])?[0];
        if square.is_finite() { Ok(()) } else { Err(Refusal::Gradient) }
    }

    fn square(&mut self, loss: &mut dyn Loss) -> Result<f64, Refusal> {
        let gradient = self.before();
        Ok(vectors(loss)?.dots(&[[gradient, gradient]])?[0])
    }

    fn aim(&mut self, loss: &mut dyn Loss) -> Result<f64, Refusal> {
        let (vectors, gradient) = (vectors(loss)?, self.before());
        match &mut self.curvature {
            DeviceCurvature::Limited(pairs) => pairs.aim(vectors, gradient)?,
            DeviceCurvature::Dense(matrix) => matrix.aim(vectors, gradient)?,
        }
        Ok(-vectors.dots(&[[DIRECTION, gradient]])?[0])
    }

    fn aim_straight(&mut self, loss: &mut dyn Loss) -> Result<f64, Refusal> {
        self.clear();
        let (vectors, gradient) = (vectors(loss)?, self.before());
        vectors.combine(DIRECTION, &[(-1.0, gradient)])?;
        Ok(-vectors.dots(&[[DIRECTION, gradient]])?[0])
    }

    fn sample(
        &mut self,
        loss: &mut dyn Loss,
        _parameters: &[f64],
        length: f64,
        losses: &mut Losses,
    ) -> Result<f64, Refusal> {
        let (vectors, gradient) = (vectors(loss)?, self.after());
        vectors.combine(TRIAL, &[(1.0, PARAMETERS), (length, DIRECTION)])?;
        losses.clone_from(vectors.eval(TRIAL, gradient)?);
        let products = vectors.dots(&[[gradient, DIRECTION], [gradient, gradient]])?;
        if products[1].is_finite() { Ok(products[0]) } else { Err(Refusal::Gradient) }
    }

    fn accept(&mut self, loss: &mut dyn Loss, parameters: &mut [f64], length: f64) -> Result<(), Refusal> {
        let (vectors, gradients) = (vectors(loss)?, [self.before(), self.after()]);
        match &mut self.curvature {
            DeviceCurvature::Limited(pairs) => pairs.learn(vectors, gradients)?,
            DeviceCurvature::Dense(matrix) => matrix.learn(vectors, gradients, length)?,
        }
        vectors.combine(PARAMETERS, &[(1.0, TRIAL)])?;
        vectors.fetch(PARAMETERS, parameters)?;
        self.turn = 1 - self.turn;
        Ok(())
    }

    fn is_empty(&self) -> bool {
        match &self.curvature {
            DeviceCurvature::Limited(pairs) => pairs.is_empty(),
            DeviceCurvature::Dense(matrix) => matrix.is_empty(),
        }
    }

    fn clear(&mut self) {
        match &mut self.curvature {
            DeviceCurvature::Limited(pairs) => pairs.clear(),
            DeviceCurvature::Dense(matrix) => matrix.clear(),
        }
    }

    fn forget_loss(&mut self) {
        match &mut self.curvature {
            DeviceCurvature::Limited(pairs) => pairs.clear(),
            DeviceCurvature::Dense(matrix) => matrix.forget_gradient(),
        }
    }
}
