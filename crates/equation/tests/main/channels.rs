//! The planner carries as few channels as the mathematics allows.

use equation::parse::parse;
use equation::problem::Problem;
use equation::taylor::{Plan, plan};
use std::sync::Arc;

fn load(name: &str) -> (Problem, Arc<Plan>) {
    let path = format!("{}/cases/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    planned(&text)
}

fn planned(text: &str) -> (Problem, Arc<Plan>) {
    let problem = parse(text).unwrap_or_else(|diagnostics| panic!("{}", diagnostics.render("test.toml")));
    let plan = plan(&problem).expect("a plan");
    (problem, plan)
}

fn channels(text: &str) -> String {
    let (problem, plan) = planned(text);
    plan.channel_set(&problem, &plan.terms[0])
}

/// A problem on (t, x, y) with some equations of u and a.
fn equations(equations: &str) -> String {
    format!(
        "[domain]\nt = [0, 1]\nx = {{ range = [0, 1], open = true }}\ny = {{ range = [0, 1], open = true }}\n\
         [unknowns]\nu = {{}}\na = {{}}\n[parameters]\nk = 0.5\n\
         [equations]\n{equations}\nuses = \"k*a = u\"\n\
         [conditions]\nstart = {{ on = \"t = 0\", equations = [\"u = 0\", \"u_t = 0\", \"a = 0\"] }}\n"
    )
}

#[test]
fn channel_counts_are_at_most_those_of_the_theory() {
    let table = [
        ("burgers", 3),
        ("heat", 3),
        ("allen-cahn", 3),
        ("kdv", 4),
        ("kuramoto-sivashinsky", 5),
        ("navier-stokes-steady", 4),
        ("navier-stokes", 4),
        ("wave-3d", 6),
        ("poisson-10d", 12),
        ("beam", 6),
        ("biharmonic", 9),
        ("variable-plate", 9),
        ("variable-diffusion", 4),
        ("inverse", 3),
        ("ansatz", 3),
        ("elasticity", 6),
        ("maxwell", 4),
    ];
    for (name, most) in table {
        let (problem, plan) = load(name);
        let term = &plan.terms[0];
        let set = plan.channel_set(&problem, term);
        assert!(term.channels.len() <= most, "{name} carries {set}, at most {most} were expected");
    }
}

#[test]
fn burgers_carries_the_value_one_slope_and_one_operator() {
    let (problem, plan) = load("burgers");
    assert_eq!(plan.channel_set(&problem, &plan.terms[0]), "{u, x, L}");
}

#[test]
fn conditions_carry_only_what_they_use() {
    let (problem, plan) = load("beam");
    let sets: Vec<String> = plan.terms.iter().map(|term| plan.channel_set(&problem, term)).collect();
    assert_eq!(sets[1..], ["{u, t}", "{u, x, xx}"]);
    let (problem, plan) = load("burgers");
    let sets: Vec<String> = plan.terms.iter().map(|term| plan.channel_set(&problem, term)).collect();
    assert_eq!(sets[1..], ["{u}", "{u}"]);
}

#[test]
fn the_normal_derivative_is_one_channel() {
    let (problem, plan) = load("biharmonic");
    assert_eq!(plan.channel_set(&problem, &plan.terms[1]), "{u, L}");
}

#[test]
fn a_common_unknown_factor_does_not_prevent_collapse() {
    assert_eq!(channels(&equations("e = \"a*u_xx + a*u_yy = 1\"")), "{1, x, y, Δ}");
}

#[test]
fn a_trainable_coefficient_stays_collapsed() {
    assert_eq!(channels(&equations("e = \"u_t = k*u_xx\"")), "{1, x, L}");
}

#[test]
fn derivatives_that_are_needed_anyway_are_shared() {
    let set = channels(&equations("e = \"u_t*u_t + u_xx = 0\"\nf = \"u_t + 2*u_xx = 0\""));
    assert_eq!(set, "{1, t, x, xx}");
}

#[test]
fn two_operators_span_what_their_parts_span() {
    let set =
        channels(&equations("e = \"u_t - u_xx = 0\"\nf = \"a_t - 3*a_xx = 0\"\ng = \"u_t + 5*u_xx = a\""));
    assert_eq!(set, "{1, t, x, xx}");
}

#[test]
fn terms_that_cancel_need_no_channel() {
    assert_eq!(channels(&equations("e = \"u_xx - d(u_x, x) + u_t = 0\"")), "{1, t}");
}

#[test]
fn a_hundred_dimensions_need_a_hundred_and_two_channels() {
    let (_, plan) = planned(
        "[domain]\nx = { range = [0, 1], count = 100 }\n[unknowns]\nu = {}\n\
         [equations]\npoisson = \"-laplacian(u) = -200\"\n\
         [conditions]\nwalls = { on = \"boundary\", equation = \"u = dot(x, x)\" }\n",
    );
    assert_eq!(plan.terms[0].channels.len(), 102);
}

#[test]
fn too_many_channels_are_refused_with_their_number() {
    let problem = parse(
        "[domain]\nx = { range = [0, 1], count = 60 }\n[unknowns]\nu = {}\n\
         [equations]\nhessian = \"sum(i, d(u, x[i], x1)^2) + sum(j, sum(i, d(u, x[i], x[j])^2)) = 0\"\n\
         [conditions]\nwalls = { on = \"boundary\", equation = \"u = 0\" }\n",
    )
    .unwrap_or_else(|diagnostics| panic!("{}", diagnostics.render("test.toml")));
    let error = plan(&problem).expect_err("1891 channels are too many");
    assert!(error.to_string().contains("1891"), "{error}");
}

#[test]
fn a_small_coefficient_is_not_taken_for_rounding() {
    assert_eq!(channels(&equations("e = \"u_t = 1e-15*u_xx\"")), "{1, x, L}");
    assert_eq!(channels(&equations("e = \"1e20*u_tt = u_xx\"")), "{1, t, x, L}");
}

#[test]
fn the_order_of_equations_does_not_change_the_channels() {
    let forward = channels(&equations("e = \"u_t = 1e-9*u_xx\"\nf = \"a_t = u - a\""));
    let backward = channels(&equations("f = \"a_t = u - a\"\ne = \"u_t = 1e-9*u_xx\""));
    assert_eq!(forward, "{1, t, x, xx}");
    assert_eq!(backward, forward);
}

#[test]
fn operators_that_differ_by_what_may_be_rounding_are_taken_apart() {
    let set = channels(&equations("e = \"u_t = u_xx\"\nf = \"a_t = 1.00000000001*a_xx + u\""));
    assert_eq!(set, "{1, t, x, xx}");
}
