//! Whether time can be cut into the windows that `[training]` asks for.

use crate::parse::diagnostic::Mistakes;
use crate::parse::document::{TomlEntry, TomlTable};
use crate::problem::{Parts, Problem, Tie};

/// Reports windows of a problem whose times belong together.
pub(in crate::parse) fn check(training: &TomlTable, problem: &Problem, mistakes: &mut Mistakes) {
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
            (format!("condition `{name}` refers to a later time"), "leave `windows` out")
        }
        Tie::Filter { condition: number } => {
            let name = condition(number);
            (format!("condition `{name}` holds at some times only"), "leave `windows` out, or its `where`")
        }
        Tie::Ansatz { unknown } => {
            let name = &problem.unknowns[unknown].name;
            (
                format!(
                    "the ansatz of `{name}` depends on time, but later time windows have other initial times"
                ),
                "state the start as a condition, or leave `windows` out",
            )
        }
        Tie::Elsewhere => ("an equation reads fields at other times".to_owned(), "leave `windows` out"),
        Tie::NoStart => ("there is no initial condition".to_owned(), "add a condition at the start of `t`"),
    };
    let message = format!("this problem cannot be divided into time windows: {reason}");
    mistakes.report_with(entry.node.span, message, hint);
}

/// Reports cuts that are not inside of time, or not one after the other.
fn check_times(entry: &TomlEntry, problem: &Problem, mistakes: &mut Mistakes) {
    let (Parts::At(times), Some(axis)) = (&problem.training.windows, problem.time()) else { return };
    let time = &problem.domain.coordinates[axis];
    let (mut before, high) = (time.low, time.high);
    for &cut in times {
        if !(before < cut && cut < high) {
            let message = format!("expected times between {before} and {high}, found {cut}");
            mistakes.report_with(
                entry.node.span,
                message,
                "the times are the interfaces between windows, in increasing order",
            );
            return;
        }
        before = cut;
    }
}
