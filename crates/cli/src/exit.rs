//! How the process ends.

use crate::args::Gpu;
use crate::clean::{self, stderr};
use pinnace::bench::AccuracyError;
use pinnace::export::ExportError;
use pinnace::{Device, KernelError, RunError, TrainError};
use std::ffi::OsString;
use std::fmt;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// Done.
pub(crate) const DONE: ExitCode = ExitCode::SUCCESS;

/// Wrong usage or a wrong problem file; clap ends with the same code.
const WRONG_INPUT: u8 = 2;

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
pub(crate) fn check_gpu(gpu: &Gpu, device: Device) -> Result<(), Usage> {
    let given = [("--memory-limit", gpu.memory_limit.is_some()), ("--compile", gpu.compile.is_some())];
    let first = given.into_iter().find(|(_, given)| *given);
    match (first, device) {
        (None, _) | (Some(_), Device::Cuda) => Ok(()),
        (Some((name, _)), Device::Cpu | Device::Reference) => {
            Err(Usage(format!("{name} is about a GPU; this would run on `{device}`")))
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
    let code = match error.downcast_ref::<TrainError>() {
        Some(TrainError::Problem { .. }) => {
            // Already laid out for reading, with file names, carets and a blank line at the end.
            let _ = write!(stderr(), "{error}");
            return ExitCode::from(WRONG_INPUT);
        }
        // Found wrong before training began: the input has to change.
        Some(
            TrainError::Unreadable { .. }
            | TrainError::Directory { .. }
            | TrainError::NoSuchProblem { .. }
            | TrainError::NoSuchBuiltIn { .. }
            | TrainError::Grid(_)
            | TrainError::Field(_)
            | TrainError::Export(ExportError::NoGrid { .. } | ExportError::TooManyCoordinates { .. })
            | TrainError::Plan(_)
            | TrainError::Table(_)
            | TrainError::Reference(_)
            | TrainError::Case(_)
            | TrainError::Accuracy(AccuracyError::Taken { .. } | AccuracyError::Different { .. })
            | TrainError::Resolution(_)
            | TrainError::TooLarge { .. }
            | TrainError::Memory(_)
            | TrainError::EmptyPlace { .. }
            | TrainError::NoSuchPhase { .. }
            | TrainError::Run(
                RunError::Read { .. }
                | RunError::NotARun { .. }
                | RunError::Taken { .. }
                | RunError::Transfer(_)
                | RunError::Override { .. }
                | RunError::Changed { .. }
                | RunError::OnlyACheckpoint { .. },
            )
            | TrainError::Kernel(KernelError::Precision { .. } | KernelError::Level { .. }),
        ) => ExitCode::from(WRONG_INPUT),
        Some(
            TrainError::Kernel(
                KernelError::Misfit { .. } | KernelError::SolvesNothing { .. } | KernelError::Cuda(_),
            )
            | TrainError::NonFiniteResidual { .. }
            | TrainError::NonFiniteGradient { .. }
            | TrainError::Export(
                ExportError::Unwritable { .. } | ExportError::Unremovable { .. } | ExportError::Tensors(_),
            )
            | TrainError::NotSquares
            | TrainError::Picture(_)
            | TrainError::Misfit { .. }
            | TrainError::NoSuchWindow { .. }
            | TrainError::Run(
                RunError::Write { .. }
                | RunError::Busy { .. }
                | RunError::StrangeLock { .. }
                | RunError::Checkpoint { .. }
                | RunError::Unsavable(_),
            )
            | TrainError::Kernel(KernelError::DrawsNothing { .. })
            | TrainError::Accuracy(AccuracyError::Read { .. } | AccuracyError::Write { .. })
            | TrainError::Unmeasurable(_)
            | TrainError::Threads { .. },
        )
        | None => ExitCode::FAILURE,
    };
    let _ = writeln!(stderr(), "pinnace: {error:#}");
    code
}

/// Whoever read our output has enough of it (`pinnace list | head -1`): that is no failure.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == ErrorKind::BrokenPipe)
}
