//! Matrix products on tiles that lie in cache: C (+)= A·B with rows of B and C in whole vectors.
//!
//! A is read one number at a time and broadcast, so it may have any strides; nothing is packed.
//! One block of C, up to 6 rows by 4 vectors, stays in registers through the whole inner dimension.

use crate::{Float, Level};

/// A matrix of which single numbers are read.
#[derive(Clone, Copy)]
pub struct Scalars<'a, T> {
    /// All numbers that are read, and possibly more.
    pub numbers: &'a [T],
    /// Distance between rows.
    pub row: usize,
    /// Distance between columns.
    pub column: usize,
}

/// What C holds before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Accumulation {
    /// Nothing: it is overwritten.
    Zero,
    /// Summands: it is added to.
    Accumulate,
}

/// Rows × columns × inner.
#[derive(Clone, Copy)]
pub struct Size {
    /// Rows of A and C.
    pub rows: usize,
    /// Columns of B and C; a multiple of [`Float::LANES`].
    pub columns: usize,
    /// Columns of A, rows of B.
    pub inner: usize,
}

/// One block of a product, as a microkernel sees it.
pub struct Tile<'a, T> {
    rows: usize,
    vectors: usize,
    inner: usize,
    a: &'a [T],
    a_row: usize,
    a_column: usize,
    b: &'a [T],
    b_row: usize,
    c: &'a mut [T],
    c_row: usize,
    start: Accumulation,
}

/// Rows of C that a microkernel holds at once.
const ROWS: usize = 6;
/// Vectors of C per row that a microkernel holds at once.
const VECTORS: usize = 4;

/// C (+)= A·B on matrices that lie in cache. Panics where a slice is too short. Rows of `b` are `b_row` apart, rows of `c` are `c_row` apart.
pub fn multiply<T: Float>(
    level: Level,
    size: Size,
    a: Scalars<'_, T>,
    (b, b_row): (&[T], usize),
    (c, c_row): (&mut [T], usize),
    start: Accumulation,
) {
    debug_assert_eq!(size.columns % T::LANES, 0);
    for column in (0..size.columns).step_by(VECTORS * T::LANES) {
        let vectors = VECTORS.min((size.columns - column) / T::LANES);
        for row in (0..size.rows).step_by(ROWS) {
            T::tile(
                level,
                Tile {
                    rows: ROWS.min(size.rows - row),
                    vectors,
                    inner: size.inner,
                    a: &a.numbers[row * a.row..],
                    a_row: a.row,
                    a_column: a.column,
                    b: &b[column..],
                    b_row,
                    c: &mut c[row * c_row + column..],
                    c_row,
                    start,
                },
            );
        }
    }
}

/// A full block whose operands never change: `inner` times the same row, for measuring.
pub(super) fn repeat_row<T: Float>(level: Level, a: &[T], b: &[T], c: &mut [T], inner: usize) {
    let c_row = VECTORS * T::LANES;
    let start = Accumulation::Accumulate;
    let tile =
        Tile { rows: ROWS, vectors: VECTORS, inner, a, a_row: 1, a_column: 0, b, b_row: 0, c, c_row, start };
    T::tile(level, tile);
}

impl<T: Float> Tile<'_, T> {
    /// Panics unless every number that a microkernel will touch lies inside its slice.
    fn check(&self) {
        assert!(self.rows > 0 && self.vectors > 0);
        let width = self.vectors * T::LANES;
        assert!((self.rows - 1) * self.c_row + width <= self.c.len());
        if self.inner > 0 {
            assert!((self.inner - 1) * self.b_row + width <= self.b.len());
            assert!((self.rows - 1) * self.a_row + (self.inner - 1) * self.a_column < self.a.len());
        }
    }
}

macro_rules! dispatch {
    ($tile:ident, $kernel:ident, [$($rows:literal)*]) => {
        match ($tile.rows, $tile.vectors) {
            $(
                // SAFETY: `check` has been called and the CPU runs this level.
                ($rows, 1) => unsafe { $kernel::<$rows, 1>($tile) },
                // SAFETY: as above.
                ($rows, 2) => unsafe { $kernel::<$rows, 2>($tile) },
                // SAFETY: as above.
                ($rows, 3) => unsafe { $kernel::<$rows, 3>($tile) },
                // SAFETY: as above.
                ($rows, 4) => unsafe { $kernel::<$rows, 4>($tile) },
            )*
            _ => unreachable!("blocks have 1 to {ROWS} rows and 1 to {VECTORS} vectors"),
        }
    };
}

macro_rules! tile_function {
    ($name:ident, $T:ident, $avx512:ident, $avx2:ident) => {
        pub(super) fn $name(level: Level, tile: Tile<'_, $T>) {
            tile.check();
            match level {
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => dispatch!(tile, $avx512, [1 2 3 4 5 6]),
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => dispatch!(tile, $avx2, [1 2 3 4 5 6]),
                _ => portable(tile),
            }
        }
    };
}

tile_function!(tile_f32, f32, avx512_f32, avx2_f32);
tile_function!(tile_f64, f64, avx512_f64, avx2_f64);

/// One vector of each row at a time, in plain loops.
fn portable<T: Float>(tile: Tile<'_, T>) {
    for row in 0..tile.rows {
        for vector in 0..tile.vectors {
            let c = &mut tile.c[row * tile.c_row + vector * T::LANES..][..T::LANES];
            if tile.start == Accumulation::Zero {
                c.fill(T::ZERO);
            }
            for inner in 0..tile.inner {
                let a = tile.a[row * tile.a_row + inner * tile.a_column];
                let b = &tile.b[inner * tile.b_row + vector * T::LANES..][..T::LANES];
                c.iter_mut().zip(b).for_each(|(c, &b)| *c += a * b);
            }
        }
    }
}

/// A microkernel from the intrinsics of one instruction set. `$parts` machine vectors make one of
/// our vectors of 512 bits.
#[cfg(target_arch = "x86_64")]
macro_rules! microkernel {
    ($name:ident, $feature:literal, $T:ident, $lanes:literal, $parts:literal,
     $zero:ident, $load:ident, $store:ident, $splat:ident, $multiply_add:ident) => {
        /// # Safety
        /// The CPU has the instructions, and [`Tile::check`] has passed with these sizes.
        #[target_feature(enable = $feature)]
        unsafe fn $name<const ROWS: usize, const VECTORS: usize>(tile: Tile<'_, $T>) {
            use std::arch::x86_64::*;
            // Narrow vectors need twice the registers: half of the columns at a time.
            for part in 0..$parts {
                let mut sums = [[$zero(); VECTORS]; ROWS];
                let columns = part * VECTORS * $lanes;
                if tile.start == Accumulation::Accumulate {
                    for (row, sums) in sums.iter_mut().enumerate() {
                        for (vector, sum) in sums.iter_mut().enumerate() {
                            let place = row * tile.c_row + columns + vector * $lanes;
                            // SAFETY: inside `c`, by `check`.
                            *sum = unsafe { $load(tile.c.as_ptr().add(place)) };
                        }
                    }
                }
                for inner in 0..tile.inner {
                    let mut b = [$zero(); VECTORS];
                    for (vector, b) in b.iter_mut().enumerate() {
                        let place = inner * tile.b_row + columns + vector * $lanes;
                        // SAFETY: inside `b`, by `check`.
                        *b = unsafe { $load(tile.b.as_ptr().add(place)) };
                    }
                    for (row, sums) in sums.iter_mut().enumerate() {
                        let place = row * tile.a_row + inner * tile.a_column;
                        // SAFETY: inside `a`, by `check`.
                        let a = $splat(unsafe { *tile.a.get_unchecked(place) });
                        for (sum, b) in sums.iter_mut().zip(b) {
                            *sum = $multiply_add(a, b, *sum);
                        }
                    }
                }
                for (row, sums) in sums.iter().enumerate() {
                    for (vector, sum) in sums.iter().enumerate() {
                        let place = row * tile.c_row + columns + vector * $lanes;
                        // SAFETY: inside `c`, by `check`.
                        unsafe { $store(tile.c.as_mut_ptr().add(place), *sum) };
                    }
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
microkernel!(
    avx512_f32,
    "avx512f",
    f32,
    16,
    1,
    _mm512_setzero_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_set1_ps,
    _mm512_fmadd_ps
);
#[cfg(target_arch = "x86_64")]
microkernel!(
    avx512_f64,
    "avx512f",
    f64,
    8,
    1,
    _mm512_setzero_pd,
    _mm512_loadu_pd,
    _mm512_storeu_pd,
    _mm512_set1_pd,
    _mm512_fmadd_pd
);
#[cfg(target_arch = "x86_64")]
microkernel!(
    avx2_f32,
    "avx2,fma",
    f32,
    8,
    2,
    _mm256_setzero_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_set1_ps,
    _mm256_fmadd_ps
);
#[cfg(target_arch = "x86_64")]
microkernel!(
    avx2_f64,
    "avx2,fma",
    f64,
    4,
    2,
    _mm256_setzero_pd,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_set1_pd,
    _mm256_fmadd_pd
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subspace::finalized;

    fn check<T: Float>(
        level: Level,
        rows: usize,
        columns: usize,
        inner: usize,
        transposed: bool,
        start: Accumulation,
    ) {
        let uniform = |index: usize| (finalized(index as u64 + 1) >> 11) as f64 / (1u64 << 53) as f64;
        let number = |index: usize| T::from_f64(uniform(index) - 0.5);
        let (a_row, a_column) = if transposed { (1, rows + 1) } else { (inner + 2, 1) };
        let a: Vec<T> = (0..(rows + 1) * (inner + 2) + rows).map(number).collect();
        let (b_row, c_row) = (columns + T::LANES, columns);
        let b: Vec<T> = (0..inner.max(1) * b_row).map(|index| number(index + 7777)).collect();
        let before: Vec<T> = (0..rows * c_row).map(|index| number(index + 99_999)).collect();
        let mut c = before.clone();
        let scalars = Scalars { numbers: &a, row: a_row, column: a_column };
        multiply(level, Size { rows, columns, inner }, scalars, (&b, b_row), (&mut c, c_row), start);
        let epsilon = if T::LANES == 16 { f64::from(f32::EPSILON) } else { f64::EPSILON };
        for row in 0..rows {
            for column in 0..columns {
                let first =
                    if start == Accumulation::Zero { 0.0 } else { before[row * c_row + column].to_f64() };
                let wanted = (0..inner).fold(first, |sum, k| {
                    sum + a[row * a_row + k * a_column].to_f64() * b[k * b_row + column].to_f64()
                });
                let got = c[row * c_row + column].to_f64();
                // inner + 1 roundings of partial sums of at most inner/4 + 1/2.
                let tolerance = epsilon * (inner as f64 + 1.0) * (inner as f64 / 4.0 + 0.5);
                assert!(
                    (got - wanted).abs() <= tolerance,
                    "{level} {rows}x{columns}x{inner}: {got} {wanted}"
                );
            }
        }
    }

    #[test]
    fn products_of_every_shape_agree_with_plain_sums_on_every_level() {
        for level in Level::ALL.into_iter().filter(|level| level.available()) {
            for rows in [1, 2, 5, 6, 7, 13, 36] {
                for vectors in [1, 2, 3, 4, 5, 9] {
                    for inner in [0, 1, 3, 20, 64] {
                        for (transposed, start) in
                            [(false, Accumulation::Zero), (true, Accumulation::Accumulate)]
                        {
                            check::<f32>(level, rows, 16 * vectors, inner, transposed, start);
                            check::<f64>(level, rows, 8 * vectors, inner, transposed, start);
                        }
                    }
                }
            }
        }
    }
}
