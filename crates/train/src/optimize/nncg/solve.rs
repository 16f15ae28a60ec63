//! Conjugate gradients with a preconditioner (Rathore et al. 2024, algorithm 7), for a matrix of which only products are known.

use super::bent::Bent;
use super::nystrom::Nystrom;
use crate::Refusal;

/// Iterations at most; the paper has a thousand, of which more than these mostly fit rounding.
const MOST: usize = 60;
/// A residual this small, relative to the right side, is a solution.
const SMALL: f64 = 1e-3;

/// Solves (H + damping)·x = `wanted`, from `start` if there is one. Ends early where the matrix bends down: with what was found so far, and
/// with what the preconditioner makes of the right side where that is nothing.
pub(super) fn solve(
    bent: &mut Bent<'_>,
    preconditioner: Option<&Nystrom>,
    damping: f64,
    wanted: &[f64],
    start: Option<&[f64]>,
) -> Result<Vec<f64>, Refusal> {
    let precondition = |vector: &[f64]| match preconditioner {
        Some(nystrom) => nystrom.solve(damping, vector),
        None => vector.to_vec(),
    };
    let mut product = |vector: &[f64]| -> Result<Vec<f64>, Refusal> {
        let mut found = bent.product(vector)?;
        add(damping, vector, &mut found);
        Ok(found)
    };
    let mut rest = wanted.to_vec();
    let mut found = vec![0.0; wanted.len()];
    if let Some(start) = start {
        let reached = product(start)?;
        // The best multiple of it: a start that is too long would be worse than none.
        let square = dot(&reached, &reached);
        let share = if square > 0.0 { dot(&reached, wanted) / square } else { 0.0 };
        if share > 0.0 {
            add(share, start, &mut found);
            add(-share, &reached, &mut rest);
        }
    }
    let bound = SMALL * SMALL * dot(wanted, wanted);
    let mut pushed = precondition(&rest);
    let mut square = dot(&rest, &pushed);
    let mut direction = pushed;
    for _ in 0..MOST {
        if dot(&rest, &rest) <= bound {
            break;
        }
        let bends = product(&direction)?;
        let curvature = dot(&direction, &bends);
        if curvature <= 0.0 || !curvature.is_finite() {
            break;
        }
        let length = square / curvature;
        add(length, &direction, &mut found);
        add(-length, &bends, &mut rest);
        pushed = precondition(&rest);
        let next = dot(&rest, &pushed);
        let keep = next / square;
        square = next;
        direction.iter_mut().zip(&pushed).for_each(|(own, pushed)| *own = keep * *own + pushed);
    }
    let nothing = found.iter().all(|part| *part == 0.0);
    Ok(if nothing { precondition(wanted) } else { found })
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn add(factor: f64, from: &[f64], to: &mut [f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}
