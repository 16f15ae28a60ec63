//! `[geometry]`: what it accepts, and what it says about mistakes.

use crate::parse::mistakes::{Mistake, check, mistake};
use equation::parse::parse;
use equation::problem::{Place, Problem};

const CHANNEL: &str = r#"
[domain]
x = [0, 2.2]
y = [0, 0.41]
[constants]
R = 0.05
[geometry]
channel = "rectangle([0, 0], [2.2, 0.41])"
cylinder = "disk([0.2, 0.2], R)"
shape = "channel - cylinder"
[unknowns]
u = {}
[equations]
a = "laplacian(u) = 1"
[conditions]
inflow = { on = "channel.left", equation = "u = y" }
walls = { on = "channel.bottom, channel.top", equation = "u = 0" }
wall = { on = "cylinder", equation = "u = 0" }
outflow = { on = "x = 2.2", equation = "dn(u) = 0" }
"#;

fn good(text: &str) -> Problem {
    parse(text).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("file")))
}

/// The names of the pieces that a condition holds on.
fn pieces(problem: &Problem, condition: &str) -> Vec<String> {
    let geometry = problem.domain.geometry.as_ref().expect("a shape");
    let condition = problem.conditions.iter().find(|own| own.name == condition).expect("a condition");
    let Place::Pieces(pieces) = &condition.place else { panic!("no pieces") };
    let name = |surface: usize| geometry.solid.pieces()[surface].name().to_owned();
    pieces.iter().map(|piece| name(piece.surface.expect("a piece of the boundary"))).collect()
}

#[test]
fn conditions_name_pieces_groups_of_them_and_planes() {
    let problem = good(CHANNEL);
    assert_eq!(pieces(&problem, "inflow"), ["channel.left"]);
    assert_eq!(pieces(&problem, "walls"), ["channel.bottom", "channel.top"]);
    assert_eq!(pieces(&problem, "wall"), ["cylinder"]);
    assert_eq!(pieces(&problem, "outflow"), ["channel.right"], "a plane is the piece that lies on it");
    let all = good(&CHANNEL.replace("on = \"cylinder\"", "on = \"boundary where x > 1\""));
    assert_eq!(pieces(&all, "wall").len(), 5);
    let group = good(&CHANNEL.replace("on = \"cylinder\"", "on = \"channel\""));
    assert_eq!(pieces(&group, "wall").len(), 4);
}

#[test]
fn shapes_are_joined_cut_moved_and_repeated() {
    let area = |shape: &str| {
        let text = format!(
            "[domain]\nx = [-9, 9]\ny = [-9, 9]\n[geometry]\nshape = \"{shape}\"\n[unknowns]\nu = {{}}\n[equations]\na = \"laplacian(u) = 1\"\n\
             [conditions]\nb = {{ on = \"boundary\", equation = \"u = 0\" }}\n"
        );
        let measure = good(&text).domain.geometry.expect("a shape").solid.measure();
        (measure.value, measure.error)
    };
    for (shape, wanted) in [
        ("rectangle([0, 0], [2, 1]) + rectangle([2, 0], [3, 1])", 3.0),
        ("rectangle([0, 0], [2, 1]) * rectangle([1, 0], [3, 1])", 1.0),
        ("rectangle([0, 0], [2, 1]) - rectangle([1, 0.5], [3, 2])", 1.5),
        ("translate(disk([0, 0], 1), [2, 1])", std::f64::consts::PI),
        ("rotate(rectangle([0, 0], [2, 1]), pi/3)", 2.0),
        ("scale(rectangle([0, 0], [2, 1]), 2)", 8.0),
        ("repeat(rectangle([0, 0], [1, 1]), [2, 0], 3)", 3.0),
        ("polygon([[0, 0], [2, 0], [0, 2]]) * half_space([0, 1], [0, 1])", 1.5),
    ] {
        let (found, error) = area(shape);
        // The stated error is a standard deviation or a bound.
        assert!((found - wanted).abs() <= 5.0 * error + 1e-9, "{shape}: {found} ± {error}, {wanted}");
    }
}

const MISTAKES: &[Mistake] = &[
    mistake(
        CHANNEL,
        "channel - cylinder",
        "channel - «cylnder»",
        "there is no part `cylnder` of the shape",
        "the parts before this one are `channel`, `cylinder`",
    ),
    mistake(
        CHANNEL,
        "disk([0.2, 0.2], R)",
        "disk([0.2, 0.2], «R2»)",
        "unknown name `R2`",
        "did you mean `R`?",
    ),
    mistake(
        CHANNEL,
        "disk([0.2, 0.2], R)",
        "«disk»([0.2, 0.2])",
        "`disk` is not written with 1 argument",
        "as in `disk([0, 0], 1)`",
    ),
    mistake(
        CHANNEL,
        "disk([0.2, 0.2], R)",
        "disk(«[0.2, 0.2, 0]», R)",
        "expected 2 numbers, found 3",
        "this shape lies in 2 dimensions",
    ),
];

#[test]
fn mistakes_in_shapes_are_placed_and_explained() {
    MISTAKES.iter().for_each(check);
}

/// Message and hint of the only mistake.
fn refused(text: &str) -> (String, String) {
    let mistakes = parse(text).expect_err("the file has a mistake");
    let [found] = mistakes.list() else { panic!("{}", mistakes.render("file")) };
    (found.message.clone(), found.hint.clone().unwrap_or_default())
}

#[test]
fn shapes_that_cannot_be_meant_are_refused() {
    let with = |shape: &str| refused(&CHANNEL.replace("channel - cylinder", shape));
    let (message, hint) = with("channel - cylinder + disk([3, 0.2], 0.1)");
    assert!(message.starts_with("the shape lies between x = 0 and x = 3.1"), "{message}");
    assert!(hint.contains("`x = [0, 3.1]` in [domain]"), "{hint}");
    assert_eq!(with("cylinder - channel").0, "nothing is left of the shape");
    let (message, hint) = with("sphere([0, 0, 0], 0.1)");
    assert_eq!(message, "this shape has 3 dimensions");
    assert_eq!(hint, "[domain] has 2 space coordinates: x, y");
    assert!(
        with("polygon([[0, 0], [1, 0.4], [1, 0], [0, 0.4]])").0.contains("cross"),
        "{:?}",
        with("polygon([[0, 0], [1, 0.4], [1, 0], [0, 0.4]])")
    );
    let (message, _) = refused(&CHANNEL.replace("shape = \"channel - cylinder\"", ""));
    assert_eq!(message, "[geometry] has no `shape`");
    let covered = CHANNEL.replace("channel - cylinder", "channel - cylinder + disk([0.2, 0.2], 0.1)");
    let (message, hint) = refused(&covered);
    assert!(message.contains("nothing is left of `cylinder` on the boundary"), "{message}");
    assert!(hint.contains("what is left is"), "{hint}");
    let (message, hint) = refused(&CHANNEL.replace("on = \"cylinder\"", "on = \"disk1\""));
    assert!(message.contains("expected `=`"), "{message}");
    assert!(hint.contains("a piece of it: `channel`, `channel.left`"), "{hint}");
}

#[test]
fn a_piece_without_a_condition_is_a_warning() {
    let bare = good(&CHANNEL.replace("wall = { on = \"cylinder\", equation = \"u = 0\" }", ""));
    let said = bare.warnings();
    assert!(said.iter().any(|line| line.starts_with("no condition holds on `cylinder`")), "{said:?}");
    assert!(good(CHANNEL).warnings().is_empty(), "{:?}", good(CHANNEL).warnings());
}
