//! Conjugate gradients: steps with less damping than any factor could have, or without a factor.

use super::dot;
use crate::{LeastSquares, Refusal};
use linear::Patience;

/// Turns a step into that of (JᵀJ + μ·I)·x = Jᵀ·r + μ·origin for μ = `damping`, by conjugate gradients on the least-squares
/// problem in the terms of equations like it that `solve` solves (Björck 1996). Products with J itself see what its square
/// has lost to rounding. By how much the model says that the loss will fall.
pub(super) fn refine(
    solve: &dyn Fn(&mut [f64]),
    (damping, patience): (f64, Patience),
    squares: &mut dyn LeastSquares,
    parameters: &[f64],
    (here, origin): (&[f64], Option<&[f64]>),
    step: &mut [f64],
) -> Result<f64, Refusal> {
    let mut along = vec![0.0; here.len()];
    let mut left = here.to_vec();
    if step.iter().any(|number| *number != 0.0) {
        squares.along(parameters, step, &mut along)?;
        left.iter_mut().zip(&along).for_each(|(left, along)| *left -= along);
    }
    let (mut slope, mut direction) = (vec![0.0; step.len()], vec![0.0; step.len()]);
    let (mut size, mut enough) = (0.0, 0.0);
    for turn in 0..patience.most {
        squares.back(parameters, &left, &mut slope)?;
        for (place, slope) in slope.iter_mut().enumerate() {
            *slope -= damping * (step[place] - origin.map_or(0.0, |origin| origin[place]));
        }
        let mut next = slope.clone();
        solve(&mut next);
        let before = std::mem::replace(&mut size, dot(&slope, &next));
        if turn == 0 {
            enough = patience.tolerance.powi(2) * size;
        }
        if size.is_nan() || size <= enough {
            break;
        }
        let part = if turn == 0 { 0.0 } else { size / before };
        direction.iter_mut().zip(&next).for_each(|(direction, next)| *direction = next + part * *direction);
        squares.along(parameters, &direction, &mut along)?;
        let curvature = dot(&along, &along) + damping * dot(&direction, &direction);
        if curvature.is_nan() || curvature <= 0.0 {
            break;
        }
        let length = size / curvature;
        step.iter_mut().zip(&direction).for_each(|(step, along)| *step += length * along);
        left.iter_mut().zip(&along).for_each(|(left, along)| *left -= length * along);
    }
    Ok(dot(here, here) - dot(&left, &left))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Extent;
    use crate::Losses;
    use linear::{Cholesky, Gram, NormalEquations, Subspace};
    use linear::{Unknowns, least_damping};

    /// J = S·H with singular values S and a reflection H: solutions are known in closed form.
    struct Reflected {
        values: Vec<f64>,
        normal: Vec<f64>,
    }

    impl Reflected {
        fn reflect(&self, vector: &[f64]) -> Vec<f64> {
            let along = 2.0 * dot(vector, &self.normal);
            vector.iter().zip(&self.normal).map(|(number, normal)| number - along * normal).collect()
        }
    }

    impl LeastSquares for Reflected {
        fn extent(&self) -> Extent {
            Extent { parameters: self.values.len(), rows: self.values.len(), evaluation: 0.0 }
        }

        fn normal_equations(&mut self, _: &[f64], _: &mut NormalEquations) -> Result<&Losses, Refusal> {
            Err(Refusal::NotSquares)
        }

        fn gram(&mut self, _: &[f64], _: &mut Gram) -> Result<&Losses, Refusal> {
            Err(Refusal::NotSquares)
        }

        fn diagonal(&mut self, _: &[f64], _: &mut [f64], _: &mut [f64]) -> Result<&Losses, Refusal> {
            Err(Refusal::NotSquares)
        }

        fn sketch(&mut self, _: &[f64], _: &mut Gram, _: &mut [f64]) -> Result<&Losses, Refusal> {
            Err(Refusal::NotSquares)
        }

        fn subspace_equations(
            &mut self,
            _: &[f64],
            _: (&Subspace, &mut NormalEquations),
            _: &mut [f64],
        ) -> Result<&Losses, Refusal> {
            Err(Refusal::NotSquares)
        }

        fn along(&mut self, _: &[f64], direction: &[f64], rows: &mut [f64]) -> Result<(), Refusal> {
            let reflected = self.reflect(direction);
            let products = self.values.iter().zip(&reflected).map(|(value, number)| value * number);
            rows.iter_mut().zip(products).for_each(|(row, product)| *row = product);
            Ok(())
        }

        fn back(&mut self, _: &[f64], rows: &[f64], slope: &mut [f64]) -> Result<(), Refusal> {
            let scaled: Vec<f64> = self.values.iter().zip(rows).map(|(value, row)| value * row).collect();
            slope.copy_from_slice(&self.reflect(&scaled));
            Ok(())
        }

        fn rows(&mut self, _: &[f64], _: &mut [f64]) -> Result<(), Refusal> {
            Err(Refusal::NotSquares)
        }

        fn curvature(&mut self, _: &[f64], _: &[f64], _: &mut [f64]) -> Result<(), Refusal> {
            Err(Refusal::NotSquares)
        }

        fn losses(&mut self, _: &[f64]) -> Result<&Losses, Refusal> {
            Err(Refusal::NotSquares)
        }
    }

    #[test]
    fn steps_along_singular_values_that_their_squares_have_lost_are_found() {
        const SIZE: usize = 10;
        let values: Vec<f64> = (0..SIZE as i32).map(|place| 10f64.powi(-place)).collect();
        let normal = vec![(SIZE as f64).recip().sqrt(); SIZE];
        let mut squares = Reflected { values: values.clone(), normal };
        let mut equations = NormalEquations::new(SIZE);
        let mut rows = vec![0.0; SIZE];
        let mut columns = Vec::new();
        for place in 0..SIZE {
            let unit: Vec<f64> = (0..SIZE).map(|other| f64::from(u8::from(other == place))).collect();
            squares.along(&[], &unit, &mut rows).expect("a product");
            columns.push(rows.clone());
        }
        for (row, column) in columns.iter().enumerate() {
            let numbers: Vec<f64> = columns[..=row].iter().map(|other| dot(column, other)).collect();
            equations.set_row(row, &numbers);
        }
        let mean = equations.matrix().trace() / SIZE as f64;
        let mut factor = Cholesky::new(SIZE);
        let damping = 1e-22 * mean;
        assert!(
            factor.factorize(equations.matrix(), least_damping(SIZE) * mean),
            "the least damping suffices"
        );

        let (here, origin) = (values.clone(), vec![0.5; SIZE]);
        let turned = squares.reflect(&origin);
        let solved: Vec<f64> = (0..SIZE)
            .map(|place| {
                (values[place] * here[place] + damping * turned[place]) / (values[place].powi(2) + damping)
            })
            .collect();
        let wanted = squares.reflect(&solved);
        let mut step = vec![0.0; SIZE];
        squares.back(&[], &here, &mut step).expect("a product");
        factor.solve(&mut step);
        let error =
            |step: &[f64]| step.iter().zip(&wanted).fold(0f64, |most, (a, b)| most.max((a - b).abs()));
        assert!(error(&step) > 0.1, "the factor's own step sees nothing of the smallest: {}", error(&step));
        let (solve, patience) = (|vector: &mut [f64]| factor.solve(vector), Unknowns::Parameters.patience());
        let rows = (&*here, Some(&*origin));
        let predicted = refine(&solve, (damping, patience), &mut squares, &[], rows, &mut step);
        assert!(error(&step) < 1e-5, "off by {}", error(&step));
        assert!((predicted.expect("products") - dot(&here, &here)).abs() < 1e-12, "nothing is left");
    }
}
