//! What `train` and `resume` share: training someone can watch, interrupt and read about.

use crate::args::Manner;
use crate::clean::stderr;
use crate::terminal::{Style, Terminal};
use crate::{decisions, exit, json, plot, report, trust};
use anyhow::Context;
use pinnace::run::Folder;
use pinnace::{Concern, Experiment, Snapshot, Stopped, TrainError, Trained};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by Ctrl-C, SIGTERM and SIGHUP: training ends after the current step.
static STOP: AtomicBool = AtomicBool::new(false);

/// What training was asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Its end, whatever it states.
    End,
    /// More steps, or more time.
    More,
}

/// Trains from `now` to the end and reports; into a folder, if there is one.
pub(crate) fn train(
    experiment: &Experiment,
    mut now: Snapshot,
    mut folder: Option<Folder>,
    (asked, manner): (Asked, &Manner),
    output: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    exit::check_gpu(&manner.gpu, experiment.device())?;
    let experiment = in_manner(experiment.clone(), manner).estimating(!manner.no_estimate);
    let experiment = &if manner.anomaly { experiment.stopping_at_faults() } else { experiment };
    let stop = listen_for_interruption()?;
    let before = now.steps;
    let mut terminal = Terminal::new(Style::choose(manner.quiet, manner.plain));
    // Until the pictures are drawn.
    let claim = experiment.machine_use().claim();
    experiment
        .notes()
        .iter()
        .chain(&claim.notices)
        .chain(&decisions::lines(experiment))
        .for_each(|line| terminal.say(line));
    let trained = match &mut folder {
        Some(folder) => folder.train(experiment, &mut now, stop, &mut terminal),
        None => experiment.train_from(&mut now, stop, &mut terminal),
    };
    let trained = match (trained, folder.take()) {
        (Ok(trained), kept) => {
            folder = kept;
            trained
        }
        (Err(error), Some(folder)) => return Err(ended_early(error, folder, now.steps)),
        (Err(error), None) => return Err(error.into()),
    };
    let run = folder.as_ref().map(|folder| folder.path());
    let mut warnings = warnings(&trained, folder.as_ref());
    if manner.workers.is_some() && !experiment.visits_batches() {
        let what = "--workers has no effect: no step visits a batch (state training.batch, or `batch` of a table in [data])";
        warnings.push(what.to_owned());
    }
    let idle = run.filter(|_| asked == Asked::More && trained.steps == before);
    warnings.extend(idle.and_then(|run| used_up(&trained, run)));
    if manner.json {
        json::write(experiment, &trained, run, &warnings, output)?;
    } else {
        report::write(experiment, &trained, run, &warnings, output)?;
    }
    if !warnings.is_empty() {
        output.flush()?;
    }
    for warning in &warnings {
        // A closed stderr is no reason to hide the exit code.
        let _ = writeln!(stderr(), "pinnace: warning: {warning}");
    }
    if let Some(error) = folder.as_ref().and_then(|folder| folder.trouble()) {
        output.flush()?;
        // A closed stderr is no reason to hide the exit code.
        let _ = writeln!(stderr(), "pinnace: the run is not complete: {error}");
        return Ok(ExitCode::FAILURE);
    }
    // Whoever interrupts does not want to wait; `pinnace plot` draws the same at any time.
    if let Some(run) = run.filter(|_| !manner.no_plots && trained.stopped != Stopped::Interrupted) {
        output.flush()?;
        if let Err(error) = plot::draw_into(run) {
            let _ = writeln!(stderr(), "pinnace: the run has no pictures: {error}");
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(match trained.stopped {
        Stopped::Interrupted => ExitCode::from(exit::INTERRUPTED),
        Stopped::Steps
        | Stopped::Seconds
        | Stopped::Loss
        | Stopped::Plateau
        | Stopped::Noise
        | Stopped::TargetError
        | Stopped::GradientVanished { .. }
        | Stopped::NoDescent { .. } => match trained.descent.has_diverged() {
            true => ExitCode::FAILURE,
            false => trust::code(trained.estimate.as_ref(), manner.strict),
        },
    })
}

/// With what the command line says of how to compute.
pub(crate) fn in_manner(experiment: Experiment, manner: &Manner) -> Experiment {
    let experiment = experiment.within(manner.gpu.memory_limit);
    let experiment = experiment.with_workers(manner.workers.map(usize::from));
    match manner.gpu.compile {
        Some(compile) => experiment.compiled(compile),
        None => experiment,
    }
}

/// What the level of the experiment finds to be the fastest, told while it is looked for.
pub(crate) fn measured(experiment: Experiment, manner: &Manner) -> Result<Experiment, TrainError> {
    let terminal = Terminal::new(Style::choose(manner.quiet, manner.plain));
    experiment.improved(&[], &mut |line| terminal.say(line))
}

/// Makes writing beyond a limit on the size of files an error like that of a full disk, which training survives, and
/// not the end of the process. Called before there are other threads: they start with what this one blocks.
#[cfg(unix)]
pub(crate) fn outlive_file_size_limits() {
    use nix::sys::signal::{SigSet, Signal};
    // Where that cannot be had, everything else still works.
    let _ = SigSet::from(Signal::SIGXFSZ).thread_block();
}

#[cfg(not(unix))]
pub(crate) fn outlive_file_size_limits() {}

/// Says what is left of a run that went wrong. One that never took a step is none: nothing of it is left.
fn ended_early(error: TrainError, folder: Folder, steps: u64) -> anyhow::Error {
    let path = folder.path().display().to_string();
    let trouble = folder.path().join("trouble");
    let proof = if trouble.is_dir() {
        format!("; the state where it went wrong is in {}", trouble.display())
    } else {
        String::new()
    };
    let left = match (folder.is_new() && steps == 0, folder.newest()) {
        (true, _) => match folder.discard() {
            Ok(()) => "no step was taken, and no run was kept".to_owned(),
            Err(cause) => format!("no step was taken, and the run cannot be removed ({cause})"),
        },
        (false, Some(step)) => {
            format!("training ended early; the run is in {path}, up to step {step}{proof}")
        }
        (false, None) => format!("training ended early; the run is in {path}{proof}"),
    };
    anyhow::Error::new(error).context(left)
}

/// What is wrong with a result, and which of its states a run will be taken at.
fn warnings(trained: &Trained, folder: Option<&Folder>) -> Vec<String> {
    let Some(concern) = trained.descent.concern() else { return Vec::new() };
    let best = folder.and_then(|folder| Some((folder.best()?, report::quoted(folder.path()))));
    let kept = match (concern, best) {
        (Concern::Diverged { .. }, Some((step, run))) => format!(
            "; the report describes this state; `resume`, `evaluate`, `export` and `plot` use the best saved state, after step {step}: \
             pinnace resume {run} --set training.learning_rate=... continues from there with smaller steps"
        ),
        (Concern::Risen { .. }, Some((step, run))) => {
            format!("; the best saved state, after step {step}, is {run}/checkpoints/best.safetensors")
        }
        (Concern::Diverged { .. }, None) => "; try a smaller training.learning_rate".to_owned(),
        (Concern::Risen { .. }, None) => String::new(),
    };
    vec![format!("{concern}{kept}")]
}

/// What is said of a run that was asked for more, and has used up its budget before. Other ends name themselves in the report.
fn used_up(trained: &Trained, run: &Path) -> Option<String> {
    let budget = match trained.stopped {
        Stopped::Steps => "its budget of steps is used up",
        Stopped::Seconds => "its budget of time is used up",
        Stopped::Loss => "its loss is below the bound of its budget",
        Stopped::Plateau
        | Stopped::Noise
        | Stopped::TargetError
        | Stopped::Interrupted
        | Stopped::GradientVanished { .. }
        | Stopped::NoDescent { .. } => return None,
    };
    let (steps, run) = (trained.steps, report::quoted(run));
    Some(format!(
        "no step was taken: the run is at step {steps}, and {budget}; `pinnace resume {run} --steps N` counts all steps of the run: \
         give more than {steps}, or another --budget"
    ))
}

/// What Ctrl-C, SIGTERM and SIGHUP set from now on.
pub(crate) fn listen_for_interruption() -> anyhow::Result<&'static AtomicBool> {
    ctrlc::set_handler(interrupt).context("cannot listen for Ctrl-C")?;
    Ok(&STOP)
}

#[expect(clippy::exit, reason = "a second Ctrl-C means now, from a thread that cannot return a code")]
fn interrupt() {
    if STOP.swap(true, Ordering::Relaxed) {
        std::process::exit(i32::from(exit::INTERRUPTED));
    }
}
