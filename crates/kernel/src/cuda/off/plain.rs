//! Products by plain loops, in memory that the processor has: what stands in for the library.

use super::products::{Factors, Matrix, Product};
use crate::cpu::Float;

/// Multiplies as [`Product::matrices`] says.
pub(super) fn multiply<T: Float>(product: Product, factors: Factors) {
    let [left, right, result] = product.matrices();
    let inner = if left.transposed { left.rows } else { left.columns };
    let read = |address: u64, matrix: Matrix, row: usize, column: usize| {
        let place = if matrix.transposed { row * matrix.rows + column } else { column * matrix.rows + row };
        // SAFETY: the address is that of a matrix of this size in a live arena, as the engine planned it.
        unsafe { (address as *const T).add(place).read() }.to_f64()
    };
    for column in 0..result.columns {
        for row in 0..result.rows {
            let before = if factors.adds { read(factors.result, result, row, column) } else { 0.0 };
            let products = (0..inner)
                .map(|at| read(factors.left, left, row, at) * read(factors.right, right, at, column));
            let sum = T::from_f64(before + products.sum::<f64>());
            // SAFETY: as above; nobody else uses the arena during this call.
            unsafe { (factors.result as *mut T).add(column * result.rows + row).write(sum) };
        }
    }
}
