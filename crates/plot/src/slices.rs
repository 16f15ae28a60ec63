//! Which parts of a domain a picture shows.

use super::Resolution;
use super::ticks::written;
use equation::problem::{Coordinate, Problem, Role};
use pinnace::Points;

/// Two coordinates to draw over, and where the others stand.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Slices {
    /// The coordinate to the right.
    pub(super) across: usize,
    /// The coordinate upwards.
    pub(super) up: usize,
    /// The slices that are drawn, one below the other: a place in each, and what tells it from the others.
    pub(super) places: Vec<(Vec<f64>, String)>,
    /// What all of them have in common.
    pub(super) note: String,
}

impl Slices {
    /// The slices of a problem with two coordinates or more: over its first two space coordinates, or over
    /// time and space, those that are fixed last. Of three coordinates, or where there is time, three slices; else one through the
    /// middle, or where coordinates are fixed.
    pub(super) fn of(problem: &Problem, resolution: &Resolution) -> Option<Slices> {
        let coordinates = &shown(problem);
        let mut order: Vec<usize> = (0..coordinates.len()).collect();
        let role = |axis: usize| match coordinates[axis].role {
            Role::Space => 0,
            Role::Time => 1,
            Role::Parameter => 2,
        };
        order.sort_by_key(|&axis| (resolution.value(axis).is_some(), role(axis)));
        let (&[one, other], rest) = order.split_first_chunk::<2>()?;
        let (across, up) = (one.min(other), one.max(other));
        let free: Vec<usize> =
            rest.iter().copied().filter(|&axis| resolution.value(axis).is_none()).collect();
        let time = free.iter().find(|&&axis| coordinates[axis].role == Role::Time);
        let sliced = time.or(if let [only] = &free[..] { Some(only) } else { None }).copied();
        let middle: Vec<f64> = (0..coordinates.len())
            .map(|axis| resolution.value(axis).unwrap_or_else(|| at(&coordinates[axis], 0.5)))
            .collect();
        let places = match sliced {
            None => vec![(middle.clone(), String::new())],
            Some(axis) => {
                let shares = match coordinates[axis].role {
                    // The start is given: often there is nothing to see in its error.
                    Role::Time => [0.25, 0.5, 1.0],
                    Role::Space | Role::Parameter => [0.25, 0.5, 0.75],
                };
                let slice = |share| {
                    let mut place = middle.clone();
                    place[axis] = at(&coordinates[axis], share);
                    let name = format!("{} = {}", coordinates[axis].name, written(place[axis]));
                    (place, name)
                };
                shares.map(slice).to_vec()
            }
        };
        let fixed = rest.iter().filter(|&&axis| Some(axis) != sliced);
        Some(Slices { across, up, places, note: fixed_note(problem, fixed, &middle) })
    }

    /// Points of the slice through `place`: every place along the first coordinate with every one along the
    /// second, the second running fastest.
    pub(super) fn points(&self, place: &[f64], xs: &[f64], ys: &[f64]) -> Points {
        let mut points = Points::new(place.len());
        let mut row = place.to_vec();
        for &x in xs {
            for &y in ys {
                (row[self.across], row[self.up]) = (x, y);
                points.push(&row);
            }
        }
        points
    }
}

/// The coordinates of a problem as pictures show them: where it is about a shape, no further than that reaches.
pub(super) fn shown(problem: &Problem) -> Vec<Coordinate> {
    let reaching = |(axis, coordinate): (usize, &Coordinate)| {
        let (low, high) = problem.domain.reach(axis);
        Coordinate { low, high, ..coordinate.clone() }
    };
    problem.domain.coordinates.iter().enumerate().map(reaching).collect()
}

/// Says where the coordinates that a picture does not vary stand.
pub(super) fn fixed_note<'a>(
    problem: &Problem,
    fixed: impl Iterator<Item = &'a usize>,
    place: &[f64],
) -> String {
    /// More than these are said in one.
    const MOST: usize = 4;
    let fixed: Vec<usize> = fixed.copied().collect();
    let name =
        |&axis: &usize| format!("{} = {}", problem.domain.coordinates[axis].name, written(place[axis]));
    match fixed.len() {
        0 => String::new(),
        1..=MOST => format!("slice at {}", fixed.iter().map(name).collect::<Vec<_>>().join(", ")),
        count => format!("slice through the middle of the other {count} coordinates"),
    }
}

/// `share` of the way through a coordinate's interval.
pub(super) fn at(coordinate: &Coordinate, share: f64) -> f64 {
    coordinate.low + share * (coordinate.high - coordinate.low)
}

/// Evenly spaced places along a coordinate, both ends included.
pub(super) fn places_along(coordinate: &Coordinate, count: usize) -> Vec<f64> {
    let last = count.max(2) - 1;
    let place = |number: usize| match number {
        number if number == last => coordinate.high,
        number => at(coordinate, number as f64 / last as f64),
    };
    (0..=last).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use equation::parse::parse;

    fn slices(domain: &str) -> Slices {
        let text = format!(
            "[domain]\n{domain}\n[unknowns]\nu = {{}}\n[equations]\nlevel = \"u = 1\"\n[ansatz]\nu = \"N\"\n"
        );
        Slices::of(&parse(&text).expect("a problem"), &Resolution::default()).expect("two coordinates")
    }

    #[test]
    fn coordinates_that_are_fixed_are_not_drawn_along() {
        let text = "[domain]\nt = [0, 4]\nx = [-1, 1]\ny = [0, 1]\n[unknowns]\nu = {}\n[equations]\nlevel = \"u = 1\"\n\
                    [ansatz]\nu = \"N\"\n";
        let problem = parse(text).expect("a problem");
        let slices = |grid: &str| {
            let resolution = Resolution::parse(&problem, grid).expect("a grid");
            Slices::of(&problem, &resolution).expect("two coordinates")
        };
        let cut = slices("t=50,x=0.25");
        assert_eq!(
            (cut.across, cut.up, names(&cut), cut.note.as_str()),
            (0, 2, vec![""], "slice at x = 0.25")
        );
        let moment = slices("t=3.0");
        assert_eq!((moment.across, moment.up, moment.note.as_str()), (1, 2, "slice at t = 3"));
        assert_eq!(moment.places[0].0[0], 3.0);
        // Maps need two coordinates.
        assert_eq!((slices("t=3.0,y=0").across, slices("t=3.0,y=0").up), (1, 2));
    }

    fn names(slices: &Slices) -> Vec<&str> {
        slices.places.iter().map(|(_, name)| name.as_str()).collect()
    }

    #[test]
    fn two_coordinates_are_drawn_whole() {
        let slices = slices("t = [0, 1]\nx = [-1, 1]");
        assert_eq!((slices.across, slices.up, names(&slices), slices.note.as_str()), (0, 1, vec![""], ""));
    }

    #[test]
    fn time_is_sliced_early_in_the_middle_and_at_its_end() {
        let slices = slices("t = [0, 4]\nx = [-1, 1]\ny = [0, 1]\nz = [0, 4]");
        assert_eq!((slices.across, slices.up), (1, 2));
        assert_eq!(names(&slices), ["t = 1", "t = 2", "t = 4"]);
        assert_eq!(
            (slices.places[2].0.as_slice(), slices.note.as_str()),
            (&[4.0, 0.0, 0.5, 2.0][..], "slice at z = 2")
        );
    }

    #[test]
    fn parameters_are_sliced_before_time_is() {
        let slices = slices("Re = { range = [0, 100], parameter = true }\nt = [0, 1]\nx = [-1, 1]");
        assert_eq!((slices.across, slices.up), (1, 2));
        assert_eq!(names(&slices), ["Re = 25", "Re = 50", "Re = 75"]);
    }

    #[test]
    fn many_dimensions_are_cut_through_the_middle() {
        let slices = slices("x = { range = [0, 1], count = 10 }");
        assert_eq!(names(&slices), [""]);
        assert_eq!(slices.note, "slice through the middle of the other 8 coordinates");
    }
}
