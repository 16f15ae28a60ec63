//! Rows and residuals of narrow networks: a warp per few points, with weights and values in shared memory.

use super::fused::Plain;
use super::rows::before;
use super::term::TermText;
use super::{ARGUMENTS, KernelSource, KernelTarget, NUMBERS, SLOPES, TILE, features, frame};
use crate::Precision;
use crate::cuda::machine::Shape;
use crate::cuda::program::layout::{Layout, stride};
use equation::taylor::{Plan, Term};
use std::fmt::Write;

const PASSAGE: &str = include_str!("../../device/rows/passage.cuh");

/// Warps of a block, each with points of its own.
const WARPS: usize = 8;

/// Points of a warp: they share the weights that it reads.
const POINTS: usize = 2;

/// Blocks that share a multiprocessor, at most: their threads have 128 registers each.
const MOST_EACH: usize = 2;

/// The most neurons of a layer: two per lane.
const MOST_NEURONS: usize = 64;

/// The most columns (channels at all places of all points) whose sums a thread has registers for, times its neurons.
const MOST_COLUMNS: usize = 24;

/// Shared memory of a block that the system takes for itself.
const RESERVED_BYTES: usize = 1024;

/// Names and sizes of a term's arrays in a warp's memory; those that depend on the residuals come last.
fn arrays(term: &Term, plain: &Plain, plan: &Plan) -> [(&'static str, usize); 7] {
    let places = term.row.sites * POINTS;
    let columns = term.channels.len() * places;
    [
        ("HEAD", plain.outputs * columns),
        ("HEAD_BAR", plain.outputs * columns),
        ("BARS", plain.neurons * columns),
        ("COEFFICIENTS", term.channels.coefficients.len() * places),
        ("VALUES", (plain.features + 2 * plain.hidden * plain.neurons) * columns),
        ("KEPT", term.residuals.len() * POINTS),
        ("SCALAR_BARS", plan.scalars.len() * POINTS),
    ]
}

/// The kernel of rows and residuals; `None` where a plan has to go layer by layer.
pub(super) fn source(plan: &Plan, target: KernelTarget) -> Option<KernelSource> {
    let (name, number) = match target.precision {
        Precision::F64 => ("double", 8),
        Precision::F32 => ("float", 4),
        Precision::Fp16x3
        | Precision::Bf16x6
        | Precision::Bf16x3
        | Precision::Bf16
        | Precision::Fp16
        | Precision::Tf32 => {
            return None;
        }
    };
    let plain = Plain::of(&plan.architecture)?;
    let columns = plan.terms.iter().map(|term| term.channels.len() * term.row.sites * POINTS).max()?;
    let trained = plan.terms.iter().any(|term| !term.coefficients_adjoint.variables.is_empty());
    if trained || plain.neurons > MOST_NEURONS || columns * plain.neurons.div_ceil(32) > MOST_COLUMNS {
        return None;
    }
    let Plain { features, neurons, hidden, outputs, .. } = plain;
    let scratch = plan.terms.iter().map(|term| arrays(term, &plain, plan).iter().map(|(_, size)| size).sum());
    let scratch = scratch.max().unwrap_or(0usize).next_multiple_of(4);
    // As in `device/rows/passage.cuh`.
    let squares = (features + (hidden - 1) * neurons) * (neurons | 1);
    let weights = (squares + hidden * neurons + (neurons + 1) * outputs).next_multiple_of(16 / number);
    let shared = ((weights + WARPS * scratch) * number).next_multiple_of(16);
    let each = (target.shared / (shared + RESERVED_BYTES)).min(MOST_EACH);
    if each == 0 {
        return None;
    }
    let threads = 32 * WARPS;

    let mut text =
        format!("// Rows by warps in {}, made by pinnace.\ntypedef {name} number;\n", target.precision);
    for (name, value) in [
        ("THREADS", threads),
        ("WORKSPACE_BYTES", 16),
        ("SHARED_BYTES", shared),
        ("WARP_SCRATCH", scratch),
        ("WEIGHTS", plan.architecture.weight_count()),
        ("SCALARS", plan.scalars.len()),
        ("PARAMETERS", plan.parameter_count()),
        ("STRIDE", stride(plan.parameter_count())),
        ("SCRATCH", 0),
        ("GRADIENT", 0),
        ("SUMS", 0),
        ("NEURONS", neurons),
        ("HIDDEN", hidden),
        ("OUTPUTS", outputs),
    ] {
        _ = writeln!(text, "constexpr int {name} = {value};");
    }
    text += &plain.tables();
    let tables = features::tables(&plan.architecture, plan.prediction.row.coordinates);
    for part in [NUMBERS, SLOPES, ARGUMENTS, &tables, TILE, PASSAGE] {
        text.push('\n');
        text += part;
    }
    text.push('\n');
    let layout = Layout::new(&plan.architecture);
    for (place, term) in plan.terms.iter().enumerate() {
        let arrays = arrays(term, &plain, plan);
        let text_of = TermText {
            architecture: &plan.architecture,
            layout: &layout,
            term,
            scalars: plan.scalars.len(),
            points: POINTS,
            reverse: true,
            along: false,
        };
        let network = text_of.network_text(plain.activation, &arrays, [false; 2]);
        _ = writeln!(text, "struct Network{place} {{\n{network}}};\n");
        text += &text_of.fused_text(&format!("Term{place}"), place, &arrays);
    }
    text += &entry(plan, each);
    let shape = Shape { threads, shared, each };
    let points = vec![WARPS * POINTS; plan.terms.len()];
    let tables = super::given_tables(plan, target.precision);
    Some(KernelSource::single(text, &["rows"], tables, shape, points, [0; 4]))
}

/// The kernel: for many sets of parameters at once where only residuals are wanted.
fn entry(plan: &Plan, each: usize) -> String {
    let shares = ["blockIdx.x / arguments.candidates", "gridDim.x / arguments.candidates"];
    let tiles = frame::tiles_of(
        plan,
        shares,
        |term| format!("WARPS * Term{term}::POINTS"),
        |term, first| {
            format!(
                "const int before = warp * Term{term}::POINTS, own_count = count - before;\n\
             \x20           if (own_count <= 0) continue;\n\
             \x20           const long long row = {} + (start + before) * Term{term}::RESIDUALS;\n\
             \x20           pass_points<Term{term}>(block, rows + before * Term{term}::ROW,\n\
             \x20               own_count < Term{term}::POINTS ? own_count : Term{term}::POINTS, arguments.factors + {first},\n\
             \x20               output ? output + row * STRIDE : nullptr, values + row)",
                before(term)
            )
        },
    );
    format!(
        "extern \"C\" __global__ void __launch_bounds__(THREADS, {each}) rows(const __grid_constant__ Arguments arguments) {{\n\
         \x20   const long long candidate = blockIdx.x % arguments.candidates;\n\
         \x20   Arguments own = arguments;\n\
         \x20   own.parameters += candidate * STRIDE;\n\
         \x20   double *output = own.output, *values = own.values + candidate * own.all_rows;\n\
         \x20   const int warp = threadIdx.x / 32;\n\
         \x20   bring_weights(own.parameters);\n\
         \x20   const Block block = warp_block(own);\n{tiles}}}\n\n"
    )
}
