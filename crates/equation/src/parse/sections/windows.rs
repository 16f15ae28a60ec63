//! Whether time can be cut into the windows that `[training]` asks for, and into how many where it does not say.

use super::training::stated_windows;
use crate::parse::diagnostic::Mistakes;
use crate::parse::document::{Entry, Table};
use crate::problem::{Order, Parts, Problem, Tie};
use crate::swings::{growth, swings};
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

/// Cuts time into periods of what swings fastest, or by how fast small changes grow at the start, where the section leaves
/// it open. Only for Gauss-Newton, which balances a start against the equations: other methods need weights.
pub(in crate::parse) fn choose(training: &Table, problem: &mut Problem) {
    let mut methods = problem.training.phases.iter().map(|phase| phase.optimizer);
    let second_order = methods.all(|method| method.traits().order == Order::Second);
    if stated_windows(training).is_some() || !second_order {
        return;
    }
    if let Some(swings) = swings(problem).filter(|&swings| swings > FEW) {
        problem.training.windows = Parts::Periods { count: swings.round().min(MOST) as usize, swings };
    } else if let (Some(growth), Some(axis)) =
        (growth(problem).filter(|&growth| growth > MUCH), problem.time())
    {
        let time = &problem.domain.coordinates[axis];
        let parts = iter::successors(Some(FIRST / growth.min(MOST_GROWTH)), |part| Some(2.0 * part));
        let parts = parts.take_while(|&part| part < LAST);
        let times = parts.map(|part| time.low + rounded((time.high - time.low) * part));
        problem.training.windows = Parts::Doubling { times: times.collect(), growth };
    }
}

/// With two digits: people read it.
fn rounded(time: f64) -> f64 {
    let scale = 10.0_f64.powf(1.0 - time.log10().floor());
    (time * scale).round() / scale
}

/// Reports windows of a problem whose times belong together.
pub(in crate::parse) fn check(training: &Table, problem: &Problem, mistakes: &mut Mistakes) {
    let Some(entry) = training.get("windows").filter(|_| problem.training.windows.count() > 1) else {
        return;
    };
    let Some(tie) = problem.tie() else { return check_times(entry, problem, mistakes) };
    let condition = |number: usize| &problem.conditions[number].name;
    let (reason, hint) = match tie {
        Tie::NoTime => {
            ("there is no time".to_owned(), "time is the coordinate named `t`; otherwise leave `windows` out")
        }
        Tie::Circle => ("time is periodic and has no start".to_owned(), "leave `windows` out"),
        Tie::Parameters => (
            "[parameters] are trained over all of time".to_owned(),
            "leave `windows` out, or give the parameters as [constants]",
        ),
        Tie::Data => ("[data] may belong to any time".to_owned(), "leave `windows` out"),
        Tie::Later { condition: number } => {
            let name = condition(number);
            (format!("condition `{name}` states something about a later time"), "leave `windows` out")
        }
        Tie::Filter { condition: number } => {
            let name = condition(number);
            (format!("condition `{name}` holds at some times only"), "leave `windows` out, or its `where`")
        }
        Tie::Ansatz { unknown } => {
            let name = &problem.unknowns[unknown].name;
            (
                format!("the ansatz of `{name}` depends on time, and later windows begin elsewhere"),
                "state the start as a condition, or leave `windows` out",
            )
        }
        Tie::NoStart => ("no condition says how it begins".to_owned(), "add a condition at the start of `t`"),
    };
    let message = format!("this problem cannot be trained window by window: {reason}");
    mistakes.report_with(entry.node.span, message, hint);
}

/// Reports cuts that are not inside of time, or not one after the other.
fn check_times(entry: &Entry, problem: &Problem, mistakes: &mut Mistakes) {
    let (Parts::At(times), Some(axis)) = (&problem.training.windows, problem.time()) else { return };
    let time = &problem.domain.coordinates[axis];
    let (mut before, high) = (time.low, time.high);
    for &cut in times {
        if !(before < cut && cut < high) {
            let message = format!("expected times between {before} and {high}, found {cut}");
            mistakes.report_with(
                entry.node.span,
                message,
                "windows meet at these times, one after the other",
            );
            return;
        }
        before = cut;
    }
}
