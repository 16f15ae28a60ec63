//! Gradients in fewer digits are compared with those in f64, and training goes on with more where they are off.

use kernel::Kernel;
use pinnace::decide::settle;
use pinnace::run::{Folder, RunPlace};
use pinnace::trainer::{Equations, Ladder, Surroundings};
use pinnace::{
    Device, Event, Experiment, Fallback, Objective, Precision, Quiet, Sink, Snapshot, TrainError, Trained,
};
use std::path::Path;
use std::sync::atomic::AtomicBool;

const STEPS: u64 = 30;

/// Differences of large numbers: what is left has few digits.
fn open(training: &str) -> Experiment {
    open_with("u_t + 1e6*u = 0.2*u_xx + 1e6*u", training)
}

fn open_with(equation: &str, training: &str) -> Experiment {
    let text = format!(
        "[domain]\nt = [0, 1]\nx = [0, 1]\n[unknowns]\nu = {{}}\n[equations]\n\
         heat = \"{equation}\"\n[conditions]\n\
         start = {{ on = \"t = 0\", equation = \"u = sin(pi*x)\" }}\n\
         walls = {{ on = \"x = 0, x = 1\", equation = \"u = 0\" }}\n[network]\nwidth = 6\ndepth = 2\n\
         [training]\noptimizer = \"adam\"\npoints = 40\nsteps = {STEPS}\n{training}\n"
    );
    let opened = Experiment::from_text("rod", &text, Path::new("."), &[]);
    opened.unwrap_or_else(|error| panic!("{error}"))
}

/// In f32 on the CPU.
fn single(training: &str) -> Experiment {
    open(training).on(Device::Cpu, Precision::F32)
}

#[derive(Default)]
struct Heard {
    fallbacks: Vec<Fallback>,
    deviations: Vec<(u64, f64)>,
    states: Vec<Snapshot>,
    keep: bool,
}

impl Sink for Heard {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Fallback(fallback) => self.fallbacks.push(fallback.clone()),
            Event::Step(taken) => {
                self.deviations.extend(taken.deviation.map(|off| (taken.step, off.gradient)));
            }
            _ => {}
        }
    }

    fn wants_state(&mut self, _seconds: f64) -> bool {
        self.keep
    }

    fn state(&mut self, state: &Snapshot) {
        self.states.push(state.clone());
    }
}

fn train(experiment: &Experiment, now: &mut Snapshot, heard: &mut Heard) -> Trained {
    let trained = experiment.train_from(now, &AtomicBool::new(false), heard);
    trained.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn fewer_digits_are_looked_after_and_those_of_f32_only_where_that_is_stated() {
    let mut heard = Heard::default();
    let experiment = single("gradient_check = { every = 10, gradient = 1e9, loss = 1e9 }");
    let trained = train(&experiment, &mut experiment.start(), &mut heard);
    assert_eq!(heard.deviations.iter().map(|(step, _)| *step).collect::<Vec<_>>(), [1, 11, 21]);
    assert!(heard.deviations.iter().all(|(_, off)| *off > 1e-7 && *off < 1e9), "{:?}", heard.deviations);
    assert!(heard.fallbacks.is_empty(), "{:?}", heard.fallbacks);
    assert_eq!(trained.precisions, [(Precision::F32, STEPS)]);
    // Looking changes nothing.
    let plain = single("gradient_check = false");
    let mut silent = Heard::default();
    let unseen = train(&plain, &mut plain.start(), &mut silent);
    assert_eq!(unseen.parameters, trained.parameters);
    assert!(silent.deviations.is_empty() && unseen.precisions.is_empty());
    assert!(open("").settled()[0].gradient_check.is_none());
    assert!(single("").settled()[0].gradient_check.is_none());
    assert!(open("").on(Device::Cuda, Precision::Bf16).settled()[0].gradient_check.is_some());
    let mut exact = Heard::default();
    let double = open("gradient_check = { every = 10 }");
    train(&double, &mut double.start(), &mut exact);
    assert!(exact.deviations.iter().all(|(_, off)| *off < 1e-12), "{:?}", exact.deviations);
}

#[test]
fn training_goes_on_with_more_digits_and_says_so() {
    let experiment = single("gradient_check = { every = 10, gradient = 1e-7 }");
    let (mut heard, mut now) = (Heard { keep: true, ..Heard::default() }, experiment.start());
    let trained = train(&experiment, &mut now, &mut heard);
    assert_eq!(trained.precisions, [(Precision::F64, STEPS)]);
    let [told] = &heard.fallbacks[..] else { panic!("{:?}", heard.fallbacks) };
    assert_eq!(told.what, "from step 0 on, training goes on in f64 in place of f32");
    assert!(
        told.why.contains("the gradient is off by") && told.why.contains("`gradient_check`"),
        "{}",
        told.why
    );
    // The same bits as a training that was in f64 from the start.
    let exact = open("");
    assert_eq!(train(&exact, &mut exact.start(), &mut Heard::default()).parameters, trained.parameters);
    // From every state, before and after, with the same bits.
    assert!(heard.states.len() as u64 >= STEPS);
    for mut state in heard.states {
        let from = state.steps;
        let again = train(&experiment, &mut state, &mut Heard::default());
        assert_eq!(again.parameters, trained.parameters, "from step {from}");
        assert_eq!(again.precisions, trained.precisions, "from step {from}");
    }
}

/// Steps that a device takes by itself are interrupted for looks, and go on in the kernel with more digits.
#[test]
fn a_device_goes_on_in_a_kernel_with_more_digits() {
    let experiment = open_with("u_t = 0.2*u_xx", "gradient_check = { every = 10, gradient = 1e-3 }");
    let (problem, plan, tables) = (experiment.problem(), experiment.plan(), experiment.tables());
    let phases = settle(problem, plan, Device::Cuda, Precision::Bf16).phases;
    let kernel = |precision| Kernel::compile_for_stand_in(plan, precision).map_err(TrainError::from);
    let mut objective = Objective::new(kernel(Precision::Bf16).expect("a C++ compiler"), Vec::new());
    let rungs = vec![Precision::Bf16, Precision::Bf16x6, Precision::F64];
    let mut task = Equations::new((problem, plan), &phases, tables, &mut objective)
        .climbing(Ladder { rungs, kernel: &kernel });
    let (mut heard, mut now) = (Heard::default(), experiment.start());
    let surroundings = Surroundings { stop: &AtomicBool::new(false), clock: &|| 0.0 };
    pinnace::trainer::train(&mut task, &mut now, surroundings, &mut heard).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(task.precisions(), [(Precision::Bf16x6, STEPS)]);
    let looks: Vec<u64> = heard.deviations.iter().map(|(step, _)| *step).collect();
    assert_eq!(looks, [1, 11, 21]);
    let off: Vec<f64> = heard.deviations.iter().map(|(_, off)| *off).collect();
    assert!(off[0] > 1e-3 && off[1..].iter().all(|off| *off < 1e-4), "{off:?}");
    assert_eq!(heard.fallbacks.len(), 1, "{:?}", heard.fallbacks);
}

#[test]
fn a_run_that_has_gone_on_with_more_digits_is_resumed_in_them() {
    let path = std::env::temp_dir().join(format!("pinnace-gradient-check-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&path);
    let experiment = single("gradient_check = { every = 10, gradient = 1e-7 }").with_steps(15);
    let (start, quiet) = (experiment.start(), &mut Quiet);
    let mut folder = Folder::create(&RunPlace::At(path.clone()), &experiment, &start, None, 0.0)
        .unwrap_or_else(|error| panic!("{error}"));
    let stop = AtomicBool::new(false);
    folder.train(&experiment, &mut experiment.start(), &stop, quiet).expect("it trains");
    drop(folder);
    let shown = std::fs::read_to_string(path.join("metrics.jsonl")).expect("it has a history");
    assert!(shown.contains("\"deviation\":{\"loss\":") && shown.contains("goes on in f64"), "{shown}");
    let (run, mut folder) = Folder::resume(&path, &["training.steps=30".to_owned()], 0.0)
        .unwrap_or_else(|error| panic!("{error}"));
    let mut now = run.snapshot().clone();
    let trained = folder.train(run.experiment(), &mut now, &stop, quiet).expect("it goes on");
    let whole = open("");
    assert_eq!(train(&whole, &mut whole.start(), &mut Heard::default()).parameters, trained.parameters);
    assert_eq!(trained.precisions, [(Precision::F64, STEPS)]);
    _ = std::fs::remove_dir_all(&path);
}
