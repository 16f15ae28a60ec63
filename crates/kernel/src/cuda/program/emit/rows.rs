//! The kernels of a least-squares problem: all terms in one launch, rows one after the other as on the host.

use super::frame::{self, kernel};
use equation::taylor::Plan;

/// `rows` writes rows and residuals, `residuals` the residuals alone, for many candidates at once.
pub(super) fn entries(plan: &Plan) -> String {
    let rows = entry(
        plan,
        "rows",
        "const Arguments& own = arguments;",
        ["blockIdx.x", "gridDim.x"],
        |term, first| {
            format!(
                "rows_tile<Term{term}>(block, rows, count, own.factors + {first},\n\
             \x20               own.output + row * STRIDE, own.values + row)"
            )
        },
    );
    let candidate = "const Arguments own = arguments_of(arguments, blockIdx.x % arguments.candidates);";
    let shares = ["blockIdx.x / arguments.candidates", "gridDim.x / arguments.candidates"];
    let residuals = entry(plan, "residuals", candidate, shares, |term, _| {
        format!("fill_tile<Term{term}>(block, rows, count, own.values + row)")
    });
    rows + &residuals + &pack(plan)
}

/// One kernel; `call` is given the term and its first residual, and uses `own`, the arguments of the block, and `row`,
/// the first one of its tile.
fn entry(
    plan: &Plan,
    name: &str,
    own: &str,
    shares: [&str; 2],
    call: impl Fn(usize, usize) -> String,
) -> String {
    let tiles = frame::tiles_of(plan, shares, frame::points_of, |term, first| {
        let row = format!("{} + start * Term{term}::RESIDUALS", before(term));
        format!("const long long row = {row};\n            {}", call(term, first))
    });
    format!(
        "extern \"C\" __global__ void __launch_bounds__(THREADS, 2) {name}(Arguments arguments) {{\n\
         \x20   {own}\n    const Block block = own_block(own);\n{tiles}}}\n\n"
    )
}

/// Packs the parameters of all candidates.
fn pack(plan: &Plan) -> String {
    let calls = super::with_parameters(plan)
        .map(|number| format!("        pack_layer(LAYER{number}, own.weights, own.parameters);\n"));
    let body = format!(
        "    for (int candidate = 0; candidate < arguments.candidates; ++candidate) {{\n\
         \x20       const Arguments own = arguments_of(arguments, candidate);\n\
         {}    }}\n",
        calls.collect::<String>()
    );
    kernel("pack", &body)
}

/// Rows of the terms before one.
pub(super) fn before(term: usize) -> String {
    let count = |term: usize| format!("table[{}] * Term{term}::RESIDUALS", 3 * term + 1);
    if term == 0 { "0".to_owned() } else { (0..term).map(count).collect::<Vec<_>>().join(" + ") }
}
