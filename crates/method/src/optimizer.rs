//! Optimization methods by name.

/// An optimization method.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Optimizer {
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
        /// In which numbers a GPU adds them up.
        products: Products,
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

/// In which numbers a GPU multiplies the rows of a Gauss-Newton step with each other. Other devices do so in f64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Products {
    /// In f64.
    Exact,
    /// In half precision where damping is far above its error, in f64 elsewhere.
    Short,
}

impl Products {
    /// All of them.
    pub const ALL: [Products; 2] = [Products::Exact, Products::Short];

    /// As problem files write it.
    pub fn name(self) -> &'static str {
        match self {
            Products::Exact => "exact",
            Products::Short => "short",
        }
    }
}

impl Optimizer {
    /// Gauss-Newton with everything left open.
    pub const GAUSS_NEWTON: Optimizer =
        Optimizer::GaussNewton { solver: Solver::Auto, products: Products::Exact };

    /// As people call it.
    pub fn title(self) -> &'static str {
        match self {
            Optimizer::Auto => "auto",
            Optimizer::Adam => "Adam",
            Optimizer::AdamW { .. } => "AdamW",
            Optimizer::Lbfgs { .. } => "L-BFGS",
            Optimizer::SsBroyden => "SSBroyden",
            Optimizer::GaussNewton { .. } => "Gauss-Newton",
        }
    }
}
