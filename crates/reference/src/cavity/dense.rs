//! Systems of linear equations.

use rayon::prelude::*;

/// Solves by elimination with row exchanges, after every row was divided by its largest entry. `None` where
/// the matrix is singular or holds what is no number.
pub(super) fn solve(mut rows: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let count = right.len();
    for (row, right) in rows.iter_mut().zip(&mut right) {
        let largest = row.iter().map(|entry| entry.abs()).fold(0.0, f64::max);
        row.iter_mut().for_each(|entry| *entry /= largest);
        *right /= largest;
    }
    for column in 0..count {
        let size = |&row: &usize| rows[row][column].abs();
        let pivot = (column..count).max_by(|one, other| size(one).total_cmp(&size(other)))?;
        rows.swap(column, pivot);
        right.swap(column, pivot);
        let (done, rest) = rows.split_at_mut(column + 1);
        let pivot = &done[column];
        if !(pivot[column].abs() > 0.0 && pivot[column].is_finite()) {
            return None;
        }
        let (known, others) = right.split_at_mut(column + 1);
        rest.par_iter_mut().zip(others).with_min_len(16).for_each(|(row, right)| {
            let factor = row[column] / pivot[column];
            if factor != 0.0 {
                row[column..]
                    .iter_mut()
                    .zip(&pivot[column..])
                    .for_each(|(entry, pivot)| *entry -= factor * pivot);
                *right -= factor * known[column];
            }
        });
    }
    for column in (0..count).rev() {
        let (row, sum) = (&rows[column], right[column]);
        let known: f64 = (column + 1..count).map(|other| row[other] * right[other]).sum();
        right[column] = (sum - known) / row[column];
    }
    right.iter().all(|value| value.is_finite()).then_some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved_also_where_the_first_pivot_is_zero() {
        let rows = vec![vec![0.0, 2.0, 1.0], vec![1e6, 1e6, 0.0], vec![1.0, 0.0, 3.0]];
        let found = solve(rows, vec![7.0, 3e6, 10.0]).expect("it is regular");
        assert!(found.iter().zip([1.0, 2.0, 3.0]).all(|(found, wanted)| (found - wanted).abs() < 1e-12));
        assert_eq!(solve(vec![vec![1.0, 1.0], vec![2.0, 2.0]], vec![1.0, 2.0]), None);
        assert_eq!(solve(vec![vec![f64::NAN, 1.0], vec![2.0, 2.0]], vec![1.0, 2.0]), None);
    }
}
