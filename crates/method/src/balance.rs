//! How parts of a loss are weighed against each other, as data.

/// How parts of a loss that state no weight are weighed against the others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Balance {
    /// Not at all.
    Off,
    /// In the way that is usual for the method.
    Usual,
    /// Rows of the Jacobian are as long as those of the equations inside (after Wang, Yu, Perdikaris 2022): looked at rarely.
    Rows,
    /// Gradients of all parts are equally large.
    GradientNorm {
        /// When.
        pacing: Pacing,
        /// In which sense.
        by: GradientSize,
    },
    /// All parts have the mean trace of the neural tangent kernel (Wang, Yu, Perdikaris 2022).
    Ntk(Pacing),
    /// Weights grow with the mean squares that they multiply (after McClenny, Braga-Neto 2023, with one weight for a part).
    SelfAdaptive {
        /// Steps between two looks.
        every: u64,
        /// What a look adds where a mean square is as large as the mean of all.
        rate: f64,
    },
    /// Parts that fall slowly weigh more (Heydari, Thompson, Mehmood 2019).
    SoftAdapt {
        /// Steps between two looks.
        every: u64,
        /// How much more; the paper's β.
        strength: f64,
    },
    /// The same, compared with the start at times and smoothed (Bischof, Kraus 2021).
    ReLoBRaLo {
        /// Steps between two looks.
        every: u64,
        /// What is left of a weight after a look; the paper's α.
        decay: f64,
        /// The smaller, the more the slowest part weighs; the paper's 𝒯.
        temperature: f64,
        /// How often weights are compared with the start: the mean of the paper's ρ is one less this.
        lookback: f64,
    },
}

/// In which sense gradients of parts of a loss are equally large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GradientSize {
    /// As vectors they are as long as their mean (Wang, Sankaran, Wang, Perdikaris 2023).
    Norm,
    /// The mean slope of a condition is the largest slope of the equations (Wang, Teng, Perdikaris 2021, algorithm 1).
    Largest,
}

impl GradientSize {
    /// By the words that files have for them.
    pub const ALL: [(&'static str, GradientSize); 2] =
        [("norm", GradientSize::Norm), ("largest", GradientSize::Largest)];

    /// As problem files write it.
    pub fn name(self) -> &'static str {
        match self {
            GradientSize::Norm => "norm",
            GradientSize::Largest => "largest",
        }
    }
}

/// How often weights are looked at, and how fast they follow.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pacing {
    /// Steps between two looks.
    pub every: u64,
    /// What is left of a weight after a look.
    pub decay: f64,
}

impl Balance {
    /// The names and usual numbers of all that a file may ask for by name.
    pub const USUAL: [(&'static str, Balance); 6] = [
        ("rows", Balance::Rows),
        ("gradient-norm", Balance::GRADIENT_NORM),
        ("ntk", Balance::Ntk(Pacing { every: 1000, decay: 0.9 })),
        ("self-adaptive", Balance::SelfAdaptive { every: 100, rate: 0.1 }),
        ("softadapt", Balance::SoftAdapt { every: 100, strength: 0.1 }),
        ("relobralo", Balance::ReLoBRaLo { every: 100, decay: 0.9, temperature: 0.1, lookback: 0.1 }),
    ];

    /// What methods that follow the gradient get where nobody says which.
    pub const GRADIENT_NORM: Balance =
        Balance::GradientNorm { pacing: Pacing { every: 1000, decay: 0.9 }, by: GradientSize::Norm };

    /// As problem files write it.
    pub fn name(self) -> &'static str {
        match self {
            Balance::Off => "false",
            Balance::Usual => "true",
            Balance::Rows => "rows",
            Balance::GradientNorm { .. } => "gradient-norm",
            Balance::Ntk(_) => "ntk",
            Balance::SelfAdaptive { .. } => "self-adaptive",
            Balance::SoftAdapt { .. } => "softadapt",
            Balance::ReLoBRaLo { .. } => "relobralo",
        }
    }

    /// Steps between two looks, where they are equally far apart.
    pub fn every(self) -> Option<u64> {
        match self {
            Balance::Off | Balance::Usual | Balance::Rows => None,
            Balance::GradientNorm { pacing: Pacing { every, .. }, .. }
            | Balance::Ntk(Pacing { every, .. })
            | Balance::SelfAdaptive { every, .. }
            | Balance::SoftAdapt { every, .. }
            | Balance::ReLoBRaLo { every, .. } => Some(every),
        }
    }

    /// As problem files write it, with all numbers.
    pub fn written(self) -> String {
        let every = self.every().unwrap_or(0);
        let numbers = match self {
            Balance::Off | Balance::Usual => return self.name().to_owned(),
            Balance::Rows => return "true".to_owned(),
            Balance::GradientNorm { pacing: Pacing { decay, .. }, by } => {
                format!("decay = {decay:?}, by = \"{}\"", by.name())
            }
            Balance::Ntk(Pacing { decay, .. }) => format!("decay = {decay:?}"),
            Balance::SelfAdaptive { rate, .. } => format!("rate = {rate:?}"),
            Balance::SoftAdapt { strength, .. } => format!("strength = {strength:?}"),
            Balance::ReLoBRaLo { decay, temperature, lookback, .. } => {
                format!("decay = {decay:?}, temperature = {temperature:?}, lookback = {lookback:?}")
            }
        };
        format!("{{ kind = \"{}\", every = {every}, {numbers} }}", self.name())
    }
}
