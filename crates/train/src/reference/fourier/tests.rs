//! The solver against closed forms, and against itself.

use super::*;
use crate::reference::cole_hopf;
use equation::parse::parse;
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
    let history = History::settle(&evolution).unwrap_or_else(|last| panic!("{last:?}"));
    let (low, high) = (problem.domain.coordinates[1].low, problem.domain.coordinates[1].high);
    let places = (0..=20).flat_map(|i| (0..=50).map(move |j| (f64::from(i) / 20.0, f64::from(j) / 50.0)));
    places
        .map(|(t, share)| (t, low + (high - low) * share))
        .map(|(t, x)| (history.at(t).value(x) - exact(t, x)).abs())
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

#[test]
fn refining_the_allen_cahn_reference_changes_it_by_less_than_its_floor() {
    let text = include_str!("../../../../../examples/12-allen-cahn/problem.toml");
    let problem = parse(text).unwrap_or_else(|diagnostics| panic!("{}", diagnostics.render("test")));
    let evolution = Evolution::of(&problem).unwrap_or_else(|reason| panic!("{reason}"));
    let settled = History::settle(&evolution).unwrap_or_else(|last| panic!("{last:?}"));
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
        ("x = [0, 1]", "x = [0, 1]\ny = { range = [0, 1], open = true }", Unfit::Coordinates),
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
    assert!(History::settle(&evolution).is_err());
}
