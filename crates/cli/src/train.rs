//! `pinnace train`

use crate::args::{Train, WantedPrecision};
use crate::session::{self, Asked};
use crate::{notices, warnings};
use pinnace::run::{Folder, RunPlace};
use pinnace::{Experiment, Run, RunError, TrainError};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// In which runs lie, unless someone says otherwise.
const RUNS: &str = "runs";

const ELSEWHERE: &str =
    "a run cannot be created there (--out DIR chooses another folder, --no-run writes none)";

pub(crate) fn train(choices: &Train, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let mut overrides = choices.chosen.set.clone();
    // In quotes: integers of TOML end at 2^63, seeds at 2^64.
    overrides.extend(choices.seed.map(|seed| format!("training.seed=\"{seed}\"")));
    overrides.extend(choices.budget.map(|budget| format!("training.budget=\"{budget}\"")));
    overrides.extend(choices.steps.map(|steps| format!("training.steps={steps}")));
    overrides.extend(choices.level.map(|level| format!("performance.level=\"{}\"", level.name())));
    let precision = match choices.precision {
        Some(WantedPrecision::These(precision)) => Some(precision),
        Some(WantedPrecision::Fastest) => {
            overrides.push("training.precision=\"auto\"".to_owned());
            None
        }
        None => None,
    };
    let experiment = Experiment::open(&choices.chosen.problem, &overrides)?;
    warnings::show(&experiment);
    warnings::check(&experiment, choices.manner.strict)?;
    let experiment = session::in_manner(experiment, &choices.manner);
    let experiment = experiment.on_chosen(&choices.device, precision);
    let experiment = experiment.with_batches_by_memory()?;
    experiment.check_memory()?;
    let experiment = session::measured(experiment.fitted()?, &choices.manner)?;
    let start = match &choices.from {
        Some(path) => {
            let run = Run::open(path)?;
            notices::show(run.notices());
            run.hand_over(&experiment).map_err(TrainError::from)?
        }
        None => experiment.start(),
    };
    let folder = if choices.no_run {
        None
    } else {
        let place = choices.out.clone().map_or_else(|| RunPlace::Under(PathBuf::from(RUNS)), RunPlace::At);
        let (from, seconds) = (choices.from.as_deref(), choices.manner.checkpoint_every);
        let folder = Folder::create(&place, &experiment, &start, from, seconds);
        let folder = folder.map_err(|error| match error {
            TrainError::Run(RunError::Write { .. }) => anyhow::Error::new(error).context(ELSEWHERE),
            other => other.into(),
        })?;
        notices::show(folder.notices());
        Some(folder)
    };
    session::train(&experiment, start, folder, (Asked::End, &choices.manner), output)
}
