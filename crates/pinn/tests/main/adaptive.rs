//! Points that follow what training leaves: what a list does, from the problem file to the points of a step.

use pinnace::trainer::{Equations, Surroundings, TaskState, train};
use pinnace::{Device, Event, Experiment, Objective, Points, PointsMoved, Precision, Quiet, Sink, Snapshot};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A source that is nothing but a peak near (0.75, 0.25).
const PEAK: &str = r#"
title = "Peak"
[domain]
x = [0, 1]
y = [0, 1]
[unknowns]
u = {}
[functions]
source = "exp(-200*((x - 0.75)^2 + (y - 0.25)^2))"
[equations]
poisson = "laplacian(u) = 1000*source"
[conditions]
walls = { on = "boundary", equation = "u = 0" }
[network]
width = 8
depth = 2
[training]
optimizer = "adam"
points = 200
"#;

const WAVE: &str = r#"
title = "Wave"
[domain]
t = [0, 2]
x = [0, 1]
[unknowns]
u = {}
[equations]
wave = "u_tt = u_xx"
[conditions]
start = { on = "t = 0", equations = ["u = sin(pi*x)", "u_t = 0"] }
walls = { on = "x = 0, x = 1", equation = "u = 0" }
[network]
width = 6
depth = 2
[training]
points = 60
"#;

fn open(text: &str, training: &str) -> Experiment {
    let text = format!("{text}{training}\n");
    Experiment::from_text("problem", &text, Path::new("."), &[])
        .unwrap_or_else(|error| panic!("{training}: {error}"))
}

/// Keeps what is told of moves.
#[derive(Default)]
struct Moves(Vec<PointsMoved>);

impl Sink for Moves {
    fn event(&mut self, event: &Event) {
        if let Event::Step(taken) = event {
            self.0.extend(taken.sampling.as_deref().cloned());
        }
    }
}

fn trained(experiment: &Experiment) -> (Snapshot, Vec<PointsMoved>) {
    let (mut now, mut moves) = (experiment.start(), Moves::default());
    experiment
        .train_from(&mut now, &AtomicBool::new(false), &mut moves)
        .unwrap_or_else(|error| panic!("{error}"));
    (Snapshot { seconds: 0.0, phase_seconds: 0.0, ..now }, moves.0)
}

/// The points inside, as a snapshot has them.
fn inside(now: &Snapshot) -> Points {
    TaskState::of(&now.task).expect("a state").points.swap_remove(0)
}

/// The part of points near the peak, in a box of a sixteenth of the area.
fn near_the_peak(points: &Points) -> f64 {
    let near = |row: &&[f64]| (row[0] - 0.75).abs() < 0.125 && (row[1] - 0.25).abs() < 0.125;
    points.iter().filter(near).count() as f64 / points.len() as f64
}

#[test]
fn every_method_gathers_points_where_residuals_are_large_in_exact_numbers_and_repeats() {
    let lists = [
        ("\"rad\"", 0.15),
        ("{ kind = \"rad\", power = 2, floor = 0 }", 0.18),
        ("{ kind = \"gradient\", of = \"residual\" }", 0.12),
        ("\"rar\"", 0.15),
        ("\"rar-d\"", 0.15),
        ("\"r3\"", 0.15),
        ("\"hierarchical\"", 0.15),
        ("\"rad\", \"uncertainty\"", 0.1),
    ];
    for (list, least) in lists {
        let experiment = open(PEAK, &format!("sampling = [{list}]\nresample = 2\nbudget = \"30 steps\""));
        let (now, moves) = trained(&experiment);
        let points = inside(&now);
        let wanted = if list.contains("\"rar") { 200 + 14 * 10 } else { 200 };
        assert_eq!(points.len(), wanted, "{list}");
        assert!(near_the_peak(&points) > least, "{list}: {}", near_the_peak(&points));
        let mut rows: Vec<Vec<u64>> =
            points.iter().map(|row| row.iter().map(|number| number.to_bits()).collect()).collect();
        rows.sort_unstable();
        rows.dedup();
        assert_eq!(rows.len(), wanted, "{list}: no point is there twice");
        assert_eq!(moves.len(), 14, "{list}");
        let told = &moves[13];
        assert_eq!((told.draw, told.points), (14, wanted), "{list}");
        assert!(told.moved > 0 && told.entropy.is_some_and(|it| 0.0 < it && it < 1.0), "{list}: {told:?}");
        assert!(told.largest_priority > told.mean_priority, "{list}: {told:?}");
        assert!(told.residual_after > told.residual_before || list == "\"r3\"", "{list}: {told:?}");
        let refined = moves.iter().map(|moved| moved.refined).sum::<usize>();
        assert_eq!(refined > 0, list.contains("hierarchical"), "{list}");
        assert_eq!(trained(&experiment), (now, moves), "{list}: it repeats");
    }
}

#[test]
fn the_short_forms_are_entries_of_the_list_bit_for_bit() {
    let same = [
        (PEAK, "adaptive = true\nresample = 3", "sampling = [\"rad\"]\nresample = 3"),
        (PEAK, "sampler = \"halton\"\nresample = 3", "sampling = [\"halton\"]\nresample = 3"),
        (PEAK, "", "sampling = []"),
        (WAVE, "", "sampling = [\"sobol\", \"rad\", \"causal\"]"),
        (WAVE, "causal = false", "sampling = \"rad\""),
        (WAVE, "adaptive = false\nsampler = \"uniform\"", "sampling = [\"uniform\", \"causal\"]"),
    ];
    for (problem, short, list) in same {
        let ends = [short, list].map(|text| trained(&open(problem, &format!("{text}\nsteps = 8"))).0);
        assert_eq!(ends[0], ends[1], "{short} {list}");
    }
}

#[test]
fn added_points_stay_and_their_number_has_an_end() {
    let lines = "sampling = [{ kind = \"rar\", add = 30 }]\nmost_points = 270\nresample = 2\n";
    let open = |steps: usize| open(PEAK, &format!("{lines}budget = \"{steps} steps\""));
    let (early, late) = (inside(&trained(&open(3)).0), inside(&trained(&open(30)).0));
    assert_eq!((early.len(), late.len()), (230, 270));
    assert!(early.iter().zip(late.iter()).all(|(one, other)| one == other), "the first ones stay");
    let twice = crate::adaptive::open(PEAK, "sampling = \"rar-d\"\nresample = 1\nsteps = 40");
    assert_eq!(inside(&trained(&twice).0).len(), 400, "twice as many, where nothing is stated");
    assert_eq!(twice.settled()[0].most_points, 400);
}

#[test]
fn points_with_large_residuals_are_retained() {
    let open = |steps: usize| open(PEAK, &format!("sampling = \"r3\"\nresample = 2\nsteps = {steps}"));
    let rows = |points: &Points| -> Vec<Vec<f64>> { points.iter().map(<[f64]>::to_vec).collect() };
    let before = rows(&inside(&trained(&open(21)).0));
    let after = rows(&inside(&trained(&open(23)).0));
    let kept = after.iter().filter(|row| before.contains(row)).count();
    assert!((10..190).contains(&kept), "{kept} of 200");
    let (_, moves) = trained(&open(23));
    assert_eq!(moves[10].moved, 200 - kept);
}

#[test]
fn a_move_after_which_residuals_have_grown_is_taken_back() {
    // Steps far too long: residuals grow, whatever the points.
    let list = "sampling = [\"r3\", { kind = \"veto\", points = 64, factor = 1.01 }]\nresample = 2";
    let experiment = open(PEAK, &format!("{list}\nlearning_rate = 0.3\nsteps = 40"));
    let (_, moves) = trained(&experiment);
    let back = moves.iter().filter(|moved| moved.taken_back).count();
    assert!(back > 0 && back < moves.len(), "{back} of {}", moves.len());
    assert!(moves.iter().all(|moved| moved.validation.is_some()), "{moves:?}");
    // No two in a row: what came back is not judged.
    assert!(moves.windows(2).all(|pair| !(pair[0].taken_back && pair[1].taken_back)));
    let number = moves.iter().position(|moved| moved.taken_back).expect("there is one") as u64;
    let at = |steps: u64| {
        let text = format!("{list}\nlearning_rate = 0.3\nsteps = {steps}");
        inside(&trained(&open(PEAK, &text)).0)
    };
    // Draws before it were moves: the one before it, and what was there before that.
    assert_eq!(at(2 * number), at(2 * number + 3), "the points before the move are back");
    assert_ne!(at(2 * number), at(2 * number + 1));
}

#[test]
fn other_methods_than_gauss_newton_go_through_time_by_their_budget() {
    for (optimizer, resample) in [("adam", 1), ("adam", 5), ("lbfgs", 10), ("ssbroyden", 10)] {
        let lines =
            format!("optimizer = \"{optimizer}\"\nsampling = [\"r3\", \"causal\"]\nresample = {resample}\n");
        let text =
            |steps: usize, budget: usize| format!("{lines}budget = \"{budget} steps\"\nsteps = {steps}\n");
        let latest = |now: &Snapshot| inside(now).iter().map(|row| row[0]).fold(0.0, f64::max);
        let early = trained(&open(WAVE, &text(1, 100).replace("steps = 1\n", ""))).0;
        assert!(latest(&early) > 1.5 && early.scope == 1.0, "{optimizer}: all of time at the end");
        let mut first = open(WAVE, &text(1, 100).replace("steps = 1\n", "")).start();
        let stop = AtomicBool::new(true);
        let experiment = open(WAVE, &text(1, 100).replace("steps = 1\n", ""));
        experiment.train_from(&mut first, &stop, &mut Quiet).expect("it is interrupted");
        assert!(latest(&first) < 0.21, "{optimizer}: early times first");
    }
}

#[test]
fn points_on_a_device_are_those_of_the_host() {
    let lists = [
        "sampling = [\"rad\", \"gradient\", \"uncertainty\", \"veto\"]",
        "sampling = \"r3\"\nbatch = 60",
        "sampling = \"hierarchical\"",
    ];
    for list in lists {
        let experiment = open(PEAK, &format!("{list}\nresample = 4\nsteps = 12"));
        let (host, _) = trained(&experiment);
        let kernel = kernel::Kernel::compile_for_stand_in(experiment.plan(), Precision::F64);
        let mut objective = Objective::new(kernel.expect("a C++ compiler"), Vec::new());
        let pair = (experiment.problem(), &**experiment.plan());
        let mut task = Equations::new(pair, experiment.settled(), experiment.tables(), &mut objective);
        let (mut now, mut moves) = (experiment.start(), Moves::default());
        let surroundings = Surroundings { stop: &AtomicBool::new(false), clock: &|| 0.0 };
        train(&mut task, &mut now, surroundings, &mut moves).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(moves.0.len(), 2, "{list}");
        let (there, here) = (inside(&now), inside(&host));
        assert_eq!(there.len(), here.len(), "{list}");
        // Sums in another order may tip a choice, but hardly any.
        let rows: Vec<&[f64]> = here.iter().collect();
        let same = there.iter().filter(|row| rows.contains(row)).count();
        assert!(same * 10 > here.len() * 9, "{list}: {same} of {}", here.len());
    }
}

#[test]
fn points_follow_residuals_inside_a_shape_too() {
    let shape = PEAK.replace(
        "[equations]",
        "[geometry]\nbox = \"rectangle([0, 0], [1, 1])\"\nhole = \"disk([0.3, 0.6], 0.2)\"\nshape = \"box - hole\"\n[equations]",
    );
    for list in ["\"r3\"", "\"hierarchical\"", "\"rad\", \"gradient\"", "\"rar\""] {
        let experiment = open(&shape, &format!("sampling = [{list}]\nresample = 2\nsteps = 20"));
        let points = inside(&trained(&experiment).0);
        let outside = |row: &[f64]| (row[0] - 0.3).hypot(row[1] - 0.6) < 0.2;
        assert!(!points.iter().any(outside), "{list}");
        assert!(near_the_peak(&points) > 0.15, "{list}: {}", near_the_peak(&points));
        assert_eq!(experiment.device(), Device::Cpu);
    }
}

/// Keeps how many points steps visit.
#[derive(Default)]
struct Visited(Vec<usize>);

impl Sink for Visited {
    fn event(&mut self, event: &Event) {
        if let Event::Step(taken) = event {
            self.0.push(taken.points);
        }
    }
}

#[test]
fn a_step_visits_a_batch_and_the_last_of_an_epoch_the_rest() {
    let experiment = open(PEAK, "batch = 60\nsteps = 9");
    let (mut now, mut visited) = (experiment.start(), Visited::default());
    let trained = experiment.train_from(&mut now, &AtomicBool::new(false), &mut visited).expect("it trains");
    assert_eq!(visited.0, [60, 60, 60, 20, 60, 60, 60, 20, 60]);
    // A batch of everything is no batch, and the loss at the end is over all points.
    let whole = open(PEAK, "batch = 200\nsteps = 9");
    let none = open(PEAK, "steps = 9");
    assert_eq!(crate::adaptive::trained(&whole).0, crate::adaptive::trained(&none).0);
    let mut objective = experiment.objective().expect("a loss");
    let all = pinnace::LeastSquares::losses(&mut objective, &trained.parameters).expect("numbers");
    assert_eq!(&trained.losses, all);
}
