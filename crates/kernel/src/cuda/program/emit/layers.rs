//! The order of layers on one tile, forward and back.

use super::term::TermText;
use equation::taylor::Layer;
use std::fmt::Write;

impl TermText<'_> {
    /// A signal's values in the scratch memory.
    fn value(&self, signal: usize) -> String {
        format!("block.scratch + {} * COLUMNS", self.layout.values[signal])
    }

    /// A buffer for adjoints.
    fn bar(&self, slot: usize) -> String {
        format!("block.scratch + {} * COLUMNS", self.layout.slots[slot])
    }

    /// What every place reads: its coordinates are those of its site.
    fn coordinates(&self) -> String {
        let row = "row_of<Self>(rows, count, place % POINTS)";
        format!("{row} + place / POINTS * {}", self.term.row.coordinates)
    }

    pub(super) fn forward(&self) -> String {
        let mut text = String::from(
            "\n    // The network at all places of a tile.\n\
             \x20   __device__ __noinline__ static void forward(const Block& block, const double* rows, int count) {\n\
             \x20       number* k = block.scratch + COEFFICIENTS;\n",
        );
        if self.coefficients() > 0 {
            text += "        if (threadIdx.x < PLACES) {\n\
                \x20           const int place = threadIdx.x;\n\
                \x20           coefficients(block, row_of<Self>(rows, count, place % POINTS), place / POINTS, k + place);\n\
                \x20       }\n        __syncthreads();\n";
        }
        _ = writeln!(text, "        number* features = {};", self.value(0));
        _ = writeln!(text, "        for_neurons(FEATURES, PLACES, [&](int n, int place) {{");
        _ = writeln!(text, "            const double* x = {};", self.coordinates());
        _ = writeln!(text, "            feature(n, x, features + n * COLUMNS + place, k + place);");
        _ = writeln!(text, "        }});\n        __syncthreads();");
        for (number, layer) in self.architecture.layers.iter().enumerate() {
            match *layer {
                Layer::Dense { input, output, .. } => {
                    let outputs = self.architecture.widths[output];
                    let inputs = self.architecture.widths[input];
                    _ = writeln!(
                        text,
                        "        layer_product<{outputs}, COLUMNS>(block.arguments.weights + LAYER{number}.matrix, {},\n\
                         \x20           {}, {}, {inputs}, block.arguments.weights + LAYER{number}.packed_bias, PLACES, REPLACE);",
                        outputs.next_multiple_of(4),
                        self.value(input),
                        self.value(output)
                    );
                }
                Layer::Activate { input, output, activation } => {
                    let width = self.architecture.widths[output];
                    let [input, output] = [input, output].map(|signal| self.value(signal));
                    let name = activation.name();
                    _ = writeln!(text, "        {name}_layer({input}, {output}, k, {width});");
                }
                Layer::Gate { gate, first, second, output } => {
                    let width = self.architecture.widths[output];
                    let [gate, first, second, output] =
                        [gate, first, second, output].map(|signal| self.value(signal));
                    _ = writeln!(
                        text,
                        "        gate_layer({gate}, {first}, {second}, {output}, k, {width});"
                    );
                }
                Layer::Add { left, right, output } => {
                    let width = self.architecture.widths[output];
                    let [left, right, output] = [left, right, output].map(|signal| self.value(signal));
                    _ = writeln!(
                        text,
                        "        for (int at = threadIdx.x; at < {width} * COLUMNS; at += THREADS)\n\
                         \x20           ({output})[at] = ({left})[at] + ({right})[at];\n        __syncthreads();"
                    );
                }
                Layer::Scale { input, output, .. } => {
                    let width = self.architecture.widths[output];
                    let [input, output] = [input, output].map(|signal| self.value(signal));
                    _ = writeln!(
                        text,
                        "        scale_layer<{width}, COLUMNS>(LAYER{number}, block.arguments.weights, {input}, {output});"
                    );
                }
                Layer::Blend { first, second, output, .. } => {
                    let width = self.architecture.widths[output];
                    let [first, second, output] = [first, second, output].map(|signal| self.value(signal));
                    _ = writeln!(
                        text,
                        "        blend_layer<{width}, COLUMNS>(LAYER{number}, block.arguments.weights, {first}, {second}, {output});"
                    );
                }
                Layer::Multiply { left, right, output } => {
                    let width = self.architecture.widths[output];
                    let [left, right, output] = [left, right, output].map(|signal| self.value(signal));
                    _ = writeln!(text, "        multiply_layer({left}, {right}, {output}, k, {width});");
                }
                Layer::Select { input, output, first } => {
                    let width = self.architecture.widths[output];
                    let [input, output] = [input, output].map(|signal| self.value(signal));
                    _ = writeln!(
                        text,
                        "        for (int at = threadIdx.x; at < {width} * COLUMNS; at += THREADS)\n\
                         \x20           ({output})[at] = ({input})[{first} * COLUMNS + at];\n        __syncthreads();"
                    );
                }
            }
        }
        text + "    }\n"
    }

    pub(super) fn backward(&self) -> String {
        let trains = self.trains();
        let mut text = String::from(
            "\n    // Adjoints of the network's outputs to gradients of the weights, which `target` takes.\n\
             \x20   template <typename Target>\n\
             \x20   __device__ __noinline__ static void reverse(const Block& block, const double* rows, int count, const Target& target) {\n\
             \x20       const number* k = block.scratch + COEFFICIENTS;\n",
        );
        text += "        number* sums = block.scratch + COEFFICIENTS_BAR;\n";
        if trains {
            _ = writeln!(text, "        constexpr int COUNT = {};", self.coefficients());
            text += "        for (int at = threadIdx.x; at < COUNT * PLACES; at += THREADS) sums[at] = number(0);\n\
                \x20       __syncthreads();\n";
        }
        let layers = self.architecture.layers.iter().zip(&self.layout.adjoints.layers).enumerate();
        for (number, (layer, bars)) in layers.rev() {
            let out_bar = self.bar(bars.output);
            let start = |place: usize| if bars.operands[place].adds { "ADD" } else { "REPLACE" };
            let bar = |place: usize| self.bar(bars.operands[place].slot);
            match *layer {
                Layer::Dense { input, output, .. } => {
                    let (inputs, outputs) =
                        (self.architecture.widths[input], self.architecture.widths[output]);
                    _ = writeln!(
                        text,
                        "        target.template dense<Self, {inputs}, {outputs}>(LAYER{number}, {}, {out_bar});",
                        self.value(input)
                    );
                    if input != 0 || trains {
                        _ = writeln!(
                            text,
                            "        layer_product<{inputs}, COLUMNS>(block.arguments.weights + LAYER{number}.transpose, {},\n\
                             \x20           {out_bar}, {}, {outputs}, nullptr, PLACES, {});",
                            inputs.next_multiple_of(4),
                            bar(0),
                            start(0)
                        );
                    }
                }
                Layer::Activate { input, output, activation } => {
                    let width = self.architecture.widths[output];
                    let (name, z, z_bar) = (activation.name(), self.value(input), bar(0));
                    _ = writeln!(
                        text,
                        "        {name}_layer_reverse({z}, {out_bar}, {z_bar}, k, sums, {width});"
                    );
                }
                Layer::Gate { gate, first, second, output } => {
                    let width = self.architecture.widths[output];
                    let [gate, first, second] = [gate, first, second].map(|signal| self.value(signal));
                    let adds: Vec<String> =
                        bars.operands.iter().map(|operand| operand.adds.to_string()).collect();
                    _ = writeln!(
                        text,
                        "        gate_layer_reverse<{}>({gate}, {first}, {second}, {out_bar},\n\
                         \x20           {}, {}, {}, k, sums, {width});",
                        adds.join(", "),
                        bar(0),
                        bar(1),
                        bar(2)
                    );
                }
                Layer::Add { output, .. } => {
                    let width = self.architecture.widths[output];
                    _ = writeln!(
                        text,
                        "        for (int at = threadIdx.x; at < {width} * COLUMNS; at += THREADS) {{\n\
                         \x20           const number bar = ({out_bar})[at];"
                    );
                    for (place, operand) in bars.operands.iter().enumerate() {
                        let sign = if operand.adds { "+=" } else { "=" };
                        _ = writeln!(text, "            ({})[at] {sign} bar;", bar(place));
                    }
                    text += "        }\n        __syncthreads();\n";
                }
                Layer::Scale { input, output, .. } => {
                    let width = self.architecture.widths[output];
                    _ = writeln!(
                        text,
                        "        target.template factors<Self, {width}>(LAYER{number}, {out_bar}, Values{{{}}});\n\
                         \x20       scale_layer_reverse<{width}, COLUMNS>(LAYER{number}, block.arguments.weights, false, {out_bar}, {}, {});",
                        self.value(input),
                        bar(0),
                        start(0)
                    );
                }
                Layer::Blend { first, second, output, .. } => {
                    let width = self.architecture.widths[output];
                    _ = writeln!(
                        text,
                        "        target.template factors<Self, {width}>(LAYER{number}, {out_bar}, Differences{{{}, {}}});",
                        self.value(first),
                        self.value(second)
                    );
                    for (place, rest) in [false, true].into_iter().enumerate() {
                        _ = writeln!(
                            text,
                            "        scale_layer_reverse<{width}, COLUMNS>(LAYER{number}, block.arguments.weights, {rest}, {out_bar}, {}, {});",
                            bar(place),
                            start(place)
                        );
                    }
                }
                Layer::Multiply { left, right, output } => {
                    let width = self.architecture.widths[output];
                    let [left, right] = [left, right].map(|signal| self.value(signal));
                    let [first, second] = [0, 1].map(|place| bars.operands[place].adds);
                    _ = writeln!(
                        text,
                        "        multiply_layer_reverse<{first}, {second}>({left}, {right}, {out_bar}, {}, {}, k, sums, {width});",
                        bar(0),
                        bar(1)
                    );
                }
                Layer::Select { input: 0, .. } if !trains => {}
                Layer::Select { input, output, first } => {
                    let widths = &self.architecture.widths;
                    let (from, width) = (widths[input], widths[output]);
                    let (end, old) = (first + width, if bars.operands[0].adds { "to" } else { "number(0)" });
                    _ = writeln!(
                        text,
                        "        for (int at = threadIdx.x; at < {from} * COLUMNS; at += THREADS) {{\n\
                         \x20           const int neuron = at / COLUMNS;\n\
                         \x20           number& to = ({})[at];\n\
                         \x20           const bool selected = neuron >= {first} && neuron < {end};\n\
                         \x20           to = {old} + (selected ? ({out_bar})[at - {first} * COLUMNS] : number(0));\n\
                         \x20       }}\n        __syncthreads();",
                        bar(0)
                    );
                }
            }
        }
        if trains {
            text += &self.coefficients_backward();
        }
        text + "    }\n"
    }

    /// The features' share of the coefficients' adjoints, then all of them to the scalars.
    fn coefficients_backward(&self) -> String {
        let slot = self.layout.adjoints.of_features(self.architecture);
        format!(
            "        number gathered[COUNT] = {{}};\n\
             \x20       for_neurons(FEATURES, PLACES, [&](int n, int place) {{\n\
             \x20           const double* x = {};\n\
             \x20           feature_reverse(n, x, {} + n * COLUMNS + place, k + place, gathered);\n\
             \x20       }});\n        __syncthreads();\n\
             \x20       for (int c = 0; c < COUNT; ++c) add_over_neurons(gathered[c], sums + c * PLACES, PLACES);\n\
             \x20       if (threadIdx.x < POINTS) {{\n\
             \x20           const int point = threadIdx.x;\n\
             \x20           const double* row = row_of<Self>(rows, count, point);\n\
             \x20           for (int site = 0; site < SITES; ++site)\n\
             \x20               coefficients_adjoint(block, row, site, sums + site * POINTS + point,\n\
             \x20                                    block.scratch + SCALAR_BARS + point);\n\
             \x20       }}\n        __syncthreads();\n",
            self.coordinates(),
            self.bar(slot)
        )
    }
}
