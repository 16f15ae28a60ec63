//! The kernels of the fused step: which blocks take which tiles, and through which network.

use super::Variant;
use equation::taylor::Plan;
use std::fmt::Write;

/// Which terms a text is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CoveredTerms {
    /// All of them; networks of fewer channels than the widest are called.
    Whole,
    /// Those with the most channels.
    Wide,
    /// The others, after them.
    Narrow,
}

impl CoveredTerms {
    fn kernel(self) -> &'static str {
        match self {
            CoveredTerms::Whole | CoveredTerms::Wide => "evaluate",
            CoveredTerms::Narrow => "narrow",
        }
    }
}

/// Where tiles of a kernel start and end among all: narrow terms follow the others.
pub(super) fn limits(plan: &Plan, networks: &[Option<usize>]) -> String {
    let first = networks.iter().position(Option::is_some).unwrap_or(0);
    let behind = networks.iter().rposition(Option::is_some).map_or(plan.terms.len(), |last| last + 1);
    let text = |name: &str, term: usize| {
        format!(
            "__device__ inline int {name}(const Arguments& arguments) {{\n    return int(arguments.table[{}]);\n}}\n",
            3 * term + 2
        )
    };
    text("first_tile", first) + &text("end_tile", behind) + "\n"
}

/// A kernel of loss and gradient. The terms' arrays lie `cells` bytes behind the start of shared memory; `networks` says
/// which network a term has, or that it has none here.
pub(super) fn entry(
    plan: &Plan,
    (part, each, cells): (CoveredTerms, usize, usize),
    networks: &[Option<usize>],
    variant: Variant,
) -> String {
    let mut text = format!(
        "extern \"C\" __global__ void __launch_bounds__(THREADS, {}) {}(const __grid_constant__ Arguments arguments) {{\n\
         \x20   Block block = own_block(arguments);\n\
         \x20   block.scratch = reinterpret_cast<number*>(shared_memory + {cells});\n\
         \x20   block.gradient = arguments.gradients + static_cast<long long>(blockIdx.x / SHARING) * GRADIENT;\n\
{}\
         \x20   if (threadIdx.x == 0) *workspace() = number(0);\n\
         \x20   __syncthreads();\n",
        each,
        part.kernel(),
        match part {
            CoveredTerms::Whole | CoveredTerms::Wide =>
                "    if (arguments.fresh)\n        for (int place = threadIdx.x; place < SUMS; place += THREADS) block.sums[place] = 0;\n",
            CoveredTerms::Narrow => "",
        }
    );
    text += &tiles(plan, networks, variant);
    text + "}\n\n"
}

/// The loop over tiles. Terms with the same network share its code: a thread's sums fill its registers, so that calls
/// are out of the question.
fn tiles(plan: &Plan, networks: &[Option<usize>], variant: Variant) -> String {
    let mut text = String::from("    const long long* table = arguments.table;\n");
    _ = writeln!(
        text,
        "    for (int tile = own_tile(first_tile(arguments)); tile < end_tile(arguments); tile += gridDim.x) {{\n\
         \x20       const bool first = {}tile == blockIdx.x && blockIdx.x % SHARING == 0;\n\
         \x20       int term = 0, count, row;\n        const double* rows;\n\
         \x20       while (tile >= table[3 * term + 5]) ++term;",
        if variant.chunked { "arguments.fresh && " } else { "" }
    );
    // One branch per term, or per network.
    let branches = |text: &mut String, bodies: &[(Vec<usize>, String)]| {
        for (number, (terms, body)) in bodies.iter().enumerate() {
            let conditions: Vec<String> = terms.iter().map(|term| format!("term == {term}")).collect();
            let condition = if number + 1 == bodies.len() {
                String::new()
            } else {
                format!("if ({}) ", conditions.join(" || "))
            };
            let open = if number == 0 { "        " } else { " else " };
            _ = write!(text, "{open}{condition}{{\n{body}        }}");
        }
        text.push('\n');
    };
    let for_terms = |body: &dyn Fn(usize) -> String| -> Vec<(Vec<usize>, String)> {
        let own = (0..plan.terms.len()).filter(|&term| networks[term].is_some());
        own.map(|term| (vec![term], body(term))).collect()
    };
    let for_networks = |call: &str| -> Vec<(Vec<usize>, String)> {
        let body = |network: usize| {
            let terms = (0..networks.len()).filter(|&term| networks[term] == Some(network)).collect();
            (
                terms,
                format!(
                    "            walk_{call}(Walk<Network{network}>{{block, rows, count, row, tile, first}});\n"
                ),
            )
        };
        (0..count(networks)).map(body).collect()
    };
    let start = for_terms(&|term| {
        let mut body = format!(
            "            const long long start = (tile - table[{}]) * Term{term}::POINTS, left = table[{}] - start;\n\
             \x20           row = Term{term}::ROW;\n\
             \x20           rows = arguments.rows + table[{}] + start * row;\n\
             \x20           count = int(left < Term{term}::POINTS ? left : Term{term}::POINTS);\n",
            3 * term + 2,
            3 * term + 1,
            3 * term
        );
        if !plan.terms[term].channels.coefficients.is_empty() {
            _ = writeln!(body, "            store_coefficients<Term{term}>(block, rows, count);");
        }
        body
    });
    branches(&mut text, &start);
    branches(&mut text, &for_networks("forward"));
    let before = |term: usize| plan.terms[..term].iter().map(|term| term.residuals.len()).sum::<usize>();
    branches(
        &mut text,
        &for_terms(&|term| {
            format!("            seed_losses<Term{term}>(block, rows, count, {});\n", before(term))
        }),
    );
    branches(&mut text, &for_networks("reverse"));
    branches(&mut text, &for_terms(&|term| format!("            sum_scalars<Term{term}>(block);\n")));
    text + "    }\n"
}

/// Networks that terms have, by their numbers.
pub(super) fn count(networks: &[Option<usize>]) -> usize {
    networks.iter().flatten().max().map_or(0, |last| last + 1)
}
