//! Promises about the data that come with the inverse problems.

use equation::counter::Stream;
use pinnace::trainer::{Quiet, Stopped};
use pinnace::{BuiltIn, Experiment};
use std::f64::consts::PI;
use std::sync::atomic::AtomicBool;

const DIFFUSIVITY: f64 = 0.25;
const NOISE: f64 = 0.01;
const COUNT: u64 = 200;

fn temperature(diffusivity: f64, t: f64, x: f64) -> f64 {
    (-PI * PI * diffusivity * t).exp() * (PI * x).sin()
}

/// Measurements at random places with normal errors of one per cent of the largest temperature.
fn measurements() -> String {
    let (places, errors) = (Stream::new(200, 1), Stream::new(200, 2));
    let rows = (0..COUNT).map(|index| {
        let (t, x) = (places.uniform(2 * index), places.uniform(2 * index + 1));
        let u = temperature(DIFFUSIVITY, t, x) + NOISE * errors.normal(index);
        format!("{t:.6},{x:.6},{u:.6}\n")
    });
    "t,x,u\n".to_owned() + &rows.collect::<String>()
}

#[test]
fn the_measurements_are_the_ones_described() {
    let built_in = BuiltIn::find("heat-inverse").expect("the problem is built in");
    assert_eq!(built_in.files, [("probe.csv", measurements().as_str())]);
}

/// Pressures on a grid, ends included, with normal errors of a tenth of the largest.
fn wells() -> String {
    let errors = Stream::new(50, 1);
    let rows = (0..50u64).flat_map(|i| (0..50u64).map(move |j| (i, j))).map(|(i, j)| {
        let (x, y) = (i as f64 / 49.0, j as f64 / 49.0);
        let u = (PI * x).sin() * (PI * y).sin() + 0.1 * errors.normal(50 * i + j);
        format!("{x:.6},{y:.6},{u:.6}\n")
    });
    "x,y,u\n".to_owned() + &rows.collect::<String>()
}

#[test]
fn the_pressures_are_the_ones_described() {
    let built_in = BuiltIn::find("darcy-inverse").expect("the problem is built in");
    assert!(built_in.files == [("wells.csv", wells().as_str())]);
}

#[test]
fn the_readme_states_the_best_estimate_and_the_bound_of_cramer_and_rao() {
    let experiment = Experiment::open("heat-inverse", &[]).unwrap_or_else(|error| panic!("{error}"));
    // The sensitivity of u = exp(-π² κ t) sin(π x) to κ is -π² t u. No unbiased estimate of κ from
    // independent errors of deviation NOISE has a smaller deviation than NOISE/sqrt(Σ sensitivity²).
    let sums = |diffusivity: f64| {
        experiment.tables().measurements(0).iter().fold((0.0, 0.0), |(slope, information), row| {
            let exact = temperature(diffusivity, row[0], row[1]);
            let sensitivity = -PI * PI * row[0] * exact;
            (slope + sensitivity * (row[2] - exact), information + sensitivity * sensitivity)
        })
    };
    let bound = NOISE / sums(DIFFUSIVITY).1.sqrt();
    let stated = format!("{bound:.1e} ({:.2} %)", 100.0 * bound / DIFFUSIVITY);
    let readme = include_str!("../../../../examples/19-heat-inverse/README.md");
    assert!(readme.contains(&stated), "the bound is {stated}");
    // Least squares with the exact solution, by Gauss and Newton.
    let estimate = (0..20).fold(DIFFUSIVITY, |estimate, _| {
        let (slope, information) = sums(estimate);
        estimate + slope / information
    });
    assert!(readme.contains(&format!("κ = {estimate:.4}")), "the estimate is {estimate}");
}

#[test]
fn training_ends_where_measurements_fit_to_their_noise_and_goes_on_for_whoever_states_steps() {
    let never = AtomicBool::new(false);
    let experiment = Experiment::open("darcy-inverse", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut now = experiment.start();
    let ended = experiment.train_from(&mut now, &never, &mut Quiet).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(ended.stopped, Stopped::Noise);
    // By then the permeability is found; a hundred steps later its error is ten times as large.
    let worst = ended.errors.iter().flatten().filter_map(|error| error.relative_l2).fold(0.0, f64::max);
    assert!(worst < 2e-2, "{worst}");
    let again = experiment.train_from(&mut now, &never, &mut Quiet).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((again.stopped, again.parameters), (Stopped::Noise, ended.parameters));
    let longer = experiment.with_steps(ended.steps + 2);
    let longer = longer.train_from(&mut now, &never, &mut Quiet).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((longer.stopped, longer.steps), (Stopped::Steps, ended.steps + 2));
}
