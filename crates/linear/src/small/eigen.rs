//! Eigenvectors of symmetric matrices: Householder's reflections to three diagonals, then implicit QR steps with Wilkinson's shift (Golub,
//! Van Loan 2013, algorithms 8.3.1 to 8.3.3).

use super::SmallMatrix;
use super::orthogonal::dot;

/// Rotations per row at most; two or three suffice.
const ROUNDS: usize = 60;

/// Eigenvalues, the largest first, and their eigenvectors, one per column.
#[derive(Clone, PartialEq, Debug)]
pub struct Eigen {
    /// The largest first.
    pub values: Vec<f64>,
    /// One column for each.
    pub vectors: SmallMatrix,
}

/// Of a symmetric matrix of finite numbers.
pub fn eigen(matrix: &SmallMatrix) -> Eigen {
    let (mut diagonals, mut basis) = Diagonals::of(matrix);
    diagonals.clear(&mut basis);
    let mut order: Vec<usize> = (0..matrix.rows()).collect();
    order.sort_by(|&one, &other| diagonals.middle[other].total_cmp(&diagonals.middle[one]));
    let mut vectors = SmallMatrix::zero(matrix.rows(), matrix.rows());
    let values = order.iter().map(|&place| diagonals.middle[place]).collect();
    order.iter().enumerate().for_each(|(to, &from)| vectors.row_mut(to).copy_from_slice(basis.row(from)));
    Eigen { values, vectors: vectors.transposed() }
}

/// A matrix of three diagonals.
struct Diagonals {
    middle: Vec<f64>,
    /// Above and below.
    beside: Vec<f64>,
}

impl Diagonals {
    /// With the basis, row by row, in which a matrix is of three diagonals.
    fn of(matrix: &SmallMatrix) -> (Diagonals, SmallMatrix) {
        let size = matrix.rows();
        let (mut left, mut basis) = (matrix.clone(), SmallMatrix::identity(size));
        for place in 0..size.saturating_sub(2) {
            let mut vector = left.row(place)[place + 1..].to_vec();
            let length = dot(&vector, &vector).sqrt();
            vector[0] += if vector[0] > 0.0 { length } else { -length };
            let square = dot(&vector, &vector);
            if square == 0.0 {
                continue;
            }
            let factor = 2.0 / square;
            // A - vwᵀ - wvᵀ, with w = p - (factor/2)(p·v)v and p = factor·Av.
            let below = place + 1;
            let product = |row: usize| factor * dot(&left.row(row)[below..], &vector);
            let mut push: Vec<f64> = (place..size).map(product).collect();
            let half = 0.5 * factor * dot(&push[1..], &vector);
            push[1..].iter_mut().zip(&vector).for_each(|(push, part)| *push -= half * part);
            for row in below..size {
                let (own, own_push) = (vector[row - below], push[row - place]);
                let numbers = &mut left.row_mut(row)[below..];
                for ((number, part), push) in numbers.iter_mut().zip(&vector).zip(&push[1..]) {
                    *number -= own * push + own_push * part;
                }
            }
            // Of the row itself, only the number beside the diagonal is left.
            let share = push[0];
            let row = &mut left.row_mut(place)[below..];
            row.iter_mut().zip(&vector).for_each(|(number, part)| *number -= share * part);
            turn(&mut basis, below, &vector, factor);
        }
        let middle = (0..size).map(|row| left.row(row)[row]).collect();
        let beside = (1..size).map(|row| left.row(row - 1)[row]).collect();
        (Diagonals { middle, beside }, basis)
    }

    /// Makes what lies beside the middle vanish, and turns the rows of the basis with it.
    fn clear(&mut self, basis: &mut SmallMatrix) {
        let Diagonals { middle, beside } = &*self;
        let largest = middle.iter().chain(beside).fold(0.0f64, |most, number| most.max(number.abs()));
        let nothing = f64::EPSILON * largest;
        let mut high = middle.len().saturating_sub(1);
        for _ in 0..ROUNDS * middle.len() {
            while high > 0 && self.beside[high - 1].abs() <= nothing {
                self.beside[high - 1] = 0.0;
                high -= 1;
            }
            if high == 0 {
                break;
            }
            let mut low = high - 1;
            while low > 0 && self.beside[low - 1].abs() > nothing {
                low -= 1;
            }
            if low > 0 {
                self.beside[low - 1] = 0.0;
            }
            self.sweep(low, high, basis);
        }
    }

    /// One implicit QR step from `low` to `high`.
    fn sweep(&mut self, low: usize, high: usize, basis: &mut SmallMatrix) {
        let Diagonals { middle, beside } = self;
        let (half, last) = (0.5 * (middle[high - 1] - middle[high]), beside[high - 1]);
        let root = half.hypot(last);
        let shift = middle[high] - last * last / (half + if half < 0.0 { -root } else { root });
        let (mut kept, mut gone) = (middle[low] - shift, beside[low]);
        for place in low..high {
            let length = kept.hypot(gone);
            let (cosine, sine) = if length > 0.0 { (kept / length, gone / length) } else { (1.0, 0.0) };
            if place > low {
                beside[place - 1] = length;
            }
            let (one, between, other) = (middle[place], beside[place], middle[place + 1]);
            let cross = 2.0 * cosine * sine * between;
            middle[place] = cosine * cosine * one + cross + sine * sine * other;
            middle[place + 1] = sine * sine * one - cross + cosine * cosine * other;
            beside[place] = (cosine * cosine - sine * sine) * between + cosine * sine * (other - one);
            if place + 1 < high {
                (kept, gone) = (beside[place], sine * beside[place + 1]);
                beside[place + 1] *= cosine;
            }
            let (upper, lower) = basis.two_rows(place, place + 1);
            for (upper, lower) in upper.iter_mut().zip(lower) {
                (*upper, *lower) = (cosine * *upper + sine * *lower, cosine * *lower - sine * *upper);
            }
        }
    }
}

/// Reflects the rows of a basis from `first` on: each is I - factor·vvᵀ of them.
fn turn(basis: &mut SmallMatrix, first: usize, vector: &[f64], factor: f64) {
    let mut sums = vec![0.0; basis.columns()];
    for (row, part) in vector.iter().enumerate() {
        sums.iter_mut().zip(basis.row(first + row)).for_each(|(sum, number)| *sum += part * number);
    }
    for (row, part) in vector.iter().enumerate() {
        let share = factor * part;
        let numbers = basis.row_mut(first + row);
        numbers.iter_mut().zip(&sums).for_each(|(number, sum)| *number -= share * sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// V·diag·Vᵀ
    fn put_together(found: &Eigen) -> SmallMatrix {
        let mut scaled = found.vectors.clone();
        for row in 0..scaled.rows() {
            scaled.row_mut(row).iter_mut().zip(&found.values).for_each(|(number, value)| *number *= value);
        }
        scaled.times(&found.vectors.transposed())
    }

    fn assert_same(found: &SmallMatrix, wanted: &SmallMatrix, tolerance: f64) {
        let off = found.iter().zip(wanted.iter()).map(|(found, wanted)| (found - wanted).abs());
        let off = off.fold(0.0, f64::max);
        assert!(off <= tolerance, "off by {off:e}");
    }

    /// XᵀX for `rows` rows without a pattern.
    fn products(size: usize, rows: usize) -> SmallMatrix {
        let numbers: Vec<f64> = (0..size * rows).map(|number| (number as f64 * 0.73).sin()).collect();
        let rows = SmallMatrix::packed(rows, size, &numbers);
        rows.transposed_times(&rows)
    }

    #[test]
    fn eigenvectors_put_their_matrix_together_again_of_any_size_and_rank() {
        for (size, rows) in [(1, 1), (2, 2), (3, 9), (30, 3), (65, 64), (65, 200), (128, 40)] {
            let matrix = products(size, rows);
            let found = eigen(&matrix);
            let largest = found.values[0];
            assert_same(&put_together(&found), &matrix, 1e-13 * size as f64 * largest);
            let angles = found.vectors.transposed_times(&found.vectors);
            assert_same(&angles, &SmallMatrix::identity(size), 1e-12);
            assert!(found.values.is_sorted_by(|one, other| one >= other));
            let rest = &found.values[rows.min(size)..];
            assert!(rest.iter().all(|value| value.abs() < 1e-12 * largest), "{rest:?}");
        }
    }

    #[test]
    fn eigenvalues_are_those_that_are_known() {
        // Of -1, 2, -1 they are 4 sin²(πk/2(n+1)).
        let size = 40;
        let mut chain = SmallMatrix::zero(size, size);
        for row in 0..size {
            chain.row_mut(row)[row] = 2.0;
            if row > 0 {
                chain.row_mut(row)[row - 1] = -1.0;
                chain.row_mut(row - 1)[row] = -1.0;
            }
        }
        for (place, value) in eigen(&chain).values.iter().enumerate() {
            let angle = std::f64::consts::PI * (size - place) as f64 / (2.0 * (size + 1) as f64);
            assert!((value - 4.0 * angle.sin().powi(2)).abs() < 1e-13);
        }
        assert_eq!(eigen(&SmallMatrix::zero(5, 5)).values, [0.0; 5]);
        let tiny = SmallMatrix::packed(2, 2, &[1e-300, 0.0, 0.0, -1e-200]);
        assert_eq!(eigen(&tiny).values, [1e-300, -1e-200]);
    }
}
