//! Residuals computed without channels: the network as a plain function, differentiated by
//! multicomplex steps, put into the equation as it stands in the problem.

use crate::oracle::multicomplex::{Complex, STEP, stepped};
use equation::expression::{Derivative, Function, Leaf, Number, evaluate};
use equation::problem::{Activation, Problem};
use equation::taylor::{Architecture, Layer, Plan, Row, Wave};
use std::cell::Cell;

/// Everything that a residual depends on, over one kind of number.
pub(crate) struct Point<'a, T> {
    pub problem: &'a Problem,
    pub plan: &'a Plan,
    pub row: Row,
    /// Numbers of the row; coordinates are differentiated, the rest is constant.
    pub numbers: &'a [f64],
    /// All parameters as they are trained.
    pub parameters: Vec<T>,
    /// The site that fields are being taken at.
    pub site: Cell<usize>,
}

impl<T: Number> Point<'_, T> {
    /// The residual of an equation.
    pub(crate) fn residual(&self, equation: &equation::problem::Equation) -> T {
        evaluate(&self.problem.pool, equation.residual, &|leaf| self.leaf(leaf))
    }

    fn leaf(&self, leaf: Leaf) -> T {
        let sites = self.row.coordinates * self.row.sites;
        let number = |place: usize| T::from_f64(self.numbers[place]);
        match leaf {
            Leaf::Coordinate(axis) => number(usize::from(axis)),
            Leaf::Normal(axis) => number(sites + usize::from(axis)),
            Leaf::Column(column) => number(self.row.first_column() + usize::from(column)),
            Leaf::Parameter(position) => self.scalar(&self.parameters, usize::from(position)),
            Leaf::Field(field) => {
                let site = usize::from(field.site);
                self.site.set(site);
                let start = site * self.row.coordinates;
                let coordinates: Vec<T> =
                    (0..self.row.coordinates).map(|axis| number(start + axis)).collect();
                self.derivative(usize::from(field.unknown), field.derivative, &coordinates)
            }
            Leaf::Inside(own) => {
                let start = usize::from(own.site) * self.row.coordinates;
                let place = &self.numbers[start..start + self.row.coordinates];
                T::from_f64(self.inside(usize::from(own.subdomain), usize::from(own.site), place))
            }
            Leaf::Raw(_) | Leaf::Given(_) | Leaf::Applied(_) | Leaf::Channel(_) | Leaf::Placeholder => {
                panic!("{leaf:?} does not occur in a problem's equations")
            }
        }
    }

    /// Whether a place lies in a subdomain; the points of interfaces say so themselves.
    fn inside(&self, subdomain: usize, site: usize, place: &[f64]) -> f64 {
        let count = self.problem.domain.subdomains.len();
        if self.row.sites == 2 && self.row.columns == 2 * count {
            return self.numbers[self.row.first_column() + site * count + subdomain];
        }
        f64::from(u8::from(self.problem.domain.subdomain(place) == Some(subdomain)))
    }

    /// The physical value of a trainable scalar, its bounds by the definition in the documentation.
    fn scalar<N: Number>(&self, parameters: &[N], position: usize) -> N {
        let parameter = &self.problem.parameters[position];
        let number = parameters[self.plan.architecture.weight_count() + position].clone();
        match (parameter.lower, parameter.upper) {
            (None, None) => number,
            (Some(lower), None) => N::from_f64(lower) + number.apply(Function::Exp),
            (None, Some(upper)) => N::from_f64(upper) - number.apply(Function::Exp),
            (Some(lower), Some(upper)) => {
                let share = (N::from_f64(1.0) + number.apply(Function::Tanh)) / N::from_f64(2.0);
                N::from_f64(lower) + share * N::from_f64(upper - lower)
            }
        }
    }

    fn derivative(&self, unknown: usize, derivative: Derivative, coordinates: &[T]) -> T {
        let axes = derivative.axes();
        let parameters = &self.parameters;
        match axes.len() {
            0 => self.unknown(unknown, coordinates, parameters),
            1 => self.step1(unknown, axes, coordinates, parameters),
            2 => self.step2(unknown, axes, coordinates, parameters),
            3 => self.step3(unknown, axes, coordinates, parameters),
            _ => self.step4(unknown, axes, coordinates, parameters),
        }
    }

    // Multiplied by 1/STEP: dividing squares the divisor once per level, which underflows.
    fn step1<N: Number>(&self, unknown: usize, axes: &[u8], x: &[N], w: &[N]) -> N {
        let (x, w) = (lifted(x, axes[0]), constant(w));
        self.unknown(unknown, &x, &w).imaginary * N::from_f64(1.0 / STEP)
    }

    fn step2<N: Number>(&self, unknown: usize, axes: &[u8], x: &[N], w: &[N]) -> N {
        let (x, w) = (lifted(x, axes[0]), constant(w));
        self.step1(unknown, &axes[1..], &x, &w).imaginary * N::from_f64(1.0 / STEP)
    }

    fn step3<N: Number>(&self, unknown: usize, axes: &[u8], x: &[N], w: &[N]) -> N {
        let (x, w) = (lifted(x, axes[0]), constant(w));
        self.step2(unknown, &axes[1..], &x, &w).imaginary * N::from_f64(1.0 / STEP)
    }

    fn step4<N: Number>(&self, unknown: usize, axes: &[u8], x: &[N], w: &[N]) -> N {
        let (x, w) = (lifted(x, axes[0]), constant(w));
        self.step3(unknown, &axes[1..], &x, &w).imaginary * N::from_f64(1.0 / STEP)
    }

    /// An unknown, ansatz applied, as a function of coordinates and parameters.
    fn unknown<N: Number>(&self, unknown: usize, coordinates: &[N], parameters: &[N]) -> N {
        let raw = network(&self.plan.architecture, coordinates, parameters);
        let place: Vec<f64> = coordinates.iter().map(Number::real).collect();
        match self.problem.unknowns[unknown].ansatz {
            None => raw[unknown].clone(),
            Some(ansatz) => evaluate(&self.problem.pool, ansatz, &|leaf| match leaf {
                Leaf::Raw(output) => raw[usize::from(output)].clone(),
                Leaf::Inside(own) => {
                    N::from_f64(self.inside(usize::from(own.subdomain), self.site.get(), &place))
                }
                Leaf::Coordinate(axis) => coordinates[usize::from(axis)].clone(),
                Leaf::Parameter(position) => self.scalar(parameters, usize::from(position)),
                // Only its value: derivatives are taken of the whole.
                Leaf::Given(given) => {
                    let formula = self.problem.given[usize::from(given.function)]
                        .formula()
                        .expect("shapes have formulas");
                    evaluate(&self.problem.pool, formula, &|leaf| match leaf {
                        Leaf::Coordinate(axis) => coordinates[usize::from(axis)].clone(),
                        other => panic!("{other:?} does not occur in a known function"),
                    })
                }
                other => panic!("{other:?} does not occur in an ansatz"),
            }),
        }
    }
}

fn lifted<N: Number>(coordinates: &[N], axis: u8) -> Vec<Complex<N>> {
    let step = |place: usize| if place == usize::from(axis) { STEP } else { 0.0 };
    coordinates.iter().enumerate().map(|(place, value)| stepped(value.clone(), step(place))).collect()
}

fn constant<N: Number>(values: &[N]) -> Vec<Complex<N>> {
    values.iter().map(|value| stepped(value.clone(), 0.0)).collect()
}

/// The network as a plain function.
fn network<N: Number>(architecture: &Architecture, coordinates: &[N], weights: &[N]) -> Vec<N> {
    let feature = |feature: &equation::taylor::Feature| {
        let start = N::from_f64(feature.phase);
        let z = feature
            .slopes
            .iter()
            .fold(start, |sum, &(axis, slope)| sum + coordinates[axis].clone() * N::from_f64(slope));
        match feature.wave {
            Wave::Identity => z,
            Wave::Sin => z.apply(Function::Sin),
            Wave::Cos => z.apply(Function::Cos),
        }
    };
    let mut signals: Vec<Vec<N>> = vec![architecture.features.iter().map(feature).collect()];
    for layer in &architecture.layers {
        let next = match *layer {
            Layer::Dense { input, output, weights: start, bias } => {
                let width = architecture.widths[output];
                (0..width)
                    .map(|n| {
                        signals[input].iter().enumerate().fold(weights[bias + n].clone(), |sum, (row, h)| {
                            sum + h.clone() * weights[start + row * width + n].clone()
                        })
                    })
                    .collect()
            }
            Layer::Activate { input, activation, .. } => {
                signals[input].iter().map(|z| activate(activation, z.clone())).collect()
            }
            Layer::Gate { gate, first, second, .. } => (0..signals[gate].len())
                .map(|n| {
                    let g = signals[gate][n].clone();
                    g.clone() * signals[first][n].clone()
                        + (N::from_f64(1.0) - g) * signals[second][n].clone()
                })
                .collect(),
            Layer::Add { left, right, .. } => {
                signals[left].iter().zip(&signals[right]).map(|(l, r)| l.clone() + r.clone()).collect()
            }
            Layer::Scale { input, factors, shared, .. } => (signals[input].iter().enumerate())
                .map(|(n, z)| weights[if shared { factors } else { factors + n }].clone() * z.clone())
                .collect(),
            Layer::Blend { first, second, share, .. } => (signals[first].iter().zip(&signals[second]))
                .map(|(f, s)| {
                    let share = weights[share].clone();
                    share.clone() * f.clone() + (N::from_f64(1.0) - share) * s.clone()
                })
                .collect(),
            Layer::Multiply { left, right, .. } => {
                signals[left].iter().zip(&signals[right]).map(|(l, r)| l.clone() * r.clone()).collect()
            }
            Layer::Select { input, first, output } => {
                signals[input][first..first + architecture.widths[output]].to_vec()
            }
        };
        signals.push(next);
    }
    signals.pop().expect("a network has an output")
}

fn activate<N: Number>(activation: Activation, z: N) -> N {
    let number = N::from_f64;
    match activation {
        Activation::Tanh => z.apply(Function::Tanh),
        Activation::Sin => z.apply(Function::Sin),
        Activation::Gelu => {
            let erf = (z.clone() * number(std::f64::consts::FRAC_1_SQRT_2)).apply(Function::Erf);
            z * (number(1.0) + erf) * number(0.5)
        }
        Activation::Silu => z.clone() / (number(1.0) + (-z).apply(Function::Exp)),
    }
}
