//! The kernels of a least-squares problem: all terms in one launch, rows one after the other as on the host.

use super::frame;
use equation::taylor::Plan;

/// `rows` writes rows and residuals, `residuals` the residuals alone.
pub(super) fn entries(plan: &Plan) -> String {
    let rows = entry(plan, "rows", |term, first| {
        format!(
            "rows_tile<Term{term}>(block, rows, count, arguments.factors + {first},\n\
             \x20               arguments.output + row * STRIDE, arguments.values + row)"
        )
    });
    let residuals = entry(plan, "residuals", |term, _| {
        format!("fill_tile<Term{term}>(block, rows, count, arguments.values + row)")
    });
    rows + &residuals
}

/// One kernel; `call` is given the term and its first residual, and uses `row`, the first one of its tile.
fn entry(plan: &Plan, name: &str, call: impl Fn(usize, usize) -> String) -> String {
    let tiles = frame::tiles(plan, |term, first| {
        let row = format!("{} + start * Term{term}::RESIDUALS", before(term));
        format!("const long long row = {row};\n            {}", call(term, first))
    });
    format!(
        "extern \"C\" __global__ void __launch_bounds__(THREADS, 2) {name}(Arguments arguments) {{\n\
         \x20   const Block block = own_block(arguments);\n{tiles}}}\n\n"
    )
}

/// Rows of the terms before one.
fn before(term: usize) -> String {
    let count = |term: usize| format!("table[{}] * Term{term}::RESIDUALS", 3 * term + 1);
    if term == 0 { "0".to_owned() } else { (0..term).map(count).collect::<Vec<_>>().join(" + ") }
}
