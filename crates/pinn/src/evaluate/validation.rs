//! How well measurements hold that training has not seen.

use super::relative::fields;
use crate::{Experiment, TrainError};
use equation::expression::Expression;
use equation::taylor::Source;
use kernel::{Device, Precision};
use linear::tree::sum;

/// The misfit of a measured column at rows that were kept from training.
#[derive(Clone, PartialEq, Debug)]
pub struct Validation {
    /// The data table's name.
    pub term: String,
    /// The equation's name.
    pub equation: String,
    /// sqrt(mean residual²) over these rows.
    pub root_mean_square: f64,
    /// How many there are.
    pub rows: usize,
    /// How many rows of the table are trained with.
    pub trained_rows: usize,
}

impl Experiment {
    /// One for every measured column of every table that states a share for `validation`, computed on the CPU in f64.
    pub fn validations(&self, parameters: &[f64]) -> Result<Vec<Validation>, TrainError> {
        let mut found = Vec::new();
        if self.problem().data.iter().all(|data| data.validation.is_none()) {
            return Ok(found);
        }
        let here = self.clone().on(Device::Cpu, Precision::F64);
        let (problem, plan) = (here.problem(), here.plan());
        let scalars = plan.scalar_values(parameters);
        for term in &plan.terms {
            let Source::Data(index) = term.source else { continue };
            let Some(rows) = here.tables.kept(index) else { continue };
            let equations = &problem.data[index].equations;
            let roots: Vec<Expression> = equations.iter().map(|equation| equation.residual).collect();
            let sample = here.sample(parameters, rows, (term.row, false), &fields(&problem.pool, &roots))?;
            for equation in equations {
                let residuals = sample.values(&problem.pool, equation.residual, &scalars);
                let squares: Vec<f64> = residuals.iter().map(|residual| residual * residual).collect();
                found.push(Validation {
                    term: term.name.clone(),
                    equation: equation.name.clone(),
                    root_mean_square: (sum(squares.iter().copied()) / squares.len() as f64).sqrt(),
                    rows: rows.len(),
                    trained_rows: here.tables.trained_rows(index),
                });
            }
        }
        Ok(found)
    }
}
