//! Into how many windows time is cut.

use super::Decision;
use crate::oscillation::{growth, periods_in_time};
use crate::problem::{Order, Parts, Problem};
use std::iter;

/// Periods up to which one network holds all of time: with two, windows gained nothing, with three and a half, much.
const FEW: f64 = 3.0;

/// Windows that nobody asked for, at most.
const MOST: f64 = 100.0;

/// How often a small change grows to e times its size up to which one network holds all of time. A phase field with 63 was
/// never found by one.
const MUCH: f64 = 20.0;

/// The same in the first window.
const FIRST: f64 = 4.0;

/// Growth that is taken into account: fourteen windows.
const MOST_GROWTH: f64 = 4e4;

/// The part of time at which the last window begins at the latest.
const LAST: f64 = 0.6;

/// Cuts time into periods of the fastest oscillation, or by how fast perturbations grow at the start, where the file leaves
/// it open. Only for Gauss-Newton, which balances a start against the equations: other methods need weights.
pub(super) fn decide(problem: &mut Problem) -> Option<Decision> {
    // Without time there is nothing to cut.
    let axis = problem.time().filter(|_| problem.open.windows)?;
    let (parts, why) = parts(problem, axis);
    let value = match &parts {
        Parts::Equal(count) => count.to_string(),
        Parts::At(times) => format!("{times:?}"),
    };
    problem.training.windows = parts;
    Some(Decision::new("training.windows", value, why))
}

fn parts(problem: &Problem, axis: usize) -> (Parts, String) {
    let one = |why: &str| (Parts::Equal(1), why.to_owned());
    let mut methods = problem.training.phases.iter().map(|phase| phase.optimizer);
    if !methods.all(|method| method.traits().order == Order::Second) {
        return one("only Gauss-Newton balances the start of a window against the equations");
    }
    if problem.tie().is_some() {
        return one("this problem cannot be divided into time windows");
    }
    let periods = periods_in_time(problem);
    if let Some(periods) = periods.filter(|&periods| periods > FEW) {
        let why =
            format!("the solution has about {periods:.1} oscillation periods in time, a window for each");
        return (Parts::Equal(periods.round().min(MOST) as usize), why);
    }
    if let Some(growth) = growth(problem).filter(|&growth| growth > MUCH) {
        let time = &problem.domain.coordinates[axis];
        let parts = iter::successors(Some(FIRST / growth.min(MOST_GROWTH)), |part| Some(2.0 * part));
        let parts = parts.take_while(|&part| part < LAST);
        let times = parts.map(|part| time.low + rounded((time.high - time.low) * part));
        let why = format!("the linearised equations amplify small perturbations by e^{growth:.0}");
        return (Parts::At(times.collect()), why);
    }
    match periods {
        Some(periods) => one(&format!(
            "the solution has about {periods:.1} oscillation periods in time: one network holds them"
        )),
        None => one("the equations do not determine how the initial condition evolves"),
    }
}

/// With two digits: people read it.
fn rounded(time: f64) -> f64 {
    let scale = 10.0_f64.powf(1.0 - time.log10().floor());
    (time * scale).round() / scale
}
