//! Known functions whose values and derivatives come with each point, as columns: coefficients from files, and what an ansatz on a
//! shape is made of.

use super::Row;
use super::series::{KnownSeries, LANES};
use crate::expression::{Derivative, Expression, GivenField, Pool};
use crate::problem::{GivenFunction, GivenSource};
use crate::tabulated::Interpolant;
use std::sync::Arc;

/// The columns of a term that follow from a point's coordinates.
#[derive(Clone, Debug)]
pub struct GivenColumns {
    row: Row,
    /// What each of them is.
    given: Vec<GivenField>,
    /// One per place of the point at which functions are wanted.
    sites: Vec<GivenSite>,
}

#[derive(Clone, Debug)]
struct GivenSite {
    site: usize,
    series: KnownSeries,
    /// Formula, place of its derivative in the series, column.
    wanted: Vec<(usize, usize, usize)>,
    /// Functions by their values: how differentiated, column.
    tables: Vec<(Arc<Interpolant>, Derivative, usize)>,
}

impl GivenColumns {
    /// The columns of a row for these of some functions, in their order.
    pub(super) fn new(pool: &mut Pool, functions: &[GivenFunction], row: Row, given: &[GivenField]) -> Self {
        let mut sites = Vec::new();
        for site in 0..row.sites {
            let own: Vec<(usize, &GivenField)> =
                given.iter().enumerate().filter(|(_, given)| usize::from(given.site) == site).collect();
            if own.is_empty() {
                continue;
            }
            let mut tables = Vec::new();
            let mut formulas = Vec::new();
            for (column, given) in own {
                match &functions[usize::from(given.function)].source {
                    GivenSource::Formula(formula) => formulas.push((column, given, *formula)),
                    GivenSource::Table { values, .. } => {
                        tables.push((values.clone(), given.derivative, column));
                    }
                }
            }
            let mut used: Vec<(u16, Expression)> =
                formulas.iter().map(|(_, given, formula)| (given.function, *formula)).collect();
            used.sort_unstable_by_key(|(function, _)| *function);
            used.dedup_by_key(|(function, _)| *function);
            let roots: Vec<Expression> = used.iter().map(|(_, formula)| *formula).collect();
            let derivatives: Vec<Derivative> =
                formulas.iter().map(|(_, given, _)| given.derivative).collect();
            let series = KnownSeries::new(pool, &roots, &derivatives, row.coordinates);
            let wanted = formulas.into_iter().map(|(column, given, _)| {
                let formula = used.iter().position(|(function, _)| *function == given.function);
                let place = series.place(given.derivative).expect("it was asked for");
                (formula.expect("it is used"), place, column)
            });
            let wanted = wanted.collect();
            sites.push(GivenSite { site, series, wanted, tables });
        }
        GivenColumns { row, given: given.to_vec(), sites }
    }

    /// What each column is.
    pub(super) fn meanings(&self) -> &[GivenField] {
        &self.given
    }

    /// Fills the columns of consecutive rows from their coordinates.
    pub fn fill(&self, rows: &mut [f64]) {
        let width = self.row.width();
        let first = self.row.first_given();
        for GivenSite { site, series, wanted, tables } in &self.sites {
            let start = site * self.row.coordinates;
            for (values, derivative, column) in tables {
                for row in rows.chunks_mut(width) {
                    row[first + column] = values.at(|axis| row[start + axis], *derivative);
                }
            }
            if wanted.is_empty() {
                continue;
            }
            let mut scratch = vec![0.0; series.scratch()];
            for block in rows.chunks_mut(width * LANES) {
                let count = block.len() / width;
                // Places beyond the last point repeat it.
                series.run(|lane, axis| block[lane.min(count - 1) * width + start + axis], &mut scratch);
                for &(formula, place, column) in wanted {
                    let found = series.found(&scratch, formula, place);
                    (0..count).for_each(|lane| block[lane * width + first + column] = found[lane]);
                }
            }
        }
    }
}
