//! Parts of space with solutions of their own, which meet at interfaces.

use super::{Domain, Problem};
use crate::expression::{Comparison, Expression, Leaf, Membership, Pool};
use geometry::{Inside, Quadric, Solid};
use std::sync::Arc;

/// A part of space in which fields have a network output of their own: they may jump or bend where it ends.
#[derive(Clone, Debug)]
pub struct Subdomain {
    /// The key in the file.
    pub name: String,
    /// Its shape; what lies in an earlier subdomain too belongs to that.
    pub solid: Arc<Solid>,
    /// 1 inside of it and 0 elsewhere, as an expression of the coordinates.
    pub inside: Expression,
}

/// How far from an interface its two sides are looked at, as a share of the subdomain's size.
const STEP: f64 = 1e-7;

impl Domain {
    /// The subdomain that a point, given by all coordinates, lies in; `None` is the rest.
    pub fn subdomain(&self, place: &[f64]) -> Option<usize> {
        let space: Vec<f64> = self.space().into_iter().map(|axis| place[axis]).collect();
        self.subdomains.iter().position(|subdomain| subdomain.solid.contains(&space))
    }

    /// The subdomains on both sides of a place on the boundary of one: against its normal and along it. `None` where nothing
    /// changes there, or where a side lies outside of the problem's space.
    pub fn sides(&self, subdomain: usize, place: &[f64], normal: &[f64]) -> Option<[Option<usize>; 2]> {
        let bounds = self.subdomains[subdomain].solid.bounds();
        let size = bounds.iter().map(|[low, high]| high - low).fold(0.0, f64::max);
        let mut sides = [None; 2];
        for (side, sign) in sides.iter_mut().zip([-1.0, 1.0]) {
            let mut moved = place.to_vec();
            for (axis, slope) in self.space().into_iter().zip(normal) {
                moved[axis] += sign * STEP * size * slope;
                let coordinate = &self.coordinates[axis];
                if !(coordinate.low..=coordinate.high).contains(&moved[axis]) {
                    return None;
                }
            }
            if !self.contains(&moved) {
                return None;
            }
            *side = self.subdomain(&moved);
        }
        (sides[0] != sides[1]).then_some(sides)
    }
}

impl Problem {
    /// 1 inside of each subdomain and 0 elsewhere.
    pub(crate) fn insides(&self) -> Vec<Expression> {
        self.domain.subdomains.iter().map(|subdomain| subdomain.inside).collect()
    }

    /// Gives every subdomain an output of its own for every field: in place of the network's output stands that of the part
    /// that a point lies in.
    pub(crate) fn divide(&mut self) {
        let unknowns = self.unknowns.len();
        for unknown in 0..unknowns {
            let raw = Leaf::Raw(unknown as u16);
            let whole = self.pool.leaf(raw);
            let parts = (0..self.domain.subdomains.len()).rev().fold(whole, |rest, part| {
                let own = self.pool.leaf(Leaf::Raw((unknown + (part + 1) * unknowns) as u16));
                let membership = Membership { subdomain: part as u16, site: 0 };
                let inside = self.pool.leaf(Leaf::Inside(membership));
                self.pool.choose(inside, own, rest)
            });
            let ansatz = self.unknowns[unknown].ansatz.unwrap_or(whole);
            let divided = self.pool.substitute(ansatz, &mut |_, leaf| (leaf == raw).then_some(parts));
            self.unknowns[unknown].ansatz = Some(divided);
        }
    }
}

/// The set as 1 and 0, of coordinates.
pub(crate) fn indicator(pool: &mut Pool, set: &Inside, axes: &[usize]) -> Expression {
    match set {
        Inside::Positive(levels) => {
            let zero = pool.number(0.0);
            let all: Vec<Expression> = levels
                .iter()
                .map(|level| {
                    let level = polynomial(pool, level, axes);
                    pool.compare(Comparison::Greater, level, zero)
                })
                .collect();
            pool.product(&all)
        }
        Inside::Any(members) => {
            let all: Vec<Expression> = members.iter().map(|member| indicator(pool, member, axes)).collect();
            all.into_iter().reduce(|one, other| pool.max(one, other)).unwrap_or_else(|| pool.number(0.0))
        }
        Inside::All(members) => {
            let all: Vec<Expression> = members.iter().map(|member| indicator(pool, member, axes)).collect();
            pool.product(&all)
        }
        Inside::Without(pair) => {
            let [first, second] = [0, 1].map(|place| indicator(pool, &pair[place], axes));
            without(pool, first, second)
        }
    }
}

/// What is in the first set and not in the second.
pub(crate) fn without(pool: &mut Pool, first: Expression, second: Expression) -> Expression {
    let one = pool.number(1.0);
    let outside = pool.subtract(one, second);
    pool.multiply(first, outside)
}

fn polynomial(pool: &mut Pool, level: &Quadric, axes: &[usize]) -> Expression {
    let coordinates: Vec<Expression> =
        axes.iter().map(|&axis| pool.leaf(Leaf::Coordinate(axis as u16))).collect();
    let mut terms = vec![(pool.number(1.0), level.constant)];
    terms.extend(coordinates.iter().copied().zip(level.linear.iter().copied()));
    for (row, &x) in level.square.iter().zip(&coordinates) {
        for (&factor, &y) in row.iter().zip(&coordinates) {
            terms.push((pool.multiply(x, y), factor));
        }
    }
    pool.combine(&terms)
}
