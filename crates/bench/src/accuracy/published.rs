//! What others have reached on the built-in problems.

use serde::{Deserialize, Serialize};

/// A result from the literature. Settings differ: networks, references, hardware.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Published {
    /// A built-in problem.
    pub problem: String,
    /// One of its unknowns.
    pub of: String,
    /// The relative L2 error.
    pub error: f64,
    /// By which method.
    pub method: String,
    /// Steps or time, and on what.
    pub cost: String,
    /// Where it was published.
    pub source: String,
}

/// All of them; documents take theirs from the same file.
const RESULTS: &str = include_str!("../../../../benches/published.json");

/// The best published result for an unknown of a problem, if one is known.
pub fn published(problem: &str, of: &str) -> Option<Published> {
    let results: Vec<Published> = serde_json::from_str(RESULTS).unwrap_or_default();
    results.into_iter().find(|result| result.problem == problem && result.of == of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pinnace::{BuiltIn, Experiment};

    #[test]
    fn every_published_result_is_one_of_a_built_in_problem() {
        let results: Vec<Published> = serde_json::from_str(RESULTS).expect("the file is right");
        assert!(!results.is_empty());
        for result in results {
            let Published { problem, of, error, .. } = &result;
            assert!(BuiltIn::find(problem).is_some(), "{problem} is not built in");
            let experiment = Experiment::open(problem, &[]).expect("it opens");
            assert!(
                experiment.problem().unknowns.iter().any(|unknown| unknown.name == *of),
                "{problem}: {of}"
            );
            assert!((1e-16..1.0).contains(error), "{problem}: {error}");
            assert_eq!(published(problem, of).as_ref(), Some(&result), "{problem} has two results");
        }
    }
}
