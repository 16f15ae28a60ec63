//! Faces without a condition are told of, and nothing else is.

use crate::parse::shape_files::Beside;
use equation::parse::{parse, parse_with_files};
use equation::problem::Problem;
use std::path::{Path, PathBuf};

fn read(text: &str) -> Problem {
    parse(text).unwrap_or_else(|mistakes| panic!("{}\n{text}", mistakes.render("file")))
}

/// A problem in t and x.
fn line(x: &str, unknowns: &str, equations: &str, conditions: &str) -> Problem {
    read(&format!(
        "[domain]\nt = [0, 1]\nx = {x}\n[unknowns]\n{unknowns}\n[equations]\n{equations}\n[conditions]\n{conditions}\n"
    ))
}

/// Of one unknown `u`, whose start is zero.
fn carried(x: &str, equation: &str, conditions: &str) -> Problem {
    let conditions = format!("start = {{ on = \"t = 0\", equation = \"u = 0\" }}\n{conditions}");
    line(x, "u = {}", &format!("one = \"{equation}\""), &conditions)
}

/// A problem in x and y, of one unknown `u`.
fn plane(equation: &str, conditions: &str) -> Problem {
    read(&format!(
        "[domain]\nx = [0, 1]\ny = [0, 1]\n[unknowns]\nu = {{}}\n[equations]\none = \"{equation}\"\n[conditions]\n{conditions}\n"
    ))
}

#[track_caller]
fn fine(problem: &Problem) {
    assert_eq!(problem.warnings(), Vec::<String>::new());
}

#[track_caller]
fn bare(problem: &Problem, needed: usize, found: usize, ends: &[f64]) {
    let [face] = &problem.bare_faces[..] else { panic!("{:?}", problem.warnings()) };
    assert_eq!((face.needed, face.found, &face.ends[..]), (needed, found, ends), "{:?}", problem.warnings());
}

fn problem_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            problem_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.push(path);
        }
    }
}

#[test]
fn no_built_in_problem_and_no_measured_one_is_warned_of_but_the_one_that_jumps() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    problem_files(&root.join("examples"), &mut files);
    assert!(files.len() >= 43, "{}", files.len());
    problem_files(&root.join("benches/problems"), &mut files);
    let mut told = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a file");
        let beside = Beside(file.parent().expect("a folder").to_owned());
        let problem = parse_with_files(&text, &[], &beside);
        let problem = problem.unwrap_or_else(|mistakes| panic!("{}", mistakes.render("file")));
        told.extend(problem.warnings().into_iter().map(|line| format!("{}: {line}", file.display())));
    }
    let [jump] = &told[..] else { panic!("{}", told.join("\n")) };
    assert!(jump.contains("interface-1d.toml") && jump.contains("discontinuous"), "{jump}");
}

#[test]
fn a_wall_without_a_condition_is_told_of_with_the_ways_to_mend_it() {
    let left = "left = { on = \"x = -1\", equation = \"u = 0\" }";
    let problem = carried("[-1, 1]", "u_t = u_xx", left);
    bare(&problem, 2, 1, &[1.0]);
    let said = problem.warnings().join("\n");
    for part in [
        "`u_xx` needs 2 conditions at the ends of x, but 1 is stated: one is missing at x = 1.",
        "`{ on = \"x = 1\", equation = \"u = …\" }`",
        "`dn(u) = …`",
        "`{ periodic = \"x\" }`",
        "`x = { range = [-1, 1], open = \"high\" }`",
    ] {
        assert!(said.contains(part), "{part} not in {said}");
    }
    let right = "right = { on = \"x = 1\", equation = \"dn(u) = 0\" }";
    bare(
        &carried(
            "[-1, 1]",
            "u_tt = u_xx",
            &format!("{right}\nspeed = {{ on = \"t = 0\", equation = \"u_t = 0\" }}"),
        ),
        2,
        1,
        &[-1.0],
    );
    bare(
        &plane("laplacian(u) = 1", "most = { on = \"x = 0, x = 1, y = 0\", equation = \"u = 0\" }"),
        2,
        1,
        &[1.0],
    );
}

#[test]
fn what_the_message_proposes_ends_the_warning() {
    let left = "left = { on = \"x = -1\", equation = \"u = 0\" }";
    fine(&carried(
        "[-1, 1]",
        "u_t = u_xx",
        &format!("{left}\nright = {{ on = \"x = 1\", equation = \"u = 0\" }}"),
    ));
    fine(&carried(
        "[-1, 1]",
        "u_t = u_xx",
        &format!("{left}\nright = {{ on = \"x = 1\", equation = \"dn(u) = 0\" }}"),
    ));
    fine(&carried("[-1, 1]", "u_t = u_xx", "around = { periodic = \"x\" }"));
    fine(&carried("{ range = [-1, 1], open = \"high\" }", "u_t = u_xx", left));
    bare(&carried("{ range = [-1, 1], open = \"low\" }", "u_t = u_xx + u_xxxx", left), 4, 1, &[1.0]);
}

#[test]
fn derivatives_of_order_four_ask_for_two_conditions_at_each_end() {
    let walls = |equations: &str| format!("walls = {{ on = \"x = 0, x = 1\", equations = [{equations}] }}");
    bare(&carried("[0, 1]", "u_t + u_xxxx = 0", &walls("\"u = 0\"")), 4, 2, &[0.0, 1.0]);
    fine(&carried("[0, 1]", "u_t + u_xxxx = 0", &walls("\"u = 0\", \"u_xx = 0\"")));
    let cantilever = "clamped = { on = \"x = 0\", equations = [\"u = 0\", \"u_x = 0\"] }\nfree = { on = \"x = 1\", equation = \"u_xx = 0\" }";
    bare(&carried("[0, 1]", "u_t + u_xxxx = 0", cantilever), 4, 3, &[1.0]);
    bare(&carried("[0, 1]", "u_t + u_xxx = 0", &walls("\"u = 0\"")), 3, 2, &[0.0, 1.0]);
    fine(&carried("[0, 1]", "u_t - d(u, x, x, t) + 3*u*u_x = u*u_xxx", &walls("\"u = 0\"")));
}

#[test]
fn conditions_at_one_end_or_between_the_ends_count_as_well() {
    fine(&plane(
        "u_xx = u_yy",
        "start = { on = \"x = 0\", equations = [\"u = 0\", \"u_x = 1\"] }\nwalls = { on = \"y = 0, y = 1\", equation = \"u = 0\" }",
    ));
    let ode = "[domain]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\none = \"u_xx = -u\"\n[conditions]\n";
    fine(&read(&format!(
        "{ode}a = {{ on = \"x = 0\", equation = \"u = 0\" }}\nb = {{ on = \"x = 0.5\", equation = \"u = 1\" }}\n"
    )));
    bare(&read(&format!("{ode}a = {{ on = \"x = 0\", equation = \"u = 0\" }}\n")), 2, 1, &[1.0]);
}

#[test]
fn conditions_on_two_parts_of_one_face_count_as_one() {
    let rest = "rest = { on = \"y = 0, y = 1\", equation = \"u = 0\" }";
    let parts = "low = { on = \"x = 0 where y < 0.5\", equation = \"u = 0\" }\nhigh = { on = \"x = 0 where y >= 0.5\", equation = \"dn(u) = 0\" }";
    bare(&plane("laplacian(u) = 1", &format!("{rest}\n{parts}")), 2, 1, &[1.0]);
    fine(&plane(
        "laplacian(u) = 1",
        &format!("{rest}\n{parts}\nright = {{ on = \"x = 1 where y < 0.2\", equation = \"u = 0\" }}"),
    ));
    let corner = "level = { on = \"x = 1 and y = 0\", equation = \"u = 0\" }";
    bare(&plane("laplacian(u) = 1", &format!("{rest}\n{parts}\n{corner}")), 2, 1, &[1.0]);
}

#[test]
fn a_filter_that_leaves_nothing_of_a_face_states_nothing_there() {
    let half =
        |on: &str| plane("laplacian(u) = 1", &format!("half = {{ on = \"{on}\", equation = \"u = 0\" }}"));
    bare(&half("boundary where x < 0.5"), 2, 1, &[1.0]);
    bare(&half("boundary where x < 0.9 - 0.05*y"), 2, 1, &[1.0]);
    fine(&half("boundary where x < 0.5 + 0.6*(y > 0.9993)"));
    // A disc of a three-hundredth of the face is met, wherever it lies.
    let block = |outlet: &str| {
        read(&format!(
            "[domain]\nx = [0, 1]\ny = [0, 1]\nz = [0, 1]\n[unknowns]\nu = {{}}\n[equations]\none = \"laplacian(u) = 1\"\n\
             [conditions]\nrest = {{ on = \"x = 0, y = 0, y = 1, z = 0, z = 1\", equation = \"u = 0\" }}\n\
             outlet = {{ on = \"x = 1 where {outlet}\", equation = \"u = 0\" }}\n"
        ))
    };
    fine(&block("(y - 0.317)^2 + (z - 0.771)^2 < 0.001"));
    bare(&block("(y - 0.317)^2 + (z - 0.771)^2 < -0.001"), 2, 1, &[1.0]);
}

#[test]
fn what_flows_out_needs_no_condition_and_what_flows_in_does() {
    let left = "left = { on = \"x = -1\", equation = \"u = 0\" }";
    let right = "right = { on = \"x = 1\", equation = \"u = 0\" }";
    for equation in ["u_t + 2*u_x = 0", "u_t + u_x = u^2", "u_t + u*u_x = 0", "u_t + (2 + x)*u_x = 0"] {
        fine(&carried("[-1, 1]", equation, left));
    }
    fine(&carried("[-1, 1]", "u_t - u_x = 0", right));
    fine(&carried("[-1, 1]", "u_t + x*u_x = 0", ""));
    fine(&carried("[-1, 1]", "u_t + u*u_x = 0", ""));
    fine(&carried("{ range = [-1, 1], open = true }", "u_t + u_x = 0", ""));
    bare(&carried("[-1, 1]", "u_t + 2*u_x = 0", ""), 1, 0, &[-1.0]);
    bare(&carried("[-1, 1]", "u_t = 2*u_x", ""), 1, 0, &[1.0]);
}

#[test]
fn where_an_equation_loses_its_highest_derivative_none_is_missing() {
    let right = "right = { on = \"x = 1\", equation = \"u = 0\" }";
    fine(&carried("[0, 1]", "u_t = x^2*u_xx + x*u_x - u", right));
    fine(&carried("[0, 1]", "u_t = u_xx + u_x/x", right));
    fine(&carried("[0, 1]", "x*u_t = x*u_xx + u_x", right));
    bare(&carried("[0.1, 1]", "u_t = u_xx + u_x/x", right), 2, 1, &[0.1]);
    // Tricomi's equation is hyperbolic on one side.
    let three = "three = { on = \"x = 0, x = 1, y = 1\", equation = \"u = 0\" }";
    fine(&plane("(y - 0.5)*u_xx + (y - 0.5)*u_yy = 0", three));
}

#[test]
fn systems_are_counted_as_a_whole() {
    let flow = |outlet: &str| {
        read(&format!(
            "[domain]\nx = [0, 1]\ny = [0, 1]\n[unknowns]\nu = {{}}\nv = {{}}\np = {{}}\n[equations]\n\
             a = \"u*u_x + v*u_y + p_x = laplacian(u)\"\nb = \"u*v_x + v*v_y + p_y = laplacian(v)\"\nmass = \"u_x + v_y = 0\"\n\
             [conditions]\ninlet = {{ on = \"x = 0\", equations = [\"u = y*(1 - y)\", \"v = 0\"] }}\n\
             walls = {{ on = \"y = 0, y = 1\", equations = [\"u = 0\", \"v = 0\"] }}\n{outlet}\n"
        ))
    };
    fine(&flow("outlet = { on = \"x = 1\", equations = [\"p = 0\", \"v = 0\"] }"));
    // How much a pressure fixes is not counted.
    fine(&flow("outlet = { on = \"x = 1\", equation = \"p = 0\" }"));
    fine(&flow("outlet = { on = \"x = 1\", equations = [\"u_x = 0\", \"v_x = 0\"] }"));
    bare(&flow("outlet = { on = \"x = 1\", equation = \"v = 0\" }"), 4, 3, &[1.0]);
    bare(&flow("level = { on = \"x = 0 and y = 0\", equation = \"p = 0\" }"), 4, 2, &[1.0]);
    // A stream function with two conditions, its vorticity with none.
    fine(&line(
        "[0, 1]",
        "s = {}\nw = {}",
        "a = \"w_t = w_xx\"\nb = \"s_xx = -w\"",
        "start = { on = \"t = 0\", equation = \"w = 0\" }\nwalls = { on = \"boundary\", equations = [\"s = 0\", \"s_x = 0\"] }",
    ));
    let apart = "a = \"u_t = u_xx\"\nb = \"v_t = v_xx\"";
    let conditions = "start = { on = \"t = 0\", equations = [\"u = 0\", \"v = 0\"] }\nleft = { on = \"x = 0\", equations = [\"u = 0\", \"u_x = 0\", \"v = 0\"] }";
    let problem = line("[0, 1]", "u = {}\nv = {}", apart, conditions);
    bare(&problem, 2, 1, &[1.0]);
    assert!(problem.warnings()[0].starts_with("`v_xx` needs"), "{:?}", problem.warnings());
}

#[test]
fn an_ansatz_that_holds_something_and_measurements_may_replace_conditions() {
    let left = "left = { on = \"x = -1\", equation = \"u = 0\" }";
    let with = |section: &str| {
        read(&format!(
            "[domain]\nt = [0, 1]\nx = [-1, 1]\n[unknowns]\nu = {{}}\n[equations]\none = \"u_t = u_xx\"\n[conditions]\n\
             start = {{ on = \"t = 0\", equation = \"u = 0\" }}\n{left}\n{section}\n"
        ))
    };
    fine(&with("[ansatz]\nu = \"(1 - x)*N\""));
    fine(&with("[data]\nprobe = { file = \"probe.csv\" }"));
    bare(&with("[ansatz]\nu = \"sin(x) + N\""), 2, 1, &[1.0]);
    bare(&with("[ansatz]\nu = \"t*N\""), 2, 1, &[1.0]);
}

#[test]
fn many_faces_are_told_of_in_few_lines() {
    let text = "[domain]\nx = { range = [0, 1], count = 20 }\n[unknowns]\nu = {}\n[equations]\none = \"laplacian(u) = 1\"\n\
                [conditions]\nlow = { on = \"FACES\", equation = \"u = 0\" }\n";
    let low: Vec<String> = (1..=20).map(|number| format!("x{number} = 0")).collect();
    let text = text.replace("FACES", &low.join(", "));
    let said = read(&text).warnings();
    assert_eq!(said.len(), 5, "{said:?}");
    assert!(said[0].ends_with("`open = \"high\"` for x1 in [domain]"), "{said:?}");
    assert!(said[4].starts_with("16 more coordinates"), "{said:?}");
}

#[test]
fn ends_are_opened_by_name_only() {
    let text = "[domain]\nx = { range = [0, 1], open = \"right\" }\n[unknowns]\nu = {}\n[equations]\none = \"u_xx = 1\"\n[conditions]\na = { on = \"x = 0\", equation = \"u = 0\" }\n";
    let said = parse(text).expect_err("an end of another name").render("file");
    assert!(said.contains("unknown value `right`") && said.contains("high"), "{said}");
    let said = parse(&text.replace("\"right\"", "1")).expect_err("no end").render("file");
    assert!(said.contains("expected true, false, \"low\" or \"high\""), "{said}");
}
