//! What `train` and `resume` share: training someone can watch, interrupt and read about.

use crate::args::Manner;
use crate::decisions::decisions;
use crate::terminal::{Style, Terminal};
use crate::{exit, json, plot, report};
use anyhow::Context;
use pinnace::run::Folder;
use pinnace::{Experiment, Snapshot, Stopped};
use std::io::{Write, stderr};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by Ctrl-C, SIGTERM and SIGHUP: training ends after the current step.
static STOP: AtomicBool = AtomicBool::new(false);

/// Trains from `now` to the end and reports; into a folder, if there is one.
pub(crate) fn train(
    experiment: &Experiment,
    mut now: Snapshot,
    mut folder: Option<Folder>,
    manner: &Manner,
    output: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    exit::check_gpu(&manner.gpu, experiment.device())?;
    let compile = manner.gpu.compile.unwrap_or_default();
    let experiment = &experiment.clone().within(manner.gpu.memory_limit).compiled(compile);
    let stop = listen_for_interruption()?;
    let mut terminal = Terminal::new(Style::choose(manner.quiet, manner.plain));
    experiment.conditions().iter().for_each(|line| terminal.say(line));
    let decisions = decisions(experiment);
    decisions.iter().filter_map(|decision| decision.said.as_deref()).for_each(|line| terminal.say(line));
    let trained = match &mut folder {
        Some(folder) => folder.train(experiment, &mut now, stop, &mut terminal).with_context(|| {
            format!("training ended early, what there is of it is in {}", folder.path().display())
        })?,
        None => experiment.train_from(&mut now, stop, &mut terminal)?,
    };
    let run = folder.as_ref().map(Folder::path);
    if manner.json {
        json::write(experiment, &trained, &decisions, run, output)?;
    } else {
        report::write(experiment, &trained, run, output)?;
    }
    if let Some(error) = folder.as_ref().and_then(Folder::trouble) {
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
        | Stopped::NoDescent { .. } => exit::DONE,
    })
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
