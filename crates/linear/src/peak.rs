//! The CPU's own limit: fused multiply-adds on registers only.

use crate::{Float, Level};
use std::time::Instant;

/// Blocks between two readings of the clock: about a millisecond.
const BLOCKS: usize = 24;

/// Multiply-adds of one thread per second, counted as two operations each, measured for about
/// `seconds` with the widest instructions of this CPU.
pub fn peak_flops<T: Float>(seconds: f64) -> f64 {
    let level = Level::best();
    // A product whose inner dimension is long and whose operands are a few cache lines: all registers,
    // no memory. It is the microkernel itself, so nothing that uses it can be faster.
    let inner = 4096;
    let width = 4 * T::LANES;
    let a = vec![T::from_f64(1e-3); 6];
    let b = vec![T::from_f64(1e-3); width];
    let mut c = vec![T::ZERO; 6 * width];
    let work = 2.0 * (6 * width * inner) as f64;
    let mut best = 0.0f64;
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < seconds {
        let begin = Instant::now();
        for _ in 0..BLOCKS {
            super::gemm::repeat_row(level, &a, &b, &mut c, inner);
        }
        best = best.max(BLOCKS as f64 * work / begin.elapsed().as_secs_f64());
    }
    std::hint::black_box(c);
    best
}
