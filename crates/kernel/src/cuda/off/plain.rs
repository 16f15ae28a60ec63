//! Products by plain loops, in memory that the processor has: what stands in for the library.

use super::products::{Factors, MatrixLayout, MatrixProduct};
use linear::Float;
use std::slice;

/// Multiplies as [`MatrixProduct::matrices`] says.
pub(super) fn multiply<T: Float>(product: MatrixProduct, factors: Factors) {
    let [left, right, result] = product.matrices();
    let inner = if left.transposed { left.rows } else { left.columns };
    let numbers = |matrix: MatrixLayout| matrix.rows * matrix.columns;
    for (matrix, region) in [(left, factors.left), (right, factors.right), (result, factors.result)] {
        assert!(numbers(matrix) * size_of::<T>() <= region.bytes(), "a region that holds its matrix");
    }
    // SAFETY: the region lies in a live arena, holds a matrix of this size and begins where such numbers may.
    let lefts = unsafe { slice::from_raw_parts(factors.left.address() as *const T, numbers(left)) };
    // SAFETY: as above.
    let rights = unsafe { slice::from_raw_parts(factors.right.address() as *const T, numbers(right)) };
    // SAFETY: as above; a result is none of its factors, and nobody else uses the arena during this call.
    let results = unsafe { slice::from_raw_parts_mut(factors.result.address() as *mut T, numbers(result)) };
    let place = |matrix: MatrixLayout, row: usize, column: usize| {
        if matrix.transposed { row * matrix.rows + column } else { column * matrix.rows + row }
    };
    for column in 0..result.columns {
        for row in 0..result.rows {
            let own = &mut results[place(result, row, column)];
            let before = if factors.adds { own.to_f64() } else { 0.0 };
            let products = (0..inner)
                .map(|at| lefts[place(left, row, at)].to_f64() * rights[place(right, at, column)].to_f64());
            *own = T::from_f64(before + products.sum::<f64>());
        }
    }
}
