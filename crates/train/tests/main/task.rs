//! Loop, methods, run folder, resume and kills, with a task that none of them knows.

use crate::line::{Line, LineError, SIZE};
use method::{Budget, Method};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use train::checkpoint::{Block, Header, ParameterLayout};
use train::folder::{Contents, Held, History, KeptFolder, Opened, PROBLEM, RunPlace};
use train::trainer::{Surroundings, TrainingOutcome, train};
use train::{Event, Fan, Quiet, Sink, Snapshot, Stopped};

const START: [f64; SIZE] = [0.7, 1.0, 0.0, 0.0];

fn steps(count: u64) -> Budget {
    Budget { steps: Some(count), ..Budget::default() }
}

/// Adam finds the valley, Gauss-Newton its ground.
fn both() -> Line {
    Line::new(&[(Method::Adam, steps(43)), (Method::GAUSS_NEWTON, steps(9))])
}

fn go(task: &mut Line, now: &mut Snapshot, sink: &mut dyn Sink) -> Result<TrainingOutcome, LineError> {
    go_until(task, now, &AtomicBool::new(false), sink)
}

fn go_until(
    task: &mut Line,
    now: &mut Snapshot,
    stop: &AtomicBool,
    sink: &mut dyn Sink,
) -> Result<TrainingOutcome, LineError> {
    let begin = Instant::now();
    train(task, now, Surroundings { stop, clock: &|| begin.elapsed().as_secs_f64() }, sink)
}

/// Everything but the time.
fn timeless(snapshot: &Snapshot) -> Snapshot {
    Snapshot { seconds: 0.0, phase_seconds: 0.0, ..snapshot.clone() }
}

fn whole() -> Snapshot {
    let mut now = Snapshot::start(START.to_vec());
    go(&mut both(), &mut now, &mut Quiet).expect("it trains");
    timeless(&now)
}

#[test]
fn every_method_lowers_a_loss_that_it_has_never_heard_of() {
    let newton = Method::GAUSS_NEWTON;
    let methods = [
        (Method::Adam, 800, 1e-3),
        (Method::AdamW { weight_decay: 1e-6 }, 800, 1e-3),
        (Method::SGD, 800, 1e-3),
        (Method::Sgd { momentum: 0.9, nesterov: true }, 800, 1e-3),
        (Method::RMSPROP, 800, 1e-3),
        (Method::SOAP, 800, 1e-3),
        (Method::MUON, 800, 1e-3),
        (Method::NysNewtonCg { damping: 1e-6, rank: 4, precondition_every: 5 }, 80, 1e-9),
        (Method::Lbfgs { memory: 5 }, 80, 1e-9),
        (Method::SsBroyden, 80, 1e-9),
        (newton, 30, 1e-20),
    ];
    for (method, count, wanted) in methods {
        let mut now = Snapshot::start(START.to_vec());
        let outcome = go(&mut Line::new(&[(method, steps(count))]), &mut now, &mut Quiet).expect("it trains");
        assert!(outcome.losses.total < wanted, "{method:?}: {}", outcome.losses.total);
    }
}

#[test]
fn a_budget_of_error_is_measured_by_the_task() {
    let budget = Budget { steps: Some(1000), error: Some(1e-6), ..Budget::default() };
    let mut now = Snapshot::start(START.to_vec());
    let outcome = go(&mut Line::new(&[(Method::GAUSS_NEWTON, budget)]), &mut now, &mut Quiet).expect("steps");
    assert_eq!(outcome.stopped, Stopped::TargetError);
    assert!(now.steps < 100, "{}", now.steps);
}

/// Keeps every state.
#[derive(Default)]
struct Keeper(Vec<Snapshot>);

impl Sink for Keeper {
    fn event(&mut self, _event: &Event) {}

    fn wants_state(&mut self, _seconds: f64) -> bool {
        true
    }

    fn state(&mut self, state: &Snapshot) {
        self.0.push(state.clone());
    }
}

#[test]
fn from_every_state_training_ends_with_the_same_bits() {
    let (mut keeper, mut now) = (Keeper::default(), Snapshot::start(START.to_vec()));
    go(&mut both(), &mut now, &mut keeper).expect("it trains");
    assert_eq!(keeper.0.len(), 43 + 9 + 1);
    for mut state in keeper.0 {
        let from = state.steps;
        go(&mut both(), &mut state, &mut Quiet).expect("it trains");
        assert_eq!(timeless(&state), timeless(&now), "from step {from}");
    }
}

fn contents() -> Contents {
    let word = |text: &str| text.to_owned();
    let block = |(offset, name): (usize, &str)| Block { name: word(name), offset, shape: vec![1] };
    let names = ["curve.a", "curve.b", "curve.c", "curve.d"];
    Contents {
        header: Header {
            problem: word("line"),
            device: word("here"),
            precision: word("f64"),
            level: word("any"),
            arithmetic: 1,
        },
        layout: ParameterLayout::new(names.into_iter().enumerate().map(block).collect(), SIZE),
        files: vec![(PROBLEM.to_owned(), b"curve = \"a*tanh(b*x + c) + d\"\n".to_vec())],
        environment: serde_json::Map::new(),
    }
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-task-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn create(path: &Path) -> KeptFolder {
    let start = Snapshot::start(START.to_vec());
    KeptFolder::create(&RunPlace::At(path.to_owned()), &contents(), &start, 0.0).expect("a run")
}

fn resume(path: &Path) -> (Opened, KeptFolder) {
    let held = Held::take(path).expect("nobody has it");
    let unchanged = Contents { files: Vec::new(), ..contents() };
    let opened = Opened::open(path, |_| Ok::<_, LineError>(((), contents().layout)));
    let (_, opened) = opened.unwrap_or_else(|error| panic!("{error}"));
    let folder = held.go_on(&opened, &unchanged, &[], 0.0).expect("it goes on");
    (opened, folder)
}

/// Asks for an end after some steps.
struct Until<'run>(&'run AtomicBool, u64);

impl Sink for Until<'_> {
    fn event(&mut self, event: &Event) {
        if let Event::Step(taken) = event {
            self.0.store(taken.step >= self.1, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_run_that_is_interrupted_in_either_phase_goes_on_from_its_folder_bit_for_bit() {
    let scratch = Scratch::new("interrupted");
    for at in [17, 46] {
        let path = scratch.0.join(at.to_string());
        let (mut folder, stop) = (create(&path), AtomicBool::new(false));
        let (mut now, mut until) = (Snapshot::start(START.to_vec()), Until(&stop, at));
        let mut fan = Fan::new(vec![&mut folder, &mut until]);
        let outcome = go_until(&mut both(), &mut now, &stop, &mut fan).expect("it trains");
        assert_eq!((outcome.stopped, now.steps), (Stopped::Interrupted, at));
        drop(folder);
        let (opened, mut folder) = resume(&path);
        assert!(opened.notices.is_empty(), "{:?}", opened.notices);
        let mut now = opened.snapshot;
        go(&mut both(), &mut now, &mut folder).expect("it trains");
        assert_eq!(timeless(&now), whole());
        let history = History::read(&path).expect("it has one");
        let seen: Vec<u64> = history.records.iter().map(|record| record.step).collect();
        assert_eq!(seen, (1..=whole().steps).collect::<Vec<_>>());
    }
}

/// Where a test that is its own victim finds its run.
const VICTIM: &str = "PINNACE_TEST_VICTIM";

#[test]
fn killed_at_any_moment_a_run_ends_with_the_same_bits() {
    if let Some(path) = std::env::var_os(VICTIM).map(PathBuf::from) {
        // Slow enough to be killed on the way.
        struct Slow;
        impl Sink for Slow {
            fn event(&mut self, _event: &Event) {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        let (opened, mut folder) = resume(&path);
        let mut now = opened.snapshot;
        go(&mut both(), &mut now, &mut Fan::new(vec![&mut folder, &mut Slow])).expect("it trains");
        return;
    }
    let scratch = Scratch::new("killed");
    let path = scratch.0.join("run");
    drop(create(&path));
    let own = std::env::current_exe().expect("a test is a program");
    let newest =
        || Opened::open(&path, |_| Ok::<_, LineError>(((), contents().layout))).expect("it can be read").1;
    let (mut kills, mut patience, mut reached) = (0, 20, 0);
    for attempt in 0u64..200 {
        let mut child = Command::new(&own)
            .args(["--exact", "task::killed_at_any_moment_a_run_ends_with_the_same_bits"])
            .env(VICTIM, &path)
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        std::thread::sleep(Duration::from_millis(patience + attempt * 13 % 40));
        let ended = child.try_wait().expect("it can be asked");
        if ended.is_none() {
            child.kill().expect("it can be killed");
            kills += 1;
        }
        let status = child.wait().expect("it ends");
        if status.success() {
            break;
        }
        // A machine that is busy takes longer to get anywhere.
        let steps = newest().snapshot.steps;
        patience = if steps > reached { patience } else { 2 * patience };
        reached = steps;
    }
    assert!(kills >= 2, "it was killed {kills} times");
    assert_eq!(timeless(&newest().snapshot), whole());
}
