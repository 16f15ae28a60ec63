//! Where two windows meet: the later one has to begin with what the earlier one has found.

use super::Stage;
use crate::TrainError;
use equation::problem::{Place, Problem};
use equation::taylor::{Plan, Source};
use kernel::{Device, Kernel, Points, Precision};
use std::cell::RefCell;

/// What the window before says where a window begins.
#[derive(Debug)]
pub(crate) struct Seam<'run> {
    /// Of the window before. On the CPU and in f64 whatever trains: a seam is no place to lose digits.
    kernel: RefCell<Kernel>,
    parameters: &'run [f64],
    /// Terms with equations of the start.
    terms: Vec<usize>,
    /// The coordinate that is time.
    axis: usize,
    /// Where the windows meet.
    time: f64,
}

impl<'run> Seam<'run> {
    /// At the end of a window that was trained to these parameters.
    pub(crate) fn new(before: &'run Stage<'_>, parameters: &'run [f64]) -> Result<Self, TrainError> {
        // The parser refuses windows where there is no time: without it, no term would be one of the start.
        let axis = before.problem.time().unwrap_or_default();
        let kernel = Kernel::compile(&before.plan, Device::Cpu, Precision::F64)?;
        Ok(Seam {
            kernel: RefCell::new(kernel),
            parameters,
            terms: starting(&before.problem, &before.plan, axis),
            axis,
            time: before.problem.domain.coordinates[axis].high,
        })
    }

    /// Puts what the window before says into the rows of a term that lie at the start: a column for each of
    /// its equations `F = 0`, with the value of `F` there.
    pub(crate) fn fill(&self, term: usize, points: &mut Points) -> Result<(), TrainError> {
        if !self.terms.contains(&term) || points.is_empty() {
            return Ok(());
        }
        let mut kernel = self.kernel.borrow_mut();
        let columns = kernel.plan().terms[term].residuals.len();
        let mut found = vec![0.0; points.len() * columns];
        // Columns are zero as drawn: what is left of `F - c` is `F`.
        kernel.residuals(term, points, self.parameters, &mut found)?;
        let mut found = found.chunks_exact(columns);
        points.for_each_mut(|row| {
            let values = found.next().unwrap_or_default();
            // Of a condition that holds at the walls too, only the start has changed.
            if row[self.axis] == self.time {
                let first = row.len() - columns;
                row[first..].copy_from_slice(values);
            }
        });
        Ok(())
    }
}

/// The terms of conditions that hold where a window begins.
fn starting(problem: &Problem, plan: &Plan, axis: usize) -> Vec<usize> {
    let starts = |place: &Place| match place {
        Place::Pieces(pieces) => {
            pieces.iter().flat_map(|piece| &piece.fixed).any(|(fixed, _)| *fixed == axis)
        }
        Place::Wrap { .. } | Place::Interface { .. } => false,
    };
    let terms = plan.terms.iter().enumerate();
    let terms = terms.filter(|(_, term)| match term.source {
        Source::Condition(index) => starts(&problem.conditions[index].place),
        Source::Interior | Source::Data(_) | Source::Prediction => false,
    });
    terms.map(|(position, _)| position).collect()
}
