//! Conditions on the boundaries of shapes.

use super::{Pair, pair};
use equation::expression::{Derivative, Leaf};
use equation::taylor::plan;

/// A problem of one unknown on a shape in the plane.
fn on(geometry: &str, conditions: &str) -> Pair {
    pair(&format!(
        "[domain]\nx = [0, 2]\ny = [0, 1]\n[geometry]\n{geometry}\n[unknowns]\nu = {{}}\n\
         [equations]\na = \"laplacian(u) = 1\"\n[conditions]\n{conditions}\n[network]\nwidth = 6\ndepth = 2\n"
    ))
}

const PLATE: &str = "plate = \"rectangle([0, 0], [2, 1])\"\nhole = \"disk([0.6, 0.5], 0.2)\"\nbar = \"ellipse([1.4, 0.5], [0.3, 0.1])\"\n\
                     shape = \"plate - hole - bar\"";

#[test]
fn values_on_walls_and_holes_hold_exactly_whatever_the_network_says() {
    let zero = on(PLATE, "walls = { on = \"boundary\", equation = \"u = 0\" }");
    assert_eq!(zero.treatments(), ["walls: exact"]);
    assert_eq!(zero.check_exact(1e-12), 1);
    assert_eq!(zero.ansatz(0), "N*phi_u", "nothing is prescribed but zero");
    let others = on(
        PLATE,
        "walls = { on = \"plate\", equation = \"u = x*(1 + y)\" }\nhole = { on = \"hole\", equation = \"u = sin(x) + y\" }\n\
         bar = { on = \"bar\", equation = \"u = 2\" }",
    );
    assert_eq!(others.treatments(), ["walls: exact", "hole: exact", "bar: exact"]);
    assert_eq!(others.check_exact(1e-11), 3);
}

#[test]
fn walls_a_hole_and_a_start_hold_together_where_they_agree() {
    let heat = |start: &str| {
        pair(&format!(
            "[domain]\nt = [0, 1]\nx = [0, 2]\ny = [0, 1]\n[geometry]\nplate = \"rectangle([0, 0], [2, 1])\"\nhole = \"disk([0.6, 0.5], 0.2)\"\n\
             shape = \"plate - hole\"\n[unknowns]\nu = {{}}\n[equations]\na = \"u_t = laplacian(u)\"\n[conditions]\n\
             start = {{ on = \"t = 0\", equation = \"{start}\" }}\nwalls = {{ on = \"plate\", equation = \"u = 0\" }}\n\
             hole = {{ on = \"hole\", equation = \"u = t\" }}\n[network]\nwidth = 6\ndepth = 2\n"
        ))
    };
    let agree = heat("u = x*(2 - x)*y*(1 - y)*((x - 0.6)^2 + (y - 0.5)^2 - 0.04)");
    assert_eq!(agree.treatments(), ["start: exact", "walls: exact", "hole: exact"]);
    assert_eq!(agree.check_exact(1e-11), 3);
    let clash = heat("u = x*(2 - x)*y*(1 - y)");
    let said = clash.treatments();
    assert!(
        said[0].starts_with("start: it requires u = ") && said[0].contains("where `hole` requires 0"),
        "{said:?}"
    );
    assert_eq!(said[1..], ["walls: exact", "hole: exact"]);
}

#[test]
fn what_no_smooth_function_can_hold_stays_a_penalty_and_says_why() {
    let corner = on(
        "shape = \"rectangle([0, 0], [2, 1]) - rectangle([1, 0.5], [2, 1])\"",
        "walls = { on = \"boundary\", equation = \"u = 0\" }",
    );
    let said = corner.treatments();
    assert!(said[0].contains("passes through the inside of the shape"), "{said:?}");
    let touching = on(
        "shape = \"rectangle([0, 0], [2, 1]) - disk([0, 0], 0.5)\"",
        "walls = { on = \"rectangle1\", equation = \"u = 0\" }\nhole = { on = \"disk1\", equation = \"u = 1\" }",
    );
    let said = touching.treatments();
    assert!(said[1].contains("other values are prescribed on the boundary that `disk1` meets"), "{said:?}");
    let flux = on(
        PLATE,
        "walls = { on = \"plate\", equation = \"u = 0\" }\nhole = { on = \"hole, bar\", equation = \"dn(u) = 1\" }",
    );
    assert!(flux.treatments()[1].contains("does not prescribe the value"), "{:?}", flux.treatments());
}

const KITE: &str = "kite = \"polygon([[0.1, 0.1], [1.9, 0.2], [1.5, 0.9], [0.4, 0.8]])\"\nshape = \"kite\"";

/// A condition for each side of the polygon: what they prescribe agrees in the corners if `last` is right.
fn sides(last: &str) -> String {
    format!(
        "a = {{ on = \"kite.side1\", equation = \"u = sin(3*x)*y\" }}\nb = {{ on = \"kite.side2\", equation = \"u = sin(3*x)*y + (x - 1.9)*(y - 0.9)\" }}\n\
         c = {{ on = \"kite.side3\", equation = \"u = sin(3*x)*y + (x - 1.5)*(x - 0.4)*exp(y)\" }}\nd = {{ on = \"kite.side4\", equation = \"{last}\" }}"
    )
}

#[test]
fn sides_of_a_convex_polygon_hold_exactly_whatever_each_of_them_prescribes() {
    let case = on(KITE, &sides("u = sin(3*x)*y + (y - 0.1)*(y - 0.8)*cos(x)"));
    assert_eq!(case.treatments(), ["a: exact", "b: exact", "c: exact", "d: exact"]);
    assert_eq!(case.check_exact(1e-11), 4);
    // Without one of them, and with a hole beside.
    let three = sides("u_x = 1");
    let hole = format!("{}\nhole = {{ on = \"hole\", equation = \"u = 1 + x\" }}", three);
    let case = on(
        &KITE.replace("shape = \"kite\"", "hole = \"disk([1, 0.5], 0.1)\"\nshape = \"kite - hole\""),
        &hole,
    );
    let said = case.treatments();
    assert_eq!(said.iter().filter(|treatment| treatment.ends_with("exact")).count(), 4, "{said:?}");
    assert_eq!(case.check_exact(1e-11), 4);
    let clash = on(KITE, &sides("u = 7"));
    assert!(
        clash.treatments().iter().any(|said| said.contains("other values are prescribed")),
        "{:?}",
        clash.treatments()
    );
}

#[test]
fn an_ansatz_on_a_polygon_knows_a_condition_at_its_sides_only() {
    let solution = "u = sin(3*x)*exp(y)";
    let case = on(KITE, &format!("walls = {{ on = \"boundary\", equation = \"{solution}\" }}"));
    assert_eq!(case.check_exact(1e-11), 1);
    let inside = at(&case, "g_u", [1.0, 0.5]);
    let value = (3.0_f64).sin() * (0.5_f64).exp();
    assert!((inside - value).abs() > 1e-3, "{inside} is the formula's own value inside");
}

#[test]
fn second_derivatives_of_an_ansatz_are_bounded_at_every_corner() {
    let cases = [
        on(PLATE, "walls = { on = \"boundary\", equation = \"u = 0\" }"),
        on(
            "shape = \"polygon([[0.1, 0.1], [1.9, 0.2], [1.5, 0.9], [0.4, 0.8]])\"",
            "walls = { on = \"boundary\", equation = \"u = 0\" }",
        ),
        on(
            "shape = \"rectangle([0, 0], [2, 1]) - disk([0, 0], 0.5)\"",
            "walls = { on = \"boundary\", equation = \"u = 0\" }",
        ),
        on(KITE, &sides("u = sin(3*x)*y + (y - 0.1)*(y - 0.8)*cos(x)")),
    ];
    for case in cases {
        assert!(
            case.treatments().iter().all(|treatment| treatment.ends_with("exact")),
            "{:?}",
            case.treatments()
        );
        let mut problem = case.constrained.clone();
        let formulas: Vec<_> = problem.given.iter().filter_map(|given| given.formula()).collect();
        assert!(problem.given.iter().any(|given| given.name == "phi_u"));
        for formula in formulas {
            let second = [0, 1].map(|axis| {
                let slope = problem.pool.differentiate(formula, axis);
                problem.pool.differentiate(slope, axis)
            });
            let laplacian = problem.pool.sum(&second);
            let corners =
                [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.1, 0.1], [1.5, 0.9], [0.5, 0.0], [0.0, 0.5]];
            for [x, y] in corners {
                for [dx, dy] in [[1e-8, 1e-8], [1e-8, 3e-8], [-1e-8, -1e-8]] {
                    let place = [x + dx, y + dy];
                    let value: f64 =
                        equation::expression::evaluate(&problem.pool, laplacian, &|leaf| match leaf {
                            Leaf::Coordinate(axis) => place[usize::from(axis)],
                            other => panic!("{other:?}"),
                        });
                    assert!(value.abs() < 1e3, "{value} at {place:?}");
                }
            }
        }
    }
}

#[test]
fn an_ansatz_on_a_shape_costs_a_few_columns_and_hardly_any_instruction() {
    let zero = on(PLATE, "walls = { on = \"boundary\", equation = \"u = 0\" }");
    let plan = plan(&zero.constrained).expect("a plan");
    let interior = &plan.terms[0];
    // The value, two slopes, two second derivatives.
    assert_eq!(interior.row.given, 5);
    assert!(interior.residual.instructions.len() < 30, "{}", interior.residual.instructions.len());
    assert_eq!(Derivative::MAX_ORDER, 4);
}

/// A function of x and y at a place.
fn at(case: &Pair, name: &str, place: [f64; 2]) -> f64 {
    let problem = &case.constrained;
    let formula = problem
        .given
        .iter()
        .find(|given| given.name == name)
        .expect("the function")
        .formula()
        .expect("a formula");
    equation::expression::evaluate(&problem.pool, formula, &|leaf| match leaf {
        Leaf::Coordinate(axis) => place[usize::from(axis)],
        other => panic!("{other:?}"),
    })
}

#[test]
fn many_holes_leave_phi_of_order_one_between_them() {
    let sieve = on(
        "holes = \"repeat(repeat(disk([0.2, 0.2], 0.05), [0.2, 0], 9), [0, 0.2], 4)\"\n\
         shape = \"rectangle([0, 0], [2, 1]) - holes\"",
        "all = { on = \"boundary\", equation = \"u = 0\" }",
    );
    assert_eq!(sieve.treatments(), ["all: exact"]);
    let values: Vec<f64> =
        (0..9).map(|hole| at(&sieve, "phi_u", [0.1 + 0.2 * f64::from(hole), 0.5])).collect();
    let largest = values.iter().copied().fold(0.0, f64::max);
    assert!((0.3..3.0).contains(&largest), "{values:?}");
    assert!(values.iter().skip(1).all(|value| *value > 0.05), "{values:?}");
}

#[test]
fn data_that_are_no_numbers_beyond_a_cut_are_not_continued_from_a_side_that_it_shares() {
    // The root has no value for y below 0.45: cut away, but the face of the box goes on there.
    let cut = on(
        "plate = \"rectangle([0, 0], [2, 1])\"\ncut = \"rectangle([1, 0], [2, 0.5])\"\nshape = \"plate - cut\"",
        "side = { on = \"x = 2\", equation = \"u = sqrt(y - 0.45)\" }\nrest = { on = \"cut\", equation = \"dn(u) = 0\" }",
    );
    assert!(!cut.treatments()[0].ends_with("exact"), "{:?}", cut.treatments());
    let domain = &cut.constrained.domain;
    assert!(domain.covers(&[2.0, 0.75]) && domain.covers(&[2.0, 0.5]) && domain.covers(&[1.0, 0.25]));
    assert!(!domain.covers(&[2.0, 0.25]) && !domain.covers(&[1.5, 0.0]) && !domain.covers(&[2.0, 0.0]));
}

#[test]
fn conditions_hold_exactly_on_a_shape_of_every_size() {
    let family = |hole: &str| {
        pair(&format!(
            "[domain]\nx = [-1, 1]\ny = [-1, 1]\na = {{ range = [0.2, 0.6], parameter = true }}\n[geometry]\nouter = \"disk([0, 0], 1)\"\n\
             inner = \"{hole}\"\nshape = \"outer - inner\"\n[unknowns]\nu = {{}}\n[equations]\nb = \"laplacian(u) = a\"\n\
             [conditions]\nwarm = {{ on = \"inner\", equation = \"u = x + a\" }}\ncold = {{ on = \"outer\", equation = \"u = a*y\" }}\n\
             [network]\nwidth = 6\ndepth = 2\n"
        ))
    };
    for hole in
        ["disk([0, 0], a)", "ellipse([a/4, 0], [a, 0.3])", "rotate(rectangle([-a/2, -0.1], [a/2, 0.1]), a)"]
    {
        let case = family(hole);
        let said = case.treatments();
        if hole.starts_with("rotate") {
            // Sides of a hole go on inside.
            assert!(said[0].contains("passes through the inside"), "{said:?}");
            continue;
        }
        assert_eq!(said, ["warm: exact", "cold: exact"], "{hole}");
        assert_eq!(case.check_exact(1e-11), 2);
    }
}
