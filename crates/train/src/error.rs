//! What can go wrong between a problem file and a trained network.

use crate::Refusal;
use crate::bench::CaseError;
use crate::reference::ReferenceError;
use crate::table::TableError;
use equation::parse::Diagnostics;
use equation::taylor::PlanError;
use kernel::KernelError;
use std::path::PathBuf;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The problem file cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// The problem file is wrong, in all these places.
    #[error("{}", diagnostics.render(file))]
    Problem {
        /// How the user called the file.
        file: String,
        /// Every mistake with its place.
        diagnostics: Diagnostics,
    },
    /// The name is neither a file nor a built-in problem.
    #[error("`{name}`: no such file, and no built-in problem of that name{}", suggestion(*nearest))]
    NoSuchProblem {
        /// As the user wrote it.
        name: String,
        /// The built-in name that looks most like it.
        nearest: Option<&'static str>,
    },
    /// The problem cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The plan cannot be run.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A data file is missing or wrong.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The reference solution cannot be computed.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    /// A condition's filters leave no point of its place.
    #[error("condition `{condition}` holds nowhere: its filter left none of the points that were tried")]
    EmptyPlace {
        /// Which condition.
        condition: String,
    },
    /// A residual became infinite or no number; the parameters are those before this step.
    #[error(
        "step {step}: `{residual}` in `{term}` is not finite; try a smaller learning rate, or look for divisions by zero and roots of negative numbers in it"
    )]
    NonFiniteResidual {
        /// Steps taken before.
        step: u64,
        /// The term's name.
        term: String,
        /// The equation's name.
        residual: String,
    },
    /// All residuals are finite but their gradient is not.
    #[error(
        "step {step}: the gradient of the loss is not finite; try a smaller learning rate or smaller weights"
    )]
    NonFiniteGradient {
        /// Steps taken before.
        step: u64,
    },
    /// A step that was to be measured is no step.
    #[error("the step cannot be measured: {0}")]
    Unmeasurable(#[from] Refusal),
    /// The starting line of a comparison cannot be read.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// The system does not give that many threads.
    #[error("cannot start {threads} threads")]
    Threads {
        /// How many were asked for.
        threads: usize,
    },
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}
