//! The kernels of a least-squares problem: all terms in one launch, rows one after the other as on the host.

use super::frame;
use equation::taylor::Plan;
use std::fmt::Write;

/// `rows` writes rows and residuals, `residuals` the residuals alone.
pub(super) fn entries(plan: &Plan) -> String {
    let mut text = String::new();
    for name in ["rows", "residuals"] {
        _ = writeln!(
            text,
            "extern \"C\" __global__ void __launch_bounds__(THREADS, 2) {name}(Arguments arguments) {{\n\
             \x20   const Block block = own_block(arguments);"
        );
        text += &frame::tiles(plan, |number, first| {
            let row = format!("const long long row = {} + start * Term{number}::RESIDUALS", before(number));
            let call = match name {
                "rows" => format!(
                    "rows_tile<Term{number}>(block, rows, count, arguments.factors + {first},\n\
                     \x20               arguments.output + row * STRIDE, arguments.values + row)"
                ),
                _ => format!("fill_tile<Term{number}>(block, rows, count, arguments.values + row)"),
            };
            format!("{row};\n            {call}")
        });
        text += "}\n\n";
    }
    text
}

/// Rows of the terms before one.
fn before(term: usize) -> String {
    let count = |term: usize| format!("table[{}] * Term{term}::RESIDUALS", 3 * term + 1);
    if term == 0 { "0".to_owned() } else { (0..term).map(count).collect::<Vec<_>>().join(" + ") }
}
