//! Promises of the relative residual: a number without units, defined for every kind of equation.

use pinnace::{Device, Experiment, Precision};
use std::path::Path;

/// Relative residuals of a problem whose network is zero everywhere: unknowns are what their ansatz adds to it.
fn relative(text: &str) -> Vec<Option<f64>> {
    let text = format!("{text}\n[network]\nwidth = 2\ndepth = 1\n");
    let soft = ["training.hard_constraints=off".to_owned()];
    let experiment =
        Experiment::from_text("test", &text, Path::new("."), &soft).unwrap_or_else(|error| panic!("{error}"));
    let zero = vec![0.0; experiment.plan().parameter_count()];
    experiment.relative_residuals(&zero).unwrap_or_else(|error| panic!("{error}"))
}

fn near(found: Option<f64>, expected: f64, tolerance: f64) {
    assert!(found.is_some_and(|found| (found - expected).abs() <= tolerance), "{found:?} is not {expected}");
}

const LINE: &str = r#"
[domain]
x = [0, 1]
[unknowns]
u = {}
[ansatz]
u = "x + N"
"#;

#[test]
fn a_residual_is_compared_with_the_largest_term_of_its_equation() {
    let equations = r#"
[equations]
slope = "u_x = 4"
product = "(u_x - 4)*exp(0*x + u*0 + x) = 0"
alone = "u_x = 0"
exact = "u_x = 1"
[conditions]
end = { on = "x = 1", equation = "u = 2" }
start = { on = "x = 0", equation = "u_x = 0" }
"#;
    let found = relative(&format!("{LINE}{equations}"));
    near(found[0], 0.75, 1e-12);
    // Multiplied out: u_x·exp(x) and 4·exp(x).
    near(found[1], 0.75, 1e-12);
    assert_eq!(found[2], None, "a single term has nothing to be compared with");
    near(found[3], 0.0, 1e-15);
    near(found[4], 0.5, 1e-12);
    near(found[5], 1.0, 1e-12);
}

#[test]
fn walls_of_zero_are_compared_with_the_inside() {
    let found = relative(
        r#"
[domain]
x = [0, 1]
[unknowns]
u = {}
[ansatz]
u = "0.01 + sin(pi*x) + N"
[equations]
bend = "u_xx = -9*u"
[conditions]
walls = { on = "x = 0, x = 1", equation = "u = 0" }
"#,
    );
    // The mean square of 0.01 + sin is 1/2 + 0.01·4/π + 1e-4.
    let inside = (0.5 + 0.04 / std::f64::consts::PI + 1e-4f64).sqrt();
    near(found[1], 0.01 / inside, 1e-4);
}

#[test]
fn units_change_no_relative_residual() {
    let stated = |unit: &str, length: &str| {
        r#"
[domain]
x = [0, LENGTH]
[constants]
unit = UNIT
[unknowns]
u = {}
[ansatz]
u = "unit*(cos(x/LENGTH) + N)"
[equations]
bend = "u_xx = -2*u/LENGTH^2 + 0.3*unit/LENGTH^2"
[conditions]
start = { on = "x = 0", equation = "u = 1.5*unit" }
"#
        .replace("LENGTH", length)
        .replace("UNIT", unit)
    };
    let (plain, large) = (relative(&stated("1", "1.0")), relative(&stated("3e11", "1e-6")));
    assert_eq!(plain.len(), 2);
    for (plain, large) in plain.iter().zip(&large) {
        let plain = plain.expect("a number");
        assert!(plain > 0.01 && plain < 1.0, "{plain}");
        near(*large, plain, 1e-9);
    }
}

#[test]
fn measurements_are_compared_with_what_was_measured() {
    let folder = std::env::temp_dir().join(format!("pinnace-relative-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    std::fs::write(folder.join("probe.csv"), "x,u\n0,2\n1,2\n").expect("the folder can be written");
    let rest = r#"
[equations]
slope = "u_x = 4"
[data]
probe = { file = "probe.csv", columns = ["x", "u"] }
"#;
    let experiment = Experiment::from_text("test", &format!("{LINE}{rest}"), &folder, &[])
        .unwrap_or_else(|error| panic!("{error}"));
    let zero = vec![0.0; experiment.plan().parameter_count()];
    let found = experiment.relative_residuals(&zero).expect("numbers");
    let _ = std::fs::remove_dir_all(&folder);
    // Misfits are 2 and 1.
    near(found[1], 2.5f64.sqrt() / 2.0, 1e-12);
}

#[test]
fn windows_that_were_not_begun_are_left_out_and_the_device_does_not_matter() {
    let text = r#"
[domain]
t = [0, 1]
[unknowns]
u = {}
[equations]
decay = "u_t = -u"
[conditions]
start = { on = "t = 0", equation = "u = 1" }
[network]
width = 3
depth = 1
[training]
windows = 2
"#;
    let experiment = Experiment::from_text("decay", text, Path::new("."), &[]).expect("it is right");
    let first = experiment.plan().initialize(1);
    let found = experiment.relative_residuals(&first).expect("numbers");
    let is_good = |found: &Option<f64>| found.is_some_and(|found| found.is_finite() && found > 0.0);
    assert!(found.iter().all(is_good), "{found:?}");
    let both = experiment.relative_residuals(&[&first[..], &experiment.plan().initialize(2)].concat());
    let both = both.expect("numbers");
    assert!(both.iter().all(is_good), "{both:?}");
    assert_ne!(both[0], found[0]);
    assert_eq!(both[1], found[1], "the start is in the first window; inside it counts what was begun");
    let elsewhere = experiment.on(Device::Reference, Precision::F32);
    assert_eq!(elsewhere.relative_residuals(&first).expect("numbers"), found);
}
