//! Parameter updates that a device carries out itself, so that whole steps can stay on it.

use crate::clip::Clipping;
use crate::{Float, Level, VectorWork, for_each_level};

/// How parameters move, given a gradient. A closed set: devices compile each of them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Update {
    /// Adam (Kingma, Ba 2015, algorithm 1), with decay as in AdamW (Loshchilov, Hutter 2019, algorithm 2).
    Adam {
        /// Step length.
        rate: f64,
        /// Decay of the gradient's running mean; the paper's beta_1.
        mean_decay: f64,
        /// Decay of the running mean of its square; the paper's beta_2.
        square_decay: f64,
        /// Added to the root of the square; the paper's epsilon.
        floor: f64,
        /// Share of a parameter that a step of length one takes away, beside the gradient; 0 in Adam.
        decay: f64,
        /// The first so many parameters decay.
        decaying: usize,
    },
    /// Gradient descent with momentum: that of Polyak (1964), or that of Nesterov (1983) as Sutskever, Martens, Dahl and Hinton (2013) write it,
    /// at the points where gradients are taken. The velocity is kept as the mean.
    Momentum {
        /// Step length.
        rate: f64,
        /// Share of the velocity that is left after a step.
        momentum: f64,
        /// Whether a step looks ahead along the velocity.
        nesterov: bool,
    },
    /// RMSProp (Tieleman, Hinton 2012), with a velocity as above.
    RmsProp {
        /// Step length.
        rate: f64,
        /// Decay of the running mean of the gradient's square.
        square_decay: f64,
        /// Added to the root of the square.
        floor: f64,
        /// Share of the velocity that is left after a step.
        momentum: f64,
    },
}

/// Several steps of an update, one after the other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Series<'run> {
    /// How parameters move; its own step length does not count.
    pub update: Update,
    /// The length of every step.
    pub rates: &'run [f64],
    /// The series ends after a step from a smaller loss.
    pub bound: Option<f64>,
}

/// Running means over the steps so far.
#[derive(Clone, PartialEq, Debug)]
pub struct Moments {
    /// Steps taken.
    pub steps: u64,
    /// Of the gradient; where there is momentum, the velocity.
    pub mean: Vec<f64>,
    /// Of its square.
    pub square: Vec<f64>,
}

/// What is remembered from step to step, by the rule that moves parameters and by those that make gradients shorter.
#[derive(Debug)]
pub struct Carried<'run> {
    /// Of the gradients.
    pub moments: &'run mut Moments,
    /// Where gradients are made shorter first.
    pub clipping: Option<&'run mut Clipping>,
}

impl<'run> From<&'run mut Moments> for Carried<'run> {
    fn from(moments: &'run mut Moments) -> Self {
        Carried { moments, clipping: None }
    }
}

impl Moments {
    /// Before the first step.
    pub fn new(parameters: usize) -> Self {
        Moments { steps: 0, mean: vec![0.0; parameters], square: vec![0.0; parameters] }
    }
}

impl Update {
    /// The same with another step length.
    pub fn with_rate(self, rate: f64) -> Self {
        match self {
            Update::Adam { mean_decay, square_decay, floor, decay, decaying, .. } => {
                Update::Adam { rate, mean_decay, square_decay, floor, decay, decaying }
            }
            Update::Momentum { momentum, nesterov, .. } => Update::Momentum { rate, momentum, nesterov },
            Update::RmsProp { square_decay, floor, momentum, .. } => {
                Update::RmsProp { rate, square_decay, floor, momentum }
            }
        }
    }

    /// What the running mean is multiplied by in step number `steps`, and what its square is: in Adam both start from zero.
    pub fn corrections(self, steps: u64) -> [f64; 2] {
        match self {
            Update::Adam { rate, mean_decay, square_decay, .. } => {
                let steps = steps as f64;
                [rate / (1.0 - mean_decay.powf(steps)), 1.0 / (1.0 - square_decay.powf(steps))]
            }
            Update::Momentum { rate, .. } | Update::RmsProp { rate, .. } => [rate, 1.0],
        }
    }

    /// Moves `parameters` against a finite `gradient`, reading and writing every number once.
    pub fn apply(self, moments: &mut Moments, parameters: &mut [f64], gradient: &[f64]) {
        moments.steps += 1;
        let level = Level::best();
        match self {
            Update::Adam { rate, mean_decay, square_decay, floor, decay, decaying } => {
                let [length, correction] = self.corrections(moments.steps);
                let numbers =
                    Numbers { length, correction, mean_decay, square_decay, floor, keep: 1.0 - rate * decay };
                let (mean, lasting_mean) = moments.mean.split_at_mut(decaying);
                let (square, lasting_square) = moments.square.split_at_mut(decaying);
                let (gradient, lasting_gradient) = gradient.split_at(decaying);
                let (parameters, lasting) = parameters.split_at_mut(decaying);
                adam(level, numbers, mean, square, gradient, parameters);
                let numbers = Numbers { keep: 1.0, ..numbers };
                adam(level, numbers, lasting_mean, lasting_square, lasting_gradient, lasting);
            }
            Update::Momentum { rate, momentum, nesterov } => {
                let velocity = &mut moments.mean;
                level.run(Push { rate, momentum, nesterov, velocity, parameters, gradient });
            }
            Update::RmsProp { rate, square_decay, floor, momentum } => {
                let Moments { mean: velocity, square, .. } = moments;
                level.run(Scaled {
                    rate,
                    square_decay,
                    floor,
                    momentum,
                    velocity,
                    square,
                    parameters,
                    gradient,
                });
            }
        }
    }
}

/// A step of momentum.
struct Push<'step> {
    rate: f64,
    momentum: f64,
    nesterov: bool,
    velocity: &'step mut [f64],
    parameters: &'step mut [f64],
    gradient: &'step [f64],
}

impl VectorWork for Push<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Push { rate, momentum, nesterov, .. } = self;
        let moving = self.parameters.iter_mut().zip(self.velocity);
        for ((parameter, velocity), &gradient) in moving.zip(self.gradient) {
            let push = rate * gradient;
            *velocity = momentum * *velocity - push;
            *parameter += if nesterov { momentum * *velocity - push } else { *velocity };
        }
    }
}

/// A step of RMSProp.
struct Scaled<'step> {
    rate: f64,
    square_decay: f64,
    floor: f64,
    momentum: f64,
    velocity: &'step mut [f64],
    square: &'step mut [f64],
    parameters: &'step mut [f64],
    gradient: &'step [f64],
}

impl VectorWork for Scaled<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Scaled { rate, square_decay, floor, momentum, .. } = self;
        let moving = self.parameters.iter_mut().zip(self.velocity.iter_mut().zip(self.square));
        for ((parameter, (velocity, square)), &gradient) in moving.zip(self.gradient) {
            *square = square_decay * *square + (1.0 - square_decay) * gradient * gradient;
            *velocity = momentum * *velocity - rate * gradient / (square.sqrt() + floor);
            *parameter += *velocity;
        }
    }
}

/// What one step of Adam is made of.
#[derive(Clone, Copy)]
struct Numbers {
    length: f64,
    correction: f64,
    mean_decay: f64,
    square_decay: f64,
    floor: f64,
    /// Of a parameter, before it moves.
    keep: f64,
}

for_each_level! {
    fn adam<T: Float>(
        numbers: Numbers,
        mean: &mut [T],
        square: &mut [T],
        gradient: &[T],
        parameters: &mut [T],
    ) => adam_body
}

#[inline(always)]
fn adam_body<T: Float, const FMA: bool>(
    numbers: Numbers,
    mean: &mut [T],
    square: &mut [T],
    gradient: &[T],
    parameters: &mut [T],
) {
    let [length, correction, floor] = [numbers.length, numbers.correction, numbers.floor].map(T::from_f64);
    let [keep_mean, keep_square] = [numbers.mean_decay, numbers.square_decay].map(T::from_f64);
    let keep = T::from_f64(numbers.keep);
    let (take_mean, take_square) = (T::ONE - keep_mean, T::ONE - keep_square);
    let moments = mean.iter_mut().zip(square);
    for ((parameter, (mean, square)), &gradient) in parameters.iter_mut().zip(moments).zip(gradient) {
        *mean = keep_mean * *mean + take_mean * gradient;
        *square = keep_square * *square + take_square * gradient * gradient;
        *parameter = keep * *parameter - length * *mean / ((*square * correction).sqrt() + floor);
    }
}
