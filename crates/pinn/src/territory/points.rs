//! The points that training begins with, as far as they can be seen in space.

use crate::sample::{CoverSummary, Draw, draw, summary};
use crate::{Experiment, TrainError};
use equation::problem::{Place, Role};
use equation::taylor::{Source, Term};
use kernel::Points;

/// The points of the first draw, by their space coordinates.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FirstPoints {
    /// How many there are inside; no more than this were drawn.
    pub inside: usize,
    /// Those inside.
    pub interior: Vec<Vec<f64>>,
    /// Per condition that is a penalty its name, how many points it has, and those of them that lie at a place in space.
    pub conditions: Vec<(String, usize, Vec<Vec<f64>>)>,
    /// The cells that points inside are looked for in, where a shape fills little of its box.
    pub cells: Option<CoverSummary>,
}

/// More points inside than these are not drawn, only counted: nobody could tell them apart.
const MOST: usize = 100_000;

impl Experiment {
    /// The points that training begins with, or as many inside as are asked for.
    pub fn first_points(&self, inside: Option<usize>) -> Result<FirstPoints, TrainError> {
        let Some(settings) = self.settled().first() else { return Ok(FirstPoints::default()) };
        let problem = self.problem();
        let inside = inside.unwrap_or(settings.points);
        let drawn = Draw { interior: inside.min(MOST), ..settings.draw(problem, 0) };
        let points = draw(problem, self.plan(), &self.tables, drawn)?;
        let geometry = problem.domain.geometry.as_ref();
        let cells = geometry.map(|geometry| summary(&problem.domain, geometry, drawn.sampler)).transpose()?;
        let mut first = FirstPoints { inside, cells: cells.flatten(), ..FirstPoints::default() };
        for (term, points) in self.plan().terms.iter().zip(&points) {
            match term.source {
                Source::Interior => first.interior = self.in_space(points),
                Source::Condition(_) => {
                    let shown = if self.is_in_space(term) { self.in_space(points) } else { Vec::new() };
                    first.conditions.push((term.name.clone(), points.len(), shown));
                }
                Source::Data(_) | Source::Prediction => {}
            }
        }
        Ok(first)
    }

    fn in_space(&self, points: &Points) -> Vec<Vec<f64>> {
        let axes = self.problem().domain.space();
        points.iter().map(|row| axes.iter().map(|&axis| row[axis]).collect()).collect()
    }

    /// Whether a condition holds at places in space, and not only at a time.
    fn is_in_space(&self, term: &Term) -> bool {
        let problem = self.problem();
        let is_space = |axis: usize| problem.domain.coordinates[axis].role == Role::Space;
        let Source::Condition(position) = term.source else { return false };
        match &problem.conditions[position].place {
            Place::Pieces(pieces) => pieces
                .iter()
                .any(|piece| piece.surface.is_some() || piece.fixed.iter().any(|(axis, _)| is_space(*axis))),
            Place::Wrap { axis } => is_space(*axis),
            Place::Interface { .. } => true,
        }
    }
}
