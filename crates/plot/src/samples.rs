//! Values of a field at places.

use pinnace::Points;

/// Values of a field. What is no number is grey.
#[derive(Clone, PartialEq, Debug)]
pub enum Samples {
    /// On a grid, interpolated between its points.
    Grid {
        /// Places along the first axis, ascending.
        xs: Vec<f64>,
        /// Places along the second axis, ascending.
        ys: Vec<f64>,
        /// The value at `(xs[i], ys[j])` is at `i * ys.len() + j`.
        values: Vec<f64>,
    },
    /// At points, each drawn as a dot.
    Dots {
        /// The points.
        places: Vec<(f64, f64)>,
        /// One for each point.
        values: Vec<f64>,
    },
}

impl Samples {
    /// Values at the points of a table: on a grid, if that is what they are.
    pub(super) fn at(points: &Points, values: &[f64]) -> Samples {
        let sorted = |axis: usize| {
            let mut places: Vec<f64> = points.iter().map(|row| row[axis]).collect();
            places.sort_by(f64::total_cmp);
            places.dedup();
            places
        };
        let (xs, ys) = (sorted(0), sorted(1));
        let dots = || {
            let places = points.iter().map(|row| (row[0], row[1])).collect();
            Samples::Dots { places, values: values.to_vec() }
        };
        if xs.len() * ys.len() != points.len() || xs.len() < 2 || ys.len() < 2 {
            return dots();
        }
        let mut on_grid = vec![None; points.len()];
        for (row, &value) in points.iter().zip(values) {
            let position = |places: &[f64], place: f64| places.partition_point(|other| *other < place);
            if let Some(cell) = on_grid.get_mut(position(&xs, row[0]) * ys.len() + position(&ys, row[1])) {
                *cell = Some(value);
            }
        }
        match on_grid.into_iter().collect::<Option<Vec<f64>>>() {
            Some(values) => Samples::Grid { xs, ys, values },
            // A point occurs twice, another one not at all.
            None => dots(),
        }
    }
}

/// The value at a place, by the nearest four of a grid; NaN where one of them that counts is none.
pub(super) fn interpolate(xs: &[f64], ys: &[f64], values: &[f64], x: f64, y: f64) -> f64 {
    let ((left, right, across), (below, above, up)) = match (bracket(xs, x), bracket(ys, y)) {
        (Some(columns), Some(rows)) => (columns, rows),
        _ => return f64::NAN,
    };
    let value = |column: usize, row: usize| values.get(column * ys.len() + row).copied().unwrap_or(f64::NAN);
    // A weight of zero takes no part: 0 times NaN would be NaN.
    let mix = |start: f64, end: f64, share: f64| match share {
        0.0 => start,
        1.0 => end,
        _ => start + share * (end - start),
    };
    let lower = mix(value(left, below), value(right, below), across);
    let upper = mix(value(left, above), value(right, above), across);
    mix(lower, upper, up)
}

/// The same, but where some of the four are no numbers by the others alone, and where all are, the nearest number within two
/// cells: beyond the edge of a shape there are none.
pub(super) fn extrapolate(xs: &[f64], ys: &[f64], values: &[f64], x: f64, y: f64) -> f64 {
    let value = interpolate(xs, ys, values, x, y);
    if !value.is_nan() {
        return value;
    }
    let (Some((left, right, across)), Some((below, above, up))) = (bracket(xs, x), bracket(ys, y)) else {
        return f64::NAN;
    };
    let value = |column: usize, row: usize| values.get(column * ys.len() + row).copied().unwrap_or(f64::NAN);
    let corners = [
        (value(left, below), (1.0 - across) * (1.0 - up)),
        (value(right, below), across * (1.0 - up)),
        (value(left, above), (1.0 - across) * up),
        (value(right, above), across * up),
    ];
    let known = corners.iter().filter(|(value, weight)| !value.is_nan() && *weight > 0.0);
    let (sum, weights) =
        known.fold((0.0, 0.0), |(sum, weights), (value, weight)| (sum + value * weight, weights + weight));
    if weights > 0.0 {
        return sum / weights;
    }
    let near = |position: usize, end: usize, count: usize| position.saturating_sub(1)..(end + 2).min(count);
    let cells = near(left, right, xs.len())
        .flat_map(|column| near(below, above, ys.len()).map(move |row| (column, row)));
    // In cells, not in units of the coordinates, which may differ.
    let away = |(column, row): (usize, usize)| {
        let (columns, rows) = (column as f64 - left as f64 - across, row as f64 - below as f64 - up);
        columns * columns + rows * rows
    };
    let known = cells.filter(|&(column, row)| !value(column, row).is_nan());
    let nearest = known.min_by(|&one, &other| away(one).total_cmp(&away(other)));
    nearest.map_or(f64::NAN, |(column, row)| value(column, row))
}

/// The neighbours of `place` and its share of the way between them; `None` half a cell outside of them all.
fn bracket(places: &[f64], place: f64) -> Option<(usize, usize, f64)> {
    let last = places.len().checked_sub(1)?;
    let after = places.partition_point(|&other| other <= place).clamp(1, last.max(1)).min(last);
    let before = after.saturating_sub(1);
    let width = places[after] - places[before];
    let share = if width > 0.0 { (place - places[before]) / width } else { 0.0 };
    (-0.5..=1.5).contains(&share).then_some((before, after, share.clamp(0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_between_grid_points_are_interpolated_and_ends_are_exact() {
        let (xs, ys, values) = ([0.0, 1.0, 3.0], [0.0, 2.0], [0.0, 2.0, 10.0, 12.0, 30.0, 32.0]);
        let at = |x, y| interpolate(&xs, &ys, &values, x, y);
        assert_eq!([at(0.0, 0.0), at(3.0, 2.0), at(3.0, 0.0)], [0.0, 32.0, 30.0]);
        assert_eq!([at(0.5, 1.0), at(2.0, 0.0), at(-0.4, 2.9)], [6.0, 20.0, 2.0]);
        assert!(at(-0.6, 0.0).is_nan() && at(0.0, 3.1).is_nan());
    }

    #[test]
    fn a_hole_spreads_to_its_own_cells_only() {
        let (xs, ys, values) = ([0.0, 1.0, 2.0], [0.0], [f64::NAN, 1.0, 2.0]);
        let at = |x| interpolate(&xs, &ys, &values, x, 0.0);
        assert!(at(0.5).is_nan() && at(0.0).is_nan());
        assert_eq!([at(1.0), at(1.5)], [1.0, 1.5]);
        assert!(interpolate(&[], &[], &[], 0.0, 0.0).is_nan());
    }

    #[test]
    fn beyond_the_last_number_a_value_is_that_of_the_nearest_ones() {
        let (xs, ys) = ([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [0.0]);
        let values = [7.0, 9.0, f64::NAN, f64::NAN, f64::NAN, f64::NAN];
        let at = |x| extrapolate(&xs, &ys, &values, x, 0.0);
        assert_eq!([at(0.5), at(1.4), at(2.5)], [8.0, 9.0, 9.0]);
        assert!(at(4.5).is_nan() && extrapolate(&[], &[], &[], 0.0, 0.0).is_nan());
    }

    #[test]
    fn points_of_a_table_are_a_grid_in_any_order_and_dots_where_one_is_missing() {
        let mut points = Points::new(2);
        let rows = [[1.0, 5.0], [0.0, 5.0], [-0.0, 3.0], [1.0, 3.0]];
        rows.iter().for_each(|row| points.push(row));
        let Samples::Grid { xs, ys, values } = Samples::at(&points, &[4.0, 2.0, 1.0, 3.0]) else {
            panic!("a grid")
        };
        assert_eq!((xs, ys, values), (vec![0.0, 1.0], vec![3.0, 5.0], vec![1.0, 2.0, 3.0, 4.0]));
        points.push(&[2.0, 3.0]);
        let dots = Samples::at(&points, &[4.0, 2.0, 1.0, 3.0, 9.0]);
        assert!(matches!(dots, Samples::Dots { places, .. } if places.len() == 5));
    }
}
