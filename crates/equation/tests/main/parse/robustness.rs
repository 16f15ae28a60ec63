//! Nothing panics, nothing hangs, nothing overflows the stack.

use crate::parse::files;
use equation::decide::decide;
use equation::parse::{Diagnostics, parse, parse_with};
use equation::problem::report;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::time::{Duration, Instant};

/// What any input may take. The worst known one takes 0.9 s; the rest is for loaded machines, as only what hangs is a mistake.
const PATIENCE: Duration = Duration::from_secs(60);

/// Reads a text, renders what is wrong with it, and checks that both end in time.
fn survive(text: &str) -> Option<Diagnostics> {
    let start = Instant::now();
    // A problem goes through the next stage too: what conditions prescribe is differentiated and evaluated.
    let mistakes = parse(text).map(|problem| decide(problem).map(|(problem, _)| report(&problem))).err();
    if let Some(mistakes) = &mistakes {
        assert!(mistakes.count() > 0, "refused without a reason: {text:?}");
        let shown = mistakes.render("file.toml");
        assert!(shown.len() < 200_000, "{} bytes", shown.len());
        _ = mistakes.to_string();
    }
    let taken = start.elapsed();
    assert!(taken < PATIENCE, "{taken:?} for {:?}…", text.chars().take(200).collect::<String>());
    mistakes
}

fn first_message(text: &str) -> String {
    survive(text).expect("refused").list()[0].message.clone()
}

fn burgers_with(equation: &str) -> String {
    files::BURGERS.replace("u_t + u*u_x = nu*u_xx", equation)
}

#[test]
fn deep_nesting_is_refused_with_a_message() {
    let depth = 60_000 / 2;
    let deep = [
        format!("u_t = {}x{}", "(".repeat(depth), ")".repeat(depth)),
        format!("u_t = {}", "(".repeat(depth)),
        format!("u_t = {}x", "2^".repeat(depth)),
        format!("u_t = {}x", "2^-".repeat(depth / 2)),
        format!("u_t = {}x", "sin(".repeat(depth / 4)),
        format!("u_t = {}x", "[".repeat(depth)),
        format!("u_t = {}x", "x[".repeat(depth / 2)),
        format!("u_t = where({}x < 0, 1, 0)", "not ".repeat(depth / 4)),
    ];
    for text in deep {
        assert_eq!(first_message(&burgers_with(&text)), "this expression nests deeper than 100 levels");
    }
    assert!(survive(&burgers_with(&format!("u_t = nu*u_xx {}x", "-".repeat(depth)))).is_none());
}

#[test]
fn deep_toml_is_refused_with_a_message() {
    for open in ["[", "{a=", "[{a="] {
        survive(&format!("a = {}", open.repeat(100_000)));
        survive(&format!("[domain]\nx = {}1{}", open.repeat(70), "]".repeat(70)));
    }
    survive(&"[".repeat(100_000));
    survive(&format!("[{}a]\n", "a.".repeat(100_000)));
    survive(&format!("{}a = 1\n", "a.".repeat(70)));
    survive(&format!("[{0}a]\n{0}a = {1}", "a.".repeat(70), "{a=".repeat(70)));
}

#[test]
fn nesting_up_to_the_limit_is_accepted() {
    let nested = format!("u_t = nu*u_xx + {}x{}", "(".repeat(100), ")".repeat(100));
    assert!(survive(&burgers_with(&nested)).is_none());
    let mixed = (0..33).fold("x".to_owned(), |inner, _| format!("1 + 2*sin(x - [3*y^-(x + {inner})]/2)"));
    survive(&burgers_with(&format!("u_t = nu*u_xx + {mixed}")));
    let mixed =
        (0..48).fold("x".to_owned(), |inner, _| format!("1 + 2*where(x < 1 and not x < {inner}, t, x)"));
    assert!(survive(&burgers_with(&format!("u_t = nu*u_xx + {mixed}"))).is_none());
}

#[test]
fn sums_of_ten_thousand_terms_are_quick() {
    let terms: String = (0..6000).map(|number| format!("+ {number}.5*x")).collect();
    assert!(survive(&burgers_with(&format!("u_t = nu*u_xx {terms}"))).is_none());
    let terms: String = (0..4000).map(|number| format!("+ x^{number}.5")).collect();
    assert!(survive(&burgers_with(&format!("u_t = nu*u_xx {terms}"))).is_none());
    let factors: String = (0..4000).map(|number| format!("*(x+{number})")).collect();
    assert!(survive(&burgers_with(&format!("u_t = nu*u_xx {factors}"))).is_none());
}

#[test]
fn explosions_are_refused_in_time() {
    let factors: String = (0..4000).map(|number| format!("*(x+{number})")).collect();
    survive(&burgers_with(&format!("u_t = nu*u_xx + d(1{factors}, x)")));
    let nested = (0..10).fold("u".to_owned(), |inner, _| format!("sin(x*{inner})*exp(u*{inner})"));
    survive(&burgers_with(&format!("u_t = {}", &nested[..nested.len().min(60_000)])));
    let tower = (0..30).fold("x".to_owned(), |inner, _| format!("sin({inner})"));
    let product = (0..30).map(|number| format!("{tower}^{number}.5")).collect::<Vec<_>>().join("*");
    survive(&burgers_with(&format!("u_t = d(d(d(d({product}, x), x), x), x)")));
    survive(&burgers_with("u_t = sum(i, 1, 10000, sum(j, 1, 10000, sum(k, 1, 10000, x^(i*j*k + 0.5))))"));
    survive(&burgers_with("u_t = sum(i, 1, 9999999, x)"));
    let family = files::POISSON_10D.replace("count = 10", "count = 90");
    survive(
        &family
            .replace("sum(i, d(u, x[i], x[i]))", "sum(i, sum(j, sum(k, u*x[i]*x[j]*x[k]*d(u, x[i], x[j]))))"),
    );
}

#[test]
fn wide_functions_used_often_are_refused_in_time() {
    let wide: String = (0..6000).map(|number| format!("+x^{number}.5")).collect();
    let uses: String = (0..8000).map(|number| format!("*(f+{number})")).collect();
    let base = files::POISSON.replace("exact = ", &format!("f = \"{wide}\"\nexact = "));
    let equations: String = (0..40).map(|number| format!("e{number} = \"u{uses} = 0\"\n")).collect();
    survive(&base.replace("[equations]\n", &format!("[equations]\n{equations}")));
    let slopes: String = (0..4000).map(|number| format!("+d(f+{number}*x,x)")).collect();
    let equations: String = (0..40).map(|number| format!("e{number} = \"u{slopes} = 0\"\n")).collect();
    survive(&base.replace("[equations]\n", &format!("[equations]\n{equations}")));
}

#[test]
fn large_files_are_refused_or_read_in_time() {
    assert_eq!(first_message(&"x".repeat(5 << 20)), "this file is larger than 4 MiB");
    assert_eq!(first_message(&"é".repeat(3 << 20)), "this file is larger than 4 MiB");
    let long = burgers_with(&format!("u_t = {}x", "x + ".repeat(30_000)));
    assert_eq!(first_message(&long), "this expression is longer than 64 KiB");
    for piece in
        ["=\n", "[a]\n", "[[a]]\n", "a", "\"", "\0", "\n", "a=1\n", "a.b=1\n", "'", "# x\n", "é=\u{1F600}\n"]
    {
        survive(&piece.repeat((4 << 20) / piece.len()));
    }
    let list = |line: fn(usize) -> String| (0..150_000).map(line).collect::<String>();
    survive(&format!("[constants]\n{}", list(|number| format!("c{number} = \"c{}\"\n", number + 1))));
    survive(&format!("[functions]\n{}", list(|number| format!("c{number} = \"c{}\"\n", number + 1))));
    survive(&format!(
        "{}[constants]\n{}",
        files::POISSON,
        list(|number| format!("c{number} = \"q{number}\"\n"))
    ));
    survive(&format!("{}\n{}", files::POISSON, list(|number| format!("[s{number}]\n"))));
    let equations = list(|number| format!("e{number} = \"u_q = 0\"\n"));
    survive(&files::POISSON.replace("[equations]\n", &format!("[equations]\n{equations}")));
    let equations = list(|number| format!("e{number} = \"u = {number}\"\n"));
    survive(&files::POISSON.replace("[equations]\n", &format!("[equations]\n{equations}")));
    let conditions = list(|number| format!("c{number} = {{ on = \"boundary\", equation = \"u = q\" }}\n"));
    survive(&files::POISSON.replace("[conditions]\n", &format!("[conditions]\n{}", &conditions[..3 << 20])));
}

#[test]
fn many_small_expressions_over_a_full_pool_are_refused_in_time() {
    let fill: String = (0..4500).map(|number| format!("+x^{number}.5*y")).collect();
    let functions: String =
        (0..18).map(|n| format!("f{n} = \"{n}{}\"\n", fill.replace(".5", &format!(".{n}1")))).collect();
    let base = files::POISSON.replace("exact = ", &format!("{functions}exact = "));
    let filters: String = (0..3500).map(|number| format!(", x=0 where f17<{number}")).collect();
    let conditions: String = (0..30)
        .map(|number| format!("c{number} = {{ on = \"x = 1{filters}\", equation = \"u = 0\" }}\n"))
        .collect();
    survive(&base.replace("[conditions]\n", &format!("[conditions]\n{conditions}")));
    let texts = "\"u = f17\", ".repeat(20_000);
    survive(&base.replace("equation = \"u = 0\"", &format!("equation = [{texts}]")));
    let columns = "\"u*f17\", ".repeat(250);
    let data: String = (0..200)
        .map(|n| format!("d{n} = {{ file = \"a.csv\", columns = [\"x\", \"y\", {columns}] }}\n"))
        .collect();
    survive(&format!("{base}[data]\n{data}"));
}

#[test]
fn huge_names_are_clipped_in_messages() {
    let name = "n".repeat(60_000);
    for equation in
        [format!("u_t = {name}"), format!("u_{name} = 0"), format!("{name}(u) = u_t"), "u_".repeat(20_000)]
    {
        let mistakes = survive(&burgers_with(&equation)).expect("refused");
        assert!(mistakes.render("f").len() < 2000, "{}", mistakes.render("f"));
    }
    survive(&format!("[constants]\n{name} = 1\n[{name}]\n"));
    survive(&format!(
        "title = \"{}\"\n[domain]\n\"{}\" = 1\n",
        "\u{1F600}".repeat(60_000),
        "é\u{301}".repeat(60_000)
    ));
}

#[test]
fn overrides_survive_anything() {
    let name = "n".repeat(100_000);
    for text in [
        "",
        "=",
        ".",
        "a=",
        "=1",
        "domain=1",
        "domain.x.y.z=3",
        "training.phase=3",
        "a.b.c.d=\"",
        "é=é",
        &name,
    ] {
        if let Err(mistakes) = parse_with(files::BURGERS, &[text.to_owned()]) {
            assert!(mistakes.count() > 0 && mistakes.render("f").len() < 10_000, "{text}");
        }
    }
    let deep = format!("{}a=1", "a.".repeat(20_000));
    assert!(parse_with(files::BURGERS, &[deep]).is_err());
}

/// Words of the language and of the files, for soup.
const WORDS: [&str; 64] = [
    "u",
    "v",
    "x",
    "y",
    "t",
    "nu",
    "pi",
    "e",
    "N",
    "u_x",
    "u_tt",
    "u_xy",
    "x1",
    "sin",
    "exp",
    "log",
    "sqrt",
    "d",
    "dn",
    "grad",
    "div",
    "curl",
    "laplacian",
    "dot",
    "sum",
    "min",
    "max",
    "where",
    "and",
    "or",
    "not",
    "boundary",
    "(",
    ")",
    "[",
    "]",
    ",",
    "+",
    "-",
    "*",
    "/",
    "^",
    "**",
    "=",
    "==",
    "<",
    "<=",
    ">",
    ">=",
    "1",
    "0",
    ".5",
    "1e-3",
    "1e400",
    "2x",
    "i",
    "x[i]",
    " ",
    "_",
    "é",
    "\u{1F600}",
    "\u{301}",
    "θ",
    "∂",
];

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(600),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_text_is_survived(text in any::<Vec<char>>()) {
        survive(&text.into_iter().collect::<String>());
    }

    #[test]
    fn random_bytes_are_survived(bytes in any::<Vec<u8>>()) {
        survive(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn token_soup_in_every_string_is_survived(
        words in prop::collection::vec(select(&WORDS[..]), 0..30),
        file in select(&files::FILES[..]),
        place in any::<Index>(),
    ) {
        let soup = words.join(" ");
        let strings: Vec<(usize, &str)> = file.1.match_indices('"').collect();
        let pair = place.index(strings.len() / 2) * 2;
        let (start, end) = (strings[pair].0 + 1, strings[pair + 1].0);
        survive(&format!("{}{soup}{}", &file.1[..start], &file.1[end..]));
        survive(&format!("{}{}{}", &file.1[..start], words.concat(), &file.1[end..]));
    }

    #[test]
    fn mutations_of_good_files_are_survived(
        file in select(&files::FILES[..]),
        cuts in prop::collection::vec((any::<Index>(), 0usize..12, select(&WORDS[..])), 1..4),
    ) {
        let mut text: Vec<char> = file.1.chars().collect();
        for (place, length, word) in cuts {
            let start = place.index(text.len());
            let end = (start + length).min(text.len());
            text.splice(start..end, word.chars());
        }
        survive(&text.into_iter().collect::<String>());
    }

    #[test]
    fn swapped_lines_are_survived(file in select(&files::FILES[..]), pairs in prop::collection::vec((any::<Index>(), any::<Index>()), 1..6)) {
        let mut lines: Vec<&str> = file.1.lines().collect();
        for (left, right) in pairs {
            let (left, right) = (left.index(lines.len()), right.index(lines.len()));
            lines.swap(left, right);
        }
        survive(&lines.join("\n"));
    }
}

/// Shapes of every kind, changed at random by a rule that is the same every time: pieces of them are swapped, doubled and cut.
#[test]
fn changed_shapes_are_survived() {
    const SHAPES: [&str; 6] = [
        "rectangle([0, 0], [2, 1]) - disk([0.5, 0.5], 0.2)",
        "rotate(translate(scale(star([0, 0], 1, 0.5, 5), 2), [1, 0]), pi/4, [1, 0])",
        "union(polygon([[0, 0], [1, 0], [0, 1]]), spline([[3, 0], [2, 1], [1, 0], [2, -1]]))",
        "repeat(ellipse([-4, 0], [2, 1]), [0.5, 0], 4) * half_space([0, 0], [1, 1])",
        "stl('bracket.stl', 0.001) + outline(\"island.geojson\", 1, 2)",
        "intersection(disk([0, 0], 1e300), circle([0, 0], 1e-300)) + difference(part, part)",
    ];
    const WORDS: [&str; 16] =
        ["[", "]", "(", ")", ",", "-", "*", "/0", "1e308", "0", "'", "\"", "part", "disk", "nan", "repeat("];
    let mut bits = 12_345u64;
    let mut below = |limit: usize| {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (bits >> 33) as usize % limit
    };
    for round in 0..600 {
        let mut shape = SHAPES[round % SHAPES.len()].to_owned();
        for _ in 0..below(4) {
            let at = below(shape.len() + 1);
            match below(4) {
                0 => shape.truncate(at),
                1 => shape.insert_str(at, WORDS[below(WORDS.len())]),
                2 => shape.insert_str(at, SHAPES[below(SHAPES.len())]),
                _ => shape.replace_range(at..shape.len().min(at + 3), WORDS[below(WORDS.len())]),
            }
        }
        let written = shape.replace('\\', "").replace('"', "\\\"");
        survive(&format!(
            "[domain]\nx = [-9, 9]\ny = [-9, 9]\n[geometry]\npart = \"disk([0, 0], 1)\"\nshape = \"{written}\"\n[unknowns]\nu = {{}}\n\
             [equations]\na = \"laplacian(u) = 1\"\n[conditions]\nb = {{ on = \"boundary\", equation = \"u = 0\" }}\n"
        ));
    }
}
