//! What seems wrong with a shape though it can be trained on.

use super::{Territory, Wall, short};
use crate::Experiment;
use equation::problem::Coordinate;

/// A shape that fills less than this share of a coordinate's interval leaves much of it empty.
const MUCH_SMALLER: f64 = 0.5;

/// More than this share of a piece without a condition is no rounding.
const UNCOVERED: f64 = 0.02;

impl Territory {
    /// Sentences for people, beyond those of the problem itself.
    pub fn warnings(&self, experiment: &Experiment) -> Vec<String> {
        let problem = experiment.problem();
        let mut lines = Vec::new();
        // [domain] holds the shape for all parameters.
        let fixed = if self.shown_at.is_empty() { &self.axes[..] } else { &[] };
        for (&axis, [low, high]) in fixed.iter().zip(&self.bounds) {
            let Coordinate { name, low: start, high: end, .. } = &problem.domain.coordinates[axis];
            if high - low < MUCH_SMALLER * (end - start) {
                let [low, high, start, end] = [*low, *high, *start, *end].map(short);
                lines.push(format!(
                    "the shape has {name} from {low} to {high}, and [domain] goes from {start} to {end}: grids and pictures \
                     would be mostly empty; write `{name} = [{low}, {high}]`"
                ));
            }
        }
        // Measurements may stand in for any condition, and equations of first order need none on every side.
        let steep = self.axes.iter().any(|&axis| problem.order_along(axis) >= 2);
        if self.shaped && steep && problem.data.is_empty() {
            // Those on which nothing holds by name are a warning of the problem.
            let named = self.walls.iter().enumerate();
            let named = named.filter(|(position, _)| !problem.conditions_on(*position).is_empty());
            let bare: Vec<&Wall> =
                named.map(|(_, wall)| wall).filter(|wall| 1.0 - wall.covered > UNCOVERED).collect();
            let part = |wall: &&Wall| match wall.covered > 0.0 {
                true => format!("{:.0} % of `{}`", 100.0 * (1.0 - wall.covered), wall.name),
                false => format!("`{}`", wall.name),
            };
            if !bare.is_empty() {
                let parts: Vec<String> = bare.iter().map(part).collect();
                lines.push(format!("filters leave no condition on {}", parts.join(", ")));
            }
        }
        lines
    }
}
