//! All networks as one function of the coordinates: whichever window a time belongs to answers.

use crate::sample::sizes;
use crate::{Experiment, TrainError};
use equation::expression::{Derivative, Expression};
use equation::problem::Windows;
use equation::taylor::{Plan, Source};
use kernel::{Kernel, Points};
use rayon::prelude::*;
use std::sync::Arc;

/// The times that were reached, where time comes in windows.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    windows: Windows,
    /// Windows that were begun.
    begun: usize,
}

impl Reached {
    /// Whether a point lies in a window that was begun.
    pub(crate) fn contains(&self, place: &[f64]) -> bool {
        self.window(place) < self.begun
    }

    /// The window of a point.
    fn window(&self, place: &[f64]) -> usize {
        self.windows.at(place[self.windows.axis])
    }
}

impl Experiment {
    /// The times that a solution has reached; `None` where time is one.
    pub(crate) fn reached(&self, begun: usize) -> Option<Reached> {
        self.problem().windows().map(|windows| Reached { windows, begun })
    }

    /// The time that a solution has reached, with its name, where windows are still to come.
    pub fn unfinished(&self, parameters: &[f64]) -> Option<(&str, f64)> {
        let windows = self.problem().windows()?;
        let begun = self.networks(parameters).len();
        let name = &self.problem().domain.coordinates[windows.axis].name;
        (begun < windows.count()).then(|| (name.as_str(), windows.cuts[begun]))
    }

    /// The parameters of every window that was begun.
    pub(crate) fn networks<'p>(&self, parameters: &'p [f64]) -> Vec<&'p [f64]> {
        match self.window_count() {
            1 => vec![parameters],
            windows => parameters.chunks(self.plan().parameter_count()).take(windows).collect(),
        }
    }

    /// Unknowns, or else these fields, at points, point by point. In windows that were not begun, and outside of a shape, they
    /// are no numbers.
    pub(crate) fn values(
        &self,
        parameters: &[f64],
        points: &Points,
        fields: Option<&[(usize, Derivative)]>,
    ) -> Result<Vec<f64>, TrainError> {
        let each = fields.map_or(self.problem().unknowns.len(), <[_]>::len);
        let networks = self.networks(parameters);
        let Some(reached) = self.reached(networks.len()) else {
            let values = self.values_in(0, parameters, points, fields)?;
            return Ok(self.in_shape(points, each, values));
        };
        let mut values = vec![f64::NAN; points.len() * each];
        for (number, parameters) in networks.into_iter().enumerate() {
            let part = Selection::of(points, |place| reached.window(place) == number);
            if !part.points.is_empty() {
                let found = self.values_in(number, parameters, &part.points, fields)?;
                part.put(&found, each, &mut values);
            }
        }
        Ok(self.in_shape(points, each, values))
    }

    /// The size of the residuals inside at points, all equations together: the root of the sum of their squares. In windows that were not
    /// begun, and outside of a shape, it is no number.
    pub fn residual_sizes(&self, parameters: &[f64], points: &Points) -> Result<Vec<f64>, TrainError> {
        let networks = self.networks(parameters);
        let reached = self.reached(networks.len());
        let mut sizes = vec![f64::NAN; points.len()];
        for (number, parameters) in networks.into_iter().enumerate() {
            let is_own =
                |place: &[f64]| reached.as_ref().is_none_or(|reached| reached.window(place) == number);
            let part = Selection::of(points, is_own);
            let found = self.residual_sizes_in(number, parameters, &part.points)?;
            part.put(&found, 1, &mut sizes);
        }
        Ok(self.in_shape(points, 1, sizes))
    }

    /// The same by the network of one window.
    fn residual_sizes_in(
        &self,
        number: usize,
        parameters: &[f64],
        points: &Points,
    ) -> Result<Vec<f64>, TrainError> {
        let stage = self.stage(number)?;
        let inside = stage.plan.terms.iter().position(|term| term.source == Source::Interior);
        let Some(position) = inside.filter(|_| !points.is_empty()) else {
            return Ok(vec![f64::NAN; points.len()]);
        };
        let term = &stage.plan.terms[position];
        let width = term.row.width();
        // Behind the coordinates stand known functions, which are filled, and weights of one.
        let mut rows = vec![1.0; points.len() * width];
        for (row, place) in rows.chunks_exact_mut(width).zip(points.iter()) {
            row[..place.len()].copy_from_slice(place);
        }
        let mut points = Points::from_rows(width, rows);
        if let Some(given) = &term.given {
            points.fill_given(given);
        }
        let mut residuals = vec![0.0; points.len() * term.residuals.len()];
        self.compile(&stage.plan)?.residuals(position, &points, parameters, &mut residuals)?;
        Ok(sizes(&residuals, points.len()))
    }

    /// Values, `each` to a point, without those outside of the shape.
    pub(crate) fn in_shape(&self, points: &Points, each: usize, mut values: Vec<f64>) -> Vec<f64> {
        if let Some(geometry) = &self.problem().domain.geometry {
            let rows = values.par_chunks_mut(each.max(1)).enumerate();
            rows.filter(|(index, _)| !geometry.covers(points.row(*index)))
                .for_each(|(_, row)| row.fill(f64::NAN));
        }
        values
    }

    /// The same by the network of one window.
    fn values_in(
        &self,
        number: usize,
        parameters: &[f64],
        points: &Points,
        fields: Option<&[(usize, Derivative)]>,
    ) -> Result<Vec<f64>, TrainError> {
        let stage = self.stage(number)?;
        let plan = match fields {
            Some(fields) => stage.plan.predicting(&stage.problem, fields)?,
            None => Arc::clone(&stage.plan),
        };
        self.predicted(&plan, points, parameters)
    }

    /// An expression of the problem at points, whose rows have outward normals where the expression has. In windows that were not begun
    /// it is no number.
    pub(crate) fn asked(
        &self,
        parameters: &[f64],
        points: &Points,
        expression: Expression,
    ) -> Result<Vec<f64>, TrainError> {
        let networks = self.networks(parameters);
        let reached = self.reached(networks.len());
        let mut values = vec![f64::NAN; points.len()];
        for (number, parameters) in networks.into_iter().enumerate() {
            let own = |place: &[f64]| reached.as_ref().is_none_or(|reached| reached.window(place) == number);
            let part = Selection::of(points, own);
            if !part.points.is_empty() {
                let stage = self.stage(number)?;
                let plan = stage.plan.asking(&stage.problem, &[expression])?;
                part.put(&self.predicted(&plan, &part.points, parameters)?, 1, &mut values);
            }
        }
        Ok(values)
    }

    fn predicted(
        &self,
        plan: &Arc<Plan>,
        points: &Points,
        parameters: &[f64],
    ) -> Result<Vec<f64>, TrainError> {
        let mut kernel = self.compile(plan)?;
        let mut values = vec![0.0; points.len() * plan.prediction.residuals.len()];
        kernel.predict(points, parameters, &mut values)?;
        Ok(values)
    }
}

/// Some of a set of points.
pub(super) struct Selection {
    points: Points,
    /// Which they are.
    positions: Vec<usize>,
}

impl Selection {
    fn of(points: &Points, wanted: impl Fn(&[f64]) -> bool) -> Selection {
        let mut part = Selection { points: Points::new(points.width()), positions: Vec::new() };
        for (position, place) in points.iter().enumerate().filter(|(_, place)| wanted(place)) {
            part.points.push(place);
            part.positions.push(position);
        }
        part
    }

    /// Puts the values of the part, `each` to a point, among those of all points.
    fn put(&self, found: &[f64], each: usize, values: &mut [f64]) {
        for (position, found) in self.positions.iter().zip(found.chunks_exact(each)) {
            values[position * each..(position + 1) * each].copy_from_slice(found);
        }
    }
}

/// A set of points whose values in finished windows are known: only the network at hand still changes.
pub(crate) struct Remembered {
    /// Of all points.
    values: Vec<f64>,
    /// The points of the window at hand.
    open: Selection,
}

impl Remembered {
    /// Points that windows up to the one at hand have reached; `finished` are the parameters of the others.
    pub(crate) fn new(
        experiment: &Experiment,
        finished: &[Vec<f64>],
        points: &Points,
    ) -> Result<Self, TrainError> {
        let reached = experiment.reached(finished.len());
        let is_open = |place: &[f64]| reached.as_ref().is_none_or(|reached| !reached.contains(place));
        Ok(Remembered {
            values: match finished {
                [] => vec![f64::NAN; points.len() * experiment.problem().unknowns.len()],
                finished => experiment.values(&finished.concat(), points, None)?,
            },
            open: Selection::of(points, is_open),
        })
    }

    /// The values of all points, of which the kernel predicts what is not known.
    pub(crate) fn predict(&self, kernel: &mut Kernel, parameters: &[f64]) -> Result<Vec<f64>, TrainError> {
        let each = kernel.plan().prediction.residuals.len();
        let mut found = vec![0.0; self.open.points.len() * each];
        kernel.predict(&self.open.points, parameters, &mut found)?;
        let mut values = self.values.clone();
        self.open.put(&found, each, &mut values);
        Ok(values)
    }
}
