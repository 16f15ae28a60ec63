//! Which conditions hold on which pieces of the boundary, and how.

use super::{Territory, face, short};
use crate::sample::{Sobol, keeps};
use equation::counter::Stream;
use equation::problem::{Condition, Enforcement, Piece, Place, Problem, Treatment};

/// An equation of a condition that holds somewhere.
#[derive(Clone, PartialEq, Debug)]
pub struct Holding {
    /// The condition's key in the file.
    pub condition: String,
    /// The equation as written.
    pub equation: String,
    /// Where, if that is no piece of the boundary.
    pub place: Option<String>,
    /// On which share of the piece: a filter may leave less than all.
    pub share: f64,
    /// Whether it holds whatever the network does; otherwise it is a penalty in the loss.
    pub exact: bool,
    /// Why it is a penalty, where that is known.
    pub why: Option<String>,
}

/// Places on a piece at which filters are asked.
const PLACES: u32 = 512;

/// The random numbers of those places: any will do.
const STREAM: u64 = 0x7e88;

/// Finds what holds on every piece, and elsewhere.
pub(super) fn hold(problem: &Problem, territory: &mut Territory) {
    for enforcement in &problem.enforcements {
        if matches!(enforcement.treatment, Treatment::Exact { .. }) {
            hold_exact(problem, territory, enforcement);
        }
    }
    let places: Vec<Vec<Vec<f64>>> =
        (0..territory.walls.len()).map(|wall| places(problem, territory, wall)).collect();
    let mut kept: Vec<Vec<bool>> = places.iter().map(|places| vec![false; places.len()]).collect();
    for condition in &problem.conditions {
        match &condition.place {
            Place::Pieces(pieces) => {
                hold_pieces(problem, territory, (condition, pieces), &places, &mut kept);
            }
            Place::Interface { subdomains } => {
                let names: Vec<&str> = subdomains
                    .iter()
                    .map(|&subdomain| problem.domain.subdomains[subdomain].name.as_str())
                    .collect();
                let place = Some(format!("the edge of {}", names.join(", ")));
                territory.elsewhere.extend(holdings(problem, condition, place, 1.0));
            }
            &Place::Wrap { axis } => {
                let coordinate = &problem.domain.coordinates[axis];
                let ends = [(axis, coordinate.low), (axis, coordinate.high)];
                let found: Vec<usize> = match territory.shaped {
                    true => Vec::new(),
                    false => ends.into_iter().filter_map(|end| face(problem, territory, end)).collect(),
                };
                let place = found.is_empty().then(|| format!("both ends of {} at once", coordinate.name));
                if place.is_some() {
                    territory.elsewhere.extend(holdings(problem, condition, place, 1.0));
                }
                for wall in found {
                    kept[wall].fill(true);
                    territory.walls[wall].held.extend(holdings(problem, condition, None, 1.0));
                }
            }
        }
    }
    for periodic in problem.network.periodic.iter().filter(|_| !territory.shaped) {
        let coordinate = &problem.domain.coordinates[periodic.axis];
        for end in [coordinate.low, coordinate.high] {
            let Some(wall) = face(problem, territory, (periodic.axis, end)) else { continue };
            kept[wall].fill(true);
            territory.walls[wall].held.push(Holding {
                condition: "network.periodic".to_owned(),
                equation: format!("{} is periodic", coordinate.name),
                place: None,
                share: 1.0,
                exact: true,
                why: None,
            });
        }
    }
    for (wall, kept) in territory.walls.iter_mut().zip(kept) {
        let share = kept.iter().filter(|kept| **kept).count() as f64 / kept.len().max(1) as f64;
        // What is exact holds on whole pieces.
        wall.covered = if wall.held.iter().any(|held| held.exact) { 1.0 } else { share };
    }
}

fn hold_exact(problem: &Problem, territory: &mut Territory, enforcement: &Enforcement) {
    let holding = |place: Option<String>| Holding {
        condition: enforcement.condition.clone(),
        equation: enforcement.equation.clone(),
        place,
        share: 1.0,
        exact: true,
        why: None,
    };
    for &surface in &enforcement.surfaces {
        territory.walls[surface].held.push(holding(None));
    }
    for &fixed in &enforcement.fixed {
        match face(problem, territory, fixed).filter(|_| !territory.shaped) {
            Some(wall) => territory.walls[wall].held.push(holding(None)),
            None => territory.elsewhere.push(holding(Some(plane(problem, &[fixed])))),
        }
    }
}

/// Penalties on pieces; `kept` learns where any of them holds.
fn hold_pieces(
    problem: &Problem,
    territory: &mut Territory,
    (condition, pieces): (&Condition, &[Piece]),
    places: &[Vec<Vec<f64>>],
    kept: &mut [Vec<bool>],
) {
    let wall_of = |piece: &Piece| match (territory.shaped, &piece.fixed[..]) {
        (true, _) => piece.surface,
        (false, &[fixed]) => face(problem, territory, fixed),
        (false, _) => None,
    };
    let walls: Vec<Option<usize>> = pieces.iter().map(wall_of).collect();
    for wall in 0..territory.walls.len() {
        let own = || pieces.iter().zip(&walls).filter(|(_, on)| **on == Some(wall)).map(|(piece, _)| piece);
        if own().next().is_none() {
            continue;
        }
        let mut count = 0;
        for (place, kept) in places[wall].iter().zip(&mut kept[wall]) {
            let holds = own().any(|piece| keeps(problem, piece, place));
            count += usize::from(holds);
            *kept |= holds;
        }
        if count > 0 {
            let share = count as f64 / places[wall].len() as f64;
            territory.walls[wall].held.extend(holdings(problem, condition, None, share));
        }
    }
    let aside = pieces.iter().zip(&walls).filter(|(_, wall)| wall.is_none());
    for (piece, _) in aside {
        territory.elsewhere.extend(holdings(problem, condition, Some(plane(problem, &piece.fixed)), 1.0));
    }
}

/// One for each equation of a condition that is a penalty.
fn holdings<'p>(
    problem: &'p Problem,
    condition: &'p Condition,
    place: Option<String>,
    share: f64,
) -> impl Iterator<Item = Holding> + 'p {
    condition.equations.iter().map(move |equation| {
        let mut treated = problem.enforcements.iter();
        let reason = treated.find_map(|it| match &it.treatment {
            Treatment::Penalty(reason) if it.condition == condition.name && it.equation == equation.text => {
                Some(reason)
            }
            Treatment::Penalty(_) | Treatment::Exact { .. } => None,
        });
        Holding {
            condition: condition.name.clone(),
            equation: equation.text.clone(),
            place: place.clone(),
            share,
            exact: false,
            why: reason.map(|reason| reason.sentence(problem)),
        }
    })
}

/// A place as problem files write it.
fn plane(problem: &Problem, fixed: &[(usize, f64)]) -> String {
    let part = |&(axis, value): &(usize, f64)| {
        format!("{} = {}", problem.domain.coordinates[axis].name, short(value))
    };
    fixed.iter().map(part).collect::<Vec<_>>().join(" and ")
}

/// Points on a piece of the boundary, by all coordinates.
fn places(problem: &Problem, territory: &Territory, wall: usize) -> Vec<Vec<f64>> {
    let domain = &problem.domain;
    let own = territory.axes.get(wall / 2).copied().unwrap_or(0);
    // A face of a box is a coordinate at its end; a piece of a shape has parameters in place of space coordinates.
    let free: Vec<usize> = (0..domain.len())
        .filter(|axis| if territory.shaped { !territory.axes.contains(axis) } else { *axis != own })
        .collect();
    let parameters = if territory.shaped { territory.dimension() - 1 } else { 0 };
    let dimensions = free.len() + parameters;
    let count = if dimensions == 0 { 1 } else { PLACES };
    let sobol = Sobol::scrambled(dimensions, Stream::new(STREAM, wall as u64));
    let mut unit = vec![0.0; dimensions];
    let mut places = Vec::new();
    for index in 0..count {
        if dimensions > 0 {
            sobol.point(u64::from(index), &mut unit);
        }
        let mut place = vec![0.0; domain.len()];
        if territory.shaped {
            let Some(footing) = territory.footing(wall, &unit[..parameters]) else { continue };
            territory.axes.iter().zip(footing.point).for_each(|(&axis, value)| place[axis] = value);
        } else {
            place[own] = territory.bounds[wall / 2][wall % 2];
        }
        for (&axis, unit) in free.iter().zip(&unit[parameters..]) {
            let (low, high) = domain.reach(axis);
            place[axis] = low + (high - low) * unit;
        }
        places.push(place);
    }
    places
}
