//! Learning rates that follow the residuals and gradients of equations.

use pinnace::decide::settle;
use pinnace::trainer::{Equations, Surroundings, train};
use pinnace::{Device, Event, Experiment, Objective, Precision, Sink, Snapshot};
use std::path::Path;
use std::sync::atomic::AtomicBool;

const STEPS: u64 = 230;

fn open(schedule: &str) -> Experiment {
    opened(schedule, "points = 20\nresample = 1")
}

fn opened(schedule: &str, points: &str) -> Experiment {
    let text = format!(
        "[domain]\nt = [0, 1]\nx = [0, 1]\n[unknowns]\nu = {{}}\n[equations]\nheat = \"u_t = 0.2*u_xx\"\n\
         [conditions]\nstart = {{ on = \"t = 0\", equation = \"u = sin(pi*x)\" }}\n\
         walls = {{ on = \"x = 0, x = 1\", equation = \"u = 0\" }}\n[network]\nwidth = 6\ndepth = 2\n\
         [training]\noptimizer = \"adam\"\n{points}\nsteps = {STEPS}\nschedule = {schedule}\n"
    );
    Experiment::from_text("rod", &text, Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"))
}

#[derive(Default)]
struct Heard {
    rates: Vec<f64>,
    keep: Vec<u64>,
    kept: Vec<Snapshot>,
}

impl Sink for Heard {
    fn event(&mut self, event: &Event) {
        if let Event::Step(taken) = event {
            self.rates.push(taken.length);
        }
    }

    fn wants_state(&mut self, _seconds: f64) -> bool {
        !self.keep.is_empty()
    }

    fn state(&mut self, state: &Snapshot) {
        if self.keep.contains(&state.steps) {
            self.kept.push(state.clone());
        }
    }
}

/// On the host, or on the stand-in for a device that takes series of steps.
fn run(experiment: &Experiment, on_device: bool, now: &mut Snapshot, heard: &mut Heard) {
    let (problem, plan, tables) = (experiment.problem(), experiment.plan(), experiment.tables());
    let phases = settle(problem, plan, Device::Cpu, Precision::F64).phases;
    let kernel = if on_device {
        kernel::Kernel::compile_for_stand_in(plan, Precision::F64).expect("a C++ compiler")
    } else {
        kernel::Kernel::compile(plan, Device::Cpu, Precision::F64).expect("a kernel")
    };
    let mut objective = Objective::new(kernel, Vec::new());
    let mut task = Equations::new((problem, plan), &phases, tables, &mut objective);
    let surroundings = Surroundings { stop: &AtomicBool::new(false), clock: &|| 0.0 };
    train(&mut task, now, surroundings, heard).unwrap_or_else(|error| panic!("{error}"));
}

const FOLLOWING: [&str; 3] = [
    "{ kind = \"plateau\", patience = 100, threshold = 0.9 }",
    "{ kind = \"residual\", patience = 100, threshold = 0.9 }",
    "{ kind = \"gradient-norm\", steps = 50 }",
];

#[test]
fn learning_rates_that_follow_equations_go_on_bit_for_bit() {
    let each =
        |schedule| ["points = 20\nresample = 1", "points = 60\nbatch = 20"].map(|points| (schedule, points));
    for (schedule, points) in FOLLOWING.into_iter().flat_map(each) {
        let experiment = opened(schedule, points);
        let mut heard = Heard { keep: vec![100, 101, 150], ..Heard::default() };
        let mut whole = experiment.start();
        run(&experiment, false, &mut whole, &mut heard);
        assert!(heard.rates[STEPS as usize - 1] < heard.rates[0], "{schedule} {points}");
        assert_eq!(heard.kept.len(), 3);
        for mut state in heard.kept {
            let (from, mut rest) = (state.steps as usize, Heard::default());
            run(&experiment, false, &mut state, &mut rest);
            assert_eq!(rest.rates, heard.rates[from..], "{schedule} {points} from step {from}");
            assert_eq!(state.parameters, whole.parameters, "{schedule} {points} from step {from}");
        }
    }
}

#[test]
fn a_device_that_takes_series_gets_the_same_learning_rates() {
    for schedule in FOLLOWING {
        let experiment = open(schedule);
        let rates = |on_device| {
            let mut heard = Heard::default();
            run(&experiment, on_device, &mut experiment.start(), &mut heard);
            heard.rates
        };
        let (by_host, by_device) = (rates(false), rates(true));
        assert_eq!(by_host.len(), by_device.len());
        for (step, (one, other)) in by_host.iter().zip(&by_device).enumerate() {
            assert!((one - other).abs() < 1e-4 * one, "{schedule}: step {step}: {one} {other}");
        }
    }
}
