//! Estimates of errors that need no reference: what they say, and that training does not notice them.

use pinnace::run::{Folder, RunPlace};
use pinnace::trust::{Confidence, Doubt, ErrorEstimate};
use pinnace::{Event, Experiment, Quiet, Run, Sink, Snapshot, Trained};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const DECAY: &str = "title = \"Decay\"\n[domain]\nt = [0, 2]\n[unknowns]\nu = {}\n[equations]\ndecay = \"u_t = -u\"\n\
    [conditions]\nstart = { on = \"t = 0\", equation = \"u = 1\", exact = false }\n[network]\nwidth = 6\ndepth = 2\n\
    [reference]\nu = \"exp(-t)\"\n";

fn open(text: &str, training: &str) -> Experiment {
    let text = format!("{text}[training]\npoints = 64\n{training}\n");
    let experiment = Experiment::from_text("test", &text, Path::new("."), &[]);
    experiment.unwrap_or_else(|error| panic!("{error}")).estimating(true)
}

fn train(experiment: &Experiment) -> Trained {
    experiment.train(&AtomicBool::new(false), &mut Quiet).unwrap_or_else(|error| panic!("{error}"))
}

fn estimate(trained: &Trained) -> &ErrorEstimate {
    trained.estimate.as_ref().expect("it was asked for")
}

/// The estimated error of an unknown beside the true one.
fn pair(trained: &Trained, unknown: usize) -> [f64; 2] {
    let found = estimate(trained).unknowns[unknown].relative_l2.expect("an estimate");
    let truth = trained.errors[unknown].as_ref().and_then(|error| error.relative_l2).expect("a reference");
    [found, truth]
}

#[track_caller]
fn assert_near(trained: &Trained, unknown: usize) {
    let [found, truth] = pair(trained, unknown);
    assert!((0.1..10.0).contains(&(found / truth)), "estimated {found:e}, in truth {truth:e}");
}

#[test]
fn a_solution_that_is_right_is_trusted_and_its_error_is_about_what_is_said() {
    let trained = train(&open(DECAY, "budget = \"60 steps\""));
    assert_near(&trained, 0);
    let estimate = estimate(&trained);
    assert_eq!(estimate.trust, Confidence::Good, "{estimate:?}");
    let u = &estimate.unknowns[0];
    assert_eq!((u.name.as_str(), u.near[0].coordinate.as_str()), ("u", "t"));
    assert!((0.0..=2.0).contains(&u.near[0].value), "{u:?}");
    // The field goes from 1 to e^-2 with a root mean square of 0.5.
    let [rms, of_range] = [u.root_mean_square, u.of_range].map(|number| number.expect("a number"));
    assert!((of_range * (1.0 - (-2.0f64).exp()) / rms - 1.0).abs() < 0.01, "{u:?}");
    assert!(u.largest.is_some_and(|largest| largest >= rms), "{u:?}");
}

#[test]
fn a_solution_that_is_wrong_is_not_trusted() {
    let trained = train(&open(DECAY, "optimizer = \"adam\"\nbudget = \"20 steps\"\nlearning_rate = 1e-3"));
    let [_, truth] = pair(&trained, 0);
    let estimate = estimate(&trained);
    assert!(truth > 0.3, "the test is one of a wrong solution: {truth}");
    assert_eq!(estimate.trust, Confidence::Bad, "{estimate:?}");
    assert!(!estimate.doubts.is_empty(), "{estimate:?}");
}

#[test]
fn a_face_without_a_condition_makes_a_solution_bad_whatever_its_residuals_are() {
    let text = "[domain]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\nslope = \"u_xx = 1\"\n\
        [conditions]\nleft = { on = \"x = 0\", equation = \"u = 0\" }\n[network]\nwidth = 6\ndepth = 2\n";
    let trained = train(&open(text, "budget = \"30 steps\""));
    let estimate = estimate(&trained);
    assert_eq!(estimate.trust, Confidence::Bad);
    assert!(matches!(estimate.doubts[0], Doubt::Missing { places: 1 }), "{estimate:?}");
}

#[test]
fn one_window_for_many_periods_is_the_first_cause_that_is_told() {
    let text = "[domain]\nt = [0, 40]\n[unknowns]\nu = {}\n[equations]\nswing = \"u_tt = -u\"\n\
        [conditions]\nstart = { on = \"t = 0\", equations = [\"u = 1\", \"u_t = 0\"] }\n[network]\nwidth = 6\ndepth = 2\n\
        [reference]\nu = \"cos(t)\"\n";
    let trained = train(&open(text, "budget = \"20 steps\"\nwindows = 1"));
    let estimate = estimate(&trained);
    assert_eq!(estimate.trust, Confidence::Bad, "{estimate:?}");
    assert!(matches!(estimate.doubts[0], Doubt::ManyPeriods { windows: 1, .. }), "{:?}", estimate.doubts);
}

#[test]
fn training_takes_the_same_steps_with_and_without_an_estimate() {
    for training in [
        "budget = \"12 steps\"",
        "optimizer = \"adam\"\nbudget = \"40 steps\"",
        "optimizer = \"ssbroyden\"\nbudget = \"20 steps\"",
        "budget = \"12 steps\"\nwindows = 2",
    ] {
        let with = open(DECAY, training);
        let without = with.clone().estimating(false);
        let [with, without] = [train(&with), train(&without)];
        assert_eq!(with.parameters, without.parameters, "{training}");
        assert_eq!(
            (with.losses, with.steps, with.evaluations),
            (without.losses, without.steps, without.evaluations)
        );
        assert!(with.estimate.is_some() && without.estimate.is_none());
    }
}

#[test]
fn an_estimate_of_counted_steps_repeats_to_the_last_bit() {
    let experiment = open(DECAY, "budget = \"25 steps\"");
    let twice =
        [train(&experiment), train(&experiment)].map(|trained| trained.estimate.expect("an estimate"));
    let [once, again] = twice.map(|estimate| ErrorEstimate { seconds: 0.0, ..estimate });
    assert_eq!(once, again);
}

/// Remembers the time that a phase was given, and stops training after some steps.
struct Watch<'run> {
    seconds: Option<f64>,
    stop_after: u64,
    stop: &'run AtomicBool,
}

impl Sink for Watch<'_> {
    fn event(&mut self, event: &Event) {
        match event {
            Event::PhaseStarted { budget, .. } => self.seconds = budget.seconds,
            Event::Step(taken) if taken.step == self.stop_after => self.stop.store(true, Ordering::Relaxed),
            _ => {}
        }
    }
}

#[test]
fn a_stated_time_has_the_estimate_in_it_and_who_interrupts_does_not_wait_for_one() {
    let experiment = open(DECAY, "budget = \"40 s\"");
    let stop = AtomicBool::new(false);
    let mut watch = Watch { seconds: None, stop_after: 3, stop: &stop };
    let trained = experiment.train(&stop, &mut watch).expect("it can be trained");
    assert!(watch.seconds.is_some_and(|seconds| (34.0..36.0).contains(&seconds)), "{:?}", watch.seconds);
    assert_eq!((trained.steps, trained.estimate), (3, None));
}

/// Trains a run of 20 steps, opens it, goes on without a change, and then to 30 steps: what each of these told, and the last parameters.
fn goes_on(name: &str, estimates: bool) -> ([Option<ErrorEstimate>; 4], Vec<f64>) {
    let path = std::env::temp_dir().join(format!("pinnace-trust-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    let experiment = open(DECAY, "budget = \"20 steps\"").estimating(estimates);
    let mut start = experiment.start();
    let mut folder =
        Folder::create(&RunPlace::At(path.clone()), &experiment, &start, None, 60.0).expect("a folder");
    let stop = AtomicBool::new(false);
    let first = folder.train(&experiment, &mut start, &stop, &mut Quiet).expect("it trains").estimate;
    drop(folder);
    let recorded = Run::open(&path).expect("a run").error_estimate().expect("it can be read");
    let again = |overrides: &[String]| {
        let (run, mut folder) = Folder::resume(&path, overrides, 60.0).expect("it goes on");
        let experiment = run.experiment().clone().estimating(estimates);
        let mut now: Snapshot = run.snapshot().clone();
        folder.train(&experiment, &mut now, &stop, &mut Quiet).expect("it trains")
    };
    let idle = again(&[]).estimate;
    let longer = again(&["training.steps=30".to_owned()]);
    std::fs::remove_dir_all(&path).expect("it can be removed");
    ([first, recorded, idle, longer.estimate], longer.parameters)
}

#[test]
fn a_run_keeps_its_estimate_and_one_that_goes_on_gets_another_and_the_same_bits() {
    let ([first, recorded, idle, longer], parameters) = goes_on("with", true);
    assert!(first.is_some() && recorded == first && idle == first, "{first:?} {recorded:?} {idle:?}");
    assert!(longer.is_some() && longer != first);
    let (nothing, same) = goes_on("without", false);
    assert_eq!(nothing, [const { None }; 4]);
    assert_eq!(parameters, same, "the estimate in between has changed nothing");
}

#[test]
fn windows_scalars_shapes_and_regions_have_estimates_too() {
    let inverse = "[domain]\nt = [0, 1]\n[unknowns]\nu = {}\n[parameters]\nk = { start = 0.5, truth = 1 }\n[equations]\n\
        decay = \"u_t = -k*u\"\n[conditions]\nstart = { on = \"t = 0\", equation = \"u = 1\" }\n\
        end = { on = \"t = 1\", equation = \"u = 0.36787944117144233\" }\n[network]\nwidth = 5\ndepth = 2\n\
        [reference]\nu = \"exp(-t)\"\n";
    let shape = "[domain]\nx = [-1, 1]\ny = [-1, 1]\n[geometry]\nshape = \"disk([0, 0], 1)\"\n[unknowns]\nu = {}\n[equations]\n\
        poisson = \"u_xx + u_yy = 4*exp(x) + exp(x)*(x^2 + y^2 - 1) + 4*x*exp(x)\"\n[conditions]\n\
        walls = { on = \"boundary\", equation = \"u = 0\" }\n\
        [network]\nwidth = 8\ndepth = 2\n[reference]\nu = \"exp(x)*(x^2 + y^2 - 1)\"\ngrid = { x = 31, y = 31 }\n";
    let inclusion =
        pinnace::BUILT_IN.iter().find(|problem| problem.name == "inclusion").expect("it is built in");
    let regions = Experiment::from_text(
        "inclusion",
        inclusion.text,
        Path::new("."),
        &[
            "training.steps=12".to_owned(),
            "network.width=8".to_owned(),
            "network.depth=2".to_owned(),
            "reference.grid={x=31, y=31}".to_owned(),
        ],
    );
    let regions = regions.unwrap_or_else(|error| panic!("{error}")).estimating(true);
    for experiment in [
        open(DECAY, "budget = \"40 steps\"\nwindows = 2"),
        open(inverse, "budget = \"25 steps\""),
        open(shape, "budget = \"25 steps\""),
        regions,
    ] {
        assert_near(&train(&experiment), 0);
    }
}

#[test]
fn more_time_for_a_second_network_gives_an_estimate_without_a_trail() {
    let experiment = open(DECAY, "budget = \"40 steps\"");
    let trained = train(&experiment);
    let stop = AtomicBool::new(false);
    let verified = experiment.verify(&trained.parameters, (trained.steps, trained.seconds), 0.5, &stop);
    let verified = verified.expect("it can be trained").expect("nobody has stopped it");
    let [_, truth] = pair(&trained, 0);
    let found = verified.unknowns[0].relative_l2.expect("an estimate");
    assert!(verified.evidence.trail.is_empty());
    assert!((0.05..20.0).contains(&(found / truth)), "estimated {found:e}, in truth {truth:e}");
}
