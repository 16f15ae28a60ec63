//! Levels of performance: complete lists, the same bits, measurements that are taken once and say what came of them.

use pinnace::performance::{Alternative, Improvement};
use pinnace::run::{Folder, RunPlace};
use pinnace::{Device, Experiment, PerformanceLevel, Precision, Quiet, Run, Snapshot, TrainError};
use std::path::Path;
use std::sync::atomic::AtomicBool;

const PROBLEM: &str = r#"
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
width = 12
depth = 2
[training]
optimizer = "adam"
points = 4000
budget = "4 steps"
"#;

fn open(overrides: &[&str]) -> Experiment {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    Experiment::from_text("heat", PROBLEM, Path::new("."), &overrides)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// On a thread of its own: the one that claims belongs to its pool from then on.
fn trained(experiment: &Experiment) -> Snapshot {
    let work = || {
        let claim = experiment.machine_use().claim();
        let mut now = experiment.start();
        experiment
            .train_from(&mut now, &AtomicBool::new(false), &mut Quiet)
            .unwrap_or_else(|error| panic!("{error}"));
        drop(claim);
        Snapshot { seconds: 0.0, phase_seconds: 0.0, ..now }
    };
    std::thread::scope(|scope| scope.spawn(work).join().expect("training ends"))
}

fn value(experiment: &Experiment, key: &str) -> (String, String) {
    let list = experiment.performance();
    let found = list.iter().find(|decision| decision.key == key);
    found.map(|decision| (decision.value.clone(), decision.why.clone())).expect("a key of the list")
}

#[test]
fn every_level_has_a_complete_list_and_single_keys_can_be_stated() {
    let keys = [
        "performance.level",
        "training.precision",
        "performance.compile",
        "performance.tiles",
        "performance.threads",
        "performance.affinity",
        "performance.priority",
        "performance.workers",
        "performance.prefetch",
        "performance.memory_threshold",
        "performance.point_memory",
        "training.accumulate",
    ];
    for (name, level) in PerformanceLevel::ALL {
        let experiment = open(&[&format!("performance.level=\"{name}\"")]);
        assert_eq!(experiment.level(), level);
        let list = experiment.performance();
        assert!(list.iter().map(|decision| decision.key.as_str()).eq(keys), "{name}");
        assert!(list.iter().all(|decision| !decision.why.is_empty() && !decision.value.is_empty()));
    }
    let basic = open(&["performance.level=\"basic\"", "performance.workers=3"]);
    assert_eq!(value(&basic, "performance.threads"), ("1".into(), "by level basic".into()));
    assert_eq!(value(&basic, "performance.compile"), ("\"default\"".into(), "by level basic".into()));
    assert_eq!(value(&basic, "performance.workers"), ("3".into(), "stated".into()));
    assert_eq!(value(&open(&[]), "performance.level"), ("\"advanced\"".into(), "the usual one".into()));
}

#[test]
fn on_a_gpu_basic_computes_in_f64_and_says_so() {
    let basic = open(&["performance.level=\"basic\""]).on_device(Device::Cuda);
    assert_eq!(basic.precision(), Precision::F64);
    let why = basic.decisions().find("training.precision").map(|decision| decision.why.clone());
    assert_eq!(why.as_deref(), Some("level basic computes in f64"));
    assert_eq!(open(&[]).on_device(Device::Cuda).precision(), Precision::Fp16x3);
}

#[test]
fn levels_threads_and_places_change_no_bit() {
    let wanted = trained(&open(&[]));
    let others: [&[&str]; 4] = [
        &["performance.level=\"basic\""],
        &["performance.level=\"custom\"", "performance.threads=3"],
        &["performance.affinity=\"spread\""],
        &["performance.affinity=[0]", "performance.threads=2", "performance.priority=1"],
    ];
    for overrides in others {
        assert_eq!(trained(&open(overrides)), wanted, "{overrides:?}");
    }
}

#[test]
fn keys_that_choose_kernels_are_told_to_have_no_effect_on_a_cpu() {
    let stated = open(&["performance.tiles=16", "performance.compile=\"default\""]);
    let told = "`compile` and `tiles` have no effect: a CPU has no kernels to choose";
    assert!(stated.notes().iter().any(|note| note == told), "{:?}", stated.notes());
    assert!(open(&["performance.threads=1"]).notes().iter().all(|note| !note.contains("no effect")));
}

/// A user's own: a hundredth of the points.
struct FewPoints {
    device: Device,
}

impl Improvement for FewPoints {
    fn key(&self) -> &str {
        "training.points"
    }

    fn present(&self, experiment: &Experiment) -> String {
        experiment.settled()[0].points.to_string()
    }

    fn alternatives(&self, _experiment: &Experiment) -> Result<Vec<Alternative>, TrainError> {
        let experiment = open(&["performance.level=\"custom\"", "training.points=40"]);
        Ok(vec![Alternative {
            value: "40".to_owned(),
            experiment: experiment.on(self.device, Precision::F64),
        }])
    }
}

/// A file that leaves the points open.
fn custom() -> Experiment {
    let text = PROBLEM.replace("points = 4000\n", "");
    let overrides = ["performance.level=\"custom\"".to_owned()];
    Experiment::from_text("heat", &text, Path::new("."), &overrides).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn what_was_measured_to_be_faster_is_kept_stated_and_not_measured_again() {
    let mut told = Vec::new();
    let improved = custom()
        .improved(&[&FewPoints { device: Device::Cpu }], &mut |line| told.push(line.to_owned()))
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(told, ["measuring training.points"]);
    let decision = improved.decisions().find("training.points").expect("a decision").clone();
    assert_eq!(decision.value, "40");
    assert!(decision.why.starts_with("measured per step here: 2048 "), "{}", decision.why);
    assert!(decision.why.contains(" ms, 40 "), "{}", decision.why);

    let path = std::env::temp_dir().join(format!("pinnace-levels-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    let mut now = improved.start();
    let mut folder = Folder::create(&RunPlace::At(path.clone()), &improved, &now, None, 0.0)
        .unwrap_or_else(|error| panic!("{error}"));
    folder
        .train(&improved, &mut now, &AtomicBool::new(false), &mut Quiet)
        .unwrap_or_else(|error| panic!("{error}"));
    let text = std::fs::read_to_string(path.join("problem.toml")).expect("a problem file");
    assert!(text.contains("points = 40"), "{text}");
    // Both by its file and by its folder.
    let again = Experiment::from_text("again", &text, Path::new("."), &[]).expect("a problem");
    let run = Run::open(&path).unwrap_or_else(|error| panic!("{error}"));
    for experiment in [again, run.experiment().clone()] {
        let mut measured = false;
        let same = experiment
            .improved(&[&FewPoints { device: Device::Cpu }], &mut |_| measured = true)
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(!measured, "a second measurement");
        assert_eq!(trained(&same).parameters, now.parameters);
    }
    std::fs::remove_dir_all(&path).expect("the folder of this test");
}

#[test]
fn an_alternative_that_fails_is_told_and_what_there_was_stays() {
    // The reference computes in f64 alone, and slowly; a GPU is seldom here.
    if "auto".parse::<pinnace::ChosenDevice>().is_ok_and(|chosen| chosen.device == Device::Cuda) {
        return;
    }
    let improved = custom()
        .improved(&[&FewPoints { device: Device::Cuda }], &mut |_| {})
        .unwrap_or_else(|error| panic!("{error}"));
    let decision = improved.decisions().find("training.points").expect("a decision");
    assert_eq!(decision.value, "2048");
    assert!(decision.why.contains("40 failed ("), "{}", decision.why);
}

#[test]
fn own_improvements_wait_for_a_level_that_measures() {
    let mut told = false;
    let _ = open(&["performance.level=\"basic\""])
        .improved(&[&FewPoints { device: Device::Cpu }], &mut |_| told = true)
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(!told);
}

#[test]
fn ultra_measures_and_decides_every_key_that_this_device_has() {
    let mut told = Vec::new();
    let ultra = open(&["performance.level=\"ultra\"", "training.points=64"])
        .improved(&[], &mut |line| told.push(line.to_owned()))
        .unwrap_or_else(|error| panic!("{error}"));
    let measured: Vec<&str> = ultra
        .decisions()
        .iter()
        .filter(|decision| decision.why.starts_with("measured per step here: "))
        .map(|decision| decision.key.as_str())
        .collect();
    assert!(measured.contains(&"training.precision"), "{measured:?}");
    assert!(measured.contains(&"performance.affinity"), "{measured:?}");
    assert_eq!(told.len(), measured.len());
    let (_, why) = value(&ultra, "training.precision");
    assert!(why.contains("\"f64\"") && why.contains("\"f32\""), "{why}");
}

#[test]
fn auto_precision_is_measured_at_any_level_and_stated_then() {
    let open = |training: &str| open(&["training.precision=\"auto\"", "training.points=64", training]);
    let found = open("training.optimizer=adam").improved(&[], &mut |_| {}).expect("a measurement");
    let decision = found.decisions().find("training.precision").expect("a decision");
    assert!(decision.why.starts_with("measured per step here: \"f64\" "), "{}", decision.why);
    let compared = found.settled()[0].gradient_check.is_some();
    assert_eq!(compared, found.precision() != Precision::F64, "fewer digits than usual are looked after");
    // Second-order methods need all digits: there is nothing to measure.
    let kept = open("training.optimizer=gauss-newton").improved(&[], &mut |_| {}).expect("nothing");
    assert_eq!(kept.precision(), Precision::F64);
    let why = &kept.decisions().find("training.precision").expect("a decision").why;
    assert!(!why.contains("measured"), "{why}");
}
