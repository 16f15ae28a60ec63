//! How many periods a solution without time has across the box: by equations that are linear, as Helmholtz' is, and by what
//! is prescribed and what drives it. And how often what drives a solution in time does.

use crate::expression::{Expression, Leaf, Pool};
use crate::problem::{Place, Problem, Role};
use crate::problem::{places, prescribed, value};
use std::f64::consts::TAU;

/// Places along a line on which turns are counted: some thirty periods are seen well.
const STEPS: usize = 512;

/// Where lines run, as a share of the other coordinates: a function may be zero on any one of them.
const LINES: [f64; 3] = [0.382, 0.618, 0.171];

/// Changes by less than this share of all that a function changes on its line are no turns.
const RIPPLE: f64 = 0.05;

/// Coordinates up to which waves across the box are looked for: with more of them, a network has no room for many.
const MOST_COORDINATES: usize = 4;

/// Faces of a condition on which what it prescribes is looked at.
const FACES: usize = 8;

/// Parts of a function, and functions, beyond which they are not looked at: a file must be read in no time.
const MOST_NODES: usize = 500;
const MOST_FUNCTIONS: usize = 24;

/// The largest number of periods along a coordinate of space; zero for problems with time, which have windows.
pub fn periods_in_space(problem: &Problem) -> f64 {
    if problem.time().is_some() || problem.domain.len() > MOST_COORDINATES {
        return 0.0;
    }
    // What is looked at leaves nothing behind.
    let mut pool = problem.pool.clone();
    let coordinates = problem.domain.coordinates.iter().enumerate();
    let space: Vec<usize> =
        coordinates.filter(|(_, coordinate)| coordinate.role == Role::Space).map(|(axis, _)| axis).collect();
    let functions = given(&mut pool, problem);
    let mut most: f64 = 0.0;
    for axis in space {
        most = most.max(free(&mut pool, problem, axis));
        let lines = functions.iter().map(|(function, fixed)| extrema(&pool, problem, *function, fixed, axis));
        most = lines.fold(most, |most, extrema| most.max(0.5 * extrema as f64));
    }
    if pool.overflow().is_some() { 0.0 } else { most }
}

/// The number of periods of what conditions prescribe over time and of what drives equations.
pub(super) fn driven(problem: &Problem, time: usize) -> f64 {
    // What is looked at leaves nothing behind.
    let mut pool = problem.pool.clone();
    let functions = given(&mut pool, problem);
    let most =
        functions.iter().map(|(function, fixed)| extrema(&pool, problem, *function, fixed, time)).max();
    if pool.overflow().is_some() { 0.0 } else { 0.5 * most.unwrap_or(0) as f64 }
}

/// Functions of the coordinates that conditions prescribe and equations are driven by, and where.
fn given(pool: &mut Pool, problem: &Problem) -> Vec<(Expression, Vec<(usize, f64)>)> {
    let mut functions = Vec::new();
    for condition in &problem.conditions {
        let Place::Pieces(pieces) = &condition.place else { continue };
        for equation in &condition.equations {
            if let Ok((_, function)) = prescribed(pool, equation.residual) {
                let function = at_rest(pool, problem, function);
                functions.extend(pieces.iter().take(FACES).map(|piece| (function, piece.fixed.clone())));
            }
        }
    }
    for equation in &problem.equations {
        functions.push((at_rest(pool, problem, equation.residual), Vec::new()));
    }
    functions.retain(|(function, _)| {
        let mut nodes = 0;
        pool.visit(&[*function], |_, _| nodes += 1);
        (2..=MOST_NODES).contains(&nodes)
    });
    functions.truncate(MOST_FUNCTIONS);
    functions
}

/// An expression without fields, and with what parameters start from.
fn at_rest(pool: &mut Pool, problem: &Problem, expression: Expression) -> Expression {
    pool.substitute(expression, &mut |pool, leaf| match leaf {
        Leaf::Field(_) => Some(pool.number(0.0)),
        Leaf::Parameter(position) => Some(pool.number(problem.parameters[usize::from(position)].start)),
        _ => None,
    })
}

/// How often a function turns along a coordinate, others being fixed.
fn extrema(
    pool: &Pool,
    problem: &Problem,
    function: Expression,
    fixed: &[(usize, f64)],
    axis: usize,
) -> usize {
    let moves = |leaf: Leaf| matches!(leaf, Leaf::Coordinate(other) if usize::from(other) == axis);
    if fixed.iter().any(|(other, _)| *other == axis) || !pool.mentions(function, moves) {
        return 0;
    }
    let along = |share: f64| {
        let mut place: Vec<f64> =
            problem.domain.coordinates.iter().map(|it| it.low + share * (it.high - it.low)).collect();
        fixed.iter().for_each(|&(other, at)| place[other] = at);
        let coordinate = &problem.domain.coordinates[axis];
        let values = (0..=STEPS).map(|step| {
            place[axis] = coordinate.low + (coordinate.high - coordinate.low) * step as f64 / STEPS as f64;
            value(pool, function, &place)
        });
        reversals(&values.collect::<Vec<_>>())
    };
    LINES.into_iter().map(along).max().unwrap_or(0)
}

/// How often a sequence turns back by more than a ripple.
fn reversals(values: &[f64]) -> usize {
    let (low, high) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| (low.min(value), high.max(value)));
    let least = RIPPLE * (high - low);
    // What is not finite is no oscillation, and what rounding does to a constant is none.
    if !least.is_finite() || least <= 1e-9 * high.abs().max(low.abs()) || values.iter().any(|it| it.is_nan())
    {
        return 0;
    }
    let (mut count, mut rising, mut extreme) = (0, None, values[0]);
    for &value in values {
        let up = match rising {
            Some(up) => up,
            None if (value - extreme).abs() > least => value > extreme,
            None => continue,
        };
        let ahead = if up { value - extreme } else { extreme - value };
        if rising.is_none() || ahead > 0.0 {
            (rising, extreme) = (Some(up), value);
        } else if -ahead > least {
            (count, rising, extreme) = (count + 1, Some(!up), value);
        }
    }
    count
}

/// Periods of waves that linear equations let run freely along a coordinate.
fn free(pool: &mut Pool, problem: &Problem, axis: usize) -> f64 {
    let coordinate = &problem.domain.coordinates[axis];
    let places = places(&problem.domain, &[]);
    let mut most: f64 = 0.0;
    for equation in problem.equations.iter().take(MOST_FUNCTIONS) {
        let mut nodes = 0;
        pool.visit(&[equation.residual], |_, _| nodes += 1);
        if nodes > MOST_NODES {
            continue;
        }
        for unknown in 0..problem.unknowns.len() {
            // Factors of the field and of its first, second, … derivative along the axis.
            let mut factors = [None; 5];
            for leaf in pool.leaves(&[equation.residual]) {
                let Leaf::Field(field) = leaf else { continue };
                let axes = field.derivative.axes();
                if usize::from(field.unknown) == unknown && axes.iter().all(|&it| usize::from(it) == axis) {
                    factors[axes.len()] = Some(pool.derivative(equation.residual, leaf));
                }
            }
            let linear = |pool: &Pool| {
                factors.iter().flatten().all(|&it| !pool.mentions(it, |leaf| matches!(leaf, Leaf::Field(_))))
            };
            // Of waves of higher order, and of what is not linear, nothing is said.
            if factors[2].is_none() || factors[3].is_some() || factors[4].is_some() || !linear(pool) {
                continue;
            }
            let factors = factors.map(|factor| factor.map(|factor| at_rest(pool, problem, factor)));
            let wave = |place: &Vec<f64>| {
                let [none, one, two] =
                    [0, 1, 2].map(|order| factors[order].map_or(0.0, |it| value(pool, it, place)));
                (none / two - (0.5 * one / two).powi(2)).max(0.0).sqrt()
            };
            let mean = places.iter().map(wave).sum::<f64>() / places.len() as f64;
            if mean.is_finite() {
                most = most.max(mean * (coordinate.high - coordinate.low) / TAU);
            }
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    fn found(domain: &str, equation: &str, walls: &str) -> f64 {
        let text = format!(
            "[domain]\n{domain}\n[unknowns]\nu = {{}}\n[equations]\nonly = \"{equation}\"\n[conditions]\n\
             walls = {{ on = \"boundary\", equation = \"u = {walls}\" }}\n"
        );
        periods_in_space(&parse(&text).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("file"))))
    }

    #[test]
    fn free_waves_are_counted_by_their_equation() {
        let square = "x = [0, 2]\ny = [0, 1]";
        assert!((found(square, "laplacian(u) + 400*u = 0", "0") - 40.0 / TAU).abs() < 1e-9);
        assert!((found("x = [0, 1]", "u_xx + 6*u_x + 109*u = 1", "0") - 10.0 / TAU).abs() < 1e-9);
        assert_eq!(found(square, "laplacian(u) - 400*u = 0", "0"), 0.0, "layers do not swing");
        assert_eq!(found("x = [0, 1]", "u_xx + 400*u*(1 - u^2) = 0", "0"), 0.0, "nor do kinks");
    }

    #[test]
    fn what_is_given_is_counted_along_each_coordinate() {
        let square = "x = [0, 1]\ny = [0, 1]";
        assert_eq!(found(square, "laplacian(u) = sin(2*pi*x)*sin(14*pi*y)", "0"), 7.0);
        assert_eq!(found(square, "laplacian(u) = 0", "cos(10*pi*x)*y"), 4.5);
        assert_eq!(found(square, "laplacian(u) = exp(-100*(x - 0.5)^2)", "x*y"), 0.5);
        assert_eq!(found(square, "laplacian(u) = 1", "0"), 0.0);
    }

    #[test]
    fn problems_with_time_have_windows_instead() {
        let text = "[domain]\nt = [0, 1]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\na = \"u_t = u_xx + 1e4*u\"\n\
                    [conditions]\nstart = { on = \"t = 0\", equation = \"u = 0\" }\nw = { on = \"boundary\", equation = \"u = 0\" }\n";
        assert_eq!(periods_in_space(&parse(text).expect("it is right")), 0.0);
    }
}
