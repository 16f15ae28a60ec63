//! `pinnace bench accuracy`

mod table;
mod watch;

use crate::args::AccuracyArguments;
use crate::terminal::{Style, tell_of_device};
use crate::{exit, session};
use anyhow::Context;
use bench::{AccuracySettings, News, RawFile, TrialTask, pictures, summarize, train_all};
use plot::PlotError;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use watch::Watch;

/// The file of results in the folder.
const RAW: &str = "accuracy.jsonl";

pub(crate) fn accuracy(choices: &AccuracyArguments, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let settings = settings(choices);
    let tasks = settings.tasks();
    // Mistakes are found before anyone has waited for a training.
    for task in tasks.iter().filter(|task| task.seed == 0) {
        settings.open(task)?;
    }
    if !choices.quiet {
        tell_of_device(&choices.device);
    }
    // Before there is a file: whoever sees it may interrupt.
    let stop = session::listen_for_interruption()?;
    let path = choices.out.join(RAW);
    let raw = if choices.resume { RawFile::resume(&path, &settings) } else { RawFile::create(&path) };
    let mut raw = raw.map_err(bench::BenchError::from)?;
    let open: Vec<TrialTask> = tasks.iter().filter(|task| !raw.holds(task)).cloned().collect();
    let mut watch = Watch::new(Style::choose(choices.quiet, choices.plain), &open, tasks.len());
    train_all(&settings, &open, stop, &mut |news| {
        watch.note(&news);
        match news {
            News::Ended { trial, .. } => Ok(raw.push(*trial)?),
            News::Progress { .. } => Ok(()),
        }
    })?;
    watch.finish();

    let summaries = summarize(raw.trials());
    let drawn = if choices.no_plots { Vec::new() } else { draw(choices, &raw)? };
    let failed = raw.trials().iter().filter(|trial| trial.failed.is_some()).count();
    let missing = tasks.iter().filter(|task| !raw.holds(task)).count();
    if choices.json {
        let object = json!({
            "raw": raw.path().to_string_lossy(),
            "pictures": drawn.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
            "trainings": raw.trials().len(),
            "failed": failed,
            "missing": missing,
            "results": summaries,
        });
        writeln!(output, "{object}")?;
    } else {
        table::write(&summaries, output)?;
        writeln!(output, "\n  raw       {}", raw.path().display())?;
        drawn.iter().try_for_each(|path| writeln!(output, "  picture   {}", path.display()))?;
        if missing > 0 {
            writeln!(output, "  missing   {missing} of {} trainings; --resume completes them", tasks.len())?;
        }
    }
    Ok(match (stop.load(Ordering::Relaxed), failed) {
        (true, _) => ExitCode::from(exit::INTERRUPTED),
        (false, 0) => exit::DONE,
        (false, _) => ExitCode::FAILURE,
    })
}

fn settings(choices: &AccuracyArguments) -> AccuracySettings {
    let jobs = usize::from(choices.jobs);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    AccuracySettings {
        problems: choices.problems.clone(),
        optimizers: choices.optimizer.clone(),
        seeds: choices.seeds,
        budget: choices.budget,
        overrides: choices.set.clone(),
        device: choices.device.device,
        precision: choices.precision,
        jobs,
        threads: choices.threads.map_or((cores / jobs).max(1), usize::from),
    }
}

/// Draws what the file holds, into the folder where it lies.
fn draw(choices: &AccuracyArguments, raw: &RawFile) -> anyhow::Result<Vec<PathBuf>> {
    let pictures = pictures(raw.trials())?;
    let saved = pictures.iter().map(|picture| picture.save(&choices.out));
    saved.collect::<Result<_, _>>().map_err(PlotError::from).context("the pictures are missing")
}
