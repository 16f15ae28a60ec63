//! Cholesky factors of damped symmetric matrices: A = UᵀU, block by block on the microkernel.

use crate::{Accumulation, Float, Level, Scalars, Size, Symmetric, multiply};
use rayon::prelude::*;

/// Rows of U that are finished at a time.
const BLOCK: usize = 96;

/// Rows of a block that are finished one after the other; those below them by one product.
const STEP: usize = 24;

/// Columns that are worked on at a time: a block of them lies in the second-level cache.
const CHUNK: usize = 256;

/// Rows of what is left that one thread updates at a time.
const SHARE: usize = 48;

/// Numbers of a line of the cache, which products begin with.
const LINE: usize = 8;

/// A factor, and the memory to find it in. Its bits do not depend on the number of threads.
#[derive(Clone, Debug)]
pub struct Cholesky {
    size: usize,
    /// Length of a row, in whole chunks.
    stride: usize,
    level: Level,
    /// Row by row; what lies left of the diagonal does not count.
    rows: Vec<f64>,
    /// The block at hand, chunk by chunk of columns.
    block: Vec<f64>,
    /// Its negative.
    negative: Vec<f64>,
    /// The negative of its square on the diagonal.
    corner: Vec<f64>,
}

impl Cholesky {
    /// For matrices with `size` rows.
    pub fn new(size: usize) -> Self {
        let stride = size.next_multiple_of(CHUNK);
        Cholesky {
            size,
            stride,
            level: Level::best(),
            rows: vec![0.0; size * stride],
            block: vec![0.0; BLOCK * stride],
            negative: vec![0.0; BLOCK * stride],
            corner: vec![0.0; BLOCK * BLOCK],
        }
    }

    /// Rows of the matrices that it fits.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Bytes that matrices with `size` rows take.
    pub fn bytes(size: usize) -> usize {
        // More than a number holds is the most that it holds.
        (size + 2 * BLOCK).saturating_mul(size.next_multiple_of(CHUNK)).saturating_mul(size_of::<f64>())
    }

    /// Factorises the matrix with `damping` added to its diagonal; false where it has no factor.
    pub fn factorize(&mut self, matrix: &Symmetric, damping: f64) -> bool {
        let stride = self.stride;
        for (number, row) in self.rows.chunks_exact_mut(stride.max(1)).enumerate() {
            row[number..self.size].copy_from_slice(matrix.column(number));
            row[number] += damping;
        }
        (0..self.size).step_by(BLOCK).all(|first| self.finish_block(first, BLOCK.min(self.size - first)))
    }

    /// Turns rows `first..first + count` into rows of U, and takes their share off all that follow.
    fn finish_block(&mut self, first: usize, count: usize) -> bool {
        let Cholesky { size, stride, level, rows, block, negative, corner } = self;
        let (size, stride, level) = (*size, *stride, *level);
        let start = first / CHUNK * CHUNK;
        if !finish_corner(level, &mut rows[first * stride..], (stride, first), &mut corner[..count * count]) {
            return false;
        }
        let (done, rest) = rows[first * stride..].split_at_mut(count * stride);
        let after = first + count;
        let chunks = (stride - start) / CHUNK;
        let (block, negative) =
            (&mut block[..chunks * count * CHUNK], &mut negative[..chunks * count * CHUNK]);
        let corner = &*corner;
        block
            .par_chunks_exact_mut(count * CHUNK)
            .zip(negative.par_chunks_exact_mut(count * CHUNK))
            .enumerate()
            .for_each(|(number, (block, negative))| {
                let columns = start + number * CHUNK..start + (number + 1) * CHUNK;
                for (row, to) in block.chunks_exact_mut(CHUNK).enumerate() {
                    to.copy_from_slice(&done[row * stride..][columns.clone()]);
                }
                for top in (0..count).step_by(STEP) {
                    let bottom = (top + STEP).min(count);
                    for row in top..bottom {
                        let (above, own) = block.split_at_mut(row * CHUNK);
                        let own = &mut own[..CHUNK];
                        for (above, number) in above[top * CHUNK..].chunks_exact(CHUNK).zip(top..) {
                            let factor = corner[number * count + row];
                            own.iter_mut().zip(above).for_each(|(to, from)| *to += factor * from);
                        }
                        let scale = -1.0 / corner[row * count + row];
                        own.iter_mut().for_each(|number| *number *= scale);
                    }
                    if bottom < count {
                        let (above, below) = block.split_at_mut(bottom * CHUNK);
                        let factors =
                            Scalars { numbers: &corner[top * count + bottom..], row: 1, column: count };
                        let product = Size { rows: count - bottom, columns: CHUNK, inner: bottom - top };
                        let above = (&above[top * CHUNK..], CHUNK);
                        multiply(level, product, factors, above, (below, CHUNK), Accumulation::Accumulate);
                    }
                }
                negative.iter_mut().zip(&*block).for_each(|(to, from)| *to = -from);
            });
        done.par_chunks_exact_mut(stride).enumerate().for_each(|(row, to)| {
            for (number, chunk) in block.chunks_exact(count * CHUNK).enumerate() {
                let first_column = start + number * CHUNK;
                let from = after.clamp(first_column, first_column + CHUNK);
                let part = &chunk[row * CHUNK..][from - first_column..CHUNK];
                to[from..first_column + CHUNK].copy_from_slice(part);
            }
        });
        let (block, negative) = (&*block, &*negative);
        rest[..(size - after) * stride].par_chunks_mut(SHARE * stride).with_max_len(1).enumerate().for_each(
            |(number, rest)| {
                let top = after + number * SHARE;
                let mut row = top;
                while row < top + rest.len() / stride {
                    // Rows of one chunk share their factors' place.
                    let end = (top + rest.len() / stride).min((row / CHUNK + 1) * CHUNK);
                    let own = (row - start) / CHUNK;
                    let factors = &negative[own * count * CHUNK + row % CHUNK..(own + 1) * count * CHUNK];
                    let a = Scalars { numbers: factors, row: 1, column: CHUNK };
                    for chunk in own..chunks {
                        // Left of the diagonal nothing counts.
                        let skipped = if chunk == own { row % CHUNK / LINE * LINE } else { 0 };
                        let b = &block[chunk * count * CHUNK + skipped..(chunk + 1) * count * CHUNK];
                        let c = &mut rest[(row - top) * stride + start + chunk * CHUNK + skipped..];
                        let product = Size { rows: end - row, columns: CHUNK - skipped, inner: count };
                        multiply(level, product, a, (b, CHUNK), (c, stride), Accumulation::Accumulate);
                    }
                    row = end;
                }
            },
        );
        true
    }

    /// Replaces `vector` by the solution of A·x = vector.
    pub fn solve(&self, vector: &mut [f64]) {
        for row in 0..self.size {
            let own = &self.rows[row * self.stride..][row..self.size];
            let (first, rest) = vector[row..].split_at_mut(1);
            first[0] /= own[0];
            rest.iter_mut().zip(&own[1..]).for_each(|(to, factor)| *to -= factor * first[0]);
        }
        for row in (0..self.size).rev() {
            let own = &self.rows[row * self.stride..][row..self.size];
            let (first, rest) = vector[row..].split_at_mut(1);
            let sum: f64 = own[1..].iter().zip(&*rest).map(|(factor, number)| factor * number).sum();
            first[0] = (first[0] - sum) / own[0];
        }
    }
}

/// Factorises the block on the diagonal, from column `first` on, and writes its negative into `corner`; false where it has
/// no factor.
fn finish_corner(
    level: Level,
    rows: &mut [f64],
    (stride, first): (usize, usize),
    corner: &mut [f64],
) -> bool {
    let count = corner.len().isqrt();
    for top in (0..count).step_by(STEP) {
        let bottom = (top + STEP).min(count);
        for row in top..bottom {
            let (above, own) = rows.split_at_mut(row * stride);
            let own = &mut own[first..first + count];
            for above in above[top * stride..].chunks_exact(stride) {
                let above = &above[first..first + count];
                let factor = above[row];
                own[row..].iter_mut().zip(&above[row..]).for_each(|(to, from)| *to -= factor * from);
            }
            let pivot = own[row];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return false;
            }
            let root = pivot.sqrt();
            own[row..].iter_mut().for_each(|number| *number /= root);
            let negative = &mut corner[row * count..][..count];
            negative.iter_mut().zip(&*own).for_each(|(to, from)| *to = -from);
        }
        if bottom < count {
            let (above, below) = rows.split_at_mut(bottom * stride);
            let factors = Scalars { numbers: &corner[top * count + bottom..], row: 1, column: count };
            // Blocks have whole vectors; the last one is followed by columns that do not count.
            let columns = (count - bottom).next_multiple_of(f64::LANES);
            let product = Size { rows: count - bottom, columns, inner: bottom - top };
            let above = (&above[top * stride + first + bottom..], stride);
            let below = (&mut below[first + bottom..], stride);
            multiply(level, product, factors, above, below, Accumulation::Accumulate);
        }
    }
    true
}
