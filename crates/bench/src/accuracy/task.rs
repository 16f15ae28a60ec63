//! What is to be trained.

use crate::BenchError;
use equation::problem::{Budget, Phase};
use pinnace::trainer::share;
use pinnace::{BUILT_IN, Device, Experiment, Precision};

/// What a comparison calls the method that a problem comes with.
pub const SHIPPED: &str = "shipped";

/// The part of a budget that all methods before the last one have together.
const BEFORE_THE_LAST: f64 = 0.25;

/// Which trainings, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct AccuracySettings {
    /// Built-in problems or files; empty means all built-in ones.
    pub problems: Vec<String>,
    /// Methods by name, or several one after the other as in `adam+lbfgs`; empty means [`SHIPPED`].
    pub optimizers: Vec<String>,
    /// Seeds 0, 1, … of each.
    pub seeds: u64,
    /// In place of the problems' own budgets.
    pub budget: Option<Budget>,
    /// Laid over every problem.
    pub overrides: Vec<String>,
    /// Where to compute.
    pub device: Device,
    /// In which numbers.
    pub precision: Precision,
    /// Trainings at the same time.
    pub jobs: usize,
    /// Threads of each.
    pub threads: usize,
}

/// One training.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TrialTask {
    /// A built-in problem or a file.
    pub problem: String,
    /// As in the settings.
    pub optimizer: String,
    /// From which it starts.
    pub seed: u64,
}

impl AccuracySettings {
    /// All trainings: problem by problem, in it method by method, seed by seed.
    pub fn tasks(&self) -> Vec<TrialTask> {
        let built_in = || BUILT_IN.iter().map(|problem| problem.name.to_owned()).collect();
        let problems: Vec<String> = if self.problems.is_empty() { built_in() } else { self.problems.clone() };
        let shipped = [SHIPPED.to_owned()];
        let optimizers = if self.optimizers.is_empty() { &shipped[..] } else { &self.optimizers };
        let mut tasks: Vec<TrialTask> = Vec::new();
        for problem in &problems {
            for optimizer in optimizers {
                for seed in 0..self.seeds {
                    let task = TrialTask { problem: problem.clone(), optimizer: optimizer.clone(), seed };
                    if !tasks.contains(&task) {
                        tasks.push(task);
                    }
                }
            }
        }
        tasks
    }

    /// The problem of a task with its method and budget.
    pub fn open(&self, task: &TrialTask) -> Result<Experiment, BenchError> {
        let mut overrides = self.overrides.clone();
        overrides.push(format!("training.seed=\"{}\"", task.seed));
        let named = task.optimizer != SHIPPED;
        if named {
            let phase = |name: &str| format!("{{optimizer='{name}'}}");
            let phases: Vec<String> = task.optimizer.split('+').map(phase).collect();
            overrides.push(format!("training.phase=[{}]", phases.join(", ")));
        }
        let experiment = Experiment::open(&task.problem, &overrides)?.on(self.device, self.precision);
        let Some(budget) = self.budget else { return Ok(experiment.fitted()?) };
        let phases = allot(experiment.problem().training.phases.clone(), budget, named);
        Ok(experiment.in_phases(phases).fitted()?)
    }
}

/// Phases within a budget: of those that state their own, all but the last keep it.
fn allot(mut phases: Vec<Phase>, budget: Budget, evenly: bool) -> Vec<Phase> {
    let before = phases.len().saturating_sub(1);
    if let Some((last, others)) = phases.split_last_mut() {
        let split = evenly && before > 0;
        last.budget = Some(if split { share(budget, 1.0 - BEFORE_THE_LAST) } else { budget });
        if split {
            let part = Some(share(budget, BEFORE_THE_LAST / before as f64));
            others.iter_mut().for_each(|phase| phase.budget = part);
        }
    }
    phases
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> AccuracySettings {
        AccuracySettings {
            problems: vec!["heat".to_owned()],
            optimizers: Vec::new(),
            seeds: 2,
            budget: "40 steps, 8 s".parse().ok(),
            overrides: Vec::new(),
            device: Device::Cpu,
            precision: Precision::F64,
            jobs: 1,
            threads: 1,
        }
    }

    fn steps(settings: &AccuracySettings, optimizer: &str) -> Vec<Option<u64>> {
        let task = TrialTask { problem: "heat".to_owned(), optimizer: optimizer.to_owned(), seed: 3 };
        let experiment = settings.open(&task).expect("it opens");
        assert_eq!(experiment.problem().training.seed, 3);
        let phases = &experiment.problem().training.phases;
        phases.iter().map(|phase| phase.budget.and_then(|budget| budget.steps)).collect()
    }

    #[test]
    fn methods_one_after_the_other_share_the_budget_and_a_single_one_has_it_all() {
        assert_eq!(steps(&settings(), SHIPPED), [Some(40)]);
        assert_eq!(steps(&settings(), "lbfgs"), [Some(40)]);
        assert_eq!(steps(&settings(), "adam+lbfgs"), [Some(10), Some(30)]);
        assert_eq!(steps(&AccuracySettings { budget: None, ..settings() }, SHIPPED), [None]);
    }

    #[test]
    fn without_names_every_built_in_problem_is_trained_once_per_seed() {
        let all = AccuracySettings { problems: Vec::new(), ..settings() }.tasks();
        assert_eq!(all.len(), 2 * BUILT_IN.len());
        let twice = AccuracySettings { problems: vec!["heat".to_owned(); 2], ..settings() }.tasks();
        assert_eq!(twice.iter().map(|task| task.seed).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn an_optimizer_that_does_not_exist_is_a_mistake_of_the_problem() {
        let task = TrialTask { problem: "heat".to_owned(), optimizer: "adma".to_owned(), seed: 0 };
        assert!(matches!(
            settings().open(&task),
            Err(BenchError::Train(pinnace::TrainError::Problem { .. }))
        ));
    }
}
