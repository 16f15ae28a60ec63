//! What a file leaves open is decided once, told with its reason, and can be stated instead.

use crate::parse::files::FILES;
use equation::decide::{Decision, Decisions, decide};
use equation::parse::{parse, parse_with, resolve};
use equation::problem::Problem;
use equation::taylor::plan;

const OPEN: &str = r#"
title = "A string and its end"
[domain]
t = [0, 20]
x = [0, 1]
[unknowns]
u = {}
[equations]
wave = "u_tt = u_xx"
[conditions]
"the start" = { on = "t = 0", equations = ["u = 300*sin(pi*x)", "u_t = 0"] }
walls = { on = "x = 0", equation = "u = 0" }
free = { on = "x = 1", equation = "u_x = -u" }
"#;

const WAVES: &str = r#"
title = "Many waves"
[domain]
x = [0, 1]
[unknowns]
u = {}
[equations]
helmholtz = "u_xx + 900*u = 1"
[conditions]
ends = { on = "x = 0, x = 1", equations = ["u = 0", "u_x = u"] }
"#;

fn decided(text: &str, overrides: &[String]) -> (Problem, Decisions) {
    let problem = parse_with(text, overrides);
    let problem = problem.unwrap_or_else(|mistakes| panic!("{}\n{text}", mistakes.render("file")));
    decide(problem).unwrap_or_else(|error| panic!("{error}"))
}

fn stated(decisions: &Decisions) -> Vec<String> {
    decisions.iter().map(Decision::stated).collect()
}

/// Formulas, programs, network and windows as text.
fn facts(problem: &Problem) -> String {
    let plan = plan(problem).expect("a plan");
    let rest = (&problem.network, &problem.training, problem.windows());
    let text = plan.explain(problem);
    // Why a condition is a penalty may be that the file says so.
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("  condition ")).collect();
    format!("{lines:#?}\n{rest:?}\n{:?}", plan.initialize(7))
}

#[test]
fn every_key_that_is_left_open_is_decided_with_a_reason() {
    let (problem, decisions) = decided(OPEN, &[]);
    let told: Vec<(&str, &str)> = decisions.iter().map(|it| (&*it.key, &*it.value)).collect();
    assert_eq!(
        told,
        [
            ("training.windows", "10"),
            ("network.activation", "\"tanh\""),
            ("unknowns.u.unit", "256.0"),
            ("conditions.\"the start\".exact", "false"),
            ("conditions.walls.exact", "true"),
            ("conditions.free.exact", "false"),
        ]
    );
    assert_eq!(problem.windows().map(|windows| windows.count()), Some(10));
    assert!(decisions.iter().all(|decision| decision.why.len() > 10), "{decisions:?}");
    let (_, decisions) = decided(WAVES, &[]);
    let value = |key: &str| decisions.find(key).map(|decision| decision.value.clone());
    assert_eq!(value("network.activation").as_deref(), Some("\"sin\""));
    assert_eq!(value("network.initialization").as_deref(), Some("\"siren\""));
    assert!(value("network.frequency").is_some() && value("training.windows").is_none(), "{decisions:?}");
    assert_eq!(value("conditions.ends.exact").as_deref(), Some("[true, false]"));
}

#[test]
fn a_key_that_is_stated_is_not_decided() {
    for (key, value) in [
        ("training.windows", "3"),
        ("network.activation", "\"gelu\""),
        ("unknowns.u.unit", "2.5"),
        ("conditions.walls.exact", "false"),
    ] {
        let (_, decisions) = decided(OPEN, &[format!("{key}={value}")]);
        assert!(decisions.find(key).is_none(), "{key}: {decisions:?}");
        assert!(decided(OPEN, &[]).1.find(key).is_some(), "{key}");
    }
    let (problem, decisions) = decided(OPEN, &["unknowns.u.unit=2.5".to_owned()]);
    assert_eq!((problem.unknowns[0].unit, decisions.len()), (2.5, 5));
    let off = ["training.hard_constraints=off".to_owned()];
    assert!(decided(OPEN, &off).1.iter().all(|decision| !decision.key.ends_with("exact")));
}

#[test]
fn stating_what_was_decided_changes_nothing_and_leaves_nothing_open() {
    for (name, text) in FILES.iter().copied().chain([("open", OPEN), ("waves", WAVES)]) {
        let (problem, decisions) = decided(text, &[]);
        let whole = resolve(text, &stated(&decisions), &problem.title, &mut str::to_owned).expect(name);
        let (again, rest) = decided(&whole, &[]);
        assert!(rest.is_empty(), "{name}: {rest:?}");
        assert_eq!(facts(&again), facts(&problem), "{whole}");
    }
}

#[test]
fn a_condition_is_exact_or_a_penalty_as_the_file_states() {
    let text = WAVES.replace("\"u_x = u\"]", "\"u_x = u\"], exact = false");
    let (problem, _) = decided(&text, &[]);
    assert_eq!(problem.conditions[0].equations.len(), 2);
    let text = WAVES.replace("\"u_x = u\"]", "\"u_x = u\"], exact = [true, false]");
    assert_eq!(decided(&text, &[]).0.conditions[0].equations.len(), 1);
    let refused = decide(parse(&text.replace("[true, false]", "true")).expect("a file"));
    let said = refused.expect_err("a slope that depends on the value").to_string();
    assert!(said.starts_with("conditions.ends.exact: `u_x = u` cannot be built into an ansatz: "), "{said}");
    for (value, message) in
        [("[true]", "expected 2 of them, found 1"), ("1", "expected true or false, found an integer")]
    {
        let mistakes = parse(&text.replace("[true, false]", value)).expect_err(value);
        assert!(mistakes.to_string().contains(message), "{mistakes}");
    }
}

#[test]
fn a_unit_beside_an_ansatz_is_a_mistake() {
    let text = OPEN
        .replace("u = {}", "u = { unit = 2 }")
        .replace("[equations]", "[ansatz]\nu = \"x*N\"\n[equations]");
    let mistakes = parse(&text).expect_err("two sizes");
    assert!(mistakes.to_string().contains("the ansatz of `u` states its size"), "{mistakes}");
}
