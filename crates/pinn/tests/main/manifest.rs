//! What happens to the files of a run behind its back is noticed; what happens to healthy runs is not mistaken for it.

use pinnace::run::{Folder, Notice, RunPlace};
use pinnace::{Experiment, Quiet, Run, RunError, Snapshot, TrainError};
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
[data]
probe = { file = "probe.csv", columns = ["t", "u"] }
[network]
width = 4
depth = 1
[training]
optimizer = "adam"
points = 8
budget = "6 steps"
"#;

/// A folder with a run of six steps in `run`, removed when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-manifest-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("cooling.toml"), PROBLEM).unwrap();
        fs::write(path.join("probe.csv"), "t,u\n0,1\n0.5,0.6\n1,0.4\n").unwrap();
        let scratch = Scratch(path);
        scratch.train("run", &[]);
        scratch
    }

    fn run(&self) -> PathBuf {
        self.0.join("run")
    }

    /// Trains into a folder, with a checkpoint at every step.
    fn train(&self, name: &str, overrides: &[&str]) -> Snapshot {
        let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
        let file = self.0.join("cooling.toml");
        let experiment = Experiment::open(file.to_str().unwrap(), &overrides).unwrap();
        let mut now = experiment.start();
        let place = RunPlace::At(self.0.join(name));
        let mut folder = Folder::create(&place, &experiment, &now, None, 0.0).unwrap();
        folder.train(&experiment, &mut now, &AtomicBool::new(false), &mut Quiet).unwrap();
        assert!(folder.trouble().is_none() && folder.notices().is_empty());
        now
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

fn resume(path: &Path, overrides: &[&str]) -> (Run, Folder) {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    Folder::resume(path, &overrides, 0.0).unwrap_or_else(|error| panic!("{error}"))
}

fn checkpoint(run: &Path, step: u64) -> PathBuf {
    run.join(format!("checkpoints/step-{step:010}.safetensors"))
}

#[test]
fn every_flipped_bit_of_problem_and_data_is_refused_and_so_is_resuming() {
    let scratch = Scratch::new("bits");
    let run = scratch.run();
    for name in ["problem.toml", "data/probe.csv"] {
        let file = run.join(name);
        let whole = fs::read(&file).unwrap();
        // Every bit of the small file, and bits from everywhere in the other one.
        for bit in (0..8 * whole.len()).step_by(if whole.len() < 100 { 1 } else { 29 }) {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&file, &damaged).unwrap();
            let error = Run::open(&run).expect_err("a bit is another");
            let TrainError::Run(RunError::Changed { files, .. }) = &error else { panic!("{bit}: {error}") };
            assert_eq!(files, std::slice::from_ref(&file));
        }
        let error = Folder::resume(&run, &[], 0.0).expect_err("a bit is another").to_string();
        assert!(error.contains(name) && error.contains("manifest.json to accept"), "{error}");
        fs::write(&file, &whole).unwrap();
        assert!(open(&run).notices().is_empty(), "restored, it is good again");
    }
}

#[test]
fn an_edit_is_accepted_by_deleting_the_manifest_and_resume_makes_a_new_one() {
    let scratch = Scratch::new("accepted");
    let run = scratch.run();
    let problem = run.join("problem.toml");
    let text = fs::read_to_string(&problem).unwrap();
    fs::write(&problem, text.replace("u_t = -u", "u_t = -2*u")).unwrap();
    assert!(matches!(Run::open(&run), Err(TrainError::Run(RunError::Changed { .. }))));
    fs::remove_file(run.join("manifest.json")).unwrap();
    let opened = open(&run);
    let [notice @ Notice::Unchecked { .. }] = opened.notices() else { panic!("{:?}", opened.notices()) };
    assert!(!notice.is_warning(), "runs of earlier versions are no reason to worry");
    drop(resume(&run, &[]));
    assert!(open(&run).notices().is_empty(), "it is said until someone resumes the run");
    fs::write(&problem, text).unwrap();
    assert!(matches!(Run::open(&run), Err(TrainError::Run(RunError::Changed { .. }))));
}

#[test]
fn a_change_by_resume_is_no_damage_wherever_it_is_killed() {
    let scratch = Scratch::new("change");
    let run = scratch.run();
    let problem = run.join("problem.toml");
    let before = fs::read(&problem).unwrap();
    // In its way, so that the new problem is listed and cannot be written.
    fs::create_dir(run.join("problem.toml.partial")).unwrap();
    let steps = ["training.steps=9".to_owned()];
    assert!(matches!(Folder::resume(&run, &steps, 0.0), Err(TrainError::Run(RunError::Write { .. }))));
    fs::remove_dir(run.join("problem.toml.partial")).unwrap();
    assert!(open(&run).notices().is_empty(), "the old problem is there");
    let listed = fs::read(run.join("manifest.json")).unwrap();
    drop(resume(&run, &["training.steps=9"]));
    let settled = fs::read(run.join("manifest.json")).unwrap();
    fs::write(run.join("manifest.json"), listed).unwrap();
    assert!(open(&run).notices().is_empty(), "the new problem is there");
    fs::write(run.join("manifest.json"), settled).unwrap();
    assert_eq!(open(&run).experiment().problem().training.steps, Some(9));
    fs::write(&problem, &before).unwrap();
    assert!(
        matches!(Run::open(&run), Err(TrainError::Run(RunError::Changed { .. }))),
        "it has changed since"
    );
}

#[test]
fn a_deleted_newest_checkpoint_is_missed_and_resume_ends_with_the_same_bits() {
    let scratch = Scratch::new("deleted");
    let run = scratch.run();
    let whole = open(&run).parameters().to_vec();
    fs::remove_file(checkpoint(&run, 6)).unwrap();
    let opened = open(&run);
    let [Notice::Missing { path, step: 5 }] = opened.notices() else { panic!("{:?}", opened.notices()) };
    assert_eq!(*path, checkpoint(&run, 6));
    let (resumed, mut folder) = resume(&run, &[]);
    assert!(matches!(resumed.notices(), [Notice::Missing { .. }]));
    let mut now = resumed.snapshot().clone();
    folder.train(resumed.experiment(), &mut now, &AtomicBool::new(false), &mut Quiet).unwrap();
    assert_eq!(now.parameters, whole);
    assert!(open(&run).notices().is_empty());
}

#[test]
fn a_swapped_checkpoint_is_told_from_the_one_that_was_written() {
    let scratch = Scratch::new("swapped");
    scratch.train("other", &["training.learning_rate=0.5"]);
    let (run, newest) = (scratch.run(), checkpoint(&scratch.run(), 6));
    for other in [checkpoint(&scratch.0.join("other"), 6), checkpoint(&run, 5)] {
        fs::copy(&other, &newest).unwrap();
        let opened = open(&run);
        let [Notice::Damaged { path, fault, step: 5 }] = opened.notices() else {
            panic!("{:?}", opened.notices())
        };
        assert_eq!(*path, newest);
        assert!(fault.to_string().contains("not what this run wrote"), "{fault}");
        assert!(Run::open(&newest).is_err(), "nor is it opened by its name");
    }
    fs::remove_file(checkpoint(&run, 5)).unwrap();
    let said = Run::open(&run).expect_err("none is left").to_string();
    assert!(said.contains("delete its manifest.json"), "{said}");
}

#[test]
fn a_checkpoint_from_elsewhere_is_used_and_said_to_be_unknown() {
    let scratch = Scratch::new("foreign");
    let run = scratch.run();
    scratch.train("other", &["training.steps=8"]);
    fs::copy(checkpoint(&scratch.0.join("other"), 8), checkpoint(&run, 8)).unwrap();
    let opened = open(&run);
    assert!(matches!(opened.notices(), [Notice::Unlisted { .. }]), "{:?}", opened.notices());
    assert_eq!(opened.snapshot().steps, 8);
    drop(resume(&run, &["training.steps=12"]));
    assert!(open(&run).notices().is_empty(), "whoever resumes from it has accepted it");
}

#[test]
fn a_damaged_manifest_accuses_nobody_and_is_made_anew() {
    let scratch = Scratch::new("manifest");
    let run = scratch.run();
    let file = run.join("manifest.json");
    let whole = fs::read(&file).unwrap();
    for bit in (0..8 * whole.len()).step_by(61) {
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        fs::write(&file, &damaged).unwrap();
        let opened = open(&run);
        // Blanks may become other blanks.
        assert!(matches!(opened.notices(), [] | [Notice::DamagedManifest { .. }]), "{:?}", opened.notices());
    }
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    drop(resume(&run, &[]));
    assert!(open(&run).notices().is_empty());
    assert_eq!(fs::read(run.join("manifest.json.damaged")).unwrap(), &whole[..whole.len() / 2]);
}

#[test]
fn a_checkpoint_that_was_announced_and_never_written_is_no_damage() {
    let scratch = Scratch::new("announced");
    let run = scratch.run();
    // In its way, so that it cannot be written.
    let partial = run.join("checkpoints/step-0000000007.safetensors.partial");
    let (resumed, mut folder) = resume(&run, &["training.steps=7"]);
    fs::create_dir(&partial).unwrap();
    folder
        .train(resumed.experiment(), &mut resumed.snapshot().clone(), &AtomicBool::new(false), &mut Quiet)
        .unwrap();
    assert!(matches!(folder.trouble(), Some(RunError::Write { .. })), "{:?}", folder.trouble());
    drop(folder);
    fs::remove_dir(&partial).unwrap();
    assert!(fs::read_to_string(run.join("manifest.json")).unwrap().contains("step-0000000007"));
    let opened = open(&run);
    assert!(opened.notices().is_empty(), "{:?}", opened.notices());
    assert_eq!(opened.snapshot().steps, 6);
}

#[test]
fn lines_that_nobody_can_read_are_said_and_no_other_line_is_lost() {
    let scratch = Scratch::new("lines");
    let run = scratch.run();
    let file = run.join("metrics.jsonl");
    let mut bytes = fs::read(&file).unwrap();
    let third = bytes.split_inclusive(|byte| *byte == b'\n').take(2).map(<[u8]>::len).sum::<usize>();
    bytes[third + 5] = 0xff;
    fs::write(&file, &bytes).unwrap();
    let steps = |run: &Run| run.history().unwrap().iter().map(|record| record.step).collect::<Vec<_>>();
    let opened = open(&run);
    assert_eq!(steps(&opened), [1, 2, 4, 5, 6]);
    let notice = opened.damaged_lines().unwrap().expect("a line is damaged").to_string();
    assert!(notice.ends_with("metrics.jsonl: 1 line is damaged and left out, from line 3 on"), "{notice}");
    let (resumed, mut folder) = resume(&run, &["training.steps=8"]);
    let [Notice::DamagedLines { first: 3, count: 1, aside: Some(aside), .. }] = folder.notices() else {
        panic!("{:?}", folder.notices())
    };
    assert_eq!(fs::read(aside).unwrap(), bytes);
    folder
        .train(resumed.experiment(), &mut resumed.snapshot().clone(), &AtomicBool::new(false), &mut Quiet)
        .unwrap();
    assert_eq!(steps(&open(&run)), [1, 2, 4, 5, 6, 7, 8]);
    assert!(open(&run).damaged_lines().unwrap().is_none());
}

#[test]
fn a_damaged_environment_is_kept_aside_and_said() {
    let scratch = Scratch::new("environment");
    let file = scratch.run().join("environment.json");
    for (text, aside) in
        [("{ \"pinnace\": ", "environment.json.damaged"), ("[]", "environment.json.damaged-2")]
    {
        fs::write(&file, text).unwrap();
        let (_, folder) = resume(&scratch.run(), &[]);
        let [notice @ Notice::DamagedEnvironment { .. }] = folder.notices() else {
            panic!("{:?}", folder.notices())
        };
        assert!(notice.to_string().ends_with(aside), "{notice}");
        assert_eq!(fs::read_to_string(scratch.run().join(aside)).unwrap(), text);
        assert!(fs::read_to_string(&file).unwrap().contains("\"resumed\""));
    }
}

#[test]
fn what_a_killed_process_left_of_a_new_run_is_removed_and_what_lives_stays() {
    let scratch = Scratch::new("drafts");
    let left = |process: u32| scratch.0.join(format!(".cooling-20261115-081500-{process}"));
    let (dead, alive, young, trained) = (left(1), left(2), left(3), left(4));
    for path in [&dead, &alive, &young, &trained] {
        fs::create_dir_all(path.join("checkpoints")).unwrap();
        fs::write(path.join("problem.toml"), PROBLEM).unwrap();
    }
    for path in [&dead, &alive, &trained] {
        fs::write(path.join("lock"), "4711\n").unwrap();
    }
    fs::write(trained.join("metrics.jsonl"), "{}\n").unwrap();
    let lock = fs::File::open(alive.join("lock")).unwrap();
    lock.lock().unwrap();
    let experiment = Experiment::open(scratch.0.join("cooling.toml").to_str().unwrap(), &[]).unwrap();
    let place = RunPlace::At(scratch.0.join("next"));
    let folder = Folder::create(&place, &experiment, &experiment.start(), None, 0.0).unwrap();
    let [Notice::Abandoned { path }] = folder.notices() else { panic!("{:?}", folder.notices()) };
    assert_eq!(*path, dead);
    assert_eq!([&dead, &alive, &young, &trained].map(|path| path.exists()), [false, true, true, true]);
}
