//! Memory that gets full while training goes on: less of it is used, that is told, and no bit of a result depends on it.

use kernel::Kernel;
use pinnace::memory::{Filling, MemoryReading};
use pinnace::trainer::{Equations, Surroundings, train};
use pinnace::{Event, Experiment, Objective, Precision, Quiet, Sink, Snapshot};
use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::AtomicBool;

const HEAT: &str = r#"
[domain]
t = [0, 1]
x = [0, 1]
[unknowns]
u = {}
[equations]
heat = "u_t = 0.1*u_xx"
[conditions]
start = { on = "t = 0", equation = "u = sin(pi*x)" }
walls = { on = "x = 0, x = 1", equation = "u = 0" }
[network]
width = 6
depth = 2
[training]
"#;

fn open(training: &str) -> Experiment {
    Experiment::from_text("heat", &format!("{HEAT}{training}"), Path::new("."), &[])
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Keeps what is told of memory.
#[derive(Default)]
struct Told {
    slower: Vec<(String, String)>,
    notes: Vec<String>,
    chunks: Vec<u64>,
    readings: Vec<u64>,
}

impl Sink for Told {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Fallback(told) => self.slower.push((told.cause.clone(), told.what.clone())),
            Event::Note(note) if note.kind == "memory-watch" => self.notes.extend(note.lines.clone()),
            Event::Note(note) if note.kind == "memory" => self.chunks.extend(note.data["chunks"].as_u64()),
            Event::Step(taken) => self.readings.extend(taken.memory.map(|memory| memory.host)),
            _ => {}
        }
    }
}

/// Trains on a kernel, with a look at memory before every step: a second passes with each time the clock is asked.
fn trained(
    experiment: &Experiment,
    kernel: Kernel,
    threshold: f64,
    look: &mut dyn FnMut(&Kernel) -> MemoryReading,
    sink: &mut dyn Sink,
) -> Snapshot {
    let mut objective = Objective::new(kernel, Vec::new());
    let pair = (experiment.problem(), &**experiment.plan());
    let seconds = Cell::new(0.0);
    let clock = || {
        seconds.set(seconds.get() + 1.0);
        seconds.get()
    };
    let mut look = |kernel: &Kernel| look(kernel);
    let mut task = Equations::new(pair, experiment.settled(), experiment.tables(), &mut objective)
        .with_workers(2)
        .watching_memory(threshold, &mut look);
    let (mut now, stop) = (experiment.start(), AtomicBool::new(false));
    train(&mut task, &mut now, Surroundings { stop: &stop, clock: &clock }, sink).expect("it trains");
    Snapshot { seconds: 0.0, phase_seconds: 0.0, ..now }
}

fn on_cpu(experiment: &Experiment) -> Kernel {
    Kernel::compile(experiment.plan(), pinnace::Device::Cpu, Precision::F64).expect("a kernel")
}

/// Of a hundred bytes.
fn full(percent: u64) -> Filling {
    Filling { taken: percent, free: 100 - percent }
}

#[test]
fn host_memory_that_gets_full_and_empty_again_changes_no_bit_and_is_told() {
    for training in [
        "optimizer = \"adam\"\npoints = 1000\nbatch = 50\naccumulate = 2\nresample = 3\nbudget = \"12 steps\"\n",
        "optimizer = \"adam\"\npoints = 100\nresample = 1\nbudget = \"12 steps\"\n",
        "optimizer = \"gauss-newton\"\npoints = 100\nbudget = \"12 steps\"\n",
    ] {
        let experiment = open(training);
        let roomy = &mut |_: &Kernel| MemoryReading { host: Some(full(10)), device: None };
        let mut told = Told::default();
        let wanted = trained(&experiment, on_cpu(&experiment), 0.8, roomy, &mut told);
        assert!(told.slower.is_empty() && told.notes.is_empty(), "{:?} {:?}", told.slower, told.notes);
        assert_eq!(told.readings, [10; 12]);
        let mut looks = 0;
        let mut changing = |_: &Kernel| {
            looks += 1;
            // Full, hardly less full, roomy, full again.
            let percent = [10, 85, 70, 50, 90, 10][(looks - 1) % 6];
            MemoryReading { host: Some(full(percent)), device: None }
        };
        let mut told = Told::default();
        let found = trained(&experiment, on_cpu(&experiment), 0.8, &mut changing, &mut told);
        assert_eq!(found, wanted);
        let [(cause, what), ..] = &told.slower[..] else { panic!("{:?}", told.slower) };
        assert!(cause == "host memory" && what.contains("one batch ahead"), "{what}");
        assert_eq!(told.slower.len(), 4, "two times in six looks");
        assert!(told.notes.iter().all(|note| note.contains("ahead again")), "{:?}", told.notes);
        assert_eq!(told.notes.len(), 4, "{:?}", told.notes);
    }
}

#[test]
fn a_device_that_gets_full_takes_points_in_more_chunks_and_changes_no_bit() {
    let training =
        "optimizer = \"adam\"\npoints = 2048\nresample = 2\nbudget = \"26 steps\"\ncondition_points = 8\n";
    let experiment = open(training);
    let kernel = || {
        let kernel = Kernel::compile_for_stand_in(experiment.plan(), Precision::F64);
        kernel.expect("a C++ compiler")
    };
    let roomy = &mut |_: &Kernel| MemoryReading { host: None, device: Some(full(10)) };
    let mut told = Told::default();
    let wanted = trained(&experiment, kernel(), 0.8, roomy, &mut told);
    assert!(told.slower.is_empty() && told.chunks == [1], "{:?} {:?}", told.slower, told.chunks);
    let mut looks = 0;
    let mut changing = |kernel: &Kernel| {
        looks += 1;
        // All that there is, then much more.
        let taken = kernel.device_bytes() as u64;
        let free = if looks == 2 { taken / 10 } else { 100 * taken };
        MemoryReading { host: None, device: Some(Filling { taken, free }) }
    };
    let mut told = Told::default();
    let found = trained(&experiment, kernel(), 0.8, &mut changing, &mut told);
    assert_eq!(found, wanted);
    let [(cause, what)] = &told.slower[..] else { panic!("{:?}", told.slower) };
    assert_eq!(cause, "device memory");
    match told.chunks[..] {
        [1, more, 1] => assert!(more > 1 && what.contains(&format!("{more} chunks instead of 1")), "{what}"),
        _ => panic!("{:?} {what}", told.chunks),
    }
    assert!(told.notes.len() == 1 && told.notes[0].contains("as before"), "{:?}", told.notes);
}

#[test]
fn a_run_tells_of_its_memory_without_being_asked() {
    let experiment = open("optimizer = \"adam\"\npoints = 100\nbudget = \"3 steps\"\n");
    let mut told = Told::default();
    let trained = experiment.train_from(&mut experiment.start(), &AtomicBool::new(false), &mut told);
    let trained = trained.expect("it trains");
    if cfg!(target_os = "linux") {
        assert!(trained.host_bytes.is_some_and(|bytes| bytes > 1_000_000), "{:?}", trained.host_bytes);
        assert!(told.readings.first().is_some_and(|bytes| *bytes > 1_000_000), "{:?}", told.readings);
    }
    let full = experiment_with_threshold(1e-9);
    let mut told = Told::default();
    full.train_from(&mut full.start(), &AtomicBool::new(false), &mut told).expect("it trains");
    assert_eq!(told.slower.len(), usize::from(cfg!(target_os = "linux")), "{:?}", told.slower);
    let again = full.train(&AtomicBool::new(false), &mut Quiet).expect("it trains");
    assert_eq!(again.parameters, trained.parameters);
}

fn experiment_with_threshold(threshold: f64) -> Experiment {
    open(&format!(
        "optimizer = \"adam\"\npoints = 100\nbudget = \"3 steps\"\n[performance]\nmemory_threshold = {threshold:e}\n"
    ))
}
