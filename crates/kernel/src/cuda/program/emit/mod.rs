//! A plan as CUDA C++: readable text, made of the fixed files in `device/` and what only this plan has.
//!
//! `device/step` is the fused step and what surrounds it, `device/layers` the same work layer by layer, `device/rows` rows of
//! least-squares problems, `device/dense` linear algebra that no plan changes, `device/shared` what several of them read. Of `device/off` see [`super::super::off`].

mod cut;
mod dimensions;
mod entry;
mod features;
mod frame;
mod fused;
mod grouped;
mod layers;
mod merge;
mod neuron;
mod passage;
mod program;
mod rows;
mod rules;
mod term;

use super::layout::{FactorsLayout, Layout, stride};
use super::tiles;
use crate::Precision;
use crate::cuda::machine::{GivenTable, Shape, ToLoad};
use equation::taylor::{Layer, Plan};
pub(crate) use features::tables as feature_tables;
pub(crate) use frame::{kernel, kernel_of};
use std::fmt::Write;
pub(crate) use term::TermText;

/// What a kernel computes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Work {
    /// Loss and gradient of all terms.
    Evaluate,
    /// Residuals of one term, or predictions.
    Fill,
    /// Jacobian rows of one term.
    Jacobian,
    /// The Jacobian of one term times a direction.
    Along,
    /// The transposed Jacobian of one term times numbers per residual.
    Transposed,
    /// Rows of the least-squares problem of all terms, and residuals of all terms.
    Rows,
}

impl Work {
    /// All of them.
    pub(crate) const ALL: [Work; 6] =
        [Work::Evaluate, Work::Fill, Work::Jacobian, Work::Along, Work::Transposed, Work::Rows];

    /// The name of its kernel.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Work::Evaluate => "evaluate",
            Work::Fill => "fill",
            Work::Jacobian => "jacobian",
            Work::Along => "along",
            Work::Transposed => "transposed",
            Work::Rows => "rows",
        }
    }

    fn reverses(self) -> bool {
        self != Work::Fill
    }
}

/// The parameter at a place of a gradient that lies as parameters do.
pub(crate) const PARAMETER_OF: &str = "[](int place) { return place < WEIGHTS ? place : -1; }";

/// Threads of a block of the kernels that go layer by layer.
pub(crate) const THREADS: usize = 256;

/// Blocks of those that share a multiprocessor.
pub(crate) const EACH: usize = 2;

/// Staging memory of those.
const WORKSPACE_BYTES: usize = 49152;

/// The kernels around loss and gradient.
const AROUND: [&str; 6] = ["pack", "reduce", "update", "apply", "advance", "draw"];

impl KernelSource {
    /// One text that goes layer by layer; of `sizes` see the fields from `scratch` on.
    pub(crate) fn single(
        text: String,
        kernels: &'static [&'static str],
        tables: Vec<GivenTable>,
        shape: Shape,
        points: Vec<usize>,
        sizes: [usize; 4],
    ) -> Self {
        let [scratch, gradient, sums, packed] = sizes;
        let (narrow, around, networks) = (None, None, 0);
        let (sharing, turns) = (1, 0);
        KernelSource {
            text,
            kernels,
            narrow,
            around,
            tables,
            shape,
            points,
            scratch,
            gradient,
            sharing,
            turns,
            sums,
            packed,
            networks,
        }
    }

    /// Tiles of so many points of every term.
    pub(crate) fn tiles(&self, counts: &[usize]) -> usize {
        tiles_of(&self.points, counts)
    }

    /// What it takes.
    pub(crate) fn measure(&self) -> TileMeasure {
        let KernelSource { shape, scratch, gradient, .. } = *self;
        TileMeasure { points: self.points.clone(), shape, scratch, gradient }
    }

    /// All of its text.
    pub(crate) fn whole_text(&self) -> String {
        self.narrow.iter().chain(&self.around).fold(self.text.clone(), |text, other| text + other)
    }

    /// With the kernels that its work launches: texts that are compiled side by side.
    pub(crate) fn to_load(&self) -> Vec<ToLoad<'_>> {
        let KernelSource { text, shape, kernels, tables, .. } = self;
        let own = ToLoad { text, shape: *shape, kernels, staging: &[], tables };
        let around = self.around.iter().map(|text| {
            let shape = Shape { shared: 0, ..self.shape };
            ToLoad { text, shape, kernels: &AROUND, staging: &[], tables: &[] }
        });
        let narrow = self.narrow.iter().map(|text| ToLoad { text, kernels: &["narrow"], ..own });
        [own].into_iter().chain(narrow).chain(around).collect()
    }
}

/// What loss and gradient take, whatever their text: what choosing among tiles looks at. See [`KernelSource`].
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TileMeasure {
    pub(crate) points: Vec<usize>,
    pub(crate) shape: Shape,
    pub(crate) scratch: usize,
    pub(crate) gradient: usize,
}

impl TileMeasure {
    /// Tiles of so many points of every term.
    pub(crate) fn tiles(&self, counts: &[usize]) -> usize {
        tiles_of(&self.points, counts)
    }
}

fn tiles_of(points: &[usize], counts: &[usize]) -> usize {
    counts.iter().zip(points).map(|(count, size)| count.div_ceil(*size)).sum()
}

/// A kernel as text, and the sizes that its launch must provide.
#[derive(Clone, Debug)]
pub(crate) struct KernelSource {
    pub(crate) text: String,
    /// The kernels in it that are launched.
    pub(crate) kernels: &'static [&'static str],
    /// The kernel for terms of fewer channels, where it is a text of its own.
    pub(crate) narrow: Option<String>,
    /// The kernels around them, where they are a text of their own.
    pub(crate) around: Option<String>,
    /// What the host sets before the first launch.
    pub(crate) tables: Vec<GivenTable>,
    pub(crate) shape: Shape,
    /// Points of a tile, for every term.
    pub(crate) points: Vec<usize>,
    /// Numbers of scratch memory per block.
    pub(crate) scratch: usize,
    /// Numbers of a gradient.
    pub(crate) gradient: usize,
    /// Blocks that share a gradient, and parts of it that they take turns at.
    pub(crate) sharing: usize,
    pub(crate) turns: usize,
    /// A block's own sums in double precision.
    pub(crate) sums: usize,
    /// Numbers of the packed parameters.
    pub(crate) packed: usize,
    /// Networks that are written out with different channels; none where terms go layer by layer.
    pub(crate) networks: usize,
}

/// What kernels are written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct KernelTarget {
    pub(crate) precision: Precision,
    /// Bytes of shared memory of one multiprocessor.
    pub(crate) shared: usize,
    /// Whether four warps multiply together there.
    pub(crate) groups: bool,
    pub(crate) variant: Variant,
}

/// Which of several texts that do the same work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Variant {
    /// Whether points come in several launches, of which the later ones add to the sums of the first. The flag that
    /// tells them apart costs a fused kernel registers that it does not have.
    pub(crate) chunked: bool,
    /// Whether terms of few channels go through the network of the widest term: there is less to compile.
    pub(crate) merged: bool,
    /// Whether a block has a multiprocessor to itself, and all of its shared memory.
    pub(crate) alone: bool,
    /// Blocks that share a gradient.
    pub(crate) sharing: usize,
    /// Whether terms of fewer channels than the widest have a kernel of their own, which is compiled beside and launched
    /// behind the other.
    pub(crate) apart: bool,
}

impl Default for Variant {
    fn default() -> Self {
        Variant { chunked: false, merged: false, alone: false, sharing: 1, apart: false }
    }
}

pub(crate) const NUMBERS: &str = include_str!("../../device/shared/numbers.cuh");
pub(crate) const SLOPES: &str = include_str!("../../device/shared/slopes.cuh");
const PRODUCT: &str = include_str!("../../device/layers/product.cuh");
pub(crate) const INSTRUCTIONS: &str = include_str!("../../device/shared/instructions.cuh");
const MATRIX: &str = include_str!("../../device/layers/matrix.cuh");
const NARROW: &str = include_str!("../../device/layers/narrow.cuh");
const LAYER: &str = include_str!("../../device/layers/layer.cuh");
const FACTORS: &str = include_str!("../../device/layers/factors.cuh");
pub(crate) const ARGUMENTS: &str = include_str!("../../device/shared/arguments.cuh");
const TILE: &str = include_str!("../../device/shared/tile.cuh");
const WORKS: &str = include_str!("../../device/layers/works.cuh");
pub(crate) const UPDATE: &str = include_str!("../../device/step/update.cuh");
pub(crate) const SEQUENCE: &str = include_str!("../../device/step/sequence.cuh");
pub(crate) const DRAW: &str =
    concat!(include_str!("../../device/step/sequence.cuh"), "\n", include_str!("../../device/step/draw.cuh"));
const ROWS: &str = include_str!("../../device/rows/rows.cuh");
const PACK: &str = include_str!("../../device/layers/pack.cuh");

pub use fused::Unfused;
pub(crate) use fused::obstacle;

/// Writes the kernels of one kind of work, for tiles of at most `points` points: fused where that is possible.
pub(crate) fn source(plan: &Plan, target: KernelTarget, work: Work, points: usize) -> KernelSource {
    let fused = match work {
        Work::Evaluate => fused::source(plan, target, points),
        Work::Rows => passage::source(plan, target),
        Work::Fill | Work::Jacobian | Work::Along | Work::Transposed => None,
    };
    fused
        .unwrap_or_else(|| layer_by_layer(plan, target.precision, work, points_of_layers(plan, work, points)))
}

/// What kernels of loss and gradient take, for tiles of at most `points` points, without their text.
pub(crate) fn measured(plan: &Plan, target: KernelTarget, points: usize) -> TileMeasure {
    fused::measured(plan, target, points).unwrap_or_else(|| {
        let points = points_of_layers(plan, Work::Evaluate, points);
        let layout = Layout::new(&plan.architecture);
        let (_, [scratch, gradient, _]) = layer_terms(plan, &layout, Work::Evaluate, points);
        let shape = Shape { threads: THREADS, shared: 0, each: EACH };
        TileMeasure { points: vec![points; plan.terms.len()], shape, scratch, gradient }
    })
}

/// Points of a tile that goes layer by layer, at most so many.
fn points_of_layers(plan: &Plan, work: Work, points: usize) -> usize {
    let most = if work == Work::Evaluate { tiles::largest(plan) } else { points };
    // Threads share out places evenly only among powers of two.
    1 << points.min(most).ilog2()
}

/// Terms that go layer by layer, and numbers of scratch memory, of a gradient and of sums.
fn layer_terms<'plan>(
    plan: &'plan Plan,
    layout: &'plan Layout,
    work: Work,
    points: usize,
) -> (Vec<TermText<'plan>>, [usize; 3]) {
    let architecture = &plan.architecture;
    let scalars = plan.scalars.len();
    let prediction = (work == Work::Fill).then_some(&plan.prediction);
    let terms: Vec<TermText<'_>> = (plan.terms.iter().chain(prediction))
        .map(|term| TermText {
            architecture,
            layout,
            term,
            scalars,
            points,
            reverse: work.reverses(),
            along: work == Work::Along,
        })
        .collect();
    let residuals: usize = plan.terms.iter().map(|term| term.residuals.len()).sum();
    let scratch = terms.iter().map(TermText::scratch).max().unwrap_or(0).next_multiple_of(64);
    let (gradient, sums) = match work {
        Work::Evaluate | Work::Transposed => {
            (architecture.weight_count().next_multiple_of(64), scalars + residuals)
        }
        Work::Along => (0, scalars + points),
        Work::Fill | Work::Jacobian | Work::Rows => (0, 0),
    };
    (terms, [scratch, gradient, sums])
}

fn layer_by_layer(plan: &Plan, precision: Precision, work: Work, points: usize) -> KernelSource {
    let architecture = &plan.architecture;
    let layout = if work.reverses() { Layout::new(architecture) } else { Layout::one_way(architecture) };
    let (terms, [scratch, gradient, sums]) = layer_terms(plan, &layout, work, points);
    let (weights, scalars) = (architecture.weight_count(), plan.scalars.len());
    // The terms that a number is split into for the matrix units, and the file that multiplies so.
    let (number, terms_each, product) = match precision {
        Precision::F64 => ("double", 0, MATRIX),
        Precision::F32 => ("float", 0, PRODUCT),
        Precision::Bf16x6 | Precision::Fp16x3 => ("float", 3, MATRIX),
        Precision::Bf16x3 => ("float", 2, MATRIX),
        Precision::Bf16 | Precision::Fp16 => ("float", 1, MATRIX),
        Precision::Tf32 => ("float", 0, MATRIX),
    };

    let mut text = format!("// {} kernels in {precision}, made by pinnace.\n", work.name());
    _ = writeln!(text, "typedef {number} number;\n#define TERMS {terms_each}");
    // Nothing is scaled here: numbers in half precision would not do.
    let precision = if precision == Precision::Fp16x3 { Precision::Bf16x6 } else { precision };
    text += &frame::formats(precision);
    for (name, value) in [
        ("THREADS", THREADS),
        ("WORKSPACE_BYTES", WORKSPACE_BYTES),
        ("POINTS", points),
        ("WEIGHTS", weights),
        ("SCALARS", scalars),
        ("PARAMETERS", plan.parameter_count()),
        ("STRIDE", stride(plan.parameter_count())),
        ("PACKED", layout.packed),
        ("SCRATCH", scratch),
        ("GRADIENT", gradient),
        ("SUMS", sums),
    ] {
        _ = writeln!(text, "constexpr int {name} = {value};");
    }
    let more = match work {
        Work::Evaluate => DRAW,
        Work::Rows => ROWS,
        Work::Fill | Work::Jacobian | Work::Along | Work::Transposed => "",
    };
    for part in [
        NUMBERS,
        SLOPES,
        INSTRUCTIONS,
        product,
        NARROW,
        FACTORS,
        LAYER,
        ARGUMENTS,
        TILE,
        WORKS,
        UPDATE,
        more,
        PACK,
    ] {
        text.push('\n');
        text += part;
    }
    text.push('\n');
    text += &dense_layers(plan, &layout);
    text += &features::tables(architecture, plan.prediction.row.coordinates);
    for (number, term) in terms.iter().enumerate() {
        text += &term.text(&format!("Term{number}"));
    }
    text += &if work == Work::Rows { rows::entries(plan) } else { entry(plan, work, terms.len()) };
    text += &updates(plan, work);
    let shape = Shape { threads: THREADS, shared: 0, each: EACH };
    let points = vec![points; plan.terms.len()];
    let tables = given_tables(plan, precision);
    let kernels: &[&str] = match work {
        Work::Evaluate => &["evaluate", "pack", "reduce", "update", "apply", "advance", "draw"],
        Work::Transposed => &["transposed", "pack", "reduce"],
        Work::Rows => &["rows", "pack", "residuals"],
        Work::Fill => &["fill", "pack"],
        Work::Jacobian => &["jacobian", "pack"],
        Work::Along => &["along", "pack"],
    };
    KernelSource::single(text, kernels, tables, shape, points, [scratch, gradient, sums, layout.packed])
}

/// The tables that the host sets, as bytes of the numbers that kernels compute in.
pub(crate) fn given_tables(plan: &Plan, precision: Precision) -> Vec<GivenTable> {
    let bytes = |number: f64| match precision {
        Precision::F64 => number.to_ne_bytes().to_vec(),
        Precision::F32
        | Precision::Bf16x6
        | Precision::Fp16x3
        | Precision::Bf16x3
        | Precision::Tf32
        | Precision::Bf16
        | Precision::Fp16 => (number as f32).to_ne_bytes().to_vec(),
    };
    let tables = features::given(&plan.architecture, plan.prediction.row.coordinates);
    let table = |(name, numbers): (&'static str, Vec<f64>)| GivenTable {
        name,
        bytes: numbers.into_iter().flat_map(bytes).collect(),
    };
    tables.into_iter().map(table).collect()
}

/// One constant per layer with parameters.
fn dense_layers(plan: &Plan, layout: &Layout) -> String {
    let mut text = String::new();
    for (number, (layer, own)) in plan.architecture.layers.iter().zip(&layout.factors).enumerate() {
        if let (Some((first, _)), Some(FactorsLayout { count, place })) = (layer.factors(), own) {
            _ = writeln!(text, "constexpr Factors LAYER{number} = {{{count}, {first}, {place}}};");
        }
    }
    for (number, (layer, dense)) in plan.architecture.layers.iter().zip(&layout.dense).enumerate() {
        if let (Layer::Dense { weights, bias, .. }, Some(dense)) = (layer, dense) {
            _ = writeln!(
                text,
                "constexpr Dense LAYER{number} = {{{}, {}, {weights}, {bias}, {}, {}, {}}};",
                dense.inputs, dense.outputs, dense.matrix, dense.transpose, dense.bias
            );
        }
    }
    text.push('\n');
    text
}

/// The numbers of the layers that have parameters.
fn with_parameters(plan: &Plan) -> impl Iterator<Item = usize> {
    let layers = plan.architecture.layers.iter().enumerate();
    let own = layers.filter(|(_, layer)| matches!(layer, Layer::Dense { .. }) || layer.factors().is_some());
    own.map(|(number, _)| number)
}

/// The kernels around it: parameters packed into padded matrices, sums over blocks, steps of training.
fn updates(plan: &Plan, work: Work) -> String {
    let for_layers = |function: &str, rest: &str| -> String {
        with_parameters(plan)
            .map(|number| format!("    {function}(LAYER{number}, arguments.weights, {rest});\n"))
            .collect()
    };
    let mut text = match work {
        // It packs for many candidates.
        Work::Rows => String::new(),
        _ => kernel("pack", &for_layers("pack_layer", "arguments.parameters")),
    };
    if matches!(work, Work::Evaluate | Work::Transposed) {
        text +=
            &kernel("reduce", &format!("    reduce_blocks(arguments, arguments.blocks, {PARAMETER_OF});\n"));
    }
    if work == Work::Evaluate {
        let put = for_layers("put_parameter", "place, value");
        text += &kernel(
            "update",
            &format!(
                "    const auto put = [&](int place, number value) {{\n{put}    }};\n\
                 \x20   move_parameters(arguments, arguments.blocks, {PARAMETER_OF}, put);\n"
            ),
        );
        text += &kernel(
            "apply",
            &format!(
                "    const auto put = [&](int place, number value) {{\n{put}    }};\n\
                 \x20   move_by_result(arguments, {PARAMETER_OF}, put);\n"
            ),
        );
        text += &kernel("advance", "    advance_progress(arguments);\n");
        text += &kernel("draw", "    draw_rows(arguments);\n");
    }
    text
}

/// The kernel itself: which blocks take which tiles.
fn entry(plan: &Plan, work: Work, terms: usize) -> String {
    let mut text = format!(
        "extern \"C\" __global__ void __launch_bounds__(THREADS, 2) {}(Arguments arguments) {{\n\
         \x20   const Block block = own_block(arguments);\n",
        work.name()
    );
    if work == Work::Evaluate {
        text += "    if (arguments.fresh) clear_sums(block);\n";
        text += &frame::tiles(plan, |number, first| {
            format!("evaluate_tile<Term{number}>(block, rows, count, {first})")
        });
        text += "}\n\n";
    } else {
        if work == Work::Transposed {
            text += "    if (arguments.fresh) clear_sums(block);\n";
        }
        text += "    for (long long start = blockIdx.x * static_cast<long long>(POINTS); start < arguments.points;\n\
            \x20        start += gridDim.x * static_cast<long long>(POINTS)) {\n\
            \x20       const long long left = arguments.points - start;\n\
            \x20       const int count = int(left < POINTS ? left : POINTS);\n\
            \x20       switch (arguments.term) {\n";
        for number in 0..terms {
            let own = format!("Term{number}");
            let call = match work {
                Work::Fill => {
                    format!(
                        "fill_tile<{own}>(block, rows, count, arguments.output + start * {own}::RESIDUALS)"
                    )
                }
                Work::Jacobian => format!(
                    "jacobian_tile<{own}>(block, rows, count, arguments.output + start * {own}::RESIDUALS * PARAMETERS,\n\
                     \x20               PARAMETERS, [](int) {{ return 1.0; }}, arguments.values + start * {own}::RESIDUALS)"
                ),
                Work::Along => format!(
                    "along_tile<{own}>(block, rows, count, arguments.seeds, arguments.output + start * {own}::RESIDUALS)"
                ),
                Work::Transposed | Work::Evaluate | Work::Rows => format!(
                    "transposed_tile<{own}>(block, rows, count, arguments.seeds + start * {own}::RESIDUALS)"
                ),
            };
            _ = writeln!(
                text,
                "        case {number}: {{\n\
                 \x20           const double* rows = arguments.rows + start * {own}::ROW;\n\
                 \x20           {call};\n            break;\n        }}"
            );
        }
        text += "        }\n    }\n}\n\n";
    }
    text
}
