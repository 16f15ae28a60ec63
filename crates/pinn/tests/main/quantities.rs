//! Integrals and values at places: of any network, and inside of equations.

use pinnace::{Device, Experiment, Grid, Places, Points, Precision, QuantityValue, Quiet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

const RING: &str = r#"
[domain]
x = [-1, 1]
y = [-1, 1]
[geometry]
ring = "disk([0, 0], 1)"
hole = "disk([0.1, 0], 0.4)"
shape = "ring - hole"
[unknowns]
u = {}
[equations]
poisson = "laplacian(u) = 1"
[conditions]
wall = { on = "ring", equation = "u = 0" }
flow = { on = "hole", equation = "dn(u) = 0" }
[network]
width = 8
depth = 2
"#;

const ROD: &str = r#"
[domain]
t = [0, 2]
x = [0, 3]
[unknowns]
u = {}
[parameters]
k = { start = 0.5 }
[equations]
heat = "u_t = k*u_xx"
[conditions]
start = { on = "t = 0", equation = "u = sin(x)" }
ends = { on = "boundary", equation = "u = 0" }
[network]
width = 8
depth = 2
"#;

fn experiment(text: &str) -> Experiment {
    Experiment::from_text("quantities", text, Path::new("."), &[]).expect("a good problem")
}

/// What an untrained network says.
fn asked(text: &str, quantities: &str) -> Vec<QuantityValue> {
    let experiment = experiment(&format!("{text}\n[quantities]\n{quantities}"));
    let parameters = experiment.plan().initialize(7);
    experiment.quantities(&parameters).expect("numbers")
}

#[test]
fn what_any_network_makes_inside_leaves_through_the_boundary() {
    let found = asked(
        RING,
        r#"
        made = 'integral(laplacian(u), "inside")'
        left = 'integral(dn(u), "boundary")'
        parts = 'integral(dn(u), "ring") + integral(u_x*dn(x) + u_y*dn(y), "hole")'
        area = { formula = 'integral(1, "inside")', truth = "pi*(1 - 0.16)" }
        half = 'integral(1, "ring where x < 0")'
        "#,
    );
    let values: Vec<f64> = found.iter().map(|quantity| quantity.value).collect();
    assert!((values[0] - values[1]).abs() < 1e-5 * values[0].abs(), "{values:?}");
    assert!((values[2] - values[1]).abs() < 1e-12 * values[1].abs(), "{values:?}");
    assert!((values[3] - found[3].truth.expect("a truth")).abs() < 1e-9, "{values:?}");
    // A filter cuts between nodes: as accurate as it says.
    assert!((values[4] - std::f64::consts::PI).abs() <= 0.1, "{values:?}");
    assert!(found.iter().all(|quantity| quantity.course.is_empty()));
}

#[test]
fn a_value_at_a_place_is_that_of_the_field_and_time_is_a_course() {
    let experiment = experiment(&format!(
        "{ROD}\n[quantities]\n{}",
        r#"
        here = "at(u, [1.5, 0.7])"
        there = "at(u_x, 0.7)"
        heat = "2*k*integral(u, x) + t"
        flux = 'integral(dn(u), "x = 3")'
        "#
    ));
    let parameters = experiment.plan().initialize(3);
    let found = experiment.quantities(&parameters).expect("numbers");
    let mut place = Points::new(2);
    place.push(&[1.5, 0.7]);
    let fields = experiment.fields(&parameters, Places::Scattered(place), &[]).expect("fields");
    let value = fields.iter().next().expect("a field").1[0];
    assert!((found[0].value - value).abs() < 1e-14 && found[0].course.is_empty());
    assert_eq!((found[1].course.len(), found[2].course.len(), found[3].course.len()), (101, 101, 101));
    let (time, heat) = found[2].course[50];
    assert!((time - 1.0).abs() < 1e-12);
    let places = Places::Grid(Grid::parse(experiment.problem(), "t=3,x=4001").expect("a grid"));
    let fields = experiment.fields(&parameters, places, &[]).expect("fields");
    let middle = &fields.iter().next().expect("a field").1[4001..8002];
    let inner: f64 = middle[1..4000].iter().sum();
    let sum = (inner + 0.5 * (middle[0] + middle[4000])) * 3.0 / 4000.0;
    assert!((heat - (sum + 1.0)).abs() < 1e-6, "{heat} {sum}");
}

#[test]
fn equations_may_hold_integrals_on_every_device() {
    let text = r#"
[domain]
t = [0, 1]
x = [0, 1]
[unknowns]
u = {}
[equations]
nonlocal = "u_t = u_xx - x*integral(x*u^2, x) + at(u, [0.25])"
[conditions]
start = { on = "t = 0", equation = "u = cos(pi*x)" }
left = { on = "x = 0", equation = "u_x = 0" }
mass = { equation = "integral(u, x) = 0" }
[network]
width = 6
depth = 2
[training]
points = 40
condition_points = 7
optimizer = "adam"
budget = "3 steps"
"#;
    let whole = experiment(text);
    assert!(whole.plan().terms.iter().any(|term| term.name == "mass" && term.row.sites > 8));
    let trained = |device| {
        let trained = whole
            .clone()
            .on(device, Precision::F64)
            .train(&AtomicBool::new(false), &mut Quiet)
            .expect("training");
        (trained.losses.total, trained.parameters)
    };
    let (loss, parameters) = trained(Device::Reference);
    let (other, others) = trained(Device::Cpu);
    assert!((loss - other).abs() < 1e-12 * loss, "{loss} {other}");
    assert!(parameters.iter().zip(&others).all(|(one, other)| (one - other).abs() < 1e-10));
    // The planned integral is the one that is measured afterwards.
    let asked = experiment(&format!("{text}\n[quantities]\nmass = \"integral(u, x)\""));
    let mass = &asked.quantities(&others).expect("numbers")[0].course;
    let square = mass.iter().map(|(_, mass)| mass * mass).sum::<f64>() / mass.len() as f64;
    let misfit = whole.losses_on_fresh_points(&others).expect("losses");
    let misfits = whole.misfits(&misfit);
    let stated = misfits.iter().find(|misfit| misfit.term == "mass").expect("a condition").root_mean_square;
    assert!((square.sqrt() / stated - 1.0).abs() < 0.05, "{} {stated}", square.sqrt());
}
