//! Gradients in half precision: the loss is scaled by what fits, and where nothing fits training goes on with more digits.

use kernel::Kernel;
use pinnace::decide::settle;
use pinnace::trainer::{Equations, Ladder, Surroundings, TaskState, train};
use pinnace::{Device, Event, Experiment, Fallback, Objective, Precision, Sink, Snapshot, TrainError};
use std::path::Path;
use std::sync::atomic::AtomicBool;

const STEPS: u64 = 12;

fn open(weight: &str) -> Experiment {
    open_checked(weight, 128)
}

/// With gradients compared at so many points of every term.
fn open_checked(weight: &str, compared: usize) -> Experiment {
    let text = format!(
        "[domain]\nt = [0, 1]\nx = [0, 1]\n[unknowns]\nu = {{}}\n[equations]\n\
         heat = {{ equation = \"u_t = 0.2*u_xx\", weight = {weight} }}\n[conditions]\n\
         start = {{ on = \"t = 0\", equation = \"u = sin(pi*x)\" }}\n\
         walls = {{ on = \"x = 0, x = 1\", equation = \"u = 0\" }}\n[network]\nwidth = 6\ndepth = 2\n\
         [training]\noptimizer = \"adam\"\npoints = 40\nsteps = {STEPS}\ngradient_check = {{ every = 1000, points = {compared}, loss = 1e9, gradient = 1e9 }}\n"
    );
    Experiment::from_text("rod", &text, Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"))
}

#[derive(Default)]
struct Heard {
    fallbacks: Vec<Fallback>,
    incidents: usize,
    states: Vec<Snapshot>,
}

impl Sink for Heard {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Fallback(fallback) => self.fallbacks.push(fallback.clone()),
            Event::Incident(_) => self.incidents += 1,
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

/// Trains in half precision on a stand-in, from where a snapshot stands; steps by precision.
fn go_on(experiment: &Experiment, now: &mut Snapshot, heard: &mut Heard) -> Vec<(Precision, u64)> {
    let (problem, plan, tables) = (experiment.problem(), experiment.plan(), experiment.tables());
    let phases = settle(problem, plan, Device::Cuda, Precision::Fp16).phases;
    let kernel = |precision| Kernel::compile_for_stand_in(plan, precision).map_err(TrainError::from);
    let mut objective = Objective::new(kernel(Precision::Fp16).expect("a C++ compiler"), Vec::new());
    let rungs = vec![Precision::Fp16, Precision::Bf16x6, Precision::F64];
    let mut task = Equations::new((problem, plan), &phases, tables, &mut objective)
        .climbing(Ladder { rungs, kernel: &kernel });
    let surroundings = Surroundings { stop: &AtomicBool::new(false), clock: &|| 0.0 };
    train(&mut task, now, surroundings, heard).unwrap_or_else(|error| panic!("{error}"));
    task.precisions()
}

fn exponent(now: &Snapshot) -> Option<i32> {
    TaskState::of(&now.task).expect("a state").loss_scale.map(|scale| scale.exponent)
}

#[test]
fn a_scale_that_overflows_is_halved_and_no_step_is_lost() {
    let experiment = open("8");
    let (mut now, mut heard) = (experiment.start(), Heard::default());
    assert_eq!(go_on(&experiment, &mut now, &mut heard), [(Precision::Fp16, STEPS)]);
    let found = exponent(&now).expect("gradients are in half precision");
    assert!((11..16).contains(&found), "2^{found}");
    assert_eq!((heard.incidents, heard.fallbacks.len()), (0, 0), "{:?}", heard.fallbacks);
    assert!(now.is_finite());
    // From every state with the same bits, the scale included.
    for mut state in std::mem::take(&mut heard.states) {
        go_on(&experiment, &mut state, &mut Heard::default());
        assert_eq!((state.parameters, state.task), (now.parameters.clone(), now.task.clone()));
    }
}

#[test]
fn gradients_that_are_compared_at_a_few_of_many_points_do_not_overflow_for_it() {
    let experiment = open_checked("8", 4);
    let (mut now, mut heard) = (experiment.start(), Heard::default());
    assert_eq!(go_on(&experiment, &mut now, &mut heard), [(Precision::Fp16, STEPS)], "{:?}", heard.fallbacks);
}

#[test]
fn where_no_scale_fits_training_goes_on_with_more_digits_and_says_so() {
    let experiment = open("1e9");
    let (mut now, mut heard) = (experiment.start(), Heard::default());
    assert_eq!(go_on(&experiment, &mut now, &mut heard), [(Precision::Bf16x6, STEPS)]);
    let [told] = &heard.fallbacks[..] else { panic!("{:?}", heard.fallbacks) };
    assert_eq!(told.what, "from step 0 on, training goes on in bf16x6 in place of fp16");
    assert!(told.why.contains("overflows in fp16"), "{}", told.why);
    assert_eq!(heard.incidents, 0);
    let last = heard.states.len() - 2;
    let mut state = heard.states.swap_remove(last);
    go_on(&experiment, &mut state, &mut Heard::default());
    assert_eq!(state.parameters, now.parameters);
}
