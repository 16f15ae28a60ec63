//! Promises of the methods on whole problems.

use pinnace::{CompileMode, Device, Event, Experiment, Precision, Quiet, Sink, Stopped, TrainError, Trained};
use std::path::Path;
use std::sync::atomic::AtomicBool;

const DECAY: &str = r#"
title = "Decay"
[domain]
t = [0, 1]
[unknowns]
u = {}
[equations]
decay = "u_t = -u"
[conditions]
start = { on = "t = 0", equation = "u = 1" }
[network]
width = 8
depth = 2
[training]
points = 32
[[training.phase]]
optimizer = "adam"
learning_rate = 0.01
budget = "200 steps"
[[training.phase]]
optimizer = "lbfgs"
memory = 20
budget = "300 steps"
[reference]
u = "exp(-t)"
"#;

fn poisson(overrides: &[&str]) -> Experiment {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    Experiment::open("poisson-2d", &overrides).unwrap_or_else(|error| panic!("{error}"))
}

fn open(text: &str) -> Experiment {
    Experiment::from_text("test", text, Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn run(experiment: &Experiment) -> Trained {
    experiment.train(&AtomicBool::new(false), &mut Quiet).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn lbfgs_gets_far_lower_than_adam_in_as_many_evaluations() {
    let lbfgs = run(&poisson(&["training.optimizer=lbfgs"]).with_steps(500));
    let adam = ["training.optimizer=adam", "training.learning_rate=0.01", "training.schedule=cosine"];
    let adam = run(&poisson(&adam).with_steps(lbfgs.evaluations));
    assert_eq!(adam.evaluations, adam.steps);
    assert!(lbfgs.evaluations < 2 * lbfgs.steps, "{} evaluations", lbfgs.evaluations);
    assert!(lbfgs.losses.total < 0.1 * adam.losses.total, "{:?} {:?}", lbfgs.losses, adam.losses);
}

#[test]
fn self_scaled_broyden_gets_far_lower_than_lbfgs_in_as_many_evaluations() {
    let phases = |method: &str, steps: u64| {
        let adam = "{optimizer='adam', learning_rate=0.005, budget='300 steps'}";
        let fixed = "resample=0, adaptive=false";
        format!("training.phase=[{adam}, {{optimizer='{method}', budget='{steps} steps', {fixed}}}]")
    };
    let [broyden, lbfgs] = [("ssbroyden", 400), ("lbfgs", 900)]
        .map(|(method, steps)| run(&poisson(&["training.points=400", &phases(method, steps)])));
    assert!(broyden.evaluations < lbfgs.evaluations, "{} {}", broyden.evaluations, lbfgs.evaluations);
    assert!(broyden.losses.total < 0.01 * lbfgs.losses.total, "{:?} {:?}", broyden.losses, lbfgs.losses);
}

#[test]
fn residual_weights_do_not_keep_gauss_newton_from_six_digits() {
    let gauss_newton = |residual_weights: &str| {
        let residual_weights = format!("training.residual_weights={residual_weights}");
        let choices = ["training.optimizer=gauss-newton", "training.points=400", &residual_weights];
        let trained = run(&poisson(&choices).with_steps(40));
        trained.errors[0].as_ref().and_then(|error| error.relative_l2).unwrap_or(f64::NAN)
    };
    let (with, without) = (gauss_newton("true"), gauss_newton("false"));
    assert!(with < 1e-6 && without < 1e-6, "{with} against {without}");
}

#[test]
fn a_network_too_large_for_a_dense_method_is_refused_before_training() {
    let wide = ["training.optimizer=ssbroyden", "network.width=100", "network.depth=4"];
    let overrides: Vec<String> = wide.iter().map(|text| (*text).to_owned()).collect();
    let refused = Experiment::open("poisson-2d", &overrides);
    assert!(matches!(refused, Err(TrainError::TooLarge { parameters: 30701, .. })), "{refused:?}");
}

#[test]
fn in_single_precision_lbfgs_goes_as_far_as_in_double() {
    let steps = 1000;
    let double = run(&poisson(&["training.optimizer=lbfgs"]).with_steps(steps));
    let single =
        run(&poisson(&["training.optimizer=lbfgs"]).on(Device::Cpu, Precision::F32).with_steps(steps));
    assert_eq!((double.stopped, single.stopped), (Stopped::Steps, Stopped::Steps));
    // The two paths part at the first rounding; a search that takes rounding for a minimum is left
    // behind by a factor of ten.
    assert!(single.losses.total < 3.0 * double.losses.total, "{:?} {:?}", single.losses, double.losses);
}

#[test]
fn an_equation_in_small_units_is_trained_as_far_in_single_precision() {
    let text = pinnace::BUILT_IN.iter().find(|built_in| built_in.name == "poisson-2d").unwrap().text;
    let scaled = text
        .replace("-laplacian(u) = 2*", "-1000*laplacian(u) = 2000*")
        .replace("weight = 100", "weight = 100_000_000")
        .replace("[reference]", "[training]\noptimizer = \"lbfgs\"\n[reference]");
    let steps = 1000;
    let plain =
        run(&poisson(&["training.optimizer=lbfgs"]).on(Device::Cpu, Precision::F32).with_steps(steps));
    let scaled = run(&open(&scaled).on(Device::Cpu, Precision::F32).with_steps(steps));
    assert_eq!(scaled.stopped, Stopped::Steps);
    // Squares of a thousand times larger residuals.
    assert!(scaled.losses.total < 3e6 * plain.losses.total, "{:?} {:?}", scaled.losses, plain.losses);
}

#[test]
fn lbfgs_in_single_precision_ends_by_itself_at_the_level_of_rounding_and_says_so() {
    let trained = run(&open(DECAY).on(Device::Cpu, Precision::F32).with_steps(100_000));
    let Stopped::NoDescent { step, gradient } = trained.stopped else { panic!("{:?}", trained.stopped) };
    assert_eq!(step, trained.steps);
    // Terms of order one are rounded by 6e-8, and so is the gradient, which is linear in them: what
    // remains of it is no slope any more.
    assert!(trained.losses.total < 1e-9 && gradient < 1e-6, "{:?} {gradient}", trained.losses);
    let words = trained.stopped.to_string();
    assert!(words.starts_with("no step lowers the loss by more than rounding after step"), "{words}");
}

#[test]
fn adamw_shrinks_weights_and_leaves_the_scalars_of_the_problem() {
    let with = |optimizer: &str| {
        let (text, _) = DECAY.split_once("[[training.phase]]").unwrap();
        // Hardly anything depends on `loose`: only decay could move it.
        let text = text.replace("[unknowns]", "[parameters]\nloose = 0.7\nrate = 1\n[unknowns]");
        let text = text.replace("u_t = -u", "u_t = -rate*u + 1e-300*loose");
        run(&open(&format!("{text}budget = \"100 steps\"\nlearning_rate = 0.01\n{optimizer}\n")))
    };
    let (plain, decayed) = (with("optimizer = \"adam\""), with("optimizer = \"adamw\"\nweight_decay = 10"));
    assert_eq!((plain.scalars[0], decayed.scalars[0]), (0.7, 0.7));
    let size = |trained: &Trained| trained.parameters.iter().map(|number| number * number).sum::<f64>();
    assert!(size(&decayed) < 0.5 * size(&plain), "{} {}", size(&decayed), size(&plain));
}

/// The loss at the end of so many steps, in multiples of where it began.
fn fall(optimizer: &str, steps: u64) -> f64 {
    let (text, _) = DECAY.split_once("[[training.phase]]").unwrap();
    let mut record = Record::default();
    let trained = open(&format!("{text}{optimizer}\n[reference]\nu = \"exp(-t)\"\n"));
    let trained = trained.with_steps(steps).train(&AtomicBool::new(false), &mut record).unwrap();
    trained.losses.total / record.losses[0]
}

#[test]
fn first_order_methods_train_well_below_where_they_begin() {
    for (optimizer, wanted) in [
        ("optimizer = \"sgd\"\nlearning_rate = 0.01", 1e-2),
        ("optimizer = \"sgd\"\nnesterov = true\nlearning_rate = 0.01", 1e-2),
        ("optimizer = \"soap\"\nlearning_rate = 0.01\nschedule = \"cosine\"", 1e-4),
        ("optimizer = \"muon\"\nlearning_rate = 0.01\nschedule = \"cosine\"", 1e-3),
        ("optimizer = \"rmsprop\"\nschedule = \"cosine\"", 1e-2),
    ] {
        let found = fall(optimizer, 400);
        assert!(found < wanted, "{optimizer}: {found:e}");
    }
}

/// A method after 300 steps of Adam.
fn polished(optimizer: &str) -> Trained {
    let (text, _) = DECAY.split_once("[[training.phase]]").unwrap();
    let adam = "[[training.phase]]\noptimizer = \"adam\"\nlearning_rate = 0.01\nbudget = \"300 steps\"\n";
    let text = format!("{text}{adam}[[training.phase]]\n{optimizer}\n[reference]\nu = \"exp(-t)\"\n");
    run(&open(&text))
}

#[test]
fn nys_newton_cg_goes_far_below_where_adam_has_ended() {
    let adam = polished("optimizer = \"adam\"\nlearning_rate = 0.01\nbudget = \"1 steps\"");
    let newton = polished("optimizer = \"nncg\"\nrank = 20\nbudget = \"30 steps\"");
    assert!(newton.losses.total < 1e-2 * adam.losses.total, "{:?} {:?}", newton.losses, adam.losses);
    let error = |trained: &Trained| trained.errors[0].as_ref().unwrap().relative_l2.unwrap();
    assert!(error(&newton) < 0.2 * error(&adam), "{} {}", error(&newton), error(&adam));
}

#[test]
fn differences_of_gradients_are_refused_in_fewer_digits_than_f64_before_training() {
    let experiment = poisson(&["training.optimizer=nncg"]).on(Device::Cpu, Precision::F32);
    let refused = experiment.train(&AtomicBool::new(false), &mut Quiet);
    let Err(error @ TrainError::NeedsF64 { .. }) = refused else { panic!("{refused:?}") };
    let said = error.to_string();
    assert!(said.contains("NysNewton-CG") && said.contains("f32") && said.contains("\"f64\""), "{said}");
}

#[test]
fn fresh_points_come_when_the_file_says_so_and_lbfgs_starts_again_on_them() {
    let with = |lines: &str| DECAY.replace("points = 32", &format!("points = 32\n{lines}"));
    let kept = run(&open(DECAY));
    for sampler in ["sobol", "uniform", "latin-hypercube"] {
        let text = with(&format!("sampler = \"{sampler}\"\nresample = 50"));
        let mut record = Record::default();
        let fresh = open(&text).train(&AtomicBool::new(false), &mut record).unwrap();
        assert_ne!(fresh.parameters, kept.parameters);
        assert_eq!((fresh.steps, fresh.stopped), (500, Stopped::Steps));
        assert_eq!(fresh.parameters, run(&open(&text)).parameters);
        assert!(fresh.errors[0].as_ref().unwrap().relative_l2.unwrap() < 1e-3, "{sampler}");
        // The loss on new points is evaluated before the first step there.
        assert!(record.evaluations[250] >= record.evaluations[249] + 2);
    }
    assert_eq!(run(&open(&with("resample = 0"))).parameters, kept.parameters);
    // Longer than any phase: nothing changes.
    assert_eq!(run(&open(&with("resample = 1000"))).parameters, kept.parameters);
}

/// Remembers losses and evaluations, step by step.
#[derive(Default)]
struct Record {
    losses: Vec<f64>,
    evaluations: Vec<u64>,
    ends: Vec<Stopped>,
}

impl Sink for Record {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Step(taken) => {
                self.losses.push(taken.losses.total);
                self.evaluations.push(taken.evaluations);
            }
            Event::PhaseEnded { stopped, .. } => self.ends.push(*stopped),
            Event::Started { .. }
            | Event::StageStarted { .. }
            | Event::PhaseStarted { .. }
            | Event::Balanced { .. }
            | Event::Fallback(_)
            | Event::Incident(_)
            | Event::Note(_)
            | Event::Measured { .. }
            | Event::NotSaved { .. }
            | Event::Finished { .. } => {}
        }
    }
}

#[test]
fn adam_hands_over_to_lbfgs_where_it_stands() {
    let mut record = Record::default();
    let experiment = open(DECAY);
    let trained = experiment.train(&AtomicBool::new(false), &mut record).unwrap();
    assert_eq!(record.ends, [Stopped::Steps, Stopped::Steps]);
    assert_eq!((trained.steps, record.losses.len()), (500, 500));
    assert_eq!(record.evaluations[199], 200);
    assert_eq!(record.evaluations.last(), Some(&trained.evaluations));
    // Points and parameters stay: the second phase begins with the loss that the first one left.
    let adam = &record.losses[..200];
    assert!(record.losses[200] < adam[0] && record.losses[200] < 2.0 * adam[199]);
    // In double precision no step of the line search goes up.
    assert!(record.losses[200..].is_sorted_by(|before, after| after <= before));
    assert!(trained.losses.total < 1e-3 * record.losses[200], "{:?}", trained.losses);
    assert!(trained.errors[0].as_ref().unwrap().relative_l2.unwrap() < 1e-4);
    assert_eq!(run(&experiment).parameters, trained.parameters);
}

#[test]
fn gauss_newton_is_the_choice_for_small_networks_and_finds_seven_digits() {
    let (text, reference) = DECAY.split_once("[training]").unwrap();
    let (_, reference) = reference.split_once("[reference]").unwrap();
    let experiment = open(&format!("{text}[reference]{reference}")).with_steps(80);
    assert_eq!(experiment.decisions().find("training.optimizer").unwrap().value, "\"gauss-newton\"");
    let trained = run(&experiment);
    let error = trained.errors[0].as_ref().unwrap().relative_l2.unwrap();
    assert!(error < 1e-7, "{error:e}");
    assert_eq!(run(&experiment).parameters, trained.parameters, "runs repeat");
    let first_order = experiment.on(Device::Cpu, Precision::F32);
    let phases = first_order.decisions().find("training.phase").unwrap();
    assert!(phases.value.starts_with("[{ optimizer = \"adam\", "), "{phases}");
    assert_eq!(first_order.methods(), ["Adam", "L-BFGS"]);
}

#[test]
fn all_ways_to_solve_for_a_step_find_the_same() {
    // More parameters than rows, then fewer.
    for (width, points) in [(12, 40), (4, 300)] {
        let with = |solver: &str, steps: u64| {
            let settings =
                format!("optimizer = \"gauss-newton\"\nsolver = \"{solver}\"\npoints = {points}\n");
            let (text, _) = DECAY.split_once("points = 32").unwrap();
            let text = text.replace("width = 8", &format!("width = {width}"));
            run(&open(&format!("{text}{settings}")).with_steps(steps))
        };
        // Conjugate gradients end a little before the solution, which shows after some steps.
        for (solver, steps) in [("woodbury", 5), ("conjugate-gradients", 1)] {
            let (normal, other) = (with("normal-equations", steps), with(solver, steps));
            assert_eq!(other.evaluations, normal.evaluations);
            let far = other.parameters.iter().zip(&normal.parameters).map(|(a, b)| (a - b).abs());
            let far = far.fold(0.0, f64::max);
            assert!(far < 1e-4, "{solver}: a parameter is off by {far:e}");
            assert_ne!(far, 0.0, "{solver} is another way");
        }
    }
}

#[test]
fn sketched_equations_and_random_subspaces_lead_to_five_digits() {
    for solver in ["sketch", "subspace"] {
        let solver = format!("training.solver={solver}");
        let choices = ["training.optimizer=gauss-newton", "training.points=400", &*solver];
        let trained = run(&poisson(&choices).with_steps(40));
        let error = trained.errors[0].as_ref().and_then(|error| error.relative_l2).unwrap_or(f64::NAN);
        assert!(error < 1e-5, "{solver}: {error}");
    }
}

/// A cooling rod in whatever units of length and temperature, its conditions as penalties.
fn rod(length: f64, degrees: f64, training: &str) -> Experiment {
    open(&rod_of_width(8, length, degrees, training))
}

fn rod_of_width(width: usize, length: f64, degrees: f64, training: &str) -> String {
    format!(
        r#"
title = "Rod"
[domain]
t = [0, 1]
x = [0, {length}]
[unknowns]
u = {{}}
[equations]
heat = "u_t = 0.1*{length}^2*u_xx"
[conditions]
start = {{ on = "t = 0", equation = "u/{degrees} = sin(pi*x/{length})" }}
walls = {{ on = "x = 0, x = {length}", equation = "u/{degrees} = 0" }}
[network]
width = {width}
depth = 2
[training]
hard_constraints = "off"
condition_points = 40
points = 150
{training}
[reference]
u = "{degrees}*sin(pi*x/{length})*exp(-0.1*pi^2*t)"
"#
    )
}

#[test]
fn balance_gives_conditions_the_strength_of_the_equations_and_says_so() {
    struct Weights(Vec<Vec<f64>>);
    impl Sink for Weights {
        fn event(&mut self, event: &Event) {
            if let Event::Balanced { parts } = event {
                self.0.push(parts.iter().map(|part| part.weight).collect());
            }
        }
    }
    let mut seen = Weights(Vec::new());
    let balanced = rod(1.0, 1e-3, "").with_steps(40).train(&AtomicBool::new(false), &mut seen).unwrap();
    // A value in thousandths depends a thousand times as strongly on the network as the equation.
    assert!(seen.0[0][0] == 1.0 && seen.0[0][1] < 1e-3 && seen.0[0][2] < 1e-3, "{seen:?}", seen = seen.0);
    assert_eq!(balanced.losses.weights, *seen.0.last().unwrap());
    let mut none = Weights(Vec::new());
    let plain = rod(1.0, 1e-3, "balance = false").with_steps(40).train(&AtomicBool::new(false), &mut none);
    assert!(none.0.is_empty());
    assert_eq!(plain.unwrap().losses.weights, [1.0, 1.0, 1.0]);
}

#[test]
fn where_nobody_says_how_long_gauss_newton_ends_when_losses_hardly_fall() {
    // Three neurons a layer cannot do better for long.
    let experiment = open(&rod_of_width(3, 1.0, 1.0, ""));
    let trained = run(&experiment);
    assert_eq!(trained.stopped, Stopped::Plateau);
    assert!((60..600).contains(&trained.steps), "{}", trained.steps);
    // Whoever states a number of steps gets them.
    let longer = experiment.with_steps(trained.steps + 5);
    let longer = run(&longer);
    assert_eq!((longer.stopped, longer.steps), (Stopped::Steps, trained.steps + 5));
}

#[test]
fn who_names_no_precision_gets_one_that_suits_the_method_and_the_device() {
    let adam = poisson(&["training.optimizer=adam"]);
    assert_eq!(adam.suitable_precision(Device::Cuda), Precision::Fp16x3);
    assert_eq!(adam.suitable_precision(Device::Cpu), Precision::F64);
    let ordinary = adam.compiled(CompileMode::Off);
    assert_eq!(ordinary.suitable_precision(Device::Cuda), Precision::F32, "a library has no split products");
    assert_eq!(poisson(&[]).suitable_precision(Device::Cuda), Precision::F64, "Gauss-Newton");
    assert_eq!(open(DECAY).suitable_precision(Device::Cuda), Precision::F64, "L-BFGS after Adam");
}
