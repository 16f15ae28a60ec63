//! Known functions whose values and derivatives come with each point, as columns: what an ansatz on a shape is made of.

use super::Row;
use super::series::{KnownSeries, LANES};
use crate::expression::{Derivative, Expression, GivenField, Pool};

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
}

impl GivenColumns {
    /// The columns of a row for these functions of `formulas`, in their order.
    pub(super) fn new(pool: &mut Pool, formulas: &[Expression], row: Row, given: &[GivenField]) -> Self {
        let mut sites = Vec::new();
        for site in 0..row.sites {
            let own: Vec<(usize, &GivenField)> =
                given.iter().enumerate().filter(|(_, given)| usize::from(given.site) == site).collect();
            if own.is_empty() {
                continue;
            }
            let mut used: Vec<usize> = own.iter().map(|(_, given)| usize::from(given.function)).collect();
            used.sort_unstable();
            used.dedup();
            let roots: Vec<Expression> = used.iter().map(|&function| formulas[function]).collect();
            let derivatives: Vec<Derivative> = own.iter().map(|(_, given)| given.derivative).collect();
            let series = KnownSeries::new(pool, &roots, &derivatives, row.coordinates);
            let wanted = own.into_iter().map(|(column, given)| {
                let formula = used.iter().position(|&function| function == usize::from(given.function));
                let place = series.place(given.derivative).expect("it was asked for");
                (formula.expect("it is used"), place, column)
            });
            let wanted = wanted.collect();
            sites.push(GivenSite { site, series, wanted });
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
        for GivenSite { site, series, wanted } in &self.sites {
            let mut scratch = vec![0.0; series.scratch()];
            let start = site * self.row.coordinates;
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
