//! The fixed functions of the coordinates that the first layer reads, with all channels.

use super::program::number;
use super::rules;
use super::term::{TermText, seeded_axes};
use equation::taylor::{Architecture, Wave};
use std::fmt::Write;

/// The numbers of all features, by the names of the tables that they go to: phase, and slope along every coordinate. They
/// are not part of the text: it is the same in all windows of time.
pub(super) fn given(architecture: &Architecture, coordinates: usize) -> [(&'static str, Vec<f64>); 2] {
    let features = &architecture.features;
    let slope = |axis: usize, slopes: &[(usize, f64)]| {
        slopes.iter().find(|(own, _)| *own == axis).map_or(0.0, |(_, slope)| *slope)
    };
    let slopes =
        features.iter().flat_map(|feature| (0..coordinates).map(move |axis| slope(axis, &feature.slopes)));
    let phases = features.iter().map(|feature| feature.phase).collect();
    [("FEATURE_PHASE", phases), ("FEATURE_SLOPE", slopes.collect())]
}

/// Tables of all features: phase, slope along every coordinate, and which wave.
pub(crate) fn tables(architecture: &Architecture, coordinates: usize) -> String {
    let features = &architecture.features;
    let waves: Vec<String> = features.iter().map(|feature| (feature.wave as usize).to_string()).collect();
    let waves = waves.join(", ");
    let mut text = format!(
        "constexpr int FEATURES = {}, COORDINATES = {coordinates};\n\
         // Feature n is a wave of FEATURE_PHASE[n] plus FEATURE_SLOPE[n][axis] times every coordinate; set by the host.\n\
         extern \"C\" {{\n\
         GIVEN number FEATURE_PHASE[FEATURES];\n\
         GIVEN number FEATURE_SLOPE[FEATURES][COORDINATES];\n\
         }}\n",
        features.len()
    );
    let kinds: Vec<Wave> = [Wave::Identity, Wave::Sin, Wave::Cos]
        .into_iter()
        .filter(|wave| features.iter().any(|feature| feature.wave == *wave))
        .collect();
    if kinds.len() > 1 {
        _ = writeln!(text, "__device__ const unsigned char FEATURE_WAVE[] = {{{waves}}};");
    }
    text += "__device__ inline void wave_slopes(int n, number z, number (&s)[6]) {\n";
    for (place, wave) in kinds.iter().enumerate() {
        let name = match wave {
            Wave::Identity => "identity",
            Wave::Sin => "sin",
            Wave::Cos => "cos",
        };
        let last = place + 1 == kinds.len();
        let condition =
            if last { String::new() } else { format!("if (FEATURE_WAVE[n] == {}) ", *wave as usize) };
        let end = if last { "" } else { "\n    else" };
        _ = write!(text, "{}{condition}{name}_slopes(z, s);{end}", if place == 0 { "    " } else { " " });
    }
    text + "\n}\n\n"
}

impl TermText<'_> {
    /// Arguments of one feature's wave: `z0` and one constant per channel that is not zero.
    fn arguments(&self) -> String {
        let mut text = String::from("        number z0 = FEATURE_PHASE[n];\n");
        for axis in 0..self.term.row.coordinates {
            _ = writeln!(text, "        z0 += FEATURE_SLOPE[n][{axis}] * number(x[{axis}]);");
        }
        for channel in 1..self.channels() {
            let seeds = self.term.rules.seeds.iter().filter(|seed| seed.channel == channel);
            let terms: Vec<String> = seeds
                .map(|seed| format!("{} * FEATURE_SLOPE[n][{}]", rules::weight(seed.weight, 1.0), seed.axis))
                .collect();
            if !terms.is_empty() {
                _ = writeln!(text, "        const number z{channel} = {};", terms.join(" + "));
            }
        }
        text + "        number s[6];\n        wave_slopes(n, z0, s);\n"
    }

    pub(crate) fn feature_functions(&self) -> String {
        let z = |channel: usize| {
            (channel == 0 || !seeded_axes(self.term, channel).is_empty()).then(|| format!("z{channel}"))
        };
        let mut text = String::from(
            "\n    // Feature n of the coordinates x on all channels, and the adjoint of the coefficients.\n\
             \x20   __device__ static void feature(int n, const double* x, number* h, const number* k) {\n",
        );
        text += &self.arguments();
        text += &rules::chain(&self.term.rules, self.channels(), &z);
        text += "    }\n";
        if !(self.reverse && self.trains()) {
            return text;
        }
        let seeds: Vec<_> =
            self.term.rules.seeds.iter().filter(|seed| seed.weight.coefficient.is_some()).collect();
        let wanted = |channel: usize| seeds.iter().any(|seed| seed.channel == channel);
        text += "    __device__ static void feature_reverse(int n, const double* x, const number* h_bar, const number* k,\n\
            \x20                                          number* k_bar) {\n";
        text += &self.arguments();
        let bar = |channel: usize| format!("const number z_bar{channel}");
        text += &rules::chain_adjoint(&self.term.rules, self.channels(), &z, &bar, &wanted, true);
        for seed in seeds {
            if let Some(place) = seed.weight.coefficient {
                let factor = number(seed.weight.factor);
                _ = writeln!(
                    text,
                    "        k_bar[{place}] += {factor} * FEATURE_SLOPE[n][{}] * z_bar{};",
                    seed.axis, seed.channel
                );
            }
        }
        text + "    }\n"
    }
}
