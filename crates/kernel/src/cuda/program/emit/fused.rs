//! The fused step of a plain network: a tile of points goes through all layers and back inside one block.

use super::cut::TileCut;
use super::dimensions::{Dimensions, NumberFormat};
use super::entry::{CoveredTerms, count, entry, limits};
use super::frame::{self, kernel};
use super::term::TermText;
use super::{
    ARGUMENTS, DRAW, KernelSource, KernelTarget, NUMBERS, SLOPES, TILE, TileMeasure, UPDATE, features,
    grouped, merge, rules,
};
use crate::Precision;
use crate::cuda::machine::SIDE_BY_SIDE;
use crate::cuda::program::layout::Layout;
use crate::cuda::program::tiles::FEWEST;
use equation::problem::Activation;
use equation::taylor::{Architecture, Layer, Plan, Term};
use std::fmt::Write;

const FRAGMENTS: &str = include_str!("../../device/step/fragments.cuh");
const NETWORK: &str = include_str!("../../device/step/network.cuh");
const SCALES: &str = include_str!("../../device/step/scales.cuh");
const TURNS: &str = include_str!("../../device/step/turns.cuh");
const WALK: &str = include_str!("../../device/step/walk.cuh");

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

/// Why steps of a plan go layer by layer, every layer through memory, and not as a tile through all layers in one kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unfused {
    /// Kernels of one piece do not multiply in this precision.
    #[error("no such kernel multiplies in {precision}; `fp16x3` is as accurate as `f32`")]
    Precision {
        /// Which.
        precision: Precision,
    },
    /// The network is wired otherwise, or its layers differ.
    #[error("it takes hidden layers of one width and one activation, one after the other")]
    Network,
    /// Trained numbers are factors of derivatives, which it does not gather adjoints of.
    #[error("trained parameters are factors of derivatives")]
    Coefficients,
    /// Its tiles do not fit.
    #[error("the smallest tile of points has no room in a multiprocessor's registers and shared memory")]
    Room,
}

/// What keeps a plan from the fused step, if anything does.
pub(crate) fn obstacle(plan: &Plan, target: KernelTarget) -> Option<Unfused> {
    if measured(plan, target, FEWEST).is_some() {
        return None;
    }
    let precision = target.precision;
    Some(match (precision, Plain::of(&plan.architecture)) {
        (_, None) => Unfused::Network,
        (Precision::F32, _) => Unfused::Precision { precision },
        (_, Some(_)) if has_trained_coefficients(plan) => Unfused::Coefficients,
        (_, Some(_)) => Unfused::Room,
    })
}

/// Whether trained numbers are factors of derivatives.
fn has_trained_coefficients(plan: &Plan) -> bool {
    plan.terms.iter().any(|term| !term.coefficients_adjoint.variables.is_empty())
}

/// How many of [`arrays`] depend on a term's residuals.
const RESIDUAL_ARRAYS: usize = 2;

/// Names and sizes of a term's arrays in shared memory.
pub(super) fn arrays(
    term: &Term,
    plain: &Plain,
    plan: &Plan,
    points: usize,
    warps: usize,
) -> [(&'static str, usize); 7] {
    let places = term.row.sites * points;
    let columns = term.channels.len() * places;
    [
        ("HEAD", plain.outputs * columns),
        ("HEAD_BAR", plain.outputs * columns),
        ("PARTS", warps * columns),
        ("COEFFICIENTS", term.channels.coefficients.len() * places),
        // Of values and of adjoints, where they are scaled.
        ("LARGEST", 2 * plain.hidden * term.channels.len()),
        ("KEPT", term.residuals.len() * points),
        ("SCALAR_BARS", plan.scalars.len() * points),
    ]
}

/// A plan as fused kernels see it, with what they are made of; `None` where it has to go layer by layer.
fn fusable(plan: &Plan, target: KernelTarget) -> Option<(Plan, Plain)> {
    let plan = if target.variant.merged { merge::merged(plan) } else { merge::gathered(plan) };
    let plain = Plain::of(&plan.architecture)?;
    // Adjoints of coefficients are not gathered here.
    (!has_trained_coefficients(&plan)).then_some((plan, plain))
}

/// What the fused kernels of loss and gradient take, without their text.
pub(crate) fn measured(plan: &Plan, target: KernelTarget, most: usize) -> Option<TileMeasure> {
    let format = NumberFormat::of(target.precision)?;
    let (plan, plain) = fusable(plan, target)?;
    Dimensions::of(&plan, &plain, format, target, most).map(Dimensions::into_measure)
}

/// The fused kernels of loss and gradient, for tiles of at most `most` points; `None` where a plan has to go layer by
/// layer.
pub(crate) fn source(plan: &Plan, target: KernelTarget, most: usize) -> Option<KernelSource> {
    let format = NumberFormat::of(target.precision)?;
    let (plan, plain) = &fusable(plan, target)?;
    let dimensions = Dimensions::of(plan, plain, format, target, most)?;
    let Dimensions { ref cut, rows, near_layers, .. } = dimensions;
    let (architecture, terms) = (&plan.architecture, format.terms);
    let columns = plan.terms.iter().zip(&cut.points).map(|(term, &points)| channels(term) * points);

    // What both texts begin with.
    let mut text = format!("// The fused step in {}, made by pinnace.\n", target.precision);
    _ = writeln!(
        text,
        "typedef {} number;\n#define TERMS {terms}\n#define NEAR_LAYERS {near_layers}",
        format.name
    );
    text += &frame::formats(target.precision);
    _ = writeln!(text, "#define SCALED {}", u8::from(target.precision == Precision::Fp16x3));
    for (name, value) in &dimensions.constants {
        _ = writeln!(text, "constexpr int {name} = {value};");
    }
    // Tiles of 8 columns that products have: those of the terms, of gradients, of gradients of the first layer.
    let counts = columns.clone().map(|columns| columns / 8).chain([4, 2]);
    let instructions = grouped::instructions(terms > 0 && cut.warps.is_multiple_of(4), counts);
    let tables = features::tables(architecture, plan.prediction.row.coordinates);
    for part in [NUMBERS, SLOPES, &instructions, SCALES, FRAGMENTS, ARGUMENTS, &tables] {
        text.push('\n');
        text += part;
    }
    let around = text.clone() + &update(plain) + &around();
    let cells = columns.map(|columns| format.cell_bytes(columns, rows)).max();
    let cells = cells.unwrap_or(0);
    let whole = |part: CoveredTerms| {
        let (terms, networks) = term_texts(plan, plain, cut, part);
        let side_by_side = if count(&networks) > 1 { SIDE_BY_SIDE } else { "" };
        let limits = limits(plan, &networks);
        let entry = entry(plan, (part, cut.each, cells), &networks, target.variant);
        let parts = [&limits, TILE, TURNS, WALK, &terms, side_by_side, &entry].join("\n");
        (format!("{text}\n{parts}"), count(&networks))
    };
    let (text, narrow, networks) = if target.variant.apart && narrow_follow(plan) {
        let ((wide, one), (narrow, others)) = (whole(CoveredTerms::Wide), whole(CoveredTerms::Narrow));
        (wide, Some(narrow), one + others)
    } else {
        let (text, networks) = whole(CoveredTerms::Whole);
        (text, None, networks)
    };
    let tables = super::given_tables(plan, target.precision);
    let (sharing, around) = (target.variant.sharing, Some(around));
    let Dimensions { cut, shape, scratch, gradient, sums, packed, .. } = dimensions;
    Some(KernelSource {
        text,
        kernels: &["evaluate"],
        narrow,
        around,
        tables,
        shape,
        points: cut.points,
        scratch,
        gradient,
        sharing,
        turns: plain.hidden,
        sums,
        packed,
        networks,
    })
}

/// What moves and packs parameters.
fn update(plain: &Plain) -> String {
    let mut text = plain.tables();
    for part in [UPDATE, DRAW, NETWORK] {
        text.push('\n');
        text += part;
    }
    text
}

/// The kernels around loss and gradient, behind what both texts begin with and what moves parameters.
fn around() -> String {
    String::from("\n")
        + &kernel("pack", "    pack_network(arguments.weights, arguments.parameters);\n")
        + &kernel(
            "reduce",
            "    reduce_blocks(arguments, (arguments.blocks + SHARING - 1) / SHARING, parameter_of);\n",
        )
        + &kernel(
            "update",
            "    move_parameters(arguments, (arguments.blocks + SHARING - 1) / SHARING, parameter_of,\n\
             \x20                   [&](int place, number value) { put_parameter(arguments.weights, place, value); });\n",
        )
        + &kernel(
            "apply",
            "    move_by_result(arguments, parameter_of,\n\
             \x20                  [&](int place, number value) { put_parameter(arguments.weights, place, value); });\n",
        )
        + &kernel("advance", "    advance_progress(arguments);\n")
        + &kernel("draw", "    draw_rows(arguments);\n")
}

/// Channels of a term at all places of a point.
fn channels(term: &Term) -> usize {
    term.channels.len() * term.row.sites
}

/// Whether there are terms of fewer channels than the widest, and all of them behind the others.
fn narrow_follow(plan: &Plan) -> bool {
    let widest = plan.terms.iter().map(|term| channels(term)).max().unwrap_or(0);
    let narrow = plan.terms.iter().map(|term| channels(term) < widest);
    narrow.clone().is_sorted() && narrow.clone().any(|narrow| narrow)
}

/// Terms, and the networks that they share: those with the same channels and tiles are one. Says which term has which.
fn term_texts(plan: &Plan, plain: &Plain, cut: &TileCut, part: CoveredTerms) -> (String, Vec<Option<usize>>) {
    let layout = Layout::new(&plan.architecture);
    let (mut networks, mut numbers): (Vec<String>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    let mut text = String::new();
    let widest = plan.terms.iter().map(|term| channels(term)).max().unwrap_or(0);
    for (place, (term, &points)) in plan.terms.iter().zip(&cut.points).enumerate() {
        let narrow = channels(term) < widest;
        if part != CoveredTerms::Whole && narrow != (part == CoveredTerms::Narrow) {
            numbers.push(None);
            continue;
        }
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
        let network =
            term.network_text(plain.activation, &arrays, [narrow && part == CoveredTerms::Whole, true]);
        let known = networks.iter().position(|known| *known == network);
        let number = known.unwrap_or(networks.len());
        if known.is_none() {
            _ = writeln!(text, "struct Network{number} {{\n{network}}};\n");
            networks.push(network);
        }
        numbers.push(Some(number));
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

    /// The network with this term's channels; `arrays` are a term's arrays in shared memory. Whether it is `called`, and whether
    /// slopes are found `again` from what is kept.
    pub(super) fn network_text(
        &self,
        activation: Activation,
        arrays: &[(&'static str, usize)],
        [called, again]: [bool; 2],
    ) -> String {
        let (rules, name) = (&self.term.rules, activation.name());
        // What is kept of a neuron, and how slopes follow from it.
        let (kept, slopes) = match activation {
            Activation::Tanh if again => ("tanh_kept(z)", "tanh_slopes_again"),
            Activation::Tanh => ("z", "tanh_slopes"),
            Activation::Sin => ("z", "sin_slopes"),
            Activation::Gelu => ("z", "gelu_slopes"),
            Activation::Silu => ("z", "silu_slopes"),
        };
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
            "\n    // What is kept of z; h = {name}(z), and the adjoint.\n\
             \x20   __device__ static number kept(number z) {{\n        return {kept};\n    }}\n\
             \x20   __device__ static void forward(const number* z, number* h, const number* k) {{\n\
             \x20       number s[6];\n        {slopes}(z[0], s);\n{}    }}\n\
             \x20   __device__ static void reverse(const number* z, const number* h_bar, number* z_bar, const number* k) {{\n\
             \x20       number s[6];\n        {slopes}(z[0], s);\n{}    }}\n    }};\n",
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
