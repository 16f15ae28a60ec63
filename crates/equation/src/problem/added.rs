//! Unknowns that are the network's output plus what the file knows of them.

use super::Problem;
use crate::expression::{Expression, Leaf, Pool};

/// An unknown of the form `known + factor·N`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Added {
    /// A function of the coordinates, and of parameters: zero where there is no ansatz.
    pub known: Expression,
    /// Of the network's output, other than zero.
    pub factor: f64,
}

impl Problem {
    /// What the network's output is added to, unless the unknown's ansatz is of another form. `pool` holds the
    /// problem's expressions.
    pub fn added(&self, pool: &mut Pool, unknown: usize) -> Option<Added> {
        let Some(ansatz) = self.unknowns[unknown].ansatz else {
            return Some(Added { known: pool.number(0.0), factor: self.unknowns[unknown].unit });
        };
        let leaf = Leaf::Raw(unknown as u16);
        let slope = pool.derivative(ansatz, leaf);
        let factor = pool.as_number(slope).filter(|factor| *factor != 0.0 && factor.is_finite())?;
        let raw = pool.leaf(leaf);
        let known = pool.combine(&[(ansatz, 1.0), (raw, -factor)]);
        // A choice between two formulas has a constant slope too.
        (!pool.mentions(known, |other| other == leaf)).then_some(Added { known, factor })
    }
}
