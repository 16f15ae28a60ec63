//! What a Gauss-Newton step is made of on a processor: JᵀJ of all rows and Cholesky factors of it, ours and faer's, in turn.
//! Prints one JSON line per case and number of threads: seconds, best of all rounds, and whether faer's bits are those of
//! one thread.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatRef, Par};
use linear::{Cholesky, NormalEquations};
use std::time::Instant;

/// Rounds in which both take their turn.
const ROUNDS: usize = 7;

/// Numbers between -1/2 and 1/2 without a pattern that products would show.
fn numbers(count: usize) -> Vec<f64> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    (0..count).map(|_| next()).collect()
}

fn seconds(run: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    run();
    begin.elapsed().as_secs_f64()
}

/// JᵀJ of these rows, block by block, as the engine adds it up.
fn equations(rows: &[f64], size: usize) -> NormalEquations {
    let mut normal = NormalEquations::new(size);
    add(&mut normal, rows, size);
    normal
}

fn add(normal: &mut NormalEquations, rows: &[f64], size: usize) {
    normal.clear();
    for part in rows.chunks(NormalEquations::BLOCK * size) {
        let (residuals, block) = normal.block(part.len() / size);
        residuals.fill(0.0);
        block.copy_from_slice(part);
        normal.add_block(&[1.0]);
    }
}

fn lower(to: &mut Mat<f64>, rows: MatRef<'_, f64>, start: Accum, par: Par) {
    let (triangle, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    triangular::matmul(to.as_mut(), triangle, start, rows.transpose(), full, rows, full, 1.0, par);
}

fn products(count: usize, size: usize, threads: usize) {
    let rows = numbers(count * size);
    let mut normal = equations(&rows, size);
    let par = if threads == 1 { Par::Seq } else { Par::rayon(threads) };
    let whole = MatRef::from_row_major_slice(&rows, count, size);
    let (mut at_once, mut in_blocks, mut alone) =
        (Mat::<f64>::zeros(size, size), Mat::<f64>::zeros(size, size), Mat::<f64>::zeros(size, size));
    let mut best = [f64::MAX; 3];
    for _ in 0..ROUNDS {
        best[0] = best[0].min(seconds(|| add(&mut normal, &rows, size)));
        best[1] = best[1].min(seconds(|| lower(&mut at_once, whole, Accum::Replace, par)));
        best[2] = best[2].min(seconds(|| {
            in_blocks.fill(0.0);
            for part in rows.chunks(NormalEquations::BLOCK * size) {
                let part = MatRef::from_row_major_slice(part, part.len() / size, size);
                lower(&mut in_blocks, part, Accum::Add, par);
            }
        }));
    }
    lower(&mut alone, whole, Accum::Replace, Par::Seq);
    let off =
        (0..size).map(|row| (normal.matrix().number(row, 0) - at_once[(row, 0)]).abs()).fold(0.0, f64::max);
    let line = serde_json::json!({
        "case": "products", "rows": count, "size": size, "threads": threads, "ours": best[0], "faer": best[1],
        "faer_in_blocks": best[2], "faer_has_bits_of_one_thread": at_once == alone, "difference": off,
    });
    println!("{line}");
}

fn factors(size: usize, threads: usize) {
    let rows = numbers((size + size / 4) * size);
    let normal = equations(&rows, size);
    let (mut ours, damping) = (Cholesky::new(size), 1e-3);
    let par = if threads == 1 { Par::Seq } else { Par::rayon(threads) };
    let matrix = Mat::from_fn(size, size, |row, column| {
        let (row, column) = (row.max(column), row.min(column));
        normal.matrix().number(row, column) + if row == column { damping } else { 0.0 }
    });
    let need = factor::cholesky_in_place_scratch::<f64>(size, par, faer::Spec::default());
    let mut memory = MemBuffer::new(need);
    let mut factorise = |to: &mut Mat<f64>, par| {
        to.copy_from(&matrix);
        let stack = MemStack::new(&mut memory);
        factor::cholesky_in_place(to.as_mut(), Default::default(), par, stack, faer::Spec::default())
            .expect("the matrix is positive definite");
    };
    let (mut theirs, mut alone) = (Mat::<f64>::zeros(size, size), Mat::<f64>::zeros(size, size));
    let mut best = [f64::MAX; 2];
    for _ in 0..ROUNDS {
        best[0] = best[0].min(seconds(|| assert!(ours.factorize(normal.matrix(), damping))));
        best[1] = best[1].min(seconds(|| factorise(&mut theirs, par)));
    }
    factorise(&mut alone, Par::Seq);
    let line = serde_json::json!({
        "case": "factors", "size": size, "threads": threads, "ours": best[0], "faer": best[1],
        "faer_has_bits_of_one_thread": theirs == alone,
    });
    println!("{line}");
}

/// On one thread and on two.
pub(crate) fn all() {
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            for size in [1341, 2048, 3297] {
                factors(size, threads);
            }
            products(20_000, 1341, threads);
        });
    }
}
