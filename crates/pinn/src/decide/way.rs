//! The way through time.

use equation::problem::{Coordinate, Place, Problem, Role, Treatment};

/// Which coordinate is the time of a problem that has nothing but one end of it to go by, and where that end is.
/// Conditions that hold by construction count: they are no terms any more, and say as much.
pub(crate) fn way(problem: &Problem) -> Option<(usize, f64)> {
    let coordinates = &problem.domain.coordinates;
    let axis = coordinates.iter().position(|coordinate| coordinate.role == Role::Time)?;
    let around = |place: &Place| matches!(place, Place::Wrap { axis: around } if *around == axis);
    let periodic = problem.network.periodic.iter().any(|periodic| periodic.axis == axis);
    if periodic || !problem.data.is_empty() || problem.conditions.iter().any(|it| around(&it.place)) {
        return None;
    }
    let penalties = problem.conditions.iter().flat_map(|condition| condition.place.fixed());
    // Those that stay penalties are among the conditions, where a window has moved them to its own start.
    let exact = problem.enforcements.iter().filter(|it| matches!(it.treatment, Treatment::Exact { .. }));
    let exact = exact.flat_map(|enforcement| enforcement.fixed.iter().copied());
    let mut times = penalties.chain(exact).filter(|&(fixed, _)| fixed == axis).map(|(_, time)| time);
    let Coordinate { low, high, .. } = coordinates[axis];
    let first = times.next().unwrap_or(low);
    let known = if first == high { high } else { low };
    (first == known && times.all(|time| time == known)).then_some((axis, known))
}
