//! How many oscillation periods a field has over all of time, by its equations linearised at the start: small waves are laid over what the
//! conditions prescribe there, as long as what is prescribed, and the frequencies of these waves are found. What has no
//! space is followed on its way, too.
//!
//! A network that has to hold many periods at once is large and slow to train; one that has to hold one is not.
//!
//! `start` (what is prescribed at the start), `modes` (the rates of a wave), `path` (turns of what has no space), `periods_in_space`
//! (what has no time).

mod complex;
mod modes;
mod start;
mod steady;
mod trajectory;

pub use steady::periods_in_space;

use crate::expression::{Expression, Field, Leaf};
use crate::problem::Problem;
use crate::problem::{places, value};
use complex::Complex;
use modes::Entry;
use start::InitialState;
use std::f64::consts::TAU;

/// What a change of a field, differentiated in some way, changes in an equation.
struct Influence {
    equation: usize,
    field: Field,
    /// A function of place.
    factor: Expression,
}

/// The number of periods that the fastest wave goes through, a mean over space, or that what drives it goes through; without
/// space at least half the number of turns. `None` where equations, conditions and unknowns do not say how a start goes on.
pub fn periods_in_time(problem: &Problem) -> Option<f64> {
    let time = problem.time()?;
    let waves = waves(problem, time)?;
    let periods = trajectory::periods(problem, time).unwrap_or_else(|| steady::driven(problem, time));
    Some(periods.max(waves))
}

/// How large every unknown of a problem with time alone becomes, followed from its start. `None` where that does not say
/// how it goes on.
pub(crate) fn sizes(problem: &Problem) -> Option<Vec<f64>> {
    trajectory::sizes(problem, problem.time()?)
}

/// The number of times that a small change grows to e times its size, a mean over space: by what is made of a field where
/// it is, not by what flows together. `None` as in [`periods_in_time`].
pub fn growth(problem: &Problem) -> Option<f64> {
    let time = problem.time()?;
    let rates = rates(problem, time, true)?;
    let fastest = |rates: &Vec<Complex>| rates.iter().map(|rate| rate.real).fold(0.0, f64::max);
    let mean = rates.iter().map(fastest).sum::<f64>() / rates.len() as f64;
    let coordinate = &problem.domain.coordinates[time];
    mean.is_finite().then_some(mean * (coordinate.high - coordinate.low))
}

/// The number of periods that the fastest wave goes through, a mean over space.
fn waves(problem: &Problem, time: usize) -> Option<f64> {
    let rates = rates(problem, time, false)?;
    let fastest = |rates: &Vec<Complex>| rates.iter().map(|rate| rate.imaginary.abs()).fold(0.0, f64::max);
    let mean = rates.iter().map(|rates| fastest(rates).powi(2)).sum::<f64>() / rates.len() as f64;
    let coordinate = &problem.domain.coordinates[time];
    mean.is_finite().then(|| mean.sqrt() * (coordinate.high - coordinate.low) / TAU)
}

/// The rates of waves as long as those of the start, at several places; of a start that is taken as `flat` where it is
/// differentiated.
fn rates(problem: &Problem, time: usize, flat: bool) -> Option<Vec<Vec<Complex>>> {
    let coordinate = &problem.domain.coordinates[time];
    let orders = orders(problem, time);
    if problem.tie().is_some()
        || !problem.elsewhere.is_empty()
        || problem.equations.len() != orders.len()
        || orders.contains(&0)
    {
        return None;
    }
    // What is looked at leaves nothing behind.
    let mut pool = problem.pool.clone();
    let start = InitialState::read(&mut pool, problem, time);
    let mut influences = Vec::new();
    for (equation, stated) in problem.equations.iter().enumerate() {
        for leaf in pool.leaves(&[stated.residual]) {
            let Leaf::Field(field) = leaf else { continue };
            let slope = pool.derivative(stated.residual, leaf);
            influences.push(Influence { equation, field, factor: start.put_into(&mut pool, slope, flat) });
        }
    }
    let mut places = places(&problem.domain, &[(time, coordinate.low)]);
    // Means over space: its ends are looked at more often than they count.
    places.retain(|place| {
        let mut others =
            problem.domain.coordinates.iter().zip(place).enumerate().filter(|(axis, _)| *axis != time);
        others.all(|(_, (coordinate, place))| coordinate.low < *place && *place < coordinate.high)
    });
    let waves = start.waves(&mut pool, &places);
    if pool.overflow().is_some() {
        return None;
    }
    let rates_at = |place: &Vec<f64>| {
        let entries = influences.iter().map(|influence| {
            let axes = influence.field.derivative.axes();
            let along = axes.iter().filter(|axis| usize::from(**axis) != time);
            let wave = along.fold(Complex::from(1.0), |wave, axis| {
                wave * Complex { real: 0.0, imaginary: waves[usize::from(*axis)] }
            });
            Entry {
                row: influence.equation,
                column: usize::from(influence.field.unknown),
                power: in_time(influence.field, time),
                factor: wave * Complex::from(value(&pool, influence.factor, place)),
            }
        });
        modes::rates(&entries.collect::<Vec<_>>(), &orders, TAU / (coordinate.high - coordinate.low))
    };
    let rates: Vec<Vec<Complex>> = places.iter().filter_map(rates_at).collect();
    (!rates.is_empty()).then_some(rates)
}

/// How often every unknown is differentiated in time at most.
fn orders(problem: &Problem, time: usize) -> Vec<usize> {
    let mut orders = vec![0; problem.unknowns.len()];
    let residuals: Vec<Expression> = problem.equations.iter().map(|equation| equation.residual).collect();
    for leaf in problem.pool.leaves(&residuals) {
        if let Leaf::Field(field) = leaf {
            let order = &mut orders[usize::from(field.unknown)];
            *order = (*order).max(in_time(field, time));
        }
    }
    orders
}

/// How often a field is differentiated in time.
fn in_time(field: Field, time: usize) -> usize {
    field.derivative.axes().iter().filter(|axis| usize::from(**axis) == time).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    fn count(domain: &str, equations: &str, start: &str) -> Option<f64> {
        periods_in_time(&stated(domain, equations, start))
    }

    fn stated(domain: &str, equations: &str, start: &str) -> Problem {
        let names = ["u", "v", "w"].into_iter().filter(|name| equations.contains(&format!("{name}_")));
        let unknowns: String = names.map(|name| format!("{name} = {{}}\n")).collect();
        let text = format!(
            "[domain]\n{domain}\n[unknowns]\n{unknowns}\n[equations]\n{equations}\n[conditions]\n\
             start = {{ on = \"t = 0\", equations = [{start}] }}\n"
        );
        let text = if domain.contains('x') { format!("{text}turn = {{ periodic = \"x\" }}\n") } else { text };
        parse(&text).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("file")))
    }

    fn close(found: Option<f64>, wanted: f64) {
        let found = found.expect("it says how a start goes on");
        assert!((found - wanted).abs() < 0.05 * wanted, "{found} instead of {wanted}");
    }

    #[test]
    fn periods_are_counted() {
        close(count("t = [0, 10]", "a = \"u_tt + 16*u = 0\"", "\"u = 1\", \"u_t = 0\""), 40.0 / TAU);
        close(count("t = [0, 10]\nx = [0, 1]", "a = \"u_t + u_x = 0\"", "\"u = sin(2*pi*x)\""), 10.0);
        let wave = count("t = [0, 4]\nx = [0, 2]", "a = \"u_tt = 9*u_xx\"", "\"u = cos(pi*x)\", \"u_t = 0\"");
        close(wave, 6.0);
        let half =
            count("t = [0, 9]\nx = [0, 1]", "a = \"u_tt = u_xx\"", "\"u = 1 + sin(pi*x)\", \"u_t = 0\"");
        close(half, 4.5);
        let pair = "a = \"u_t = 3*v_x\"\nb = \"v_t = 3*u_x\"";
        close(count("t = [0, 4]\nx = [0, 2]", pair, "\"u = cos(pi*x)\", \"v = 0\""), 6.0);
        let pendulum = count("t = [0, 9]", "a = \"u_tt + sin(u) = 0\"", "\"u = 0\", \"u_t = 0.1\"");
        close(pendulum, 9.0 / TAU);
        let prey = "a = \"u_t = u*(2 - v)\"\nb = \"v_t = v*(u - 2)\"";
        close(count("t = [0, 30]", prey, "\"u = 2.1\", \"v = 2\""), 60.0 / TAU);
    }

    #[test]
    fn what_is_driven_swings_along() {
        let domain = "t = [0, 10]\nx = [0, 1]";
        let pushed = "a = \"u_t = 0.1*u_xx + cos(2*pi*t)\"";
        close(count(domain, pushed, "\"u = 0\""), 9.5);
        let walls = "[domain]\nt = [0, 10]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\na = \"u_t = u_xx\"\n[conditions]\n\
                     start = { on = \"t = 0\", equation = \"u = 0\" }\nleft = { on = \"x = 0\", equation = \"u = sin(pi*t)\" }\n\
                     right = { on = \"x = 1\", equation = \"u = 0\" }\n";
        close(periods_in_time(&parse(walls).expect("it is right")), 5.0);
    }

    #[test]
    fn turns_on_the_way_count_without_space() {
        let lorenz = "a = \"u_t = 10*(v - u)\"\nb = \"v_t = u*(28 - w) - v\"\nc = \"w_t = u*v - 8/3*w\"";
        // From its start it grows, and nothing oscillates there.
        close(count("t = [0, 3]", lorenz, "\"u = 1\", \"v = 1\", \"w = 1\""), 5.0);
        let pushed = count("t = [0, 40]", "a = \"u_tt + u_t = sin(2*t)\"", "\"u = 0\", \"u_t = 0\"");
        close(pushed, 12.0);
    }

    #[test]
    fn sizes_are_those_of_the_way_and_not_of_the_start() {
        let epidemic = stated(
            "t = [0, 160]",
            "a = \"u_t = -0.3*u*v/1e5\"\nb = \"v_t = 0.3*u*v/1e5 - 0.1*v\"\nc = \"w_t = 0.1*v\"",
            "\"u = 99990\", \"v = 10\", \"w = 0\"",
        );
        let sizes = sizes(&epidemic).expect("it says how a start goes on");
        for (found, wanted) in sizes.iter().zip([1e5, 3.0e4, 9.4e4]) {
            assert!((found / wanted - 1.0).abs() < 0.05, "{sizes:?}");
        }
    }

    #[test]
    fn sizes_of_what_decays_fast_are_no_accident_of_steps() {
        let kinetics = stated(
            "t = [0, 40]",
            "a = \"u_t = -0.04*u + 1e4*v*w\"\nb = \"v_t = 0.04*u - 1e4*v*w - 3e7*v^2\"\nc = \"w_t = 3e7*v^2\"",
            "\"u = 1\", \"v = 0\", \"w = 0\"",
        );
        let sizes = sizes(&kinetics).expect("it says how a start goes on");
        assert!((1e-5..1e-4).contains(&sizes[1]), "{sizes:?}");
        assert!((0.2..0.5).contains(&sizes[2]), "{sizes:?}");
    }

    #[test]
    fn what_decays_or_grows_does_not_swing() {
        let heat = count("t = [0, 9]\nx = [0, 1]", "a = \"u_t = u_xx\"", "\"u = sin(2*pi*x)\"");
        assert!(heat.is_some_and(|count| count < 1e-6), "{heat:?}");
        let growth = count("t = [0, 30]", "a = \"u_t = u*(1 - u)\"", "\"u = 0.01\"");
        assert!(growth.is_some_and(|count| count < 1e-6), "{growth:?}");
        let damped = count("t = [0, 30]", "a = \"u_tt + 5*u_t + u = 0\"", "\"u = 1\", \"u_t = 0\"");
        assert!(damped.is_some_and(|count| count < 1e-6), "{damped:?}");
    }

    #[test]
    fn what_is_made_where_it_is_grows() {
        let found = |domain: &str, equation: &str, start: &str| growth(&stated(domain, equation, start));
        close(found("t = [0, 30]", "a = \"u_t = u*(1 - u)\"", "\"u = 0.01\""), 30.0 * 0.98);
        let field = "a = \"u_t = u_xx - 100*(u^3 - u)\"";
        close(found("t = [0, 1]\nx = [0, 1]", field, "\"u = 0.01*sin(2*pi*x)\""), 100.0 - TAU * TAU);
        let steep = found("t = [0, 1]\nx = [0, 1]", "a = \"u_t + 50*u*u_x = 0\"", "\"u = sin(2*pi*x)\"");
        assert!(steep.is_some_and(|growth| growth < 1e-6), "{steep:?}");
        let heat = found("t = [0, 9]\nx = [0, 1]", "a = \"u_t = u_xx\"", "\"u = sin(2*pi*x)\"");
        assert!(heat.is_some_and(|growth| growth < 1e-6), "{heat:?}");
    }

    #[test]
    fn nothing_is_said_about_what_has_no_motion_of_its_own() {
        let flow = "a = \"u_t + v_x = u_xx\"\nb = \"u_x + v_x = 0\"";
        assert_eq!(count("t = [0, 1]\nx = [0, 1]", flow, "\"u = sin(2*pi*x)\""), None);
    }
}
