//! A resolved file states by itself what the original states under its overrides.

use crate::parse::files::FILES;
use equation::expression::Pool;
use equation::parse::{parse, parse_with, resolve};
use equation::problem::Problem;

/// Everything about a problem: formulas as text, then the rest. The pool's own order of printing is no part of it.
fn facts(mut problem: Problem) -> String {
    let conditions = problem.conditions.iter().flat_map(|condition| &condition.equations);
    let equations = problem.equations.iter().chain(conditions);
    let formulas: Vec<String> =
        equations.map(|equation| problem.pool.print(equation.residual, &problem)).collect();
    problem.pool = Pool::default();
    format!("{formulas:?} {problem:?}")
}

fn owned(overrides: &[&str]) -> Vec<String> {
    overrides.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn reading_the_resolved_text_gives_the_same_problem() {
    let overrides =
        owned(&["training.seed=\"18446744073709551615\"", "network.width=7", "training.steps=12"]);
    for (name, text) in FILES {
        let resolved = resolve(text, &overrides, name, &mut str::to_owned).expect(name);
        let mut under = parse_with(text, &overrides).expect(name);
        if under.title.is_empty() {
            under.title = name.to_owned();
        }
        let alone = parse(&resolved).unwrap_or_else(|mistakes| panic!("{resolved}\n{mistakes}"));
        assert_eq!(facts(under), facts(alone), "{resolved}");
        let again = resolve(&resolved, &[], name, &mut str::to_owned).expect(name);
        assert_eq!(again, resolved, "a resolved text stays as it is");
    }
}

const PHASES: &str = r#"
# What a comment says is kept only where nothing else changes.
title = "A \"quoted\" title with a \\ and a tab\t"
[domain]
t = [0, 1e-3]
[unknowns]
"ü-1" = {}
[equations]
decay = """
d(ü-1, t) = 0"""
[conditions]
start = { on = "t = 0", equation = "u = 1" }
[training]
budget = { steps = 7, loss = 1e-300 }
[[training.phase]]
points = 5
[[training.phase]]
optimizer = "lbfgs"
"#;

#[test]
fn phases_strings_and_floats_survive() {
    let text = PHASES.replace("\"ü-1\"", "u").replace("d(ü-1, t)", "u_t");
    assert_eq!(resolve(&text, &[], "", &mut str::to_owned).as_deref(), Ok(&*text));
    let overrides = owned(&["training.phase.1.budget=3 s", "training.learning_rate=0.1"]);
    let resolved = resolve(&text, &overrides, "", &mut str::to_owned).expect("it is right");
    let (under, alone) = (parse_with(&text, &overrides), parse(&resolved));
    assert_eq!(facts(under.expect("right")), facts(alone.expect("right")), "{resolved}");
    let strange = PHASES.replace("decay", "\"ä b\"");
    let resolved = resolve(&strange, &overrides, "", &mut str::to_owned).expect("it is TOML");
    assert!(resolved.contains("\"ü-1\" = {}\n") && resolved.contains("\"ä b\" = \"d(ü-1, t) = 0\"\n"));
}

#[test]
fn data_files_get_their_new_names_and_a_file_without_title_a_title() {
    let text = "[data]\nprobe = { file = '../far/probe.csv', columns = ['x', 'u'] }\n[reference]\nu = { file = 'u.npy' }\n";
    let mut seen = Vec::new();
    let resolved = resolve(text, &[], "far \"off\"", &mut |file| {
        seen.push(file.to_owned());
        format!("data/{}", file.rsplit('/').next().unwrap_or(file))
    })
    .expect("it is TOML");
    assert_eq!(seen, ["../far/probe.csv", "u.npy"]);
    let expected = "title = \"far \\\"off\\\"\"\n\n[data]\nprobe = { file = \"data/probe.csv\", columns = [\"x\", \"u\"] }\n\n[reference]\nu = { file = \"data/u.npy\" }\n";
    assert_eq!(resolved, expected);
}

#[test]
fn mistakes_in_overrides_are_reported_here_too() {
    let said =
        resolve(PHASES, &owned(&["constants.nu=1"]), "", &mut str::to_owned).expect_err("no such constant");
    assert!(said.to_string().contains("there is no constant `nu`"), "{said}");
}

#[test]
fn a_number_of_steps_leaves_what_the_file_states() {
    let text = PHASES.replace("\"ü-1\"", "u").replace("d(ü-1, t)", "u_t");
    let problem = parse_with(&text, &["training.steps=5".to_owned()]).expect("it is right");
    assert_eq!(problem.training.steps, Some(5));
    assert_eq!(problem.training.phases[0].budget.and_then(|budget| budget.steps), Some(7));
}
