//! What can go wrong between a problem file and a trained network: one enum for all, and those that it is made of. Rooms
//! import errors, errors import no rooms.

mod change;
mod export;
mod grid;
mod spot;
mod table;
mod transfer;

pub use change::ChangeRefusal;
pub use export::ExportError;
pub use grid::GridError;
pub(crate) use grid::LARGEST_GRID;
pub use spot::Spot;
pub(crate) use table::Faults;
pub use table::{Counted, TableError, TableFault};
pub use transfer::TransferError;

use crate::memory::{MemoryError, show};
use equation::parse::Diagnostics;
use equation::problem::{FieldNameError, NotExact, Sampler};
use equation::taylor::PlanError;
use kernel::{KernelError, Precision};
use reference::ReferenceError;
use std::path::PathBuf;
use train::folder::RunError;
use train::trainer::LoopFault;
use train::{Refusal, StateError};

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
    /// A directory where a problem file is wanted.
    #[error("{} is a directory: name a problem file{}", path.display(), inside.as_ref().map(|file| format!(", such as {}", file.display())).unwrap_or_default())]
    Directory {
        /// Which.
        path: PathBuf,
        /// A problem file in it.
        inside: Option<PathBuf>,
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
    /// No built-in problem is called that.
    #[error("there is no built-in problem `{name}`{}", suggestion(*nearest))]
    NoSuchBuiltIn {
        /// As the user wrote it.
        name: String,
        /// The built-in name that looks most like it.
        nearest: Option<&'static str>,
    },
    /// A text is no grid of the problem.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A name is no field of the problem.
    #[error(transparent)]
    Field(#[from] FieldNameError),
    /// A solution cannot be written for others.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A condition that is stated to be exact cannot be.
    #[error(transparent)]
    NotExact(#[from] NotExact),
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
    #[error(
        "condition `{condition}` holds nowhere: all points that were tried lie outside of its `where`, or of the shape"
    )]
    EmptyPlace {
        /// Which condition.
        condition: String,
    },
    /// Nearly nothing of the box around a shape lies in it.
    #[error(
        "the shape has only {share:.1e} of the box around it: too few points of {} would lie inside; divide the problem, or choose coordinates along the shape",
        if *in_cells { "the small cells that may meet it" } else { "the box" }
    )]
    ThinShape {
        /// Its share of the box.
        share: f64,
        /// Whether points were looked for in cells around the shape alone.
        in_cells: bool,
    },
    /// A sequence has fewer points than are to be drawn, or looked at.
    #[error(
        "sampling: the sequence `{}` has {length} points, and more are needed (on a shape, those outside count, too); write `sampling = [\"sobol\"]`, which has more",
        sampler.name()
    )]
    SequenceEnds {
        /// Where points come from.
        sampler: Sampler,
        /// As many as it has.
        length: u64,
    },
    /// A residual became infinite or no number; the parameters are those before this step.
    #[error("{}: `{residual}` in `{term}` {}{}{}", moment(*step), spot.as_ref().map_or_else(|| "is not finite".to_owned(), Spot::to_string), origin.as_ref().map(|origin| format!(", first in {origin}")).unwrap_or_default(), residual_advice(*step, *precision))]
    NonFiniteResidual {
        /// Steps taken before.
        step: u64,
        /// In which numbers it was computed.
        precision: Precision,
        /// The term's name.
        term: String,
        /// The equation's name.
        residual: String,
        /// Where, if it is known.
        spot: Option<Spot>,
        /// Where on the way through the network numbers go wrong first, if they do.
        origin: Option<Box<str>>,
    },
    /// A method for sums of squares was given another loss.
    #[error("the loss is not a sum of squares: Gauss-Newton does not apply")]
    NotSquares,
    /// A method that keeps a matrix of all parameters was given too many of them.
    #[error(
        "ssbroyden keeps a matrix of all parameters: {parameters} are too many, at most {most}; use lbfgs, or a smaller network"
    )]
    TooLarge {
        /// Of the network and the problem.
        parameters: usize,
        /// What it takes.
        most: usize,
    },
    /// All residuals are finite but their gradient is not.
    #[error("{}: the gradient of the loss is not finite{}{}", moment(*step), origin.as_ref().map(|origin| format!(", first {origin}")).unwrap_or_default(), gradient_advice(*step, *precision))]
    NonFiniteGradient {
        /// Steps taken before.
        step: u64,
        /// In which numbers it was computed.
        precision: Precision,
        /// Which part of it at which point, if it is known.
        origin: Option<Box<str>>,
    },
    /// A saved state is not one of the phase's method.
    #[error("the saved state does not fit phase {}: {cause}; was its optimizer changed?", phase + 1)]
    Misfit {
        /// Which phase, from 0.
        phase: usize,
        /// What does not fit.
        cause: StateError,
    },
    /// A saved state is in a phase that the problem does not have.
    #[error("the saved state is in phase {}, the problem has {phases}: state at least as many, or start a new run from its weights with `pinnace train PROBLEM --from RUN`", phase + 1)]
    NoSuchPhase {
        /// Which phase, from 0.
        phase: usize,
        /// How many there are.
        phases: usize,
    },
    /// A saved state is in a window that the problem does not have.
    #[error("the saved state is in window {}, the problem has {windows}", window + 1)]
    NoSuchWindow {
        /// Which window, from 0.
        window: usize,
        /// How many there are.
        windows: usize,
    },
    /// The machine has too little memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The folder of a run cannot be read or written.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Another run does not fit this problem.
    #[error(transparent)]
    Transfer(#[from] TransferError),
    /// An override that would make another run of it.
    #[error("`{text}` {reason}")]
    Override {
        /// As the user wrote it.
        text: String,
        /// Why.
        reason: ChangeRefusal,
    },
    /// A run goes on, and a table that it reads while it trains is another one than before.
    #[error(
        "{} is not the table that this run was trained on: its length or its rows have changed; put the former file back, or train anew",
        path.display()
    )]
    OtherTable {
        /// The file.
        path: PathBuf,
    },
    /// A disk does not take points that follow residuals.
    #[error(
        "the points that follow residuals take {} so far, in a temporary file on the disk of {}, which cannot be written ({cause}): make room there, or \
         raise performance.point_memory, the bytes that they may take in memory; a run goes on with `pinnace resume`",
        show(*bytes), folder.display()
    )]
    PointsUnkept {
        /// Where the file is.
        folder: PathBuf,
        /// Bytes that it has, or would have.
        bytes: u64,
        /// What the system says.
        cause: std::io::Error,
    },
    /// A disk does not give them back.
    #[error("a temporary file on the disk of {} cannot be read ({cause}): a run goes on with `pinnace resume`", folder.display())]
    PointsUnreadable {
        /// Where the file is.
        folder: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// A method for which a precision has too few digits.
    #[error(
        "{method} takes differences of gradients, which have no digits left in {precision}: state `precision = \"f64\"`, or another \
         `optimizer`, such as \"lbfgs\""
    )]
    NeedsF64 {
        /// The method as people call it.
        method: &'static str,
        /// What it was to be computed in.
        precision: Precision,
    },
    /// Measurements in batches, and a method that needs all of them.
    #[error(
        "[data] {data} states a `batch`, which is for methods that follow the gradient, such as `adam` and `adamw`: {method} compares losses at successive steps, which needs the \
         same rows; state `optimizer = \"adam\"`, or leave `batch` out"
    )]
    BatchOfData {
        /// The name of the table.
        data: String,
        /// The method as people call it.
        method: &'static str,
    },
    /// The loss is no basis for a step that was to be measured, or for one of a method from outside.
    #[error("no step can be taken: {0}")]
    Unmeasurable(#[from] Refusal),
}

impl TrainError {
    /// Whether a loss or a gradient was not finite.
    pub(crate) fn is_non_finite(&self) -> bool {
        matches!(self, TrainError::NonFiniteResidual { .. } | TrainError::NonFiniteGradient { .. })
    }
}

impl From<LoopFault> for TrainError {
    fn from(fault: LoopFault) -> Self {
        match fault {
            LoopFault::Misfit { phase, cause } => TrainError::Misfit { phase, cause },
            LoopFault::NoSuchPhase { phase, phases } => TrainError::NoSuchPhase { phase, phases },
        }
    }
}

fn moment(step: u64) -> String {
    if step == 0 { "before the first step".to_owned() } else { format!("step {step}") }
}

/// No step has been taken where `step` is 0: a smaller one cannot help.
fn residual_advice(step: u64, precision: Precision) -> String {
    match step {
        0 => format!(
            ": look for divisions by zero, logarithms and roots of negative numbers, or numbers too large for {precision}"
        ),
        _ => {
            "; try a smaller learning rate, or look for divisions by zero and roots of negative numbers in it"
                .to_owned()
        }
    }
}

fn gradient_advice(step: u64, precision: Precision) -> String {
    match step {
        0 => format!(": look for roots and powers of zero, or numbers too large for {precision}"),
        _ => "; try a smaller learning rate or smaller weights".to_owned(),
    }
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}
