//! `pinnace train`

use crate::args::Train;
use crate::terminal::{Style, Terminal};
use crate::{exit, json, report};
use anyhow::Context;
use pinnace::{Experiment, Stopped};
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by Ctrl-C: training ends after the current step.
static STOP: AtomicBool = AtomicBool::new(false);

pub(crate) fn train(choices: &Train, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let mut overrides = choices.chosen.set.clone();
    // In quotes: integers of TOML end at 2^63, seeds at 2^64.
    overrides.extend(choices.seed.map(|seed| format!("training.seed=\"{seed}\"")));
    let mut experiment =
        Experiment::open(&choices.chosen.problem, &overrides)?.on(choices.device, choices.precision);
    if let Some(steps) = choices.steps {
        experiment = experiment.with_steps(steps);
    }

    ctrlc::set_handler(interrupt).context("cannot listen for Ctrl-C")?;
    let mut terminal = Terminal::new(Style::choose(choices.quiet, choices.plain));
    experiment.conditions().iter().for_each(|line| terminal.say(line));
    let trained = experiment.train(&STOP, &mut terminal)?;
    if choices.json {
        json::write(&choices.chosen.problem, &experiment, &trained, output)?;
    } else {
        report::write(&experiment, &trained, output)?;
    }
    Ok(match trained.stopped {
        Stopped::Interrupted => ExitCode::from(exit::INTERRUPTED),
        Stopped::Steps
        | Stopped::Seconds
        | Stopped::Loss
        | Stopped::TargetError
        | Stopped::GradientVanished { .. }
        | Stopped::NoDescent { .. } => exit::DONE,
    })
}

#[expect(clippy::exit, reason = "a second Ctrl-C means now, from a thread that cannot return a code")]
fn interrupt() {
    if STOP.swap(true, Ordering::Relaxed) {
        std::process::exit(i32::from(exit::INTERRUPTED));
    }
}
