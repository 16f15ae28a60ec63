//! Parts of the loss are weighed against each other, by every rule that methods which follow the gradient may ask for.

use pinnace::decide::settle;
use pinnace::trainer::{Equations, Surroundings, train};
use pinnace::{BalancedPart, Device, Event, Experiment, Objective, Precision, Sink, Snapshot};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A rod whose equation is far stronger than its conditions.
const ROD: &str = r#"
[domain]
t = [0, 1]
x = [0, 1]
[unknowns]
u = {}
[equations]
heat = "10*u_t = 10*u_xx"
[conditions]
start = { on = "t = 0", equation = "u = sin(pi*x)", points = 8 }
walls = { on = "x = 0, x = 1", equation = "u = 0", points = 8 }
[data]
[network]
width = 6
depth = 2
[training]
hard_constraints = "off"
optimizer = "adam"
points = 24
"#;

const KINDS: [&str; 5] = ["gradient-norm", "ntk", "self-adaptive", "softadapt", "relobralo"];

fn open(training: &str) -> Experiment {
    let text = format!("{}{training}\n", ROD.replace("[data]\n", ""));
    Experiment::from_text("rod", &text, Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"))
}

#[derive(Default)]
struct Heard {
    balanced: Vec<Vec<BalancedPart>>,
    weights: Vec<Vec<f64>>,
    incidents: usize,
    keep: Option<u64>,
    kept: Option<Snapshot>,
}

impl Sink for Heard {
    fn event(&mut self, event: &Event) {
        if let Event::Balanced { parts } = event {
            self.balanced.push(parts.clone());
        }
        self.incidents += usize::from(matches!(event, Event::Incident(_)));
        if let Event::Step(taken) = event {
            self.weights.push(taken.weights.clone());
        }
    }

    fn wants_state(&mut self, _seconds: f64) -> bool {
        self.keep.is_some()
    }

    fn state(&mut self, state: &Snapshot) {
        if self.keep == Some(state.steps) {
            self.kept = Some(state.clone());
        }
    }
}

fn run(experiment: &Experiment, now: &mut Snapshot, heard: &mut Heard) {
    experiment.train_from(now, &AtomicBool::new(false), heard).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn every_rule_moves_weights_at_its_steps_and_resumes_bit_for_bit() {
    for kind in KINDS.into_iter().chain(["gradient-norm\", by = \"largest"]) {
        let experiment = open(&format!("steps = 40\nbalance = {{ kind = \"{kind}\", every = 10 }}"));
        let (mut now, mut heard) = (experiment.start(), Heard { keep: Some(17), ..Heard::default() });
        run(&experiment, &mut now, &mut heard);
        let changes: Vec<usize> =
            (1..heard.weights.len()).filter(|&step| heard.weights[step] != heard.weights[step - 1]).collect();
        assert_eq!(changes, [10, 20, 30], "{kind}");
        let mut state = heard.kept.unwrap_or_else(|| panic!("{kind}: it was kept"));
        run(&experiment, &mut state, &mut Heard::default());
        assert_eq!((&state.parameters, &state.task), (&now.parameters, &now.task), "{kind}");
        let mut plain = open("steps = 40").start();
        run(&open("steps = 40"), &mut plain, &mut Heard::default());
        assert_ne!(plain.parameters, state.parameters, "{kind}: weights have an effect");
    }
}

#[test]
fn conditions_become_as_strong_as_the_equation() {
    for kind in ["gradient-norm", "ntk"] {
        let experiment = open(&format!("steps = 1\nbalance = \"{kind}\""));
        let (mut now, mut heard) = (experiment.start(), Heard::default());
        run(&experiment, &mut now, &mut heard);
        let parts = &heard.balanced[0];
        let strengths: Vec<f64> = parts.iter().map(|part| part.weight * part.scale).collect();
        for strength in &strengths {
            assert!((strength / strengths[0] - 1.0).abs() < 5e-2, "{kind}: {parts:?}");
        }
        assert!(parts[1].weight > 10.0 * parts[0].weight, "{kind}: {parts:?}");
        assert_eq!(
            ["heat", "start", "walls"].as_slice(),
            parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>()
        );
    }
}

#[test]
fn weights_that_a_file_states_stay() {
    let text = ROD.replace("[data]\n", "").replace("points = 8 }", "points = 8, weight = 7 }");
    let text = format!("{text}steps = 21\nbalance = {{ kind = \"gradient-norm\", every = 5 }}\n");
    let experiment = Experiment::from_text("rod", &text, Path::new("."), &[]).expect("it is right");
    let (mut now, mut heard) = (experiment.start(), Heard::default());
    run(&experiment, &mut now, &mut heard);
    assert!(heard.weights.iter().all(|weights| weights[1..] == [7.0, 7.0]), "{:?}", heard.weights);
    assert!(heard.weights[0][0] < 1.0);
}

#[test]
fn a_device_that_takes_series_gets_the_same_weights() {
    let experiment = open("steps = 12\nresample = 1\nbalance = { kind = \"gradient-norm\", every = 5 }");
    let (problem, plan, tables) = (experiment.problem(), experiment.plan(), experiment.tables());
    let phases = settle(problem, plan, Device::Cpu, Precision::F64).phases;
    let weights = |kernel: kernel::Kernel| {
        let mut objective = Objective::new(kernel, Vec::new());
        let (mut heard, mut now) = (Heard::default(), experiment.start());
        let mut task = Equations::new((problem, plan), &phases, tables, &mut objective);
        let surroundings = Surroundings { stop: &AtomicBool::new(false), clock: &|| 0.0 };
        train(&mut task, &mut now, surroundings, &mut heard).unwrap_or_else(|error| panic!("{error}"));
        heard.weights
    };
    let by_host = weights(kernel::Kernel::compile(plan, Device::Cpu, Precision::F64).expect("a kernel"));
    let by_device =
        weights(kernel::Kernel::compile_for_stand_in(plan, Precision::F64).expect("a C++ compiler"));
    assert_eq!(by_host.len(), 12);
    for (one, other) in by_host.iter().flatten().zip(by_device.iter().flatten()) {
        assert!((one - other).abs() < 1e-9 * one.abs(), "{by_host:?} {by_device:?}");
    }
}

#[test]
fn parts_without_a_value_are_for_the_step_to_find() {
    let hole = "10*u_t = 10*u_xx + where(abs(x - 0.3) < 0.01, sqrt(-1 - x^2), 0)";
    for kind in KINDS {
        let training = format!("steps = 40\nresample = 1\nbalance = {{ kind = \"{kind}\", every = 1 }}\n");
        let text = ROD.replace("[data]\n", "").replace("10*u_t = 10*u_xx", hole) + &training;
        let experiment = Experiment::from_text("rod", &text, Path::new("."), &[]).expect("it is right");
        let (mut now, mut heard) = (experiment.start(), Heard::default());
        run(&experiment, &mut now, &mut heard);
        assert!(heard.incidents > 0, "{kind}: no point is near the hole");
        assert_eq!(heard.weights.len(), 40, "{kind}");
    }
}
