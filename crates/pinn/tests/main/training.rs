//! Promises of the training loop.

use kernel::Kernel;
use pinnace::trainer::{Equations, Measure, Snapshot, Surroundings, TrainingOutcome, train};
use pinnace::{
    Device, Event, Experiment, Objective, Precision, Quiet, Sink, StepTaken, Stopped, TrainError, Trained,
};
use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const PROBLEM: &str = r#"
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
optimizer = "adam"
learning_rate = 0.01
points = 32
budget = "1500 steps"
[reference]
u = "exp(-t)"
"#;

fn open(text: &str, overrides: &[&str]) -> Result<Experiment, TrainError> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    Experiment::from_text("test", text, Path::new("."), &overrides)
}

fn run(text: &str, overrides: &[&str]) -> Trained {
    let experiment = open(text, overrides).unwrap_or_else(|error| panic!("{error}"));
    experiment.train(&AtomicBool::new(false), &mut Quiet).unwrap_or_else(|error| panic!("{error}"))
}

/// Trains on the reference device by a clock and a measure of the test's own.
fn run_by(
    experiment: &Experiment,
    now: &mut Snapshot,
    clock: &dyn Fn() -> f64,
    error: &Measure<'_>,
    sink: &mut dyn Sink,
) -> Result<TrainingOutcome, TrainError> {
    let tables = experiment.tables().clone();
    let kernel = Kernel::compile(experiment.plan(), Device::Reference, Precision::F64)?;
    let mut objective = Objective::new(kernel, Vec::new());
    let surroundings = Surroundings { stop: &AtomicBool::new(false), clock };
    let (problem, plan) = (experiment.problem(), experiment.plan());
    let mut task =
        Equations::new((problem, plan), experiment.settled(), &tables, &mut objective).measured(error);
    train(&mut task, now, surroundings, sink)
}

#[test]
fn an_ordinary_equation_is_solved() {
    let trained = run(PROBLEM, &[]);
    let error = trained.errors[0].as_ref().unwrap();
    assert_eq!((trained.steps, trained.stopped), (1500, Stopped::Steps));
    assert!(error.relative_l2.unwrap() < 5e-3, "{error:?}");
    assert!(!error.mean_subtracted);
    assert_eq!(error.points, 201);
}

#[test]
fn runs_with_one_seed_repeat_bit_for_bit_and_other_seeds_differ() {
    let overrides = ["training.budget=40 steps"];
    let first = run(PROBLEM, &overrides);
    let second = run(PROBLEM, &overrides);
    assert_eq!(first.parameters, second.parameters);
    assert_eq!(first.losses, second.losses);
    let other = run(PROBLEM, &["training.budget=40 steps", "training.seed=99"]);
    assert_ne!(first.parameters, other.parameters);
}

#[test]
fn a_step_that_is_not_finite_is_refused_by_name_and_leaves_the_parameters() {
    let text = PROBLEM.replace("u_t = -u", "u_t = -u + sqrt(-1 - t)");
    let experiment = open(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let start = experiment.start();
    let mut now = start.clone();
    let result = run_by(&experiment, &mut now, &|| 0.0, &|_, _| Ok(None), &mut Quiet);
    let Err(error) = result else { panic!("{result:?}") };
    let said = error.to_string();
    assert!(said.starts_with("before the first step: `decay` in `interior` is not finite"), "{said}");
    assert!(said.contains("too large for f64") && !said.contains("learning rate"), "{said}");
    assert_eq!(now.parameters, start.parameters);
}

/// A rod with a source, to be trained in a few steps.
fn heated(source: &str, start: &str, training: &str) -> String {
    format!(
        "[domain]\nt = [0, 1]\nx = [-1, 1]\n[unknowns]\nu = {{}}\n[equations]\nheat = \"u_t = u_xx + {source}\"\n\
         [conditions]\nstart = {{ on = \"t = 0\", equation = \"u = {start}\" }}\n\
         walls = {{ on = \"boundary\", equation = \"u = 0\" }}\n[network]\nwidth = 6\ndepth = 2\n[training]\n{training}\n"
    )
}

fn refusal(text: &str) -> (u64, String) {
    let experiment = open(text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let error = experiment.train(&AtomicBool::new(false), &mut Quiet).expect_err("nothing to train on");
    let TrainError::NonFiniteResidual { step, ref residual, spot: Some(ref spot), .. } = error else {
        panic!("{error}")
    };
    let names: Vec<&str> = spot.place.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((residual.as_str(), names), ("heat", vec!["t", "x"]));
    (step, error.to_string())
}

#[test]
fn an_infinite_or_overflowing_residual_is_named_with_its_point_before_the_first_step() {
    for optimizer in ["", "optimizer = \"ssbroyden\"", "optimizer = \"lbfgs\"", "optimizer = \"adam\""] {
        let training = format!("{optimizer}\nsteps = 3\npoints = 40");
        let (step, said) = refusal(&heated("exp(1000*(x + 2))", "sin(pi*x)", &training));
        assert!(step == 0 && said.contains("(infinite)"), "{optimizer}: {said}");
        let (step, said) = refusal(&heated("0", "1e300*sin(pi*x)", &training));
        assert!(step == 0 && said.contains("its square is not finite"), "{optimizer}: {said}");
        let (step, said) = refusal(&heated("sqrt(-1 - x^2)", "sin(pi*x)", &training));
        assert!(step == 0 && said.contains("(not a number)"), "{optimizer}: {said}");
    }
}

#[test]
fn an_infinite_residual_at_later_points_is_named_as_well() {
    let source = "where(abs(x - 0.3) < 0.004, exp(1000*(x + 2)), 0)";
    for optimizer in ["gauss-newton", "ssbroyden"] {
        let training = format!(
            "optimizer = \"{optimizer}\"\nresample = 1\nsteps = 400\npoints = 8\nmost_points = 8\nadaptive = true"
        );
        let (step, said) = refusal(&heated(source, "sin(pi*x)", &training));
        assert!(step > 0 && said.starts_with(&format!("step {step}: `heat`")), "{said}");
        assert!(said.contains("x = 0.29") || said.contains("x = 0.30"), "{said}");
    }
}

/// Asks for an end after some steps, and remembers what it heard.
struct Impatient<'flag> {
    stop: &'flag AtomicBool,
    patience: u64,
    steps: Vec<u64>,
    finished: bool,
}

impl Sink for Impatient<'_> {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Step(StepTaken { step, .. }) => {
                self.steps.push(*step);
                self.stop.store(*step >= self.patience, Ordering::Relaxed);
            }
            Event::Finished { .. } => self.finished = true,
            Event::Started { .. }
            | Event::StageStarted { .. }
            | Event::PhaseStarted { .. }
            | Event::Balanced { .. }
            | Event::Fallback(_)
            | Event::Incident(_)
            | Event::Note(_)
            | Event::Measured { .. }
            | Event::NotSaved { .. }
            | Event::PhaseEnded { .. } => {}
        }
    }
}

#[test]
fn a_stop_is_obeyed_after_the_current_step_and_still_gives_a_result() {
    let stop = AtomicBool::new(false);
    let mut sink = Impatient { stop: &stop, patience: 7, steps: Vec::new(), finished: false };
    let trained = open(PROBLEM, &[]).unwrap().train(&stop, &mut sink).unwrap();
    assert_eq!((trained.steps, trained.stopped), (7, Stopped::Interrupted));
    assert!(sink.steps.iter().copied().eq(1..=7) && sink.finished);
    assert!(trained.errors[0].is_some());
}

#[test]
fn budgets_of_loss_and_time_end_a_phase() {
    let loss = run(PROBLEM, &["training.budget={ loss = 0.5, steps = 100000 }"]);
    assert_eq!(loss.stopped, Stopped::Loss);
    let experiment = open(PROBLEM, &["training.budget=3 s"]).unwrap();
    let mut now = experiment.start();
    // A clock that advances half a second whenever it is read.
    let ticks = Cell::new(0.0);
    let clock = || {
        ticks.set(ticks.get() + 0.5);
        ticks.get()
    };
    let outcome = run_by(&experiment, &mut now, &clock, &|_, _| Ok(None), &mut Quiet).unwrap();
    assert_eq!((now.steps, outcome.stopped), (6, Stopped::Seconds));
}

#[test]
fn a_target_error_ends_a_phase_once_it_is_measured() {
    let trained = run(PROBLEM, &["training.budget={ steps = 5000, error = 0.02 }"]);
    assert_eq!(trained.stopped, Stopped::TargetError);
    assert!(trained.errors[0].as_ref().unwrap().relative_l2.unwrap() < 0.02);
    let experiment = open(PROBLEM, &["training.budget={ error = 0.5, steps = 5000 }"]).unwrap();
    let (mut now, measured) = (experiment.start(), Cell::new(0));
    let error = |_: &mut Kernel, _: &[f64]| {
        measured.set(measured.get() + 1);
        Ok(Some(if measured.get() < 3 { 0.9 } else { 0.1 }))
    };
    let outcome = run_by(&experiment, &mut now, &|| 0.0, &error, &mut Quiet).unwrap();
    assert_eq!((measured.get(), outcome.stopped), (3, Stopped::TargetError));
    let interval = experiment.problem().training.phases[0].optimizer.traits().steps_per_measurement;
    assert_eq!(now.steps, 3 * interval);
    // A run that ended this way has ended, until a lower error is asked for.
    let error = |_: &mut Kernel, _: &[f64]| Ok(Some(0.1));
    run_by(&experiment, &mut now, &|| 0.0, &error, &mut Quiet).unwrap();
    assert_eq!((now.steps, now.stopped), (3 * interval, Some(Stopped::TargetError)));
    let further = open(PROBLEM, &["training.budget={ error = 0.05, steps = 500 }"]).unwrap();
    run_by(&further, &mut now, &|| 0.0, &error, &mut Quiet).unwrap();
    assert_eq!((now.steps, now.stopped), (500, Some(Stopped::Steps)));
}

/// Wants to know the error, and remembers it.
#[derive(Default)]
struct Watcher {
    errors: Vec<(u64, f64)>,
}

impl Sink for Watcher {
    fn event(&mut self, event: &Event) {
        if let Event::Measured { step, error, .. } = *event {
            self.errors.push((step, error));
        }
    }

    fn wants_error(&self) -> bool {
        true
    }
}

#[test]
fn whoever_watches_the_error_takes_two_per_cent_of_the_time_and_changes_no_bit() {
    let experiment = open(PROBLEM, &["training.budget=2000 steps"]).unwrap();
    let now = Cell::new(0.0);
    // A measurement takes an eighth of a second, and every look at the clock a 64th.
    let error = |kernel: &mut Kernel, parameters: &[f64]| {
        now.set(now.get() + 0.125);
        kernel.predict(&experiment_points(), parameters, &mut [0.0])?;
        Ok(Some(0.5))
    };
    let clock = || {
        now.set(now.get() + 1.0 / 64.0);
        now.get()
    };
    let (mut watched, mut alone, mut watcher) = (experiment.start(), experiment.start(), Watcher::default());
    run_by(&experiment, &mut watched, &clock, &error, &mut watcher).unwrap();
    run_by(&experiment, &mut alone, &|| 0.0, &error, &mut Quiet).unwrap();
    assert_eq!(watched.parameters, alone.parameters);
    let seconds = watched.seconds;
    // The first two find out how long one takes.
    let measured = (watcher.errors.len() - 2) as f64 * 0.125;
    assert!(watcher.errors.len() > 5 && measured < 0.02 * seconds, "{measured} of {seconds} s");
}

fn experiment_points() -> pinnace::Points {
    let mut points = pinnace::Points::new(1);
    points.push(&[0.5]);
    points
}

#[test]
fn exactly_as_many_steps_as_asked_for_are_taken() {
    let experiment = open(PROBLEM, &["training.budget=1 s"]).unwrap().with_steps(3);
    let trained = experiment.train(&AtomicBool::new(false), &mut Quiet).unwrap();
    assert_eq!((trained.steps, trained.stopped), (3, Stopped::Steps));
}

#[test]
fn a_level_that_nothing_fixes_is_not_compared() {
    let free = PROBLEM
        .replace("\nt = [0, 1]", "\nx = [0, 1]")
        .replace("u_t = -u", "u_xx = 0")
        .replace(
            "{ on = \"t = 0\", equation = \"u = 1\" }",
            "{ on = \"x = 0, x = 1\", equation = \"u_x = 1\" }",
        )
        .replace("exp(-t)", "x + 5");
    for ansatz in ["", "\n[ansatz]\nu = \"7 + x^2 + N/2\"\n"] {
        let trained = run(&format!("{free}{ansatz}"), &[]);
        let error = trained.errors[0].as_ref().unwrap();
        assert!(error.mean_subtracted);
        assert!(error.relative_l2.unwrap() < 5e-2, "{error:?}");
    }
    let fixed = run(&format!("{free}\n[ansatz]\nu = \"7 + x*N\"\n"), &["training.budget=1 steps"]);
    assert!(!fixed.errors[0].as_ref().unwrap().mean_subtracted);
}

#[test]
fn every_built_in_problem_opens() {
    for built_in in pinnace::BUILT_IN {
        let experiment = Experiment::open(built_in.name, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert!(!experiment.problem().title.is_empty());
    }
}

#[test]
fn a_reference_that_is_not_finite_everywhere_is_compared_where_it_is() {
    let trained = run(&PROBLEM.replace("exp(-t)", "log(t)"), &["training.budget=1 steps"]);
    let error = trained.errors[0].as_ref().unwrap();
    assert_eq!((error.points, error.left_out), (200, 1));
    assert!(error.relative_l2.is_some_and(f64::is_finite) && error.largest.is_some_and(f64::is_finite));
    let nowhere = run(&PROBLEM.replace("exp(-t)", "sqrt(-1 - t)"), &["training.budget=1 steps"]);
    let error = nowhere.errors[0].as_ref().unwrap();
    assert_eq!((error.points, error.left_out, error.relative_l2), (0, 201, None));
}

#[test]
fn a_step_that_is_not_finite_later_on_is_blamed_on_the_learning_rate() {
    let overrides =
        ["equations.decay=u_t = -exp(exp(u))", "training.learning_rate=1e3", "training.guard=stop"];
    let result = open(PROBLEM, &overrides).unwrap().train(&AtomicBool::new(false), &mut Quiet);
    let said = result.expect_err("such steps are too long").to_string();
    assert!(said.starts_with("step ") && said.contains("learning rate"), "{said}");
}

#[test]
fn a_problem_without_a_title_is_called_after_its_file() {
    let text = PROBLEM.replace("title = \"Decay\"\n", "");
    let experiment = Experiment::from_text("folder/decay.toml", &text, Path::new("."), &[]).unwrap();
    assert_eq!(experiment.problem().title, "decay");
}

#[test]
fn a_directory_is_told_from_a_problem_file() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/08-burgers");
    let said = Experiment::open(folder, &[]).expect_err("a directory is no file").to_string();
    assert!(said.contains("is a directory") && said.contains("problem.toml"), "{said}");
}

#[cfg(unix)]
#[test]
fn devices_that_never_end_and_pipes_without_a_writer_are_refused() {
    let said = Experiment::open("/dev/zero", &[]).expect_err("zeros are no problem").to_string();
    assert!(said.contains("not a regular file"), "{said}");
    let pipe = std::env::temp_dir().join(format!("pinnace-pipe-{}", std::process::id()));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    let refused = Experiment::open(pipe.to_str().expect("a UTF-8 path"), &[]);
    std::fs::remove_file(&pipe).expect("it can be removed");
    assert!(refused.expect_err("a pipe is no file").to_string().contains("not a regular file"));
}
