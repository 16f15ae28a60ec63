//! Optimization methods by name.

/// An optimization method.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Method {
    /// Whatever suits the network: settled when its size is known.
    Auto,
    /// Adam (Kingma, Ba 2015).
    Adam,
    /// Adam with decoupled weight decay (Loshchilov, Hutter 2019).
    AdamW {
        /// Share of every weight that a step of length one takes away.
        weight_decay: f64,
    },
    /// Gradient descent with momentum (Polyak 1964; Sutskever, Martens, Dahl, Hinton 2013).
    Sgd {
        /// Share of the velocity that is left after a step.
        momentum: f64,
        /// Whether a step looks ahead along the velocity (Nesterov 1983).
        nesterov: bool,
    },
    /// RMSProp (Tieleman, Hinton 2012).
    RmsProp {
        /// Decay of the running mean of the gradient's square.
        square_decay: f64,
        /// Share of the velocity that is left after a step.
        momentum: f64,
    },
    /// SOAP (Vyas et al. 2024): Adam in the eigenbases of Shampoo.
    Soap {
        /// Steps between two looks for other bases.
        precondition_every: usize,
    },
    /// Muon (Jordan et al. 2024): momentum whose matrices are made orthogonal.
    Muon {
        /// Share of the velocity that is left after a step.
        momentum: f64,
    },
    /// L-BFGS (Nocedal 1980). It finds its own step length.
    Lbfgs {
        /// Steps that its model of the curvature is made of.
        memory: usize,
    },
    /// NysNewton-CG (Rathore et al. 2024). It finds its own step length.
    NysNewtonCg {
        /// What is added to the curvature.
        damping: f64,
        /// Rank of the preconditioner.
        rank: usize,
        /// Steps between two preconditioners.
        precondition_every: usize,
    },
    /// Self-scaled Broyden (Al-Baali, Khalfan 2005). It finds its own step length.
    SsBroyden,
    /// Gauss-Newton, damped (Levenberg 1944, Marquardt 1963). It finds its own step length.
    GaussNewton {
        /// How its linear equations are solved.
        solver: Solver,
    },
}

/// How the linear equations of a Gauss-Newton step are solved. All look for the same step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Solver {
    /// In whatever way is cheapest for the number of rows and parameters.
    Auto,
    /// JᵀJ, of the size of the parameters, and its Cholesky factor.
    NormalEquations,
    /// JJᵀ, of the size of the rows, and its Cholesky factor (Woodbury 1950).
    Woodbury,
    /// Products with J and Jᵀ alone (Hestenes, Stiefel 1952).
    ConjugateGradients,
    /// A few of those, in terms of the equations of fewer rows: sums of all rows with random signs (Clarkson, Woodruff 2013).
    Sketch,
    /// JᵀJ of a random subspace of the parameters, another one at every step (Cartis, Fowkes, Shao 2022).
    Subspace,
}

impl Solver {
    /// All of them.
    pub const ALL: [Solver; 6] = [
        Solver::Auto,
        Solver::NormalEquations,
        Solver::Woodbury,
        Solver::ConjugateGradients,
        Solver::Sketch,
        Solver::Subspace,
    ];

    /// As problem files write it.
    pub fn name(self) -> &'static str {
        match self {
            Solver::Auto => "auto",
            Solver::NormalEquations => "normal-equations",
            Solver::Woodbury => "woodbury",
            Solver::ConjugateGradients => "conjugate-gradients",
            Solver::Sketch => "sketch",
            Solver::Subspace => "subspace",
        }
    }
}

impl Method {
    /// Gauss-Newton with everything left open.
    pub const GAUSS_NEWTON: Method = Method::GaussNewton { solver: Solver::Auto };

    /// Gradient descent with the momentum that the literature takes.
    pub const SGD: Method = Method::Sgd { momentum: 0.9, nesterov: false };

    /// SOAP with the frequency of its paper.
    pub const SOAP: Method = Method::Soap { precondition_every: 10 };

    /// Muon with the momentum of its authors.
    pub const MUON: Method = Method::Muon { momentum: 0.95 };

    /// NysNewton-CG with the numbers of its paper.
    pub const NNCG: Method = Method::NysNewtonCg { damping: 1e-2, rank: 60, precondition_every: 20 };

    /// RMSProp with the decay that the literature takes, and no momentum.
    pub const RMSPROP: Method = Method::RmsProp { square_decay: 0.99, momentum: 0.0 };

    /// As problem files write it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Adam => "adam",
            Method::AdamW { .. } => "adamw",
            Method::Sgd { .. } => "sgd",
            Method::RmsProp { .. } => "rmsprop",
            Method::Soap { .. } => "soap",
            Method::Muon { .. } => "muon",
            Method::Lbfgs { .. } => "lbfgs",
            Method::NysNewtonCg { .. } => "nncg",
            Method::SsBroyden => "ssbroyden",
            Method::GaussNewton { .. } => "gauss-newton",
        }
    }

    /// As people call it.
    pub fn title(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Adam => "Adam",
            Method::AdamW { .. } => "AdamW",
            Method::Sgd { .. } => "SGD",
            Method::RmsProp { .. } => "RMSProp",
            Method::Soap { .. } => "SOAP",
            Method::Muon { .. } => "Muon",
            Method::Lbfgs { .. } => "L-BFGS",
            Method::NysNewtonCg { .. } => "NysNewton-CG",
            Method::SsBroyden => "SSBroyden",
            Method::GaussNewton { .. } => "Gauss-Newton",
        }
    }
}

/// What a method sees of the loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The gradient alone: digits beyond those of f32 are of no use to it.
    First,
    /// Gradients, of whose changes it learns the curvature.
    Quasi,
    /// All rows: it solves linear equations in every step.
    Second,
}

/// What a method does about gaps between points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gaps {
    /// Nothing: its points change anyway.
    Nothing,
    /// It gets fresh points at every step.
    FreshPoints,
    /// It needs the same points, and gets one per parameter up to a bound.
    PointPerParameter,
}

/// What is decided by the method where a file leaves it open: one line per method, so that a new one is asked for all of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Traits {
    /// What it sees of the loss.
    pub order: Order,
    /// Points inside the domain, where their number does not follow from that of the parameters.
    pub points: Option<usize>,
    /// Steps between two draws of fresh points; zero keeps the first ones.
    pub resample: u64,
    /// What changes where there are so many coordinates that some thousand points leave gaps.
    pub gaps: Gaps,
    /// Whether points gather where residuals are large.
    pub gathers: bool,
    /// Steps after which patience ends.
    pub steps: u64,
    /// Whether training ends when measurements fit to their noise. Steps that a device takes by itself are not looked at one by one.
    pub ends_at_noise: bool,
    /// Steps between two measurements of the error, for budgets that wait for one: about as much work as a measurement.
    pub steps_per_measurement: u64,
    /// Steps between two looks at residuals by which points are weighed.
    pub steps_per_look: u64,
    /// Whether its steps are taken on the host, wherever gradients come from.
    pub on_host: bool,
    /// Whether it takes differences of gradients, which have no digits left in less than f64.
    pub needs_f64: bool,
}

impl Method {
    /// What follows from the method where nobody says otherwise. What is left open gets what Gauss-Newton gets.
    pub fn traits(self) -> Traits {
        match self {
            Method::Soap { .. } | Method::Muon { .. } => Traits { on_host: true, ..Method::Adam.traits() },
            Method::Adam | Method::AdamW { .. } | Method::Sgd { .. } | Method::RmsProp { .. } => Traits {
                order: Order::First,
                points: Some(2048),
                resample: 0,
                gaps: Gaps::FreshPoints,
                gathers: false,
                steps: 5000,
                ends_at_noise: false,
                steps_per_measurement: 100,
                steps_per_look: 20,
                on_host: false,
                needs_f64: false,
            },
            // A step takes as long as a hundred of theirs.
            Method::NysNewtonCg { .. } => Traits {
                steps: 300,
                steps_per_measurement: 1,
                steps_per_look: 5,
                on_host: true,
                needs_f64: true,
                ..Method::Lbfgs { memory: 0 }.traits()
            },
            Method::Lbfgs { .. } => Traits {
                order: Order::Quasi,
                points: Some(2048),
                resample: 0,
                gaps: Gaps::PointPerParameter,
                gathers: false,
                steps: 5000,
                ends_at_noise: true,
                steps_per_measurement: 20,
                steps_per_look: 100,
                on_host: false,
                needs_f64: false,
            },
            // It fits any fixed points, and what it knows outlives them: fresh ones now and then.
            Method::SsBroyden => Traits {
                order: Order::Quasi,
                points: Some(4096),
                resample: 100,
                gaps: Gaps::Nothing,
                gathers: true,
                steps: 5000,
                ends_at_noise: true,
                steps_per_measurement: 20,
                steps_per_look: 100,
                on_host: false,
                needs_f64: false,
            },
            Method::Auto | Method::GaussNewton { .. } => Traits {
                order: Order::Second,
                points: None,
                resample: 1,
                gaps: Gaps::Nothing,
                gathers: true,
                steps: 600,
                ends_at_noise: true,
                steps_per_measurement: 1,
                steps_per_look: 5,
                on_host: false,
                needs_f64: false,
            },
        }
    }
}
