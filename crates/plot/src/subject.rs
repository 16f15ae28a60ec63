//! What a network and its reference say at points.

use crate::PlotError;
use pinnace::{Experiment, Points, level_is_free};

/// An unknown at some points.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Sampled {
    /// What the network says.
    pub(super) found: Vec<f64>,
    /// What is true, where that is known.
    pub(super) exact: Option<Vec<f64>>,
}

impl Sampled {
    /// |found - exact| at every point.
    pub(super) fn error(&self) -> Option<Vec<f64>> {
        let exact = self.exact.as_ref()?;
        Some(self.found.iter().zip(exact).map(|(found, exact)| (found - exact).abs()).collect())
    }
}

/// A network to be drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'run> {
    pub(super) experiment: &'run Experiment,
    pub(super) parameters: &'run [f64],
}

impl Subject<'_> {
    /// All unknowns at `points`. An unknown whose level the problem leaves open is lifted to the level of its
    /// reference.
    pub(super) fn sample(&self, points: &Points) -> Result<Vec<Sampled>, PlotError> {
        let problem = self.experiment.problem();
        let unknowns = problem.unknowns.len();
        let values = self.experiment.predict(self.parameters, points)?;
        let column = |unknown| values.iter().skip(unknown).step_by(unknowns).copied().collect();
        let sampled = (0..unknowns).map(|unknown| {
            let exact = self.experiment.exact(unknown, points);
            self.level(unknown, Sampled { found: column(unknown), exact })
        });
        Ok(sampled.collect())
    }

    /// One unknown at the points of its table of true values, where it has one.
    pub(super) fn sample_table(&self, unknown: usize) -> Result<Option<(&Points, Sampled)>, PlotError> {
        let Some(table) = self.experiment.reference_table(unknown) else { return Ok(None) };
        let values = self.experiment.predict(self.parameters, &table.points)?;
        let unknowns = self.experiment.problem().unknowns.len();
        let found = values.iter().skip(unknown).step_by(unknowns).copied().collect();
        let sampled = Sampled { found, exact: Some(table.values.clone()) };
        Ok(Some((&table.points, self.level(unknown, sampled))))
    }

    fn level(&self, unknown: usize, mut sampled: Sampled) -> Sampled {
        if let Some(exact) = &sampled.exact
            && level_is_free(self.experiment.problem(), unknown)
        {
            let differences = || exact.iter().zip(&sampled.found).map(|(exact, found)| exact - found);
            let (sum, count) = differences()
                .filter(|difference| difference.is_finite())
                .fold((0.0, 0.0), |(sum, count), difference| (sum + difference, count + 1.0));
            let lift = if count > 0.0 { sum / count } else { 0.0 };
            sampled.found.iter_mut().for_each(|found| *found += lift);
        }
        sampled
    }
}
