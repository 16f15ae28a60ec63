//! Coordinates that are not Cartesian, and sources at points.

use crate::parse::mistakes::reject;
use equation::expression::{Leaf, evaluate};
use equation::parse::parse;
use equation::problem::Problem;

fn good(text: &str) -> Problem {
    parse(text).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("file")))
}

/// A file whose only equation asks for an operator of known functions.
fn file(domain: &str, equation: &str) -> String {
    let [left, right] = [0, 1].map(|side| equation.split(" = ").nth(side).expect("two sides"));
    format!(
        "[domain]\n{domain}\n[functions]\nleft = \"{left}\"\nright = \"{right}\"\n[unknowns]\nu = {{}}\n[equations]\na = \"u = left - right\"\n[conditions]\nb = {{ on = \"boundary\", equation = \"u = 0\" }}\n"
    )
}

/// The difference of both sides at a place.
fn difference(domain: &str, equation: &str, place: &[f64]) -> f64 {
    let problem = good(&file(domain, equation));
    let residual = problem.equations[0].residual;
    evaluate(&problem.pool, residual, &|leaf: Leaf| match leaf {
        Leaf::Coordinate(axis) => place[usize::from(axis)],
        _ => 0.0,
    })
}

const POLAR: &str = "system = \"polar\"\nr = [1, 2]\na = [0, 6]";
const ROUND: &str = "system = \"axisymmetric\"\nt = [0, 1]\nr = [0, 2]\nz = [0, 1]";
const PIPE: &str = "system = \"cylindrical\"\nr = [1, 2]\na = [0, 6]\nz = [0, 1]";
const BALL: &str = "system = \"spherical\"\nr = [1, 2]\na = [0.1, 3]\nb = [0, 6]";
const SHELL: &str = "system = \"spherical\"\nr = [1, 2]\na = [0.1, 3]";
const RADIAL: &str = "system = \"spherical\"\nr = [1, 2]";

#[test]
fn operators_are_those_of_straight_coordinates() {
    // x = r cos a and so on: Δ(x³) = 6x, Δ(x·z) = 0, and what is harmonic stays so.
    let polar: [&str; 4] = [
        "laplacian((r*cos(a))^3) = 6*r*cos(a)",
        "laplacian(log(r)) = 0",
        "div(grad(r^2*sin(2*a))) = 0",
        "div([r*cos(a)^2, -r*cos(a)*sin(a)]) = 1",
    ];
    for equation in polar {
        assert!(difference(POLAR, equation, &[1.3, 0.7]).abs() < 1e-12, "{equation}");
    }
    for equation in ["laplacian(r^2 + t*z^2) = 4 + 2*t", "div([r*z, z^2]) = 4*z", "div(grad(r^4)) = 16*r^2"] {
        assert!(difference(ROUND, equation, &[0.4, 1.3, 0.7]).abs() < 1e-12, "{equation}");
    }
    assert!(difference(PIPE, "laplacian(r*cos(a)*z^2) = 2*r*cos(a)", &[1.3, 0.7, 0.2]).abs() < 1e-12);
    for equation in
        ["laplacian((r*sin(a)*cos(b))^3) = 6*r*sin(a)*cos(b)", "div([r, 0, 0]) = 3", "laplacian(1/r) = 0"]
    {
        assert!(difference(BALL, equation, &[1.3, 0.7, 0.2]).abs() < 1e-11, "{equation}");
    }
    assert!(difference(SHELL, "laplacian((r*cos(a))^2) = 2", &[1.3, 0.7]).abs() < 1e-12);
    assert!(difference(RADIAL, "laplacian(r^2) = 6", &[1.3]).abs() < 1e-12);
}

#[test]
fn integrals_count_what_is_left_out() {
    let whole = |domain: &str, quantity: &str| {
        let text = file(domain, "r = r");
        let problem = good(&format!("{text}[quantities]\nasked = '{quantity}'\n"));
        let over = &problem.quantities[0].integrals[0].over;
        over.nodes(&problem.domain, &problem.pool, 8).iter().map(|node| node.weight).sum::<f64>()
    };
    let pi = std::f64::consts::PI;
    for (domain, quantity, exact) in [
        (POLAR, r#"integral(1, "inside")"#, 6.0 * 1.5),
        (POLAR, r#"integral(1, "r = 2")"#, 12.0),
        (ROUND, r#"integral(1, "inside")"#, 4.0 * pi),
        (ROUND, r#"integral(1, "z = 1")"#, 4.0 * pi),
        (RADIAL, r#"integral(1, "inside")"#, 4.0 / 3.0 * pi * 7.0),
        (RADIAL, r#"integral(1, "boundary")"#, 4.0 * pi * 5.0),
    ] {
        assert!((whole(domain, quantity) - exact).abs() < 1e-9, "{quantity}: {}", whole(domain, quantity));
    }
}

#[test]
fn mistakes_in_systems_are_explained() {
    let refused = |domain: &str, equation: &str| reject(&file(domain, equation)).list()[0].message.clone();
    assert_eq!(refused("system = \"polr\"\nr = [0, 1]", "r = r"), "unknown value `polr`");
    assert_eq!(
        refused("system = \"axisymmetric\"\nr = [0, 1]", "r = r"),
        "axisymmetric coordinates are a distance from the axis and a place along it: there are 1"
    );
    assert_eq!(
        refused("system = \"polar\"\nr = [-1, 1]", "r = r"),
        "`r` is a radius of polar coordinates, and begins at -1"
    );
    assert_eq!(refused(POLAR, "curl([r, a]) = 0"), "`curl` in polar coordinates");
    assert_eq!(
        refused(POLAR, "dot(laplacian([r, a]), [1, 0]) = 0"),
        "`laplacian` of a vector in polar coordinates"
    );
}

#[test]
fn a_source_has_unit_strength() {
    let domain = "x = [0, 1]\ny = [0, 1]";
    let count = 200;
    let at = |index: usize| (index as f64 + 0.5) / count as f64;
    let sum = |source: &str| {
        let problem = good(&file(domain, &format!("{source} = 0")));
        let residual = problem.equations[0].residual;
        let value = |x: f64, y: f64| {
            -evaluate(&problem.pool, residual, &|leaf: Leaf| match leaf {
                Leaf::Coordinate(0) => x,
                Leaf::Coordinate(_) => y,
                _ => 0.0,
            })
        };
        let all = (0..count * count).map(|index| value(at(index / count), at(index % count)));
        all.sum::<f64>() / (count * count) as f64
    };
    assert!((sum("dirac([x - 0.3, y - 0.6], 0.03)") - 1.0).abs() < 1e-9);
    assert!((sum("dirac(x - 0.3, 0.03)") - 1.0).abs() < 1e-9);
    let message = reject(&file(domain, "dirac(x, 0) = 0")).list()[0].message.clone();
    assert_eq!(message, "the width of a source is a positive number");
}

const REGIONS: &str = r#"
[domain]
x = [0, 1]
y = [0, 1]
[regions]
core = "disk([0.5, 0.5], 0.2)"
[unknowns]
u = {}
[equations]
a = "laplacian(u) = core"
[conditions]
walls = { on = "boundary", equation = "u = 0" }
meet = { on = "interface", equations = ["jump(u) = 0", "jump(dn(u)) = 0"] }
"#;

#[test]
fn mistakes_in_regions_are_explained() {
    good(REGIONS);
    let refused = |from: &str, to: &str| {
        let mistakes = reject(&REGIONS.replace(from, to));
        let [found] = mistakes.list() else { panic!("{}", mistakes.render("file")) };
        found.message.clone()
    };
    assert_eq!(
        refused("disk([0.5, 0.5], 0.2)", "star([0.5, 0.5], 0.3, 0.1, 5)"),
        "a region is made of parts whose insides are inequalities"
    );
    assert_eq!(
        refused("disk([0.5, 0.5], 0.2)", "interval(0, 1)"),
        "this region has 1 dimensions, and space has 2"
    );
    assert_eq!(
        refused("on = \"boundary\", equation = \"u = 0\"", "on = \"boundary\", equation = \"jump(u) = 0\""),
        "`jump` needs an interface"
    );
    assert_eq!(refused("\nmeet", "\nx = 1\nmeet"), "expected a table, found an integer");
    assert!(
        reject(&REGIONS.replace("core = \"disk", "u = \"disk"))
            .render("file")
            .contains("`u` is declared twice")
    );
}
