//! How a file keeps its conditions as penalties.

use super::pair;

const HEAT: &str = "[domain]\nt = [0, 1]\nx = [0, 1]\n[unknowns]\nu = {}\nv = {}\n[ansatz]\n[equations]\n\
    heat = \"u_t = u_xx\"\nother = \"v_t = v_xx\"\n[conditions]\n\
    start = { on = \"t = 0\", equation = \"u = 0\" }\nother = { on = \"t = 0\", equation = \"v = 0\" }\n\
    walls = { on = \"boundary\", equations = [\"dn(u) = 0\", \"dn(v) = 0\"] }\n[training]\n";

#[test]
fn for_the_whole_file() {
    let off = pair(&format!("{HEAT}hard_constraints = \"off\"\n"));
    assert_eq!(off.constrained.conditions.len(), 3);
    assert!(off.constrained.unknowns.iter().all(|unknown| unknown.ansatz.is_none()));
    assert!(off.outcomes().is_empty());
    let auto = pair(&format!("{HEAT}hard_constraints = \"auto\"\n"));
    assert_eq!(auto.outcomes()[..2], ["start: exact", "other: exact"]);
}

#[test]
fn for_one_unknown() {
    let pair = pair(&HEAT.replacen("u = {}", "u = { hard_constraints = \"off\" }", 1));
    let said = ["start: hard constraints are off for u", "other: exact"];
    assert_eq!(pair.outcomes()[..2], said);
    assert!(pair.constrained.unknowns[0].ansatz.is_none());
}

#[test]
fn an_ansatz_of_the_file_wins() {
    let pair = pair(&HEAT.replace("[ansatz]", "[ansatz]\nu = \"1 + 2*N\""));
    assert_eq!(pair.outcomes()[..2], ["start: u has an ansatz of its own", "other: exact"]);
    assert_eq!(pair.ansatz(0), "2*N + 1");
    assert_eq!(pair.constrained.conditions[0].name, "start");
}

#[test]
fn conditions_that_are_stated_twice_agree_or_one_gives_way() {
    let twice = |value: &str| {
        pair(&HEAT.replace(
            "other = { on = \"t = 0\"",
            &format!("again = {{ on = \"t = 0\", equation = \"u = {value}\" }}\nother = {{ on = \"t = 0\""),
        ))
    };
    assert_eq!(twice("x - x").outcomes()[..2], ["start: exact", "again: exact"]);
    let refused = twice("x").outcomes();
    assert_eq!(
        refused[..2],
        ["start: exact", "again: it asks for u = 1 at (0, 1), where `start` asks for 0"]
    );
}
