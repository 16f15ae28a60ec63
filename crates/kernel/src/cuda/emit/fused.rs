//! The fused step of a plain network: a tile of points goes through all layers and back inside one block.

use super::frame::{self, kernel};
use super::term::TermText;
use super::{
    ARGUMENTS, DRAW, NUMBERS, SLOPES, Shape, Source, TILE, Target, UPDATE, Work, features, grouped, merge,
    rules,
};
use crate::Precision;
use crate::cuda::compiler::SIDE_BY_SIDE;
use crate::cuda::layout::Layout;
use equation::problem::Activation;
use equation::taylor::{Architecture, Layer, Plan, Term};
use std::fmt::Write;

const FRAGMENTS: &str = include_str!("../device/fragments.cuh");
const NETWORK: &str = include_str!("../device/network.cuh");
const WALK: &str = include_str!("../device/walk.cuh");

/// Warps of a multiprocessor: enough to hide what one waits for, and each thread has 128 registers.
const WARPS: usize = 16;

/// Registers that a thread's sums may take.
const SUM_REGISTERS: usize = 48;

/// Shared memory of a block that the system takes for itself.
const RESERVED_BYTES: usize = 1024;

/// Bytes of the workspace that every thread has.
const WORKSPACE_BYTES: usize = 8;

/// Points of the largest tile, and of the smallest.
const MOST_POINTS: usize = 64;
const FEWEST_POINTS: usize = 8;

/// Hidden layers of one width with one activation, one after the other.
pub(super) struct Plain {
    pub(super) features: usize,
    pub(super) neurons: usize,
    pub(super) hidden: usize,
    pub(super) outputs: usize,
    pub(super) activation: Activation,
    /// Where the parameters of every dense layer are: weights, bias.
    parameters: Vec<[usize; 2]>,
}

impl Plain {
    pub(super) fn of(architecture: &Architecture) -> Option<Plain> {
        let widths = &architecture.widths;
        let mut parameters = Vec::new();
        let mut found = None;
        let (mut signal, mut neurons) = (0, 0);
        for layer in &architecture.layers {
            signal = match *layer {
                Layer::Dense { input, output, weights, bias } if input == signal => {
                    parameters.push([weights, bias]);
                    output
                }
                Layer::Activate { input, output, activation } if input == signal => {
                    let (own, width) = (*found.get_or_insert(activation), widths[output]);
                    if own != activation || (neurons != 0 && neurons != width) {
                        return None;
                    }
                    neurons = width;
                    output
                }
                _ => return None,
            };
        }
        let hidden = parameters.len().checked_sub(1)?;
        // Dense layers and activations alternate, and a dense layer ends it.
        if hidden == 0 || architecture.layers.len() != 2 * hidden + 1 {
            return None;
        }
        let (features, outputs) = (architecture.features.len(), architecture.outputs());
        Some(Plain { features, neurons, hidden, outputs, activation: found?, parameters })
    }

    /// Where the parameters of every dense layer are, as tables.
    pub(super) fn tables(&self) -> String {
        let mut text = String::new();
        for (name, place) in [("WEIGHTS_AT", 0), ("BIAS_AT", 1)] {
            let list: Vec<String> = self.parameters.iter().map(|layer| layer[place].to_string()).collect();
            _ = writeln!(text, "__device__ const int {name}[] = {{{}}};", list.join(", "));
        }
        text
    }
}

/// How a fused kernel is cut: warps side by side, tiles of 16 neurons per warp, points per tile of every term.
struct Cut {
    warps: usize,
    down: usize,
    points: Vec<usize>,
    /// Blocks that share a multiprocessor.
    each: usize,
    shared: usize,
    /// Bytes of a block's shared memory that are left.
    spare: usize,
}

impl Cut {
    fn of(
        plan: &Plan,
        plain: &Plain,
        [number, planes, memory]: [usize; 3],
        most: usize,
        alone: bool,
    ) -> Option<Cut> {
        let tiles = plain.neurons.div_ceil(16);
        let down = tiles.div_ceil(WARPS);
        // Groups of four warps multiply together; wide networks are filled up to whole ones.
        let warps = if down == 1 { tiles } else { tiles.div_ceil(down).next_multiple_of(4) };
        let rows = (16 * warps * down).max(plain.features.next_multiple_of(16));
        let most_blocks = if alone { 1 } else { WARPS / warps };
        for each in (1..=most_blocks).rev() {
            let taken = RESERVED_BYTES + WORKSPACE_BYTES * 32 * warps;
            let room = (memory / each).saturating_sub(taken);
            let fits = |term: &Term, points: usize| {
                let places = term.row.sites * points;
                let columns = term.channels.len() * places;
                let bytes = cell_bytes(columns, rows, planes, number)
                    + scratch(term, plain, plan, points, warps) * number;
                let registers = down * columns / 8 * 4 * number / 4;
                registers <= SUM_REGISTERS && bytes <= room && points <= 32 * warps
            };
            let largest = |term: &Term| {
                let sizes =
                    (1..=most.min(MOST_POINTS) / FEWEST_POINTS).rev().map(|tiles| tiles * FEWEST_POINTS);
                sizes.into_iter().find(|&points| fits(term, points))
            };
            if let Some(points) = plan.terms.iter().map(largest).collect::<Option<Vec<usize>>>() {
                let sizes = plan.terms.iter().zip(&points).map(|(term, &points)| {
                    let columns = term.channels.len() * term.row.sites * points;
                    cell_bytes(columns, rows, planes, number)
                });
                let cells = sizes.max().unwrap_or(0);
                let rest = plan.terms.iter().zip(&points);
                let rest = rest.map(|(term, &points)| scratch(term, plain, plan, points, warps)).max();
                let shared = (cells + rest.unwrap_or(0) * number).next_multiple_of(16);
                let spare = room.saturating_sub(shared);
                return Some(Cut { warps, down, points, each, shared, spare });
            }
        }
        None
    }
}

/// Bytes of one layer's values in shared memory, which lie as `cell_at` in `device/fragments.cuh` says; or of what the
/// last layer's activation is applied to, which takes their place.
fn cell_bytes(columns: usize, rows: usize, planes: usize, number: usize) -> usize {
    let (cell, padding) = if number == 4 { (2, 0) } else { (8, 4) };
    let values = planes * rows * (columns.next_multiple_of(16) + padding) * cell;
    values.max(rows * columns * number)
}

/// How many of [`arrays`] depend on a term's residuals.
const RESIDUAL_ARRAYS: usize = 2;

/// Names and sizes of a term's arrays in shared memory.
fn arrays(
    term: &Term,
    plain: &Plain,
    plan: &Plan,
    points: usize,
    warps: usize,
) -> [(&'static str, usize); 6] {
    let places = term.row.sites * points;
    let columns = term.channels.len() * places;
    [
        ("HEAD", plain.outputs * columns),
        ("HEAD_BAR", plain.outputs * columns),
        ("PARTS", warps * columns),
        ("COEFFICIENTS", term.channels.coefficients.len() * places),
        ("KEPT", term.residuals.len() * points),
        ("SCALAR_BARS", plan.scalars.len() * points),
    ]
}

fn scratch(term: &Term, plain: &Plain, plan: &Plan, points: usize, warps: usize) -> usize {
    arrays(term, plain, plan, points, warps).iter().map(|(_, size)| size).sum()
}

/// The fused kernels of loss and gradient, for tiles of at most `most` points; `None` where a plan has to go layer by
/// layer.
pub(crate) fn source(plan: &Plan, target: Target, most: usize) -> Option<Source> {
    let (name, terms, number) = match target.precision {
        Precision::F64 => ("double", 0, 8),
        Precision::F32 | Precision::Tf32 => return None,
        Precision::Bf16x6 => ("float", 3, 4),
        Precision::Bf16x3 => ("float", 2, 4),
        Precision::Bf16 | Precision::Fp16 => ("float", 1, 4),
    };
    let plan = &if target.variant.merged { merge::merged(plan) } else { merge::gathered(plan) };
    let architecture = &plan.architecture;
    let plain = Plain::of(architecture)?;
    // Adjoints of coefficients are not gathered here.
    if plan.terms.iter().any(|term| !term.coefficients_adjoint.variables.is_empty()) {
        return None;
    }
    let planes = if terms == 0 { 1 } else { terms };
    let cut = Cut::of(plan, &plain, [number, planes, target.shared], most, target.variant.alone)?;
    let Plain { features, neurons, hidden, outputs, .. } = plain;
    let tiles = cut.warps * cut.down;
    let width = 16 * tiles;
    let feature_rows = features.next_multiple_of(16);
    let fragment = if number == 4 { planes * 128 } else { 256 };
    let (first_packed, square_packed) = (feature_rows / 16 * tiles * fragment, tiles * tiles * fragment);
    let biases_packed = first_packed + 2 * (hidden - 1) * square_packed;
    let head_packed = biases_packed + hidden * width;
    let first_gradient = width * feature_rows;
    let biases_gradient = first_gradient + (hidden - 1) * width * width;
    let head_gradient = biases_gradient + hidden * width;
    let gradient = (head_gradient + outputs * (width + 1)).next_multiple_of(64);
    let columns = plan
        .terms
        .iter()
        .zip(&cut.points)
        .map(|(term, &points)| term.channels.len() * term.row.sites * points);
    // Sums of all layers but the last wait for the way back: as many as have room in shared memory, the others outside.
    let layer = width * columns.clone().max().unwrap_or(0);
    let near = (hidden - 1).min(cut.spare / (layer * number).max(1));
    let scratch = (hidden - 1 - near) * layer;
    let shared = cut.shared + near * layer * number;
    let residuals: usize = plan.terms.iter().map(|term| term.residuals.len()).sum();
    let (weights, scalars) = (architecture.weight_count(), plan.scalars.len());
    let sums = scalars + residuals;
    let threads = 32 * cut.warps;
    let sharing = target.variant.sharing;

    // What both texts begin with.
    let mut text = format!("// The fused step in {}, made by pinnace.\n", target.precision);
    _ = writeln!(text, "typedef {name} number;\n#define TERMS {terms}\n#define NEAR_LAYERS {near}");
    text += &frame::formats(target.precision);
    for (name, value) in [
        ("THREADS", threads),
        ("WORKSPACE_BYTES", WORKSPACE_BYTES * threads),
        ("SHARED_BYTES", shared),
        ("NEAR_BYTES", cut.shared),
        ("WEIGHTS", weights),
        ("SCALARS", scalars),
        ("PARAMETERS", plan.parameter_count()),
        ("SCRATCH", scratch),
        ("SHARING", sharing),
        ("TABLE_END", 3 * plan.terms.len() + 2),
        ("GRADIENT", gradient),
        ("SUMS", sums),
        ("DOWN", cut.down),
        ("TILES", tiles),
        ("WIDTH", width),
        ("NEURONS", neurons),
        ("HIDDEN", hidden),
        ("OUTPUTS", outputs),
        ("FEATURE_ROWS", feature_rows),
        ("ROWS", width.max(feature_rows)),
        ("FIRST_PACKED", first_packed),
        ("SQUARE_PACKED", square_packed),
        ("BIASES_PACKED", biases_packed),
        ("HEAD_PACKED", head_packed),
        ("FIRST_GRADIENT", first_gradient),
        ("BIASES_GRADIENT", biases_gradient),
        ("HEAD_GRADIENT", head_gradient),
    ] {
        _ = writeln!(text, "constexpr int {name} = {value};");
    }
    // Tiles of 8 columns that products have: those of the terms, of gradients, of gradients of the first layer.
    let counts = columns.map(|columns| columns / 8).chain([4, 2]);
    let instructions = grouped::instructions(terms > 0 && cut.warps.is_multiple_of(4), counts);
    let tables = features::tables(architecture, plan.prediction.row.coordinates);
    for part in [NUMBERS, SLOPES, &instructions, FRAGMENTS, ARGUMENTS, &tables] {
        text.push('\n');
        text += part;
    }
    let around = text.clone() + &around(&plain);
    for part in [TILE, WALK] {
        text.push('\n');
        text += part;
    }
    text.push('\n');
    let (texts, networks) = term_texts(plan, &plain, &cut);
    text += &texts;
    if count(&networks) > 1 {
        text += SIDE_BY_SIDE;
    }
    text += &entry(plan, &cut, [number, planes, width.max(feature_rows)], &networks, target.variant.chunked);
    let packed = head_packed + outputs * (width + 1);
    let shape = Shape { threads, shared, each: cut.each };
    let tables = super::given_tables(plan, target.precision);
    let networks = count(&networks);
    let (around, points) = (Some(around), cut.points);
    Some(Source {
        text,
        around,
        tables,
        shape,
        points,
        scratch,
        gradient,
        sharing,
        turns: hidden,
        sums,
        packed,
        networks,
    })
}

fn entry(
    plan: &Plan,
    cut: &Cut,
    [number, planes, rows]: [usize; 3],
    networks: &[usize],
    chunked: bool,
) -> String {
    let columns = plan
        .terms
        .iter()
        .zip(&cut.points)
        .map(|(term, &points)| term.channels.len() * term.row.sites * points);
    let cells = columns.map(|columns| cell_bytes(columns, rows, planes, number)).max().unwrap_or(0);
    let mut text = format!(
        "extern \"C\" __global__ void __launch_bounds__(THREADS, {}) {}(const __grid_constant__ Arguments arguments) {{\n\
         \x20   Block block = own_block(arguments);\n\
         \x20   block.scratch = reinterpret_cast<number*>(shared_memory + {cells});\n\
         \x20   block.gradient = arguments.gradients + static_cast<long long>(blockIdx.x / SHARING) * GRADIENT;\n\
         \x20   if (arguments.fresh)\n\
         \x20       for (int place = threadIdx.x; place < SUMS; place += THREADS) block.sums[place] = 0;\n\
         \x20   if (threadIdx.x == 0) *workspace() = number(0);\n\
         \x20   __syncthreads();\n",
        cut.each,
        Work::Evaluate.name()
    );
    text += &tiles(plan, networks, chunked);
    text + "}\n\n"
}

/// The kernels around loss and gradient, behind what both texts begin with.
fn around(plain: &Plain) -> String {
    let mut text = plain.tables();
    for part in [UPDATE, DRAW, NETWORK] {
        text.push('\n');
        text += part;
    }
    text.push('\n');
    text + &kernel("pack", "    pack_network(arguments.weights, arguments.parameters);\n")
        + &kernel(
            "reduce",
            "    reduce_blocks(arguments, (arguments.blocks + SHARING - 1) / SHARING, parameter_of);\n",
        )
        + &kernel(
            "update",
            "    move_parameters(arguments, (arguments.blocks + SHARING - 1) / SHARING, parameter_of,\n\
             \x20                   [&](int place, number value) { put_parameter(arguments.weights, place, value); });\n",
        )
        + &kernel("advance", "    advance_progress(arguments);\n")
        + &kernel("draw", "    draw_rows(arguments);\n")
}

/// The loop over tiles. Terms with the same network share its code: a thread's sums fill its registers, so that calls
/// are out of the question.
fn tiles(plan: &Plan, networks: &[usize], chunked: bool) -> String {
    let mut text = String::from("    const long long* table = arguments.table;\n");
    _ = writeln!(
        text,
        "    for (long long tile = blockIdx.x; tile < table[{}]; tile += gridDim.x) {{\n\
         \x20       const bool first = {}tile == blockIdx.x && blockIdx.x % SHARING == 0;\n\
         \x20       int term = 0, count, row;\n        const double* rows;\n\
         \x20       while (tile >= table[3 * term + 5]) ++term;",
        3 * plan.terms.len() + 2,
        if chunked { "arguments.fresh && " } else { "" }
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
        (0..plan.terms.len()).map(|term| (vec![term], body(term))).collect()
    };
    let for_networks = |call: &str| -> Vec<(Vec<usize>, String)> {
        let body = |network: usize| {
            let terms = (0..networks.len()).filter(|&term| networks[term] == network).collect();
            (
                terms,
                format!(
                    "            walk_{call}(Walk<Network{network}>{{block, rows, count, row, int(tile), first}});\n"
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
    let first = |term: usize| plan.terms[..term].iter().map(|term| term.residuals.len()).sum::<usize>();
    branches(
        &mut text,
        &for_terms(&|term| {
            format!("            seed_losses<Term{term}>(block, rows, count, {});\n", first(term))
        }),
    );
    branches(&mut text, &for_networks("reverse"));
    branches(&mut text, &for_terms(&|term| format!("            sum_scalars<Term{term}>(block);\n")));
    text + "    }\n"
}

/// Networks that terms have, by their numbers.
fn count(networks: &[usize]) -> usize {
    networks.iter().max().map_or(0, |last| last + 1)
}

/// Terms, and the networks that they share: those with the same channels and tiles are one. Says which term has which.
fn term_texts(plan: &Plan, plain: &Plain, cut: &Cut) -> (String, Vec<usize>) {
    let layout = Layout::new(&plan.architecture);
    let (mut networks, mut numbers): (Vec<String>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut text = String::new();
    let channels = |term: &Term| term.channels.len() * term.row.sites;
    let widest = plan.terms.iter().map(channels).max().unwrap_or(0);
    for (place, (term, &points)) in plan.terms.iter().zip(&cut.points).enumerate() {
        let arrays = arrays(term, plain, plan, points, cut.warps);
        let term = TermText {
            architecture: &plan.architecture,
            layout: &layout,
            term,
            scalars: plan.scalars.len(),
            points,
            reverse: true,
            along: false,
        };
        let called = term.channels() * term.term.row.sites < widest;
        let network = term.network_text(plain.activation, &arrays, called);
        let known = networks.iter().position(|known| *known == network);
        let number = known.unwrap_or(networks.len());
        if known.is_none() {
            _ = writeln!(text, "struct Network{number} {{\n{network}}};\n");
            networks.push(network);
        }
        numbers.push(number);
        text += &term.fused_text(&format!("Term{place}"), number, &arrays);
    }
    (text, numbers)
}

impl TermText<'_> {
    fn constants(&self, arrays: &[(&'static str, usize)]) -> String {
        let (row, channels) = (self.term.row, self.channels());
        let places = row.sites * self.points;
        let sizes = [
            ("POINTS", self.points),
            ("CHANNELS", channels),
            ("OUTPUTS", self.architecture.outputs()),
            ("PLACES", places),
            ("COLUMNS", channels * places),
            ("COEFFICIENT_COUNT", self.coefficients()),
            ("COEFFICIENT_ROOM", self.coefficients().max(1)),
        ];
        let mut start = 0;
        let starts = arrays.iter().map(|&(name, size)| {
            start += size;
            (name, start - size)
        });
        let line = |(name, value)| format!("    static constexpr int {name} = {value};\n");
        sizes.into_iter().chain(starts).map(line).collect()
    }

    /// The network with this term's channels; `arrays` are a term's arrays in shared memory.
    pub(super) fn network_text(
        &self,
        activation: Activation,
        arrays: &[(&'static str, usize)],
        called: bool,
    ) -> String {
        let (rules, slopes) = (&self.term.rules, activation.name());
        let z = |channel: usize| Some(rules::at("z", channel));
        let bar = |channel: usize| rules::at("z_bar", channel);
        // Arrays whose places depend on the residuals come last, and only the term itself needs them.
        let shared = &arrays[..arrays.len() - RESIDUAL_ARRAYS];
        let mut text = self.constants(shared);
        _ = writeln!(text, "    static constexpr bool CALLED = {called};");
        text += "\n    // All channels of one neuron at one place, side by side.\n    struct Jets {\n    static constexpr int PLACES = 1;\n";
        text += &self.feature_functions();
        _ = write!(
            text,
            "\n    // h = {slopes}(z), and the adjoint.\n\
             \x20   __device__ static void forward(const number* z, number* h, const number* k) {{\n\
             \x20       number s[6];\n        {slopes}_slopes(z[0], s);\n{}    }}\n\
             \x20   __device__ static void reverse(const number* z, const number* h_bar, number* z_bar, const number* k) {{\n\
             \x20       number s[6];\n        {slopes}_slopes(z[0], s);\n{}    }}\n    }};\n",
            rules::chain(rules, self.channels(), &z),
            rules::chain_adjoint(rules, self.channels(), &z, &bar, &|_| true, false)
        );
        text
    }

    /// The term itself, which sees network number `network`.
    pub(super) fn fused_text(&self, name: &str, network: usize, arrays: &[(&'static str, usize)]) -> String {
        let mut text = format!(
            "// {}: {} channels at {} place(s) per point.\nstruct {name} {{\n    using Self = {name};\n    using Net = Network{network};\n",
            self.title(),
            self.channels(),
            self.term.row.sites
        );
        text += &self.constants(arrays);
        for (name, value) in [
            ("ROW", self.term.row.width()),
            ("RESIDUALS", self.term.residuals.len()),
            ("SCALARS", self.scalars),
        ] {
            _ = writeln!(text, "    static constexpr int {name} = {value};");
        }
        text += &self.coefficient_functions();
        text += &self.residual_functions();
        text + "};\n\n"
    }
}
