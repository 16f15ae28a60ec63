//! Changes of a run that goes on.

use super::{Run, meaning};
use crate::error::ChangeRefusal;
use crate::trainer::renew;
use crate::{Experiment, TrainError};
use equation::problem::{Budget, Method, Phase};
use train::folder::{Notice, PROBLEM};
use train::trainer::LoopFault;

/// A problem under overrides that its run can continue with.
pub(super) struct ChangedProblem {
    pub(super) experiment: Experiment,
    /// What `problem.toml` will say.
    pub(super) text: String,
}

impl Run {
    /// The run at a state that fits its phases, of another experiment if there is one.
    pub(super) fn renewed(mut self, change: Option<&Experiment>) -> Result<Run, TrainError> {
        let before = self.experiment.settled().to_vec();
        let experiment = change.unwrap_or(&self.experiment);
        let after = experiment.settled();
        let phase = self.opened.snapshot.phase;
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
        let stepping = settings.phase(experiment.own_optimizer()).stepping;
        let state = &mut self.opened.snapshot;
        let renewal = renew(state, before, (settings, &stepping), experiment.plan());
        let renewal = renewal.map_err(|cause| LoopFault::Misfit { phase, cause })?;
        if let Some(experiment) = change {
            self.experiment = experiment.clone();
        }
        self.opened.notices.extend(renewal.map(Notice::Renewed));
        Ok(self)
    }
}

impl ChangedProblem {
    /// Lays overrides over the problem of a run, and checks that the run can go on so.
    pub(super) fn of(run: &Run, overrides: &[String]) -> Result<ChangedProblem, TrainError> {
        let problem = run.folder().join(PROBLEM);
        let before = run.experiment();
        let open = |overrides: &[String]| {
            let experiment = Experiment::open_file(&problem, overrides)?;
            let experiment = experiment.called(before.name()).on(before.device(), before.precision());
            Ok::<_, TrainError>(match before.own_optimizer() {
                Some(own) => experiment.with_optimizer(own.clone()),
                None => experiment,
            })
        };
        let mut experiment = open(overrides).map_err(|error| match error {
            // The run states which conditions are exact, and some cannot be in windows.
            TrainError::NotExact(_) if overrides.iter().any(|text| keys(text) == ["training", "windows"]) => {
                TrainError::Override { text: overrides.join(" "), reason: ChangeRefusal::Windows }
            }
            other => other,
        })?;
        let chosen = experiment.decisions().find("training.windows").is_some();
        if chosen && experiment.window_count() > 1 && before.window_count() == 1 {
            // Windows are chosen with the optimizer; the run has its networks already.
            experiment = open(&[overrides, &["training.windows=1".to_owned()]].concat())?;
        }
        let stated = &experiment.problem().training;
        if stated.precision_by_time || stated.precision.is_some_and(|wanted| wanted != before.precision()) {
            let text = overrides.iter().find(|text| keys(text) == ["training", "precision"]);
            if let Some(text) = text {
                let reason = ChangeRefusal::Precision { own: before.precision() };
                return Err(TrainError::Override { text: text.clone(), reason });
            }
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
                let reason = ChangeRefusal::OwnBudgets { phase: stated_phase(before, run.snapshot().phase) };
                return Err(TrainError::Override { text: budget.clone(), reason });
            }
        }
        Ok(ChangedProblem { experiment, text })
    }
}

/// Which phase of the file a phase of training belongs to: one that names no method may have become two.
fn stated_phase(experiment: &Experiment, phase: usize) -> usize {
    let mut settled = experiment.settled().iter().map(|settings| settings.method);
    let mut owners = Vec::new();
    for (number, stated) in experiment.problem().training.phases.iter().enumerate() {
        let method = settled.next();
        owners.push(number);
        if stated.optimizer == Method::Auto && method == Some(Method::Adam) {
            settled.next();
            owners.push(number);
        }
    }
    owners.get(phase).copied().unwrap_or(phase)
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
pub(super) fn refusal(text: &str) -> Option<ChangeRefusal> {
    match keys(text)[..] {
        ["training", "seed", ..] => Some(ChangeRefusal::Seed),
        ["training", _, ..] => None,
        // They change no bit of a result, and the run may go on on another machine.
        ["performance", "threads" | "affinity" | "priority" | "workers"] => None,
        _ => Some(ChangeRefusal::NotTraining),
    }
}
