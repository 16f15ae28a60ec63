//! What goes wrong in training on equations is told with its place, and made good.

use pinnace::decide::settle;
use pinnace::stability::{Action, Found, Incident};
use pinnace::trainer::{Equations, Surroundings, train};
use pinnace::{Device, Event, Experiment, Objective, Precision, Quiet, Sink, Snapshot, TrainError, Trained};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A rod whose source has no value where x is near 0.3.
fn rod(training: &str) -> String {
    format!(
        "[domain]\nt = [0, 1]\nx = [-1, 1]\n[unknowns]\nu = {{}}\n[equations]\n\
         heat = \"u_t = u_xx + where(abs(x - 0.3) < 0.004, sqrt(-1 - x^2), 0)\"\n\
         [conditions]\nstart = {{ on = \"t = 0\", equation = \"u = sin(pi*x)\" }}\n\
         walls = {{ on = \"boundary\", equation = \"u = 0\" }}\n[network]\nwidth = 6\ndepth = 2\n\
         [training]\noptimizer = \"adam\"\npoints = 20\nresample = 1\nsteps = 200\n{training}\n"
    )
}

#[derive(Default)]
struct Heard {
    incidents: Vec<Incident>,
    steps: Vec<u64>,
    states: Vec<Snapshot>,
}

impl Sink for Heard {
    fn event(&mut self, event: &Event) {
        if let Event::Incident(incident) = event {
            self.incidents.push(incident.clone());
        }
        if let Event::Step(taken) = event {
            self.steps.push(taken.step);
        }
    }

    fn wants_state(&mut self, _seconds: f64) -> bool {
        true
    }

    fn state(&mut self, state: &Snapshot) {
        self.states.push(state.clone());
    }
}

fn open(text: &str) -> Experiment {
    Experiment::from_text("rod", text, Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn trained(text: &str) -> (Result<Trained, TrainError>, Heard) {
    let mut heard = Heard::default();
    (open(text).train(&AtomicBool::new(false), &mut heard), heard)
}

#[test]
fn points_where_an_equation_has_no_value_are_skipped_and_told() {
    let (outcome, heard) = trained(&rod(""));
    let trained = outcome.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(heard.steps, (1..=200).collect::<Vec<_>>());
    let found = &heard.incidents;
    assert!(found.len() > 3 && trained.incidents.skipped == found.len() as u64, "{found:?}");
    for incident in found {
        assert!(
            matches!((incident.found, incident.action), (Found::Fault(_), Action::Skipped)),
            "{incident:?}"
        );
    }
    let said = found[0].sentence();
    assert!(
        said.contains("`heat` in `interior` is not finite at t = ")
            && (said.contains("x = 0.29") || said.contains("x = 0.30")),
        "{said}"
    );
    assert!(said.ends_with("; the step was skipped"), "{said}");
    let score = trained.steadiness.expect("something has happened").score;
    assert!((0.9..1.0).contains(&score), "{score}");
    // Twice the same, bit for bit.
    assert_eq!(trained.parameters, self::trained(&rod("")).0.expect("it trains").parameters);
}

#[test]
fn a_run_that_is_to_stop_at_the_first_fault_does() {
    let (outcome, heard) = trained(&rod("guard = \"stop\""));
    let error = outcome.expect_err("a point has no value");
    assert!(matches!(error, TrainError::NonFiniteResidual { .. }), "{error}");
    assert!(heard.incidents.is_empty());
    let watched = open(&rod("guard = \"restore\"")).stopping_at_faults();
    let stopped = watched.train(&AtomicBool::new(false), &mut Quiet).expect_err("the same point");
    assert_eq!(stopped.to_string(), error.to_string());
}

#[test]
fn where_the_network_itself_overflows_its_layer_channel_and_neuron_are_named() {
    let experiment =
        open(&rod("guard = \"stop\"").replace("where(abs(x - 0.3) < 0.004, sqrt(-1 - x^2), 0)", "0"));
    let mut start = experiment.start();
    let tensor = &experiment.plan().architecture.tensors[2];
    assert_eq!(tensor.name, "layer2.weight");
    // Neuron 4 of the second layer gets derivatives that no number holds.
    for row in 0..tensor.shape[0] {
        start.parameters[tensor.offset + row * tensor.shape[1] + 4] = 1e200;
    }
    let error =
        experiment.train_from(&mut start, &AtomicBool::new(false), &mut Quiet).expect_err("too large");
    let said = error.to_string();
    assert!(
        said.contains("first in the vector after `layer2`, channel ") && said.contains("neuron 4"),
        "{said}"
    );
}

#[test]
fn a_device_that_takes_series_skips_the_same_points() {
    let experiment = open(&rod("steps = 60").replace("steps = 200\n", ""));
    let (problem, plan, tables) = (experiment.problem(), experiment.plan(), experiment.tables());
    let phases = settle(problem, plan, Device::Cpu, Precision::F64).phases;
    let run = |kernel: kernel::Kernel| {
        let mut objective = Objective::new(kernel, Vec::new());
        let (mut heard, mut now) = (Heard::default(), experiment.start());
        let mut task = Equations::new((problem, plan), &phases, tables, &mut objective);
        let surroundings = Surroundings { stop: &AtomicBool::new(false), clock: &|| 0.0 };
        let outcome = train(&mut task, &mut now, surroundings, &mut heard);
        outcome.unwrap_or_else(|error| panic!("{error}"));
        (now, heard)
    };
    let (by_host, heard) = run(kernel::Kernel::compile(plan, Device::Cpu, Precision::F64).expect("a kernel"));
    let stand_in = kernel::Kernel::compile_for_stand_in(plan, Precision::F64).expect("a C++ compiler");
    let (by_device, heard_there) = run(stand_in);
    assert!(heard.incidents.len() > 1);
    let told = |heard: &Heard| heard.incidents.iter().map(Incident::sentence).collect::<Vec<_>>();
    assert_eq!(told(&heard_there), told(&heard));
    assert_eq!(heard_there.steps, heard.steps);
    assert_eq!(by_device.task, by_host.task, "as many draws");
    let pairs = by_device.parameters.iter().zip(&by_host.parameters);
    assert!(pairs.clone().all(|(one, other)| (one - other).abs() < 1e-9), "{:?}", pairs.collect::<Vec<_>>());
}

#[test]
fn too_large_a_learning_rate_is_brought_down_and_the_run_converges() {
    let text = rod("learning_rate = 30\nschedule = \"constant\"")
        .replace("where(abs(x - 0.3) < 0.004, sqrt(-1 - x^2), 0)", "0");
    let (outcome, heard) = trained(&text.replace("steps = 200", "steps = 1500"));
    let trained = outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(trained.incidents.restored > 0, "{:?}", heard.incidents);
    assert!(!trained.descent.has_diverged(), "{:?}", trained.descent);
    let (outcome, _) = self::trained(&format!("{text}guard = \"stop\"\n"));
    assert!(outcome.is_err() || outcome.is_ok_and(|trained| trained.descent.has_diverged()));
}

#[test]
fn clipped_gradients_train_and_are_counted() {
    let text =
        rod("clip = [\"value\", { kind = \"global-norm\", limit = 1e-3 }]").replace("sqrt(-1 - x^2)", "0");
    let (outcome, _) = trained(&text);
    let steadiness = outcome.expect("it trains").steadiness.expect("every step is clipped");
    assert!(steadiness.clipped > 0.8 && steadiness.score > 0.9, "{steadiness:?}");
}

#[test]
fn arrays_layers_units_and_the_whole_gradient_are_clipped_apart_from_each_other() {
    let parameters = |clip: &str| {
        let text = rod(&format!("clip = {clip}")).replace("sqrt(-1 - x^2)", "0");
        let outcome = trained(&text.replace("steps = 200", "steps = 30")).0;
        outcome.unwrap_or_else(|error| panic!("{error}")).parameters
    };
    let rules = ["norm", "layer", "global-norm"].map(|kind| format!("{{ kind = \"{kind}\", limit = 1e-3 }}"));
    let all = rules.each_ref().map(|rule| parameters(rule));
    assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2], "they are the same rule");
    let relative = parameters("\"relative\"");
    assert!(!all.contains(&relative));
}

#[test]
fn a_run_whose_last_points_have_no_value_ends_with_a_loss_at_other_ones() {
    let text = rod("guard = \"zero\"");
    let (_, heard) = trained(&text);
    let last = heard.incidents.last().expect("points have no value").step + 1;
    let (outcome, heard) = trained(&text.replace("steps = 200", &format!("steps = {last}")));
    assert_eq!(heard.incidents.last().map(|incident| incident.step + 1), Some(last));
    let trained = outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(trained.losses.total.is_finite());
}

#[test]
fn where_a_gradient_was_mended_the_place_is_told_too() {
    for policy in ["zero", "replace"] {
        let (_, heard) = trained(&rod(&format!("guard = \"{policy}\"")));
        let said = heard.incidents[0].sentence();
        assert!(said.contains("`heat` in `interior` is not finite at t = "), "{policy}: {said}");
    }
}

#[test]
fn what_overflows_from_the_first_step_on_ends_training_there() {
    let text = rod("").replace("resample = 1\n", "").replace("u_t = u_xx", "u_t = u_xx + 1e160");
    let (outcome, heard) = trained(&text.replace("sqrt(-1 - x^2)", "0"));
    let error = outcome.expect_err("its square overflows");
    assert!(error.to_string().contains("before the first step"), "{error}");
    assert!(heard.steps.is_empty(), "{:?}", heard.steps);
}

#[test]
fn a_batch_without_a_value_is_passed_over_also_in_a_run_that_is_continued() {
    let text = rod("batch = 20").replace("points = 20\nresample = 1", "points = 600");
    let experiment = open(&text.replace("steps = 200", "steps = 120"));
    let (mut now, mut heard) = (experiment.start(), Heard::default());
    let train = |now: &mut Snapshot, heard: &mut Heard| {
        let outcome = experiment.train_from(now, &AtomicBool::new(false), heard);
        outcome.unwrap_or_else(|error| panic!("{error}"))
    };
    let trained = train(&mut now, &mut heard);
    assert_eq!(heard.steps, (1..=120).collect::<Vec<_>>());
    assert!(trained.losses.total.is_finite());
    let skipped = trained.incidents.skipped;
    assert!(skipped > 2 && trained.incidents.total() == skipped, "{:?}", heard.incidents);
    assert_eq!(now.task.count("batches.passed_over"), Ok(skipped));
    let restored = self::trained(&text.replace("steps = 200", "steps = 40\nguard = \"restore\"")).0;
    assert!(restored.unwrap_or_else(|error| panic!("{error}")).incidents.restored > 0);
    let step = heard.incidents[1].step;
    for mut state in heard.states.into_iter().filter(|state| [step, step + 1].contains(&state.steps)) {
        train(&mut state, &mut Heard::default());
        assert_eq!((&state.parameters, &state.task), (&now.parameters, &now.task), "from step {step}");
    }
}
