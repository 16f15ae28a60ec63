//! `[quantities]`, and integrals inside of equations: what is accepted, and what is said about mistakes.

use crate::parse::mistakes::reject;
use equation::expression::Leaf;
use equation::parse::parse;
use equation::problem::{IntegralRegion, Problem};

const CHANNEL: &str = r#"
[domain]
t = [0, 1]
x = [0, 2]
y = [0, 1]
[constants]
R = 0.1
[geometry]
cylinder = "disk([0.5, 0.5], R)"
shape = "rectangle([0, 0], [2, 1]) - cylinder"
[unknowns]
u = {}
p = {}
[equations]
a = "u_t = laplacian(u)"
b = "laplacian(p) = u"
[conditions]
start = { on = "t = 0", equation = "u = 0" }
walls = { on = "boundary", equations = ["u = 0", "dn(p) = 0"] }
"#;

fn good(text: &str) -> Problem {
    parse(text).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("file")))
}

#[test]
fn regions_are_pieces_places_and_all_of_space() {
    let problem = good(&format!(
        "{CHANNEL}{}",
        r#"
level = { equation = 'integral(p, "inside") = 0' }
[quantities]
drag = "20*integral(p*dn(x) - 0.01*dn(u), 'cylinder')"
lift = { formula = 'integral(p*dn(y), "cylinder where y > 0.5")', truth = "R/2" }
drop = 'at(p, [0.3, 0.5]) - at(p, [0.7, 0.5])'
early = 'at(p, [0, 0.3, 0.5])'
wave = 'exp(-t)*integral(u^2, "inside")'
"#
    ));
    let shapes: Vec<(usize, usize)> = problem
        .quantities
        .iter()
        .map(|quantity| (quantity.integrals.len(), quantity.integrals[0].over.axes(&problem.domain).len()))
        .collect();
    assert_eq!(shapes, [(1, 2), (1, 2), (2, 2), (1, 3), (1, 2)]);
    assert!(
        matches!(&problem.quantities[0].integrals[0].over, IntegralRegion::Pieces(pieces) if pieces.len() == 1)
    );
    assert_eq!(problem.quantities[1].truth, Some(0.05));
    let level = problem.conditions.iter().find(|condition| condition.name == "level").expect("a condition");
    assert!(level.elsewhere.len() > 20 && problem.elsewhere.is_empty());
    let leaves = problem.pool.leaves(&[level.equations[0].residual]);
    assert!(leaves.iter().all(|leaf| matches!(leaf, Leaf::Field(field) if field.site > 0)));
}

#[test]
fn a_rule_sums_its_region() {
    let problem = good(&format!("{CHANNEL}[quantities]\narea = 'integral(1, \"inside\")'\n"));
    let region = &problem.quantities[0].integrals[0].over;
    let area: f64 = region.nodes(&problem.domain, &problem.pool, 12).iter().map(|node| node.weight).sum();
    assert!((area - (2.0 - std::f64::consts::PI * 0.01)).abs() < 1e-9, "{area}");
}

/// The message of the only mistake, and what stands at its place.
fn refused(text: &str) -> (String, String) {
    let mistakes = reject(text);
    let [found] = mistakes.list() else { panic!("{}", mistakes.render("file")) };
    (found.message.clone(), text[found.span.start..found.span.end].to_owned())
}

#[test]
fn mistakes_in_integrals_are_placed_and_explained() {
    let quantities = [
        ("'u + 1'", "a field is no number: it has a value at every place", "u + 1"),
        ("'x*at(u, [1, 0.2])'", "`x` is no number outside of an integral", "x*at(u, [1, 0.2])"),
        ("'integral(u)'", "`integral` takes 2 or more arguments, found 1", "integral"),
        ("'integral(u, x)'", "space is a shape here: intervals of its coordinates are not all inside", "x"),
        ("'integral(u, \"cylindre\")'", "expected `=`, found the end of the text", ""),
        ("'at(u, [0.5, 0.5])'", "this place lies outside of the shape", "[0.5, 0.5]"),
        ("'at(u, [9, 0.5])'", "`x = 9` lies outside its interval [0, 2]", "[9, 0.5]"),
        ("'at(u, 0.5)'", "a place of 1 coordinates among 3", "0.5"),
        (
            "'integral(at(u, [1, 0.2]), \"inside\")'",
            "a quantity may not use integrals or values at places",
            "at(u, [1, 0.2])",
        ),
        ("'integral(dn(u), \"inside\")'", "`dn` needs an outward normal", "dn(u)"),
        ("{ truth = 1 }", "this table has no `formula`", "asked"),
        ("'integral(u, t)'", "nothing says at which `x`", "integral(u, t)"),
        ("'\"cylinder\"'", "a text in quotes has no value", "\"cylinder\""),
    ];
    for (formula, message, place) in quantities {
        let found = refused(&format!("{CHANNEL}[quantities]\nasked = {formula}\n"));
        assert_eq!((found.0.as_str(), found.1.as_str()), (message, place), "{formula}");
    }
    let found = refused(&CHANNEL.replace("laplacian(p) = u", "d(integral(u, t), x) = laplacian(p)"));
    assert_eq!(found.0, "integrals and values at places cannot be differentiated");
    let found = refused(&format!("{CHANNEL}more = {{ equation = 'u = at(p, [0, 0])' }}"));
    assert_eq!(found, ("this condition does not say where it holds".to_owned(), "more".to_owned()));
}
