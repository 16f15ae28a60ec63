//! One loss term as a C++ struct: its constants, what happens at both ends of the network, and the order of layers.

use super::program::{Reads, statements};
use crate::cuda::program::layout::Layout;
use equation::expression::Channel;
use equation::problem::Activation;
use equation::taylor::{Adjoint, Architecture, Layer, Term, Variable};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What is written out of a term.
pub(crate) struct TermText<'a> {
    pub(crate) architecture: &'a Architecture,
    pub(crate) layout: &'a Layout,
    pub(crate) term: &'a Term,
    pub(crate) scalars: usize,
    /// Points of a tile.
    pub(crate) points: usize,
    /// Whether anything comes back through the network.
    pub(crate) reverse: bool,
    /// Whether that is multiplied with a direction.
    pub(crate) along: bool,
}

impl TermText<'_> {
    pub(crate) fn channels(&self) -> usize {
        self.term.channels.len()
    }

    pub(crate) fn coefficients(&self) -> usize {
        self.term.channels.coefficients.len()
    }

    /// Coefficients depend on trainable scalars, so their adjoints are wanted.
    pub(crate) fn trains(&self) -> bool {
        !self.term.coefficients_adjoint.variables.is_empty()
    }

    fn places(&self) -> usize {
        self.term.row.sites * self.points
    }

    fn columns(&self) -> usize {
        self.channels() * self.places()
    }

    /// Rows of neurons in the scratch memory: behind values and adjoints comes one more signal, as wide as the
    /// widest, where directional derivatives need it.
    fn rows(&self) -> usize {
        let widest = self.architecture.widths.iter().copied().max().unwrap_or(0);
        self.layout.rows + if self.along { widest } else { 0 }
    }

    /// Names and sizes of the arrays behind the rows of neurons.
    fn arrays(&self) -> [(&'static str, usize); 4] {
        [
            ("COEFFICIENTS", self.coefficients() * self.places()),
            ("COEFFICIENTS_BAR", self.coefficients() * self.places()),
            ("KEPT", self.term.residuals.len() * self.points),
            ("SCALAR_BARS", self.scalars * self.points),
        ]
    }

    /// Numbers of a block's scratch memory.
    pub(super) fn scratch(&self) -> usize {
        self.rows() * self.columns() + self.arrays().iter().map(|(_, size)| size).sum::<usize>()
    }

    /// The term's name, fit for a comment.
    pub(crate) fn title(&self) -> String {
        self.term.name.chars().filter(|c| c.is_alphanumeric() || *c == '-').collect()
    }

    /// The whole struct, called `name`.
    pub(super) fn text(&self, name: &str) -> String {
        let row = self.term.row;
        let mut text = String::new();
        let title = self.title();
        _ = writeln!(text, "// {title}: {} channels at {} place(s) per point.", self.channels(), row.sites);
        _ = writeln!(text, "struct {name} {{\n    using Self = {name};");
        let head = self.layout.values[self.layout.values.len() - 1];
        let outputs = self.architecture.outputs();
        let mut constants = vec![
            ("POINTS", self.points),
            ("SITES", row.sites),
            ("CHANNELS", self.channels()),
            ("RESIDUALS", self.term.residuals.len()),
            ("SCALARS", self.scalars),
            ("ROW", row.width()),
            ("OUTPUTS", outputs),
            ("PLACES", self.places()),
            ("COLUMNS", self.columns()),
            ("HEAD", head * self.columns()),
            ("HEAD_BAR", self.layout.slots[self.layout.adjoints.output] * self.columns()),
            ("MOVED", self.layout.rows * self.columns()),
        ];
        let mut start = self.rows() * self.columns();
        for (name, size) in self.arrays() {
            constants.push((name, start));
            start += size;
        }
        for (name, value) in constants {
            _ = writeln!(text, "    static constexpr int {name} = {value};");
        }
        text += &self.coefficient_functions();
        text += &self.feature_functions();
        for activation in self.activations() {
            text += &self.activation_layers(activation);
        }
        if self.has_gates() {
            text += &self.gate_layers();
        }
        if self.has_products() {
            text += &self.multiply_layers();
        }
        text += &self.residual_functions();
        text += &self.forward();
        if self.reverse {
            text += &self.backward();
        }
        text + "};\n\n"
    }

    pub(crate) fn has_gates(&self) -> bool {
        self.architecture.layers.iter().any(|layer| matches!(layer, Layer::Gate { .. }))
    }

    pub(crate) fn has_products(&self) -> bool {
        self.architecture.layers.iter().any(|layer| matches!(layer, Layer::Multiply { .. }))
    }

    pub(crate) fn activations(&self) -> Vec<Activation> {
        let mut found = Vec::new();
        for layer in &self.architecture.layers {
            if let Layer::Activate { activation, .. } = layer
                && !found.contains(activation)
            {
                found.push(*activation);
            }
        }
        found
    }

    pub(crate) fn coefficient_functions(&self) -> String {
        let mut text = String::new();
        if self.coefficients() == 0 {
            return text;
        }
        let coordinates = self.term.row.coordinates;
        let input = move |place: u16| {
            let place = usize::from(place);
            if place < coordinates {
                format!("number(row[site * {coordinates} + {place}])")
            } else {
                format!("number(row[{place}])")
            }
        };
        let none = |_: u16| unreachable!("coefficients do not depend on the network");
        let reads = Reads {
            input: &input,
            scalar: &scalar,
            signal: &none,
            seed: &|place| format!("k_bar[{place} * PLACES]"),
        };
        text += "\n    // Coefficients of the channels at one place.\n";
        text += "    __device__ __noinline__ static void coefficients(const Block& block, const double* row, int site, number* k) {\n";
        text += &statements(&self.term.coefficients, &reads, "        ");
        for (place, output) in self.term.coefficients.outputs.iter().enumerate() {
            _ = writeln!(text, "        k[{place} * PLACES] = r{output};");
        }
        text += "    }\n";
        if self.trains() && self.reverse {
            text += "    // Brings their adjoints to the scalars.\n";
            text += "    __device__ __noinline__ static void coefficients_adjoint(const Block& block, const double* row, int site,\n";
            text += "                                                const number* k_bar, number* scalar_bars) {\n";
            text += &statements(&self.term.coefficients_adjoint.program, &reads, "        ");
            for (variable, output) in outputs(&self.term.coefficients_adjoint) {
                let Variable::Scalar(place) = variable else { continue };
                _ = writeln!(text, "        scalar_bars[{place} * POINTS] += r{output};");
            }
            text += "    }\n";
        }
        text
    }

    /// The activation on all neurons of a tile, and the adjoint.
    fn activation_layers(&self, activation: Activation) -> String {
        let name = activation.name();
        let mut text = self.activation_rules(activation);
        _ = write!(
            text,
            "    __device__ __noinline__ static void {name}_layer(const number* z, number* h, const number* k, int width) {{\n\
             \x20       for_neurons(width, PLACES, [&](int n, int place) {{\n\
             \x20           {name}_forward(z + n * COLUMNS + place, h + n * COLUMNS + place, k + place);\n\
             \x20       }});\n        __syncthreads();\n    }}\n"
        );
        if self.reverse {
            let (open, gathered, close) = self.gathering();
            _ = write!(
                text,
                "    __device__ __noinline__ static void {name}_layer_reverse(const number* z, const number* h_bar, number* z_bar,\n\
                 \x20                                                        const number* k, number* sums, int width) {{\n{open}\
                 \x20       for_neurons(width, PLACES, [&](int n, int place) {{\n\
                 \x20           const int at = n * COLUMNS + place;\n\
                 \x20           {name}_reverse(z + at, h_bar + at, z_bar + at, k + place, {gathered});\n\
                 \x20       }});\n        __syncthreads();\n{close}    }}\n"
            );
        }
        text
    }

    /// What surrounds a loop over neurons that gathers the adjoints of coefficients; nothing where they
    /// do not train.
    fn gathering(&self) -> (String, &'static str, &'static str) {
        if !self.trains() {
            return (String::new(), "nullptr", "");
        }
        let count = self.coefficients();
        (
            format!("        number gathered[{count}] = {{}};\n"),
            "gathered",
            "        for (number& sum : gathered) add_over_neurons(sum, sums + (&sum - gathered) * PLACES, PLACES);\n",
        )
    }

    /// The gate on all neurons of a tile, and the adjoint.
    fn gate_layers(&self) -> String {
        let mut text = self.gate_rules();
        text += "    __device__ __noinline__ static void gate_layer(const number* f, const number* first, const number* second,\n\
            \x20                                                  number* h, const number* k, int width) {\n\
            \x20       for_neurons(width, PLACES, [&](int n, int place) {\n\
            \x20           const int at = n * COLUMNS + place;\n\
            \x20           gate_forward(f + at, first + at, second + at, h + at, k + place);\n\
            \x20       });\n        __syncthreads();\n    }\n";
        if !self.reverse {
            return text;
        }
        let (open, gathered, close) = self.gathering();
        text + &format!(
            "    template <bool ADD_F, bool ADD_FIRST, bool ADD_SECOND>\n\
             \x20   __device__ __noinline__ static void gate_layer_reverse(const number* f, const number* first, const number* second,\n\
             \x20                                                          const number* h_bar, number* f_bar, number* first_bar,\n\
             \x20                                                          number* second_bar, const number* k, number* sums, int width) {{\n{open}\
             \x20       for_neurons(width, PLACES, [&](int n, int place) {{\n\
             \x20           const int at = n * COLUMNS + place;\n\
             \x20           gate_reverse<ADD_F, ADD_FIRST, ADD_SECOND>(f + at, first + at, second + at, h_bar + at, f_bar + at,\n\
             \x20                                                      first_bar + at, second_bar + at, k + place, {gathered});\n\
             \x20       }});\n        __syncthreads();\n{close}    }}\n"
        )
    }

    /// Products of signals on all neurons of a tile, and the adjoint.
    fn multiply_layers(&self) -> String {
        let mut text = self.multiply_rules();
        text += "    __device__ __noinline__ static void multiply_layer(const number* f, const number* g, number* h, const number* k,\n\
            \x20                                                      int width) {\n\
            \x20       for_neurons(width, PLACES, [&](int n, int place) {\n\
            \x20           const int at = n * COLUMNS + place;\n\
            \x20           multiply_forward(f + at, g + at, h + at, k + place);\n\
            \x20       });\n        __syncthreads();\n    }\n";
        if !self.reverse {
            return text;
        }
        let (open, gathered, close) = self.gathering();
        text + &format!(
            "    template <bool ADD_F, bool ADD_G>\n\
             \x20   __device__ __noinline__ static void multiply_layer_reverse(const number* f, const number* g, const number* h_bar,\n\
             \x20                                                              number* f_bar, number* g_bar, const number* k,\n\
             \x20                                                              number* sums, int width) {{\n{open}\
             \x20       for_neurons(width, PLACES, [&](int n, int place) {{\n\
             \x20           const int at = n * COLUMNS + place;\n\
             \x20           multiply_reverse<ADD_F, ADD_G>(f + at, g + at, h_bar + at, f_bar + at, g_bar + at, k + place, {gathered});\n\
             \x20       }});\n        __syncthreads();\n{close}    }}\n"
        )
    }

    pub(crate) fn residual_functions(&self) -> String {
        let term = self.term;
        let head = |signal: u16| {
            let Channel { output, channel, site } = term.signals[usize::from(signal)];
            format!("[{output} * stride + {channel} * PLACES + {site} * POINTS]")
        };
        let signal = |place: u16| format!("head{}", head(place));
        let reads = Reads {
            input: &|place| format!("number(row[{place}])"),
            scalar: &scalar,
            signal: &signal,
            seed: &|place| format!("seeds[{place}]"),
        };
        let mut text = String::from(
            "\n    // Residuals at one point.\n\
             \x20   __device__ __noinline__ static void residuals(const Block& block, const double* row, int point, number (&out)[RESIDUALS]) {\n\
             \x20       const number* head = head_of<Self>(block) + point;\n\
             \x20       const auto stride = head_stride<Self>(block);\n",
        );
        text += &statements(&term.residual, &reads, "        ");
        for (place, output) in term.residual.outputs.iter().enumerate() {
            _ = writeln!(text, "        out[{place}] = r{output};");
        }
        text += "    }\n";
        if !self.reverse {
            return text;
        }
        text += "    // Brings adjoints of the residuals to the network's outputs and to the scalars.\n\
            \x20   __device__ __noinline__ static void residuals_adjoint(const Block& block, const double* row, int point,\n\
            \x20                                            const number (&seeds)[RESIDUALS]) {\n\
            \x20       const number* head = head_of<Self>(block) + point;\n\
            \x20       number* head_bar = head_bar_of<Self>(block) + point;\n\
            \x20       const auto stride = head_stride<Self>(block);\n\
            \x20       number* scalar_bars = block.scratch + SCALAR_BARS + point;\n";
        text += &statements(&term.adjoint.program, &reads, "        ");
        for (variable, output) in outputs(&term.adjoint) {
            _ = match variable {
                Variable::Signal(place) => writeln!(text, "        head_bar{} = r{output};", head(place)),
                Variable::Scalar(place) => {
                    writeln!(text, "        scalar_bars[{place} * POINTS] += r{output};")
                }
            };
        }
        text + "    }\n"
    }
}

/// How a trainable scalar is read.
fn scalar(place: u16) -> String {
    format!("scalar_of(block, {place})")
}

fn outputs(adjoint: &Adjoint) -> impl Iterator<Item = (Variable, u32)> {
    adjoint.variables.iter().copied().zip(adjoint.program.outputs.iter().copied())
}

/// Coordinates along which any channel of the features is seeded.
pub(super) fn seeded_axes(term: &Term, channel: usize) -> BTreeSet<usize> {
    term.rules.seeds.iter().filter(|seed| seed.channel == channel).map(|seed| seed.axis).collect()
}
