//! Training that goes wrong leaves something good behind, and says so.

use pinnace::Concern;
use pinnace::run::{Folder, Notice, RunPlace, Used};
use pinnace::{Experiment, Quiet, Run, Snapshot, TrainError, Trained};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

const PROBLEM: &str = r#"
[domain]
t = [0, 1]
[unknowns]
u = {}
[equations]
cooling = "u_t = -u"
[conditions]
start = { on = "t = 0", equation = "u = 1" }
[network]
width = 5
depth = 2
[training]
optimizer = "adam"
guard = "stop"
points = 12
"#;

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-divergence-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn train(&self, overrides: &[&str]) -> (PathBuf, Result<Trained, TrainError>) {
        let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
        let experiment = Experiment::from_text("cooling", PROBLEM, Path::new("."), &overrides).unwrap();
        let (path, mut now) = (self.0.join("run"), experiment.start());
        let mut folder = Folder::create(&RunPlace::At(path.clone()), &experiment, &now, None, 0.0).unwrap();
        let trained = folder.train(&experiment, &mut now, &AtomicBool::new(false), &mut Quiet);
        (path, trained)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn go_on(path: &Path, overrides: &[&str]) -> (Run, Snapshot, Trained) {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let resumed = Folder::resume(path, &overrides, 0.0);
    let (run, mut folder) = resumed.unwrap_or_else(|error| panic!("{error}"));
    let mut now = run.snapshot().clone();
    let trained = folder.train(run.experiment(), &mut now, &AtomicBool::new(false), &mut Quiet);
    (run, now, trained.unwrap_or_else(|error| panic!("{error}")))
}

fn names(run: &Path) -> Vec<String> {
    let entries = fs::read_dir(run.join("checkpoints")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_run_that_diverged_is_opened_at_its_best_state_and_goes_on_from_there() {
    let scratch = Scratch::new("wild");
    let (path, trained) = scratch.train(&["training.learning_rate=1e6", "training.steps=20"]);
    let trained = trained.unwrap_or_else(|error| panic!("{error}"));
    let Some(Concern::Diverged { loss, first }) = trained.descent.concern() else { panic!("{trained:?}") };
    assert!(loss == trained.losses.total && loss > 1e6 * first, "{loss} {first}");
    let run = Run::open(&path).unwrap();
    let [Notice::Suspect { newest: 20, step, used: Used::Best, .. }] = run.notices() else {
        panic!("{:?}", run.notices())
    };
    assert_eq!((*step, run.snapshot().steps, run.used()), (0, 0, Used::Best));
    let said = run.notices()[0].to_string();
    assert!(
        said.starts_with("training diverged: after step 20 the loss is ")
            && said.ends_with("; using the best saved state, after step 0"),
        "{said}"
    );
    let newest = path.join("checkpoints/step-0000000020.safetensors");
    let named = Run::open(&newest).unwrap();
    assert_eq!((named.snapshot().steps, named.used()), (20, Used::Named), "it can still be looked at");

    let (run, now, trained) = go_on(&path, &["training.learning_rate=1e-2"]);
    assert_eq!((run.used(), now.steps, trained.descent.concern()), (Used::Best, 20, None));
    assert!(trained.losses.total < first, "{} {first}", trained.losses.total);
    let run = Run::open(&path).unwrap();
    assert_eq!((run.snapshot(), run.notices().len()), (&now, 0));
    assert!(run.history().unwrap().iter().map(|record| record.step).eq(1..=20));
    assert!(names(&path).contains(&"step-0000000019.safetensors.diverged".to_owned()), "{:?}", names(&path));
}

#[test]
fn a_loss_that_rose_after_a_change_of_method_is_told_and_is_no_warning() {
    let scratch = Scratch::new("changed");
    let (path, trained) = scratch.train(&["training.optimizer=gauss-newton", "training.steps=30"]);
    let lowest = trained.unwrap_or_else(|error| panic!("{error}")).losses.total;
    let changes = ["training.optimizer=adam", "training.learning_rate=0.1", "training.steps=32"];
    let (_, _, trained) = go_on(&path, &changes);
    assert!(trained.losses.total > 1000.0 * lowest, "{} {lowest}", trained.losses.total);
    let run = Run::open(&path).unwrap();
    let [notice @ Notice::Suspect { method_since: Some(30), used: Used::Newest, .. }] = run.notices() else {
        panic!("{:?}", run.notices())
    };
    let said = notice.to_string();
    assert!(said.starts_with("after step 32 the loss is "), "{said}");
    assert!(
        said.ends_with("; the optimizer was changed after step 30; using this state, the newest"),
        "{said}"
    );
    assert!(!notice.is_warning());
}

#[test]
fn a_state_that_no_step_can_be_taken_from_is_never_the_newest() {
    let scratch = Scratch::new("broken");
    let (path, trained) = scratch.train(&["training.learning_rate=1e300", "training.steps=20"]);
    assert!(matches!(trained, Err(TrainError::NonFiniteResidual { .. })), "{trained:?}");
    let run = Run::open(&path).unwrap();
    assert!(run.parameters().iter().all(|number| number.abs() < 1e10), "{:?}", run.snapshot());
    let (_, now, _) = go_on(&path, &["training.learning_rate=1e-2"]);
    assert_eq!(now.steps, 20);
    assert!(Run::open(&path).unwrap().notices().is_empty());
}

#[test]
fn a_healthy_run_keeps_its_best_state_and_goes_on_from_its_newest() {
    let scratch = Scratch::new("healthy");
    let (path, trained) = scratch.train(&["training.learning_rate=1e-2", "training.steps=30"]);
    assert_eq!(trained.unwrap_or_else(|error| panic!("{error}")).descent.concern(), None);
    let wanted = ["best.safetensors", "step-0000000029.safetensors", "step-0000000030.safetensors"];
    assert_eq!(names(&path), wanted);
    let best = Run::open(&path.join("checkpoints/best.safetensors")).unwrap();
    let lowest = Run::open(&path).unwrap().history().unwrap();
    let lowest = lowest.iter().min_by(|one, other| one.loss.total_cmp(&other.loss)).unwrap();
    // The loss of a record is that before its step.
    assert!([lowest.step - 1, 30].contains(&best.snapshot().steps), "{} {lowest:?}", best.snapshot().steps);
    let (run, now, _) = go_on(&path, &["training.steps=35"]);
    assert_eq!((run.used(), run.snapshot().steps, now.steps), (Used::Newest, 30, 35));
}

#[test]
fn a_best_state_that_was_swapped_is_not_used() {
    let (scratch, other) = (Scratch::new("swapped"), Scratch::new("other"));
    let (path, _) = scratch.train(&["training.learning_rate=1e6", "training.steps=20"]);
    let (foreign, _) = other.train(&["training.learning_rate=1e-2", "training.steps=3"]);
    assert_eq!(Run::open(&path).unwrap().used(), Used::Best);
    let best = path.join("checkpoints/best.safetensors");
    // Another name of a checkpoint: written over, it would change that one, too.
    fs::remove_file(&best).unwrap();
    fs::copy(foreign.join("checkpoints/best.safetensors"), &best).unwrap();
    let run = Run::open(&path).unwrap();
    assert_eq!((run.used(), run.snapshot().steps), (Used::Newest, 20));
}

#[test]
fn phases_that_follow_do_not_hide_that_a_run_diverged() {
    let scratch = Scratch::new("phases");
    let phases = "training.phase=[{ budget = '10 steps', learning_rate = 1e6 }, { optimizer = 'lbfgs', budget = '1 steps' }]";
    let (path, trained) = scratch.train(&[phases]);
    let trained = trained.unwrap_or_else(|error| panic!("{error}"));
    assert!(trained.descent.has_diverged(), "{:?}", trained.descent);
    let run = Run::open(&path).unwrap();
    assert_eq!((run.used(), run.snapshot().steps), (Used::Best, 0));
}
