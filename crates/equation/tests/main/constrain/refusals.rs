//! Conditions that stay penalties, each for its own reason.

use super::{TOLERANCE, pair};
use equation::problem::PenaltyReason;

/// Burgers with other conditions and whatever else follows them.
fn burgers(conditions: &str) -> String {
    format!(
        "[domain]\nt = [0, 1]\nx = {{ range = [-1, 1], open = true }}\n[unknowns]\nu = {{}}\n\
         [equations]\nburgers = \"u_t + u*u_x = 0.01*u_xx\"\n[conditions]\n{conditions}\n"
    )
}

const START: &str = "start = { on = \"t = 0\", equation = \"u = -sin(pi*x)\" }";
const WALLS: &str = "walls = { on = \"x = -1, x = 1\", equation = \"u = 0\" }";

#[test]
fn the_lid_of_a_cavity_gives_way_to_its_walls() {
    let cavity = |lid: &str| {
        pair(&format!(
            "[domain]\nx = [0, 1]\ny = [0, 1]\n[unknowns]\nu = {{}}\nv = {{}}\np = {{}}\n[equations]\n\
             x = \"u*u_x + v*u_y + p_x = 0.01*laplacian(u)\"\ny = \"u*v_x + v*v_y + p_y = 0.01*laplacian(v)\"\n\
             mass = \"u_x + v_y = 0\"\n[conditions]\n\
             walls = {{ on = \"x = 0, x = 1, y = 0\", equations = [\"u = 0\", \"v = 0\"] }}\n\
             lid = {{ on = \"y = 1\", equations = [\"u = {lid}\", \"v = 0\"] }}\n\
             level = {{ on = \"x = 0 and y = 0\", equation = \"p = 0\" }}\n"
        ))
    };
    let moved = cavity("1");
    let treatments = [
        "walls: exact",
        "walls: exact",
        "lid: it requires u = 1 at (0, 1), where `walls` requires 0",
        "lid: exact",
        "level: it does not hold on whole faces of the box",
    ];
    assert_eq!(moved.treatments(), treatments);
    assert_eq!(moved.check_exact(TOLERANCE), 3);
    let left: Vec<&str> =
        moved.constrained.conditions.iter().map(|it| it.equations[0].text.as_str()).collect();
    assert_eq!(left, ["u = 1", "p = 0"], "penalties keep their terms, and only they");
    let regular = cavity("4*x*(1 - x)");
    assert_eq!(regular.check_exact(TOLERANCE), 4);
    assert_eq!(regular.reason(), PenaltyReason::Partial);
}

#[test]
fn a_start_that_does_not_meet_the_walls_gives_way() {
    let pair =
        pair(&burgers(&format!("start = {{ on = \"t = 0\", equation = \"u = cos(pi*x)\" }}\n{WALLS}")));
    let said = ["start: it requires u = -1 at (0, -1), where `walls` requires 0", "walls: exact"];
    assert_eq!(pair.treatments(), said);
    assert_eq!(pair.check_exact(TOLERANCE), 1);
}

#[test]
fn a_velocity_that_moves_a_wall_gives_way() {
    let pair = pair(
        "[domain]\nt = [0, 1]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\nwave = \"u_tt = u_xx\"\n\
         [conditions]\nstart = { on = \"t = 0\", equations = [\"u = 0\", \"u_t = cos(pi*x)\"] }\n\
         walls = { on = \"boundary\", equation = \"u = 0\" }\n",
    );
    let said =
        ["start: exact", "start: it requires u_t = 1 at (0, 0), where `walls` requires 0", "walls: exact"];
    assert_eq!(pair.treatments(), said);
}

#[test]
fn what_is_not_smooth_around_a_periodic_coordinate_is_not_built_in() {
    let allen_cahn = pair(
        "[domain]\nt = [0, 1]\nx = [-1, 1]\n[unknowns]\nu = {}\n\
         [equations]\nallen_cahn = \"u_t = 0.0001*u_xx + 5*u - 5*u^3\"\n\
         [conditions]\nstart = { on = \"t = 0\", equation = \"u = x^2*cos(pi*x)\" }\n\
         [network]\nperiodic = [\"x\"]\n",
    );
    let wrapped = pair(&burgers(
        "start = { on = \"t = 0\", equation = \"u = x^2\" }\nwrap = { periodic = \"x\", fields = \"u\" }",
    ));
    assert!(
        matches!(wrapped.treatments()[0].split_once("jumps"), Some((_, rest)) if rest.ends_with("from 2 to -2"))
    );
    let said = "start: the derivative of its data along x jumps at the ends of the periodic x, from -2 to 2";
    assert_eq!(allen_cahn.treatments(), [said]);
    let wall = pair(
        &burgers(&format!("{START}\n{WALLS}"))
            .replace("[conditions]", "[network]\nperiodic = [\"x\"]\n[conditions]"),
    );
    assert_eq!(wall.treatments(), ["start: exact", "walls: x is periodic and has no ends"]);
}

#[test]
fn every_other_reason_is_told() {
    let table: [(&str, &str); 12] = [
        ("start = { on = \"t = 0\", equation = \"u = abs(x) - 1\" }", "its data may have kinks"),
        ("start = { on = \"t = 0\", equation = \"u = where(x < 0, 0, 1)\" }", "its data may have kinks"),
        (
            "start = { on = \"t = 0\", equation = \"u = sqrt(1 + x)\" }",
            "the derivative of its data along x is not finite at (0, -1)",
        ),
        (
            "start = { on = \"t = 0\", equation = \"u = 1/x\" }",
            "the prescribed value is not finite at (0, 0)",
        ),
        (
            "start = { on = \"t = 0\", equation = \"u = u_x\" }",
            "it does not prescribe the value of one unknown",
        ),
        (
            "start = { on = \"t = 0\", equation = \"u^2 = 1\" }",
            "it does not prescribe the value of one unknown",
        ),
        (
            "start = { on = \"t = 0\", equation = \"where(u > 0, u, u + 1) = 1\" }",
            "it does not prescribe the value of one unknown",
        ),
        (
            "start = { on = \"t = 0 where x < 0\", equation = \"u = 0\" }",
            "it does not hold on whole faces of the box",
        ),
        (
            "start = { on = \"t = 0, x = 0.5\", equation = \"u = 0\" }",
            "it does not hold on whole faces of the box",
        ),
        (
            "start = { on = \"t = 0\", equation = \"u_t = 0\" }",
            "it prescribes a derivative where no hard constraint prescribes the value",
        ),
        (
            "start = { on = \"t = 0\", equation = \"u_x = 0\" }",
            "it does not prescribe the value of one unknown",
        ),
        (
            "start = { on = \"boundary\", equation = \"dn(u) = 0\" }",
            "it does not prescribe the value of one unknown",
        ),
    ];
    for (condition, reason) in table {
        // A second condition on the same face stays out of the way.
        let text = burgers(&format!("{condition}\nend = {{ on = \"t = 1\", equation = \"u_x = 0\" }}"));
        let treatments = pair(&text).treatments();
        assert_eq!(treatments[0], format!("start: {reason}"), "{condition}");
    }
    let wrapped = pair(&burgers(&format!("{START}\nwrap = {{ periodic = \"x\", fields = \"u\" }}")));
    assert_eq!(wrapped.reason(), PenaltyReason::Wrapped);
    let trained = burgers("start = { on = \"t = 0\", equation = \"u = a*(1 - x^2)\" }");
    let trained = pair(&trained.replace("[equations]", "[parameters]\na = 1\n[equations]"));
    assert_eq!(trained.reason(), PenaltyReason::Trained);
}

#[test]
fn data_in_many_dimensions_stay_penalties_unless_they_are_zero() {
    let poisson = |count: usize, data: &str| {
        pair(&format!(
            "[domain]\nx = {{ range = [0, 1], count = {count} }}\n[unknowns]\nu = {{}}\n\
             [equations]\npoisson = \"laplacian(u) = 1\"\n\
             [conditions]\nwalls = {{ on = \"boundary\", equation = \"u = {data}\" }}\n"
        ))
    };
    assert_eq!(poisson(4, "sum(i, cos(pi*x[i]))").reason(), PenaltyReason::TooManyAxes { axes: 4 });
    assert_eq!(poisson(5, "0").check_exact(TOLERANCE), 1);
    assert_eq!(poisson(7, "0").reason(), PenaltyReason::TooManyAxes { axes: 7 });
    assert_eq!(poisson(3, "exp(x1*x2*x3)").check_exact(TOLERANCE), 1);
}

#[test]
fn a_start_stays_exact_where_the_walls_are_too_many() {
    let pair = pair(
        "[domain]\nt = [0, 1]\nx = { range = [0, 1], count = 4 }\n[unknowns]\nu = {}\n\
         [equations]\nheat = \"u_t = laplacian(u)\"\n[conditions]\n\
         start = { on = \"t = 0\", equation = \"u = sum(i, x[i]^2)\" }\n\
         walls = { on = \"boundary\", equation = \"u = sum(i, x[i]^2) + 8*t\" }\n",
    );
    assert_eq!(pair.treatments()[0], "start: exact");
    assert_eq!(pair.check_exact(TOLERANCE), 1);
}

#[test]
fn an_ansatz_beyond_its_size_is_not_built() {
    let waves: Vec<String> = (1..200).map(|k| format!("sin({k}*x)*cos({k}*y)")).collect();
    let pair = pair(&format!(
        "[domain]\nx = [0, 1]\ny = [0, 1]\n[unknowns]\nu = {{}}\n[equations]\npoisson = \"laplacian(u) = 1\"\n\
         [conditions]\nwalls = {{ on = \"boundary\", equation = \"u = {}\" }}\n",
        waves.join(" + ")
    ));
    assert!(matches!(pair.reason(), PenaltyReason::TooLarge { nodes, limit: 400 } if nodes > 400));
}

#[test]
fn more_equations_than_anyone_writes_are_not_compared_two_by_two() {
    let many: String =
        (0..101).map(|k| format!("c{k} = {{ on = \"t = 0\", equation = \"u = {k}*x\" }}\n")).collect();
    let pair = pair(&burgers(&many));
    assert_eq!(pair.treatments()[0], "c0: 101 equations prescribe its unknown, more than 100");
    assert_eq!(pair.constrained.conditions.len(), 101);
}
