//! How mistakes are checked, and mistakes that need more than one replacement.

use crate::parse::files;
use equation::parse::{Diagnostics, Position, parse, parse_with};

/// A good file with one piece of text replaced, the place of the mistake in it marked: what stands
/// between `«` and `»` must be under the caret.
pub(crate) struct Mistake {
    file: &'static str,
    good: &'static str,
    bad: &'static str,
    message: &'static str,
    hint: &'static str,
}

pub(crate) const fn mistake(
    file: &'static str,
    good: &'static str,
    bad: &'static str,
    message: &'static str,
    hint: &'static str,
) -> Mistake {
    Mistake { file, good, bad, message, hint }
}

pub(crate) fn reject(text: &str) -> Diagnostics {
    parse(text).expect_err("the file has a mistake")
}

pub(crate) fn check(mistake: &Mistake) {
    assert!(mistake.file.contains(mistake.good), "{} is not in the file", mistake.good);
    let marked = mistake.file.replacen(mistake.good, mistake.bad, 1);
    let start = marked.find('«').expect("a mark");
    let end = marked.find('»').expect("a mark") - '«'.len_utf8();
    let text = marked.replace(['«', '»'], "");
    let mistakes = reject(&text);
    let [found] = mistakes.list() else {
        panic!("{}: expected one mistake\n{}", mistake.bad, mistakes.render("file"))
    };
    let shown = mistakes.render("file");
    assert_eq!(found.message, mistake.message, "{shown}");
    assert_eq!((found.span.start, found.span.end), (start, end), "{}\n{shown}", mistake.bad);
    let line = 1 + text[..start].matches('\n').count();
    let column = 1 + text[..start].rsplit('\n').next().unwrap_or("").chars().count();
    assert_eq!(mistakes.position(found), Position { line, column });
    assert_eq!(found.hint.as_deref().unwrap_or(""), mistake.hint, "{shown}");
}

/// The messages of all mistakes, in order.
fn messages(text: &str) -> Vec<String> {
    reject(text).list().iter().map(|mistake| mistake.message.clone()).collect()
}

#[test]
fn a_broken_definition_is_reported_once_and_not_at_every_use() {
    let text = files::ELASTICITY.replace("mu*(u_y + v_x)", "mu*(u_y + q)");
    assert_eq!(messages(&text), ["unknown name `q`"]);
    let text = files::KOVASZNAY.replace("Re = 20", "Re = \"2*oops\"");
    assert_eq!(messages(&text), ["unknown name `oops`"]);
    let text = files::BURGERS.replace("x = [-1, 1]", "x = [1, -1]");
    assert_eq!(messages(&text), ["the interval from 1 to -1 is empty"]);
    let text = files::POISSON_10D.replace("count = 10", "count = 10.5");
    assert_eq!(messages(&text), ["expected an integer, found a number"]);
}

#[test]
fn a_name_declared_twice_is_reported_once() {
    let text = files::BURGERS.replace("nu = \"0.01/pi\"", "nu = 1\nu = 2");
    let mistakes = reject(&text);
    assert_eq!(mistakes.count(), 1, "{}", mistakes.render("file"));
    assert_eq!(mistakes.list()[0].message, "`u` is declared twice");
    assert_eq!(mistakes.list()[0].hint.as_deref(), Some("it is also in [constants]"));
}

#[test]
fn a_missing_section_does_not_make_every_name_unknown() {
    let text = files::BURGERS.replace("[unknowns]\nu = {}\n", "");
    assert_eq!(messages(&text), ["section [unknowns] is missing"]);
    assert_eq!(
        messages("title = 3"),
        [
            "expected a string, found an integer",
            "section [domain] is missing",
            "section [unknowns] is missing",
            "section [equations] is missing"
        ]
    );
}

#[test]
fn cycles_are_shown_as_a_chain() {
    let text = files::BURGERS.replace("nu = \"0.01/pi\"", "nu = \"a/pi\"\na = \"2*b\"\nb = \"nu + 1\"");
    let mistakes = reject(&text);
    assert_eq!(mistakes.list()[0].message, "the definition of `nu` is circular");
    assert_eq!(mistakes.list()[0].hint.as_deref(), Some("nu → a → b → nu"));
    assert_eq!(mistakes.count(), 1);
    let text = files::POISSON.replace("exact = ", "g = \"exact_x\"\nexact = \"g + x\"\nother = ");
    assert_eq!(reject(&text).list()[0].hint.as_deref(), Some("g → exact → g"));
}

#[test]
fn missing_initial_conditions_are_counted() {
    let start = "start = { on = \"t = 0\", equation = \"u = -sin(pi*x)\" }\n";
    let mistakes = reject(&files::BURGERS.replace(start, ""));
    let first = &mistakes.list()[0];
    assert!(first.message.starts_with("missing initial condition: `u` has 1 derivative in `t`"), "{first:?}");
    assert_eq!(mistakes.position(first), Position { line: 14, column: 1 });
    let line = "`start = { on = \"t = 0\", equation = \"u = 0\" }`";
    assert!(first.hint.as_deref().is_some_and(|hint| hint.contains(line)), "{first:?}");
    let velocity = "velocity = { on = \"t = 0\", equation = \"u_t = 0\" }\n";
    let mistakes = reject(&files::KLEIN_GORDON.replace(velocity, ""));
    assert!(mistakes.list()[0].hint.as_deref().is_some_and(|hint| hint.contains("u_t = 0")));
}

#[test]
fn missing_boundary_conditions_name_the_coordinate() {
    let walls = "walls = { on = \"x = -1, x = 1\", equation = \"u = 0\" }\n";
    let mistakes = reject(&files::BURGERS.replace(walls, ""));
    let first = &mistakes.list()[0];
    assert!(first.message.contains("no condition fixes `x`"), "{first:?}");
    assert_eq!(mistakes.position(first), Position { line: 5, column: 1 });
    assert!(
        first
            .hint
            .as_deref()
            .is_some_and(|hint| hint.contains("open = true") && hint.contains("x = -1, x = 1"))
    );
    let open =
        files::BURGERS.replace(walls, "").replace("x = [-1, 1]", "x = { range = [-1, 1], open = true }");
    assert!(parse(&open).is_ok());
    let periodic = files::BURGERS.replace(walls, "").replace("width = 20", "periodic = [\"x\"]");
    assert!(parse(&periodic).is_ok());
}

#[test]
fn a_problem_without_any_condition_is_refused() {
    let (before, after) = files::POISSON.split_once("[conditions]").expect("the section");
    let text = format!("{before}{}", &after[after.find("[reference]").expect("the section")..]);
    assert_eq!(
        messages(&text),
        ["the solution is not unique: there are no conditions, no data and no ansatz"]
    );
}

#[test]
fn what_has_no_effect_is_refused() {
    let text = files::POISSON.replace("u = {}", "u = {}\nw = {}");
    assert_eq!(messages(&text), ["no equation mentions the unknown `w`"]);
    let text = files::HEAT_INVERSE.replace("kappa*u_xx", "u_xx");
    assert_eq!(messages(&text), ["nothing depends on the parameter `kappa`"]);
    let text = files::POISSON.replace("[equations]", "[equations]\nidle = \"x = y\"");
    assert_eq!(messages(&text), ["this equation mentions no unknown"]);
    let text = files::BURGERS.replace("\"u = 0\"", "\"u - u = 0\"");
    assert_eq!(messages(&text), ["the unknowns cancel in an equation of this condition: it always holds"]);
}

#[test]
fn unknowns_that_cancel_are_told_from_unknowns_that_are_absent() {
    for (equation, rest) in [
        ("div(curl(u)) = 0", "it always holds"),
        ("u_xy - u_yx = 1", "it never holds"),
        ("u - u = x", "what is left does not depend on them"),
    ] {
        let text = files::POISSON.replace("[equations]", &format!("[equations]\nidle = \"{equation}\""));
        assert_eq!(messages(&text), [format!("the unknowns cancel in this equation: {rest}")], "{equation}");
    }
}

#[test]
fn an_unknown_that_no_condition_mentions_is_refused_and_a_pressure_is_not() {
    let coupled = files::POISSON
        .replace("u = {}", "u = {}\nw = {}")
        .replace("[equations]", "[equations]\nother = \"laplacian(w) = u\"");
    let mistakes = reject(&coupled);
    assert_eq!(mistakes.count(), 1, "{}", mistakes.render("file"));
    let found = &mistakes.list()[0];
    let message = "missing condition: `w` has second derivatives in `x` and no condition mentions it";
    assert_eq!(found.message, message);
    assert!(found.hint.as_deref().is_some_and(|hint| hint.contains("equation = \"w = 0\"")), "{found:?}");
    assert!(parse(&coupled.replace("laplacian(w)", "w_x + w_y")).is_ok());
    assert!(parse(&format!("{coupled}\n[ansatz]\nw = \"x*N\"\n")).is_ok());
}

#[test]
fn a_vector_of_one_component_is_singular() {
    let text = files::BURGERS.replace("u_t + u*u_x = nu*u_xx", "grad(u) = 1");
    assert_eq!(messages(&text), ["the left side is a vector of 1 component, the right side a scalar"]);
}

#[test]
fn an_override_changes_what_the_file_declares_and_adds_nothing_to_it() {
    for (text, message, hint) in [
        ("constants.Nu=5", "there is no constant `Nu`", "did you mean `constants.nu`?"),
        (
            "domain.z=[0, 1]",
            "there is no coordinate `z`",
            "the file has `t`, `x`; new ones are declared there",
        ),
        ("unknowns.v={}", "there is no unknown `v`", "the file has `u`; new ones are declared there"),
        ("parameters.k=1", "there is no parameter `k`", "the file has no [parameters]; declare it there"),
        ("equations.burger=u = 0", "there is no equation `burger`", "did you mean `equations.burgers`?"),
    ] {
        let mistakes = parse_with(files::BURGERS, &[text.to_owned()]).expect_err("a mistake");
        let [found] = mistakes.list() else { panic!("{}", mistakes.render("file")) };
        assert_eq!((found.message.as_str(), found.hint.as_deref()), (message, Some(hint)), "{text}");
    }
    for text in ["conditions.middle={ on = \"x = 0\", equation = \"u = 0\" }", "functions.f=x^2"] {
        assert!(parse_with(files::BURGERS, &[text.to_owned()]).is_ok(), "{text}");
    }
}

#[test]
fn mistakes_in_an_override_point_at_the_override() {
    let cases = [
        ("training.points=many", 16, "expected an integer, found a string"),
        ("training.pionts=3", 9, "unknown key `pionts`"),
        ("constants.nu=0.1*q", 17, "unknown name `q`"),
        ("network.width", 0, "an override needs a `=`"),
        ("network.width=", 0, "this override has no value"),
        ("network..width=3", 0, "a part of this key is empty"),
        ("network.width=[1", 16, "TOML: unclosed array, expected `]`"),
        ("training.phase.7.points=3", 15, "unknown key `phase`"),
        ("training.budget.steps=3", 16, "`budget` is a string, not a table with keys"),
    ];
    for (text, start, message) in cases {
        if text.contains("phase") {
            let mistakes = parse_with(files::ALLEN_CAHN, &[text.to_owned()]).expect_err("a mistake");
            assert_eq!(mistakes.list()[0].message, "`phase` has no element `7`");
            continue;
        }
        let mistakes = parse_with(files::BURGERS, &[text.to_owned()]).expect_err("a mistake");
        let found = &mistakes.list()[0];
        assert_eq!(found.message, message);
        assert_eq!((found.span.source, found.span.start), (1, start), "{text}");
        assert_eq!(mistakes.count(), 1);
    }
}
