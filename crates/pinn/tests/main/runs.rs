//! Folders of runs: what is in them, and that nothing which happens to them loses what they hold.

use pinnace::checkpoint::Header;
use pinnace::run::{Folder, Notice, RunPlace, TransferError};
use pinnace::{Device, Experiment, Points, Precision, Quiet, Run, RunError, Snapshot, Stopped, TrainError};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

const PROBLEM: &str = r#"
[domain]
t = [0, 1]
[unknowns]
u = {}
[parameters]
rate = { start = 0.5, min = 0 }
[equations]
cooling = "u_t = -rate*u"
[data]
probe = { file = "tables/probe.csv", columns = ["t", "u"] }
[network]
width = 5
depth = 2
[training]
optimizer = "adam"
points = 12
budget = "30 steps"
[reference]
u = { file = "probe.csv", columns = ["t", "u"] }
"#;

/// A folder with a problem and its data, removed when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-runs-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("tables")).unwrap();
        fs::write(path.join("cooling.toml"), PROBLEM).unwrap();
        fs::write(path.join("tables/probe.csv"), "t,u\n0,1\n0.5,0.6\n1,0.4\n").unwrap();
        fs::write(path.join("probe.csv"), "t,u\n0,1\n1,0.37\n").unwrap();
        Scratch(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn open(&self, overrides: &[&str]) -> Experiment {
        let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
        let file = self.path("cooling.toml");
        Experiment::open(file.to_str().unwrap(), &overrides).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Trains into a folder, with a checkpoint at every step.
    fn train(&self, name: &str, experiment: &Experiment) -> (PathBuf, Snapshot) {
        let (path, mut now) = (self.path(name), experiment.start());
        let mut folder = Folder::create(&RunPlace::At(path.clone()), experiment, &now, None, 0.0)
            .unwrap_or_else(|error| panic!("{error}"));
        let trained = folder.train(experiment, &mut now, &AtomicBool::new(false), &mut Quiet);
        trained.unwrap_or_else(|error| panic!("{error}"));
        assert!(folder.trouble().is_none());
        (path, now)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn open(path: &Path) -> Run {
    Run::open(path).unwrap_or_else(|error| panic!("{error}"))
}

fn resume(path: &Path, overrides: &[&str]) -> Result<(Run, Folder), TrainError> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    Folder::resume(path, &overrides, 0.0)
}

fn checkpoints(run: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(run.join("checkpoints")).unwrap().map(|entry| entry.unwrap().path());
    let numbered = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("step-");
    let mut files: Vec<PathBuf> = files.filter(numbered).collect();
    files.sort();
    files
}

#[test]
fn a_run_holds_all_that_is_needed_to_train_it_again() {
    let scratch = Scratch::new("whole");
    let experiment = scratch.open(&["training.seed=7", "training.learning_rate=0.02"]);
    let experiment = experiment.on(Device::Cpu, Precision::F32).with_steps(25);
    let (path, now) = scratch.train("run", &experiment);
    // Nothing but the folder is left.
    for file in ["cooling.toml", "probe.csv", "tables/probe.csv"] {
        fs::remove_file(scratch.path(file)).unwrap();
    }
    let moved = scratch.path("moved");
    fs::rename(&path, &moved).unwrap();
    let run = open(&moved);
    assert_eq!((run.folder(), run.experiment().name()), (&*moved, "cooling"));
    assert_eq!(run.experiment().problem().title, "cooling");
    assert_eq!((run.experiment().device(), run.experiment().precision()), (Device::Cpu, Precision::F32));
    assert_eq!((run.snapshot(), run.parameters()), (&now, &*now.parameters));
    assert_eq!(run.snapshot().stopped, Some(Stopped::Steps));
    let again = run.experiment().train(&AtomicBool::new(false), &mut Quiet).unwrap();
    assert_eq!((again.parameters, again.steps), (now.parameters, 25));
    assert!(again.errors[0].is_some());
    let environment: serde_json::Value =
        serde_json::from_slice(&fs::read(moved.join("environment.json")).unwrap()).unwrap();
    for (key, value) in [("problem", "cooling"), ("device", "cpu"), ("precision", "f32")] {
        assert_eq!(environment[key], value);
    }
    assert_eq!((&environment["seed"], &environment["format"]), (&7.into(), &3.into()));
    assert_eq!(environment["residuals"], serde_json::json!(["interior: cooling", "probe: probe"]));
}

#[test]
fn history_has_a_record_per_step_and_goes_on_where_the_run_does() {
    let scratch = Scratch::new("history");
    let (path, _) = scratch.train("run", &scratch.open(&[]));
    let history = open(&path).history().unwrap();
    assert!(history.iter().map(|record| record.step).eq(1..=30));
    assert!(history.iter().all(|record| record.mean_squares.len() == 2 && record.evaluations == record.step));
    // Lines of steps that will be taken again, and half a line.
    let file = path.join("metrics.jsonl");
    let mut text = fs::read_to_string(&file).unwrap();
    let last = text.lines().rfind(|line| line.contains("mean_squares")).unwrap();
    let later = last.replace("\"step\":30", "\"step\":31");
    text.push_str(&format!("{later}\n{}", &later[..20]));
    fs::write(&file, text).unwrap();
    assert_eq!(open(&path).history().unwrap().len(), 31);
    let (run, mut folder) = resume(&path, &["training.budget=\"40 steps\""]).unwrap();
    assert_eq!(run.history().unwrap(), history);
    folder.train(run.experiment(), &mut run.snapshot().clone(), &AtomicBool::new(false), &mut Quiet).unwrap();
    let longer = run.history().unwrap();
    assert!(longer.iter().map(|record| record.step).eq(1..=40));
    assert_eq!(longer[..30], history);
    // Both ends are told, too, each after its last step.
    let text = fs::read_to_string(&file).unwrap();
    let ends: Vec<usize> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.contains("\"ended\":\"steps\""))
        .map(|it| it.0)
        .collect();
    assert_eq!(ends, [30, 41], "{text}");
}

#[test]
fn the_last_two_checkpoints_are_kept_and_each_can_be_opened() {
    let scratch = Scratch::new("kept");
    let (path, now) = scratch.train("run", &scratch.open(&[]));
    let files = checkpoints(&path);
    assert_eq!(files.len(), 2, "{files:?}");
    let (before, last) = (open(&files[0]), open(&files[1]));
    assert_eq!((before.snapshot().steps, last.snapshot()), (29, &now));
    assert_eq!(before.folder(), std::path::absolute(&path).unwrap());
    let said = resume(&files[1], &[]).expect_err("one checkpoint is not the run").to_string();
    assert!(said.contains("name the run's folder"), "{said}");
}

#[test]
fn a_damaged_checkpoint_is_put_aside_and_the_one_before_is_used() {
    let scratch = Scratch::new("damaged");
    let (path, now) = scratch.train("run", &scratch.open(&[]));
    let newest = checkpoints(&path).remove(1);
    let whole = fs::read(&newest).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    for bytes in [&whole[..whole.len() / 3], &flipped, &[]] {
        fs::write(&newest, bytes).unwrap();
        let run = open(&path);
        assert_eq!(run.snapshot().steps, 29);
        let [Notice::Damaged { path, step: 29, .. }] = run.notices() else { panic!("{:?}", run.notices()) };
        assert_eq!(*path, newest);
    }
    fs::write(path.join("checkpoints/step-0000000031.safetensors.partial"), "half").unwrap();
    let (run, mut folder) = resume(&path, &[]).unwrap();
    let mut again = run.snapshot().clone();
    folder.train(run.experiment(), &mut again, &AtomicBool::new(false), &mut Quiet).unwrap();
    assert_eq!(again.parameters, now.parameters);
    let names: Vec<String> = checkpoints(&path)
        .iter()
        .map(|file| file.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    let expected = [29, 30].map(|step| format!("step-{step:010}.safetensors"));
    assert_eq!(names, [&expected[0], &expected[1], "step-0000000030.safetensors.damaged"]);
}

#[test]
fn without_a_good_checkpoint_the_newest_is_blamed() {
    let scratch = Scratch::new("blamed");
    let (path, _) = scratch.train("run", &scratch.open(&[]));
    for file in checkpoints(&path) {
        fs::write(file, "short").unwrap();
    }
    let said = Run::open(&path).expect_err("no checkpoint is left").to_string();
    assert!(said.contains("step-0000000030.safetensors: it is damaged"), "{said}");
    checkpoints(&path).iter().for_each(|file| fs::remove_file(file).unwrap());
    let said = Run::open(&path).expect_err("no checkpoint is left").to_string();
    assert!(said.ends_with("is not a run: it has no checkpoint"), "{said}");
}

#[test]
fn a_run_of_a_newer_version_is_refused_and_left_alone() {
    let scratch = Scratch::new("newer");
    let (path, _) = scratch.train("run", &scratch.open(&[]));
    let newest = checkpoints(&path).remove(1);
    let mut bytes = fs::read(&newest).unwrap();
    let place = bytes.windows(13).position(|part| part == b"\"version\":\"3\"").unwrap();
    bytes[place + 11] = b'4';
    fs::write(&newest, &bytes).unwrap();
    for error in [Run::open(&path).err(), resume(&path, &[]).err()] {
        let said = error.expect("it is too new").to_string();
        assert!(said.contains("has format 4") && said.contains("use a newer one"), "{said}");
    }
    assert_eq!(fs::read(&newest).unwrap(), bytes);
}

#[test]
fn two_processes_cannot_train_one_run() {
    let scratch = Scratch::new("busy");
    let (path, _) = scratch.train("run", &scratch.open(&[]));
    let (_, folder) = resume(&path, &[]).unwrap();
    let error = resume(&path, &[]).expect_err("it is taken");
    let TrainError::Run(RunError::Busy { process, .. }) = error else { panic!("{error}") };
    assert_eq!(process, Some(std::process::id()));
    assert_eq!(open(&path).snapshot().steps, 30, "reading is always possible");
    drop(folder);
    assert!(resume(&path, &[]).is_ok(), "a lock does not outlive its owner");
}

#[test]
fn only_training_may_change_when_a_run_goes_on() {
    let scratch = Scratch::new("overrides");
    let (path, _) = scratch.train("run", &scratch.open(&[]));
    let before = fs::read_to_string(path.join("problem.toml")).unwrap();
    for text in ["training.seed=3", "network.width=9", "training=5", " constants.k = 1"] {
        let error = resume(&path, &[text]).expect_err("it would be another run");
        assert!(matches!(error, TrainError::Override { .. }), "{error}");
    }
    let error = resume(&path, &["training.pints=3"]).expect_err("there is no such key");
    assert!(matches!(error, TrainError::Problem { .. }), "{error}");
    assert_eq!(fs::read_to_string(path.join("problem.toml")).unwrap(), before);
    drop(resume(&path, &["training.steps=44"]).unwrap());
    assert_eq!(open(&path).experiment().problem().training.steps, Some(44), "it stays so");
    let environment = fs::read_to_string(path.join("environment.json")).unwrap();
    assert!(environment.contains("training.steps=44"), "{environment}");
}

#[test]
fn folders_are_named_after_problem_and_time_and_never_overwritten() {
    let scratch = Scratch::new("names");
    let experiment = scratch.open(&[]).called("a/b c").with_steps(0);
    let under = RunPlace::Under(scratch.path("runs"));
    let start = experiment.start();
    let made: Vec<Folder> =
        (0..3).map(|_| Folder::create(&under, &experiment, &start, None, 0.0).unwrap()).collect();
    let names: Vec<&str> =
        made.iter().map(|folder| folder.path().file_name().unwrap().to_str().unwrap()).collect();
    assert!(names.iter().all(|name| name.starts_with("a-b-c-2")), "{names:?}");
    assert_eq!(names.iter().collect::<std::collections::HashSet<_>>().len(), 3);
    assert_eq!(fs::read_dir(scratch.path("runs")).unwrap().count(), 3, "no draft is left");
    let taken = RunPlace::At(made[0].path().to_owned());
    let error = Folder::create(&taken, &experiment, &start, None, 0.0).expect_err("it is taken");
    assert!(matches!(error, TrainError::Run(RunError::Taken { .. })), "{error}");
    fs::create_dir(scratch.path("empty")).unwrap();
    let empty = RunPlace::At(scratch.path("empty"));
    assert!(Folder::create(&empty, &experiment, &start, None, 0.0).is_ok());
    let inside_a_file = RunPlace::Under(scratch.path("cooling.toml"));
    let error = Folder::create(&inside_a_file, &experiment, &start, None, 0.0).expect_err("no folder");
    assert!(error.to_string().starts_with("cannot write "), "{error}");
}

#[test]
fn what_is_no_run_is_said_to_be_none() {
    let scratch = Scratch::new("none");
    for (name, words) in
        [("nowhere", "cannot read"), ("tables", "no problem.toml"), ("probe.csv", "is not a run")]
    {
        let said = Run::open(&scratch.path(name)).expect_err(name).to_string();
        assert!(said.contains(words), "{said}");
    }
    assert!(resume(&scratch.path("tables"), &[]).is_err());
    assert_eq!(fs::read_dir(scratch.path("tables")).unwrap().count(), 1, "no lock is left there");
}

#[test]
fn an_edited_problem_that_no_longer_fits_its_checkpoints_is_refused() {
    let scratch = Scratch::new("edited");
    let (path, _) = scratch.train("run", &scratch.open(&[]));
    let problem = path.join("problem.toml");
    let text = fs::read_to_string(&problem).unwrap();
    fs::write(&problem, text.replace("width = 5", "width = 6")).unwrap();
    fs::remove_file(path.join("manifest.json")).unwrap();
    let said = Run::open(&path).expect_err("the network is another").to_string();
    assert!(said.contains("has the shape [1, 5], the problem needs [1, 6]"), "{said}");
}

#[test]
fn trained_parameters_are_the_start_of_another_run() {
    let scratch = Scratch::new("transfer");
    let (path, now) = scratch.train("run", &scratch.open(&[]));
    let run = open(&path);
    let weights = run.experiment().plan().architecture.weight_count();
    let start = run.hand_over(&scratch.open(&["training.seed=5"])).unwrap();
    assert_eq!(start, Snapshot::start(now.parameters.clone()));
    // Scalars by name, in their new bounds, and those that are new as their file states.
    let text = PROBLEM
        .replace("rate = { start = 0.5, min = 0 }", "other = 9\nrate = { start = 0.1, min = -1, max = 4 }");
    let text = text.replace("-rate*u", "-rate*u + 1e-9*other");
    let wider = Experiment::from_text("x", &text, &scratch.0, &[]).unwrap_or_else(|error| panic!("{error}"));
    let start = run.hand_over(&wider).unwrap();
    assert_eq!(start.parameters[..weights], now.parameters[..weights]);
    let (found, trained) = (
        wider.plan().scalar_values(&start.parameters),
        run.experiment().plan().scalar_values(&now.parameters),
    );
    assert_eq!(found[0], 9.0);
    assert!((found[1] - trained[0]).abs() < 1e-14, "{found:?} {trained:?}");
    let above = text.replace("min = -1, max = 4", "max = 0.2");
    let above = Experiment::from_text("x", &above, &scratch.0, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert!(matches!(run.hand_over(&above), Err(TransferError::Outside { .. })));
    let said = run.hand_over(&scratch.open(&["network.width=8"])).expect_err("too wide").to_string();
    assert!(said.contains("layer1.weight is 1×5 there and 1×8 here"), "{said}");
    let said = run.hand_over(&scratch.open(&["network.depth=3"])).expect_err("too deep").to_string();
    assert!(said.contains("layer3.weight is not there"), "{said}");
}

#[test]
fn random_features_of_another_seed_are_not_mixed_up() {
    let scratch = Scratch::new("features");
    let features = "network.fourier={ features = 3, scale = 1.0 }";
    let (path, _) = scratch.train("run", &scratch.open(&[features]));
    let run = open(&path);
    assert!(run.hand_over(&scratch.open(&[features])).is_ok());
    let other = run.hand_over(&scratch.open(&[features, "training.seed=1"]));
    assert!(matches!(other, Err(TransferError::Inputs { .. })), "{other:?}");
}

#[test]
fn a_run_of_a_device_that_is_not_here_is_read_on_the_processor_and_says_so() {
    if pinnace::describe_gpu().is_ok() {
        return;
    }
    let scratch = Scratch::new("elsewhere");
    let experiment = scratch.open(&[]).with_steps(3);
    let (path, now) = scratch.train("run", &experiment);
    let header = Header {
        problem: "cooling".to_owned(),
        device: "cuda".to_owned(),
        precision: "bf16x6".to_owned(),
        level: "portable".to_owned(),
        arithmetic: pinnace::ARITHMETIC,
    };
    let bytes = experiment.layout().encode(&header, &now);
    let newest = checkpoints(&path).pop().unwrap();
    fs::write(newest, bytes.unwrap_or_else(|fault| panic!("{fault}"))).unwrap();
    fs::remove_file(path.join("manifest.json")).unwrap();
    let run = open(&path);
    let [Notice::Unchecked { .. }, Notice::OtherDevice { trained, .. }] = run.notices() else {
        panic!("{:?}", run.notices())
    };
    assert_eq!(trained, "cuda in bf16x6");
    assert_eq!(run.experiment().device(), Device::Cpu);
    let mut points = Points::new(experiment.problem().domain.len());
    points.push(&vec![0.5; experiment.problem().domain.len()]);
    let values = run.experiment().predict(run.parameters(), &points);
    assert!(values.unwrap_or_else(|error| panic!("{error}")).iter().all(|value| value.is_finite()));
}

/// A run as version 0.1.0 left it in the middle of its second window: checkpoints had format 2, and no word about arithmetic.
const OLD_RUN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/main/old_run");

#[test]
fn a_run_of_the_first_version_is_opened_and_ends_as_well_as_a_new_one() {
    let scratch = Scratch::new("old");
    let path = scratch.0.join("old");
    fs::create_dir_all(path.join("checkpoints")).unwrap();
    for file in
        ["problem.toml", "metrics.jsonl", "environment.json", "checkpoints/step-0000000005.safetensors"]
    {
        fs::copy(Path::new(OLD_RUN).join(file), path.join(file)).unwrap();
    }
    let (run, mut folder) = resume(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut now = run.snapshot().clone();
    assert_eq!((now.steps, now.phase_step, now.finished.len()), (5, 1, 1));
    assert_eq!(now.task.counts("point_widths").map(<[u64]>::len), Ok(2), "its points travel with it");
    let said =
        run.notices().iter().any(|notice| matches!(notice, Notice::OtherArithmetic { trained: 1, .. }));
    assert_eq!(said, pinnace::ARITHMETIC != 1, "{:?}", run.notices());
    folder.train(run.experiment(), &mut now, &AtomicBool::new(false), &mut Quiet).unwrap();
    let mut anew = run.experiment().start();
    run.experiment().train_from(&mut anew, &AtomicBool::new(false), &mut Quiet).unwrap();
    assert_eq!((now.steps, now.stopped), (anew.steps, anew.stopped));
    // Points are chosen otherwise since then: the solutions are alike, and not the same.
    let error = |now: &Snapshot| {
        let errors = run.experiment().errors(&now.solution()).unwrap_or_else(|error| panic!("{error}"));
        errors[0].as_ref().and_then(|error| error.relative_l2).expect("it has a reference")
    };
    let (old, new) = (error(&now), error(&anew));
    assert!((0.1..10.0).contains(&(old / new)), "{old} {new}");
}
