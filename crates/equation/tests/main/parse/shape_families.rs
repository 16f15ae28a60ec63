//! Shapes whose numbers depend on parameters of a family.

use crate::parse::mistakes::reject;
use equation::counter::Stream;
use equation::expression::{Leaf, evaluate};
use equation::parse::parse;
use equation::problem::Problem;
use geometry::Solid;

/// A problem on a shape in these coordinates, with a parameter from 0.5 to 1.
fn family(space: &str, shape: &str) -> String {
    let domain: String = space.split(' ').map(|name| format!("{name} = [-9, 9]\n")).collect();
    format!(
        "[domain]\n{domain}a = {{ range = [0.5, 1], parameter = true }}\n[geometry]\n{shape}\n[unknowns]\nu = {{}}\n\
         [equations]\nb = \"laplacian(u) = 1\"\n[conditions]\nc = {{ on = \"boundary\", equation = \"u = 0\" }}\n"
    )
}

fn good(text: &str) -> Problem {
    parse(text).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("file")))
}

/// Whether formulas and shapes made for one value of the parameter agree.
fn agrees(space: &str, shape: &str) {
    let problem = good(&family(space, &format!("shape = \"{shape}\"")));
    let geometry = problem.domain.geometry.as_ref().expect("a shape");
    let family = geometry.family.as_ref().unwrap_or_else(|| panic!("{shape}: no family"));
    let count = geometry.axes.len();
    for (number, a) in [0.5, 0.61, 0.9].into_iter().enumerate() {
        let noise = Stream::new(4, number as u64);
        let mut place = vec![a; count + 1];
        let solid = Solid::new(family.shape(&place).expect("a shape")).expect("a solid");
        let posed = geometry.at(&place).into_owned();
        let mut inside = 0;
        for index in 0..500 {
            for (axis, [low, high]) in solid.bounds().iter().enumerate() {
                place[axis] = low + (high - low) * noise.uniform(10 * index + axis as u64);
            }
            let space = &place[..count];
            let contains = solid.contains(space);
            inside += usize::from(contains);
            assert_eq!(contains, geometry.contains(&place), "{shape} at {place:?}");
            assert_eq!(contains, posed.contains(space), "{shape} at {place:?}");
            for (piece, own) in solid.pieces().iter().zip(posed.pieces()) {
                assert_eq!(piece.name(), own.name());
                let level = family.level(own).expect("a function");
                let value: f64 = evaluate(&problem.pool, level, &|leaf| match leaf {
                    Leaf::Coordinate(axis) => place[usize::from(axis)],
                    other => panic!("{other:?}"),
                });
                let wanted = piece.level().expect("a quadric").value(space);
                assert!((value - wanted).abs() < 1e-12 * (1.0 + wanted.abs()), "{shape}: {value}, {wanted}");
            }
        }
        assert!(inside > 20, "{shape}: {inside} inside");
        for (piece, own) in solid.pieces().iter().zip(posed.pieces()) {
            if piece.left() == 1.0 && own.left() == 1.0 {
                let (one, other) = (piece.measure().value, own.measure().value);
                assert!((one - other).abs() <= 1e-9 * one, "{shape}: {one}, {other}");
            }
        }
    }
}

#[test]
fn shapes_with_parameters_are_those_that_are_made_for_every_value() {
    agrees("x", "interval(-a, 2*a)");
    for shape in [
        "rectangle([0, -a], [2, a^2]) - disk([1, 0], a/4)",
        "disk([a, 0], 2) - ellipse([a, 0.1], [a, a/2])",
        "polygon([[0, 0], [2, 0], [1 + a, 2], [0, 1]])",
        "polygon([[0, 0], [0, 1], [1 + a, 2], [2, 0]])",
        "rotate(scale(rectangle([0, 0], [1, 2]), 1 + a, [1, 0]), a, [0, a])",
        "translate(disk([0, 0], 1), [a, -a]) * half_space([a, 0], [1, a])",
        "rectangle([-1, -1], [7, 1]) - repeat(disk([0, 0], a/2), [1.5*a, 0], 4)",
        "union(disk([0, 0], 1 + a), disk([a, 0], 1 + a))",
    ] {
        agrees("x y", shape);
    }
    for shape in [
        "box([0, 0, 0], [1, a, 2]) - sphere([0.5, a/2, 1], a/4)",
        "cylinder([0, a, 0], [1, 0, 2], a)",
        "rotate(ellipsoid([0, 0, 0], [a, 2, 1]), [1, a, 0], a, [0, 1, 0])",
        "rotate(cylinder([0, 0, 0], [0, 0, 2], a), [1, 1, 1], 2*a)",
    ] {
        agrees("x y z", shape);
    }
}

#[test]
fn parts_may_depend_on_parameters_and_names_stay() {
    let problem = good(&family(
        "x y",
        "hole = \"disk([0, 0], a)\"\nplate = \"rectangle([-2, -2], [2, 2])\"\nshape = \"plate - hole\"",
    ));
    let geometry = problem.domain.geometry.expect("a shape");
    let names: Vec<&str> = geometry.solid.pieces().iter().map(|piece| piece.name()).collect();
    assert_eq!(names, ["plate.left", "plate.right", "plate.bottom", "plate.top", "hole"]);
    assert_eq!(geometry.family.as_ref().map(|family| &family.parameters[..]), Some(&[2][..]));
    assert!(!geometry.contains(&[0.6, 0.0, 0.7]) && geometry.contains(&[0.6, 0.0, 0.55]));
    assert!(geometry.covers(&[0.6, 0.0, 0.6]), "on the edge");
    assert!(geometry.moves(&problem.pool, 4) && !geometry.moves(&problem.pool, 0));
}

/// All that is said about a file.
fn complaint(text: &str) -> String {
    reject(text).render("file")
}

fn said(space: &str, shape: &str) -> String {
    complaint(&family(space, shape))
}

#[test]
fn ranges_in_which_pieces_vanish_or_meet_are_refused_with_the_value() {
    let merging = said("x y", "shape = \"rectangle([-2, -2], [2, 2]) - disk([1.2, 0], a)\"");
    assert!(
        merging.contains("at a = 1 `rectangle1.right` meets another piece, and elsewhere it does not"),
        "{merging}"
    );
    assert!(merging.contains("choose ranges"), "{merging}");
    let vanishing =
        said("x y", "shape = \"rectangle([-2, -2], [2, 2]) - disk([0, 0], a) - disk([0, 0], 0.6)\"");
    assert!(vanishing.contains("`disk1`") && vanishing.contains("nothing is left"), "{vanishing}");
    let wrong = said("x y", "shape = \"disk([0, 0], a - 0.5)\"");
    assert!(wrong.contains("at a = 0.5 it is wrong"), "{wrong}");
    let beyond = said("x y", "shape = \"disk([0, 0], 10*a)\"");
    assert!(beyond.contains("outside of [domain]"), "{beyond}");
    let notch = said("x y", "shape = \"polygon([[0, 0], [2, 0], [1, a], [0, 2]])\"");
    assert!(notch.contains("a polygon may have a notch"), "{notch}");
}

#[test]
fn what_cannot_depend_on_parameters_is_refused_with_its_name() {
    let space = said("x y", "shape = \"disk([0, 0], 2 + x)\"");
    assert!(space.contains("a shape may not depend on `x`"), "{space}");
    let star = said("x y", "shape = \"star([0, 0], 2, a, 5)\"");
    assert!(star.contains("the pieces of a star"), "{star}");
    let copies = said("x y", "shape = \"repeat(disk([0, 0], 0.1), [1, 0], 2*a)\"");
    assert!(copies.contains("a number of copies or tips"), "{copies}");
    let text = family("x y", "shape = \"disk([0, 0], 2 + a)\"");
    let region = complaint(&format!("{text}[regions]\ncore = \"disk([0, 0], a)\"\n"));
    assert!(region.contains("a shape may not use"), "{region}");
    let integral = complaint(&format!("{text}[quantities]\nq = 'integral(u, \"inside\")'\n"));
    assert!(integral.contains("an integral over a shape with parameters"), "{integral}");
}
