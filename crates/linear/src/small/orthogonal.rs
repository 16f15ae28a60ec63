//! Orthonormal columns by Householder's reflections (Golub, Van Loan 2013, algorithm 5.2.1).

use super::SmallMatrix;

/// Orthonormal columns that span what the columns of a matrix with at least as many rows span, one after the other: Q of A = QR with a
/// diagonal of R that is not negative. Where columns depend on each other, those that are missing are any that fit.
pub fn orthogonal(matrix: &SmallMatrix) -> SmallMatrix {
    debug_assert!(matrix.rows() >= matrix.columns());
    // Columns as rows, so that reflections work on numbers that lie together.
    let mut columns = matrix.transposed();
    let count = columns.rows();
    let mut reflections: Vec<(Vec<f64>, f64)> = Vec::with_capacity(count);
    let mut flips = Vec::with_capacity(count);
    for place in 0..count {
        let mut vector = columns.row(place)[place..].to_vec();
        let length = dot(&vector, &vector).sqrt();
        let first = vector[0];
        // Away from zero, so that nothing cancels.
        let end = if first > 0.0 { -length } else { length };
        vector[0] -= end;
        let square = dot(&vector, &vector);
        let factor = if square > 0.0 { 2.0 / square } else { 0.0 };
        flips.push(end < 0.0);
        for later in place + 1..count {
            reflect(&vector, factor, &mut columns.row_mut(later)[place..]);
        }
        reflections.push((vector, factor));
    }
    let mut found = SmallMatrix::zero(count, matrix.rows());
    for column in 0..count {
        let row = found.row_mut(column);
        row[column] = 1.0;
        for (place, (vector, factor)) in reflections.iter().enumerate().take(column + 1).rev() {
            reflect(vector, *factor, &mut row[place..]);
        }
        if flips[column] {
            row.iter_mut().for_each(|number| *number = -*number);
        }
    }
    found.transposed()
}

/// x - factor·(v·x)·v
fn reflect(vector: &[f64], factor: f64, numbers: &mut [f64]) {
    let share = factor * dot(vector, numbers);
    numbers.iter_mut().zip(vector).for_each(|(number, part)| *number -= share * part);
}

/// In eight sums, which vectors of all levels make the same way.
pub(super) fn dot(left: &[f64], right: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (lefts, rights) = (left.chunks_exact(8), right.chunks_exact(8));
    let rest: f64 = lefts.remainder().iter().zip(rights.remainder()).map(|(left, right)| left * right).sum();
    for (left, right) in lefts.zip(rights) {
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
            *sum += left * right;
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_orthonormal(columns: &SmallMatrix) {
        let products = columns.transposed_times(columns);
        for row in 0..products.rows() {
            for (column, number) in products.row(row).iter().enumerate() {
                let wanted = if row == column { 1.0 } else { 0.0 };
                assert!((number - wanted).abs() < 1e-13, "{row} {column} {number}");
            }
        }
    }

    #[test]
    fn columns_are_orthonormal_and_what_they_were_made_of_has_a_triangle_in_them() {
        for [rows, columns] in [[1, 1], [5, 3], [65, 65], [40, 7]] {
            let numbers: Vec<f64> = (0..rows * columns).map(|n| (n as f64 * 0.37).sin() + 0.01).collect();
            let matrix = SmallMatrix::packed(rows, columns, &numbers);
            let basis = orthogonal(&matrix);
            assert_eq!([basis.rows(), basis.columns()], [rows, columns]);
            assert_orthonormal(&basis);
            let triangle = basis.transposed_times(&matrix);
            for row in 0..columns {
                assert!(triangle.row(row)[row] > -1e-13);
                assert!(triangle.row(row)[..row].iter().all(|number| number.abs() < 1e-12), "{triangle:?}");
            }
        }
    }

    #[test]
    fn columns_that_depend_on_each_other_are_completed() {
        let ones = SmallMatrix::packed(4, 3, &[1.0; 12]);
        assert_orthonormal(&orthogonal(&ones));
        assert_orthonormal(&orthogonal(&SmallMatrix::zero(6, 6)));
        assert_eq!(orthogonal(&SmallMatrix::identity(9)), SmallMatrix::identity(9));
    }
}
