//! What happens to all channels of one neuron at one place: activations and gates, and their adjoints.

use super::rules;
use super::term::TermText;
use equation::problem::Activation;
use std::fmt::Write;

impl TermText<'_> {
    /// `h = σ(z)`, and the adjoint.
    pub(crate) fn activation_rules(&self, activation: Activation) -> String {
        let (name, rules) = (activation.name(), &self.term.rules);
        let z = |channel: usize| Some(rules::at("z", channel));
        let mut text = format!(
            "\n    // h = {name}(z) on all channels of one neuron at one place, and the adjoint.\n\
             \x20   __device__ static void {name}_forward(const number* __restrict__ z, number* __restrict__ h, const number* k) {{\n\
             \x20       number s[6];\n        {name}_slopes(z[0], s);\n"
        );
        text += &rules::chain(rules, self.channels(), &z);
        text += "    }\n";
        if !self.reverse {
            return text;
        }
        _ = write!(
            text,
            "    __device__ static void {name}_reverse(const number* __restrict__ z, const number* __restrict__ h_bar,\n\
             \x20                                      number* __restrict__ z_bar, const number* k, number* k_bar) {{\n\
             \x20       number s[6];\n        {name}_slopes(z[0], s);\n"
        );
        let bar = |channel: usize| rules::at("z_bar", channel);
        text += &rules::chain_adjoint(rules, self.channels(), &z, &bar, &|_| true, self.trains());
        text + "    }\n"
    }

    /// `h = f·g`, and the adjoint.
    pub(crate) fn multiply_rules(&self) -> String {
        let (rules, channels) = (&self.term.rules, self.channels());
        let [f, g, h_bar] =
            ["f", "g", "h_bar"].map(|vector| move |channel: usize| rules::at(vector, channel));
        let mut text = String::from(
            "\n    // h = f * g on all channels of one neuron at one place, and the adjoint.\n\
             \x20   __device__ static void multiply_forward(const number* f, const number* g, number* __restrict__ h, const number* k) {\n",
        );
        for channel in 0..channels {
            let product = rules::product_channel(rules, channel, &f, &g);
            _ = writeln!(text, "        {} = {product};", rules::at("h", channel));
        }
        text += "    }\n";
        if !self.reverse {
            return text;
        }
        text += "    template <bool ADD_F, bool ADD_G>\n\
            \x20   __device__ static void multiply_reverse(const number* f, const number* g, const number* __restrict__ h_bar,\n\
            \x20                                           number* __restrict__ f_bar, number* __restrict__ g_bar, const number* k,\n\
            \x20                                           number* k_bar) {\n";
        for channel in 0..channels {
            let to_f = rules::product_adjoint_channel(rules, channels, channel, &g, &h_bar);
            let to_g = rules::product_adjoint_channel(rules, channels, channel, &f, &h_bar);
            for (target, adds, value) in [("f_bar", "ADD_F", to_f), ("g_bar", "ADD_G", to_g)] {
                let to = rules::at(target, channel);
                _ = writeln!(text, "        {to} = ({adds} ? {to} : number(0)) + ({value});");
            }
        }
        if self.trains() {
            text += &rules::product_coefficients(rules, &f, &g, &h_bar);
        }
        text + "    }\n"
    }

    /// `h = second + f·(first - second)`, and the adjoint.
    pub(crate) fn gate_rules(&self) -> String {
        let (rules, channels) = (&self.term.rules, self.channels());
        let f = |channel: usize| rules::at("f", channel);
        let g =
            |channel: usize| format!("({} - {})", rules::at("first", channel), rules::at("second", channel));
        let h_bar = |channel: usize| rules::at("h_bar", channel);
        let mut text = String::from(
            "\n    // h = second + f * (first - second) on all channels of one neuron at one place, and the adjoint.\n\
             \x20   __device__ static void gate_forward(const number* f, const number* first, const number* second,\n\
             \x20                                       number* __restrict__ h, const number* k) {\n",
        );
        for channel in 0..channels {
            let product = rules::product_channel(rules, channel, &f, &g);
            let second = rules::at("second", channel);
            _ = writeln!(text, "        {} = {second} + {product};", rules::at("h", channel));
        }
        text += "    }\n";
        if !self.reverse {
            return text;
        }
        text += "    template <bool ADD_F, bool ADD_FIRST, bool ADD_SECOND>\n\
            \x20   __device__ static void gate_reverse(const number* f, const number* first, const number* second,\n\
            \x20                                       const number* __restrict__ h_bar, number* __restrict__ f_bar,\n\
            \x20                                       number* __restrict__ first_bar, number* __restrict__ second_bar,\n\
            \x20                                       const number* k, number* k_bar) {\n";
        for channel in 0..channels {
            let to_f = rules::product_adjoint_channel(rules, channels, channel, &g, &h_bar);
            let to_g = rules::product_adjoint_channel(rules, channels, channel, &f, &h_bar);
            let place = |vector: &str| rules::at(vector, channel);
            _ = writeln!(text, "        const number f{channel} = {to_f}, g{channel} = {to_g};");
            for (target, adds, value) in [
                ("f_bar", "ADD_F", format!("f{channel}")),
                ("first_bar", "ADD_FIRST", format!("g{channel}")),
                ("second_bar", "ADD_SECOND", format!("{} - g{channel}", h_bar(channel))),
            ] {
                let to = place(target);
                _ = writeln!(text, "        {to} = ({adds} ? {to} : number(0)) + {value};");
            }
        }
        if self.trains() {
            text += &rules::product_coefficients(rules, &f, &g, &h_bar);
        }
        text + "    }\n"
    }
}
