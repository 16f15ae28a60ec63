//! What a phase does, once the network is known: what the problem file leaves open is settled here.

use super::{Choice, told, way};
use crate::sample::Draw;
use equation::decide::Decision;
use equation::problem::{
    Adaptive, Balance, Budget, Clip, GradientCheck, Guard, Method, Phase, Policy, Problem, ResidualWeights,
    Sampling, Schedule, Solver,
};
use equation::taylor::{Plan, Source};
use kernel::{Device, Precision};
use method::{Gaps, Order};
use train::Extent;
use train::trainer::{OwnOptimizer, Stepping};

/// Parameters up to which there are as many rows as parameters at first. Of larger networks a step only
/// sees so many rows: their products with each other cost rows² × parameters.
const MOST_SQUARE: usize = 4096;

/// Rows at first for networks beyond.
const FEW_ROWS: usize = 2048;

/// Coordinates up to which some thousand points leave no gaps. With more, a network learns the points and not what is
/// between them: Adam then gets fresh ones at every step, and L-BFGS, which needs the same ones, one per parameter up to a bound.
pub(super) const FEW_COORDINATES: usize = 3;

/// The most of those: with 13,889 points a step in twenty dimensions takes a CPU so long that too few are taken.
pub(super) const MOST_FIXED: usize = 4096;

/// Operations up to which points may grow.
const MOST_GROWN: f64 = 3e12;

/// Steps between two moves of points where a list asks for moves, and neither the file nor the method says how often.
pub(super) const STEPS_PER_MOVE: u64 = 100;

/// To how many times their first number points may grow that are only added.
const GROWN: usize = 2;

/// A phase of training with nothing left open.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// Which method; never [`Method::Auto`].
    pub method: Method,
    /// Points inside the domain.
    pub points: usize,
    /// How many of them are found at a time, where it is not all.
    pub batch: Option<usize>,
    /// How many batches a step adds up.
    pub accumulate: usize,
    /// To how many they may grow.
    pub most_points: usize,
    /// How they, and those of the conditions, are chosen, and how they move.
    pub sampling: Sampling,
    /// How parts of the loss whose weights are not stated are balanced against the others.
    pub balance: Balance,
    /// How residuals that stay large come to weigh more, if they do.
    pub residual_weights: Option<ResidualWeights>,
    /// Steps between two draws of fresh points; `None` keeps the first ones. At least one.
    pub resample: Option<u64>,
    /// Step length of first-order methods.
    pub learning_rate: f64,
    /// How the step length changes over the phase.
    pub schedule: Schedule,
    /// How training is kept from breaking.
    pub guard: Guard,
    /// How gradients are made shorter before a step, one rule after the other.
    pub clip: Vec<Clip>,
    /// How gradients are compared with those in f64, where they are.
    pub gradient_check: Option<GradientCheck>,
    /// When it ends; at least one bound is set.
    pub budget: Budget,
    /// Whether it also ends when losses hardly fall any more: where nobody says how long to go on.
    pub ends_by_itself: bool,
    /// Whether it also ends when measurements fit to their noise. Adam goes on: its steps may be taken elsewhere,
    /// many at a time.
    pub ends_at_noise: bool,
}

impl Settings {
    /// A draw of a run's points, as this phase wants it.
    pub fn draw(&self, problem: &Problem, number: u64) -> Draw {
        Draw { sampler: self.sampling.sampler, seed: problem.training.seed, number, interior: self.points }
    }

    /// How many points inside a step visits, where it is not all.
    pub fn visited(&self) -> Option<usize> {
        self.batch.map(|batch| batch.saturating_mul(self.accumulate))
    }

    /// Whether steps visit some of the points inside at a time.
    pub fn in_batches(&self) -> bool {
        self.visited().is_some_and(|size| size < self.points.max(self.most_points))
    }

    /// As the loop knows it, with steps of a method from outside where there is one.
    pub fn phase(&self, own: Option<&OwnOptimizer>) -> train::trainer::PhaseSettings {
        train::trainer::PhaseSettings {
            stepping: own.map_or(Stepping::Method(self.method), |own| Stepping::Own(own.clone())),
            learning_rate: self.learning_rate,
            schedule: self.schedule,
            guard: self.guard,
            clip: self.clip.clone(),
            budget: self.budget,
            ends_at_plateau: self.ends_by_itself,
            ends_at_noise: self.ends_at_noise,
        }
    }
}

/// All phases of a problem with nothing left open, and what was decided for that.
#[derive(Clone, PartialEq, Debug)]
pub struct Settled {
    /// What training goes through.
    pub phases: Vec<Settings>,
    /// What the file leaves open of it, as it was decided.
    pub decisions: Vec<Decision>,
}

/// Settles all phases of a problem. Where the problem states a number of steps in all, phases keep their
/// own number while there are enough, the last of them takes the rest, and bounds on time, loss and error
/// no longer count.
pub fn settle(problem: &Problem, plan: &Plan, device: Device, precision: Precision) -> Settled {
    let all = problem.training.phases.iter();
    let all: Vec<Chosen> = all.map(|phase| settle_phase(phase, problem, plan, (device, precision))).collect();
    let decisions = told::decisions(problem, plan, device, &all);
    let mut phases: Vec<Settings> = all.into_iter().flat_map(|chosen| chosen.phases).collect();
    let (count, Some(mut rest)) = (phases.len(), problem.training.steps) else {
        return Settled { phases, decisions };
    };
    for (number, phase) in phases.iter_mut().enumerate() {
        let own = if number + 1 == count { rest } else { phase.budget.steps.unwrap_or(rest).min(rest) };
        rest -= own;
        phase.budget = Budget { steps: Some(own), ..Budget::default() };
        phase.ends_by_itself = false;
        phase.ends_at_noise = false;
    }
    Settled { phases, decisions }
}

/// What became of a phase of the file.
pub(super) struct Chosen {
    /// One, or two where a method was chosen that needs another one before it.
    pub(super) phases: Vec<Settings>,
    /// Why this method, where the file names none.
    pub(super) choice: Option<Choice>,
}

fn settle_phase(
    phase: &Phase,
    problem: &Problem,
    plan: &Plan,
    (device, precision): (Device, Precision),
) -> Chosen {
    let with_method = |method: Method| Settings {
        gradient_check: check(phase, precision, method.traits().order),
        ..with_method(phase, problem, plan, method)
    };
    if phase.optimizer != Method::Auto {
        return Chosen { phases: vec![with_method(phase.optimizer)], choice: None };
    }
    let choice = Choice::of(extent(problem, plan), device, precision);
    let phases = match choice {
        Choice::GaussNewton { .. } => vec![with_method(Method::GAUSS_NEWTON)],
        Choice::TooLarge { .. } | Choice::TooCoarse => {
            let mut adam = with_method(Method::Adam);
            let mut lbfgs = with_method(Method::Lbfgs { memory: 30 });
            if let Some(budget) = phase.budget {
                // A quarter of what is stated finds the valley, the rest goes down in it.
                adam.budget = share(budget, 0.25);
                lbfgs.budget = share(budget, 0.75);
            }
            vec![adam, lbfgs]
        }
    };
    Chosen { phases, choice: Some(choice) }
}

/// The size of a first Gauss-Newton step, measurements not counted.
pub fn extent(problem: &Problem, plan: &Plan) -> Extent {
    let stated = problem.training.phases.iter().find_map(|phase| phase.points);
    extent_with(problem, plan, stated.unwrap_or_else(|| first_points(plan)))
}

/// The same with so many points inside.
pub(crate) fn extent_with(problem: &Problem, plan: &Plan, inside: usize) -> Extent {
    let mut extent = Extent { parameters: plan.parameter_count(), rows: 0, evaluation: 0.0 };
    for term in &plan.terms {
        let points = match term.source {
            Source::Interior => inside,
            Source::Condition(number) => {
                problem.conditions[number].points.unwrap_or(problem.training.condition_points)
            }
            Source::Data(_) | Source::Prediction => 0,
        };
        extent.rows = extent.rows.saturating_add(points.saturating_mul(term.residuals.len()));
        extent.evaluation += points as f64 * term.cost.flops() as f64;
    }
    extent
}

/// A part of a budget.
pub fn share(budget: Budget, part: f64) -> Budget {
    Budget {
        steps: budget.steps.map(|steps| (steps as f64 * part).ceil() as u64),
        seconds: budget.seconds.map(|seconds| seconds * part),
        ..budget
    }
}

/// What a method makes of what was asked for.
fn balance(stated: Option<Balance>, order: Order) -> Balance {
    match (order, stated) {
        // They compare losses at successive steps.
        (Order::Quasi, _) | (_, Some(Balance::Off)) | (Order::First, None) => Balance::Off,
        (Order::Second, _) => Balance::Rows,
        (Order::First, Some(Balance::Usual | Balance::Rows)) => Balance::GRADIENT_NORM,
        (Order::First, Some(named)) => named,
    }
}

/// Fewer digits than those of f32 are looked after. In f32 the end of training, where gradients are nothing but rounding, would look as
/// if digits were missing.
fn check(phase: &Phase, precision: Precision, order: Order) -> Option<GradientCheck> {
    let usual = match order {
        _ if precision.epsilon() <= Precision::F32.epsilon() => GradientCheck::OFF,
        Order::First => GradientCheck::USUAL,
        // Fewer steps, each of which takes longer and achieves more.
        Order::Quasi | Order::Second => GradientCheck { every: 100, ..GradientCheck::USUAL },
    };
    Some(phase.gradient_check.unwrap_or(usual)).filter(|check| check.every > 0)
}

/// Methods that follow the gradient go on where a step goes wrong; others shorten their steps themselves, and what they cannot make
/// good is a mistake in the problem.
fn usual_guard(method: Method) -> Guard {
    Guard::new(match method.traits().order {
        Order::First => Policy::Adaptive,
        Order::Quasi | Order::Second => Policy::Stop,
    })
}

fn with_method(phase: &Phase, problem: &Problem, plan: &Plan, method: Method) -> Settings {
    let traits = method.traits();
    let second_order = traits.order == Order::Second;
    let gaps = if problem.domain.len() > FEW_COORDINATES { traits.gaps } else { Gaps::Nothing };
    let (points, most) = match (traits.points, gaps) {
        (None, _) => enough(problem, plan),
        (Some(least), Gaps::PointPerParameter) => {
            let rows = plan.parameter_count().clamp(least, MOST_FIXED);
            (rows, rows)
        }
        (Some(points), Gaps::Nothing | Gaps::FreshPoints) => (points, points),
    };
    let moving = phase.sampling.as_ref().is_some_and(|list| list.adaptive.moves() || list.causal);
    let fresh = match gaps {
        Gaps::FreshPoints => 1,
        Gaps::Nothing | Gaps::PointPerParameter if traits.resample == 0 && moving => STEPS_PER_MOVE,
        Gaps::Nothing | Gaps::PointPerParameter => traits.resample,
    };
    let resample = Some(phase.resample.unwrap_or(fresh)).filter(|&steps| steps > 0);
    let sampling = sampling(phase, problem, method, resample);
    let points = phase.points.unwrap_or(points);
    // Who states a number of points means it, unless points are to be added to them.
    let most = match sampling.adaptive.grows() {
        true => GROWN.saturating_mul(points),
        false => phase.points.unwrap_or(most),
    };
    Settings {
        method,
        points,
        // A method that was chosen, and not stated, may be one that has none.
        batch: phase.batch.filter(|_| traits.order == Order::First),
        accumulate: if traits.order == Order::First { phase.accumulate } else { 1 },
        most_points: phase.most_points.unwrap_or(most),
        sampling,
        balance: balance(phase.balance, traits.order),
        residual_weights: phase.residual_weights.filter(|_| plan.weighted_points().is_some()),
        resample,
        learning_rate: phase.learning_rate,
        schedule: phase.schedule,
        guard: phase.guard.unwrap_or_else(|| usual_guard(method)),
        // Other methods find the length of their steps themselves.
        clip: if traits.order == Order::First { phase.clip.clone() } else { Vec::new() },
        gradient_check: None,
        budget: phase.budget.unwrap_or(Budget { steps: Some(traits.steps), ..Budget::default() }),
        ends_by_itself: second_order && phase.budget.is_none(),
        ends_at_noise: traits.ends_at_noise,
    }
}

/// How points lie and move: as the list says, or else as its short forms say, or else as the method wants it.
fn sampling(phase: &Phase, problem: &Problem, method: Method, resample: Option<u64>) -> Sampling {
    // Where there is no way through time, nothing waits for its end.
    let timely = way(problem).is_some();
    if let Some(list) = &phase.sampling {
        return Sampling { causal: list.causal && resample.is_some() && timely, ..list.clone() };
    }
    let traits = method.traits();
    let gathers = phase.adaptive.unwrap_or(traits.gathers);
    let causal = phase.causal.unwrap_or(traits.order == Order::Second);
    Sampling {
        sampler: phase.sampler,
        adaptive: if gathers { Adaptive::usual() } else { Adaptive::Even },
        causal: causal && resample == Some(1) && timely,
        veto: None,
    }
}

/// Points for Gauss-Newton, at first and at most: about as many rows as parameters suffice while the
/// damping is large, several times as many are needed when it is not.
fn enough(problem: &Problem, plan: &Plan) -> (usize, usize) {
    let least = first_points(plan);
    let affordable =
        |&times: &usize| extent_with(problem, plan, times * least).flops(Solver::Auto) <= MOST_GROWN;
    (least, (1..=12).rev().find(affordable).unwrap_or(1) * least)
}

fn first_points(plan: &Plan) -> usize {
    let (rows, fewest) = first_rows(plan);
    (rows / residuals_inside(plan)).max(fewest)
}

/// Why there are so many [`first_points`].
pub(super) fn why_first_points(plan: &Plan) -> String {
    let (rows, fewest) = first_rows(plan);
    if rows / residuals_inside(plan) < fewest {
        return format!("fewer than {fewest} would leave gaps in the domain");
    }
    match plan.parameter_count() {
        parameters if parameters > MOST_SQUARE => format!(
            "{FEW_ROWS} residuals suffice at first: as many as the {parameters} parameters would make steps expensive"
        ),
        _ => "about as many residuals as parameters suffice at first".to_owned(),
    }
}

/// Rows of a first step inside the domain, and the fewest points for them.
fn first_rows(plan: &Plan) -> (usize, usize) {
    match plan.parameter_count() {
        parameters if parameters > MOST_SQUARE => (FEW_ROWS, 256),
        parameters => (parameters, 512),
    }
}

fn residuals_inside(plan: &Plan) -> usize {
    let inside = plan.terms.iter().filter(|term| term.source == Source::Interior);
    inside.map(|term| term.residuals.len()).sum::<usize>().max(1)
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
[network]
depth = 4
"#;

    fn settled(overrides: &[&str], precision: Precision) -> Vec<Settings> {
        let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
        let problem = parse_with(PROBLEM, &overrides).expect("it is right");
        settle(&problem, &plan(&problem).expect("a plan"), Device::Cpu, precision).phases
    }

    fn moves(settings: &Settings) -> bool {
        settings.sampling.adaptive.moves()
    }

    fn methods(overrides: &[&str], precision: Precision) -> Vec<Method> {
        settled(overrides, precision).iter().map(|settings| settings.method).collect()
    }

    #[test]
    fn small_networks_get_second_order_and_large_or_coarse_ones_first_order() {
        let first_order = [Method::Adam, Method::Lbfgs { memory: 30 }];
        let second_order = [Method::GAUSS_NEWTON];
        for width in ["network.width=20", "network.width=128"] {
            assert_eq!(methods(&[width], Precision::F64), second_order);
            assert_eq!(methods(&[width], Precision::F32), first_order);
        }
        assert_eq!(methods(&["network.width=300"], Precision::F64), first_order);
        let stated = methods(&["network.width=300", "training.optimizer=gauss-newton"], Precision::F64);
        assert_eq!(stated, second_order);
        // A GPU has a step of larger networks in no longer a time, up to some size.
        for (width, wanted) in [(300, &second_order[..]), (2000, &first_order[..])] {
            let problem = parse_with(PROBLEM, &[format!("network.width={width}")]).expect("it is right");
            let settled = settle(&problem, &plan(&problem).expect("a plan"), Device::Cuda, Precision::F64);
            assert_eq!(
                settled.phases.iter().map(|phase| phase.method).collect::<Vec<_>>(),
                wanted,
                "{width}"
            );
        }
    }

    #[test]
    fn stated_points_are_kept_and_others_may_grow() {
        let stated = settled(&["training.points=77"], Precision::F64);
        assert_eq!((stated[0].points, stated[0].most_points), (77, 77));
        let open = settled(&["training.most_points=9999"], Precision::F64);
        assert_eq!((open[0].resample, moves(&open[0]), open[0].most_points), (Some(1), true, 9999));
        let fixed = settled(&["training.resample=0", "training.adaptive=false"], Precision::F64);
        assert_eq!((fixed[0].resample, moves(&fixed[0])), (None, false));
    }

    #[test]
    fn larger_networks_move_in_subspaces_and_points_grow_as_far_as_they_cost() {
        let of = |width: &str| {
            let problem = parse_with(PROBLEM, &[format!("network.width={width}")]).expect("it is right");
            let plan = plan(&problem).expect("a plan");
            (
                extent(&problem, &plan).best(),
                settle(&problem, &plan, Device::Cpu, Precision::F64).phases[0].most_points,
            )
        };
        assert_eq!(of("20"), (Solver::NormalEquations, 12 * 1321));
        assert_eq!(of("128"), (Solver::Subspace, 12 * 2048));
    }

    #[test]
    fn self_scaled_broyden_gets_fresh_points_now_and_then_unless_the_file_says_otherwise() {
        let open = settled(&["training.optimizer=ssbroyden"], Precision::F64);
        assert_eq!((open[0].points, open[0].resample, moves(&open[0])), (4096, Some(100), true));
        assert!(!open[0].sampling.causal);
        let fixed = ["training.optimizer=ssbroyden", "training.resample=0", "training.adaptive=false"];
        let fixed = settled(&fixed, Precision::F64);
        assert_eq!((fixed[0].resample, moves(&fixed[0])), (None, false));
    }

    #[test]
    fn between_points_of_many_dimensions_there_is_more_than_a_network_can_guess() {
        let of = |count: usize, method: &str| {
            let text = format!(
                "[domain]\nx = {{ range = [0, 1], count = {count} }}\n[unknowns]\nu = {{}}\n[equations]\na = \"laplacian(u) = 1\"\n\
                 [conditions]\nwalls = {{ on = \"boundary\", equation = \"u = 0\" }}\n[network]\nwidth = 64\n[training]\noptimizer = \"{method}\"\n"
            );
            let problem = parse_with(&text, &[]).expect("it is right");
            let plan = plan(&problem).expect("a plan");
            let settled = settle(&problem, &plan, Device::Cpu, Precision::F64).phases;
            (settled[0].points, settled[0].resample)
        };
        assert_eq!((of(3, "adam"), of(3, "lbfgs")), ((2048, None), (2048, None)));
        assert_eq!(of(4, "adam"), (2048, Some(1)));
        assert_eq!(of(4, "lbfgs"), (4096, None));
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
