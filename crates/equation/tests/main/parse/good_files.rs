//! What good files mean.

use crate::parse::files;
use equation::decide::decide;
use equation::parse::{parse, parse_with};
use equation::problem::{
    Activation, Budget, Column, Initialization, Method, NetworkKind, Periodic, Place, Problem, RandomFactors,
    ResidualWeights, Role, Sampler, Schedule, Solution, Solver, TrainedSlopes,
};

fn accept(name: &str, text: &str) -> Problem {
    parse(text).unwrap_or_else(|mistakes| panic!("{}", mistakes.render(name)))
}

fn residuals(problem: &Problem) -> Vec<String> {
    problem.equations.iter().map(|equation| problem.pool.print(equation.residual, problem)).collect()
}

/// Whether two texts are the same expression in the language of a problem.
fn same(problem: &str, section: &str, left: &str, right: &str) {
    let text = format!("{problem}\n{section}\nfirst = \"{left} = 0\"\nsecond = \"{right} = 0\"\n");
    let problem = accept("same", &text);
    let count = problem.equations.len();
    assert_eq!(
        problem.equations[count - 2].residual,
        problem.equations[count - 1].residual,
        "{left} is {} and {right} is {}",
        problem.pool.print(problem.equations[count - 2].residual, &problem),
        problem.pool.print(problem.equations[count - 1].residual, &problem)
    );
}

const BOX: &str = r#"
[domain]
x = [0, 1]
y = [0, 1]
z = [0, 1]
[constants]
k = 3
[functions]
a = "1 + x^2"
[unknowns]
u = {}
v = {}
w = {}
[conditions]
walls = { on = "boundary", equation = "[u, v, w] = [0, 0, 0]" }
"#;

fn same_in_a_box(left: &str, right: &str) {
    same(BOX, "[equations]\nall = \"u + v + w = 0\"", left, right);
}

#[test]
fn every_good_file_is_accepted() {
    for (name, text) in files::FILES {
        let problem = accept(name, text);
        assert!(!problem.equations.is_empty() && !problem.training.phases.is_empty(), "{name}");
    }
}

#[test]
fn good_files_parse_the_same_with_windows_line_ends() {
    for (name, text) in files::FILES {
        accept(name, &text.replace('\n', "\r\n"));
    }
}

#[test]
fn burgers_is_understood() {
    let problem = accept("burgers", files::BURGERS);
    assert_eq!(problem.title, "Viscous Burgers");
    assert_eq!(problem.domain.coordinates[0].role, Role::Time);
    assert_eq!(problem.constants, [("nu".to_owned(), 0.01 / std::f64::consts::PI)]);
    assert_eq!(problem.conditions.len(), 2);
    assert_eq!(problem.network.width, 20);
    assert_eq!(problem.training.phases[0].points, Some(4096));
    assert_eq!(problem.training.phases[0].budget, Some(Budget { seconds: Some(60.0), ..Budget::default() }));
    assert_eq!(problem.reference.grid, [(0, 201), (1, 512)]);
    assert!(
        matches!(&problem.reference.solutions[0], Some(Solution::Named { name, tolerance: None }) if name == "burgers-cole-hopf")
    );
    let Place::Pieces(pieces) = &problem.conditions[1].place else { panic!("pieces") };
    assert_eq!(pieces[0].normal, Some((1, -1.0)));
    assert_eq!(pieces[1].normal, Some((1, 1.0)));
    let Place::Pieces(pieces) = &problem.conditions[0].place else { panic!("pieces") };
    assert_eq!(pieces[0].normal, None);
}

#[test]
fn vector_equations_become_one_equation_per_component() {
    let problem = accept("kovasznay", files::KOVASZNAY);
    let names: Vec<&str> = problem.equations.iter().map(|equation| equation.name.as_str()).collect();
    assert_eq!(names, ["momentum.1", "momentum.2", "mass"]);
    assert_eq!(problem.equations[2].weight, Some(2.0));
    assert_eq!(problem.conditions[0].equations[1].name, "velocity.2");
    assert_eq!(problem.conditions[0].points, Some(400));
}

#[test]
fn measured_columns_are_counted() {
    let problem = accept("heat-inverse", files::HEAT_INVERSE);
    let data = &problem.data[0];
    assert_eq!(data.columns.len(), 5);
    assert_eq!(data.columns[2], Column::Ignored);
    assert_eq!(data.columns[4], Column::Measured(1));
    assert_eq!(data.equations.len(), 2);
    assert_eq!(data.equations[1].weight, Some(5.0));
    assert_eq!(problem.parameters[0].truth, Some(0.25));
}

#[test]
fn a_function_with_an_underscore_is_not_a_derivative() {
    let problem = accept("elasticity", files::ELASTICITY);
    assert!(residuals(&problem)[0].contains("u_xx"), "{}", residuals(&problem)[0]);
    assert_eq!(problem.conditions[1].equations.len(), 2);
}

#[test]
fn counted_coordinates_are_a_family() {
    let problem = accept("poisson-10d", files::POISSON_10D);
    assert_eq!(problem.domain.len(), 10);
    assert_eq!(problem.domain.coordinates[9].name, "x10");
    let Place::Pieces(pieces) = &problem.conditions[0].place else { panic!("pieces") };
    assert_eq!(pieces.len(), 21);
    assert!(pieces[0].filter.is_some() && pieces[20].filter.is_none());
    assert_eq!(problem.reference.grid.len(), 10);
    assert!(residuals(&problem)[0].contains("u_x10x10"));
}

#[test]
fn a_periodic_condition_joins_both_ends() {
    let problem = accept("allen-cahn", files::ALLEN_CAHN);
    assert!(matches!(problem.conditions[1].place, Place::Wrap { axis: 1 }));
    let printed: Vec<String> =
        problem.conditions[1].equations.iter().map(|e| problem.pool.print(e.residual, &problem)).collect();
    assert_eq!(printed, ["u - u'", "u_x - u_x'"]);
}

#[test]
fn phases_override_the_training_table() {
    let training = accept("allen-cahn", files::ALLEN_CAHN).training;
    assert_eq!(training.seed, 7);
    assert_eq!(training.phases.len(), 2);
    assert_eq!((training.phases[0].points, training.phases[0].learning_rate), (Some(1000), 1e-2));
    assert_eq!(
        training.phases[0].budget,
        Some(Budget { steps: Some(5000), seconds: Some(120.0), ..Budget::default() })
    );
    assert_eq!(training.phases[0].schedule, Schedule::Exponential { factor: 0.9, steps: 1000 });
    assert_eq!(training.phases[1].schedule, Schedule::Cosine { warmup: 100 });
    let budget = Budget { steps: Some(100), loss: Some(1e-9), ..Budget::default() };
    assert_eq!(training.phases[1].budget, Some(budget));
}

#[test]
fn residual_weights_are_those_of_the_phases_that_state_them() {
    let usual = ResidualWeights { decay: 0.999, rate: 0.01 };
    let phases = |lines: &str| {
        let text = files::BURGERS.replace("optimizer = \"adam\"", lines);
        let training = accept("burgers", &text).training;
        training.phases.iter().map(|phase| phase.residual_weights).collect::<Vec<_>>()
    };
    assert_eq!(phases("optimizer = \"adam\""), [None]);
    // The key of earlier versions means the same.
    for key in ["residual_weights", "attention"] {
        let slow = ResidualWeights { decay: 0.9, ..usual };
        assert_eq!(phases(&format!("{key} = true")), [Some(usual)]);
        assert_eq!(phases(&format!("{key} = {{ decay = 0.9 }}")), [Some(slow)]);
        assert_eq!(
            phases(&format!("{key} = {{ rate = 2 }}")),
            [Some(ResidualWeights { rate: 2.0, ..usual })]
        );
        let overridden = format!("{key} = true\nphase = [{{ {key} = false }}, {{ points = 9 }}]");
        assert_eq!(phases(&overridden), [None, Some(usual)]);
    }
}

#[test]
fn overrides_name_residual_weights_by_either_key_whichever_the_file_has() {
    let stated = |key: &str, overrides: &[&str]| {
        let text = files::BURGERS.replace("optimizer = \"adam\"", &format!("{key} = true"));
        let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
        let problem = parse_with(&text, &overrides).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        problem.training.phases.iter().map(|phase| phase.residual_weights.is_some()).collect::<Vec<_>>()
    };
    for key in ["residual_weights", "attention"] {
        assert_eq!(stated(key, &["training.attention=false"]), [false]);
        assert_eq!(stated(key, &["training.residual_weights=false"]), [false]);
        assert_eq!(stated(key, &["training.phase=[{ attention = false }, { points = 9 }]"]), [false, true]);
        let of_a_phase = ["training.phase=[{ points = 9 }]", "training.phase.0.attention=false"];
        assert_eq!(stated(key, &of_a_phase), [false]);
    }
}

#[test]
fn every_optimizer_has_its_own_keys_and_defaults() {
    let optimizer = |lines: &str| {
        let text = files::BURGERS.replace("optimizer = \"adam\"", lines);
        accept("burgers", &text).training.phases[0].optimizer
    };
    assert_eq!(optimizer("optimizer = \"adam\""), Method::Adam);
    assert_eq!(optimizer("optimizer = \"adamw\""), Method::AdamW { weight_decay: 0.01 });
    assert_eq!(optimizer("optimizer = \"adamw\"\nweight_decay = 0.1"), Method::AdamW { weight_decay: 0.1 });
    assert_eq!(optimizer("optimizer = \"lbfgs\""), Method::Lbfgs { memory: 30 });
    assert_eq!(optimizer("optimizer = \"lbfgs\"\nmemory = 7"), Method::Lbfgs { memory: 7 });
    assert_eq!(optimizer("optimizer = \"ssbroyden\""), Method::SsBroyden);
    assert_eq!(optimizer("optimizer = \"sgd\""), Method::Sgd { momentum: 0.9, nesterov: false });
    let nesterov = "optimizer = \"sgd\"\nmomentum = 0.5\nnesterov = true";
    assert_eq!(optimizer(nesterov), Method::Sgd { momentum: 0.5, nesterov: true });
    assert_eq!(optimizer("optimizer = \"soap\""), Method::Soap { precondition_every: 10 });
    let often = "optimizer = \"soap\"\nprecondition_every = 2";
    assert_eq!(optimizer(often), Method::Soap { precondition_every: 2 });
    assert_eq!(optimizer("optimizer = \"muon\""), Method::Muon { momentum: 0.95 });
    assert_eq!(optimizer("optimizer = \"nncg\""), Method::NNCG);
    let newton = "optimizer = \"nncg\"\ndamping = 0.1\nrank = 9\nprecondition_every = 2";
    let stated = Method::NysNewtonCg { damping: 0.1, rank: 9, precondition_every: 2 };
    assert_eq!(optimizer(newton), stated);
    let rmsprop = Method::RmsProp { square_decay: 0.99, momentum: 0.0 };
    assert_eq!(optimizer("optimizer = \"rmsprop\""), rmsprop);
    let stated = "optimizer = \"rmsprop\"\nsquare_decay = 0.9\nmomentum = 0.5";
    assert_eq!(optimizer(stated), Method::RmsProp { square_decay: 0.9, momentum: 0.5 });
    assert_eq!(optimizer("optimizer = \"gauss-newton\""), Method::GAUSS_NEWTON);
    let stated = "optimizer = \"gauss-newton\"\nsolver = \"woodbury\"";
    assert_eq!(optimizer(stated), Method::GaussNewton { solver: Solver::Woodbury });
    assert_eq!(optimizer(""), Method::Auto);
}

#[test]
fn a_key_of_earlier_versions_is_read_and_has_no_effect() {
    let with = |lines: &str| {
        let text =
            files::BURGERS.replace("optimizer = \"adam\"", &format!("optimizer = \"gauss-newton\"\n{lines}"));
        accept("burgers", &text)
    };
    let told = |problem: &Problem| {
        problem.warnings().iter().filter(|line| line.contains("training.products")).count()
    };
    assert_eq!(told(&with("")), 0);
    for products in ["exact", "short"] {
        let problem = with(&format!("products = \"{products}\""));
        assert_eq!(problem.training.phases[0].optimizer, Method::GAUSS_NEWTON);
        assert_eq!(told(&problem), 1, "{:?}", problem.warnings());
    }
}

#[test]
fn a_key_of_earlier_versions_is_not_proposed() {
    for place in ["[training]\n", "[[training.phase]]\n"] {
        let text = files::BURGERS.replace("[training]\n", &format!("{place}zzzzzzzz = 1\n"));
        let said = parse(&text).expect_err("a key that nobody reads").render("file");
        assert!(said.contains("known: ") && said.contains("optimizer"), "{said}");
        assert!(!said.contains("products"), "{said}");
    }
}

#[test]
fn a_budget_can_wait_for_an_error() {
    let text = files::BURGERS.replace("\"60 s\"", "{ seconds = 60, error = 1e-3 }");
    let budget = accept("burgers", &text).training.phases[0].budget;
    assert_eq!(budget, Some(Budget { seconds: Some(60.0), error: Some(1e-3), ..Budget::default() }));
}

#[test]
fn points_are_fixed_sobol_points_unless_the_file_says_otherwise() {
    let sampling = |lines: &str| {
        let text = files::BURGERS.replace("optimizer = \"adam\"", lines);
        let phase = &accept("burgers", &text).training.phases[0];
        (phase.sampler, phase.resample)
    };
    assert_eq!(sampling(""), (Sampler::Sobol, None));
    assert_eq!(sampling("sampler = \"uniform\"\nresample = 0"), (Sampler::Uniform, Some(0)));
    assert_eq!(
        sampling("sampler = \"latin-hypercube\"\nresample = 100"),
        (Sampler::LatinHypercube, Some(100))
    );
}

#[test]
fn the_network_is_understood() {
    let siren = accept("allen-cahn", files::ALLEN_CAHN).network;
    assert_eq!(
        (siren.activation, siren.initialization),
        (Activation::Sin, Initialization::Siren { frequency: 10.0 })
    );
    let network = accept("heat-ansatz", files::HEAT_ANSATZ).network;
    assert_eq!(network.kind, NetworkKind::Modified);
    assert_eq!(network.periodic, [Periodic { axis: 1, harmonics: 3 }]);
    assert_eq!(network.fourier.map(|fourier| fourier.features), Some(16));
    let with = |lines: &str| accept("burgers", &files::BURGERS.replace("kind = \"mlp\"", lines)).network;
    let network = with("kind = \"separable\"\nrank = 7\nadaptive = \"neuron\"");
    assert_eq!((network.kind, network.rank), (NetworkKind::Separable, Some(7)));
    assert_eq!((network.slopes, network.factorization), (Some(TrainedSlopes::Neuron), None));
    let network = with("kind = \"piratenet\"\nfactorized = { mean = 0.5 }\nadaptive = \"layer\"");
    assert_eq!((network.kind, network.slopes), (NetworkKind::Pirate, Some(TrainedSlopes::Layer)));
    assert_eq!(network.factorization, Some(RandomFactors { mean: 0.5, deviation: 0.1 }));
    assert_eq!(with("factorized = false").factorization, None);
    assert_eq!(with("factorized = true").factorization, Some(RandomFactors { mean: 1.0, deviation: 0.1 }));
}

#[test]
fn precedence_is_that_of_mathematics() {
    same_in_a_box("u - x^2", "u - (x^2)");
    same_in_a_box("u + -x^2", "u - x*x");
    same_in_a_box("u + 2^3^2", "u + 512");
    same_in_a_box("u + 2**-1", "u + .5");
    same_in_a_box("u + x/y/z", "u + x/(y*z)");
    same_in_a_box("u - x - y", "u - (x + y)");
    same_in_a_box("u - -- +x", "u - x");
    same_in_a_box("u*1e-3", "u/1000");
    same_in_a_box("u + 2.*e", "u + 2*exp(1)");
    same_in_a_box("u + z*sqrt(x*y)*sqrt(x*y)", "u + x*y*z");
    same_in_a_box("u*(x < y)", "u*where(x < y, 1, 0)*(x < y)^0*(x < y)/where(x < y, 1, 0)");
}

#[test]
fn operators_of_vector_calculus_expand() {
    same_in_a_box("laplacian(u)", "u_xx + u_yy + u_zz");
    same_in_a_box("div(grad(u))", "laplacian(u)");
    same_in_a_box("div(a*grad(u))", "a*u_xx + a*u_yy + a*u_zz + 2*x*u_x");
    same_in_a_box("dot(curl(u, v, w), [0, 0, 1])", "v_x - u_y");
    same_in_a_box("div(curl([u, v, w])) + u", "u");
    same_in_a_box("sum([u, v, w]/2)", "(u + v + w)/2");
    same_in_a_box("d(u*v, x, y)", "u_xy*v + u_x*v_y + u_y*v_x + u*v_xy");
    same_in_a_box("u_zyx", "u_xyz");
    same_in_a_box("a_x*u", "2*x*u");
    same_in_a_box("max(x, y, z) + u", "max(max(x, y), z) + u");
    same_in_a_box("dot(laplacian([u, v, w]), [1, 0, 0])", "laplacian(u)");
    same_in_a_box("sum(i, 1, 3, i*u)", "6*u");
}

#[test]
fn suffixes_of_coordinates_are_split_with_backtracking() {
    let domain = "[domain]\nx = [0, 1]\nxy = { range = [0, 1] }\nyx = [0, 1]\n[unknowns]\nu = {}\n[conditions]\nb = { on = \"boundary\", equation = \"u = 0\" }";
    // Longest first would take `xy` and be left with nothing that `xx` could be.
    same(domain, "[equations]", "u_xyx", "d(u, xy, x)");
    same(domain, "[equations]", "u_xyxx", "d(u, xy, x, x)");
    same(domain, "[equations]", "u_x_yx", "d(u, x, yx)");
}

#[test]
fn overrides_win_over_the_file() {
    let overrides = [
        "training.points=20000",
        "network.activation=sin",
        "constants.nu = 0.1/pi",
        "training.budget=10 steps",
        "conditions.start.equation=u = 0",
        "title=\"other\"",
        "domain.x=[-2, \"2\"]",
        "conditions.walls.on=x = -2, x = 2",
    ];
    let problem = parse_with(files::BURGERS, &overrides.map(str::to_owned))
        .unwrap_or_else(|mistakes| panic!("{}", mistakes.render("burgers.toml")));
    assert_eq!(problem.training.phases[0].points, Some(20000));
    assert_eq!(problem.network.activation, Activation::Sin);
    assert_eq!(problem.constants[0].1, 0.1 / std::f64::consts::PI);
    assert_eq!(problem.training.phases[0].budget.and_then(|budget| budget.steps), Some(10));
    assert_eq!(problem.domain.coordinates[1].high, 2.0);
    assert_eq!(problem.title, "other");
}

#[test]
fn overrides_reach_into_phases() {
    let overrides = ["training.phase.1.points=77".to_owned()];
    let problem = parse_with(files::ALLEN_CAHN, &overrides).expect("the override is right");
    assert_eq!(problem.training.phases[1].points, Some(77));
}

#[test]
fn the_normal_derivative_follows_the_faces_of_its_condition() {
    let problem = accept("darcy", files::DARCY);
    let robin = problem.pool.print(problem.conditions[1].equations[0].residual, &problem);
    assert_eq!(robin, "2*u + u_x*normal_x + u_y*normal_y - 1");
    let one_face = files::DARCY
        .replace("x = 1, y = 0, y = 1", "x = 1 where y > 0.5")
        .replace("y = [0, 1]", "y = { range = [0, 1], open = true }");
    let problem = accept("darcy", &one_face);
    assert_eq!(
        problem.pool.print(problem.conditions[1].equations[0].residual, &problem),
        "2*u + u_x*normal_x - 1"
    );
}

#[test]
fn a_curl_in_two_dimensions_is_a_scalar_or_a_vector() {
    let problem = accept("maxwell", files::MAXWELL);
    assert_eq!(residuals(&problem), ["Hx_t + Ez_y", "Hy_t - Ez_x", "Ez_t - Hy_x + Hx_y"]);
}

#[test]
fn an_ansatz_is_kept_in_terms_of_the_raw_output() {
    let problem = accept("heat-ansatz", files::HEAT_ANSATZ);
    let ansatz = problem.unknowns[0].ansatz.expect("an ansatz");
    assert_eq!(problem.pool.print(ansatz, &problem), "sin(x) + t*(-y^2 + 1)*N");
    assert_eq!(problem.domain.coordinates[3].role, Role::Parameter);
    assert_eq!(problem.domain.coordinates[1].high, std::f64::consts::TAU);
}

#[test]
fn a_point_inside_is_a_place() {
    let problem = accept("greek", files::GREEK);
    let Place::Pieces(pieces) = &problem.conditions[1].place else { panic!("pieces") };
    assert_eq!(pieces[0].fixed, [(0, 0.0), (1, 0.5)]);
    assert_eq!(pieces[0].normal, None);
    assert_eq!(problem.equations[0].name, "wave.θ");
}

#[test]
fn defaults_fill_what_the_file_leaves_out() {
    let problem = accept("poisson", files::POISSON);
    assert_eq!((problem.network.width, problem.network.depth), (20, 3));
    assert_eq!(problem.training.condition_points, 256);
    let phase = &problem.training.phases[0];
    assert_eq!((phase.optimizer, phase.points, phase.budget), (Method::Auto, None, None));
    assert_eq!((phase.adaptive, phase.resample, phase.learning_rate), (None, None, 1e-3));
    assert!(problem.network.normalize && problem.network.periodic.is_empty());
    assert_eq!(problem.conditions[0].equations[0].weight, Some(10.0));
}

#[test]
fn a_solution_by_name_may_say_how_accurate_it_should_be() {
    let stated = parse_with(files::BURGERS, &["reference.u.tolerance=1e-7".to_owned()]).expect("a tolerance");
    let solution = &stated.reference.solutions[0];
    assert!(matches!(solution, Some(Solution::Named { tolerance: Some(1e-7), .. })), "{solution:?}");
}

#[test]
fn a_plain_number_is_a_function_and_a_reference() {
    let text = files::POISSON.replace("exact = ", "one = 1\nhalf = 0.5\nexact = ");
    let text = text
        .replace("u = \"exact\"", "u = 2")
        .replace("[equations]", "[equations]\nextra = \"one*u = half\"");
    let problem = accept("numbers", &text);
    assert_eq!(residuals(&problem)[0], "u - 0.5");
    let Some(Solution::Formula(formula)) = problem.reference.solutions[0] else { panic!("a formula") };
    assert_eq!(problem.pool.as_number(formula), Some(2.0));
    let table = accept("numbers", &text.replace("u = 2", "u = { formula = 3 }"));
    assert!(matches!(table.reference.solutions[0], Some(Solution::Formula(_))));
}

#[test]
fn every_seed_of_64_bits_can_be_stated() {
    for (text, seed) in [("9223372036854775807", i64::MAX as u64), ("\"18446744073709551615\"", u64::MAX)] {
        let problem = parse_with(files::BURGERS, &[format!("training.seed={text}")]).expect("a seed");
        assert_eq!(problem.training.seed, seed);
    }
}

#[test]
fn the_same_equation_may_hold_at_several_places_and_several_at_the_same() {
    let more = "[conditions]\nmiddle = { on = \"x = 0\", equation = \"u = 0\" }\n\
        slopes = { on = \"x = -1, x = 1\", equation = \"u_xx = 0\" }\n\
        half = { on = \"x = -1 where t < 0.5\", equation = \"u = 0\" }";
    let text = files::BURGERS.replace("[conditions]", more);
    assert_eq!(parse(&text).expect("nothing is stated twice").conditions.len(), 5);
}

#[test]
fn names_of_derivatives_are_found_outside_formulas() {
    let problem = parse(files::BURGERS).expect("a good file");
    for name in ["u", "u_t", "u_xx", "u_tx"] {
        let (unknown, derivative) = problem.find_field(name).expect(name);
        assert_eq!(problem.field_name(unknown, derivative), name);
    }
    let said = |name: &str| problem.find_field(name).expect_err(name).to_string();
    assert_eq!(said("v"), "`v` is neither an unknown nor a derivative of one; the unknowns are u");
    assert_eq!(said("u_y"), "`u_y`: `y` is not made of coordinates; the coordinates are t, x");
    assert_eq!(said("u_"), "`u_`: `` is not made of coordinates; the coordinates are t, x");
    assert_eq!(said("u_xxxxx"), "`u_xxxxx` is a derivative of order 5; derivatives go up to order 4");
    let many = parse(files::POISSON_10D).expect("a good file");
    let (_, derivative) = many.find_field("u_x1x10").expect("coordinates with digits");
    assert_eq!(derivative.axes(), [0, 9]);
}

#[test]
fn every_face_of_many_gets_its_share_of_points_unless_the_file_says() {
    let problem = |count: usize, more: &str| {
        let text = format!(
            "[domain]\nx = {{ range = [0, 1], count = {count} }}\n[unknowns]\nu = {{}}\n[equations]\na = \"laplacian(u) = 1\"\n\
             [conditions]\nwalls = {{ on = \"boundary\", equation = \"u = 0\", exact = false }}\n{more}"
        );
        decide(parse(&text).expect("a good file")).expect("it can be").0.conditions[0].points
    };
    assert_eq!(problem(5, ""), None);
    assert_eq!(problem(20, ""), Some(1000));
    assert_eq!(problem(20, "[training]\ncondition_points = 300\n"), None);
}
