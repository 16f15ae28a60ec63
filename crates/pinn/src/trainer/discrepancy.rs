//! When measurements have told all they can: whoever goes on fits their noise.

use equation::problem::Problem;
use equation::taylor::{Plan, Source};
use train::Losses;

/// Standard deviations by which the mean square of a sample of the noise may be above its expectation.
const DEVIATIONS: f64 = 2.0;

/// Whether all measurements fit as well as their stated noise lets expect (Morozov's discrepancy principle), and
/// everything else in the loss is as small as so many of them can tell: n measurements of deviation σ fix what they
/// measure to σ/√n. Never true where a table states no noise. `counts` are the points of every term; those of
/// measurements are always the same.
pub(super) fn is_explained(problem: &Problem, plan: &Plan, counts: &[usize], losses: &Losses) -> bool {
    let (mut measured, mut allowed, mut others) = (0, 0.0, 0.0);
    let mut residuals = losses.mean_squares.iter().zip(&losses.weights);
    for (term, &count) in plan.terms.iter().zip(counts) {
        for (&square, &weight) in residuals.by_ref().take(term.residuals.len()) {
            let Source::Data(table) = term.source else {
                others += weight * square;
                continue;
            };
            let (Some(noise), count) = (problem.data[table].noise, count as f64) else { return false };
            if square > noise.powi(2) * (1.0 + DEVIATIONS * (2.0 / count).sqrt()) {
                return false;
            }
            measured += 1;
            allowed += weight * noise.powi(2) / count;
        }
    }
    measured > 0 && others <= allowed
}

#[cfg(test)]
mod tests {
    use super::*;
    use equation::parse::parse_with;
    use equation::taylor::plan;

    const PROBLEM: &str = r#"
[domain]
x = [0, 1]
[unknowns]
u = {}
[equations]
line = "u_xx = 0"
[data]
probe = { file = "probe.csv", noise = 0.1, weight = 3 }
"#;

    /// With 200 measurements, equations of this mean square and measurements that are off by another.
    fn explained(text: &str, inside: f64, misfit: f64) -> bool {
        let problem = parse_with(text, &[]).expect("it is right");
        let plan = plan(&problem).expect("a plan");
        let losses = Losses {
            total: inside + 3.0 * misfit,
            mean_squares: vec![inside, misfit],
            weights: vec![1.0, 3.0],
        };
        is_explained(&problem, &plan, &[64, 200], &losses)
    }

    #[test]
    fn training_is_over_where_measurements_fit_to_their_noise_and_equations_hold_as_well_as_they_can_tell() {
        let allowed = 3.0 * 0.01 / 200.0;
        assert!(explained(PROBLEM, 0.99 * allowed, 0.0119));
        assert!(!explained(PROBLEM, 1.01 * allowed, 0.0119), "the equations do not hold yet");
        assert!(!explained(PROBLEM, 0.0, 0.0121), "a misfit that noise hardly explains");
    }

    #[test]
    fn without_measurements_or_a_stated_noise_there_is_nothing_to_compare_with() {
        assert!(!explained(&PROBLEM.replace(", noise = 0.1", ""), 0.0, 0.0));
        let bare = PROBLEM.split("[data]").next().unwrap_or_default();
        let bare = format!("{bare}[conditions]\nends = {{ on = \"x = 0\", equation = \"u_x = 0\" }}\n");
        assert!(!explained(&bare, 0.0, 0.0));
    }
}
