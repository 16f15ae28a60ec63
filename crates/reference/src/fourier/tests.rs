//! The solver against closed forms, and against itself.

use super::*;
use crate::{Cache, cole_hopf};
use equation::parse::{parse, parse_with};
use equation::problem::Problem;
use std::f64::consts::{PI, TAU};

fn problem(x: &str, equation: &str, start: &str) -> Problem {
    let text = format!(
        "[domain]\nt = [0, 1]\nx = {x}\n[unknowns]\nu = {{}}\n[equations]\nonly = \"{equation}\"\n\
         [conditions]\nstart = {{ on = \"t = 0\", equation = \"{start}\" }}\n[network]\nperiodic = [\"x\"]\n"
    );
    parse(&text).unwrap_or_else(|diagnostics| panic!("{}", diagnostics.render("test")))
}

/// The largest error against `exact` at places off every grid.
fn error(problem: &Problem, exact: impl Fn(f64, f64) -> f64) -> f64 {
    let evolution = Evolution::of(problem).unwrap_or_else(|reason| panic!("{reason}"));
    let history = History::settle(&evolution, Effort::new(1, None)).unwrap_or_else(|last| panic!("{last:?}"));
    let (low, high) = (problem.domain.coordinates[1].low, problem.domain.coordinates[1].high);
    let places = (0..=20).flat_map(|i| (0..=50).map(move |j| (f64::from(i) / 20.0, f64::from(j) / 50.0)));
    places
        .map(|(t, share)| {
            (history.at(t, 0).line(0.0).value(share) - exact(t, low + (high - low) * share)).abs()
        })
        .fold(0.0, f64::max)
}

#[test]
fn linear_waves_of_every_order_keep_their_shape() {
    let circle = "[0, \"2*pi\"]";
    let convection = problem(circle, "u_t + 30*u_x = 0", "u = sin(x)");
    assert!(error(&convection, |t, x| (x - 30.0 * t).sin()) < 1e-10);
    let dispersion = problem(circle, "2*u_xxx = -2*u_t", "u = cos(2*x) + 1");
    assert!(error(&dispersion, |t, x| (2.0 * x + 8.0 * t).cos() + 1.0) < 1e-10);
    let plate = problem(circle, "-u_t = u_xxxx + u_xx - 3*u", "u - sin(2*x) = 0");
    assert!(error(&plate, |t, x| (-9.0 * t).exp() * (2.0 * x).sin()) < 1e-10);
}

#[test]
fn sources_in_time_and_space_and_products_of_derivatives_are_integrated() {
    let forced = problem("[0, 1]", "u_t = u_xx + cos(3*t)*sin(2*pi*x)", "u = 0");
    let rate = TAU * TAU;
    let exact = |t: f64, x: f64| {
        let amplitude =
            (rate * (3.0 * t).cos() + 3.0 * (3.0 * t).sin() - rate * (-rate * t).exp()) / (rate * rate + 9.0);
        amplitude * (TAU * x).sin()
    };
    assert!(error(&forced, exact) < 1e-10);
    // u = log(1 + e^(-t) sin(x)/2) turns u_t = u_xx + u_x² into the heat equation.
    let kindled = problem("[0, \"2*pi\"]", "u_t = u_xx + u_x^2", "u = log(1 + sin(x)/2)");
    assert!(error(&kindled, |t, x| (1.0 + 0.5 * (-t).exp() * x.sin()).ln()) < 1e-10);
}

#[test]
fn a_shock_agrees_with_the_transform_of_cole_and_hopf() {
    // An odd periodic start keeps u = 0 at both ends, so that the two problems are one.
    let viscosity = 0.01 / PI;
    let burgers = problem("[-1, 1]", "u_t + u*u_x = (0.01/pi)*u_xx", "u = -sin(pi*x)");
    assert!(error(&burgers, |t, x| cole_hopf(viscosity, t, x)) < 1e-9);
}

/// The largest error of an unknown against `exact` at the kept times and places off every grid.
fn error_of_system(text: &str, effort: Effort, unknown: usize, exact: impl Fn(&[f64]) -> f64) -> f64 {
    let problem = parse(text).unwrap_or_else(|diagnostics| panic!("{}", diagnostics.render("test")));
    let evolution = Evolution::of(&problem).unwrap_or_else(|reason| panic!("{reason}"));
    let history = History::settle(&evolution, effort).unwrap_or_else(|last| panic!("{last:?}"));
    let coordinates = &problem.domain.coordinates;
    let at = |axis: usize, part: f64| {
        coordinates[axis].low + part * (coordinates[axis].high - coordinates[axis].low)
    };
    let mut largest: f64 = 0.0;
    for moment in 0..=10 {
        let t = at(0, f64::from(moment) / 10.0);
        let level = history.at(t, unknown);
        for place in 0..100 {
            let parts = [0.618, 0.755].map(|ratio| (ratio * f64::from(place)).fract());
            let (value, place) = match coordinates.len() {
                2 => (level.line(0.0).value(parts[0]), vec![t, at(1, parts[0])]),
                _ => (level.line(parts[0]).value(parts[1]), vec![t, at(1, parts[0]), at(2, parts[1])]),
            };
            largest = largest.max((value - exact(&place)).abs());
        }
    }
    largest
}

#[test]
fn a_system_whose_linear_part_couples_its_unknowns_reaches_its_closed_form() {
    // The breather of Schroedinger's equation on the line, which has all but vanished at the ends.
    let text = r#"
[domain]
t = [0, 0.5]
x = [-16, 16]
[unknowns]
u = {}
v = {}
[equations]
imaginary = "v_t = u_xx/2 + (u^2 + v^2)*u"
real = "2*u_t + v_xx + 2*(u^2 + v^2)*v = 0"
[conditions]
start = { on = "t = 0", equations = ["u = 2/cosh(x)", "v = 0"] }
[network]
periodic = ["x"]
"#;
    let exact = |place: &[f64], wave: fn(f64) -> f64| {
        let (t, x) = (place[0], place[1]);
        let below = (4.0 * x).cosh() + 4.0 * (2.0 * x).cosh() + 3.0 * (4.0 * t).cos();
        4.0 * (wave(t / 2.0) * (3.0 * x).cosh() + 3.0 * wave(4.5 * t) * x.cosh()) / below
    };
    let effort = Effort::new(1, Some(1e-8));
    assert!(error_of_system(text, effort, 0, |place| exact(place, f64::cos)) < 1e-6);
    assert!(error_of_system(text, effort, 1, |place| exact(place, f64::sin)) < 1e-6);
}

/// A problem in the plane with one unknown.
fn plane(equation: &str, start: &str) -> String {
    format!(
        "[domain]\nt = [0, 0.1]\nx = [-1, 1]\ny = [-1, 1]\n[unknowns]\nu = {{}}\n[equations]\nonly = \"{equation}\"\n\
         [conditions]\nstart = {{ on = \"t = 0\", equation = \"{start}\" }}\n[network]\nperiodic = [\"x\", \"y\"]\n"
    )
}

#[test]
fn in_the_plane_every_direction_has_its_own_waves() {
    let text = plane("u_t + 3*u_x + 5*u_y = 0.1*u_xx + 0.2*u_yy + 0.05*u_xy", "u = sin(pi*(x + 2*y))");
    let exact = |place: &[f64]| {
        let rate = PI * PI * (0.1 + 0.8 + 0.1);
        (-rate * place[0]).exp() * (PI * (place[1] + 2.0 * place[2] - 13.0 * place[0])).sin()
    };
    assert!(error_of_system(&text, Effort::new(2, Some(1e-8)), 0, exact) < 1e-8);
}

#[test]
fn a_slanted_shock_in_the_plane_is_the_one_of_cole_and_hopf() {
    // Along s = x + y, with time running twice as fast, it is Burgers' equation.
    let text = plane("u_t + u*(u_x + u_y) = 0.1*laplacian(u)", "u = -sin(pi*(x + y))");
    let exact = |place: &[f64]| cole_hopf(0.1, 2.0 * place[0], place[1] + place[2]);
    assert!(error_of_system(&text, Effort::new(2, None), 0, exact) < 1e-6);
}

#[test]
fn a_solution_is_kept_and_a_damaged_one_is_computed_anew() {
    let folder = std::env::temp_dir().join(format!("pinnace-kept-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    let cache = Cache::in_folder(folder.clone());
    let wave = problem("[0, 1]", "u_t + u*u_x = 0.01*u_xx", "u = sin(2*pi*x)");
    let solve = || {
        let periodic = Periodic::new(&wave, None, &cache).expect("an evolution");
        periodic.history().expect("a solution").clone()
    };
    let first = solve();
    let entries =
        || std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let path = entries().next().expect("one entry");
    assert!(first == solve() && entries().count() == 1);
    let mut bytes = std::fs::read(&path).expect("an entry");
    let whole = bytes.clone();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&path, bytes).expect("a writable folder");
    assert!(first == solve());
    assert!(std::fs::read(&path).expect("an entry") == whole, "the damaged entry was not replaced");
    _ = std::fs::remove_dir_all(folder);
}

/// By how much the reference of a built-in problem changes with twice the samples and twice the steps, and
/// its own estimate.
fn refined(name: &str, overrides: &[&str], effort: Effort) -> (f64, f64) {
    let text = built_in(name);
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    let problem =
        parse_with(&text, &overrides).unwrap_or_else(|mistakes| panic!("{}", mistakes.render(name)));
    let evolution = Evolution::of(&problem).unwrap_or_else(|reason| panic!("{reason}"));
    let settled = History::settle(&evolution, effort).unwrap_or_else(|last| panic!("{last:?}"));
    let accuracy = settled.accuracy();
    (settled.change_when_refined(&evolution), accuracy.by_steps + accuracy.by_samples)
}

#[test]
fn refining_the_references_changes_them_by_less_than_their_floors_at_early_times() {
    let line = |tolerance: f64| Effort::new(1, Some(tolerance));
    for (name, until, effort) in [
        ("allen-cahn-kink", "0.2", line(1e-7)),
        ("kdv-cosine", "0.1", line(1e-8)),
        ("kuramoto-sivashinsky", "0.1", line(1e-6)),
        ("ginzburg-landau", "0.02", Effort::new(2, Some(1e-4))),
    ] {
        let (change, floor) = refined(name, &[&format!("domain.t=[0, {until}]")], effort);
        assert!(change <= floor.max(1e-12), "{name}: {change} {floor}");
    }
}

#[test]
#[ignore = "minutes"]
fn refining_the_references_changes_them_by_less_than_their_floors_at_all_times() {
    let line = |tolerance: f64| Effort::new(1, Some(tolerance));
    for (name, effort) in [
        ("allen-cahn-kink", line(1e-7)),
        ("kdv-cosine", line(1e-9)),
        ("kuramoto-sivashinsky", line(1e-7)),
        ("gray-scott", Effort::new(2, Some(1e-5))),
        ("ginzburg-landau", Effort::new(2, None)),
    ] {
        let (change, floor) = refined(name, &[], effort);
        assert!(change <= floor.max(1e-12), "{name}: {change} {floor}");
    }
}

#[test]
fn refining_the_allen_cahn_reference_changes_it_by_less_than_its_floor() {
    let text = include_str!("../../../../examples/12-allen-cahn/problem.toml");
    let problem = parse(text).unwrap_or_else(|diagnostics| panic!("{}", diagnostics.render("test")));
    let evolution = Evolution::of(&problem).unwrap_or_else(|reason| panic!("{reason}"));
    let settled = History::settle(&evolution, Effort::new(1, None)).unwrap_or_else(|last| panic!("{last:?}"));
    let change = settled.change_when_refined(&evolution);
    assert!(change < 1e-10, "{change}");
}

#[test]
fn what_cannot_be_solved_is_said_before_solving() {
    let unfit = |text: &str| Evolution::of(&parse(text).expect("a problem")).expect_err("not an evolution");
    let periodic = "[domain]\nt = [0, 1]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\na = \"u_t = u_xx\"\n\
                    [conditions]\nb = { on = \"t = 0\", equation = \"u = 0\" }\n[network]\nperiodic = [\"x\"]\n";
    let walls = "c = { on = \"x = 0, x = 1\", equation = \"u = 0\" }\n[network]\n";
    for (from, to, reason) in [
        ("x = [0, 1]", "x = [0, 1]\ny = { range = [0, 1], parameter = true }", Unfit::Coordinates),
        ("x = [0, 1]", "x = [0, 1]\ny = { range = [0, 1], open = true }", Unfit::NotPeriodic),
        ("u = {}", "u = {}\nv = {}", Unfit::System),
        ("[network]\nperiodic = [\"x\"]\n", walls, Unfit::NotPeriodic),
        ("u_t = u_xx", "u*u_t = u_xx", Unfit::TimeDerivative),
        ("u_t = u_xx", "u_t = u_xx + u_tx", Unfit::TimeDerivative),
        ("u_t = u_xx", "u_t = u_xx + max(u, 0)", Unfit::NotSmooth),
        ("\"u = 0\"", "\"u^2 = 1\"", Unfit::NoStart),
        ("\"t = 0\"", "\"t = 0 where x < 0.5\"", Unfit::NoStart),
    ] {
        let text = periodic.replace(from, to).replace(
            "u_t = u_xx\"",
            &match reason {
                Unfit::System => "u_t = u_xx + v\"".to_owned(),
                _ => "u_t = u_xx\"".to_owned(),
            },
        );
        assert_eq!(unfit(&text), reason);
    }
}

#[test]
fn a_solution_that_blows_up_does_not_settle() {
    let explosive = problem("[0, 1]", "u_t = u_xx + 9*u^2", "u = 1");
    let evolution = Evolution::of(&explosive).unwrap_or_else(|reason| panic!("{reason}"));
    assert!(History::settle(&evolution, Effort::new(1, None)).is_err());
}

/// The problem file of a built-in problem.
fn built_in(name: &str) -> String {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let entries = std::fs::read_dir(examples).expect("examples are part of the tree").flatten();
    let is_it = |path: &std::path::PathBuf| {
        let folder = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        folder.split_once('-').is_some_and(|(_, known)| known == name)
    };
    let folder = entries.map(|entry| entry.path()).find(is_it).expect("it is built in");
    std::fs::read_to_string(folder.join("problem.toml")).expect("a problem file")
}
