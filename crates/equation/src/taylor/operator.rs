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

    fn size(&self) -> f64 {
        self.0.values().fold(0.0, |size, coefficient| size.max(coefficient.abs()))
    }

    /// Drops what is only rounding next to `size`.
    fn clean(&mut self, size: f64) {
        self.0.retain(|_, coefficient| coefficient.abs() > Self::ROUNDING * size);
    }

    /// Relative size below which a coefficient is the rounding of an exact cancellation: a few
    /// dozen operations at 2^-53 each.
    const ROUNDING: f64 = 1e-14;

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
    pub fn as_multiple(&self, pool: &Pool) -> Option<(Option<Expression>, Operator)> {
        let groups = self.groups(pool);
        match &groups[..] {
            [(factor, operator)] => Some((*factor, operator.clone())),
            _ => None,
        }
    }

    /// Splits into `Σ factor · numeric operator` with distinct factors; `None` stands for 1.
    pub fn groups(&self, pool: &Pool) -> Vec<(Option<Expression>, Operator)> {
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

/// `number · rest`; a plain number has no rest.
pub(super) fn split_number(pool: &Pool, expression: Expression) -> (f64, Option<Expression>) {
    match pool.node(expression) {
        Node::Number(value) => (value.get(), None),
        Node::Sum(constant, terms) if constant.get() == 0.0 && terms.len() == 1 => {
            (terms[0].1.get(), Some(terms[0].0))
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
    pub(super) fn contains(&self, operator: &Operator) -> bool {
        matches!(self.reduce(operator), Reduced::Inside)
    }

    /// The smallest chain-rule-closed space that also holds `operator`.
    ///
    /// `D(σ(z))` needs, beside `s1·Dz`, products of what remains of D when its derivatives are
    /// shared out among several factors: the partial derivatives of D's symbol, of all orders.
    pub(super) fn insert(&mut self, operator: &Operator) {
        if self.contains(operator) {
            return; // The space is closed, so what the operator needs is inside as well.
        }
        self.insert_lowered(operator);
        match self.reduce(operator) {
            Reduced::Inside => {}
            Reduced::Outside(rest) => self.push(rest),
            Reduced::Unclear => {
                // Neither a multiple of what is known nor safely apart from it: carry the plain
                // derivatives instead of a direction made of rounding errors.
                for (derivative, _) in operator.terms() {
                    let monomial = Operator::monomial(derivative);
                    self.insert_lowered(&monomial);
                    if let Reduced::Outside(rest) = self.reduce(&monomial) {
                        self.push(rest);
                    }
                }
            }
        }
        self.members.sort_by_key(|member| (member.operator.order(), member.pivot));
    }

    /// Inserts what the chain rule needs of `operator`, without the operator itself.
    pub(super) fn insert_lowered(&mut self, operator: &Operator) {
        for lowered in operator.lowered() {
            if lowered.order() > 0 {
                self.insert(&lowered);
            }
        }
    }

    fn reduce(&self, operator: &Operator) -> Reduced {
        let size = operator.size();
        let mut rest = operator.clone();
        for member in &self.members {
            let coefficient = rest.coefficient(member.pivot);
            if coefficient != 0.0 {
                rest.add(&member.operator, -coefficient);
                rest.0.remove(&member.pivot);
            }
        }
        let left = rest.size() / size;
        if rest.0.is_empty() || left <= Operator::ROUNDING {
            Reduced::Inside
        } else if left < 1e-8 && !self.pivots_apart(operator) {
            Reduced::Unclear
        } else {
            rest.clean(size);
            Reduced::Outside(rest)
        }
    }

    /// Whether no member shares a derivative with `operator`: then nothing was subtracted.
    fn pivots_apart(&self, operator: &Operator) -> bool {
        self.members.iter().all(|member| operator.coefficient(member.pivot) == 0.0)
    }

    fn push(&mut self, mut operator: Operator) {
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
                let size = member.operator.size();
                member.operator.add(&operator, -coefficient);
                member.operator.0.remove(&pivot);
                member.operator.clean(size);
            }
        }
        self.members.push(Member { pivot, operator });
    }
}

enum Reduced {
    Inside,
    Outside(Operator),
    Unclear,
}
