//! What surrounds the work on a tile, the same for all kernels: which blocks take which tiles, steps of training.

use crate::Precision;
use equation::taylor::Plan;
use std::fmt::Write;

/// A kernel of a module.
pub(crate) fn kernel(name: &str, body: &str) -> String {
    kernel_of(name, 1, body)
}

/// A kernel of which so many blocks share a multiprocessor at least.
pub(crate) fn kernel_of(name: &str, each: usize, body: &str) -> String {
    let bounds = format!("__launch_bounds__(THREADS, {each})");
    let head = format!("extern \"C\" __global__ void {bounds} {name}(Arguments arguments)");
    format!("{head} {{\n{body}}}\n\n")
}

/// Which numbers the matrix units multiply, where their size does not tell.
pub(super) fn formats(precision: Precision) -> String {
    let flag = |set: bool| u8::from(set);
    let halves = flag(matches!(precision, Precision::Fp16 | Precision::Fp16x3));
    let tf32 = flag(precision == Precision::Tf32);
    let single = flag(precision != Precision::F64);
    format!("#define HALVES {halves}\n#define TF32 {tf32}\n#define SINGLE {single}\n")
}

/// The loop over tiles of all terms; `call` is given the term and its first residual, and uses `block`, `rows`,
/// `count` and `tile`.
pub(super) fn tiles(plan: &Plan, call: impl Fn(usize, usize) -> String) -> String {
    tiles_of(plan, ["blockIdx.x", "gridDim.x"], points_of, call)
}

/// The points of a term's tile.
pub(super) fn points_of(term: usize) -> String {
    format!("Term{term}::POINTS")
}

/// The same for some of the blocks: which one of them this is, and how many they are; `points` says how many a tile has.
pub(super) fn tiles_of(
    plan: &Plan,
    [own, all]: [&str; 2],
    points: impl Fn(usize) -> String,
    call: impl Fn(usize, usize) -> String,
) -> String {
    let mut text = String::from("    const long long* table = arguments.table;\n");
    let end = 3 * plan.terms.len() + 2;
    _ = writeln!(text, "    for (long long tile = {own}; tile < table[{end}]; tile += {all}) {{");
    let mut first = 0;
    for (number, term) in plan.terms.iter().enumerate() {
        let entry = 3 * number;
        _ = writeln!(
            text,
            "        if (tile < table[{}]) {{\n\
             \x20           constexpr int POINTS = {};\n\
             \x20           const long long start = (tile - table[{}]) * POINTS, left = table[{}] - start;\n\
             \x20           const double* rows = arguments.rows + table[{entry}] + start * Term{number}::ROW;\n\
             \x20           const int count = int(left < POINTS ? left : POINTS);\n\
             \x20           {};\n            continue;\n        }}",
            entry + 5,
            points(number),
            entry + 2,
            entry + 1,
            call(number, first)
        );
        first += term.residuals.len();
    }
    text + "    }\n"
}
