//! The channels of a term: the smallest set of operators from which its residuals can be computed
//! and which the chain rule does not leave.

use super::operator::{Basis, Doubtful, Operator, VariableOperator};
use crate::expression::{Derivative, Expression, Pool};
use std::collections::BTreeMap;

/// What one channel carries of every neuron.
#[derive(Clone, Debug)]
pub enum ChannelKind {
    /// The value.
    Value,
    /// One partial derivative.
    Plain(Derivative),
    /// A whole operator with fixed coefficients; 1 at its pivot.
    Collapsed {
        /// The derivative that stands for it when products are resolved.
        pivot: Derivative,
        /// What it carries.
        operator: Operator,
    },
    /// A whole operator whose coefficients are computed at each point.
    Variable {
        /// Its derivatives, each with its place in [`Channels::coefficients`].
        terms: Vec<(Derivative, usize)>,
    },
}

impl ChannelKind {
    /// Coefficient of a derivative, as a number times one of the point's coefficients.
    pub fn weight(&self, derivative: Derivative) -> Option<Weight> {
        let number = |factor: f64| (factor != 0.0).then_some(Weight { factor, coefficient: None });
        match self {
            ChannelKind::Value => number(f64::from(u8::from(derivative == Derivative::NONE))),
            ChannelKind::Plain(own) => number(f64::from(u8::from(derivative == *own))),
            ChannelKind::Collapsed { operator, .. } => number(operator.coefficient(derivative)),
            ChannelKind::Variable { terms } => terms
                .iter()
                .find(|(own, _)| *own == derivative)
                .map(|&(_, coefficient)| Weight { factor: 1.0, coefficient: Some(coefficient) }),
        }
    }

    /// The derivatives that it is made of.
    pub fn derivatives(&self) -> Vec<Derivative> {
        match self {
            ChannelKind::Value => vec![Derivative::NONE],
            ChannelKind::Plain(derivative) => vec![*derivative],
            ChannelKind::Collapsed { operator, .. } => operator.terms().map(|(own, _)| own).collect(),
            ChannelKind::Variable { terms } => terms.iter().map(|&(own, _)| own).collect(),
        }
    }

    /// The derivative by which products find this channel; variable operators have none, because
    /// no rule reads them.
    pub fn pivot(&self) -> Option<Derivative> {
        match self {
            ChannelKind::Value => Some(Derivative::NONE),
            ChannelKind::Plain(pivot) | ChannelKind::Collapsed { pivot, .. } => Some(*pivot),
            ChannelKind::Variable { .. } => None,
        }
    }
}

/// A number, times one of the coefficients computed at the point where that is named.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weight {
    /// The number.
    pub factor: f64,
    /// Place in [`Channels::coefficients`].
    pub coefficient: Option<usize>,
}

impl Weight {
    /// The value, given the point's coefficients.
    pub fn value(&self, coefficients: &[f64]) -> f64 {
        self.coefficient.map_or(self.factor, |place| self.factor * coefficients[place])
    }
}

/// The channels of a term.
#[derive(Clone, Debug)]
pub struct Channels {
    /// The value first.
    pub kinds: Vec<ChannelKind>,
    /// Coefficients that are computed at each point.
    pub coefficients: Vec<Expression>,
}

impl Channels {
    /// Channels that a term may have at most: the 100-dimensional Laplacian needs 102.
    pub const LIMIT: usize = 1024;

    /// Chooses the channels for some operators, all of which will be applied to network outputs.
    pub fn choose(pool: &mut Pool, operators: &[VariableOperator]) -> Channels {
        match Self::collapsed(pool, operators) {
            Ok(channels) if channels.reproduce(pool, operators) => channels,
            // Operators whose difference may be rounding: every derivative by itself costs channels,
            // a direction made of rounding errors would cost digits.
            Ok(_) | Err(Doubtful) => Self::apart(pool, operators),
        }
    }

    fn collapsed(pool: &mut Pool, operators: &[VariableOperator]) -> Result<Channels, Doubtful> {
        let mut basis = Basis::new();
        let mut variable: Vec<(&VariableOperator, Vec<Operator>)> = Vec::new();
        for operator in operators {
            match operator.as_multiple(pool) {
                Some((_, numeric)) => basis.insert(&numeric)?,
                None => {
                    let parts = operator.groups(pool).into_iter().map(|(_, part)| part).collect();
                    variable.push((operator, parts));
                }
            }
        }
        let parts = |variable: &[(&VariableOperator, Vec<Operator>)]| -> Vec<Operator> {
            variable.iter().flat_map(|(_, parts)| parts).cloned().collect()
        };
        for part in parts(&variable) {
            basis.insert_lowered(&part)?;
        }
        let mut outside = Vec::new();
        for (operator, parts) in variable {
            let mut inside = true;
            for part in &parts {
                inside &= basis.contains(part)?;
            }
            if !inside {
                outside.push((operator, parts));
            }
        }

        // One channel per variable operator, or one per independent part: whichever is fewer.
        let mut split = basis.clone();
        for part in parts(&outside) {
            split.insert(&part)?;
        }
        if split.members().len() - basis.members().len() <= outside.len() {
            return Ok(Self::of_basis(&split));
        }
        let mut channels = Self::of_basis(&basis);
        for (operator, _) in outside {
            let coefficients = &mut channels.coefficients;
            let terms = operator.0.iter().map(|&(derivative, coefficient)| {
                coefficients.push(coefficient);
                (derivative, coefficients.len() - 1)
            });
            channels.kinds.push(ChannelKind::Variable { terms: terms.collect() });
        }
        Ok(channels)
    }

    /// Every derivative that occurs, and what the chain rule needs of it.
    fn apart(pool: &mut Pool, operators: &[VariableOperator]) -> Channels {
        let mut basis = Basis::new();
        for operator in operators {
            for (_, part) in operator.groups(pool) {
                basis.insert_apart(&part).expect("single derivatives are equal or independent");
            }
        }
        Self::of_basis(&basis)
    }

    /// Whether the channels sum to every operator that they were chosen for, coefficient by coefficient.
    fn reproduce(&self, pool: &mut Pool, operators: &[VariableOperator]) -> bool {
        operators.iter().all(|operator| {
            self.whole(operator).is_some()
                || operator.groups(pool).iter().all(|(_, part)| self.reproduces(part))
        })
    }

    fn reproduces(&self, part: &Operator) -> bool {
        // What rounding may leave of a coefficient after as many additions as there are channels.
        const ROUNDING: f64 = 1e-12;
        let mut sum: BTreeMap<Derivative, (f64, f64)> = BTreeMap::new();
        let mut add = |derivative: Derivative, coefficient: f64| {
            let (value, size) = sum.entry(derivative).or_default();
            *value += coefficient;
            *size += coefficient.abs();
        };
        part.terms().for_each(|(derivative, coefficient)| add(derivative, -coefficient));
        for kind in &self.kinds {
            let Some(share) = kind.pivot().map(|pivot| part.coefficient(pivot)) else { continue };
            for derivative in kind.derivatives() {
                add(derivative, share * kind.weight(derivative).map_or(0.0, |weight| weight.factor));
            }
        }
        sum.values().all(|(value, size)| value.abs() <= ROUNDING * size)
    }

    fn of_basis(basis: &Basis) -> Channels {
        Channels { kinds: basis.members().iter().map(kind_of).collect(), coefficients: Vec::new() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Never true: the value is always carried.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The channel that products find under a derivative.
    pub fn at_pivot(&self, derivative: Derivative) -> Option<usize> {
        self.kinds.iter().position(|kind| kind.pivot() == Some(derivative))
    }

    /// The channel that carries exactly this variable operator.
    fn whole(&self, operator: &VariableOperator) -> Option<usize> {
        self.kinds.iter().position(|kind| match kind {
            ChannelKind::Variable { terms } => {
                terms.len() == operator.0.len()
                    && terms.iter().zip(&operator.0).all(|(&(own, place), &(derivative, coefficient))| {
                        own == derivative && self.coefficients[place] == coefficient
                    })
            }
            ChannelKind::Value | ChannelKind::Plain(_) | ChannelKind::Collapsed { .. } => false,
        })
    }

    /// `operator` as a combination of channels.
    pub fn coordinates(&self, pool: &mut Pool, operator: &VariableOperator) -> Vec<(usize, Expression)> {
        if let Some(channel) = self.whole(operator) {
            return vec![(channel, pool.number(1.0))];
        }
        let at_pivot = |(channel, kind): (usize, &ChannelKind)| {
            kind.pivot()
                .and_then(|pivot| operator.coefficient(pivot))
                .map(|coefficient| (channel, coefficient))
        };
        self.kinds.iter().enumerate().filter_map(at_pivot).collect()
    }
}

fn kind_of(member: &super::operator::Member) -> ChannelKind {
    let pivot = member.pivot;
    if pivot == Derivative::NONE {
        ChannelKind::Value
    } else if member.operator.terms().count() == 1 {
        ChannelKind::Plain(pivot)
    } else {
        ChannelKind::Collapsed { pivot, operator: member.operator.clone() }
    }
}
