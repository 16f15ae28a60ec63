//! Training that is continued from a snapshot ends with the same bits as training that never stopped.

use pinnace::checkpoint::Header;
use pinnace::optimize::{Optimizer, StepOutcome};
use pinnace::run::{Folder, RunPlace};
use pinnace::{
    Device, Event, Experiment, Precision, Quiet, Sink, Snapshot, State, StepTaken, Stopped, Trained,
};
use pinnace::{Loss, OwnOptimizer, Refusal, StateError};
use std::path::Path;
use std::sync::atomic::AtomicBool;

const PROBLEM: &str = r#"
title = "Cooling"
[domain]
t = [0, 1]
[unknowns]
u = {}
[parameters]
rate = { start = 0.5, min = 0, max = 3 }
[equations]
cooling = "u_t = -rate*u"
[conditions]
start = { on = "t = 0", equation = "u = 1" }
end = { on = "t = 1", equation = "u = 0.4" }
[network]
width = 6
depth = 2
[training]
points = 20
condition_points = 4
learning_rate = 0.01
"#;

fn open(training: &str) -> Experiment {
    let text = format!("{PROBLEM}{training}");
    Experiment::from_text("cooling", &text, Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Asks for the state every few steps and keeps it as a file would.
struct Keeper<'run> {
    experiment: &'run Experiment,
    interval: usize,
    asked: usize,
    kept: Vec<Vec<u8>>,
}

impl Sink for Keeper<'_> {
    fn event(&mut self, _event: &Event) {}

    fn wants_state(&mut self, _seconds: f64) -> bool {
        self.asked += 1;
        self.asked.is_multiple_of(self.interval)
    }

    fn state(&mut self, state: &Snapshot) {
        let header = Header {
            problem: "cooling".to_owned(),
            device: "cpu".to_owned(),
            precision: "f64".to_owned(),
            level: "portable".to_owned(),
            arithmetic: 1,
        };
        let layout = self.experiment.layout();
        self.kept.push(layout.encode(&header, state).unwrap_or_else(|fault| panic!("{fault}")));
    }
}

fn go_on(experiment: &Experiment, bytes: &[u8]) -> (Snapshot, Trained) {
    let layout = experiment.layout();
    let (_, mut now) = layout.decode(bytes).unwrap_or_else(|fault| panic!("{fault}"));
    let trained = experiment.train_from(&mut now, &AtomicBool::new(false), &mut Quiet);
    (now, trained.unwrap_or_else(|error| panic!("{error}")))
}

/// Everything but the time.
fn timeless(snapshot: &Snapshot) -> Snapshot {
    Snapshot { seconds: 0.0, phase_seconds: 0.0, ..snapshot.clone() }
}

const ADAM: &str =
    "optimizer = \"adam\"\nbudget = \"40 steps\"\nschedule = { kind = \"cosine\", warmup = 5 }\n";
const ADAMW: &str = "optimizer = \"adamw\"\nbudget = \"40 steps\"\nschedule = { kind = \"exponential\", factor = 0.5, steps = 10 }\n";
const SGD: &str = "optimizer = \"sgd\"\nnesterov = true\nbudget = \"40 steps\"\n";
const RMSPROP: &str = "optimizer = \"rmsprop\"\nmomentum = 0.5\nbudget = \"40 steps\"\n";
const SOAP: &str = "optimizer = \"soap\"\nprecondition_every = 3\nbudget = \"40 steps\"\n";
const MUON: &str = "optimizer = \"muon\"\nmomentum = 0.9\nbudget = \"40 steps\"\n";
const NNCG: &str = "optimizer = \"nncg\"\nrank = 9\nprecondition_every = 3\nbudget = \"8 steps\"\n";
const LBFGS: &str = "optimizer = \"lbfgs\"\nmemory = 7\nbudget = \"40 steps\"\n";
const BROYDEN: &str = "optimizer = \"ssbroyden\"\nbudget = \"40 steps\"\n";
const GAUSS_NEWTON: &str = "optimizer = \"gauss-newton\"\nbudget = \"12 steps\"\n";
const GATHERING: &str = "optimizer = \"adam\"\nadaptive = true\nresample = 7\nbudget = \"30 steps\"\n";
const RESIDUAL_WEIGHTS: &str = "residual_weights = { decay = 0.9, rate = 0.1 }\n";
const PHASES: &str = "optimizer = \"adam\"\nresample = 6\n[[training.phase]]\nbudget = \"20 steps\"\n[[training.phase]]\noptimizer = \"lbfgs\"\nbudget = \"25 steps\"\n[[training.phase]]\nbudget = \"9 steps\"\npoints = 11\n";
const TO_THE_END: &str = "optimizer = \"adam\"\n[[training.phase]]\noptimizer = \"lbfgs\"\nbudget = \"3000 steps\"\n[[training.phase]]\nbudget = { steps = 30, loss = 1e-300 }\n";

/// Adam on points that move, as a list says.
fn moving(list: &str, steps: usize) -> String {
    format!("optimizer = \"adam\"\nsampling = [{list}]\nresample = 5\nbudget = \"{steps} steps\"\n")
}

#[test]
fn every_method_goes_on_bit_for_bit_from_every_few_steps() {
    let fresh = |training: &str| format!("resample = 9\nsampler = \"uniform\"\n{training}");
    let cases = [
        (ADAM.to_owned(), 3, Precision::F64),
        (ADAM.to_owned(), 7, Precision::F32),
        (ADAMW.to_owned(), 5, Precision::F64),
        (SGD.to_owned(), 3, Precision::F64),
        (fresh(SGD), 4, Precision::F32),
        (RMSPROP.to_owned(), 3, Precision::F64),
        (fresh(RMSPROP), 4, Precision::F32),
        (SOAP.to_owned(), 2, Precision::F64),
        (fresh(SOAP), 4, Precision::F32),
        (MUON.to_owned(), 3, Precision::F64),
        (fresh(MUON), 4, Precision::F32),
        (NNCG.to_owned(), 1, Precision::F64),
        (fresh(&NNCG.replace("8", "14")), 2, Precision::F64),
        (LBFGS.to_owned(), 1, Precision::F64),
        (LBFGS.to_owned(), 4, Precision::F32),
        (BROYDEN.to_owned(), 1, Precision::F64),
        (BROYDEN.to_owned(), 4, Precision::F32),
        (fresh(BROYDEN), 4, Precision::F64),
        (fresh(ADAMW), 4, Precision::F32),
        (fresh(LBFGS), 4, Precision::F64),
        (GAUSS_NEWTON.to_owned(), 1, Precision::F64),
        (GAUSS_NEWTON.replace("12 steps", "40 steps"), 7, Precision::F64),
        (format!("resample = 5\n{GAUSS_NEWTON}"), 2, Precision::F64),
        (format!("adaptive = true\nresample = 3\n{GAUSS_NEWTON}"), 1, Precision::F64),
        (format!("solver = \"woodbury\"\n{GAUSS_NEWTON}"), 2, Precision::F64),
        (format!("solver = \"conjugate-gradients\"\n{GAUSS_NEWTON}"), 2, Precision::F64),
        (format!("solver = \"sketch\"\n{GAUSS_NEWTON}"), 2, Precision::F64),
        (format!("solver = \"subspace\"\n{GAUSS_NEWTON}"), 2, Precision::F64),
        (format!("hard_constraints = \"off\"\n{}", GAUSS_NEWTON.replace("12", "25")), 2, Precision::F64),
        (GATHERING.to_owned(), 4, Precision::F32),
        (moving("{ kind = \"rad\", power = 2, floor = 0.5 }", 40), 4, Precision::F64),
        (moving("\"gradient\"", 30), 3, Precision::F64),
        (format!("batch = 7\n{ADAM}"), 4, Precision::F64),
        (format!("batch = 6\n{}", fresh(ADAMW)), 3, Precision::F32),
        (format!("batch = 6\n{}", moving("\"r3\", \"veto\"", 40)), 3, Precision::F64),
        (
            moving("\"rad\", { kind = \"gradient\", of = \"residual\" }, \"uncertainty\"", 30),
            4,
            Precision::F32,
        ),
        (moving("\"rar\"", 40), 3, Precision::F64),
        (moving("{ kind = \"rar-d\", add = 3 }, \"veto\"", 40), 3, Precision::F32),
        (moving("\"r3\"", 40), 3, Precision::F64),
        (format!("{RESIDUAL_WEIGHTS}{}", moving("\"r3\"", 40)), 4, Precision::F64),
        (moving("\"r3\", { kind = \"veto\", points = 50, factor = 1.0001 }", 60), 2, Precision::F64),
        (moving("{ kind = \"hierarchical\", split = 1.2, merge = 0.8 }", 60), 3, Precision::F64),
        (
            moving("{ kind = \"hierarchical\", split = 1.2 }, { kind = \"veto\", factor = 1.0001 }", 60),
            3,
            Precision::F64,
        ),
        (format!("sampling = [\"r3\", \"veto\"]\n{GAUSS_NEWTON}"), 1, Precision::F64),
        (format!("sampling = [\"rar-d\"]\nresample = 2\n{LBFGS}"), 3, Precision::F64),
        (format!("{RESIDUAL_WEIGHTS}{ADAM}"), 7, Precision::F32),
        (format!("{RESIDUAL_WEIGHTS}resample = 7\n{ADAM}"), 3, Precision::F64),
        (format!("{RESIDUAL_WEIGHTS}resample = 0\n{GAUSS_NEWTON}"), 1, Precision::F64),
        (format!("{RESIDUAL_WEIGHTS}{GATHERING}"), 4, Precision::F64),
        (format!("{RESIDUAL_WEIGHTS}{PHASES}"), 4, Precision::F64),
        (PHASES.to_owned(), 1, Precision::F64),
        (PHASES.to_owned(), 5, Precision::F32),
        (TO_THE_END.to_owned(), 40, Precision::F32),
    ];
    for (training, interval, precision) in cases {
        let experiment = open(&training).on(Device::Cpu, precision);
        let mut keeper = Keeper { experiment: &experiment, interval, asked: 0, kept: Vec::new() };
        let mut whole = experiment.start();
        let trained = experiment.train_from(&mut whole, &AtomicBool::new(false), &mut keeper).unwrap();
        assert!(keeper.kept.len() > 5, "{training} gave {} states", keeper.kept.len());
        for bytes in &keeper.kept {
            let (end, again) = go_on(&experiment, bytes);
            assert_eq!(timeless(&end), timeless(&whole), "{training}");
            assert_eq!((&again.losses, again.stopped), (&trained.losses, trained.stopped), "{training}");
        }
    }
}

#[test]
fn a_run_is_extended_as_if_it_had_been_longer_from_the_beginning() {
    let constant = PHASES.replace("resample = 6\n", "resample = 4\n");
    for (first, all) in [(13, 30), (20, 31), (0, 22), (50, 54)] {
        let (short, long) = (open(&constant).with_steps(first), open(&constant).with_steps(all));
        let mut now = short.start();
        short.train_from(&mut now, &AtomicBool::new(false), &mut Quiet).unwrap();
        assert_eq!((now.steps, now.stopped), (first, Some(Stopped::Steps)));
        long.train_from(&mut now, &AtomicBool::new(false), &mut Quiet).unwrap();
        let mut whole = long.start();
        long.train_from(&mut whole, &AtomicBool::new(false), &mut Quiet).unwrap();
        assert_eq!(timeless(&now), timeless(&whole), "{first} of {all} steps");
    }
}

/// Asks for an end after a step.
struct Impatient<'flag>(&'flag AtomicBool, u64);

impl Sink for Impatient<'_> {
    fn event(&mut self, event: &Event) {
        if let Event::Step(StepTaken { step, .. }) = *event {
            self.0.store(step == self.1, std::sync::atomic::Ordering::Relaxed);
        }
    }
}

#[test]
fn an_interrupted_run_ends_as_if_it_had_not_been() {
    let experiment = open(PHASES);
    let mut whole = experiment.start();
    experiment.train_from(&mut whole, &AtomicBool::new(false), &mut Quiet).unwrap();
    for step in [1, 6, 20, 21, 45, 54] {
        let (stop, mut now) = (AtomicBool::new(false), experiment.start());
        experiment.train_from(&mut now, &stop, &mut Impatient(&stop, step)).unwrap();
        assert_eq!((now.steps, now.stopped), (step, Some(Stopped::Interrupted)));
        experiment.train_from(&mut now, &AtomicBool::new(false), &mut Quiet).unwrap();
        assert_eq!(timeless(&now), timeless(&whole), "interrupted after step {step}");
    }
}

#[test]
fn draws_are_counted_through_the_run_so_that_no_phase_repeats_the_points_of_another() {
    let seen = |training: &str| {
        let experiment = open(training);
        let mut now = experiment.start();
        experiment.train_from(&mut now, &AtomicBool::new(false), &mut Quiet).unwrap();
        now.task.count("draw").expect("it is counted")
    };
    let phase = "[[training.phase]]\noptimizer = \"adam\"\nbudget = \"20 steps\"\n";
    assert_eq!(seen(&format!("resample = 6\n{phase}")), 3);
    assert_eq!(seen(&format!("resample = 6\n{phase}{phase}")), 6);
    assert_eq!(seen(&format!("{phase}{phase}")), 0);
}

#[test]
fn points_that_gathered_at_large_residuals_travel_with_a_snapshot() {
    // They follow from parameters of the past, which nobody has any more.
    let experiment = open(GATHERING);
    let mut keeper = Keeper { experiment: &experiment, interval: 4, asked: 0, kept: Vec::new() };
    let mut whole = experiment.start();
    experiment.train_from(&mut whole, &AtomicBool::new(false), &mut keeper).unwrap();
    let layout = experiment.layout();
    let (_, now) = layout.decode(&keeper.kept[0]).unwrap_or_else(|fault| panic!("{fault}"));
    let sets = now.task.iter().filter(|(name, _)| name.starts_with("points."));
    assert_eq!(sets.count(), experiment.plan().terms.len());
    let mut drawn = now.clone();
    drawn.task = State::default();
    let others = now.task.iter().filter(|(name, _)| !name.starts_with("point"));
    others.for_each(|(name, array)| drawn.task.insert(name.to_owned(), array.clone()));
    let [mut with, mut without] = [now, drawn];
    for start in [&mut with, &mut without] {
        experiment.train_from(start, &AtomicBool::new(false), &mut Quiet).unwrap();
    }
    assert_eq!(timeless(&with), timeless(&whole));
    assert_ne!(without.parameters, whole.parameters, "without them it is another run");
}

#[test]
fn a_state_of_another_method_is_refused_by_name() {
    let mut now = open(ADAM).start();
    open(ADAM).train_from(&mut now, &AtomicBool::new(false), &mut Quiet).unwrap();
    let said = open(LBFGS).train_from(&mut now, &AtomicBool::new(false), &mut Quiet);
    let said = said.expect_err("Adam's state is none of L-BFGS").to_string();
    assert!(said.contains("does not fit phase 1") && said.contains("optimizer"), "{said}");
    now.phase = 3;
    let said = open(ADAM).train_from(&mut now, &AtomicBool::new(false), &mut Quiet);
    let said = said.expect_err("there is no such phase").to_string();
    assert!(said.contains("phase 4, the problem has 1"), "{said}");
}

/// Gradient descent with momentum, from outside.
struct Ball {
    velocity: Vec<f64>,
}

impl Optimizer for Ball {
    fn step<'step>(
        &'step mut self,
        loss: &'step mut dyn Loss,
        parameters: &mut [f64],
        rate: f64,
    ) -> Result<StepOutcome<'step>, Refusal> {
        let mut gradient = vec![0.0; parameters.len()];
        let losses = loss.eval(parameters, &mut gradient)?;
        for ((parameter, velocity), slope) in parameters.iter_mut().zip(&mut self.velocity).zip(gradient) {
            *velocity = 0.9 * *velocity - rate * slope;
            *parameter += *velocity;
        }
        Ok(StepOutcome::Taken { losses, length: rate, evaluations: 1, trust: None })
    }

    fn forget_loss(&mut self) {}

    fn save(&self) -> State {
        State::default().with_numbers("velocity", self.velocity.as_slice())
    }

    fn restore(&mut self, state: &State) -> Result<(), StateError> {
        self.velocity = state.sized("velocity", self.velocity.len())?.to_vec();
        Ok(())
    }
}

#[test]
fn a_method_from_outside_goes_on_from_a_run_bit_for_bit_and_its_own_state_is_dropped_by_no_one_else() {
    let own = OwnOptimizer::new("ball", |parameters, _| Box::new(Ball { velocity: vec![0.0; parameters] }));
    let open = || open("budget = \"20 steps\"\n").with_optimizer(own.clone());
    let (experiment, never) = (open(), AtomicBool::new(false));
    let mut whole = experiment.start();
    experiment.train_from(&mut whole, &never, &mut Quiet).unwrap();
    assert_eq!(
        (whole.steps, whole.optimizer.numbers("velocity").unwrap().len()),
        (20, whole.parameters.len())
    );
    let path = std::env::temp_dir().join(format!("pinnace-ball-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    let mut now = experiment.start();
    let mut folder = Folder::create(&RunPlace::At(path.clone()), &experiment, &now, None, 0.0).unwrap();
    let stop = AtomicBool::new(false);
    folder.train(&experiment, &mut now, &stop, &mut Impatient(&stop, 7)).unwrap();
    drop(folder);
    let (run, mut folder) =
        Folder::resume_as(&path, &[], 0.0, |experiment| experiment.with_optimizer(own.clone())).unwrap();
    assert!(run.notices().is_empty(), "{:?}", run.notices());
    let mut now = run.snapshot().clone();
    folder.train(run.experiment(), &mut now, &never, &mut Quiet).unwrap();
    drop(folder);
    assert_eq!(timeless(&now), timeless(&whole));
    // Who does not have the method continues with another, and says so.
    let (run, _folder) = Folder::resume(&path, &[], 0.0).unwrap();
    assert!(run.notices().iter().any(|notice| notice.to_string().contains("continues with Adam")));
    let _ = std::fs::remove_dir_all(&path);
}
