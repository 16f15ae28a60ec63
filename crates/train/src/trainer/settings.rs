//! What a phase does, once the network is known: what the problem file leaves open is settled here.

use equation::problem::{Budget, Optimizer as Method, Phase, Problem, Sampler, Schedule};
use equation::taylor::{Plan, Source};
use kernel::Precision;
use std::fmt;

/// Parameters up to which dense normal equations are the fastest way to small errors on a few cores: a
/// step costs points × parameters² multiplications.
const MOST_DENSE: usize = 4000;

/// A phase of training with nothing left open.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// Which method; never [`Method::Auto`].
    pub method: Method,
    /// Points inside the domain.
    pub points: usize,
    /// To how many they may grow.
    pub most_points: usize,
    /// How they, and those of the conditions, are chosen.
    pub sampler: Sampler,
    /// Whether points gather where residuals are large.
    pub adaptive: bool,
    /// Whether early times come first.
    pub causal: bool,
    /// Steps between two draws of fresh points; `None` keeps the first ones. At least one.
    pub resample: Option<u64>,
    /// Step length of first-order methods.
    pub learning_rate: f64,
    /// How the step length changes over the phase.
    pub schedule: Schedule,
    /// When it ends; at least one bound is set.
    pub budget: Budget,
}

/// Why `optimizer = "auto"` became what it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Normal equations are small enough.
    GaussNewton {
        /// Of the network and the problem.
        parameters: usize,
    },
    /// They are too large.
    TooLarge {
        /// Of the network and the problem.
        parameters: usize,
    },
    /// They need more digits.
    TooCoarse,
}

impl Choice {
    /// The choice for a plan in some numbers.
    pub fn of(plan: &Plan, precision: Precision) -> Self {
        let parameters = plan.parameter_count();
        match precision {
            Precision::F32
            | Precision::Bf16x6
            | Precision::Bf16x3
            | Precision::Tf32
            | Precision::Bf16
            | Precision::Fp16 => Choice::TooCoarse,
            Precision::F64 if parameters > MOST_DENSE => Choice::TooLarge { parameters },
            Precision::F64 => Choice::GaussNewton { parameters },
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::GaussNewton { parameters } => {
                write!(formatter, "gauss-newton: {parameters} parameters make small normal equations")
            }
            Choice::TooLarge { parameters } => write!(
                formatter,
                "adam, then lbfgs: normal equations of {parameters} parameters would cost too much"
            ),
            Choice::TooCoarse => {
                formatter.write_str("adam, then lbfgs: normal equations need f64 to be worth their cost")
            }
        }
    }
}

/// All phases of a problem, settled. Where the problem states a number of steps in all, phases keep their
/// own number while there are enough, the last of them takes the rest, and bounds on time, loss and error
/// no longer count.
pub fn settle(problem: &Problem, plan: &Plan, precision: Precision) -> Vec<Settings> {
    let mut phases: Vec<Settings> =
        problem.training.phases.iter().flat_map(|phase| settle_phase(phase, plan, precision)).collect();
    let (count, Some(mut rest)) = (phases.len(), problem.training.steps) else { return phases };
    for (number, phase) in phases.iter_mut().enumerate() {
        let own = if number + 1 == count { rest } else { phase.budget.steps.unwrap_or(rest).min(rest) };
        rest -= own;
        phase.budget = Budget { steps: Some(own), ..Budget::default() };
    }
    phases
}

fn settle_phase(phase: &Phase, plan: &Plan, precision: Precision) -> Vec<Settings> {
    if phase.optimizer != Method::Auto {
        return vec![with_method(phase, plan, phase.optimizer)];
    }
    match Choice::of(plan, precision) {
        Choice::GaussNewton { .. } => vec![with_method(phase, plan, Method::GaussNewton)],
        Choice::TooLarge { .. } | Choice::TooCoarse => {
            let mut adam = with_method(phase, plan, Method::Adam);
            let mut lbfgs = with_method(phase, plan, Method::Lbfgs { memory: 30 });
            if let Some(budget) = phase.budget {
                // A quarter of what is stated finds the valley, the rest goes down in it.
                adam.budget = share(budget, 0.25);
                lbfgs.budget = share(budget, 0.75);
            }
            vec![adam, lbfgs]
        }
    }
}

/// A part of a budget.
pub(crate) fn share(budget: Budget, part: f64) -> Budget {
    Budget {
        steps: budget.steps.map(|steps| (steps as f64 * part).ceil() as u64),
        seconds: budget.seconds.map(|seconds| seconds * part),
        ..budget
    }
}

fn with_method(phase: &Phase, plan: &Plan, method: Method) -> Settings {
    let second_order = method == Method::GaussNewton;
    // It fits any fixed points, and what it knows outlives them: fresh ones now and then.
    let fits_points = method == Method::SsBroyden;
    let (points, most) = match (second_order, fits_points) {
        (true, _) => enough(plan),
        (false, true) => (4096, 4096),
        (false, false) => (2048, 2048),
    };
    let steps = if second_order { 300 } else { 5000 };
    let resample = phase.resample.or(second_order.then_some(1)).or(fits_points.then_some(100));
    let resample = resample.filter(|&steps| steps > 0);
    Settings {
        method,
        points: phase.points.unwrap_or(points),
        // Who states a number of points means it.
        most_points: phase.most_points.or(phase.points).unwrap_or(most),
        sampler: phase.sampler,
        adaptive: phase.adaptive.unwrap_or(second_order || fits_points),
        causal: phase.causal.unwrap_or(second_order) && resample == Some(1),
        resample,
        learning_rate: phase.learning_rate,
        schedule: phase.schedule,
        budget: phase.budget.unwrap_or(Budget { steps: Some(steps), ..Budget::default() }),
    }
}

/// Points for normal equations, at first and at most: about as many rows as parameters suffice while the
/// damping is large, several times as many are needed when it is not.
fn enough(plan: &Plan) -> (usize, usize) {
    let inside = plan.terms.iter().filter(|term| term.source == Source::Interior);
    let residuals: usize = inside.map(|term| term.residuals.len()).sum();
    let least = (plan.parameter_count() / residuals.max(1)).clamp(512, 4096);
    (least, 12 * least)
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
slope = "u_xx = 1"
[conditions]
ends = { on = "x = 0, x = 1", equation = "u = 0" }
"#;

    fn settled(overrides: &[&str], precision: Precision) -> Vec<Settings> {
        let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
        let problem = parse_with(PROBLEM, &overrides).expect("it is right");
        settle(&problem, &plan(&problem).expect("a plan"), precision)
    }

    fn methods(overrides: &[&str], precision: Precision) -> Vec<Method> {
        settled(overrides, precision).iter().map(|settings| settings.method).collect()
    }

    #[test]
    fn small_networks_get_second_order_and_large_or_coarse_ones_first_order() {
        let first_order = [Method::Adam, Method::Lbfgs { memory: 30 }];
        assert_eq!(methods(&["network.width=20"], Precision::F64), [Method::GaussNewton]);
        assert_eq!(methods(&["network.width=20"], Precision::F32), first_order);
        assert_eq!(methods(&["network.width=100"], Precision::F64), first_order);
        let stated = methods(&["network.width=100", "training.optimizer=gauss-newton"], Precision::F64);
        assert_eq!(stated, [Method::GaussNewton]);
    }

    #[test]
    fn stated_points_are_kept_and_others_may_grow() {
        let stated = settled(&["training.points=77"], Precision::F64);
        assert_eq!((stated[0].points, stated[0].most_points), (77, 77));
        let open = settled(&["training.most_points=9999"], Precision::F64);
        assert_eq!((open[0].resample, open[0].adaptive, open[0].most_points), (Some(1), true, 9999));
        let fixed = settled(&["training.resample=0", "training.adaptive=false"], Precision::F64);
        assert_eq!((fixed[0].resample, fixed[0].adaptive), (None, false));
    }

    #[test]
    fn self_scaled_broyden_gets_fresh_points_now_and_then_unless_the_file_says_otherwise() {
        let open = settled(&["training.optimizer=ssbroyden"], Precision::F64);
        assert_eq!((open[0].points, open[0].resample, open[0].adaptive), (4096, Some(100), true));
        assert!(!open[0].causal);
        let fixed = ["training.optimizer=ssbroyden", "training.resample=0", "training.adaptive=false"];
        let fixed = settled(&fixed, Precision::F64);
        assert_eq!((fixed[0].resample, fixed[0].adaptive), (None, false));
    }

    #[test]
    fn steps_in_all_replace_the_budgets_of_the_phases() {
        let steps = |steps: u64| {
            let own = format!("training.steps={steps}");
            let phases =
                settled(&["training.optimizer=auto", "training.budget=28 steps, 5 s", &own], Precision::F32);
            assert!(phases.iter().all(|phase| phase.budget.seconds.is_none()));
            [phases[0].budget.steps, phases[1].budget.steps].map(|steps| steps.unwrap_or(u64::MAX))
        };
        assert_eq!((steps(0), steps(5), steps(100)), ([0, 0], [5, 0], [7, 93]));
    }
}
