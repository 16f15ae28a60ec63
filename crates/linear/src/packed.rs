//! Packed matrices that change a little and are multiplied, over and over.

use crate::{Float, Level, for_each_level};
use rayon::prelude::*;

/// Rows that one task works on; fixed, so that sums do not depend on the number of threads.
const ROWS: usize = 64;

/// Sums side by side: one would wait for itself at every addition.
const LANES: usize = 8;

/// A dense symmetric matrix, packed: its lower triangle, row by row.
#[derive(Clone, Debug)]
pub struct Packed {
    size: usize,
    level: Level,
    numbers: Vec<f64>,
    /// What each task adds to the product above its rows.
    parts: Vec<f64>,
}

/// What becomes of a matrix A: `factor`·A + (u v)·M·(u v)ᵀ, where M is symmetric.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RankTwo<'vectors, T = f64> {
    /// Of the matrix as it was.
    pub factor: T,
    /// M: the coefficients of uuᵀ, of uvᵀ + vuᵀ, and of vvᵀ.
    pub weights: [T; 3],
    /// u and v, as long as the matrix has rows.
    pub vectors: [&'vectors [T]; 2],
}

impl Packed {
    /// A multiple of the identity.
    pub fn identity(size: usize, factor: f64) -> Self {
        let mut matrix = Packed {
            size,
            level: Level::best(),
            numbers: vec![0.0; size * (size + 1) / 2],
            parts: vec![0.0; size.div_ceil(ROWS) * size],
        };
        matrix.set_identity(factor);
        matrix
    }

    /// Becomes a multiple of the identity.
    pub fn set_identity(&mut self, factor: f64) {
        self.numbers.fill(0.0);
        (0..self.size).for_each(|row| self.numbers[triangle(row) + row] = factor);
    }

    /// The lower triangle, row by row.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// As [`Self::numbers`], to be written over.
    pub fn numbers_mut(&mut self) -> &mut [f64] {
        &mut self.numbers
    }

    /// Carries out the update, if there is one, and writes the product of what it gives with `vector`
    /// into `product`, all in one pass through memory.
    ///
    /// # Panics
    /// When a vector has another length than the matrix has rows.
    pub fn update_and_multiply(&mut self, update: Option<RankTwo<'_>>, vector: &[f64], product: &mut [f64]) {
        let (size, level) = (self.size, self.level);
        assert_eq!((vector.len(), product.len()), (size, size), "vectors of another size");
        let vectors = update.iter().flat_map(|update| update.vectors);
        vectors.for_each(|vector| assert_eq!(vector.len(), size, "a vector of another size"));
        let mut blocks = Vec::with_capacity(size.div_ceil(ROWS));
        let mut rest = self.numbers.as_mut_slice();
        for (number, product) in product.chunks_mut(ROWS).enumerate() {
            let first = number * ROWS;
            let (own, others) = rest.split_at_mut(triangle(first + product.len()) - triangle(first));
            blocks.push((first, own, product));
            rest = others;
        }
        let parts = self.parts.par_chunks_exact_mut(size.max(1));
        blocks.into_par_iter().zip(parts).for_each(|((first, own, product), part)| {
            part.fill(0.0);
            visit(level, first, update, own, vector, product, part);
        });
        // Block after block: the order of a sum decides its bits.
        for part in self.parts.chunks_exact(size.max(1)) {
            product.iter_mut().zip(part).for_each(|(to, from)| *to += from);
        }
    }
}

/// Where a row begins.
fn triangle(row: usize) -> usize {
    row * (row + 1) / 2
}

for_each_level! {
    /// Updates rows from `first` on, `own`; their products with `vector` go into `product`, and what
    /// their transposes add to the products of the rows above into `part`.
    fn visit<T: Float>(
        first: usize,
        update: Option<RankTwo<'_, T>>,
        own: &mut [T],
        vector: &[T],
        product: &mut [T],
        part: &mut [T],
    ) => visit_body
}

#[inline(always)]
fn visit_body<T: Float, const FMA: bool>(
    first: usize,
    update: Option<RankTwo<'_, T>>,
    own: &mut [T],
    vector: &[T],
    product: &mut [T],
    part: &mut [T],
) {
    let mut start = 0;
    for (place, product) in product.iter_mut().enumerate() {
        let row = first + place;
        let numbers = &mut own[start..start + row + 1];
        start += row + 1;
        if let Some(RankTwo { factor, weights: [uu, uv, vv], vectors: [u, v] }) = update {
            let (by_u, by_v) = (uu * u[row] + uv * v[row], uv * u[row] + vv * v[row]);
            for (number, (u, v)) in numbers.iter_mut().zip(u.iter().zip(v)) {
                *number = u.mul_add::<FMA>(by_u, v.mul_add::<FMA>(by_v, factor * *number));
            }
        }
        let own = vector[row];
        let (left, diagonal) = numbers.split_at(row);
        let (lefts, left_rest) = left.as_chunks::<LANES>();
        let (vectors, vector_rest) = vector[..row].as_chunks::<LANES>();
        let (parts, part_rest) = part[..row].as_chunks_mut::<LANES>();
        let mut sums = [T::ZERO; LANES];
        for ((left, vector), part) in lefts.iter().zip(vectors).zip(parts) {
            for lane in 0..LANES {
                sums[lane] = left[lane].mul_add::<FMA>(vector[lane], sums[lane]);
                part[lane] = left[lane].mul_add::<FMA>(own, part[lane]);
            }
        }
        let mut sum = diagonal[0] * own;
        for ((left, vector), part) in left_rest.iter().zip(vector_rest).zip(part_rest) {
            sum += *left * *vector;
            *part += *left * own;
        }
        *product = sums.into_iter().sum::<T>() + sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(size: usize, pace: f64) -> Vec<f64> {
        (0..size).map(|place| (pace * (place as f64 + 1.0)).sin()).collect()
    }

    /// The same without tricks.
    fn plain(matrix: &[Vec<f64>], update: &RankTwo<'_>) -> Vec<Vec<f64>> {
        let (RankTwo { factor, weights: [uu, uv, vv], .. }, [u, v]) = (update, update.vectors);
        let number = |i: usize, j: usize| {
            factor * matrix[i][j] + uu * u[i] * u[j] + uv * (u[i] * v[j] + v[i] * u[j]) + vv * v[i] * v[j]
        };
        (0..matrix.len()).map(|i| (0..matrix.len()).map(|j| number(i, j)).collect()).collect()
    }

    #[test]
    fn updates_and_products_are_those_of_plain_loops_on_every_level_and_size() {
        for level in Level::ALL.into_iter().filter(|level| level.available()) {
            for size in [1, 2, 7, 8, 63, 64, 65, 130, 200] {
                let mut matrix = Packed { level, ..Packed::identity(size, 2.0) };
                let mut expected: Vec<Vec<f64>> =
                    (0..size).map(|i| (0..size).map(|j| if i == j { 2.0 } else { 0.0 }).collect()).collect();
                for round in 1..4 {
                    let pace = f64::from(round);
                    let (u, v, vector) = (wave(size, 0.7 * pace), wave(size, 1.3 * pace), wave(size, 0.2));
                    let update = RankTwo { factor: 0.9, weights: [0.3, -0.2, 0.5], vectors: [&u, &v] };
                    let mut product = vec![f64::NAN; size];
                    matrix.update_and_multiply(Some(update), &vector, &mut product);
                    expected = plain(&expected, &update);
                    for (row, product) in expected.iter().zip(&product) {
                        let wanted: f64 = row.iter().zip(&vector).map(|(a, b)| a * b).sum();
                        // Rounding of each of the terms, all of order one.
                        let tolerance = 8.0 * f64::EPSILON * size as f64;
                        assert!((product - wanted).abs() <= tolerance, "{level} {size}: {product} {wanted}");
                    }
                    let mut again = vec![f64::NAN; size];
                    matrix.update_and_multiply(None, &vector, &mut again);
                    assert_eq!(product, again);
                }
            }
        }
    }

    #[test]
    fn the_number_of_threads_changes_no_bit() {
        let product = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| {
                let (u, v, mut product) = (wave(300, 0.7), wave(300, 1.1), vec![0.0; 300]);
                let update = RankTwo { factor: 1.1, weights: [0.3, 0.1, -0.5], vectors: [&u, &v] };
                Packed::identity(300, 1.0).update_and_multiply(Some(update), &wave(300, 0.3), &mut product);
                product
            })
        };
        assert_eq!(product(1), product(3));
    }
}
