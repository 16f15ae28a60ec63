//! What was decided about phases, and why.

use super::settings::{Chosen, FEW_COORDINATES, MOST_FIXED, STEPS_PER_MOVE, why_first_points};
use super::{Settings, extent_with, table};
use equation::decide::{Decision, quoted};
use equation::problem::{Balance, Method, Order, Performance, Phase, Problem, Schedule, Solver};
use equation::taylor::Plan;
use kernel::Device;
use method::Gaps;
use train::Hardware;

/// Numbers of points, between the first and the most, for which the cheapest solver is looked for.
const LOOKS: usize = 32;

/// Whether a run states a decision in its problem file: what weights mean must not change, and neither must the method. What
/// follows from the method stays open there, so that a run that continues with another one gets what suits that.
pub(crate) fn lasts(decision: &Decision) -> bool {
    match decision.key.split_once('.') {
        Some(("training", key)) => key == "windows" || key.ends_with("optimizer"),
        Some(("conditions", rest)) => !rest.ends_with(".points"),
        Some(_) | None => true,
    }
}

/// What a file states about lengths of steps that no method of the training reads.
pub(crate) fn without_effect(problem: &Problem, phases: &[Settings]) -> Option<String> {
    if phases.iter().any(|phase| phase.method.traits().order == Order::First) {
        return None;
    }
    let any = |stated: fn(&Phase) -> bool| problem.training.phases.iter().any(stated);
    let keys = [
        ("`schedule`", any(|phase| phase.schedule != Schedule::Constant)),
        ("`clip`", any(|phase| !phase.clip.is_empty())),
    ];
    let keys: Vec<&str> = keys.into_iter().filter_map(|(key, stated)| stated.then_some(key)).collect();
    let (title, have) = (phases.first()?.method.title(), if keys.len() == 1 { "has" } else { "have" });
    (!keys.is_empty()).then(|| {
        format!("{} {have} no effect: {title} finds the length of its steps itself", keys.join(" and "))
    })
}

/// A way of balancing that a file names for a method that has its own.
pub(crate) fn other_balance(problem: &Problem, phases: &[Settings]) -> Option<String> {
    let named = problem.training.phases.iter().filter_map(|phase| phase.balance);
    let named = named.filter(|balance| balance.every().is_some()).map(Balance::name).next()?;
    let follows = |phase: &Settings| phase.method.traits().order == Order::First;
    let first = phases.first().filter(|_| !phases.iter().any(follows))?;
    Some(format!(
        "`balance = \"{named}\"` has no effect: {} does not follow the gradient",
        first.method.title()
    ))
}

/// Learning rates that never reach what the file states.
pub(crate) fn endless_warmups(phases: &[Settings]) -> Vec<String> {
    let line = |phase: &Settings| {
        let (Schedule::Cosine { warmup }, Some(steps)) = (phase.schedule, phase.budget.steps) else {
            return None;
        };
        let follows = phase.method.traits().order == Order::First;
        (follows && steps > 0 && warmup >= steps).then(|| {
            format!("`warmup = {warmup}` is longer than its phase of {steps} steps: `learning_rate` only rises, and is not reached")
        })
    };
    phases.iter().filter_map(line).collect()
}

/// What a file states about batches where no step visits any: devices take all points of a step in blocks anyway, and add up their
/// gradients.
pub(crate) fn without_batches(problem: &Problem, phases: &[Settings]) -> Option<String> {
    if phases.iter().any(|phase| phase.batch.is_some())
        || problem.data.iter().any(|data| data.batch.is_some())
    {
        return None;
    }
    let keys = [
        ("`accumulate`", phases.iter().any(|phase| phase.accumulate > 1)),
        ("`workers`", problem.performance.workers.is_some()),
        ("`prefetch`", problem.performance.prefetch.is_some()),
    ];
    let keys: Vec<&str> = keys.into_iter().filter_map(|(key, stated)| stated.then_some(key)).collect();
    let have = if keys.len() == 1 { "has" } else { "have" };
    let why = "every step visits all points, in blocks whose gradients add up (training.batch, or `batch` of a table in [data], has it visit some)";
    (!keys.is_empty()).then(|| format!("{} {have} no effect: {why}", keys.join(" and ")))
}

/// Keys that choose kernels of a GPU, where there are none to choose.
pub(crate) fn idle(performance: &Performance, hardware: Hardware) -> Option<String> {
    match hardware {
        Hardware::Accelerator => return None,
        Hardware::Cpu => {}
    }
    let keys = [("`compile`", performance.compile.is_some()), ("`tiles`", performance.tiles.is_some())];
    let keys: Vec<&str> = keys.into_iter().filter_map(|(key, stated)| stated.then_some(key)).collect();
    let have = if keys.len() == 1 { "has" } else { "have" };
    let any = !keys.is_empty();
    any.then(|| format!("{} {have} no effect: a CPU has no kernels to choose", keys.join(" and ")))
}

/// What the phases of a file leave open.
pub(super) fn decisions(problem: &Problem, plan: &Plan, device: Device, all: &[Chosen]) -> Vec<Decision> {
    let phases = problem.training.phases.iter().zip(all);
    let split = all.iter().filter(|chosen| chosen.phases.len() > 1).find_map(|chosen| chosen.choice);
    if let Some(choice) = split {
        let tables = phases.flat_map(|(phase, chosen)| {
            let with_solver = move |settings| (settings, solver(problem, plan, device, phase, settings));
            let tables = chosen.phases.iter().map(with_solver);
            tables.map(move |(settings, solver)| table::of(problem, phase, settings, solver.as_ref()))
        });
        let value = format!("[{}]", tables.collect::<Vec<_>>().join(", "));
        return vec![Decision::new("training.phase", value, choice.why())];
    }
    let phases = phases.enumerate().flat_map(|(number, (phase, chosen))| {
        let prefix =
            if problem.training.listed { format!("training.phase.{number}") } else { "training".to_owned() };
        let mut decisions = Vec::new();
        for settings in &chosen.phases {
            let name = quoted(settings.method.name());
            decisions.extend(chosen.choice.map(|choice| Decision::new("optimizer", name, choice.why())));
            decisions.extend(solver(problem, plan, device, phase, settings));
            decisions.extend(points(problem, plan, phase, settings));
            decisions.extend(manner(problem, phase, settings));
        }
        let within = move |it: Decision| Decision { key: format!("{prefix}.{}", it.key), ..it };
        decisions.into_iter().map(within)
    });
    phases.collect()
}

/// How Gauss-Newton solves its equations, if that is open: one way where it is the cheapest for all numbers of points, else
/// whichever is at each step.
fn solver(
    problem: &Problem,
    plan: &Plan,
    device: Device,
    phase: &Phase,
    settings: &Settings,
) -> Option<Decision> {
    let Method::GaussNewton { .. } = settings.method else { return None };
    if phase.solver.is_some() {
        return None;
    }
    let best = |points: usize| extent_with(problem, plan, points).best_on(device.hardware());
    let (first, most) = (settings.points, settings.most_points.max(settings.points));
    let looks = (0..=LOOKS).map(|look| first + (most - first) * look / LOOKS);
    let mut ways: Vec<Solver> = looks.map(best).collect();
    ways.dedup();
    let (value, why) = match ways[..] {
        [] | [_] if !problem.data.is_empty() => {
            (Solver::Auto, "measurements count too: whichever way is cheapest at a step".to_owned())
        }
        [only] => (only, why_solver(only).to_owned()),
        _ => {
            let names: Vec<&str> = ways.iter().map(|way| way.name()).collect();
            (Solver::Auto, format!("the cheapest way changes as points grow: {}", names.join(", then ")))
        }
    };
    Some(Decision::new("solver", quoted(value.name()), why))
}

fn why_solver(solver: Solver) -> &'static str {
    match solver {
        Solver::NormalEquations | Solver::Woodbury => {
            "it is the cheapest way to an exact step with these numbers of residuals and parameters"
        }
        Solver::Subspace => "random subspaces cost a fraction of an exact step with so many parameters",
        Solver::Sketch => "sketched residuals are the fastest way with so many parameters",
        Solver::ConjugateGradients => "the matrices of other ways have no room",
        Solver::Auto => "it is the cheapest at each step",
    }
}

fn points(problem: &Problem, plan: &Plan, phase: &Phase, settings: &Settings) -> Vec<Decision> {
    if phase.points.is_some() {
        return Vec::new();
    }
    let (title, traits) = (settings.method.title(), settings.method.traits());
    let coordinates = problem.domain.len();
    let why = match traits.points {
        None => why_first_points(plan),
        Some(usual) if usual == settings.points => format!("this is usual for {title}"),
        Some(_) if plan.parameter_count() > MOST_FIXED => {
            format!("{coordinates} coordinates leave gaps between fewer, and more would make steps expensive")
        }
        Some(_) => format!("one for each parameter, as {coordinates} coordinates leave gaps between fewer"),
    };
    let mut decisions = vec![Decision::new("points", settings.points.to_string(), why)];
    if phase.most_points.is_none() && settings.most_points != settings.points {
        let why = match settings.sampling.adaptive.grows() {
            true => "points are added until there are twice as many",
            false => "points grow while damping falls, as far as a step stays cheap",
        };
        decisions.push(Decision::new("most_points", settings.most_points.to_string(), why));
    }
    decisions
}

/// When points are drawn, and how they and their equations are weighed.
fn manner(problem: &Problem, phase: &Phase, settings: &Settings) -> Vec<Decision> {
    let (title, coordinates) = (settings.method.title(), problem.domain.len());
    let mut decisions = Vec::new();
    if phase.resample.is_none() {
        let steps = settings.resample.unwrap_or(0);
        let why = match settings.resample {
            Some(1) if settings.method.traits().resample != 1 && coordinates > FEW_COORDINATES => {
                format!("{coordinates} coordinates leave gaps between any fixed points")
            }
            Some(1) => format!(
                "{title} draws fresh collocation points at every step, against overfitting to fixed ones"
            ),
            Some(STEPS_PER_MOVE) if settings.method.traits().resample == 0 => {
                "the list of `sampling` moves points now and then".to_owned()
            }
            Some(_) => format!("{title} keeps its memory while points change now and then"),
            None => match settings.method.traits().gaps {
                Gaps::FreshPoints => {
                    format!(
                        "with at most {FEW_COORDINATES} coordinates fixed points leave few gaps: {title} needs no fresh ones"
                    )
                }
                Gaps::PointPerParameter | Gaps::Nothing => {
                    format!("{title} compares gradients of successive steps, which needs the same points")
                }
            },
        };
        decisions.push(Decision::new("resample", steps.to_string(), why));
    }
    if phase.adaptive.is_none() && phase.sampling.is_none() {
        let why = match settings.sampling.adaptive.moves() {
            true => "residual-based adaptive sampling: more points where residuals are large",
            false => "no adaptive sampling by default with this optimizer: points are spread evenly",
        };
        decisions.push(Decision::new("adaptive", settings.sampling.adaptive.moves().to_string(), why));
    }
    if phase.causal.is_none() && phase.sampling.is_none() && problem.time().is_some() {
        let why = match (settings.sampling.causal, settings.method.traits().order) {
            (true, _) => "causal training: early times before late ones",
            (false, Order::Second) => {
                "causal training needs an initial condition that all follows from, and fresh points at every step"
            }
            (false, Order::First | Order::Quasi) => "causal training by default with Gauss-Newton only",
        };
        decisions.push(Decision::new("causal", settings.sampling.causal.to_string(), why));
    }
    if phase.guard.is_none() {
        let why = match settings.method.traits().order {
            Order::First => "steps that go wrong are skipped, mended or taken back, by severity",
            Order::Quasi | Order::Second => {
                "the optimizer judges its steps itself; what it cannot make good ends training"
            }
        };
        decisions.push(Decision::new("guard", quoted(settings.guard.policy.name()), why));
    }
    if let (None, Some(check)) = (phase.gradient_check, settings.gradient_check) {
        let why = "fewer digits than those of f32 may not be enough";
        decisions.push(Decision::new("gradient_check", check.written(), why));
    }
    if phase.balance.is_none() && settings.balance != Balance::Off {
        let why = "conditions without weights are balanced against the equations";
        decisions.push(Decision::new("balance", "true", why));
    }
    decisions
}
