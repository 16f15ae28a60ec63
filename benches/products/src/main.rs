//! One thread, C = A·B with A of `rows`×W and B of W×W, as a layer's forward pass does it: our microkernel,
//! the crates `gemm` (feature x86-v4) and `faer`. Prints one JSON line per shape, Gflop/s, best of many.
//! With `factors`: see there.

use linear::{Float, Level, Scalars, Size, Start, multiply, peak_flops};
use std::time::Instant;

fn best(work: f64, mut run: impl FnMut()) -> f64 {
    let mut best = 0.0f64;
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < 0.5 {
        let begin = Instant::now();
        (0..20).for_each(|_| run());
        best = best.max(20.0 * work / begin.elapsed().as_secs_f64());
    }
    best / 1e9
}

macro_rules! shape {
    ($T:ident, $rows:expr, $width:expr) => {{
        let (rows, width): (usize, usize) = ($rows, $width);
        let a: Vec<$T> = (0..rows * width).map(|n| (n % 7) as $T * 0.1).collect();
        let b: Vec<$T> = (0..width * width).map(|n| (n % 5) as $T * 0.1).collect();
        let mut c = vec![0.0 as $T; rows * width];
        let work = 2.0 * (rows * width * width) as f64;
        let ours = best(work, || {
            let scalars = Scalars { numbers: &a, row: width, column: 1 };
            let size = Size { rows, columns: width, inner: width };
            multiply(Level::best(), size, scalars, (&b, width), (&mut c, width), Start::Zero);
            std::hint::black_box(&c);
        });
        let (one, wide) = (1isize, width as isize);
        let theirs = best(work, || {
            // SAFETY: the strides describe row-major matrices of exactly these slices.
            unsafe {
                gemm::gemm(rows, width, width, c.as_mut_ptr(), one, wide, false, a.as_ptr(), one, wide,
                    b.as_ptr(), one, wide, 0.0, 1.0, false, false, false, gemm::Parallelism::None)
            };
            std::hint::black_box(&c);
        });
        let faer = best(work, || {
            let a = faer::MatRef::from_row_major_slice(&a, rows, width);
            let b = faer::MatRef::from_row_major_slice(&b, width, width);
            let c = faer::MatMut::from_row_major_slice_mut(&mut c, rows, width);
            faer::linalg::matmul::matmul(c, faer::Accum::Replace, a, b, 1.0 as $T, faer::Par::Seq);
        });
        let line = serde_json::json!({
            "type": stringify!($T), "rows": rows, "width": width, "lanes": <$T as Float>::LANES,
            "ours": ours, "gemm": theirs, "faer": faer, "peak": peak_flops::<$T>(0.2) / 1e9,
        });
        println!("{line}");
    }};
}

mod factors;

fn main() {
    if std::env::args().any(|argument| argument == "factors") {
        return factors::all();
    }
    for width in [32, 64, 128, 256] {
        for rows in [96, 192] {
            shape!(f32, rows, width);
            shape!(f64, rows, width);
        }
    }
}
