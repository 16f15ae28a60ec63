//! What is prescribed where: an unknown, or its slope across the face, on one face of the box.

use crate::expression::{Expression, Leaf, Pool};
use crate::problem::Domain;

/// Which end of a coordinate's interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Low,
    High,
}

/// A linear functional of fields: differentiate `order` times along `axis`, then go to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Face {
    pub(super) axis: usize,
    pub(super) end: End,
    pub(super) order: usize,
}

impl Face {
    /// The coordinate's value on the face.
    pub(super) fn value(self, domain: &Domain) -> f64 {
        let coordinate = &domain.coordinates[self.axis];
        match self.end {
            End::Low => coordinate.low,
            End::High => coordinate.high,
        }
    }

    /// What keeps a point on the face.
    pub(super) fn fixed(self, domain: &Domain) -> (usize, f64) {
        (self.axis, self.value(domain))
    }

    /// The functional applied to a function of the coordinates.
    pub(super) fn of(self, pool: &mut Pool, domain: &Domain, function: Expression) -> Expression {
        let mut slope = function;
        for _ in 0..self.order {
            slope = pool.differentiate(slope, self.axis);
        }
        let value = self.value(domain);
        pool.substitute(slope, &mut |pool, leaf| {
            (leaf == Leaf::Coordinate(self.axis as u16)).then(|| pool.number(value))
        })
    }
}
