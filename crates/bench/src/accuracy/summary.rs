//! Medians and spreads over seeds.

use super::{Published, Trial, published};
use serde::Serialize;

/// One quantity of one problem by one method, over all seeds.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AccuracySummary {
    /// As the user calls it.
    pub problem: String,
    /// As in the settings.
    pub optimizer: String,
    /// An unknown, or a scalar of the problem that was to be found.
    pub of: String,
    /// The relative error at the end, seed by seed; null where there is none.
    pub errors: Vec<Option<f64>>,
    /// The middle one; null where half of the seeds have none.
    pub median: Option<f64>,
    /// The best seed's.
    pub lowest: Option<f64>,
    /// The worst seed's; null where a seed has none.
    pub highest: Option<f64>,
    /// Seeds whose training failed. Errors of others may still be unknown: where there is no reference.
    pub failed: usize,
    /// The median of the times of the whole trainings.
    pub seconds: f64,
    /// What others have reached.
    pub published: Option<Published>,
}

/// Summaries in the order in which problems and methods first occur.
pub fn summarize(trials: &[Trial]) -> Vec<AccuracySummary> {
    let mut groups: Vec<(&str, &str, Vec<&Trial>)> = Vec::new();
    for trial in trials {
        let same = |group: &&mut (&str, &str, Vec<&Trial>)| {
            (group.0, group.1) == (&*trial.problem, &*trial.optimizer)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.2.push(trial),
            None => groups.push((&trial.problem, &trial.optimizer, vec![trial])),
        }
    }
    let mut summaries = Vec::new();
    for (problem, optimizer, mut trials) in groups {
        trials.sort_by_key(|trial| trial.seed);
        for name in quantities(&trials) {
            let errors: Vec<Option<f64>> = trials.iter().map(|trial| error(trial, &name)).collect();
            let mut sorted: Vec<f64> = errors.iter().map(|error| error.unwrap_or(f64::INFINITY)).collect();
            sorted.sort_by(f64::total_cmp);
            let finite = |error: f64| error.is_finite().then_some(error);
            summaries.push(AccuracySummary {
                problem: problem.to_owned(),
                optimizer: optimizer.to_owned(),
                of: name.clone(),
                median: median(&sorted).and_then(finite),
                lowest: sorted.first().copied().and_then(finite),
                highest: sorted.last().copied().and_then(finite),
                failed: trials.iter().filter(|trial| trial.failed.is_some()).count(),
                seconds: median_seconds(&trials),
                published: published(problem, &name),
                errors,
            });
        }
    }
    summaries
}

/// Unknowns and scalars that any of the trainings has an error of. A method whose trainings all failed
/// keeps a line of its own.
fn quantities(trials: &[&Trial]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for trial in trials {
        let known = trial.relative_l2.iter().filter(|(_, error)| error.is_some()).map(|(name, _)| name);
        for name in known.chain(trial.truth.keys()) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    if names.is_empty() { vec!["no error known".to_owned()] } else { names }
}

fn error(trial: &Trial, name: &str) -> Option<f64> {
    if trial.failed.is_some() {
        return None;
    }
    match (trial.relative_l2.get(name), trial.parameters.get(name), trial.truth.get(name)) {
        (Some(error), _, _) => *error,
        (None, Some(found), Some(truth)) => Some((found / truth - 1.0).abs()),
        (None, _, _) => None,
    }
}

/// The middle of sorted numbers; of an even number the mean of both in the middle.
fn median(sorted: &[f64]) -> Option<f64> {
    let half = sorted.len() / 2;
    match sorted.len() % 2 {
        _ if sorted.is_empty() => None,
        1 => Some(sorted[half]),
        _ => Some((sorted[half - 1] + sorted[half]) / 2.0),
    }
}

fn median_seconds(trials: &[&Trial]) -> f64 {
    let mut seconds: Vec<f64> =
        trials.iter().filter(|trial| trial.failed.is_none()).map(|trial| trial.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    median(&seconds).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(seed: u64, error: Option<f64>) -> Trial {
        let failed = error.is_none().then(|| "it diverged".to_owned());
        let relative_l2 = [("u".to_owned(), error)].into();
        Trial { problem: "heat".to_owned(), seed, relative_l2, failed, ..Trial::default() }
    }

    #[test]
    fn seeds_are_in_order_and_the_middle_one_counts() {
        let trials = [trial(2, Some(3e-3)), trial(0, Some(1e-3)), trial(1, Some(8e-3))];
        let summary = &summarize(&trials)[0];
        assert_eq!(summary.errors, [Some(1e-3), Some(8e-3), Some(3e-3)]);
        assert_eq!((summary.median, summary.lowest, summary.highest), (Some(3e-3), Some(1e-3), Some(8e-3)));
    }

    #[test]
    fn a_training_that_failed_counts_as_the_worst() {
        let one = &summarize(&[trial(0, Some(1e-3)), trial(1, None), trial(2, Some(2e-3))])[0];
        assert_eq!((one.median, one.highest), (Some(2e-3), None));
        let two = &summarize(&[trial(0, Some(1e-3)), trial(1, None), trial(2, None)])[0];
        assert_eq!((two.median, two.lowest), (None, Some(1e-3)));
        let all = summarize(&[trial(0, None)]);
        assert_eq!((all.len(), all[0].median, &*all[0].of), (1, None, "no error known"));
        assert_eq!((one.failed, two.failed, all[0].failed), (1, 2, 1));
    }

    #[test]
    fn a_training_without_a_reference_has_not_failed() {
        let summary = &summarize(&[Trial { failed: None, ..trial(0, None) }])[0];
        assert_eq!((summary.median, summary.failed, &*summary.of), (None, 0, "no error known"));
    }

    #[test]
    fn a_scalar_that_was_to_be_found_has_the_relative_error_of_its_value() {
        let mut found = trial(0, Some(1e-3));
        found.parameters.insert("kappa".to_owned(), 0.252);
        found.truth.insert("kappa".to_owned(), 0.25);
        let summaries = summarize(&[found]);
        assert_eq!(summaries[1].of, "kappa");
        assert!(summaries[1].median.is_some_and(|error| (error - 8e-3).abs() < 1e-12));
    }
}
