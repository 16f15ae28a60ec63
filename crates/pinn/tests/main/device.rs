//! Training on a device that takes series of steps and draws points by itself. The CPU stands in for it.

mod shapes;

use pinnace::decide::settle;
use pinnace::optimize::Adam;
use pinnace::sample::{draw, recipe};
use pinnace::trainer::{Equations, Surroundings, train};
use pinnace::{Event, Experiment, Fallback, Objective, Precision, Sink, Snapshot, TrainError};
use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Walls, a corner, a wrap, an inner plane; nothing is exact by construction.
const PROBLEM: &str = r#"
[domain]
t = [0, 2]
x = [-1, 3]
y = [0, 1]
[unknowns]
u = {}
[equations]
heat = "u_t = u_xx + u_yy"
[conditions]
start = { on = "t = 0", equation = "u = sin(x)*y", weight = 3, points = 5 }
walls = { on = "x = -1, x = 3", equation = "dn(u) = 1", weight = 2, points = 6 }
corner = { on = "t = 2, x = 0, y = 0", equation = "u = 0.1" }
around = { periodic = "y", points = 4 }
[network]
width = 5
depth = 2
[training]
hard_constraints = "off"
points = 12
optimizer = "adam"
learning_rate = 0.01
"#;

fn open(training: &str) -> Experiment {
    open_with(training, &[])
}

fn open_with(training: &str, overrides: &[String]) -> Experiment {
    let text = format!("{PROBLEM}{training}");
    Experiment::from_text("heat", &text, Path::new("."), overrides).unwrap_or_else(|error| panic!("{error}"))
}

fn on_processor(experiment: &Experiment) -> Objective {
    let kernel = kernel::Kernel::compile(experiment.plan(), pinnace::Device::Cpu, Precision::F64);
    Objective::new(kernel.expect("a kernel"), Vec::new())
}

fn stand_in(experiment: &Experiment) -> kernel::Kernel {
    kernel::Kernel::compile_for_stand_in(experiment.plan(), Precision::F64).expect("a C++ compiler")
}

#[test]
fn points_drawn_by_a_device_are_those_of_the_host_bit_for_bit() {
    for sampler in ["uniform", "sobol", "latin-hypercube"] {
        let experiment = open(&format!("seed = 77\nsampler = \"{sampler}\"\n"));
        let (problem, plan, tables) = (experiment.problem(), experiment.plan(), experiment.tables());
        let settings = &experiment.settled()[0];
        let recipe = recipe(problem, plan, tables, settings.draw(problem, 0)).expect("no filters");
        let mut device = stand_in(&experiment);
        for number in [0, 1, 2, 1 << 40] {
            let wanted = draw(problem, plan, tables, settings.draw(problem, number)).expect("points");
            assert_eq!(device.draw(&recipe, number, 0).expect("memory"), wanted, "{sampler}, draw {number}");
            assert_eq!(wanted.iter().map(pinnace::Points::len).sum::<usize>(), recipe.point_count());
        }
    }
}

/// Keeps losses, and states between series.
#[derive(Default)]
struct Keeper {
    losses: Vec<f64>,
    states: Vec<Snapshot>,
    plans: usize,
    fallbacks: Vec<Fallback>,
}

impl Sink for Keeper {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Step(taken) => self.losses.push(taken.losses.total),
            Event::Note(note) if note.kind == "memory" => {
                assert!(note.data["bytes"].as_u64() > Some(0));
                self.plans += 1;
            }
            Event::Fallback(fallback) => self.fallbacks.push(fallback.clone()),
            _ => {}
        }
    }

    fn wants_state(&mut self, _seconds: f64) -> bool {
        true
    }

    fn state(&mut self, state: &Snapshot) {
        self.states.push(state.clone());
    }
}

fn causes(fallbacks: &[Fallback]) -> Vec<&str> {
    fallbacks.iter().map(|fallback| fallback.cause.as_str()).collect()
}

/// Trains from a snapshot, with a clock that moves by `tick` seconds whenever someone looks at it.
fn run(
    experiment: &Experiment,
    objective: &mut Objective,
    now: Snapshot,
    tick: f64,
) -> Result<(Snapshot, Keeper, Vec<f64>), TrainError> {
    run_with(experiment, objective, now, (tick, 1))
}

/// The same with so many threads that find batches.
fn run_with(
    experiment: &Experiment,
    objective: &mut Objective,
    mut now: Snapshot,
    (tick, workers): (f64, usize),
) -> Result<(Snapshot, Keeper, Vec<f64>), TrainError> {
    let (mut keeper, time) = (Keeper::default(), Cell::new(0.0));
    let clock = || time.replace(time.get() + tick);
    let stop = AtomicBool::new(false);
    let surroundings = Surroundings { stop: &stop, clock: &clock };
    let (problem, plan, tables) = (experiment.problem(), experiment.plan(), experiment.tables());
    let phases = settle(problem, plan, objective.kernel().device(), objective.kernel().precision()).phases;
    let task = Equations::new((problem, plan), &phases, tables, objective);
    let mut task = task.with_workers(workers);
    let outcome = train(&mut task, &mut now, surroundings, &mut keeper)?;
    (now.seconds, now.phase_seconds) = (0.0, 0.0);
    Ok((now, keeper, outcome.losses.mean_squares))
}

#[test]
fn series_of_steps_take_the_steps_of_the_processor_whatever_their_length() {
    for training in [
        "seed = 3\nresample = 7\nbudget = \"45 steps\"\nschedule = { kind = \"cosine\", warmup = 5 }\n",
        "resample = 1\nsampler = \"latin-hypercube\"\nbudget = \"34 steps\"\n",
    ] {
        let experiment = open(training);
        let wanted =
            run(&experiment, &mut on_processor(&experiment), experiment.start(), 0.0).expect("steps");
        let mut device = Objective::new(stand_in(&experiment), Vec::new());
        let long = run(&experiment, &mut device, experiment.start(), 0.0).expect("steps");
        // Series shorten to a single step.
        let short = run(&experiment, &mut device, experiment.start(), 1.0).expect("steps");
        assert_eq!((long.1.plans, wanted.1.plans), (1, 0));
        assert_eq!(long.0, short.0, "{training}");
        assert_eq!((&long.1.losses, &long.2), (&short.1.losses, &short.2));
        assert_eq!((long.0.steps, long.0.task.count("draw")), (wanted.0.steps, wanted.0.task.count("draw")));
        assert!(short.1.states.len() > long.1.states.len(), "series have other lengths");
        assert_eq!(wanted.1.losses.len(), long.1.losses.len());
        for (got, wanted) in long.1.losses.iter().zip(&wanted.1.losses) {
            assert!((got - wanted).abs() <= 1e-6 * wanted, "{got} instead of {wanted}");
        }
        // Going on from a state that was kept gives the same bits.
        let middle = &short.1.states[1];
        assert!(middle.phase_step > 0 && middle.phase_step < long.0.phase_step);
        let again = run(&experiment, &mut device, middle.clone(), 0.0).expect("steps");
        assert_eq!((again.0, again.2), (long.0, long.2), "{training}");
    }
}

#[test]
fn series_by_other_rules_take_the_steps_of_the_processor_whatever_their_length() {
    for method in ["training.optimizer=rmsprop", "training.optimizer=sgd"] {
        let overrides = [method.to_owned(), "training.learning_rate=0.001".to_owned()];
        let experiment = open_with("seed = 3\nresample = 7\nbudget = \"38 steps\"\n", &overrides);
        let (_, wanted, _) =
            run(&experiment, &mut on_processor(&experiment), experiment.start(), 0.0).expect("steps");
        let mut device = Objective::new(stand_in(&experiment), Vec::new());
        let long = run(&experiment, &mut device, experiment.start(), 0.0).expect("steps");
        let short = run(&experiment, &mut device, experiment.start(), 1.0).expect("steps");
        assert_eq!((&long.0, &long.1.losses, &long.2), (&short.0, &short.1.losses, &short.2), "{method}");
        assert_eq!((long.1.plans, causes(&long.1.fallbacks).len()), (1, 0), "it takes them by itself");
        for (got, wanted) in long.1.losses.iter().zip(&wanted.losses) {
            assert!((got - wanted).abs() <= 1e-6 * wanted, "{method}: {got} instead of {wanted}");
        }
        let middle = &short.1.states[1];
        let again = run(&experiment, &mut device, middle.clone(), 0.0).expect("steps");
        assert_eq!((again.0, again.2), (long.0, long.2), "{method}");
    }
}

#[test]
fn methods_that_take_their_steps_on_the_host_get_gradients_from_a_device_and_say_so() {
    for (method, steps) in [("soap", 12), ("muon", 12), ("nncg", 2)] {
        let overrides = [format!("training.optimizer={method}")];
        let experiment = open_with(&format!("budget = \"{steps} steps\"\n"), &overrides);
        let (_, wanted, _) =
            run(&experiment, &mut on_processor(&experiment), experiment.start(), 0.0).expect("steps");
        let mut device = Objective::new(stand_in(&experiment), Vec::new());
        let (_, found, _) = run(&experiment, &mut device, experiment.start(), 0.0).expect("steps");
        assert_eq!((causes(&found.fallbacks), found.losses.len()), (vec!["optimizer"], steps), "{method}");
        assert!(found.fallbacks[0].why.contains("on the host"), "{:?}", found.fallbacks);
        assert_eq!(causes(&wanted.fallbacks).len(), 0, "a processor has nothing to say");
        for (got, wanted) in found.losses.iter().zip(&wanted.losses) {
            // Where a gradient has no direction, rounding chooses the bases of SOAP.
            let tolerance = if method == "soap" { 0.05 } else { 1e-5 };
            assert!((got - wanted).abs() <= tolerance * wanted, "{method}: {got} instead of {wanted}");
        }
    }
}

#[test]
fn a_series_ends_by_its_loss_where_single_steps_end_and_before_one_that_is_no_number() {
    let bound = {
        let probe = open("budget = \"40 steps\"\n");
        let (_, keeper, _) = run(&probe, &mut on_processor(&probe), probe.start(), 0.0).expect("steps");
        keeper.losses[34] * 1.001
    };
    let experiment = open(&format!("budget = {{ steps = 40, loss = {bound} }}\n"));
    let mut device = Objective::new(stand_in(&experiment), Vec::new());
    let long = run(&experiment, &mut device, experiment.start(), 0.0).expect("steps");
    let short = run(&experiment, &mut device, experiment.start(), 1.0).expect("steps");
    assert!(long.0.steps <= 35 && long.0.loss < bound);
    assert_eq!(long.0, short.0);

    let mut start = experiment.start();
    start.parameters[0] = f64::NAN;
    let ended = run(&experiment, &mut device, start, 0.0);
    assert!(matches!(ended, Err(TrainError::NonFiniteResidual { step: 0, .. })));
}

#[test]
fn gauss_newton_on_a_device_takes_the_steps_of_the_processor_and_goes_on_from_a_state() {
    let experiment = open_with(
        "seed = 5\nresample = 3\nbudget = \"8 steps\"\n",
        &["training.optimizer=gauss-newton".to_owned()],
    );
    let wanted = run(&experiment, &mut on_processor(&experiment), experiment.start(), 0.0).expect("steps");
    let mut device = Objective::new(stand_in(&experiment), Vec::new());
    let got = run(&experiment, &mut device, experiment.start(), 0.0).expect("steps");
    assert_eq!((got.0.steps, got.0.evaluations), (8, wanted.0.evaluations));
    assert_eq!(got.0.task.count("draw"), wanted.0.task.count("draw"));
    assert_eq!((got.1.plans, wanted.1.plans), (1, 0), "the memory of equations is told once");
    assert_eq!(got.1.losses.len(), wanted.1.losses.len());
    for (got, wanted) in got.1.losses.iter().zip(&wanted.1.losses) {
        assert!((got - wanted).abs() <= 1e-6 * wanted, "{got} instead of {wanted}");
    }
    let middle = &got.1.states[4];
    assert!(middle.phase_step > 0 && middle.phase_step < got.0.phase_step);
    let again = run(&experiment, &mut device, middle.clone(), 0.0).expect("steps");
    assert_eq!((again.0, again.2), (got.0, got.2));
}

#[test]
fn methods_that_remember_steps_keep_their_vectors_on_a_device_and_go_on_from_a_state() {
    for method in [&["training.optimizer=lbfgs", "training.memory=4"][..], &["training.optimizer=ssbroyden"]]
    {
        let experiment = open_with(
            "seed = 5\nresample = 12\nbudget = \"17 steps\"\n",
            &method.iter().map(|&setting| setting.to_owned()).collect::<Vec<_>>(),
        );
        let wanted =
            run(&experiment, &mut on_processor(&experiment), experiment.start(), 0.0).expect("steps");
        let mut device = Objective::new(stand_in(&experiment), Vec::new());
        let got = run(&experiment, &mut device, experiment.start(), 0.0).expect("steps");
        assert_eq!((got.0.steps, got.0.evaluations), (17, wanted.0.evaluations), "{method:?}");
        for (step, (got, wanted)) in got.1.losses.iter().zip(&wanted.1.losses).enumerate() {
            assert!(
                (got - wanted).abs() <= 1e-6 * wanted,
                "{method:?}, step {step}: {got} instead of {wanted}"
            );
        }
        for middle in [&got.1.states[3], &got.1.states[9]] {
            assert!(middle.phase_step > 0 && middle.phase_step < got.0.phase_step);
            let again = run(&experiment, &mut device, middle.clone(), 0.0).expect("steps");
            assert_eq!((&again.0, &again.2), (&got.0, &got.2), "{method:?}");
        }
    }
}

#[test]
fn methods_whose_vectors_have_no_room_on_a_device_keep_them_on_the_host() {
    let experiment = open_with("budget = \"5 steps\"\n", &["training.optimizer=ssbroyden".to_owned()]);
    let wanted = run(&experiment, &mut on_processor(&experiment), experiment.start(), 0.0).expect("steps");
    let mut kernel = stand_in(&experiment);
    kernel.limit_device_bytes(Some(60_000));
    let mut objective = Objective::new(kernel, Vec::new());
    let got = run(&experiment, &mut objective, experiment.start(), 0.0).expect("steps");
    assert!(objective.kernel().device_bytes() <= 60_000);
    assert_eq!(causes(&got.1.fallbacks), ["vectors"], "{:?}", got.1.fallbacks);
    assert!(got.1.fallbacks[0].why.contains("--memory-limit"));
    assert_eq!(wanted.1.fallbacks, [], "a processor has no other way");
    for (got, wanted) in got.1.losses.iter().zip(&wanted.1.losses) {
        assert!((got - wanted).abs() <= 1e-6 * wanted, "{got} instead of {wanted}");
    }
}

#[test]
fn gauss_newton_solves_for_few_rows_on_a_device_and_on_the_host_where_that_has_no_room() {
    let method = ["optimizer=gauss-newton", "solver=woodbury", "points=30", "adaptive=false"];
    let experiment =
        open_with("budget = \"6 steps\"\n", &method.map(|setting| format!("training.{setting}")));
    let wanted = run(&experiment, &mut on_processor(&experiment), experiment.start(), 0.0).expect("steps");
    for limit in [None, Some(100_000)] {
        let mut kernel = stand_in(&experiment);
        kernel.limit_device_bytes(limit);
        let mut objective = Objective::new(kernel, Vec::new());
        let got = run(&experiment, &mut objective, experiment.start(), 0.0).expect("steps");
        assert!(objective.kernel().device_bytes() <= limit.unwrap_or(usize::MAX));
        assert_eq!(got.0.evaluations, wanted.0.evaluations);
        for (got, wanted) in got.1.losses.iter().zip(&wanted.1.losses) {
            assert!((got - wanted).abs() <= 1e-6 * wanted, "{limit:?}: {got} instead of {wanted}");
        }
        let told = &got.1.fallbacks[..];
        assert_eq!(told.len(), usize::from(limit.is_some()), "once, for all steps: {told:?}");
        assert!(told.iter().all(|told| told.cause == "equations"), "{told:?}");
    }
}

#[test]
fn normal_equations_are_added_up_on_the_host_where_a_device_has_no_room_for_them() {
    let method = ["optimizer=gauss-newton", "solver=normal-equations", "points=30", "adaptive=false"];
    let experiment =
        open_with("budget = \"3 steps\"\n", &method.map(|setting| format!("training.{setting}")));
    let wanted = run(&experiment, &mut on_processor(&experiment), experiment.start(), 0.0).expect("steps");
    let mut kernel = stand_in(&experiment);
    kernel.limit_device_bytes(Some(60_000));
    let mut objective = Objective::new(kernel, Vec::new());
    let got = run(&experiment, &mut objective, experiment.start(), 0.0).expect("steps");
    assert_eq!(causes(&got.1.fallbacks), ["equations"], "{:?}", got.1.fallbacks);
    for (got, wanted) in got.1.losses.iter().zip(&wanted.1.losses) {
        assert!((got - wanted).abs() <= 1e-6 * wanted, "{got} instead of {wanted}");
    }
}

#[test]
fn steps_that_go_layer_by_layer_on_a_device_say_why() {
    let told = |overrides: &[&str]| {
        let overrides: Vec<String> = overrides.iter().map(|&setting| setting.to_owned()).collect();
        let experiment = open_with("budget = \"1 steps\"\n", &overrides);
        let mut device = Objective::new(stand_in(&experiment), Vec::new());
        run(&experiment, &mut device, experiment.start(), 0.0).expect("a step").1.fallbacks
    };
    assert_eq!(told(&[]), []);
    let wired = [
        "network.kind=modified-mlp",
        "network.kind=residual",
        "network.kind=piratenet",
        "network.kind=separable",
        "network.factorized=true",
        "network.adaptive=layer",
    ];
    for network in wired {
        // Of two layers, a residual network is a chain.
        let told = told(&[network, "network.depth=3"]);
        assert_eq!(causes(&told), ["layers"], "{network}");
        assert!(told[0].why.contains("hidden layers of one width"), "{network}: {}", told[0].why);
    }
    let rows = |network: &str| told(&[network, "training.optimizer=gauss-newton", "training.points=30"]);
    assert_eq!(causes(&rows("network.kind=mlp")), [""; 0]);
    assert_eq!(causes(&rows("network.kind=piratenet")), ["layers"]);
}

#[test]
fn gauss_newton_in_random_subspaces_takes_the_steps_of_the_processor_on_a_device() {
    check_solvers(&[("subspace", 4, &[None, Some(500_000)])]);
}

#[test]
#[ignore = "a minute"]
fn gauss_newton_by_conjugate_gradients_and_sketches_takes_the_steps_of_the_processor_on_a_device() {
    check_solvers(&[("conjugate-gradients", 1, &[None]), ("sketch", 3, &[None, Some(500_000)])]);
}

/// Steps by some solvers on a device, with memory limits, beside those of the processor.
fn check_solvers(solvers: &[(&str, usize, &[Option<usize>])]) {
    for &(solver, steps, limits) in solvers {
        let method = ["optimizer=gauss-newton", &format!("solver={solver}"), "points=30", "adaptive=false"];
        let experiment = open_with(
            &format!("budget = \"{steps} steps\"\n"),
            &method.map(|setting| format!("training.{setting}")),
        );
        let wanted =
            run(&experiment, &mut on_processor(&experiment), experiment.start(), 0.0).expect("steps");
        for &limit in limits {
            let mut kernel = stand_in(&experiment);
            kernel.limit_device_bytes(limit);
            let mut objective = Objective::new(kernel, Vec::new());
            let got = run(&experiment, &mut objective, experiment.start(), 0.0).expect("steps");
            let bytes = objective.kernel().device_bytes();
            assert!(bytes <= limit.unwrap_or(usize::MAX), "{bytes}");
            assert_eq!(got.0.evaluations, wanted.0.evaluations, "{solver}");
            for (got, wanted) in got.2.iter().zip(&wanted.2) {
                assert!((got - wanted).abs() <= 1e-5 * wanted, "{solver}: {got} instead of {wanted}");
            }
        }
    }
}

#[test]
fn gradients_that_are_no_numbers_end_gauss_newton_on_a_device() {
    let experiment = open_with("budget = \"8 steps\"\n", &["training.optimizer=gauss-newton".to_owned()]);
    let mut start = experiment.start();
    start.parameters[0] = f64::NAN;
    let ended = run(&experiment, &mut Objective::new(stand_in(&experiment), Vec::new()), start, 0.0);
    assert!(matches!(ended, Err(TrainError::NonFiniteResidual { step: 0, .. })));
}

#[test]
fn only_methods_with_a_rule_are_taken_by_devices() {
    use pinnace::optimize::{Optimizer, QuasiNewton};
    assert!(Adam::new(3).update().is_some());
    assert!(QuasiNewton::limited(3, 2).update().is_none());
}

#[test]
fn fresh_points_that_come_from_the_host_are_told_once_with_their_reason() {
    let told = |overrides: &[&str]| {
        let overrides: Vec<String> = overrides.iter().map(|&setting| setting.to_owned()).collect();
        let experiment = open_with("budget = \"4 steps\"\n", &overrides);
        let mut device = Objective::new(stand_in(&experiment), Vec::new());
        run(&experiment, &mut device, experiment.start(), 0.0).expect("steps").1.fallbacks
    };
    let halton = told(&["training.resample=1", "training.sampler=halton"]);
    assert_eq!(causes(&halton), ["points"], "{halton:?}");
    assert!(halton[0].why.contains("not halton") && halton[0].why.contains("resample"), "{halton:?}");
    let still = told(&["training.resample=0", "training.sampler=halton"]);
    assert_eq!(still, [], "points that stay are copied once");
}
