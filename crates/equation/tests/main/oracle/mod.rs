//! The interpreter against derivatives that know nothing of channels, on every file of `cases/`.

mod expressions;
mod multicomplex;
mod truth;

use crate::parse::shape_files::Beside;
use equation::constrain::constrain;
use equation::counter::Stream;
use equation::parse::parse_with_files;
use equation::problem::{Equation, Problem};
use equation::taylor::{Interpreter, Plan, Source, Term, plan};
use multicomplex::{STEP, stepped};
use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use truth::Point;

/// The interpreter and the multicomplex evaluation each round a few hundred times at 2^-53, on
/// intermediate values up to a thousand times the result for fourth derivatives.
const TOLERANCE: f64 = 1e-11;

fn load(file: &str, overrides: &[&str]) -> (Problem, Arc<Plan>) {
    let path = format!("{}/cases/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    let beside = Beside(Path::new(&path).parent().expect("a folder").to_owned());
    let problem = parse_with_files(&text, &overrides, &beside)
        .unwrap_or_else(|diagnostics| panic!("{}", diagnostics.render(file)));
    // In these files the conditions are built into the ansatz; in the others they are penalties.
    let problem = if file.starts_with("constrained-") { constrain(problem) } else { problem };
    let plan = plan(&problem).unwrap_or_else(|error| panic!("{file}: {error}"));
    (problem, plan)
}

fn case_files() -> Vec<String> {
    let folder = format!("{}/cases", env!("CARGO_MANIFEST_DIR"));
    let entries = std::fs::read_dir(&folder).expect("the folder of cases is part of the crate");
    let mut files: Vec<String> = entries
        .map(|entry| entry.expect("a readable folder").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    files.sort();
    assert!(files.len() >= 20, "cases are missing: {files:?}");
    files
}

fn equations<'a>(problem: &'a Problem, term: &Term) -> &'a [Equation] {
    match term.source {
        Source::Interior => &problem.equations,
        Source::Condition(position) => &problem.conditions[position].equations,
        Source::Data(position) => &problem.data[position].equations,
        Source::Prediction => &[],
    }
}

/// Weights of a usual size but with biases, so that nothing vanishes by symmetry.
fn parameters(plan: &Plan, seed: u64) -> Vec<f64> {
    let noise = Stream::new(seed, 99);
    let start = plan.initialize(seed).into_iter().enumerate();
    start.map(|(index, value)| value + 0.1 * noise.normal(index as u64)).collect()
}

fn row(problem: &Problem, term: &Term, seed: u64) -> Vec<f64> {
    let noise = Stream::new(seed, 77);
    let coordinates = &problem.domain.coordinates;
    let mut row: Vec<f64> = (0..term.row.width())
        .map(|place| {
            let uniform = noise.uniform(place as u64);
            match coordinates.get(place % term.row.coordinates) {
                Some(coordinate) if place < term.row.coordinates * term.row.sites => {
                    coordinate.low + (coordinate.high - coordinate.low) * uniform
                }
                _ => 2.0 * uniform - 1.0,
            }
        })
        .collect();
    term.given.iter().for_each(|given| given.fill(&mut row));
    row
}

/// Checks residuals and the gradient of every parameter of every term at one random point.
fn check(name: &str, problem: &Problem, plan: &Plan, seed: u64) {
    let parameters = parameters(plan, seed);
    for term in &plan.terms {
        let row = row(problem, term, seed);
        let equations = equations(problem, term);
        let mut interpreter = Interpreter::new(&plan.architecture, term);
        let mut residuals = vec![0.0; equations.len()];
        interpreter.residuals(&parameters, &row, &mut residuals);
        let point = Point {
            problem,
            plan,
            row: term.row,
            numbers: &row,
            parameters: parameters.clone(),
            site: Cell::default(),
        };
        let weights = match plan.weighted_points() {
            Some((_, weighted_points)) if weighted_points.name == term.name => {
                row[row.len() - equations.len()..].to_vec()
            }
            _ => vec![1.0; equations.len()],
        };
        let weighted = equations.iter().zip(&weights);
        let truth: Vec<f64> = weighted.map(|(equation, weight)| weight * point.residual(equation)).collect();
        for (place, (got, wanted)) in residuals.iter().zip(&truth).enumerate() {
            let size = wanted.abs().max(1.0);
            assert!(
                (got - wanted).abs() <= TOLERANCE * size,
                "{name}, {} {}: residual {got} instead of {wanted}",
                term.name,
                equations[place].name
            );
        }

        let seeds: Vec<f64> = (0..equations.len()).map(|place| 1.0 - 0.3 * place as f64).collect();
        let mut gradient = vec![0.0; parameters.len()];
        interpreter.accumulate(&parameters, &row, &seeds, &mut gradient);
        let truth: Vec<f64> = (0..parameters.len())
            .map(|varied| {
                let step = |place: usize| if place == varied { STEP } else { 0.0 };
                let parameters = parameters
                    .iter()
                    .enumerate()
                    .map(|(place, &value)| stepped(value, step(place)))
                    .collect();
                let point =
                    Point { problem, plan, row: term.row, numbers: &row, parameters, site: Cell::default() };
                let slopes = equations.iter().map(|equation| point.residual(equation).imaginary / STEP);
                slopes.zip(&seeds).zip(&weights).map(|((slope, seed), weight)| slope * seed * weight).sum()
            })
            .collect();
        let size = truth.iter().fold(1.0f64, |size, slope| size.max(slope.abs()));
        for (place, (got, wanted)) in gradient.iter().zip(&truth).enumerate() {
            assert!(
                (got - wanted).abs() <= TOLERANCE * size,
                "{name}, {}: gradient of parameter {place} is {got} instead of {wanted}",
                term.name
            );
        }
    }
}

#[test]
fn residuals_and_gradients_of_every_case_agree_with_complex_steps() {
    for file in case_files() {
        let (problem, plan) = load(&file, &[]);
        check(&file, &problem, &plan, 1);
        check(&file, &problem, &plan, 2);
    }
}

#[test]
fn every_activation_is_exact_to_fourth_order() {
    for activation in ["tanh", "sin", "gelu", "silu"] {
        let (problem, plan) = load("orders.toml", &[&format!("network.activation={activation}")]);
        check(activation, &problem, &plan, 3);
    }
}

#[test]
fn every_network_propagates_every_kind_of_channel() {
    let networks = [
        vec!["network.kind=modified-mlp"],
        vec!["network.kind=residual", "network.depth=5"],
        vec!["network.kind=residual", "network.depth=4"],
        vec!["network.fourier={ features = 3, scale = 0.5 }"],
        vec!["network.periodic={ x = 2 }"],
        vec!["network.normalize=false"],
        vec!["network.activation=sin", "network.initialization=siren", "network.frequency=2"],
        vec!["network.initialization=he", "network.depth=1"],
        vec!["network.kind=modified-mlp", "network.fourier={ features = 3, scale = 0.5 }"],
        vec!["network.factorized=true"],
        vec!["network.adaptive=layer", "network.kind=residual", "network.depth=3"],
        vec!["network.adaptive=neuron"],
        vec!["network.factorized={ mean = 0.5 }", "network.adaptive=layer", "network.kind=modified-mlp"],
        vec!["network.kind=piratenet", "network.depth=2"],
        vec!["network.kind=piratenet", "network.depth=1", "network.fourier={ features = 3, scale = 0.5 }"],
        vec!["network.kind=separable", "network.depth=2", "network.rank=5"],
        vec!["network.kind=separable", "network.periodic={ x = 2 }", "network.adaptive=layer"],
    ];
    for file in ["orders.toml", "inverse.toml", "variable-diffusion.toml", "biharmonic.toml"] {
        for network in &networks {
            let (problem, plan) = load(file, network);
            check(&format!("{file} {network:?}"), &problem, &plan, 4);
        }
    }
    let both = ["network.periodic={ x = 1 }", "network.fourier={ features = 2, scale = 0.3 }"];
    let (problem, plan) = load("inverse.toml", &both);
    check("periodic and Fourier", &problem, &plan, 5);
}

#[test]
fn the_built_in_problems_agree_with_complex_steps() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let entries = std::fs::read_dir(folder).expect("the examples are part of the tree");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("a readable folder"))
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 19, "examples are missing: {names:?}");
    for name in names {
        let file = format!("../../../examples/{name}/problem.toml");
        let (problem, plan) = load(&file, &["network.width=6", "network.depth=3"]);
        (0..3).for_each(|seed| check(&name, &problem, &plan, 10 + seed));
    }
}

#[test]
fn a_case_checked_with_a_wrong_weight_fails() {
    let (problem, plan) = load("burgers.toml", &[]);
    let (_, other) = load("burgers.toml", &["constants.nu=0.1"]);
    let mut mixed = plan.as_ref().clone();
    mixed.terms = other.terms.clone();
    let outcome = std::panic::catch_unwind(|| check("burgers", &problem, &mixed, 1));
    assert!(outcome.is_err(), "the check accepts a wrong plan");
}
