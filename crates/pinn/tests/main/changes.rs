//! Runs that go on in another way: whole, or not at all.

use pinnace::run::Renewal;
use pinnace::run::{ChangeRefusal, Folder, Notice, RunPlace};
use pinnace::{Event, Experiment, Quiet, Run, Sink, Snapshot, Stopped, TrainError};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

const PROBLEM: &str = r#"
title = "Cooling"
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
width = 5
depth = 2
[training]
points = 24
condition_points = 6
"#;

const METHODS: [&str; 10] =
    ["adam", "adamw", "sgd", "rmsprop", "soap", "muon", "nncg", "lbfgs", "ssbroyden", "gauss-newton"];

/// A folder that is removed when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-changes-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    /// A run with these lines of training that was interrupted after some steps, with a checkpoint at each.
    fn interrupted(&self, name: &str, training: &str, steps: u64) -> (PathBuf, Experiment, Snapshot) {
        let text = format!("{PROBLEM}{training}");
        let experiment = Experiment::from_text("cooling", &text, Path::new("."), &[]);
        let experiment = experiment.unwrap_or_else(|error| panic!("{error}"));
        let (path, mut now) = (self.0.join(name), experiment.start());
        let _ = fs::remove_dir_all(&path);
        let folder = Folder::create(&RunPlace::At(path.clone()), &experiment, &now, None, 0.0);
        let (stop, mut folder) = (AtomicBool::new(false), folder.unwrap_or_else(|error| panic!("{error}")));
        let trained = folder.train(&experiment, &mut now, &stop, &mut Until(&stop, steps));
        assert_eq!(trained.unwrap_or_else(|error| panic!("{error}")).stopped, Stopped::Interrupted);
        (path, experiment, now)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

struct Until<'run>(&'run AtomicBool, u64);

impl Sink for Until<'_> {
    fn event(&mut self, event: &Event) {
        if let Event::Step(taken) = event {
            self.0.store(taken.step >= self.1, Ordering::Relaxed);
        }
    }
}

fn resume(path: &Path, overrides: &[&str]) -> Result<(Run, Folder), TrainError> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    Folder::resume(path, &overrides, 0.0)
}

fn finish((run, mut folder): (Run, Folder)) -> Snapshot {
    let mut now = run.snapshot().clone();
    let trained = folder.train(run.experiment(), &mut now, &AtomicBool::new(false), &mut Quiet);
    trained.unwrap_or_else(|error| panic!("{error}"));
    now
}

/// All files of a run and what they hold, but for the lock.
fn contents(run: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = |folder: PathBuf| {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.is_file() && !path.ends_with("lock")).collect::<Vec<_>>()
    };
    let mut all = [files(run.to_owned()), files(run.join("checkpoints"))].concat();
    all.sort();
    all.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn timeless(snapshot: &Snapshot) -> Snapshot {
    Snapshot { seconds: 0.0, phase_seconds: 0.0, ..snapshot.clone() }
}

#[test]
fn every_method_takes_over_from_every_other_and_says_so() {
    let scratch = Scratch::new("methods");
    for from in METHODS {
        for to in METHODS.into_iter().filter(|to| *to != from) {
            let training = format!("optimizer = \"{from}\"\nbudget = \"12 steps\"\n");
            let (path, _, before) = scratch.interrupted("run", &training, 5);
            let change = resume(&path, &[&format!("training.optimizer={to}")]);
            let (run, folder) = change.unwrap_or_else(|error| panic!("{from} to {to}: {error}"));
            assert_eq!(run.snapshot().parameters, before.parameters);
            let alike = [from, to].iter().all(|name| name.starts_with("adam"));
            let told =
                run.notices().iter().any(|notice| matches!(notice, Notice::Renewed(Renewal::Method { .. })));
            assert_eq!(told, !alike, "{from} to {to}: {:?}", run.notices());
            let environment = fs::read_to_string(path.join("environment.json")).unwrap();
            assert_eq!(environment.contains("continues with"), !alike, "{environment}");
            // Interrupted at once, it continues bit for bit as if it had not been.
            drop(folder);
            let (again, folder) =
                resume(&path, &[]).unwrap_or_else(|error| panic!("{from} to {to}: {error}"));
            assert_eq!((again.snapshot(), again.notices().len()), (run.snapshot(), 0));
            let end = finish((again, folder));
            assert_eq!(end.steps, 12, "{from} to {to}: steps count on");
            let mut straight = run.snapshot().clone();
            run.experiment().train_from(&mut straight, &AtomicBool::new(false), &mut Quiet).unwrap();
            assert_eq!(timeless(&end), timeless(&straight), "{from} to {to}");
        }
    }
}

#[test]
fn a_refused_change_leaves_the_run_as_it_was() {
    let scratch = Scratch::new("refused");
    let phases = "[[training.phase]]\noptimizer = \"adam\"\nbudget = \"3 steps\"\n[[training.phase]]\noptimizer = \"lbfgs\"\nbudget = \"9 steps\"\n";
    let (path, _, _) = scratch.interrupted("run", phases, 5);
    let before = contents(&path);
    for (text, words) in [
        ("training.phase=[{ optimizer = 'adam', budget = '20 steps' }]", "phase 2, the problem has 1"),
        ("training.hard_constraints=off", "`u` would be another function of them"),
        ("training.windows=2", "has its own network"),
        ("training.seed=5", "follow from the seed"),
        (
            "training.budget=60 s",
            "budgets of their own; change those, as in `--set training.phase.1.budget=...`",
        ),
        ("training.phase.1.optimizer=newton", "newton"),
        ("network.width=6", "only `training` may change"),
        ("performance.level=basic", "only `training` may change"),
        ("training.precision=f32", "this one computes in f64, and goes on in it"),
        ("training.precision=auto", "this one computes in f64, and goes on in it"),
    ] {
        let said = resume(&path, &[text]).expect_err(text).to_string();
        assert!(said.contains(words), "{text}: {said}");
        assert_eq!(contents(&path), before, "{text}");
    }
    let (run, folder) =
        resume(&path, &["performance.threads=1", "training.precision=f64"]).expect("no bit changes");
    assert_eq!(run.experiment().machine_use().threads, 1);
    drop((run, folder));
    finish(resume(&path, &[]).unwrap_or_else(|error| panic!("{error}")));
}

#[test]
fn weights_keep_their_meaning_where_no_condition_is_built_in() {
    let scratch = Scratch::new("meaning");
    let soft = "optimizer = \"adam\"\nbudget = \"9 steps\"\nhard_constraints = \"off\"\n";
    let (path, _, _) = scratch.interrupted("run", soft, 4);
    assert!(resume(&path, &["training.hard_constraints=off"]).is_ok(), "said again it changes nothing");
    let error = resume(&path, &["training.hard_constraints=auto"]).expect_err("another ansatz");
    let TrainError::Override { reason: ChangeRefusal::Ansatz { unknowns }, text } = &error else {
        panic!("{error}")
    };
    assert_eq!((&**unknowns, text.as_str()), (&["u".to_owned()][..], "training.hard_constraints=auto"));
    assert!(error.to_string().contains("pinnace train PROBLEM --from RUN"), "{error}");
}

#[test]
fn windows_are_not_chosen_anew_with_another_optimizer() {
    let scratch = Scratch::new("windows");
    let text = "[domain]\nt = [0, 60]\n[unknowns]\nu = {}\n[equations]\nswing = \"u_tt = -u\"\n[conditions]\n\
        start = { on = \"t = 0\", equations = [\"u = 1\", \"u_t = 0\"] }\n[network]\nwidth = 4\n[training]\n\
        optimizer = \"adam\"\nbudget = \"4 steps\"\npoints = 20\n";
    let experiment = Experiment::from_text("swing", text, Path::new("."), &[]).unwrap();
    let auto = ["training.optimizer=auto".to_owned()];
    assert!(Experiment::from_text("swing", text, Path::new("."), &auto).unwrap().window_count() > 1);
    let (path, mut now) = (scratch.0.join("run"), experiment.start());
    let mut folder = Folder::create(&RunPlace::At(path.clone()), &experiment, &now, None, 0.0).unwrap();
    folder.train(&experiment, &mut now, &AtomicBool::new(false), &mut Quiet).unwrap();
    drop(folder);
    let resumed = resume(&path, &["training.optimizer=gauss-newton", "training.steps=6"]);
    let end = finish(resumed.unwrap_or_else(|error| panic!("{error}")));
    assert_eq!((end.steps, end.finished.len()), (6, 0));
}

#[test]
fn points_that_are_chosen_otherwise_are_used_from_the_next_step_on() {
    let scratch = Scratch::new("points");
    let adaptive = "optimizer = \"lbfgs\"\nadaptive = true\nresample = 50\nbudget = \"12 steps\"\n";
    for (change, points) in
        [("training.points=40", 40), ("training.adaptive=false", 24), ("training.residual_weights=true", 24)]
    {
        let (path, _, before) = scratch.interrupted("run", adaptive, 5);
        assert_eq!(before.task.numbers("points.0").unwrap().len() % 24, 0);
        let (run, folder) = resume(&path, &[change]).unwrap_or_else(|error| panic!("{error}"));
        let [Notice::Renewed(Renewal::Loss { step: 5, .. })] = run.notices() else {
            panic!("{change}: {:?}", run.notices())
        };
        let end = finish((run, folder));
        assert_eq!((end.steps, end.task.count("interior")), (12, Ok(points)), "{change}");
    }
    // What the learning rate has come to stays.
    let schedule = "optimizer = \"adam\"\nschedule = { kind = \"plateau\", patience = 100, threshold = 0.99 }\nbudget = \"260 steps\"\n";
    let (path, _, before) = scratch.interrupted("run", schedule, 230);
    let (run, folder) = resume(&path, &["training.points=40"]).unwrap_or_else(|error| panic!("{error}"));
    let now = &run.snapshot().optimizer;
    assert_eq!(
        now.numbers("schedule.numbers").unwrap()[0],
        before.optimizer.numbers("schedule.numbers").unwrap()[0]
    );
    assert!(now.numbers("schedule.numbers").unwrap()[0] < 1.0);
    assert_eq!(now.counts("guard.counts"), before.optimizer.counts("guard.counts"));
    assert_eq!(now.numbers("guard.recent").map(<[f64]>::len), Ok(0));
    assert_eq!(finish((run, folder)).steps, 260);
    // What changes no point is not drawn anew.
    let (path, _, before) = scratch.interrupted("run", adaptive, 5);
    let (run, _folder) = resume(&path, &["training.budget=20 steps"]).unwrap();
    assert_eq!((run.snapshot(), run.notices().len()), (&before, 0));
}

#[test]
fn what_fails_before_its_first_step_leaves_points_and_checkpoints() {
    let experiment = |training: &str| {
        let text = format!("{PROBLEM}{training}budget = \"12 steps\"\n");
        Experiment::from_text("cooling", &text, Path::new("."), &[]).unwrap()
    };
    let gauss_newton = experiment("optimizer = \"gauss-newton\"\nresample = 3\n");
    let (stop, mut now) = (AtomicBool::new(false), gauss_newton.start());
    gauss_newton.train_from(&mut now, &stop, &mut Until(&stop, 5)).unwrap();
    assert!(now.task.numbers("points.0").is_ok_and(|points| !points.is_empty()));
    struct Saved(usize);
    impl Sink for Saved {
        fn event(&mut self, _event: &Event) {}
        fn state(&mut self, _state: &Snapshot) {
            self.0 += 1;
        }
    }
    let (before, mut saved) = (now.clone(), Saved(0));
    let lbfgs = experiment("optimizer = \"lbfgs\"\nresample = 3\n");
    let failed = lbfgs.train_from(&mut now, &AtomicBool::new(false), &mut saved);
    assert!(matches!(failed, Err(TrainError::Misfit { .. })), "{failed:?}");
    assert_eq!((now.task, saved.0), (before.task, 0));
}
