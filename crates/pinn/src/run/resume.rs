//! Continues a run.

use super::lock::Lock;
use super::open::problem_in;
use super::{
    CHECKPOINTS, Folder, Notice, PROBLEM, Reason, Run, RunError, Used, environment, manifest, meaning,
};
use crate::checkpoint::{Layout, Store};
use crate::{Experiment, TrainError};
use equation::problem::{Budget, Phase};
use std::path::Path;

/// A problem under overrides that its run can go on with.
struct Change {
    experiment: Experiment,
    /// What `problem.toml` will say.
    text: String,
}

impl Folder {
    /// Takes the run in a folder for this process alone, to be trained on from [`Run::snapshot`].
    /// `overrides` are laid over its problem, for good: they may change how it is trained, but not what its
    /// weights mean. `seconds` is the time between two checkpoints. A change that is
    /// refused leaves the run as it was.
    pub fn resume(path: &Path, overrides: &[String], seconds: f64) -> Result<(Run, Folder), TrainError> {
        if path.is_file() {
            return Err(RunError::OnlyACheckpoint { path: path.to_owned() }.into());
        }
        if path.is_dir() {
            problem_in(path, path)?;
        }
        if let Some((text, reason)) = overrides.iter().find_map(|text| Some((text, refusal(text)?))) {
            return Err(RunError::Override { text: text.clone(), reason }.into());
        }
        std::fs::metadata(path).map_err(RunError::read(path))?;
        let lock = Lock::take(path)?;
        let run = Run::open(path)?;
        let change = if overrides.is_empty() { None } else { Some(Change::of(&run, overrides)?) };
        let run = run.renewed(change.as_ref().map(|change| &change.experiment))?;
        run.experiment().check_memory()?;
        // All is checked: from here on it is written.
        if let Some(Change { text, .. }) = &change {
            manifest::rewrite(path, PROBLEM, text.as_bytes())?;
        }
        run.settle_checkpoints()?;
        let notes: Vec<String> = run.notices().iter().map(Notice::to_string).collect();
        let damaged = environment::note_resumed(path, run.snapshot().steps, overrides, &notes)?;
        let mut folder = Folder::with_lock(lock, path.to_owned(), run.experiment(), run.snapshot(), seconds)?;
        if change.is_some() {
            folder.distrusts_change(run.snapshot().steps);
        }
        Ok((run, folder.noting(damaged)))
    }
}

impl Run {
    /// The run at a state that fits its phases, of another experiment if there is one.
    fn renewed(mut self, change: Option<&Experiment>) -> Result<Run, TrainError> {
        let before = self.experiment.settled().to_vec();
        let experiment = change.unwrap_or(&self.experiment);
        let after = experiment.settled();
        let phase = self.snapshot.phase;
        let Some(settings) = after.get(phase) else {
            return Err(TrainError::NoSuchPhase { phase, phases: after.len() });
        };
        let points = |experiment: &Experiment| -> Vec<Option<usize>> {
            let problem = experiment.problem();
            let own = problem.conditions.iter().map(|condition| condition.points);
            own.chain([Some(problem.training.condition_points)]).collect()
        };
        let same = points(&self.experiment) == points(experiment);
        let before = change.and(before.get(phase)).map(|settings| (settings, same));
        let renewal = self.snapshot.renew(before, settings, experiment.plan());
        if let Some(experiment) = change {
            self.experiment = experiment.clone();
        }
        self.notices.extend(renewal.map(Notice::Renewed));
        Ok(self)
    }

    /// Makes the state at hand the newest one of its folder: what cannot be used or came after it is put aside.
    fn settle_checkpoints(&self) -> Result<(), RunError> {
        let store = Store::new(self.folder.join(CHECKPOINTS));
        for notice in &self.notices {
            if let Notice::Damaged { path, .. } = notice {
                store.put_aside(path, "damaged").map_err(RunError::write(path))?;
            }
        }
        store.tidy().map_err(RunError::write(store.folder()))?;
        let renewed = self.notices.iter().any(|notice| matches!(notice, Notice::Renewed(_)));
        if renewed || self.used == Used::Best {
            let layout = Layout::of(self.experiment.problem(), self.experiment.plan());
            let bytes = layout.encode(&environment::header(&self.experiment), &self.snapshot);
            let bytes = bytes.map_err(RunError::Unsavable)?;
            let steps = self.snapshot.steps;
            manifest::announce(&self.folder, &store.path(steps), &bytes)?;
            store.go_back(steps, &bytes).map_err(RunError::write(store.folder()))?;
        }
        Ok(())
    }
}

impl Change {
    /// Lays overrides over the problem of a run, and checks that the run can go on so.
    fn of(run: &Run, overrides: &[String]) -> Result<Change, TrainError> {
        let problem = run.folder().join(PROBLEM);
        let before = run.experiment();
        let open = |overrides: &[String]| {
            let experiment = Experiment::open_file(&problem, overrides)?;
            Ok::<_, TrainError>(experiment.called(before.name()).on(before.device(), before.precision()))
        };
        let mut experiment = open(overrides).map_err(|error| match error {
            // The run states which conditions are exact, and some cannot be in windows.
            TrainError::NotExact(_) if overrides.iter().any(|text| keys(text) == ["training", "windows"]) => {
                RunError::Override { text: overrides.join(" "), reason: Reason::Windows }.into()
            }
            other => other,
        })?;
        let chosen = experiment.decisions().find("training.windows").is_some();
        if chosen && experiment.window_count() > 1 && before.window_count() == 1 {
            // Windows are chosen with the optimizer; the run has its networks already.
            experiment = open(&[overrides, &["training.windows=1".to_owned()]].concat())?;
        }
        meaning::check(before, &experiment, &run.snapshot().parameters, overrides)?;
        let text = experiment.resolved(&mut str::to_owned);
        let text =
            text.map_err(|diagnostics| TrainError::Problem { file: PROBLEM.to_owned(), diagnostics })?;
        let budget = overrides.iter().find(|text| keys(text) == ["training", "budget"]);
        if let Some(budget) = budget.filter(|_| !changes_budgets(before, &experiment, run)) {
            // Said again is no mistake.
            let stated = budget.split_once('=').map(|(_, value)| value.trim().trim_matches('"'));
            let stated = stated.and_then(|text| text.parse::<Budget>().ok());
            let again = |phase: &Phase| stated.is_some() && phase.budget == stated;
            if !before.problem().training.phases.iter().any(again) {
                let reason = Reason::OwnBudgets;
                return Err(RunError::Override { text: budget.clone(), reason }.into());
            }
        }
        Ok(Change { experiment, text })
    }
}

/// Whether phases that are left get other budgets.
fn changes_budgets(before: &Experiment, after: &Experiment, run: &Run) -> bool {
    let budgets = |experiment: &Experiment| {
        experiment.settled().iter().skip(run.snapshot().phase).map(|phase| phase.budget).collect::<Vec<_>>()
    };
    budgets(before) != budgets(after)
}

/// The parts of an override's key.
fn keys(text: &str) -> Vec<&str> {
    text.split('=').next().unwrap_or_default().split('.').map(str::trim).collect()
}

/// Why an override would make another run, as far as its key tells.
fn refusal(text: &str) -> Option<Reason> {
    match keys(text)[..] {
        ["training", "seed", ..] => Some(Reason::Seed),
        ["training", _, ..] => None,
        _ => Some(Reason::NotTraining),
    }
}
