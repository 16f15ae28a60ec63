//! Linear differential operators without a zeroth-order part, and the vector space they span.

use crate::expression::{Derivative, Expression, Node, Pool};
use std::collections::BTreeMap;

/// `Σ coefficient ∂^derivative` with numeric coefficients: a polynomial in the ∂s.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Operator(BTreeMap<Derivative, f64>);

impl Operator {
    /// A single derivative.
    pub fn monomial(derivative: Derivative) -> Self {
        Operator(BTreeMap::from([(derivative, 1.0)]))
    }

    /// The coefficient of a derivative.
    pub fn coefficient(&self, derivative: Derivative) -> f64 {
        self.0.get(&derivative).copied().unwrap_or(0.0)
    }

    /// Its derivatives with their coefficients, ascending.
    pub fn terms(&self) -> impl Iterator<Item = (Derivative, f64)> {
        self.0.iter().map(|(&derivative, &coefficient)| (derivative, coefficient))
    }

    /// The highest order that occurs.
    pub fn order(&self) -> usize {
        self.0.keys().map(|derivative| derivative.order()).max().unwrap_or(0)
    }

    /// Adds `factor` times another operator.
    pub fn add(&mut self, other: &Operator, factor: f64) {
        for (derivative, coefficient) in other.terms() {
            *self.0.entry(derivative).or_insert(0.0) += factor * coefficient;
        }
    }

    /// Relative size below which what is left of a coefficient is the rounding of an exact cancellation:
    /// a few dozen operations at 2^-53 each.
    const CANCELLED: f64 = 1e-14;

    /// Relative size below which a remainder may be rounding or meant: nobody can tell.
    const DOUBTFUL: f64 = 1e-7;

    /// Subtracts `factor` times another operator, coefficient by coefficient: each is compared only with
    /// itself, because coefficients of different derivatives have different units. `Err` if a remainder
    /// may be rounding.
    fn subtract(&mut self, other: &Operator, factor: f64) -> Result<(), Doubtful> {
        for (derivative, coefficient) in other.terms() {
            let (before, change) = (self.coefficient(derivative), factor * coefficient);
            let (after, size) = (before - change, before.abs().max(change.abs()));
            if before == 0.0 {
                self.0.insert(derivative, -change);
            } else if after.abs() <= Self::CANCELLED * size {
                self.0.remove(&derivative);
            } else if after.abs() <= Self::DOUBTFUL * size {
                return Err(Doubtful);
            } else {
                self.0.insert(derivative, after);
            }
        }
        Ok(())
    }

    /// The operator's symbol differentiated by one of its ∂s: what is left of it when one of its
    /// derivatives falls on another factor. These are the operators that the chain rule needs.
    fn lowered(&self) -> Vec<Operator> {
        let mut lowered: BTreeMap<u8, Operator> = BTreeMap::new();
        for (derivative, coefficient) in self.terms() {
            let axes = derivative.axes();
            for (position, &axis) in axes.iter().enumerate() {
                let rest: Vec<usize> = axes
                    .iter()
                    .enumerate()
                    .filter(|&(other, _)| other != position)
                    .map(|(_, &axis)| usize::from(axis))
                    .collect();
                let rest = Derivative::new(&rest).expect("fewer axes than before");
                *lowered.entry(axis).or_default().0.entry(rest).or_insert(0.0) += coefficient;
            }
        }
        lowered.into_values().collect()
    }
}

impl FromIterator<(Derivative, f64)> for Operator {
    fn from_iter<T: IntoIterator<Item = (Derivative, f64)>>(terms: T) -> Self {
        let mut operator = Operator::default();
        for (derivative, coefficient) in terms {
            *operator.0.entry(derivative).or_insert(0.0) += coefficient;
        }
        operator
    }
}

/// An operator whose coefficients may depend on the point and on trainable scalars.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VariableOperator(pub Vec<(Derivative, Expression)>);

impl VariableOperator {
    /// The same operator as `factor · numeric`, if its coefficients are multiples of one expression.
    pub fn as_multiple(&self, pool: &mut Pool) -> Option<(Option<Expression>, Operator)> {
        let groups = self.groups(pool);
        match &groups[..] {
            [(factor, operator)] => Some((*factor, operator.clone())),
            _ => None,
        }
    }

    /// Splits into `Σ factor · numeric operator` with distinct factors; `None` stands for 1.
    pub fn groups(&self, pool: &mut Pool) -> Vec<(Option<Expression>, Operator)> {
        let mut groups: Vec<(Option<Expression>, Operator)> = Vec::new();
        for &(derivative, coefficient) in &self.0 {
            let (number, factor) = split_number(pool, coefficient);
            let term = Operator::from_iter([(derivative, number)]);
            match groups.iter_mut().find(|(known, _)| *known == factor) {
                Some((_, operator)) => operator.add(&term, 1.0),
                None => groups.push((factor, term)),
            }
        }
        groups
    }

    /// The coefficient of a derivative, if it occurs.
    pub fn coefficient(&self, derivative: Derivative) -> Option<Expression> {
        self.0.iter().find(|(known, _)| *known == derivative).map(|&(_, coefficient)| coefficient)
    }
}

/// `number · rest`, so that multiples of one expression have the same rest; a plain number has none.
pub(super) fn split_number(pool: &mut Pool, expression: Expression) -> (f64, Option<Expression>) {
    match pool.node(expression).clone() {
        Node::Number(value) => (value.get(), None),
        Node::Sum(constant, terms) => {
            let number = terms[0].1.get();
            let one = pool.number(1.0);
            let mut rest: Vec<_> = terms.iter().map(|&(term, c)| (term, c.get() / number)).collect();
            rest.push((one, constant.get() / number));
            (number, Some(pool.combine(&rest)))
        }
        _ => (1.0, Some(expression)),
    }
}

/// A basis of a space of operators that the chain rule does not leave, in reduced echelon form:
/// each member has coefficient 1 at its own pivot and 0 at the pivots of all others, so coordinates
/// in the basis are read off at the pivots.
#[derive(Clone, Debug)]
pub(super) struct Basis {
    members: Vec<Member>,
}

/// A member of a [`Basis`].
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// The derivative that identifies it.
    pub pivot: Derivative,
    /// The operator; the coefficient of `pivot` is 1.
    pub operator: Operator,
}

/// Whether operators are independent cannot be told from rounding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Doubtful;

impl Basis {
    /// The space of the value alone.
    pub(super) fn new() -> Self {
        let pivot = Derivative::NONE;
        Basis { members: vec![Member { pivot, operator: Operator::monomial(pivot) }] }
    }

    /// Its members: the value first, then by order and pivot.
    pub(super) fn members(&self) -> &[Member] {
        &self.members
    }

    /// Whether an operator lies in the space.
    pub(super) fn contains(&self, operator: &Operator) -> Result<bool, Doubtful> {
        Ok(self.remainder(operator)?.0.is_empty())
    }

    /// Grows to the smallest chain-rule-closed space that also holds `operator`. On `Err` the basis is
    /// to be thrown away.
    ///
    /// `D(σ(z))` needs, beside `s1·Dz`, products of what remains of D when its derivatives are
    /// shared out among several factors: the partial derivatives of D's symbol, of all orders.
    pub(super) fn insert(&mut self, operator: &Operator) -> Result<(), Doubtful> {
        if self.contains(operator)? {
            return Ok(()); // The space is closed, so what the operator needs is inside as well.
        }
        self.insert_lowered(operator)?;
        let rest = self.remainder(operator)?;
        if !rest.0.is_empty() {
            self.push(rest)?;
            self.members.sort_by_key(|member| (member.operator.order(), member.pivot));
        }
        Ok(())
    }

    /// Inserts what the chain rule needs of `operator`, without the operator itself.
    pub(super) fn insert_lowered(&mut self, operator: &Operator) -> Result<(), Doubtful> {
        let lowered = operator.lowered();
        lowered.iter().filter(|lowered| lowered.order() > 0).try_for_each(|lowered| self.insert(lowered))
    }

    /// Inserts every derivative of `operator` by itself. In a basis of nothing but single derivatives
    /// there is nothing to doubt.
    pub(super) fn insert_apart(&mut self, operator: &Operator) -> Result<(), Doubtful> {
        operator.terms().try_for_each(|(derivative, _)| self.insert(&Operator::monomial(derivative)))
    }

    /// What is left of an operator outside the space.
    fn remainder(&self, operator: &Operator) -> Result<Operator, Doubtful> {
        let mut rest = operator.clone();
        for member in &self.members {
            let coefficient = rest.coefficient(member.pivot);
            if coefficient != 0.0 {
                rest.subtract(&member.operator, coefficient)?;
            }
        }
        Ok(rest)
    }

    fn push(&mut self, mut operator: Operator) -> Result<(), Doubtful> {
        let mut pivot = (Derivative::NONE, 0.0f64);
        for (derivative, coefficient) in operator.terms() {
            // Strictly larger: of equals the lowest derivative wins, which reads most naturally.
            if coefficient.abs() > pivot.1.abs() {
                pivot = (derivative, coefficient);
            }
        }
        let (pivot, scale) = pivot;
        operator.0.values_mut().for_each(|coefficient| *coefficient /= scale);
        operator.0.insert(pivot, 1.0);
        for member in &mut self.members {
            let coefficient = member.operator.coefficient(pivot);
            if coefficient != 0.0 {
                member.operator.subtract(&operator, coefficient)?;
            }
        }
        self.members.push(Member { pivot, operator });
        Ok(())
    }
}
