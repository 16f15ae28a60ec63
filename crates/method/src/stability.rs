//! What happens to gradients that are too long, and to steps that go wrong, as data.

use serde::Serialize;

/// How a gradient is made shorter before a step. Rules of a list apply one after the other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Clip {
    /// Every number of the gradient lies between `-limit` and `limit`.
    Value {
        /// The largest size of a number.
        limit: f64,
    },
    /// The part of every array of parameters, such as a matrix of weights, has at most this norm.
    Norm {
        /// The largest norm.
        limit: f64,
    },
    /// All arrays of a layer have at most this norm together.
    Layer {
        /// The largest norm.
        limit: f64,
    },
    /// The whole gradient has at most this norm (Pascanu, Mikolov, Bengio 2013).
    GlobalNorm {
        /// The largest norm.
        limit: f64,
    },
    /// The whole gradient is at most so many times longer than the mean of the last ones.
    Adaptive {
        /// How many times longer.
        factor: f64,
        /// How many norms the mean is of.
        window: usize,
    },
    /// The part of every unit, a row of a matrix, is at most this share of the unit's own norm (Brock, De, Smith, Simonyan 2021).
    Relative {
        /// The largest share.
        ratio: f64,
    },
    /// The whole gradient is at most as long as this percentile of the last ones (Seetharaman, Wichern, Pardo, Le Roux 2020).
    Percentile {
        /// Which, from 0 to 100.
        percentile: f64,
        /// How many norms it is of.
        window: usize,
    },
    /// The whole gradient is at most so many times longer than the exponential average of the last ones.
    Average {
        /// What is left of the average after a step.
        decay: f64,
        /// How many times longer.
        factor: f64,
        /// The limit is never smaller.
        floor: f64,
    },
}

impl Clip {
    /// The names and usual numbers of all of them.
    pub const USUAL: [(&'static str, Clip); 8] = [
        ("value", Clip::Value { limit: 1.0 }),
        ("norm", Clip::Norm { limit: 1.0 }),
        ("layer", Clip::Layer { limit: 1.0 }),
        ("global-norm", Clip::GlobalNorm { limit: 1.0 }),
        ("adaptive", Clip::Adaptive { factor: 2.0, window: 10 }),
        ("relative", Clip::Relative { ratio: 0.01 }),
        ("percentile", Clip::Percentile { percentile: 95.0, window: 100 }),
        ("average", Clip::Average { decay: 0.9, factor: 1.0, floor: 0.1 }),
    ];

    /// As problem files write it.
    pub fn name(self) -> &'static str {
        match self {
            Clip::Value { .. } => "value",
            Clip::Norm { .. } => "norm",
            Clip::Layer { .. } => "layer",
            Clip::GlobalNorm { .. } => "global-norm",
            Clip::Adaptive { .. } => "adaptive",
            Clip::Relative { .. } => "relative",
            Clip::Percentile { .. } => "percentile",
            Clip::Average { .. } => "average",
        }
    }

    /// The numbers of a rule, as problem files write them.
    pub fn numbers(self) -> Vec<(&'static str, f64)> {
        match self {
            Clip::Value { limit }
            | Clip::Norm { limit }
            | Clip::Layer { limit }
            | Clip::GlobalNorm { limit } => vec![("limit", limit)],
            Clip::Adaptive { factor, window } => vec![("factor", factor), ("window", window as f64)],
            Clip::Relative { ratio } => vec![("ratio", ratio)],
            Clip::Percentile { percentile, window } => {
                vec![("percentile", percentile), ("window", window as f64)]
            }
            Clip::Average { decay, factor, floor } => {
                vec![("decay", decay), ("factor", factor), ("floor", floor)]
            }
        }
    }
}

/// What happens where a loss or a gradient is infinite or no number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// Training ends with an error.
    Stop,
    /// No step is taken, and nothing is counted: the next one sees other points. Where points stay the same, a good state is restored.
    Skip,
    /// Training goes back to a good state, and steps are shorter from there on. Also where losses grow far above the first one.
    Restore,
    /// What is no number becomes zero, what is infinite becomes as large as [`Guard::LARGEST`].
    Replace,
    /// The gradient becomes zero: what the method remembers moves parameters.
    Zero,
    /// What is no number or infinite becomes zero, and the rest is as long as the last gradient.
    Scale,
    /// By severity: a sum of what was found. The worst restores, the next skips, what is left is scaled.
    Adaptive,
}

impl Policy {
    /// All of them.
    pub const ALL: [Policy; 7] = [
        Policy::Stop,
        Policy::Skip,
        Policy::Restore,
        Policy::Replace,
        Policy::Zero,
        Policy::Scale,
        Policy::Adaptive,
    ];

    /// As problem files write it.
    pub fn name(self) -> &'static str {
        match self {
            Policy::Stop => "stop",
            Policy::Skip => "skip",
            Policy::Restore => "restore",
            Policy::Replace => "replace",
            Policy::Zero => "zero",
            Policy::Scale => "scale",
            Policy::Adaptive => "adaptive",
        }
    }
}

/// What happens where a loss is far above those of the steps before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spikes {
    /// It is told.
    Tell,
    /// Training goes back to a good state.
    Restore,
}

impl Spikes {
    /// All of them.
    pub const ALL: [Spikes; 2] = [Spikes::Tell, Spikes::Restore];

    /// As problem files write it.
    pub fn name(self) -> &'static str {
        match self {
            Spikes::Tell => "tell",
            Spikes::Restore => "restore",
        }
    }
}

/// How training is kept from breaking.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Guard {
    /// Where a loss or a gradient is infinite or no number, or where losses grow far above the first one.
    pub policy: Policy,
    /// Where a loss is far above those of the steps before.
    pub spikes: Spikes,
    /// The learning rate is multiplied by this where a state is restored; above 0, at most 1.
    pub back_off: f64,
    /// How often states are restored in a phase, and steps skipped in a row.
    pub tries: u64,
}

impl Guard {
    /// What an infinite slope becomes where it is replaced.
    pub const LARGEST: f64 = 1e6;

    /// With a policy and what is usual otherwise.
    pub const fn new(policy: Policy) -> Self {
        Guard { policy, spikes: Spikes::Tell, back_off: 0.5, tries: 10 }
    }

    /// Whether training may go back to a good state.
    pub fn restores(&self) -> bool {
        // Parameters that are not finite are mended by nothing else.
        self.policy != Policy::Stop || self.spikes == Spikes::Restore
    }
}
