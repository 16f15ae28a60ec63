//! Where something is steep in space (Mao, Meng 2023 gather points where the solution is).

use crate::TrainError;
use equation::counter::Stream;
use equation::problem::{Domain, Role};
use equation::taylor::GivenColumns;
use kernel::Points;

/// Coordinates up to which each has its own difference; in more dimensions so many random directions stand for all.
const DIRECTIONS: usize = 3;

/// The size of the gradient at every point, in units of the box: by differences over a step of `reach` of each interval. `values` finds what is
/// differentiated, the same number at every point. Along space, or along time where there is no space.
///
/// With many coordinates, differences along random signs are taken: the mean of their squares is the square of the gradient (Hutchinson 1989).
pub(crate) fn steepness(
    domain: &Domain,
    points: &Points,
    given: Option<&GivenColumns>,
    (reach, chance): (f64, Stream),
    values: &mut dyn FnMut(&Points) -> Result<Vec<f64>, TrainError>,
) -> Result<Vec<f64>, TrainError> {
    let here = values(points)?;
    let each = (here.len() / points.len().max(1)).max(1);
    let mut squares = vec![0.0; points.len()];
    let directions = directions(domain, chance);
    // Random directions see the same gradient several times.
    let times =
        if directions.iter().all(|direction| direction.len() == 1) { 1.0 } else { directions.len() as f64 };
    for direction in &directions {
        let mut moved = points.clone();
        moved.for_each_mut(|row| {
            for &(axis, sign) in direction {
                let (low, high) = domain.reach(axis);
                let step = sign * reach * (high - low);
                // Towards the inside: nothing is said about what lies outside.
                let inside = (low..=high).contains(&(row[axis] + step));
                row[axis] += if inside { step } else { -step };
            }
        });
        if let Some(given) = given {
            moved.fill_given(given);
        }
        let there = values(&moved)?;
        let pairs = here.chunks_exact(each).zip(there.chunks_exact(each));
        for (square, (here, there)) in squares.iter_mut().zip(pairs) {
            let differences = here.iter().zip(there).map(|(here, there)| ((there - here) / reach).powi(2));
            *square += differences.sum::<f64>() / times;
        }
    }
    Ok(squares.into_iter().map(f64::sqrt).collect())
}

/// Axes with signs: one after the other, or random signs of all.
fn directions(domain: &Domain, chance: Stream) -> Vec<Vec<(usize, f64)>> {
    let of = |role: Role| -> Vec<usize> {
        (0..domain.len()).filter(|&axis| domain.coordinates[axis].role == role).collect()
    };
    let space = of(Role::Space);
    let axes = if space.is_empty() { of(Role::Time) } else { space };
    if axes.len() <= DIRECTIONS {
        return axes.into_iter().map(|axis| vec![(axis, 1.0)]).collect();
    }
    let sign = |number: u64| if chance.bits(number) & 1 == 0 { 1.0 } else { -1.0 };
    let direction = |direction: u64| {
        axes.iter().enumerate().map(|(place, &axis)| (axis, sign(direction << 32 | place as u64))).collect()
    };
    (0..DIRECTIONS as u64).map(direction).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(coordinates: &str) -> Domain {
        let text = format!(
            "title = \"T\"\n[domain]\n{coordinates}\n[unknowns]\nu = {{}}\n[equations]\nflat = \"u = 0\"\n[conditions]\n\
             ends = {{ on = \"boundary\", equation = \"u = 0\" }}\n"
        );
        equation::parse::parse(&text).unwrap_or_else(|mistakes| panic!("{mistakes:?}")).domain
    }

    #[test]
    fn the_gradient_in_space_is_found_in_units_of_the_box_and_never_from_outside() {
        let domain = domain("t = [0, 1]\nx = [0, 2]\ny = [-1, 1]");
        let points = Points::from_rows(3, vec![0.5, 0.0, -1.0, 0.25, 2.0, 1.0]);
        let mut values = |points: &Points| {
            assert!(points.iter().all(|row| (0.0..=2.0).contains(&row[1]) && (-1.0..=1.0).contains(&row[2])));
            // Steep in time, which does not count.
            Ok(points.iter().flat_map(|row| [100.0 * row[0] + 3.0 * row[1], 2.0 * row[2]]).collect())
        };
        let found =
            steepness(&domain, &points, None, (1e-6, Stream::new(1, 2)), &mut values).expect("numbers");
        // Both intervals are two long.
        let wanted = f64::hypot(6.0, 4.0);
        assert!(found.iter().all(|size| (size - wanted).abs() < 1e-6), "{found:?}");
    }

    #[test]
    fn random_directions_stand_for_many_coordinates() {
        let domain = domain("x = { range = [0, 1], count = 20 }");
        let points = Points::from_rows(20, vec![0.5; 20 * 400]);
        let mut values = |points: &Points| Ok(points.iter().map(|row| row[3] + 2.0 * row[7]).collect());
        let mut mean = 0.0;
        for seed in 0..200 {
            let chance = Stream::new(seed, 2);
            let found = steepness(&domain, &points, None, (1e-6, chance), &mut values).expect("numbers");
            mean += found[0] * found[0] / 200.0;
        }
        // |gradient|² is 5; one look has 1 or 9, and three looks a deviation of 2.3.
        assert!((mean - 5.0).abs() < 5.0 * 2.31 / 200f64.sqrt(), "{mean}");
    }

    #[test]
    fn without_space_time_counts() {
        let text = "title = \"T\"\n[domain]\nt = [0, 4]\n[unknowns]\nu = {}\n[equations]\na = \"u_t = 0\"\n\
                    [conditions]\nstart = { on = \"t = 0\", equation = \"u = 1\" }\n";
        let domain = equation::parse::parse(text).unwrap_or_else(|mistakes| panic!("{mistakes:?}")).domain;
        let points = Points::from_rows(1, vec![1.0, 4.0]);
        let mut values = |points: &Points| Ok(points.iter().map(|row| row[0]).collect());
        let found =
            steepness(&domain, &points, None, (1e-6, Stream::new(1, 2)), &mut values).expect("numbers");
        assert!(found.iter().all(|size| (size - 4.0).abs() < 1e-6), "{found:?}");
    }
}
