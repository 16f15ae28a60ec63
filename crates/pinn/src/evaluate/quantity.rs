//! Integrals, fluxes and values at places of a solution.

use crate::{Experiment, TrainError};
use equation::expression::{Leaf, evaluate};
use equation::problem::{Integral, Quantity, RegionNode};
use kernel::Points;
use linear::tree::sum;

/// Nodes in a panel of the rule whose result is shown, and of the rule that it is compared with.
const FINENESS: [usize; 2] = [10, 7];

/// Times at which a quantity that depends on time is found.
const TIMES: usize = 101;

/// A number that a solution was asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct QuantityValue {
    /// The key in the file.
    pub name: String,
    /// Its value, at the end of time where there is time.
    pub value: f64,
    /// How far a coarser rule of integration is away: what integrating may have got wrong, not what the network has.
    pub quadrature_error: f64,
    /// The true value, where it is known.
    pub truth: Option<f64>,
    /// Times and values, where the quantity depends on time.
    pub course: Vec<(f64, f64)>,
}

impl Experiment {
    /// All quantities of the problem. Those that depend on time, at times from the first to the last.
    pub fn quantities(&self, parameters: &[f64]) -> Result<Vec<QuantityValue>, TrainError> {
        self.problem().quantities.iter().map(|quantity| self.quantity(parameters, quantity)).collect()
    }

    fn quantity(&self, parameters: &[f64], quantity: &Quantity) -> Result<QuantityValue, TrainError> {
        let times = self.times(quantity);
        let [fine, coarse] = FINENESS.map(|fineness| self.course(parameters, quantity, &times, fineness));
        let (fine, coarse) = (fine?, coarse?);
        let value = fine[fine.len() - 1];
        Ok(QuantityValue {
            name: quantity.name.clone(),
            value,
            quadrature_error: (value - coarse[coarse.len() - 1]).abs(),
            truth: quantity.truth,
            course: if times.len() > 1 { times.into_iter().zip(fine).collect() } else { Vec::new() },
        })
    }

    /// The times that a quantity is found at: one, if it does not depend on time.
    fn times(&self, quantity: &Quantity) -> Vec<f64> {
        let problem = self.problem();
        let Some(axis) = problem.time() else { return vec![0.0] };
        let time = &problem.domain.coordinates[axis];
        let leaf = Leaf::Coordinate(axis as u16);
        let free = quantity.integrals.iter().any(|one| !one.over.axes(&problem.domain).contains(&axis))
            || problem.pool.mentions(quantity.formula, |own| own == leaf);
        let at = |step: usize| time.low + (time.high - time.low) * step as f64 / (TIMES - 1) as f64;
        if free { (0..TIMES).map(at).collect() } else { vec![time.high] }
    }

    fn course(
        &self,
        parameters: &[f64],
        quantity: &Quantity,
        times: &[f64],
        fineness: usize,
    ) -> Result<Vec<f64>, TrainError> {
        let problem = self.problem();
        let integrals: Result<Vec<Vec<f64>>, TrainError> =
            quantity.integrals.iter().map(|one| self.integral(parameters, one, times, fineness)).collect();
        let integrals = integrals?;
        let scalars = self.plan().scalar_values(self.networks(parameters)[0]);
        let value = |(place, &time): (usize, &f64)| {
            let leaf = |leaf: Leaf| match leaf {
                Leaf::Column(integral) => integrals[usize::from(integral)][place],
                Leaf::Parameter(parameter) => scalars[usize::from(parameter)],
                Leaf::Coordinate(_) => time,
                _ => f64::NAN,
            };
            evaluate(&problem.pool, quantity.formula, &leaf)
        };
        Ok(times.iter().enumerate().map(value).collect())
    }

    /// An integral at times.
    fn integral(
        &self,
        parameters: &[f64],
        integral: &Integral,
        times: &[f64],
        fineness: usize,
    ) -> Result<Vec<f64>, TrainError> {
        let problem = self.problem();
        let count = problem.domain.len();
        let nodes: Vec<RegionNode> = integral.over.nodes(&problem.domain, &problem.pool, fineness);
        let normals = problem.pool.mentions(integral.integrand, |leaf| matches!(leaf, Leaf::Normal(_)));
        let mut points = Points::new(count * (1 + usize::from(normals)));
        for &time in times {
            for node in &nodes {
                let mut row = vec![0.0; count];
                problem.time().into_iter().for_each(|axis| row[axis] = time);
                node.fixed.iter().for_each(|&(axis, value)| row[axis] = value);
                if normals {
                    row.extend(&node.normal);
                }
                points.push(&row);
            }
        }
        let values = self.asked(parameters, &points, integral.integrand)?;
        let each = |values: &[f64]| sum(values.iter().zip(&nodes).map(|(value, node)| value * node.weight));
        Ok(values
            .chunks(nodes.len().max(1))
            .map(each)
            .chain(std::iter::repeat(0.0))
            .take(times.len())
            .collect())
    }
}
