//! Batches are functions of the number of a step: who finds them, and where they are kept, changes no bit.

use kernel::Kernel;
use pinnace::trainer::{Equations, Surroundings, train};
use pinnace::{
    Device, Event, Experiment, LeastSquares, Objective, Precision, Quiet, Sink, Snapshot, Stopped,
    TrainError, Trained,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

const COOLING: &str = r#"
[domain]
t = [0, 1]
x = [0, 1]
[unknowns]
u = {}
[equations]
cooling = "u_t = -x*u"
[conditions]
start = { on = "t = 0", equation = "u = 1" }
[network]
width = 5
depth = 2
[training]
optimizer = "adam"
learning_rate = 0.01
condition_points = 8
"#;

const SHAPE: &str =
    "[geometry]\nplate = \"interval(0, 1)\"\nshape = \"plate - interval(0.4, 0.5)\"\n[unknowns]";

fn open(text: &str, folder: &Path) -> Experiment {
    Experiment::from_text("cooling", text, folder, &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn here(more: &str) -> Experiment {
    open(&format!("{COOLING}{more}"), Path::new("."))
}

/// A folder with a table, removed when the test is over.
struct Table(PathBuf);

impl Table {
    /// Rows of t, x and u, as NumPy writes them in eight bytes a number.
    fn new(name: &str, rows: &[[f64; 3]]) -> Self {
        let folder = std::env::temp_dir().join(format!("pinnace-batches-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a writable place");
        std::fs::write(folder.join("probe.npy"), npy("<f8", rows, |value| value.to_le_bytes().to_vec()))
            .expect("a writable place");
        Table(folder)
    }

    fn of(count: usize, name: &str) -> Self {
        Self::new(name, &measured(count))
    }

    /// The problem with that table, and more lines.
    fn problem(&self, table: &str, more: &str) -> String {
        format!("{COOLING}{more}[data]\nprobe = {{ file = \"probe.npy\"{table} }}\n")
    }

    fn open(&self, table: &str, more: &str) -> Experiment {
        open(&self.problem(table, more), &self.0)
    }

    /// What is said against it.
    fn refused(&self, table: &str, more: &str) -> String {
        let opened = Experiment::from_text("cooling", &self.problem(table, more), &self.0, &[]);
        let trained = opened.and_then(|experiment| experiment.train(&AtomicBool::new(false), &mut Quiet));
        trained.expect_err("it is refused").to_string()
    }

    fn path(&self) -> PathBuf {
        self.0.join("probe.npy")
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn measured(count: usize) -> Vec<[f64; 3]> {
    let place = |number: usize, times: f64| (number as f64 * times).fract();
    (0..count)
        .map(|number| [place(number, 0.618_033_99), place(number, 0.414_213_56), place(number, 0.732_050_81)])
        .collect()
}

fn npy(kind: &str, rows: &[[f64; 3]], number: impl Fn(f64) -> Vec<u8>) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}, 3), }}\n", rows.len());
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(rows.iter().flatten().flat_map(|value| number(*value)));
    bytes
}

/// The end of training on the stand-in for a GPU.
fn trained_there(experiment: &Experiment, workers: usize) -> Vec<u64> {
    let kernel = Kernel::compile_for_stand_in(experiment.plan(), Precision::F64);
    let mut objective = Objective::new(kernel.expect("a C++ compiler"), Vec::new());
    let pair = (experiment.problem(), &**experiment.plan());
    let task = Equations::new(pair, experiment.settled(), experiment.tables(), &mut objective);
    let (mut now, stop) = (experiment.start(), AtomicBool::new(false));
    let surroundings = Surroundings { stop: &stop, clock: &|| 0.0 };
    train(&mut task.with_workers(workers), &mut now, surroundings, &mut Quiet).expect("it trains");
    now.parameters.iter().map(|value| value.to_bits()).collect()
}

fn trained(experiment: &Experiment) -> (Snapshot, Trained) {
    let mut now = experiment.start();
    let trained = experiment.train_from(&mut now, &AtomicBool::new(false), &mut Quiet);
    (timeless(&now), trained.unwrap_or_else(|error| panic!("{error}")))
}

fn timeless(snapshot: &Snapshot) -> Snapshot {
    Snapshot { seconds: 0.0, phase_seconds: 0.0, ..snapshot.clone() }
}

/// Ends training after a step.
struct Impatient<'flag>(&'flag AtomicBool, u64);

impl Sink for Impatient<'_> {
    fn event(&mut self, event: &Event) {
        if let Event::Step(taken) = event {
            self.0.store(taken.step == self.1, Ordering::Relaxed);
        }
    }
}

#[test]
fn any_number_of_workers_and_any_interruption_end_with_the_same_bits() {
    let table = Table::of(300, "workers");
    let drawn = "points = 1000\nbatch = 70\n";
    let budget = "budget = \"40 steps\"\n";
    let cases = [
        here(&format!("{drawn}{budget}")),
        here(&format!("{drawn}resample = 7\nsampler = \"latin-hypercube\"\n{budget}")),
        here(&format!("{drawn}resample = 1\nsampling = [\"uniform\", \"causal\"]\n{budget}")),
        open(&format!("{COOLING}{drawn}resample = 5\n{budget}").replace("[unknowns]", SHAPE), Path::new(".")),
        table.open(", batch = 64", &format!("{drawn}{budget}")),
        table.open(", batch = 301", &format!("points = 50\nresample = 3\n{budget}")),
        here(&format!("{drawn}resample = 7\nsampling = [\"halton\", \"causal\"]\n{budget}")),
        // Without batches.
        here(&format!("points = 50\nresample = 7\nsampling = [\"uniform\", \"causal\"]\n{budget}")),
    ];
    for (number, experiment) in cases.into_iter().enumerate() {
        let precision = if number % 2 == 0 { Precision::F64 } else { Precision::F32 };
        let experiment = experiment.on(Device::Cpu, precision);
        let with = |workers: usize| experiment.clone().with_workers(Some(workers));
        let (whole, end) = trained(&with(0));
        for workers in [1, 4] {
            let (now, again) = trained(&with(workers));
            assert_eq!((&now, &again.losses), (&whole, &end.losses), "case {number}, {workers} workers");
            let steps = if workers == 1 { &[][..] } else { &[1, 14, 24, 39] };
            for &step in steps {
                let (stop, mut now) = (AtomicBool::new(false), experiment.start());
                let early = with(workers).train_from(&mut now, &stop, &mut Impatient(&stop, step));
                assert_eq!(early.expect("it trains").stopped, Stopped::Interrupted);
                let again = with(workers).train_from(&mut now, &AtomicBool::new(false), &mut Quiet);
                let losses = again.expect("it trains").losses;
                assert_eq!((timeless(&now), losses), (whole.clone(), end.losses.clone()), "case {number}");
            }
        }
    }
}

#[test]
fn batches_that_a_step_adds_up_are_one_of_as_many_points() {
    let table = Table::of(300, "sum");
    let rows: String = measured(300).iter().map(|[t, x, u]| format!("{t},{x},{u}\n")).collect();
    std::fs::write(table.0.join("probe.csv"), rows).expect("a writable place");
    let budget = "budget = \"25 steps\"\n";
    let drawn = |more: &str| format!("points = 1000\nbatch = 30\naccumulate = 7\n{more}{budget}");
    let in_shape = format!("{COOLING}{}", drawn("resample = 5\n")).replace("[unknowns]", SHAPE);
    let held = table.problem(", batch = 16", &drawn("")).replace("probe.npy", "probe.csv");
    let cases = [
        format!("{COOLING}{}", drawn("")),
        format!("{COOLING}{}", drawn("resample = 1\nsampling = [\"uniform\", \"causal\"]\n")),
        format!("{COOLING}{}", drawn("resample = 4\nsampling = [\"r3\"]\nbalance = true\n")),
        in_shape,
        table.problem(", batch = 16", &drawn("")),
        held,
    ];
    for (number, text) in cases.into_iter().enumerate() {
        let precision = if number % 2 == 0 { Precision::F64 } else { Precision::F32 };
        let open = |text: &str| open(text, &table.0).on(Device::Cpu, precision);
        let one =
            text.replace("batch = 30\naccumulate = 7", "batch = 210").replace("batch = 16", "batch = 112");
        let (whole, end) = trained(&open(&one));
        for (workers, prefetch) in [(0, 1), (1, 1), (3, 20)] {
            let experiment = open(&text).with_workers(Some(workers)).with_prefetch(prefetch);
            let (now, again) = trained(&experiment);
            assert_eq!((&now, &again.losses), (&whole, &end.losses), "case {number}, {workers} workers");
            let (stop, mut now) = (AtomicBool::new(false), experiment.start());
            let early = experiment.train_from(&mut now, &stop, &mut Impatient(&stop, 13));
            assert_eq!(early.expect("it trains").stopped, Stopped::Interrupted);
            let again = experiment.train_from(&mut now, &AtomicBool::new(false), &mut Quiet);
            let losses = again.expect("it trains").losses;
            assert_eq!((timeless(&now), losses), (whole.clone(), end.losses.clone()), "case {number}");
        }
    }
}

#[test]
fn what_is_stated_about_batches_and_has_no_effect_is_told() {
    let said = |more: &str| here(&format!("points = 50\n{more}")).notes().join("\n");
    assert!(said("accumulate = 4\n").contains("`accumulate` has no effect: every step visits all points"));
    assert!(!said("accumulate = 4\nbatch = 10\n").contains("no effect"));
    let said = said("[performance]\nprefetch = 4\nworkers = 2\n");
    assert!(said.contains("`workers` and `prefetch` have no effect"), "{said}");
}

#[test]
fn batches_on_a_device_are_those_of_the_host() {
    let table = Table::of(300, "device");
    let experiment = table.open(", batch = 64", "points = 500\nbatch = 70\nresample = 4\nsteps = 12\n");
    let there = trained_there(&experiment, 0);
    assert_eq!(trained_there(&experiment, 3), there);
    let summed = "points = 500\nbatch = 14\naccumulate = 5\nresample = 4\nsteps = 12\n";
    let [summed, one] = [summed, "points = 500\nbatch = 70\nresample = 4\nsteps = 12\n"].map(here);
    assert_eq!(trained_there(&summed, 1), trained_there(&one, 0));
    let (host, _) = trained(&experiment);
    for (here, there) in host.parameters.iter().zip(there) {
        // A step of Adam goes a hundredth; roundings move it by hardly anything, another batch by far more.
        assert!((here - f64::from_bits(there)).abs() < 1e-7, "{here} {}", f64::from_bits(there));
    }
}

#[test]
fn a_hundred_million_points_are_trained_on_with_the_memory_of_a_few_batches() {
    let text = "points = 100000000\nbatch = 100\nbudget = \"3 steps\"\n";
    let experiment = here(text);
    assert!(experiment.memory_need().bytes() < 100_000_000, "{}", experiment.memory_need());
    let mut now = experiment.start();
    let (stop, mut told) = (AtomicBool::new(false), Told::default());
    let trained = experiment.train_from(&mut now, &stop, &mut told).expect("it trains");
    assert!(trained.losses.total.is_finite() && trained.waiting.is_some_and(|share| share < 1.0));
    assert_eq!(told.waited, 3);
    let said = "interior: batches of 100 of 100000000 points, drawn when they are needed (by 1 worker, up to 4 steps ahead); \
                the loss at the end is over 1048576 of them";
    assert_eq!(told.notes, [said]);
}

/// Keeps what is told of batches, and how often a step tells that it waited.
#[derive(Default)]
struct Told {
    notes: Vec<String>,
    waited: usize,
}

impl Sink for Told {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Note(note) if note.kind == "batches" => self.notes.extend(note.lines.iter().cloned()),
            Event::Step(taken) => {
                self.waited += usize::from(taken.waited.is_some_and(|seconds| seconds >= 0.0))
            }
            _ => {}
        }
    }
}

#[test]
fn without_batches_nothing_is_said_of_waiting() {
    let (experiment, mut told) = (here("points = 100\nbudget = \"2 steps\"\n"), Told::default());
    let mut now = experiment.start();
    let trained = experiment.train_from(&mut now, &AtomicBool::new(false), &mut told).expect("it trains");
    assert_eq!((trained.waiting, told.waited, told.notes.len()), (None, 0, 0));
}

#[test]
fn a_table_in_its_file_is_the_table_in_memory() {
    let rows = measured(2000);
    let table = Table::new("same", &rows);
    let losses = |experiment: &Experiment| trained(experiment).1.losses;
    let (held, stored) = (table.open("", "steps = 0\n"), table.open(", batch = 64", "steps = 0\n"));
    assert_eq!(losses(&held), losses(&stored));
    let single = npy("<f4", &rows, |value| (value as f32).to_le_bytes().to_vec());
    std::fs::write(table.path(), single).expect("a writable place");
    let (held, stored) = (table.open("", "steps = 0\n"), table.open(", batch = 64", "steps = 0\n"));
    assert_eq!(losses(&held), losses(&stored));
    // A batch out of memory: the loss at the end is over all rows, too.
    let text: String = rows.iter().map(|[t, x, u]| format!("{t},{x},{u}\n")).collect();
    std::fs::write(table.0.join("probe.csv"), text).expect("a writable place");
    let text = table.problem(", batch = 64", "points = 30\nsteps = 5\n").replace("probe.npy", "probe.csv");
    let held = open(&text, &table.0);
    let (_, end) = trained(&held);
    let mut all = held.objective().expect("a loss");
    assert_eq!(&end.losses, all.losses(&end.parameters).expect("numbers"));
}

#[test]
fn blocks_of_a_table_in_its_file_are_kept_from_training_every_time() {
    for count in [6400, 6410] {
        let rows = measured(count);
        let table = Table::new("kept", &rows);
        let open = || table.open(", batch = 100, validation = 0.2", "points = 30\nsteps = 5\n");
        let (one, other) = (open(), open());
        let kept = one.tables().kept(0).expect("some rows");
        assert_eq!(kept, other.tables().kept(0).expect("some rows"));
        let is_kept = |row: &[f64; 3]| kept.iter().any(|own| own == row);
        for block in rows.chunks(64) {
            assert!(block.iter().all(is_kept) || !block.iter().any(is_kept), "blocks are kept as a whole");
        }
        let end = one.train(&AtomicBool::new(false), &mut Quiet).expect("it trains");
        let [found] = &end.validations[..] else { panic!("{:?}", end.validations) };
        assert_eq!((found.rows, found.rows + found.trained_rows), (kept.len(), count));
        let share = kept.len() as f64 / count as f64;
        assert!((0.1..0.3).contains(&share), "{share}");
        // The loss at the end is over all others.
        let others: Vec<[f64; 3]> = rows.iter().filter(|row| !is_kept(row)).copied().collect();
        let others = npy("<f8", &others, |value| value.to_le_bytes().to_vec());
        std::fs::write(table.path(), others).expect("a writable place");
        let mut all = table.open("", "points = 30\nsteps = 5\n").objective().expect("a loss");
        assert_eq!(&end.losses, all.losses(&end.parameters).expect("numbers"));
    }
    let table = Table::of(50, "block");
    let said = table.refused(", batch = 10, validation = 0.5", "steps = 3\n");
    assert!(said.contains("of 50 rows, in blocks of 64, leaves none"), "{said}");
}

#[test]
fn a_number_that_is_none_is_found_while_training_and_its_row_is_named() {
    let mut rows = measured(10_000);
    // Not among the rows that are looked at before.
    rows[3][2] = f64::NAN;
    let table = Table::new("row", &rows);
    for more in ["points = 30\nsteps = 3\n", "points = 30\nsteps = 0\n"] {
        let said = table.refused(", batch = 5000", more);
        for part in ["probe.npy", "row 4, column 3 is not finite", "leave `batch` out"] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
    rows[3] = [0.5, 1.5, 0.0];
    let table = Table::new("outside", &rows);
    let said = table.refused(", batch = 5000", "points = 30\nsteps = 3\n");
    assert!(said.contains("row 4, column 2: x = 1.5 lies outside"), "{said}");
}

#[test]
fn a_damaged_or_short_table_is_refused_before_training_and_one_that_is_cut_short_meanwhile_then() {
    let table = Table::of(10_000, "short");
    let whole = std::fs::read(table.path()).expect("it is there");
    let damaged = [
        (whole[..whole.len() - 1].to_vec(), "the header states 240000"),
        (whole[..20].to_vec(), "not an NPY file"),
        (Vec::new(), "not an NPY file"),
        (npy("<f8", &[], |_| Vec::new()), "no rows"),
        (npy(">f8", &measured(3), |value| value.to_be_bytes().to_vec()), "little-endian"),
    ];
    for (bytes, named) in damaged {
        std::fs::write(table.path(), bytes).expect("a writable place");
        let said = table.refused(", batch = 10", "steps = 3\n");
        assert!(said.contains(named) && said.contains("probe.npy"), "{named}: {said}");
    }
    std::fs::write(table.path(), &whole).expect("a writable place");
    let experiment = table.open(", batch = 5000", "points = 30\nsteps = 3\n");
    std::fs::write(table.path(), &whole[..whole.len() / 2]).expect("a writable place");
    let error = experiment.train(&AtomicBool::new(false), &mut Quiet).expect_err("rows are missing");
    let said = error.to_string();
    assert!(said.contains("cannot be read") && said.contains("has to stay as it is"), "{said}");
    assert!(matches!(error, TrainError::Table(_)), "{error:?}");
}

#[test]
fn a_run_does_not_go_on_with_another_table() {
    let table = Table::of(5000, "other");
    let open = || table.open(", batch = 100", "points = 30\nsteps = 9\n");
    let (stop, mut now) = (AtomicBool::new(false), open().start());
    open().train_from(&mut now, &stop, &mut Impatient(&stop, 4)).expect("it trains");
    let mut rows = measured(5000);
    rows.reverse();
    let other = Table::new("other", &rows);
    let error = open().train_from(&mut now.clone(), &AtomicBool::new(false), &mut Quiet);
    let said = error.expect_err("it is another one").to_string();
    assert!(said.contains("probe.npy is not the table that this run was trained on"), "{said}");
    drop(other);
    let _table = Table::of(5000, "other");
    open().train_from(&mut now, &AtomicBool::new(false), &mut Quiet).expect("it is the former one");
}

#[test]
fn measurements_in_batches_are_for_methods_that_forget() {
    let table = Table::of(100, "method");
    for method in ["lbfgs", "gauss-newton", "auto"] {
        let said = table
            .refused(", batch = 10", &format!("steps = 3\n[[training.phase]]\noptimizer = \"{method}\"\n"));
        for part in ["[data] probe states a `batch`", "`adam`", "leave `batch` out"] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
    let said = table.refused(", batch = 0", "steps = 3\n");
    assert!(said.contains("expected an integer from 1") && said.contains("batch = 0"), "{said}");
}
