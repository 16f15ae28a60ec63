//! What people write who come from papers, Python or other programs: each gets what is written here.

use crate::parse::files;
use crate::parse::mistakes::{Mistake, check, mistake};
use equation::parse::parse;

const HABITS: &[Mistake] = &[
    mistake(
        files::BURGERS,
        "nu*u_xx\"",
        "nu*«laplace»(u)\"",
        "unknown function `laplace`",
        "did you mean `laplacian`?",
    ),
    mistake(
        files::BURGERS,
        "nu*u_xx\"",
        "nu*«diff»(u, x, x)\"",
        "unknown function `diff`",
        "derivatives are written `u_x`, `u_xx` or `d(expression, x, x)`",
    ),
    mistake(files::BURGERS, "u_t +", "«du» +", "unknown name `du`", "derivatives are written `u_t`, `u_tt`"),
    mistake(
        files::BURGERS,
        "nu*u_xx\"",
        "nu*«dx2»\"",
        "unknown name `dx2`",
        "derivatives are written `u_x`, `u_xx`",
    ),
    mistake(
        files::BURGERS,
        "u_t +",
        "«i»*u_t +",
        "unknown name `i`",
        "for the imaginary unit, write real and imaginary part as two unknowns; `i` counts in `sum(i, …)`",
    ),
    mistake(
        files::BURGERS,
        "nu*u_xx\"",
        "nu*u_«{»xx}\"",
        "unexpected character `{`",
        "group with `(` and `)`; derivatives are written `u_xx`",
    ),
    mistake(files::BURGERS, "-sin(pi*x)", "-sin(«Pi»*x)", "unknown name `Pi`", "did you mean `pi`?"),
    mistake(
        files::BURGERS,
        "-sin(pi*x)",
        "-«np.sin»(pi*x)",
        "`np.sin` is written without a module",
        "functions and numbers stand alone: `sin`",
    ),
    mistake(
        files::BURGERS,
        "-sin(pi*x)",
        "-sin(«math.pi»*x)",
        "`math.pi` is written without a module",
        "functions and numbers stand alone: `pi`",
    ),
    mistake(
        files::BURGERS,
        "-sin(pi*x)",
        "1 «if» x < 0 else 0",
        "expected an operator, found `if`",
        "a choice is written `where(condition, then, otherwise)`, as in `where(x < 0, 1, 0)`",
    ),
    mistake(
        files::BURGERS,
        "-sin(pi*x)",
        "2*(1 «if» x < 0 else 0)",
        "expected an operator, `,` or `)`, found `if`",
        "a choice is written `where(condition, then, otherwise)`, as in `where(x < 0, 1, 0)`",
    ),
    mistake(
        files::BURGERS,
        "-sin(pi*x)",
        "«if» (x < 0) 1 else 0",
        "there is no `if` in formulas",
        "a choice is written `where(condition, then, otherwise)`, as in `where(x < 0, 1, 0)`",
    ),
    mistake(
        files::BURGERS,
        "\"0.01/pi\"",
        "\"5 «m»\"",
        "expected an operator, found `m`",
        "a product needs its `*`; units are not written: give all numbers in one system of units",
    ),
    mistake(
        files::BURGERS,
        "\"0.01/pi\"",
        "\"«5kPa»\"",
        "`5kPa` is not a number",
        "a product needs its `*`: `5*kPa`; units are not written: give all numbers in one system of units",
    ),
    mistake(
        files::BURGERS,
        "\"0.01/pi\"",
        "\"5 «[»m/s]\"",
        "expected an operator, found `[`",
        "units are not written: give all numbers in one system of units",
    ),
    mistake(
        files::BURGERS,
        "\"u_t + u*u_x = nu*u_xx\"",
        "«[\"u_t + u*u_x = nu*u_xx\"]»",
        "expected a formula in quotes, found an array",
        "write it without brackets: \"u_t + u*u_x = nu*u_xx\"",
    ),
    mistake(
        files::BURGERS,
        "\"0.01/pi\"",
        "«[0.01, 0.02]»",
        "expected a number or an expression in quotes, found an array",
        "a vector stands in quotes, \"[1, 2]\"; values at points belong into a CSV or NPY file",
    ),
    mistake(
        files::BURGERS,
        "-sin(pi*x)",
        "«heaviside»(x)",
        "unknown function `heaviside`",
        "a step is written `where(x < 0, 0, 1)`, or `(x >= 0)`",
    ),
    mistake(files::BURGERS, "-sin(pi*x)", "«sech»(x)", "unknown function `sech`", "write `1/cosh(x)`"),
    mistake(
        files::BURGERS,
        "-sin(pi*x)",
        "«|»x|",
        "unexpected character `|`",
        "write `abs(x)`; conditions are joined with `and`, `or`, `not`",
    ),
    mistake(
        files::BURGERS,
        "-sin(pi*x)",
        "x < 0 «?» 1 : 0",
        "unexpected character `?`",
        "a choice is written `where(condition, then, otherwise)`",
    ),
    mistake(
        files::BURGERS,
        "u = 0\" }",
        "«u_n» = 0\" }",
        "unknown name `u_n`: `n` is not a coordinate",
        "the derivative along the normal is written `dn(u)`",
    ),
    mistake(
        files::BURGERS,
        "equation = \"u = 0\" }",
        "equation = «\"periodic\"» }",
        "periodicity has a key of its own",
        "write `{ periodic = \"x\" }`, with the periodic coordinate",
    ),
    mistake(
        files::BURGERS,
        "{ on = \"x = -1, x = 1\", equation = \"u = 0\" }",
        "«\"u = 0\"»",
        "a condition says where and what",
        "write `{ on = \"boundary\", equation = \"u = 0\" }`",
    ),
    mistake(
        files::BURGERS,
        "points = 4096",
        "«lr» = 1e-3",
        "unknown key `lr`",
        "did you mean `learning_rate`?",
    ),
    mistake(
        files::BURGERS,
        "points = 4096",
        "«epochs» = 1000",
        "unknown key `epochs`",
        "did you mean `steps`?",
    ),
    mistake(
        files::BURGERS,
        "width = 20",
        "«layers» = [20, 20]",
        "unknown key `layers`",
        "write `width = 20` and `depth = 3`: inputs and outputs follow from the problem",
    ),
    mistake(
        files::BURGERS,
        "\"tanh\"",
        "«\"relu\"»",
        "unknown value `relu`",
        "its second derivative is zero or jumps, and equations need it: `tanh`, `sin`, `silu` or `gelu`",
    ),
    mistake(
        files::BURGERS,
        "\"60 s\"",
        "«1000»",
        "a budget is in steps or in seconds",
        "write `\"1000 steps\"` or `\"1000 s\"`",
    ),
];

#[test]
fn habits_from_other_notations_are_answered_with_what_to_write() {
    HABITS.iter().for_each(check);
}

#[test]
fn a_shape_in_the_domain_is_answered_with_boxes() {
    for (shape, told) in [
        ("circle = { center = [0, 0], radius = 1 }", "polar coordinates"),
        ("circle = [0, 0, 1]", "polar coordinates"),
        ("rectangle = \"0 < x < 1\"", "write an interval for each coordinate"),
    ] {
        let text = files::POISSON.replacen("[domain]", &format!("[domain]\n{shape}"), 1);
        let mistakes = crate::parse::mistakes::reject(&text);
        let [found] = mistakes.list() else { panic!("{}", mistakes.render("file")) };
        assert!(
            found.message.ends_with("a domain is a box, an interval for each coordinate"),
            "{}",
            found.message
        );
        assert!(found.hint.as_deref().is_some_and(|hint| hint.contains(told)), "{:?}", found.hint);
        assert!(parse(&files::POISSON.replacen("[domain]", "[domain]\ncircle = [0, 1]", 1)).is_ok());
    }
    let alone = "[domain]\ncircle = { radius = 1 }\n[unknowns]\nu = {}\n[equations]\npoisson = \"laplacian(u) = 1\"\n\
                 [conditions]\nedge = { on = \"boundary\", equation = \"u = 0\" }\n";
    let mistakes = crate::parse::mistakes::reject(alone);
    assert_eq!(mistakes.count(), 1, "{}", mistakes.render("file"));
}

#[test]
fn units_outside_of_quotes_are_answered_as_well() {
    for value in ["340 m", "340 [m/s]", "1.5e-3 kg"] {
        let text = files::BURGERS.replacen("\"0.01/pi\"", value, 1);
        let shown = crate::parse::mistakes::reject(&text).render("file");
        assert!(shown.contains("units are not written"), "{shown}");
    }
}

#[test]
fn a_section_by_another_name_is_recognised() {
    let text = files::BURGERS.replace("[conditions]", "[boundary_conditions]");
    let mistakes = crate::parse::mistakes::reject(&text);
    assert!(mistakes.render("file").contains("did you mean `conditions`?"));
}

#[test]
fn ten_thousand_may_be_written_with_an_exponent() {
    let problem = parse(&files::BURGERS.replace("points = 4096", "points = 1e4")).expect("a good file");
    assert_eq!(problem.training.phases[0].points, Some(10_000));
}

#[test]
fn a_coordinate_called_time_is_time_unless_there_is_a_t() {
    let text = "[domain]\ntime = [0, 1]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\nheat = \"u_time = u_xx\"\n\
                [conditions]\nwalls = { on = \"boundary\", equation = \"u = 0\" }\n";
    let shown = crate::parse::mistakes::reject(text).render("file");
    assert!(shown.contains("missing initial condition: `u` has 1 derivative in `time`"), "{shown}");
    let both = text.replace("time = [0, 1]", "t = [0, 1]\ntime = [0, 1]").replace("u_time", "u_t + u_time");
    let shown = crate::parse::mistakes::reject(&both).render("file");
    assert!(shown.contains("derivative in `t` "), "{shown}");
}
