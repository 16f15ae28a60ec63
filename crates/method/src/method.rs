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
    /// L-BFGS (Nocedal 1980). It finds its own step length.
    Lbfgs {
        /// Steps that its model of the curvature is made of.
        memory: usize,
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

    /// As problem files write it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Adam => "adam",
            Method::AdamW { .. } => "adamw",
            Method::Lbfgs { .. } => "lbfgs",
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
            Method::Lbfgs { .. } => "L-BFGS",
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
}

impl Method {
    /// What follows from the method where nobody says otherwise. What is left open gets what Gauss-Newton gets.
    pub fn traits(self) -> Traits {
        match self {
            Method::Adam | Method::AdamW { .. } => Traits {
                order: Order::First,
                points: Some(2048),
                resample: 0,
                gaps: Gaps::FreshPoints,
                gathers: false,
                steps: 5000,
                ends_at_noise: false,
                steps_per_measurement: 100,
                steps_per_look: 20,
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
            },
        }
    }
}
