//! Large sets of points that follow residuals: chosen in parts, in memory or in a file, found by any number of workers, and chosen again
//! where training goes on. No bit depends on it.

use kernel::Kernel;
use pinnace::sample::PointRoom;
use pinnace::trainer::{Equations, Surroundings, train};
use pinnace::{Device, Event, Experiment, Objective, Precision, Quiet, Sink, Snapshot, Stopped, Trained};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Large residuals in a corner of the plate, of which a quarter is missing.
const PLATE: &str = r#"
[domain]
t = [0, 1]
x = [0, 1]
[geometry]
shape = "interval(0, 1) - interval(0.5, 0.75)"
[unknowns]
u = {}
[equations]
cooling = "u_t = -x*u + exp(-40*(x^2 + t^2))"
[conditions]
start = { on = "t = 0", equation = "u = 0" }
[network]
width = 4
depth = 1
[training]
optimizer = "adam"
learning_rate = 0.01
condition_points = 8
points = 140000
batch = 500
resample = 3
"#;

fn open(more: &str) -> Experiment {
    Experiment::from_text("plate", &format!("{PLATE}{more}"), Path::new("."), &[])
        .unwrap_or_else(|error| panic!("{error}"))
}

fn timeless(snapshot: &Snapshot) -> Snapshot {
    Snapshot { seconds: 0.0, phase_seconds: 0.0, ..snapshot.clone() }
}

/// Keeps what is told of batches and of moves, and ends training after a step.
struct Watch<'flag> {
    stop: &'flag AtomicBool,
    last: u64,
    notes: Vec<String>,
    moves: Vec<(usize, f64, f64)>,
    renewed: usize,
}

impl Sink for Watch<'_> {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Note(note) if note.kind == "batches" => self.notes.extend(note.lines.iter().cloned()),
            Event::Step(taken) => {
                self.stop.store(taken.step == self.last, Ordering::Relaxed);
                self.renewed += usize::from(taken.renewed.is_some_and(|seconds| seconds > 0.0));
                let numbers = taken
                    .sampling
                    .as_ref()
                    .and_then(|told| Some((told.moved, told.residual_before?, told.residual_after?)));
                self.moves.extend(numbers);
            }
            _ => {}
        }
    }
}

/// What came of a training, what it told of batches, and points moved with mean squares before and after.
struct Seen {
    now: Snapshot,
    trained: Trained,
    notes: Vec<String>,
    moves: Vec<(usize, f64, f64)>,
}

fn watched(experiment: &Experiment, last: u64) -> Seen {
    let (stop, mut now) = (AtomicBool::new(false), experiment.start());
    let mut watch = Watch { stop: &stop, last, notes: Vec::new(), moves: Vec::new(), renewed: 0 };
    let trained =
        experiment.train_from(&mut now, &stop, &mut watch).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(watch.renewed, watch.moves.len(), "the time of each move is told");
    Seen { now, trained, notes: watch.notes, moves: watch.moves }
}

#[test]
fn memory_files_workers_and_interruptions_change_no_bit_of_points_chosen_in_parts() {
    for (precision, more) in [
        (
            Precision::F64,
            "sampling = [{ kind = \"rad\", candidates = 2 }, \"causal\"]\nbudget = \"5 steps\"\n",
        ),
        (
            Precision::F32,
            "sampling = [\"uniform\", { kind = \"rad\", candidates = 2, power = 2 }, { kind = \"gradient\", candidates = 2 }]\naccumulate = 2\nbudget = \"5 steps\"\n",
        ),
    ] {
        let experiment = open(more).on(Device::Cpu, precision);
        let Seen { now: whole, trained: end, notes, moves } =
            watched(&experiment.clone().with_workers(Some(0)), 0);
        assert!(notes.len() == 1 && notes[0].contains("chosen in parts, in memory"), "{notes:?}");
        // Points went where residuals are large.
        for &(moved, before, after) in &moves {
            assert!(moved == 140_000 && after > 1.1 * before, "{moves:?}");
        }
        assert!(!moves.is_empty() && end.renewing.is_some_and(|share| share > 0.0));
        let in_file = experiment.clone().with_point_memory(2_239_999).with_workers(Some(3));
        let Seen { now, trained: again, notes, .. } = watched(&in_file, 0);
        assert!(notes.len() == 1 && notes[0].contains("in a temporary file on the disk of"), "{notes:?}");
        assert_eq!((timeless(&now), &again.losses), (timeless(&whole), &end.losses));
        let Seen { mut now, trained: early, .. } = watched(&in_file, 4);
        assert_eq!(early.stopped, Stopped::Interrupted);
        let saved: usize =
            now.task.iter().filter_map(|(name, _)| now.task.numbers(name).ok()).map(<[f64]>::len).sum();
        assert!(saved < 10_000, "{saved} numbers: what can be chosen again is not saved");
        let again = experiment.train_from(&mut now, &AtomicBool::new(false), &mut Quiet).expect("it trains");
        assert_eq!((timeless(&now), &again.losses), (timeless(&whole), &end.losses), "gone on with");
        // Some points stand for all in a picture.
        let cloud = experiment.points_inside(&now).expect("points");
        assert_eq!((cloud.width(), cloud.len()), (2, 46_666));
        assert!(cloud.iter().all(|row| !(0.5..0.75).contains(&row[1])));
    }
}

#[test]
fn what_cannot_be_chosen_in_parts_counts_in_memory_and_other_points_in_parts_do_not() {
    let bytes = |more: &str| {
        let text = PLATE.replace("points = 140000", "points = 1e8");
        let text = format!("{text}{more}budget = \"4 steps\"\n");
        Experiment::from_text("plate", &text, Path::new("."), &[]).expect("it is right").memory_need().bytes()
    };
    let few = bytes("sampling = [\"rad\"]\n");
    assert!(few < 500_000_000, "{few}");
    for more in
        ["sampling = [\"r3\"]\n", "sampling = [\"rad\", \"veto\"]\n", "sampling = [\"grid\", \"rad\"]\n"]
    {
        assert!(bytes(more) > 5_000_000_000, "{more}: {}", bytes(more));
    }
}

#[test]
fn a_disk_that_cannot_take_the_points_is_named() {
    let experiment = open("sampling = [\"rad\"]\nbudget = \"4 steps\"\n");
    let kernel = Kernel::compile(experiment.plan(), Device::Cpu, Precision::F64).expect("a kernel");
    let mut objective = Objective::new(kernel, Vec::new());
    let pair = (experiment.problem(), &**experiment.plan());
    let room = PointRoom { bytes: 0, folder: PathBuf::from("/nowhere/at/all") };
    let mut task =
        Equations::new(pair, experiment.settled(), experiment.tables(), &mut objective).keeping_points(room);
    let (mut now, stop) = (experiment.start(), AtomicBool::new(false));
    let surroundings = Surroundings { stop: &stop, clock: &|| 0.0 };
    let said = train(&mut task, &mut now, surroundings, &mut Quiet)
        .expect_err("there is no such folder")
        .to_string();
    assert!(said.contains("/nowhere/at/all") && said.contains("performance.point_memory"), "{said}");
}
