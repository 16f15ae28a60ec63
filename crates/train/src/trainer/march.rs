//! Early times first: a solution is found near its start before it is looked for later. Without this,
//! long times pull the network to a solution that has nothing to do with its start (Wang, Sankaranarayanan,
//! Perdikaris 2022 call it causality).

use equation::problem::{Place, Problem, Role};
use equation::taylor::{Row, Source, Term};
use kernel::Points;

/// The part of time that training begins with.
const FIRST: f64 = 0.1;

/// How the part grows with each step at which the equations hold, and at others.
const GROWTH: (f64, f64) = (1.15, 1.02);

/// Equations hold when the loss is this part of the untrained network's.
const HOLDS: f64 = 1e-2;

/// How far training has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct March {
    /// The part of time that points are drawn from.
    pub part: f64,
    /// The loss of the untrained network; zero before the first step.
    pub untrained: f64,
}

impl March {
    /// Before the first step.
    pub(super) const START: March = March { part: FIRST, untrained: 0.0 };

    /// Goes on after a step from this loss.
    pub(super) fn advance(&mut self, loss: f64) {
        if self.untrained == 0.0 {
            self.untrained = loss;
        }
        let growth = if loss < HOLDS * self.untrained { GROWTH.0 } else { GROWTH.1 };
        self.part = (self.part * growth).min(1.0);
    }

    /// Moves the points of a term to the part of time that it is the turn of.
    pub(super) fn confine(self, problem: &Problem, term: &Term, points: &mut Points) {
        let Some(axis) = axis(problem) else { return };
        if self.part >= 1.0 || matches!(term.source, Source::Data(_)) {
            return;
        }
        let low = problem.domain.coordinates[axis].low;
        let Row { coordinates, sites, .. } = term.row;
        points.for_each_mut(|row| {
            for time in (0..sites).map(|site| site * coordinates + axis) {
                row[time] = low + self.part * (row[time] - low);
            }
        });
    }
}

/// The time of a problem that has nothing but a start to go by.
fn axis(problem: &Problem) -> Option<usize> {
    let coordinates = &problem.domain.coordinates;
    let axis = coordinates.iter().position(|coordinate| coordinate.role == Role::Time)?;
    let later = problem.conditions.iter().any(|condition| match &condition.place {
        Place::Wrap { axis: around } => *around == axis,
        Place::Pieces(pieces) => pieces
            .iter()
            .flat_map(|piece| &piece.fixed)
            .any(|&(fixed, value)| fixed == axis && value != coordinates[axis].low),
    });
    let periodic = problem.network.periodic.iter().any(|periodic| periodic.axis == axis);
    (!later && !periodic && problem.data.is_empty()).then_some(axis)
}
