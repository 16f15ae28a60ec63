//! Promises about the data that come with the inverse problem.

use equation::counter::Stream;
use pinnace::{BuiltIn, Experiment};
use std::f64::consts::PI;

const DIFFUSIVITY: f64 = 0.25;
const NOISE: f64 = 0.01;
const COUNT: u64 = 200;

fn temperature(t: f64, x: f64) -> f64 {
    (-PI * PI * DIFFUSIVITY * t).exp() * (PI * x).sin()
}

/// Measurements at random places with normal errors of one per cent of the largest temperature.
fn measurements() -> String {
    let (places, errors) = (Stream::new(200, 1), Stream::new(200, 2));
    let rows = (0..COUNT).map(|index| {
        let (t, x) = (places.uniform(2 * index), places.uniform(2 * index + 1));
        let u = temperature(t, x) + NOISE * errors.normal(index);
        format!("{t:.6},{x:.6},{u:.6}\n")
    });
    "t,x,u\n".to_owned() + &rows.collect::<String>()
}

#[test]
fn the_measurements_are_the_ones_described() {
    let built_in = BuiltIn::find("heat-inverse").expect("the problem is built in");
    assert_eq!(built_in.files, [("probe.csv", measurements().as_str())]);
}

#[test]
fn the_readme_states_the_bound_of_cramer_and_rao() {
    let experiment = Experiment::open("heat-inverse", &[]).unwrap_or_else(|error| panic!("{error}"));
    // The sensitivity of u = exp(-π² κ t) sin(π x) to κ is -π² t u. No unbiased estimate of κ from
    // independent errors of deviation NOISE has a smaller deviation than NOISE/sqrt(Σ sensitivity²).
    let rows = experiment.tables().measurements(0).iter();
    let information: f64 = rows.map(|row| (PI * PI * row[0] * temperature(row[0], row[1])).powi(2)).sum();
    let bound = NOISE / information.sqrt();
    let stated = format!("{bound:.1e} ({:.2} %)", 100.0 * bound / DIFFUSIVITY);
    let readme = include_str!("../../../examples/19-heat-inverse/README.md");
    assert!(readme.contains(&stated), "the bound is {stated}");
}
