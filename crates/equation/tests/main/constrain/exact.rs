//! Problems whose conditions are built in.

use super::{TOLERANCE, pair};
use equation::expression::{Leaf, evaluate};

/// All equations of the conditions are exact.
fn all_exact(text: &str) {
    let pair = pair(text);
    let count: usize = pair.stated.conditions.iter().map(|condition| condition.equations.len()).sum();
    assert_eq!(pair.check_exact(TOLERANCE), count, "{:#?}", pair.treatments());
    assert!(pair.constrained.conditions.is_empty(), "what is exact needs no term");
}

#[test]
fn the_start_of_burgers_fades_and_the_network_takes_over() {
    let text = "[domain]\nt = [0, 1]\nx = [-1, 1]\n[unknowns]\nu = {}\n\
        [equations]\nburgers = \"u_t + u*u_x = 0.003*u_xx\"\n\
        [conditions]\nstart = { on = \"t = 0\", equation = \"u = -sin(pi*x)\" }\n\
        walls = { on = \"x = -1, x = 1\", equation = \"u = 0\" }\n";
    all_exact(text);
    let ansatz = pair(text).ansatz(0);
    assert_eq!(ansatz, "-sin(3.141592653589793*x)*(-t + 1)^3 + t*(x + 1)*(-x + 1)*(-3*t + t^2 + 3)*N");
}

#[test]
fn walls_with_values_of_their_own_meet_in_the_corners() {
    all_exact(
        "[domain]\nx = [0, 2]\ny = [-1, 1]\n[unknowns]\nu = {}\n[equations]\npoisson = \"laplacian(u) = 0\"\n\
         [conditions]\nwalls = { on = \"boundary\", equation = \"u = exp(x)*sin(3*y) + x*y^2\" }\n",
    );
    all_exact(
        "[domain]\nx = [0, 1]\ny = [0, 1]\nz = [0, 1]\n[unknowns]\nu = {}\n\
         [equations]\npoisson = \"laplacian(u) = 0\"\n\
         [conditions]\nwalls = { on = \"boundary\", equation = \"u = cos(x*y + 2*z) + exp(x*y*z)\" }\n",
    );
}

#[test]
fn heat_with_a_start_and_walls_that_change() {
    all_exact(
        "[domain]\nt = [0.5, 2]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\nheat = \"u_t = u_xx\"\n\
         [conditions]\nstart = { on = \"t = 0.5\", equation = \"2*u = 2*sin(pi*x) + 2*x\" }\n\
         left = { on = \"x = 0\", equation = \"0 = u\" }\n\
         right = { on = \"x = 1\", equation = \"cos(t - 0.5) = u\" }\n",
    );
}

#[test]
fn a_wave_starts_with_its_place_and_velocity() {
    let text = "[domain]\nt = [0, 2]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\nwave = \"u_tt = 4*u_xx\"\n\
        [conditions]\nstart = { on = \"t = 0\", equations = [\"u = sin(pi*x)\", \"u_t = 0\"] }\n\
        walls = { on = \"boundary\", equation = \"u = 0\" }\n[training]\nwindows = 1\n";
    all_exact(text);
    assert_eq!(
        pair(text).ansatz(0),
        "sin(3.141592653589793*x)*(-0.5*t + 1)^3*(1.5*t + 1) + 0.25*t^2*x*(-x + 1)*(-16*t + 3*t^2 + 24)*N"
    );
    all_exact(&text.replace("u_t = 0", "u_t = sin(2*pi*x)"));
}

#[test]
fn conditions_hold_together_with_what_the_network_is_added_to() {
    let text = "[domain]\nt = [0, 2]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\nwave = \"u_tt = 4*u_xx\"\n\
        [conditions]\nstart = { on = \"t = 0\", equations = [\"u = sin(pi*x)\", \"u_t = x^2\"] }\n\
        left = { on = \"x = 0\", equation = \"u = 0\" }\n[ansatz]\nu = \"3*N + exp(x*(1 + t))\"\n";
    all_exact(text);
    // What is known may be the solution: then nothing but the network is left, which vanishes at the walls.
    let solved = "[domain]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\npoisson = \"u_xx = exp(x)\"\n\
        [conditions]\nwalls = { on = \"boundary\", equation = \"u = exp(x)\" }\n[ansatz]\nu = \"exp(x) + N/4\"\n";
    all_exact(solved);
    assert_eq!(pair(solved).ansatz(0), "exp(x) + x*N*(-x + 1)");
}

#[test]
fn a_flow_with_three_fields_and_the_pressure_on_one_face() {
    let text = std::fs::read_to_string(format!(
        "{}/../../examples/14-kovasznay/problem.toml",
        env!("CARGO_MANIFEST_DIR")
    ));
    all_exact(&text.expect("the example is part of the tree"));
}

#[test]
fn a_family_of_problems_has_its_parameter_in_the_data() {
    all_exact(
        "[domain]\nt = [0, 1]\nx = [0, 1]\nk = { range = [1, 3], parameter = true }\n[unknowns]\nu = {}\n\
         [equations]\nheat = \"u_t = k*u_xx\"\n\
         [conditions]\nstart = { on = \"t = 0\", equation = \"u = exp(k*x)\" }\n\
         walls = { on = \"boundary\", equation = \"u = exp(k*x)*cos(k*t)\" }\n",
    );
}

#[test]
fn a_start_that_is_periodic_fits_a_periodic_network() {
    all_exact(
        "[domain]\nt = [0, 1]\nx = [-1, 1]\ny = [0, 1]\n[unknowns]\nu = {}\n[equations]\nheat = \"u_t = u_xx\"\n\
         [conditions]\nstart = { on = \"t = 0\", equation = \"u = y*exp(cos(pi*x))\" }\n\
         floor = { on = \"y = 0\", equation = \"u = 0\" }\n[network]\nperiodic = [\"x\"]\n",
    );
}

#[test]
fn ordinary_equations_start_where_they_are_told() {
    all_exact(
        "[domain]\nt = [0, 3]\n[unknowns]\nu = {}\n[equations]\ndecay = \"u_t = -u\"\n\
         [conditions]\nstart = { on = \"t = 0\", equation = \"u = 1\" }\n",
    );
    let text = "[domain]\nt = [1, 3]\n[unknowns]\nu = {}\n[equations]\nswing = \"u_tt = -u\"\n\
        [conditions]\nstart = { on = \"t = 1\", equation = \"u = 1\" }\n\
        velocity = { on = \"t = 1\", equation = \"u_t = -2\" }\n";
    all_exact(text);
}

#[test]
fn a_clamped_beam_keeps_its_ends_and_their_slopes() {
    let clamps = |low: &str, high: &str| {
        format!(
            "[domain]\nx = [0.5, 2]\n[unknowns]\nu = {{}}\n[equations]\nbeam = \"u_xxxx = 1\"\n\
             [conditions]\nlow = {{ on = \"x = 0.5\", equations = [{low}] }}\n\
             high = {{ on = \"x = 2\", equations = [{high}] }}\n"
        )
    };
    all_exact(&clamps("\"u = 1\", \"u_x = 2\"", "\"u = -3\", \"u_x = 0.5\""));
    all_exact(&clamps("\"u = 1\", \"u_x = 2\"", "\"u = -3\""));
    all_exact(&clamps("\"u = 1\"", "\"u = -3\", \"u_x = 0.5\""));
    all_exact(&clamps("\"u = 1\", \"u_x = 2\"", "\"u = -3\", \"u_x = 0.5\"").replace("0.5]", "7]"));
}

/// Two solitons in a box of a given half width and half duration.
fn solitons(width: f64, duration: f64) -> String {
    format!(
        "[domain]\nt = [-{duration}, {duration}]\nx = [-{width}, {width}]\n[unknowns]\nu = {{}}\n[functions]\n\
         two = \"12*(3 + 4*cosh(2*x - 8*t) + cosh(4*x - 64*t))/(3*cosh(x - 28*t) + cosh(3*x - 36*t))^2\"\n\
         [equations]\nkdv = \"u_t + 6*u*u_x + u_xxx = 0\"\n\
         [conditions]\nstart = {{ on = \"t = -{duration}\", equation = \"u = two\" }}\n\
         walls = {{ on = \"x = -{width}, x = {width}\", equation = \"u = two\" }}\n\
         slope = {{ on = \"x = {width}\", equation = \"u_x = d(two, x)\" }}\n",
    )
}

#[test]
fn solitons_enter_by_their_values_at_the_start_and_at_the_walls() {
    all_exact(&solitons(1.0, 0.02));
}

#[test]
fn solitons_that_are_narrow_in_their_box_stay_penalties() {
    let treatments = pair(&solitons(8.0, 1.0)).treatments();
    assert!(treatments.iter().any(|treatment| treatment.contains("too steep")), "{treatments:#?}");
    assert!(treatments.iter().all(|treatment| !treatment.ends_with("exact")), "{treatments:#?}");
}

#[test]
fn data_that_all_but_jump_are_said_to_jump_and_where() {
    let hot = |width: &str| {
        let data = format!("u = atan(x/{width} + 1)");
        pair(&format!(
            "[domain]\nx = {{ range = [0, 1], open = true }}\ny = [0, 1]\n[unknowns]\nu = {{}}\n[equations]\none = \"laplacian(u) = 0\"\n\
             [conditions]\nhot = {{ on = \"y = 0\", equation = \"{data}\" }}\ncold = {{ on = \"y = 1\", equation = \"u = 0\" }}\n"
        ))
    };
    let told = |width: &str| hot(width).treatments()[0].clone();
    let steep = told("0.01");
    assert!(
        steep.starts_with("hot: its data change over 1/") && steep.ends_with(" of x: too steep"),
        "{steep}"
    );
    assert_eq!(told("1e-12"), "hot: its data jump at x = 0: too steep");
}

#[test]
fn only_values_on_faces_enter_and_not_the_formula_behind_them() {
    let pair = pair(
        "[domain]\nx = [0, 1]\ny = [0, 1]\n[unknowns]\nu = {}\n[equations]\npoisson = \"laplacian(u) = 1\"\n\
         [conditions]\nwalls = { on = \"boundary\", equation = \"u = sin(pi*x)*sin(pi*y)\" }\n",
    );
    assert_eq!(pair.ansatz(0), "16*x*y*(-x + 1)*(-y + 1)*N", "the solution vanishes on the walls");
}

#[test]
fn the_distance_is_of_order_one_whatever_the_box() {
    let pair = pair(
        "[domain]\nt = [0, 100]\nx = [1e-3, 3e-3]\n[unknowns]\nu = {}\n[equations]\nwave = \"u_tt = u_xx\"\n\
         [conditions]\nstart = { on = \"t = 0\", equations = [\"u = 0\", \"u_t = 0\"] }\n\
         walls = { on = \"boundary\", equation = \"u = 0\" }\n",
    );
    let problem = &pair.constrained;
    let at = |t: f64, x: f64| {
        evaluate(&problem.pool, problem.unknowns[0].ansatz.unwrap(), &|leaf| match leaf {
            Leaf::Coordinate(0) => t,
            Leaf::Coordinate(_) => x,
            _ => 1.0,
        })
    };
    assert!((at(100.0, 2e-3) - 1.0).abs() < 1e-12);
    assert_eq!((at(0.0, 2e-3), at(50.0, 1e-3), at(50.0, 3e-3)), (0.0, 0.0, 0.0));
}
