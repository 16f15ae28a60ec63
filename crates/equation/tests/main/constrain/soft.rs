//! How a file keeps its conditions as penalties.

use super::pair;
use equation::expression::{Leaf, evaluate};

const HEAT: &str = "[domain]\nt = [0, 1]\nx = [0, 1]\n[unknowns]\nu = {}\nv = {}\n[ansatz]\n[equations]\n\
    heat = \"u_t = u_xx\"\nother = \"v_t = v_xx\"\n[conditions]\n\
    start = { on = \"t = 0\", equation = \"u = 0\" }\nother = { on = \"t = 0\", equation = \"v = 0\" }\n\
    walls = { on = \"boundary\", equations = [\"dn(u) = 0\", \"dn(v) = 0\"] }\n[training]\n";

#[test]
fn for_the_whole_file() {
    let off = pair(&format!("{HEAT}hard_constraints = \"off\"\n"));
    assert_eq!(off.constrained.conditions.len(), 3);
    assert!(off.constrained.unknowns.iter().all(|unknown| unknown.ansatz.is_none()));
    assert!(off.treatments().is_empty());
    let auto = pair(&format!("{HEAT}hard_constraints = \"auto\"\n"));
    assert_eq!(auto.treatments()[..2], ["start: exact", "other: exact"]);
}

#[test]
fn for_one_unknown() {
    let pair = pair(&HEAT.replacen("u = {}", "u = { hard_constraints = \"off\" }", 1));
    let said = ["start: hard constraints are off for u", "other: exact"];
    assert_eq!(pair.treatments()[..2], said);
    assert!(pair.constrained.unknowns[0].ansatz.is_none());
}

#[test]
fn an_ansatz_of_the_file_wins() {
    for (ansatz, printed) in [("1 + x*N", "x*N + 1"), ("where(N > 1, N, N + 1)", "where(N > 1, N, N + 1)")] {
        let pair = pair(&HEAT.replace("[ansatz]", &format!("[ansatz]\nu = \"{ansatz}\"")));
        assert_eq!(pair.treatments()[..2], ["start: u has an ansatz of its own", "other: exact"]);
        assert_eq!(pair.ansatz(0), printed);
        assert_eq!(pair.constrained.conditions[0].name, "start");
    }
}

#[test]
fn what_the_network_is_added_to_stays_as_the_file_has_it() {
    let added = HEAT.replace("[ansatz]", "[ansatz]\nu = \"1 + 2*N\"");
    assert_eq!(pair(&added).treatments()[..2], ["start: exact", "other: exact"]);
    let off = pair(&added.replacen("u = {}", "u = { hard_constraints = \"off\" }", 1));
    assert_eq!(off.treatments()[0], "start: hard constraints are off for u");
    assert_eq!(off.ansatz(0), "2*N + 1");
}

/// A plate with one hot edge beside three cold ones: the temperature jumps in two corners.
const PLATE: &str = "[domain]\nx = [0, 1]\ny = [0, 1]\n[functions]\ndepth = \"1 - y\"\n\
    jump = \"2/pi*(atan(x/(depth + 1e-12)) + atan((1 - x)/(depth + 1e-12))) - 1\"\n\
    [unknowns]\nT = {}\n[equations]\nheat = \"laplacian(T) = 0\"\n[ansatz]\nT = \"jump + N\"\n[conditions]\n\
    cold = { on = \"x = 0, x = 1, y = 0\", equation = \"T = 0\" }\nhot = { on = \"y = 1\", equation = \"T = 1\" }\n";

#[test]
fn a_condition_that_the_added_part_meets_but_in_corners_holds_and_is_said_to() {
    let added = pair(PLATE);
    assert_eq!(added.treatments(), ["cold: exact", "hot: exact"]);
    let problem = &added.constrained;
    let ansatz = problem.unknowns[0].ansatz.expect("an ansatz");
    let at = |place: [f64; 2]| {
        evaluate(&problem.pool, ansatz, &|leaf| match leaf {
            Leaf::Coordinate(axis) => place[usize::from(axis)],
            _ => 7.0,
        })
    };
    for share in [0.01, 0.3, 0.9] {
        assert!((at([share, 1.0]) - 1.0).abs() < 1e-9, "hot at {share}: {}", at([share, 1.0]));
        for cold in [[0.0, share], [1.0, share], [share, 0.0]] {
            assert!(at(cold).abs() < 1e-9, "cold at {cold:?}: {}", at(cold));
        }
    }
    // What it meets on half of the edge only stays a contradiction.
    let half = pair(&PLATE.replace("T = 1\"", "T = where(x < 0.5, 1, 2)\""));
    assert!(half.treatments()[1] != "hot: exact", "{:?}", half.treatments());
    let without = pair(&PLATE.replace("[ansatz]\nT = \"jump + N\"\n", ""));
    assert!(without.treatments()[1].starts_with("hot: it requires T = 1 at"), "{:?}", without.treatments());
}

#[test]
fn conditions_that_are_stated_twice_agree_or_one_gives_way() {
    let twice = |value: &str| {
        pair(&HEAT.replace(
            "other = { on = \"t = 0\"",
            &format!("again = {{ on = \"t = 0\", equation = \"3*u = {value}\" }}\nother = {{ on = \"t = 0\""),
        ))
    };
    assert_eq!(twice("0").treatments()[..2], ["start: exact", "again: exact"]);
    let refused = twice("3*x").treatments();
    assert_eq!(
        refused[..2],
        ["start: exact", "again: it requires u = 1 at (0, 1), where `start` requires 0"]
    );
}

#[test]
fn fields_that_are_large_or_small_are_computed_in_units_of_their_size() {
    let with = |value: &str, more: &str| {
        pair(&format!(
            "{}{more}",
            HEAT.replacen("equation = \"u = 0\"", &format!("equation = \"{value}\""), 1)
        ))
    };
    // A power of two, so that nothing is rounded: the nearest of 300.
    let hot = with("u = 300*cos(pi*x)", "");
    assert_eq!((hot.constrained.unknowns[0].unit, hot.constrained.unknowns[1].unit), (256.0, 1.0));
    assert!(hot.check_exact(1e-10) > 0);
    let said = equation::problem::report(&hot.constrained);
    let line = "u is scaled by 256, the size of conditions and sources";
    assert!(said.iter().any(|said| said == line), "{said:?}");
    let soft = with("u = 300*cos(pi*x)", "hard_constraints = \"off\"\n");
    assert_eq!(soft.ansatz(0), "256*N");
    let small = with("2*u = 1e-9", "hard_constraints = \"off\"\n");
    assert_eq!(small.constrained.unknowns[0].unit, 2f64.powi(-31));
    for ordinary in ["u = 7*x", "u = 0.2", "u = 0", "u^2 = 1e9", "u = 1/x"] {
        assert_eq!(with(ordinary, "").constrained.unknowns[0].unit, 1.0, "{ordinary}");
    }
}

#[test]
fn sources_may_make_more_of_a_field_than_its_conditions() {
    let unit = |source: &str| {
        let tiny = HEAT.replacen("equation = \"u = 0\"", "equation = \"u = 1e-9\"", 1);
        let driven = tiny.replacen("u_t = u_xx", &format!("u_t = u_xx + {source}"), 1);
        pair(&driven).constrained.unknowns[0].unit
    };
    assert_eq!(unit("0"), 2f64.powi(-30));
    // A field that varies over half a box of length one has second derivatives four times its size, and slopes twice.
    assert_eq!(unit("6e-3*x"), 2f64.powi(-8));
    assert_eq!(unit("200*exp(-50*x)"), 1.0);
}

#[test]
fn starts_of_what_swings_many_times_stay_penalties() {
    let swinging = |end: u32, ansatz: &str| {
        pair(&format!(
            "[domain]\nt = [0, {end}]\n[unknowns]\nu = {{}}\n{ansatz}[equations]\nmotion = \"u_tt + 16*u = 0\"\n\
            [conditions]\nstart = {{ on = \"t = 0\", equation = \"u = 1\" }}\n\
            rest = {{ on = \"t = 0\", equation = \"u_t = 0\" }}\n[training]\nwindows = 1\n"
        ))
    };
    assert_eq!(swinging(2, "").treatments(), ["start: exact", "rest: exact"]);
    let reason = "the field changes rapidly: many oscillations over the time interval";
    let long = swinging(20, "");
    assert_eq!(long.treatments(), [format!("start: {reason}"), format!("rest: {reason}")]);
    assert!(long.constrained.unknowns[0].ansatz.is_none());
    // What the file says of the solution stays.
    assert_eq!(swinging(20, "[ansatz]\nu = \"t^2 + N\"\n").ansatz(0), "t^2 + N");
}
