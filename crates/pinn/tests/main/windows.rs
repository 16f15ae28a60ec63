//! Time in windows: networks one after the other that are one solution.

use pinnace::checkpoint::Header;
use pinnace::run::{Folder, RunPlace, TransferError};
use pinnace::{Event, Experiment, Points, Quiet, Run, Sink, Snapshot, Stopped, Trained, export};
use safetensors::SafeTensors;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// A wave that goes around once: two conditions at its start.
const WAVE: &str = r#"
[domain]
t = [0, 2]
x = [0, 1]
[unknowns]
u = {}
[equations]
wave = "u_tt = u_xx"
[conditions]
start = { on = "t = 0", equations = ["u = sin(pi*x)", "u_t = 0"] }
walls = { on = "x = 0, x = 1", equation = "u = 0" }
[network]
width = 8
depth = 2
[training]
points = 120
condition_points = 40
windows = 4
budget = "100 steps"
[reference]
u = "sin(pi*x)*cos(pi*t)"
grid = { t = 41, x = 21 }
"#;

fn open(overrides: &[&str]) -> Experiment {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    Experiment::from_text("wave", WAVE, Path::new("."), &overrides).unwrap_or_else(|error| panic!("{error}"))
}

fn train(experiment: &Experiment, sink: &mut dyn Sink) -> (Snapshot, Trained) {
    let mut now = experiment.start();
    let trained = experiment.train_from(&mut now, &AtomicBool::new(false), sink);
    (now, trained.unwrap_or_else(|error| panic!("{error}")))
}

/// The unknown and its slope in time at a time, along x.
fn at(experiment: &Experiment, parameters: &[f64], time: f64) -> Vec<[f64; 2]> {
    let mut points = Points::new(2);
    (0..=20).for_each(|index| points.push(&[time, f64::from(index) / 20.0]));
    let slope = experiment.find_fields(["u_t"]).expect("a derivative");
    let fields = experiment.fields(parameters, pinnace::Places::Scattered(points), &slope).expect("fields");
    let columns: Vec<&[f64]> = fields.iter().map(|(_, values)| values).collect();
    columns[0].iter().zip(columns[1]).map(|(&value, &slope)| [value, slope]).collect()
}

#[test]
fn windows_together_are_a_solution_that_does_not_jump_where_they_meet() {
    let experiment = open(&[]);
    let (now, trained) = train(&experiment, &mut Quiet);
    assert_eq!((now.finished.len(), trained.steps), (3, 100));
    assert_eq!(trained.parameters.len(), 4 * experiment.plan().parameter_count());
    let error = trained.errors[0].as_ref().expect("a reference");
    assert_eq!(error.points, 41 * 21);
    assert!(error.relative_l2.is_some_and(|error| error < 1e-3), "{error:?}");
    assert_eq!(experiment.errors(&trained.parameters).expect("errors"), trained.errors);
    assert_eq!(experiment.unfinished(&trained.parameters), None);
    for seam in [0.5, 1.0, 1.5] {
        let (before, after) =
            (at(&experiment, &now.solution(), seam), at(&experiment, &now.solution(), seam + 1e-9));
        assert_ne!(before, after, "two networks");
        for (before, after) in before.iter().zip(&after) {
            let jump = [0, 1].map(|part| (before[part] - after[part]).abs());
            assert!(jump[0] < 1e-3 && jump[1] < 1e-2, "{before:?} {after:?} at {seam}");
        }
    }
    let residuals = experiment
        .misfits(&experiment.losses_on_fresh_points(&trained.parameters).expect("losses"))
        .iter()
        .map(|misfit| misfit.root_mean_square)
        .collect::<Vec<_>>();
    assert!(residuals.iter().all(|misfit| *misfit < 0.05), "{residuals:?}");
}

/// Keeps states as files would, and counts what is told about windows.
struct Keeper<'run> {
    experiment: &'run Experiment,
    interval: usize,
    asked: usize,
    kept: Vec<Vec<u8>>,
    begun: Vec<(usize, usize, String)>,
    stepped: Vec<u64>,
}

impl Keeper<'_> {
    fn new(experiment: &Experiment, interval: usize) -> Keeper<'_> {
        Keeper { experiment, interval, asked: 0, kept: Vec::new(), begun: Vec::new(), stepped: vec![0; 4] }
    }
}

impl Sink for Keeper<'_> {
    fn event(&mut self, event: &Event) {
        match event {
            Event::StageStarted { stage, stages, title, .. } => {
                self.begun.push((*stage, *stages, title.clone()))
            }
            Event::Step(taken) => self.stepped[taken.stage] += 1,
            _ => {}
        }
    }

    fn wants_state(&mut self, _seconds: f64) -> bool {
        self.asked += 1;
        self.asked.is_multiple_of(self.interval)
    }

    fn state(&mut self, state: &Snapshot) {
        let layout = self.experiment.layout();
        self.kept.push(layout.encode(&header(), state).unwrap_or_else(|fault| panic!("{fault}")));
    }
}

fn header() -> Header {
    let word = || "any".to_owned();
    Header { problem: word(), device: word(), precision: word(), level: word(), arithmetic: 1 }
}

#[test]
fn training_goes_on_bit_for_bit_from_the_middle_of_any_window() {
    let adam = ["training.optimizer=adam", "training.resample=3"];
    let phases =
        ["training.phase=[{optimizer='adam', budget='11 steps'}, {optimizer='lbfgs', budget='20 steps'}]"];
    let still = ["training.resample=0", "training.adaptive=false"];
    for (overrides, interval) in [(&[][..], 5), (&adam, 4), (&phases, 3), (&still, 7)] {
        let steps = if *overrides == phases { &[][..] } else { &["training.budget=26 steps"] };
        let experiment = open(&[overrides, steps].concat());
        let mut keeper = Keeper::new(&experiment, interval);
        let (whole, trained) = train(&experiment, &mut keeper);
        assert_eq!(keeper.begun.len(), 4);
        assert_eq!(keeper.begun[2], (2, 4, "t from 1 to 1.5".to_owned()));
        assert_eq!(keeper.stepped.iter().sum::<u64>(), trained.steps);
        assert!(keeper.kept.len() > 3, "{overrides:?}");
        let layout = experiment.layout();
        for bytes in &keeper.kept {
            let (_, mut now) = layout.decode(bytes).unwrap_or_else(|fault| panic!("{fault}"));
            let again =
                experiment.train_from(&mut now, &AtomicBool::new(false), &mut Quiet).expect("it goes on");
            let timeless = |now: &Snapshot| Snapshot { seconds: 0.0, phase_seconds: 0.0, ..now.clone() };
            assert_eq!(timeless(&now), timeless(&whole), "{overrides:?}");
            assert_eq!(
                (again.parameters, again.errors),
                (trained.parameters.clone(), trained.errors.clone())
            );
        }
    }
}

/// Ends training in a window.
struct Until<'run>(usize, &'run AtomicBool);

impl Sink for Until<'_> {
    fn event(&mut self, event: &Event) {
        if let Event::Step(taken) = event {
            self.1.store(taken.stage == self.0, Ordering::Relaxed);
        }
    }
}

#[test]
fn of_windows_that_were_not_begun_nothing_is_said() {
    let experiment = open(&["training.budget=12 steps"]);
    let (stop, mut now) = (AtomicBool::new(false), experiment.start());
    let trained = experiment.train_from(&mut now, &stop, &mut Until(1, &stop)).expect("two windows");
    assert_eq!((trained.stopped, trained.steps, now.finished.len()), (Stopped::Interrupted, 7, 1));
    assert_eq!(experiment.unfinished(&trained.parameters), Some(("t", 1.0)));
    let error = trained.errors[0].as_ref().expect("a reference");
    assert_eq!(error.points, 21 * 21, "the first half of time");
    assert!(error.relative_l2.is_some_and(f64::is_finite));
    assert_eq!(experiment.errors(&trained.parameters).expect("errors"), trained.errors);
    let is_number = |time: f64| {
        at(&experiment, &trained.parameters, time).iter().flatten().all(|value| value.is_finite())
    };
    assert!(is_number(0.2) && is_number(1.0) && !is_number(1.1));
    let again = experiment.train_from(&mut now, &AtomicBool::new(false), &mut Quiet).expect("it goes on");
    assert_eq!(again.parameters, train(&experiment, &mut Quiet).1.parameters);
}

/// A folder that is removed when the test is over.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_run_keeps_all_windows_and_another_can_start_from_it_if_it_has_as_many() {
    let scratch = Scratch(std::env::temp_dir().join(format!("pinnace-windows-{}", std::process::id())));
    let experiment = open(&["training.budget=8 steps"]);
    let (path, mut now) = (scratch.0.join("run"), experiment.start());
    let place = RunPlace::At(path.clone());
    let mut folder = Folder::create(&place, &experiment, &now, None, 0.0).expect("a folder");
    let trained = folder.train(&experiment, &mut now, &AtomicBool::new(false), &mut Quiet).expect("trained");
    drop(folder);
    let run = Run::open(&path).expect("a run");
    assert_eq!((run.snapshot(), run.parameters()), (&now, &*trained.parameters));
    assert_eq!(run.experiment().window_count(), 4);
    let windows: Vec<usize> = run.history().expect("a history").iter().map(|record| record.window).collect();
    assert_eq!(windows, [0, 0, 0, 0, 1, 2, 3, 3]);

    assert_eq!(run.hand_over(&open(&["training.seed=4"])).expect("as many").parameters, now.finished[0]);
    let other = run.hand_over(&open(&["training.windows=2"]));
    assert!(matches!(other, Err(TransferError::Windows { theirs: 4, ours: 2, .. })), "{other:?}");
    assert!(Folder::resume(&path, &["training.windows=2".to_owned()], 0.0).is_err(), "other networks");

    let problem = path.join("problem.toml");
    let text = std::fs::read_to_string(&problem).expect("a problem");
    std::fs::write(&problem, text.replace("windows = 4", "windows = 3")).expect("it can be edited");
    std::fs::remove_file(path.join("manifest.json")).expect("there is one");
    let said = Run::open(&path).expect_err("a window too many").to_string();
    assert_eq!(said, "the saved state is in window 4, the problem has 3");

    let file = scratch.0.join("network.safetensors");
    export::network(run.experiment(), run.parameters(), &file).expect("it can be written");
    let bytes = std::fs::read(&file).expect("it is there");
    let tensors = SafeTensors::deserialize(&bytes).expect("safetensors");
    let weight = |window: usize| {
        tensors.tensor(&format!("window{window}.layer1.weight")).expect("a tensor").data().to_vec()
    };
    assert_ne!(weight(1), weight(4));
    let (_, metadata) = SafeTensors::read_metadata(&bytes).expect("safetensors");
    let said = &metadata.metadata().as_ref().expect("metadata")["pinnace"];
    assert!(said.contains("\"windows\":[[0.0,0.5],[0.5,1.0],[1.0,1.5],[1.5,2.0]]"), "{said}");
}
