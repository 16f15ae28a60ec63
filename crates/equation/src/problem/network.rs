//! The network as the file describes it.

/// A network from coordinates to unknowns.
#[derive(Clone, Debug)]
pub struct Network {
    /// How layers are wired.
    pub kind: NetworkKind,
    /// Neurons per hidden layer.
    pub width: usize,
    /// How few they may become where a stated time affords no more; as many where nothing is said.
    pub least_width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// The nonlinearity between layers.
    pub activation: Activation,
    /// Distribution of the starting weights.
    pub initialization: Initialization,
    /// Maps every coordinate's interval to [-1, 1] first.
    pub normalize: bool,
    /// Coordinates that enter through sines and cosines of their own period.
    pub periodic: Vec<Periodic>,
    /// Random Fourier features of the coordinates that are not periodic.
    pub fourier: Option<Fourier>,
    /// Hidden layers are factors times matrices, both of which train.
    pub factorization: Option<RandomFactors>,
    /// Slopes in front of activations train.
    pub slopes: Option<TrainedSlopes>,
    /// Products that a separable network sums up; as many as it is wide where nothing is said.
    pub rank: Option<usize>,
}

/// How layers are wired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NetworkKind {
    /// A plain chain of layers.
    Mlp,
    /// Two encoders of the input gate every hidden layer (Wang, Teng, Perdikaris 2021).
    Modified,
    /// From the second hidden layer on, every two layers add their input to their output; needs a depth
    /// of three to differ from a plain chain.
    Residual,
    /// Gated blocks of three layers whose residual connections learn how much of the block to take (PirateNet: Wang, Li,
    /// Chen, Perdikaris 2024).
    Pirate,
    /// A network for each coordinate; the outputs of all are multiplied (SPINN: Cho et al. 2023).
    Separable,
}

impl NetworkKind {
    /// As written in a problem file.
    pub fn name(self) -> &'static str {
        match self {
            NetworkKind::Mlp => "mlp",
            NetworkKind::Modified => "modified-mlp",
            NetworkKind::Residual => "residual",
            NetworkKind::Pirate => "piratenet",
            NetworkKind::Separable => "separable",
        }
    }
}

impl Activation {
    /// As written in a problem file.
    pub fn name(self) -> &'static str {
        match self {
            Activation::Tanh => "tanh",
            Activation::Sin => "sin",
            Activation::Gelu => "gelu",
            Activation::Silu => "silu",
        }
    }
}

/// A nonlinearity between layers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "each variant is the function of that name")]
pub enum Activation {
    Tanh,
    Sin,
    Gelu,
    Silu,
}

/// Distribution of the starting weights.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Initialization {
    /// As [`Self::Glorot`], with biases that are not zero and a first layer twice as steep.
    Spread,
    /// Uniform with variance 2/(inputs + outputs).
    Glorot,
    /// Uniform with variance 2/inputs.
    He,
    /// For `sin`: the first layer spans this many radians per unit input (Sitzmann et al. 2020).
    Siren {
        /// The paper's omega_0.
        frequency: f64,
    },
}

/// A coordinate on a circle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Periodic {
    /// Which coordinate.
    pub axis: usize,
    /// Sines and cosines of 1 … this many waves per period.
    pub harmonics: usize,
}

/// Random Fourier features (Tancik et al. 2020).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fourier {
    /// Random directions; each gives a sine and a cosine.
    pub features: usize,
    /// Standard deviation of the wave numbers, in waves per (normalised) unit.
    pub scale: f64,
}

/// Random weight factorisation (Wang, Wang, Seidman, Perdikaris 2022): the factors of neurons start as exponentials of a
/// normal distribution.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RandomFactors {
    /// Mean of the logarithms.
    pub mean: f64,
    /// Standard deviation of the logarithms.
    pub deviation: f64,
}

/// Which neurons have a trainable slope in front of their activation in common (Jagtap, Kawaguchi, Karniadakis 2020).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrainedSlopes {
    /// Those of a layer.
    Layer,
    /// None: each has its own.
    Neuron,
}
