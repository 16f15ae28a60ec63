//! How the process ends.

use crate::args::GpuArguments;
use crate::clean::{self, stderr};
use bench::{AccuracyError, BenchError};
use cohort::synthesize::RecipeError;
use cohort::{CohortError, TableError, TreeError};
use pinnace::export::ExportError;
use pinnace::{Device, Hardware, KernelError, RunError, TrainError};
use plot::PlotError;
use std::ffi::OsString;
use std::fmt;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// Done.
pub(crate) const DONE: ExitCode = ExitCode::SUCCESS;

/// Wrong usage or a wrong problem file; clap ends with the same code.
const WRONG_INPUT: u8 = 2;

/// Something got slower than it was.
pub(crate) const SLOWER: u8 = 3;

/// A solution that cannot be trusted, where that was to be an error.
pub(crate) const UNTRUSTED: u8 = 4;

/// Interrupted from the keyboard: 128 plus the number of SIGINT, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;

/// Arguments that do not go together, in a way that clap does not see.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Refuses what only a GPU has where there is none.
pub(crate) fn check_gpu(gpu: &GpuArguments, device: Device) -> Result<(), Usage> {
    let given = [("--memory-limit", gpu.memory_limit.is_some()), ("--compile", gpu.compile.is_some())];
    let first = given.into_iter().find(|(_, given)| *given);
    match (first, device.hardware()) {
        (None, _) | (Some(_), Hardware::Accelerator) => Ok(()),
        (Some((name, _)), Hardware::Cpu) => {
            Err(Usage(format!("{name} applies to GPUs only; this would run on `{device}`")))
        }
    }
}

/// Makes panics say that they are bugs, in few words.
pub(crate) fn speak_of_panics() {
    std::panic::set_hook(Box::new(|panic| {
        // A closed stderr is no reason to panic again.
        let _ = writeln!(stderr(), "pinnace: this is a bug, please report it: {panic}");
    }));
}

/// Shows help, or what is wrong with the arguments.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let strange = |argument: OsString| clean::line(&argument.to_string_lossy()) != argument.to_string_lossy();
    // A closed pipe is no failure here either. Colours are left out where arguments would bring their own.
    let _ = match std::env::args_os().any(strange) {
        true => write!(stderr(), "{}", error.render()),
        false => error.print(),
    };
    u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Reports an error, if there is one, and finds the exit code.
pub(crate) fn code(result: std::thread::Result<anyhow::Result<ExitCode>>) -> ExitCode {
    let error = match result {
        Ok(Ok(code)) => return code,
        Ok(Err(error)) => error,
        Err(_) => return ExitCode::FAILURE,
    };
    if is_closed_pipe(&error) {
        return DONE;
    }
    if error.is::<Usage>() {
        let _ = writeln!(stderr(), "pinnace: {error}");
        return ExitCode::from(WRONG_INPUT);
    }
    let code = of_cause(&error);
    if is_laid_out(&error) {
        let _ = write!(stderr(), "{error}");
    } else {
        let _ = writeln!(stderr(), "pinnace: {error:#}");
    }
    code
}

/// Whether a message is laid out for reading already, with file names, carets and a blank line at the end.
fn is_laid_out(error: &anyhow::Error) -> bool {
    matches!(
        (error.downcast_ref(), error.downcast_ref(), error.downcast_ref()),
        (Some(TrainError::Problem { .. }), _, _)
            | (_, Some(PlotError::Train(TrainError::Problem { .. })), _)
            | (_, _, Some(BenchError::Train(TrainError::Problem { .. })))
    )
}

fn of_cause(error: &anyhow::Error) -> ExitCode {
    if let Some(error) = error.downcast_ref::<TrainError>() {
        of_training(error)
    } else if let Some(error) = error.downcast_ref::<PlotError>() {
        of_picture(error)
    } else if let Some(error) = error.downcast_ref::<BenchError>() {
        of_measurement(error)
    } else if let Some(error) = error.downcast_ref::<CohortError>() {
        of_cohort(error)
    } else {
        ExitCode::FAILURE
    }
}

fn of_cohort(error: &CohortError) -> ExitCode {
    match error {
        CohortError::Table(TableError::Write { .. })
        | CohortError::Tree(TreeError::Write { .. })
        | CohortError::Recipe(RecipeError::Write { .. })
        | CohortError::Output(_) => ExitCode::FAILURE,
        CohortError::Table(_)
        | CohortError::TableText(_)
        | CohortError::Tree(_)
        | CohortError::TreeText(_)
        | CohortError::Metadata(_)
        | CohortError::Sequence(_)
        | CohortError::Rarefy(_)
        | CohortError::Ordination(_)
        | CohortError::Recipe(_)
        | CohortError::Metric(_)
        | CohortError::Memory(_) => ExitCode::from(WRONG_INPUT),
    }
}

fn of_picture(error: &PlotError) -> ExitCode {
    match error {
        PlotError::Train(error) => of_training(error),
        PlotError::Run(error) => of_run(error),
        PlotError::Resolution(_) => ExitCode::from(WRONG_INPUT),
        PlotError::Encoding(_) => ExitCode::FAILURE,
    }
}

fn of_measurement(error: &BenchError) -> ExitCode {
    match error {
        BenchError::Train(error) => of_training(error),
        BenchError::Kernel(error) => of_kernel(error),
        BenchError::Picture(error) => of_picture(error),
        BenchError::Case(_)
        | BenchError::Baseline(_)
        | BenchError::Accuracy(AccuracyError::Taken { .. } | AccuracyError::Different { .. }) => {
            ExitCode::from(WRONG_INPUT)
        }
        BenchError::Accuracy(AccuracyError::Read { .. } | AccuracyError::Write { .. })
        | BenchError::Refused(_)
        | BenchError::HostPoints { .. }
        | BenchError::Threads { .. } => ExitCode::FAILURE,
    }
}

fn of_training(error: &TrainError) -> ExitCode {
    match error {
        // Found wrong before training began: the input has to change.
        TrainError::Problem { .. }
        | TrainError::Unreadable { .. }
        | TrainError::Directory { .. }
        | TrainError::NoSuchProblem { .. }
        | TrainError::NoSuchBuiltIn { .. }
        | TrainError::Grid(_)
        | TrainError::Field(_)
        | TrainError::Export(ExportError::NoGrid { .. } | ExportError::TooManyCoordinates { .. })
        | TrainError::NotExact(_)
        | TrainError::Plan(_)
        | TrainError::Table(_)
        | TrainError::Reference(_)
        | TrainError::TooLarge { .. }
        | TrainError::Memory(_)
        | TrainError::NoSuchPhase { .. }
        | TrainError::Transfer(_)
        | TrainError::Override { .. }
        | TrainError::ThinShape { .. }
        | TrainError::SequenceEnds { .. }
        | TrainError::OtherTable { .. }
        | TrainError::BatchOfData { .. }
        | TrainError::NeedsF64 { .. }
        | TrainError::EmptyPlace { .. } => ExitCode::from(WRONG_INPUT),
        TrainError::Run(error) => of_run(error),
        TrainError::Kernel(error) => of_kernel(error),
        TrainError::NonFiniteResidual { .. }
        | TrainError::NonFiniteGradient { .. }
        | TrainError::Export(
            ExportError::Unwritable { .. } | ExportError::Unremovable { .. } | ExportError::Tensors(_),
        )
        | TrainError::NotSquares
        | TrainError::Misfit { .. }
        | TrainError::NoSuchWindow { .. }
        | TrainError::PointsUnkept { .. }
        | TrainError::PointsUnreadable { .. }
        | TrainError::Unmeasurable(_) => ExitCode::FAILURE,
    }
}

fn of_run(error: &RunError) -> ExitCode {
    match error {
        RunError::Read { .. }
        | RunError::NotARun { .. }
        | RunError::Taken { .. }
        | RunError::Changed { .. }
        | RunError::OnlyACheckpoint { .. } => ExitCode::from(WRONG_INPUT),
        RunError::Write { .. }
        | RunError::Busy { .. }
        | RunError::StrangeLock { .. }
        | RunError::Checkpoint { .. }
        | RunError::Unsavable(_) => ExitCode::FAILURE,
    }
}

fn of_kernel(error: &KernelError) -> ExitCode {
    match error {
        KernelError::Precision { .. } | KernelError::Level { .. } => ExitCode::from(WRONG_INPUT),
        KernelError::Misfit { .. }
        | KernelError::SolvesNothing { .. }
        | KernelError::Cuda(_)
        | KernelError::DrawsNothing { .. } => ExitCode::FAILURE,
    }
}

/// Whoever read our output has enough of it (`pinnace list | head -1`): that is no failure.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == ErrorKind::BrokenPipe)
}
