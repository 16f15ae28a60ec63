//! One list of what was decided: whole, told with reasons, and enough to train the same again.

use equation::problem::Method;
use pinnace::trainer::Settings;
use pinnace::{BUILT_IN, Decision, Device, Experiment, Precision, Quiet, Snapshot};
use std::path::Path;
use std::sync::atomic::AtomicBool;

const OPEN: &str = r#"
title = "Cooling"
[domain]
t = [0, 1]
x = [0, 1]
[unknowns]
u = {}
[equations]
heat = "u_t = 0.1*u_xx"
[conditions]
start = { on = "t = 0", equation = "u = 300*sin(pi*x)" }
walls = { on = "x = 0, x = 1", equation = "u = 0" }
middle = { on = "x = 0.5", equation = "u_x = 0" }
[network]
width = [5, 6]
depth = 2
"#;

fn open(text: &str, overrides: &[&str]) -> Experiment {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    Experiment::from_text("cooling", text, Path::new("."), &overrides)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What training goes through. A solver that is the cheapest at every step is the one that is stated in its place.
fn settled(experiment: &Experiment) -> Vec<Settings> {
    let method = |settings: &Settings| match settings.method {
        Method::GaussNewton { .. } => Method::GAUSS_NEWTON,
        other => other,
    };
    experiment.settled().iter().map(|it| Settings { method: method(it), ..it.clone() }).collect()
}

fn keys(experiment: &Experiment) -> Vec<&str> {
    experiment.decisions().iter().map(|decision| decision.key.as_str()).collect()
}

/// Where training stands after a few steps, without times.
fn trained(experiment: &Experiment) -> Snapshot {
    let (experiment, mut now) = (experiment.clone().with_steps(6), experiment.start());
    experiment
        .train_from(&mut now, &AtomicBool::new(false), &mut Quiet)
        .unwrap_or_else(|error| panic!("{error}"));
    Snapshot { seconds: 0.0, phase_seconds: 0.0, ..now }
}

#[test]
fn every_key_that_is_left_open_is_decided_once_and_no_other() {
    let experiment = open(OPEN, &[]);
    let all = [
        "training.windows",
        "network.activation",
        "unknowns.u.unit",
        "conditions.start.exact",
        "conditions.walls.exact",
        "conditions.middle.exact",
        "network.width",
        "training.precision",
        "training.optimizer",
        "training.solver",
        "training.points",
        "training.most_points",
        "training.resample",
        "training.adaptive",
        "training.causal",
        "training.guard",
        "training.balance",
    ];
    assert_eq!(keys(&experiment), all);
    let stated: Vec<String> = experiment.decisions().iter().map(Decision::stated).collect();
    for (key, stated) in all.iter().zip(&stated) {
        // A solver belongs to its optimizer, and who states points means no more than those.
        let beside: &[&str] =
            if *key == "training.solver" { &["training.optimizer=gauss-newton"] } else { &[] };
        let experiment = open(OPEN, &[&[stated.as_str()], beside].concat());
        let gone = |other: &str| {
            other == *key
                || (other == "training.optimizer" && *key == "training.solver")
                || (other == "training.most_points" && *key == "training.points")
        };
        let rest: Vec<&str> = all.iter().copied().filter(|other| !gone(other)).collect();
        assert_eq!(keys(&experiment), rest, "{stated}");
    }
    assert!(experiment.decisions().iter().all(|decision| decision.why.contains(' ')));
}

#[test]
fn the_reason_for_a_number_is_the_rule_that_gave_it() {
    let why = |key: &str, overrides: &[&str]| {
        let experiment = open(OPEN, overrides);
        let decision = experiment.decisions().find(key).expect("left open").clone();
        format!("{}: {}", decision.value, decision.why)
    };
    let (wide, narrow) = (["network.width=64", "network.depth=4"], ["network.width=20", "network.depth=4"]);
    assert_eq!(
        why("training.points", &wide),
        "2048: 2048 residuals suffice at first: as many as the 12737 parameters would make steps expensive"
    );
    assert_eq!(
        why("training.points", &narrow),
        "1341: about as many residuals as parameters suffice at first"
    );
    assert_eq!(why("training.points", &[]), "512: fewer than 512 would leave gaps in the domain");
    let fixed = |method: &str| why("training.resample", &[&format!("training.optimizer={method}")]);
    let adam = "0: with at most 3 coordinates fixed points leave few gaps: Adam needs no fresh ones";
    assert_eq!(fixed("adam"), adam);
    assert!(fixed("lbfgs").ends_with("which needs the same points"), "{}", fixed("lbfgs"));
}

#[test]
fn reasons_use_the_terms_of_the_literature() {
    let private = ["by heart", "gather", "times come first", "goes through time"];
    for built_in in BUILT_IN {
        let experiment = Experiment::open(built_in.name, &[]).unwrap_or_else(|error| panic!("{error}"));
        for Decision { key, why, .. } in experiment.decisions().iter() {
            assert!(!private.iter().any(|word| why.contains(word)), "{}: {key}: {why}", built_in.name);
        }
    }
    let heat = open(OPEN, &[]);
    let why = |key: &str| heat.decisions().find(key).expect("left open").why.clone();
    assert!(why("training.adaptive").contains("adaptive sampling"), "{}", why("training.adaptive"));
    assert!(why("training.causal").contains("causal training"), "{}", why("training.causal"));
}

#[test]
fn stating_all_that_was_decided_trains_the_same_bit_for_bit_and_leaves_nothing_open() {
    let phases = "[training]\n[[training.phase]]\noptimizer = \"auto\"\nbudget = \"8 steps\"\n\
                  [[training.phase]]\noptimizer = \"gauss-newton\"\nbudget = \"4 steps\"\n";
    let small = "[training]\npoints = 32\nbudget = \"9 steps\"\n";
    let methods =
        ["adam", "adamw", "sgd", "rmsprop", "soap", "muon", "nncg", "lbfgs", "ssbroyden", "gauss-newton"]
            .map(|method| format!("[training]\noptimizer = \"{method}\"\nbudget = \"6 steps\"\n"));
    let windows = "[training]\nwindows = 2\nbudget = \"8 steps\"\n";
    let moving = "[training]\npoints = 32\nsampling = [\"r3\", \"causal\", \"veto\"]\nbudget = \"8 steps\"\n";
    let cells = "[training]\nsampling = [\"uniform\", { kind = \"hierarchical\", split = 1.5 }]\nbudget = \"8 steps\"\n";
    let texts = ["", phases, small, windows, moving, cells].into_iter().map(str::to_owned).chain(methods);
    for text in texts.map(|training| format!("{OPEN}{training}")) {
        // NysNewton-CG takes no other numbers than f64.
        let precisions =
            [Precision::F64, Precision::F32].into_iter().take(2 - usize::from(text.contains("nncg")));
        for precision in precisions {
            let experiment = match precision {
                Precision::F64 => open(&text, &[]),
                _ => open(&text, &["training.precision=f32"]),
            };
            let stated = experiment.stated().expect("a file");
            let again = open(&stated, &[]);
            assert!(again.decisions().is_empty(), "{:?}\n{stated}", again.decisions());
            assert_eq!(settled(&again), settled(&experiment), "{stated}");
            assert_eq!(again.precision(), precision);
            // Steps are shared out among windows and among two methods: which comes first shows in the rounding.
            if experiment.window_count() == 1 || experiment.decisions().find("training.phase").is_none() {
                assert_eq!(trained(&again), trained(&experiment), "{stated}");
            }
            assert_eq!(again.stated().expect("a file"), stated, "nothing is left to state");
        }
    }
}

#[test]
fn stating_all_that_was_decided_changes_no_built_in_problem() {
    for built_in in BUILT_IN {
        let experiment = Experiment::open(built_in.name, &[]).expect(built_in.name);
        let overrides: Vec<String> = experiment.decisions().iter().map(Decision::stated).collect();
        let again = Experiment::open(built_in.name, &overrides).expect(built_in.name);
        assert!(again.decisions().is_empty(), "{}: {:?}", built_in.name, again.decisions());
        assert_eq!(settled(&again), settled(&experiment), "{}", built_in.name);
        assert_eq!(again.start(), experiment.start(), "{}", built_in.name);
        // Formulas and the order in which they are summed.
        let text = |experiment: &Experiment| {
            let text = experiment.plan().explain(experiment.problem());
            // Why a condition is a penalty may now be that the file says so.
            let lines = text.lines().filter(|line| !line.starts_with("  condition "));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert!(text(&again) == text(&experiment), "{}", built_in.name);
    }
}

#[test]
fn what_a_device_decides_is_decided_for_that_device() {
    let adam = open(OPEN, &["training.optimizer=adam"]).on_device(Device::Cuda);
    assert_eq!(adam.decisions().find("training.precision").expect("open").value, "\"fp16x3\"");
    let stated = open(OPEN, &["training.optimizer=adam", "training.precision=f32"]).on_device(Device::Cuda);
    assert_eq!((stated.precision(), stated.decisions().find("training.precision")), (Precision::F32, None));
    let chosen = open(OPEN, &[]).on(Device::Cpu, Precision::F32);
    assert!(chosen.decisions().find("training.precision").is_none(), "whoever asks for it states it");
    assert!(chosen.decisions().find("training.phase").expect("two").why.contains("needs f64"));
}

#[test]
fn what_the_chosen_method_does_not_read_is_told() {
    let said = |overrides: &[&str]| open(OPEN, overrides).notes().join("\n");
    let schedule = "training.schedule=\"cosine\"";
    let told = said(&[schedule]);
    assert!(told.contains("`schedule` has no effect: Gauss-Newton finds the length"), "{told}");
    let told = said(&[schedule, "training.clip=\"norm\""]);
    assert!(told.contains("`schedule` and `clip` have no effect"), "{told}");
    assert!(!said(&[]).contains("no effect"));
    let adam = "training.optimizer=\"adam\"";
    assert!(!said(&[schedule, adam]).contains("no effect"));
    let balance = "training.balance=\"ntk\"";
    let told = said(&[balance]);
    assert!(told.contains("`balance = \"ntk\"` has no effect: Gauss-Newton does not follow"), "{told}");
    assert!(
        !said(&[balance, adam]).contains("no effect")
            && !said(&["training.balance=true"]).contains("no effect")
    );
    let warmup = |steps: u64| {
        said(&[&format!("training.schedule={{kind=\"cosine\",warmup={steps}}}"), adam, "training.steps=50"])
    };
    let told = warmup(80);
    assert!(told.contains("`warmup = 80` is longer than its phase of 50 steps"), "{told}");
    assert!(!warmup(20).contains("warmup"));
}
