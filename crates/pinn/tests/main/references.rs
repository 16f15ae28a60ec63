//! Promises about the built-in problems: what they call their solution solves them.

use equation::expression::{Expression, Leaf, Node, Pool, evaluate};
use equation::problem::{Equation, Problem, Solution};
use equation::taylor::{Row, Source, Term};
use pinnace::sample::{Draw, draw};
use pinnace::{BUILT_IN, BuiltIn, Experiment, Points};
use reference::{Cache, Truth};
use std::path::Path;

/// Points inside the domain at which equations are tried.
const INSIDE: usize = 200;

/// A residual may be this large, relative to the largest term in it: derivatives to fourth order are
/// symbolic, but solitons are quotients of numbers up to 1e26 that cancel.
const TOLERANCE: f64 = 1e-9;

/// Problems whose solution takes seconds to minutes, and what makes it shorter.
const LONG: [(&str, &str); 7] = [
    ("allen-cahn-kink", "domain.t=[0, 0.02]"),
    ("kdv-cosine", "domain.t=[0, 0.02]"),
    ("kuramoto-sivashinsky", "domain.t=[0, 0.02]"),
    ("gray-scott", "domain.t=[0, 0.002]"),
    ("gray-scott", "training.windows=1"),
    ("ginzburg-landau", "domain.t=[0, 0.005]"),
    ("cavity-smooth", "reference.u.tolerance=1e-6"),
];

/// With its conditions as equations of their own, none of them built into the network.
fn open(name: &str) -> Experiment {
    let mut overrides = vec!["training.hard_constraints=off".to_owned()];
    overrides.extend(LONG.iter().filter(|(long, _)| *long == name).map(|(_, shorter)| (*shorter).to_owned()));
    Experiment::open(name, &overrides).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn equations<'a>(problem: &'a Problem, term: &Term) -> &'a [Equation] {
    match term.source {
        Source::Interior => &problem.equations,
        Source::Condition(position) => &problem.conditions[position].equations,
        Source::Data(_) | Source::Prediction => &[],
    }
}

/// The formulas of all unknowns, or `None` where one is no formula.
fn formulas(problem: &Problem) -> Option<Vec<Expression>> {
    let formula = |solution: &Option<Solution>| match solution {
        Some(Solution::Formula(expression)) => Some(*expression),
        Some(Solution::Named { .. } | Solution::File { .. }) | None => None,
    };
    problem.reference.solutions.iter().map(formula).collect()
}

/// The residual with formulas in place of the unknowns.
fn solved(pool: &mut Pool, residual: Expression, formulas: &[Expression], coordinates: usize) -> Expression {
    pool.substitute(residual, &mut |pool, leaf| {
        let Leaf::Field(field) = leaf else { return None };
        let formula = formulas[usize::from(field.unknown)];
        let derivative = field
            .derivative
            .axes()
            .iter()
            .fold(formula, |expression, &axis| pool.differentiate(expression, usize::from(axis)));
        // Coordinates of a point's second site follow those of the first.
        let shift = usize::from(field.site) * coordinates;
        Some(pool.substitute(derivative, &mut |pool, leaf| match leaf {
            Leaf::Coordinate(axis) => Some(pool.leaf(Leaf::Coordinate(axis + shift as u16))),
            _ => None,
        }))
    })
}

/// The value of a leaf at a row of a term.
fn leaf(problem: &Problem, row: Row, numbers: &[f64], leaf: Leaf) -> f64 {
    let subdomains = problem.domain.subdomains.len();
    let told = subdomains > 0 && row.sites == 2 && row.columns == 2 * subdomains;
    match leaf {
        // A formula does not know sides: a little beside an interface it does.
        Leaf::Coordinate(axis) if told => {
            let (axis, side) = (usize::from(axis) % row.coordinates, usize::from(axis) / row.coordinates);
            numbers[axis] + [-1e-12, 1e-12][side] * numbers[row.coordinates * row.sites + axis]
        }
        Leaf::Inside(own) if told => {
            numbers[row.first_column() + usize::from(own.site) * subdomains + usize::from(own.subdomain)]
        }
        Leaf::Inside(own) => {
            let inside = problem.domain.subdomain(&numbers[..row.coordinates]);
            f64::from(u8::from(inside == Some(usize::from(own.subdomain))))
        }
        Leaf::Coordinate(axis) => numbers[usize::from(axis)],
        Leaf::Normal(axis) => numbers[row.coordinates * row.sites + usize::from(axis)],
        Leaf::Parameter(index) => problem.parameters[usize::from(index)].truth.expect("the truth is stated"),
        other => panic!("{other:?} is left over"),
    }
}

/// The largest summand of an expression: what rounding is relative to.
fn size(pool: &Pool, expression: Expression, value: &impl Fn(Expression) -> f64) -> f64 {
    match pool.node(expression) {
        Node::Sum(constant, terms) => terms
            .iter()
            .map(|(term, coefficient)| (coefficient.get() * value(*term)).abs())
            .fold(constant.get().abs(), f64::max),
        _ => 0.0,
    }
}

/// How many equations and conditions a formula was put into, and the largest residual relative to the
/// largest summand, with where it was met. `None` where some unknown has no formula.
fn worst(experiment: &Experiment) -> Option<(usize, f64, String)> {
    let (problem, plan) = (experiment.problem(), experiment.plan());
    let formulas = formulas(problem)?;
    let which = Draw { interior: INSIDE, ..experiment.settled()[0].draw(problem, 0) };
    let points = draw(problem, plan, experiment.tables(), which).expect("points are drawn");
    let mut pool = problem.pool.clone();
    let mut worst = (0, 0.0, String::new());
    for (term, points) in plan.terms.iter().zip(&points) {
        for equation in equations(problem, term) {
            let residual = solved(&mut pool, equation.residual, &formulas, problem.domain.len());
            assert_eq!(pool.overflow(), None, "{}", problem.title);
            let (mut largest, mut scale) = (0.0, 1.0);
            for numbers in points.iter() {
                let at =
                    |root: Expression| evaluate(&pool, root, &|name| leaf(problem, term.row, numbers, name));
                let residue = at(residual).abs();
                largest = if residue.is_finite() { f64::max(largest, residue) } else { f64::INFINITY };
                scale = f64::max(scale, size(&pool, residual, &at));
            }
            worst.0 += 1;
            if largest / scale >= worst.1 {
                (worst.1, worst.2) = (largest / scale, format!("{} {}", term.name, equation.name));
            }
        }
    }
    Some(worst)
}

#[test]
fn every_formula_satisfies_the_equations_and_conditions_of_its_problem() {
    let mut tried = 0;
    for built_in in BUILT_IN {
        let Some((equations, residual, place)) = worst(&open(built_in.name)) else { continue };
        assert!(residual <= TOLERANCE, "{}, {place}: {residual:e}", built_in.name);
        tried += equations;
    }
    assert!(tried > 50, "only {tried} equations were tried");
}

#[test]
fn a_formula_with_a_typing_error_is_noticed() {
    for (name, from, to) in [
        ("helmholtz", "(k^2 - 17*pi^2)", "(k^2 - 16*pi^2)"),
        ("maxwell", "Hx_t = -Ez_y", "Hx_t = Ez_y"),
        ("kdv", "u_x = d(exact, x)", "u_x = d(exact, t)"),
        ("reaction", "{ periodic = \"x\", fields = \"u\" }", "{ periodic = \"x\", fields = \"u, u_x\" }"),
        ("heat-inverse", "truth = 0.25", "truth = 0.26"),
    ] {
        let built_in = BuiltIn::find(name).expect("the problem is built in");
        assert!(built_in.text.contains(from), "{name} holds no `{from}`");
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/19-heat-inverse");
        let experiment =
            Experiment::from_text(name, &built_in.text.replace(from, to), Path::new(folder), &[])
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        let (_, residual, place) = worst(&experiment).expect("its reference is a formula");
        assert!(residual > 1e-4, "{name}, {place}: {residual:e}");
    }
}

/// A derivative of a true solution by central differences of order six, one axis after the other.
fn differences(truth: &dyn Fn(&[f64]) -> f64, place: &[f64], axes: &[u8], step: f64) -> f64 {
    let Some((&axis, rest)) = axes.split_first() else { return truth(place) };
    let at = |shift: f64| {
        let mut place = place.to_vec();
        place[usize::from(axis)] += shift * step;
        differences(truth, &place, rest, step)
    };
    (45.0 * (at(1.0) - at(-1.0)) - 9.0 * (at(2.0) - at(-2.0)) + (at(3.0) - at(-3.0))) / (60.0 * step)
}

#[test]
fn every_computed_solution_satisfies_the_equations_and_conditions_of_its_problem() {
    // The steepest shock is 0.004 wide; differences of order six leave (step/width)^6 of a derivative, and
    // rounding of 1e-12/step² of a second one.
    let step = 2e-4;
    let mut tried = 0;
    for built_in in BUILT_IN {
        let experiment = open(built_in.name);
        let (problem, plan) = (experiment.problem(), experiment.plan());
        if formulas(problem).is_some() {
            continue;
        }
        let truths = Truth::all(problem, &Cache::NONE).expect("references");
        // An equation about an unknown without a reference cannot be tried.
        let Some(truths) = truths.into_iter().collect::<Option<Vec<Truth>>>() else { continue };
        // The flow under a lid is accurate to 4e-7; its second derivatives next to the walls to a thousandth.
        let tolerance = if built_in.name == "cavity-smooth" { 3e-3 } else { 3e-4 };
        let phase = &experiment.settled()[0];
        let points =
            draw(problem, plan, experiment.tables(), Draw { interior: 40, ..phase.draw(problem, 0) })
                .expect("points are drawn");
        for (term, points) in plan.terms.iter().zip(&points) {
            for equation in equations(problem, term) {
                for numbers in points.iter().take(40) {
                    let fits = |axis: usize| {
                        let coordinate = &problem.domain.coordinates[axis];
                        let margin = 3.0 * step;
                        numbers[axis] > coordinate.low + margin && numbers[axis] < coordinate.high - margin
                    };
                    if term.source == Source::Interior && !(0..problem.domain.len()).all(fits) {
                        continue;
                    }
                    let at = |root: Expression| {
                        evaluate(&problem.pool, root, &|name| match name {
                            Leaf::Field(field) => {
                                let truth = &truths[usize::from(field.unknown)];
                                let value = |place: &[f64]| truth.value(problem, place);
                                let coordinates = problem.domain.len();
                                let place = &numbers[usize::from(field.site) * coordinates..][..coordinates];
                                // Rounding of fourth derivatives would be 1e-14/step⁴.
                                let step = if field.derivative.order() > 3 { 5.0 * step } else { step };
                                differences(&value, place, field.derivative.axes(), step)
                            }
                            other => leaf(problem, term.row, numbers, other),
                        })
                    };
                    let scale = size(&problem.pool, equation.residual, &at).max(1.0);
                    let residual = at(equation.residual).abs() / scale;
                    assert!(residual < tolerance, "{}, {}: {residual:e}", built_in.name, term.name);
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 100, "only {tried} points were tried");
}

#[test]
fn values_at_many_points_are_the_values_at_each() {
    for name in ["heat", "burgers", "allen-cahn"] {
        let experiment = open(name);
        let problem = experiment.problem();
        let truth = Truth::all(problem, &Cache::NONE).expect("references").swap_remove(0);
        let truth = truth.expect("a solution");
        let mut points = Points::new(2);
        // Points of the same time follow each other, as on a grid, and their number is not round.
        (0..1001)
            .for_each(|index| points.push(&[f64::from(index / 50) / 21.0, f64::from(index % 50) / 50.0]));
        let values = truth.values(problem, &points);
        assert!(
            points.iter().zip(&values).all(|(place, value)| truth.value(problem, place) == *value),
            "{name}"
        );
    }
}
