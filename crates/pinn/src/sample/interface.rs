//! Points where subdomains meet: two sites at one place, and on which side each of them is.

use super::PointSequence;
use super::shape::stretched;
use equation::problem::{Problem, Role};
use equation::taylor::Row;
use kernel::Points;

/// Candidates per point that is wanted.
const TRIES_PER_POINT: usize = 200;

/// Pieces of the edges of subdomains, each with its length or area.
pub(super) fn pieces(problem: &Problem, subdomains: &[usize]) -> Vec<(usize, usize, f64)> {
    let each = |&subdomain: &usize| {
        let pieces = problem.domain.subdomains[subdomain].solid.pieces().iter().enumerate();
        pieces.map(move |(piece, own)| (subdomain, piece, own.measure().value)).collect::<Vec<_>>()
    };
    subdomains.iter().flat_map(each).collect()
}

/// At most so many points on one piece, fewer where little of it lies between two subdomains.
pub(super) fn on_piece(
    problem: &Problem,
    (subdomain, piece): (usize, usize),
    row: Row,
    count: usize,
    sequence: &PointSequence,
    points: &mut Points,
) {
    let domain = &problem.domain;
    let solid = &domain.subdomains[subdomain].solid;
    let (space, own) = (domain.space(), &solid.pieces()[piece]);
    let others: Vec<usize> =
        (0..domain.len()).filter(|&axis| domain.coordinates[axis].role != Role::Space).collect();
    let parameters = own.parameters();
    let mut unit = vec![0.0; parameters + others.len()];
    let (mut point, mut normal) = (vec![0.0; space.len()], vec![0.0; space.len()]);
    let mut found = 0;
    // An end of an interval is one place, however many are wanted, unless there is time.
    let wanted = if unit.is_empty() { 1 } else { count };
    for index in 0..wanted.saturating_mul(TRIES_PER_POINT) {
        if found == wanted {
            return;
        }
        sequence.point(index as u64, &mut unit);
        own.place(&unit[..parameters], &mut point, &mut normal);
        let Some(sign) = solid.outward(piece, &point, &normal) else { continue };
        normal.iter_mut().for_each(|slope| *slope *= sign);
        let mut numbers = vec![0.0; row.width()];
        space.iter().zip(&point).for_each(|(&axis, &value)| numbers[axis] = value);
        let rest = others.iter().zip(&unit[parameters..]);
        rest.for_each(|(&axis, &unit)| numbers[axis] = stretched(domain, axis, unit));
        let Some(sides) = domain.sides(subdomain, &numbers[..row.coordinates], &normal) else { continue };
        numbers.copy_within(..row.coordinates, row.coordinates);
        if row.normals {
            let first = row.coordinates * row.sites;
            space.iter().zip(&normal).for_each(|(&axis, &slope)| numbers[first + axis] = slope);
        }
        for (site, side) in sides.into_iter().enumerate() {
            let first = row.first_column() + site * domain.subdomains.len();
            if let Some(side) = side {
                numbers[first + side] = 1.0;
            }
        }
        points.push(&numbers);
        found += 1;
    }
}
