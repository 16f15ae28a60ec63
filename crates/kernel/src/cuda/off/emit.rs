//! The kernels between a library's products: every layer by itself, on all points of a term.

use super::signals::{POINTS, Signals, arrays};
use crate::Precision;
use crate::cuda::machine::Shape;
use crate::cuda::program::{
    ARGUMENTS, DRAW, KernelSource, Layout, NUMBERS, PARAMETER_OF, SLOPES, THREADS, TermText, UPDATE,
    feature_tables, given_tables, kernel,
};
use equation::taylor::{Layer, Plan};
use std::fmt::Write;

const SEPARATE: &str = include_str!("../device/off/separate.cuh");

/// Blocks that share a multiprocessor: as many threads as it holds.
const EACH: usize = 8;

/// What users of [`crate::cuda::Report`] see.
pub(crate) const NAME: &str = "separate";

const KERNELS: [&str; 12] = [
    "features",
    "layer",
    "losses",
    "layer_reverse",
    "scalars",
    "clear",
    "pack",
    "reduce",
    "update",
    "apply",
    "advance",
    "draw",
];

pub(crate) fn source(plan: &Plan, precision: Precision) -> KernelSource {
    let architecture = &plan.architecture;
    let (layout, signals) = (Layout::new(architecture), Signals::new(architecture));
    let (weights, scalars) = (architecture.weight_count(), plan.scalars.len());
    let residuals: usize = plan.terms.iter().map(|term| term.residuals.len()).sum();
    let (gradient, sums) = (weights.next_multiple_of(64), scalars + residuals);
    let number = if precision == Precision::F64 { "double" } else { "float" };

    let mut text = format!("// {NAME} kernels in {precision}, made by pinnace.\n");
    _ = writeln!(text, "typedef {number} number;");
    for (name, value) in [
        ("THREADS", THREADS),
        ("WORKSPACE_BYTES", THREADS * size_of::<f64>()),
        ("WEIGHTS", weights),
        ("SCALARS", scalars),
        ("PARAMETERS", plan.parameter_count()),
        ("GRADIENT", gradient),
        ("SUMS", sums),
    ] {
        _ = writeln!(text, "constexpr int {name} = {value};");
    }
    for part in [NUMBERS, SLOPES, ARGUMENTS, SEPARATE, UPDATE, DRAW] {
        text.push('\n');
        text += part;
    }
    text.push('\n');
    text += &feature_tables(architecture, plan.prediction.row.coordinates);
    for (number, term) in plan.terms.iter().enumerate() {
        let (points, reverse, along) = (POINTS, true, false);
        let term = TermText { architecture, layout: &layout, term, scalars, points, reverse, along };
        text += &term.separate_text(&format!("Term{number}"), &signals);
    }
    text += &entries(plan);
    let shape = Shape { threads: THREADS, shared: 0, each: EACH };
    let points = vec![POINTS; plan.terms.len()];
    let tables = given_tables(plan, precision);
    KernelSource::single(text, &KERNELS, tables, shape, points, [0, gradient, sums, weights])
}

/// The kernels themselves.
fn entries(plan: &Plan) -> String {
    let of_terms = |name: &str, call: &dyn Fn(usize, usize) -> String| {
        let mut body = String::from("    switch (arguments.term) {\n");
        let mut first = 0;
        for (number, term) in plan.terms.iter().enumerate() {
            _ = writeln!(body, "    case {number}: {}; break;", call(number, first));
            first += term.residuals.len();
        }
        kernel(name, &(body + "    }\n"))
    };
    let member = |name: &'static str| {
        move |term: usize, _: usize| format!("Term{term}::{name}(Signals<Term{term}>(arguments))")
    };
    let mut text = of_terms("features", &member("features"));
    text += &of_terms("layer", &member("layer"));
    text +=
        &of_terms("losses", &|term, first| format!("seed_losses(Signals<Term{term}>(arguments), {first})"));
    text += &of_terms("layer_reverse", &member("layer_reverse"));
    text += &of_terms("scalars", &member("scalars"));
    text += &kernel("clear", "    clear_all(arguments);\n");
    text += &kernel("pack", "    pack_weights(arguments.weights, arguments.parameters);\n");
    text += &kernel("reduce", &format!("    reduce_blocks(arguments, 1, {PARAMETER_OF});\n"));
    text += &kernel(
        "update",
        &format!(
            "    move_parameters(arguments, 1, {PARAMETER_OF},\n\
             \x20                   [&](int place, number value) {{ arguments.weights[place] = value; }});\n"
        ),
    );
    text += &kernel(
        "apply",
        &format!(
            "    move_by_result(arguments, {PARAMETER_OF},\n\
             \x20                  [&](int place, number value) {{ arguments.weights[place] = value; }});\n"
        ),
    );
    text += &kernel("advance", "    advance_progress(arguments);\n");
    text + &kernel("draw", "    draw_rows(arguments);\n")
}

impl TermText<'_> {
    fn separate_text(&self, name: &str, signals: &Signals) -> String {
        let row = self.term.row;
        let (title, channels) = (self.title(), self.channels());
        let mut text = format!("// {title}: {channels} channels at {} place(s) per point.\n", row.sites);
        _ = writeln!(text, "struct {name} {{\n    using Self = {name};");
        let places = row.sites * self.points;
        let (head, head_bar) = signals.head();
        let mut constants = vec![
            ("POINTS", self.points),
            ("SITES", row.sites),
            ("CHANNELS", channels),
            ("RESIDUALS", self.term.residuals.len()),
            ("ROW", row.width()),
            ("OUTPUTS", self.architecture.outputs()),
            ("PLACES", places),
            ("COLUMNS", channels * places),
            ("TRAINED", if self.trains() { self.coefficients() } else { 0 }),
            ("ROWS", signals.rows),
            ("HEAD", head),
            ("HEAD_BAR", head_bar),
        ];
        let mut start = 0;
        for (name, size) in arrays(self.term, self.scalars) {
            constants.push((name, start));
            start += size;
        }
        constants.push(("ARRAYS", start));
        for (name, value) in constants {
            _ = writeln!(text, "    static constexpr int {name} = {value};");
        }
        text += &self.coefficient_functions();
        text += &self.feature_functions();
        for activation in self.activations() {
            text += &self.activation_rules(activation);
            text += &activation_kernels(activation.name());
        }
        if self.has_gates() {
            text += &self.gate_rules();
            text += GATE_KERNELS;
        }
        if self.has_products() {
            text += &self.multiply_rules();
            text += MULTIPLY_KERNELS;
        }
        text += &self.residual_functions();
        text += &self.features_kernel(signals);
        text += &self.layers_kernel(signals);
        text += &self.layers_reverse_kernel(signals);
        text += &self.scalars_kernel(signals);
        text + "};\n\n"
    }

    /// Coefficients, and the first layer's input.
    fn features_kernel(&self, signals: &Signals) -> String {
        let mut text = String::from(
            "\n    __device__ static void features(const Signals<Self>& signals) {\n\
             \x20       for_places(signals, 1, [&](int, unsigned tile, int place) {\n\
             \x20           const double* row = signals.row(tile, place % POINTS);\n\
             \x20           number* k = signals.coefficients(tile, place);\n",
        );
        if self.coefficients() > 0 {
            text += "            coefficients(signals.block(tile), row, place / POINTS, k);\n";
        }
        let (first, coordinates) = (signals.values[0], self.term.row.coordinates);
        text += &format!(
            "            for (int c = 0; c < TRAINED; ++c) signals.coefficients_bar(tile, place)[c * PLACES] = number(0);\n\
             \x20           for (int n = 0; n < FEATURES; ++n)\n\
             \x20               feature(n, row + place / POINTS * {coordinates}, signals.at({first} + n, tile, place), k);\n\
             \x20       }});\n        write_ones(signals, {first} + FEATURES);\n    }}\n"
        );
        text
    }

    /// One layer that is no product.
    fn layers_kernel(&self, signals: &Signals) -> String {
        let widths = &self.architecture.widths;
        let at = |signal: usize| signals.values[signal];
        let mut text = String::from(
            "\n    __device__ static void layer(const Signals<Self>& signals) {\n        switch (signals.arguments.layer) {\n",
        );
        for (number, layer) in self.architecture.layers.iter().enumerate() {
            let (call, output) = match *layer {
                Layer::Dense { output, .. } => {
                    // What a product writes has no ones yet.
                    if signals.multiplied[output] {
                        let ones = at(output) + widths[output];
                        _ = writeln!(text, "        case {number}: write_ones(signals, {ones}); break;");
                    }
                    continue;
                }
                Layer::Activate { input, output, activation } => {
                    let name = activation.name();
                    (format!("{name}_layer(signals, {}, ", at(input)), output)
                }
                Layer::Gate { gate, first, second, output } => {
                    let [gate, first, second] = [gate, first, second].map(at);
                    (format!("gate_layer(signals, {gate}, {first}, {second}, "), output)
                }
                Layer::Add { left, right, output } => {
                    (format!("add_layer(signals, {}, {}, ", at(left), at(right)), output)
                }
                Layer::Scale { input, output, factors, shared } => {
                    (format!("scale_layer(signals, {factors}, {shared}, {}, ", at(input)), output)
                }
                Layer::Blend { first, second, output, share } => {
                    (format!("blend_layer(signals, {share}, {}, {}, ", at(first), at(second)), output)
                }
                Layer::Multiply { left, right, output } => {
                    (format!("multiply_layer(signals, {}, {}, ", at(left), at(right)), output)
                }
                Layer::Select { input, output, first } => {
                    (format!("copy_layer(signals, {}, ", at(input) + first), output)
                }
            };
            let (to, width) = (at(output), widths[output]);
            let ones = match signals.multiplied[output] {
                true => format!(" write_ones(signals, {});", to + width),
                false => String::new(),
            };
            _ = writeln!(text, "        case {number}: {call}{to}, {width});{ones} break;");
        }
        text + "        }\n    }\n"
    }

    fn layers_reverse_kernel(&self, signals: &Signals) -> String {
        let widths = &self.architecture.widths;
        let mut text = String::from(
            "\n    __device__ static void layer_reverse(const Signals<Self>& signals) {\n        switch (signals.arguments.layer) {\n",
        );
        let layers = self.architecture.layers.iter().zip(&signals.adjoints.layers).enumerate();
        for (number, (layer, bars)) in layers {
            let from = signals.slots[bars.output];
            let bar = |place: usize| signals.slots[bars.operands[place].slot];
            let adds = |place: usize| bars.operands[place].adds;
            let at = |signal: usize| signals.values[signal];
            let (call, output) = match *layer {
                Layer::Dense { .. } => continue,
                Layer::Activate { input, output, activation } => {
                    let (name, input) = (activation.name(), at(input));
                    (format!("{name}_layer_reverse(signals, {input}, {from}, {}, ", bar(0)), output)
                }
                Layer::Gate { gate, first, second, output } => {
                    let [gate, first, second] = [gate, first, second].map(at);
                    let call = format!(
                        "gate_layer_reverse<{}, {}, {}>(signals, {gate}, {first}, {second}, {from}, {}, {}, {}, ",
                        adds(0),
                        adds(1),
                        adds(2),
                        bar(0),
                        bar(1),
                        bar(2)
                    );
                    (call, output)
                }
                Layer::Add { output, .. } => {
                    let [left, right] = [0, 1].map(|place| format!("{}, {}", bar(place), adds(place)));
                    (format!("add_layer_reverse(signals, {from}, {left}, {right}, "), output)
                }
                Layer::Scale { input, output, factors, shared } => {
                    let (input, to, adds) = (at(input), bar(0), adds(0));
                    let call = format!(
                        "scale_layer_reverse(signals, {factors}, {shared}, {input}, {from}, {to}, {adds}, "
                    );
                    (call, output)
                }
                Layer::Blend { first, second, output, share } => {
                    let [left, right] = [0, 1].map(|place| format!("{}, {}", bar(place), adds(place)));
                    let (first, second) = (at(first), at(second));
                    let call = format!(
                        "blend_layer_reverse(signals, {share}, {first}, {second}, {from}, {left}, {right}, "
                    );
                    (call, output)
                }
                Layer::Multiply { left, right, output } => {
                    let (left, right) = (at(left), at(right));
                    let call = format!(
                        "multiply_layer_reverse<{}, {}>(signals, {left}, {right}, {from}, {}, {}, ",
                        adds(0),
                        adds(1),
                        bar(0),
                        bar(1)
                    );
                    (call, output)
                }
                Layer::Select { input, output, first } => {
                    let (all, to, adds) = (widths[input], bar(0), adds(0));
                    (format!("copy_layer_reverse(signals, {from}, {to}, {adds}, {all}, {first}, "), output)
                }
            };
            _ = writeln!(text, "        case {number}: {call}{}); break;", widths[output]);
        }
        text + "        }\n    }\n"
    }

    /// What is left at the end: adjoints of coefficients, then of scalars.
    fn scalars_kernel(&self, signals: &Signals) -> String {
        let mut text = String::from("\n    __device__ static void scalars(const Signals<Self>& signals) {\n");
        if self.trains() {
            let slot = signals.adjoints.of_features(self.architecture);
            _ = write!(
                text,
                "        for_points(signals, [&](unsigned tile, int point) {{\n\
                 \x20           const Block block = signals.block(tile);\n\
                 \x20           const double* row = signals.row(tile, point);\n\
                 \x20           for (int site = 0; site < SITES; ++site) {{\n\
                 \x20               const int place = site * POINTS + point;\n\
                 \x20               number gathered[TRAINED] = {{}};\n\
                 \x20               for (int n = 0; n < FEATURES; ++n)\n\
                 \x20                   feature_reverse(n, row + site * {}, signals.at({} + n, tile, place),\n\
                 \x20                                   signals.coefficients(tile, place), gathered);\n\
                 \x20               number* sums = signals.coefficients_bar(tile, place);\n\
                 \x20               for (int c = 0; c < TRAINED; ++c) sums[c * PLACES] += gathered[c];\n\
                 \x20               coefficients_adjoint(block, row, site, sums, block.scratch + SCALAR_BARS + point);\n\
                 \x20           }}\n        }});\n",
                self.term.row.coordinates, signals.slots[slot]
            );
        }
        text + "        sum_scalars(signals);\n    }\n"
    }
}

/// The loops around an activation.
fn activation_kernels(name: &str) -> String {
    format!(
        "    __device__ __noinline__ static void {name}_layer(const Signals<Self> signals, int z, int h, int width) {{\n\
         \x20       for_places(signals, width, [&](int n, unsigned tile, int place) {{\n\
         \x20           {name}_forward(signals.at(z + n, tile, place), signals.at(h + n, tile, place),\n\
         \x20                          signals.coefficients(tile, place));\n\
         \x20       }});\n    }}\n\
         \x20   __device__ __noinline__ static void {name}_layer_reverse(const Signals<Self> signals, int z, int h_bar, int z_bar,\n\
         \x20                                                        int width) {{\n\
         \x20       for_places_gathering(signals, width, [&](int n, unsigned tile, int place, number* k_bar) {{\n\
         \x20           {name}_reverse(signals.at(z + n, tile, place), signals.at(h_bar + n, tile, place),\n\
         \x20                          signals.at(z_bar + n, tile, place), signals.coefficients(tile, place), k_bar);\n\
         \x20       }});\n    }}\n"
    )
}

/// Those around a gate.
const GATE_KERNELS: &str = "    __device__ __noinline__ static void gate_layer(const Signals<Self> signals, int f, int first, int second, int h,
                                               int width) {
        for_places(signals, width, [&](int n, unsigned tile, int place) {
            gate_forward(signals.at(f + n, tile, place), signals.at(first + n, tile, place),
                         signals.at(second + n, tile, place), signals.at(h + n, tile, place),
                         signals.coefficients(tile, place));
        });
    }
    template <bool ADD_F, bool ADD_FIRST, bool ADD_SECOND>
    __device__ __noinline__ static void gate_layer_reverse(const Signals<Self> signals, int f, int first, int second,
                                                           int h_bar, int f_bar, int first_bar, int second_bar,
                                                           int width) {
        for_places_gathering(signals, width, [&](int n, unsigned tile, int place, number* k_bar) {
            gate_reverse<ADD_F, ADD_FIRST, ADD_SECOND>(
                signals.at(f + n, tile, place), signals.at(first + n, tile, place),
                signals.at(second + n, tile, place), signals.at(h_bar + n, tile, place),
                signals.at(f_bar + n, tile, place), signals.at(first_bar + n, tile, place),
                signals.at(second_bar + n, tile, place), signals.coefficients(tile, place), k_bar);
        });
    }
";

/// Those around a product.
const MULTIPLY_KERNELS: &str = "    __device__ __noinline__ static void multiply_layer(const Signals<Self> signals, int f, int g, int h, int width) {
        for_places(signals, width, [&](int n, unsigned tile, int place) {
            multiply_forward(signals.at(f + n, tile, place), signals.at(g + n, tile, place),
                             signals.at(h + n, tile, place), signals.coefficients(tile, place));
        });
    }
    template <bool ADD_F, bool ADD_G>
    __device__ __noinline__ static void multiply_layer_reverse(const Signals<Self> signals, int f, int g, int h_bar,
                                                               int f_bar, int g_bar, int width) {
        for_places_gathering(signals, width, [&](int n, unsigned tile, int place, number* k_bar) {
            multiply_reverse<ADD_F, ADD_G>(signals.at(f + n, tile, place), signals.at(g + n, tile, place),
                                           signals.at(h_bar + n, tile, place), signals.at(f_bar + n, tile, place),
                                           signals.at(g_bar + n, tile, place), signals.coefficients(tile, place), k_bar);
        });
    }
";
