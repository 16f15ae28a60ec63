//! Points in an order in which neighbours lie near one another.

use equation::problem::Coordinate;
use kernel::Points;
use rayon::prelude::*;

/// The points along a Z-curve through the box: by the first binary digits of all coordinates, then by the second, and so on,
/// until there are as many cells as points.
pub(super) fn in_order(coordinates: &[Coordinate], points: &Points) -> Points {
    let width = points.width();
    let mut ordered = vec![0.0; points.len() * width];
    for (&index, row) in order(coordinates, points).iter().zip(ordered.chunks_exact_mut(width)) {
        row.copy_from_slice(points.row(index));
    }
    Points::from_rows(width, ordered)
}

/// The places of the points in that order.
pub(crate) fn order(coordinates: &[Coordinate], points: &Points) -> Vec<usize> {
    let digits = points.len().max(1).ilog2();
    let rows: Vec<&[f64]> = points.iter().collect();
    let cells: Vec<usize> = rows.par_iter().map(|row| cell(coordinates, row, digits)).collect();
    // Where the points of each cell begin.
    let mut begins = vec![0; (1 << digits) + 1];
    cells.iter().for_each(|&cell| begins[cell + 1] += 1);
    (1..begins.len()).for_each(|cell| begins[cell] += begins[cell - 1]);
    let mut order = vec![0; points.len()];
    for (index, &cell) in cells.iter().enumerate() {
        order[begins[cell]] = index;
        begins[cell] += 1;
    }
    order
}

/// The cell of a point along the curve, one of 2^digits: one digit of each coordinate in turn, halving its interval.
pub(super) fn cell(coordinates: &[Coordinate], row: &[f64], digits: u32) -> usize {
    let mut cell = 0;
    for digit in 0..digits as usize {
        let (number, half) = (digit % coordinates.len(), digit / coordinates.len() + 1);
        let Coordinate { low, high, .. } = coordinates[number];
        let unit = (row[number] - low) / (high - low);
        let halves = f64::from(1 << half);
        let upper = (unit * halves).clamp(0.0, halves - 1.0) as usize & 1;
        cell = 2 * cell + upper;
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;
    use equation::counter::Stream;

    /// The mean distance of each point to the next.
    fn mean_step(points: &Points) -> f64 {
        let rows: Vec<&[f64]> = points.iter().collect();
        let away = |pair: &[&[f64]]| {
            pair[0].iter().zip(pair[1]).map(|(from, to)| (from - to).powi(2)).sum::<f64>().sqrt()
        };
        rows.windows(2).map(away).sum::<f64>() / (rows.len() - 1) as f64
    }

    fn coordinates(text: &str) -> Vec<Coordinate> {
        let text = format!(
            "title = \"T\"\n[domain]\n{text}\n[unknowns]\nu = {{}}\n[equations]\nflat = \"u = 0\"\n[conditions]\nends = {{ on = \"boundary\", equation = \"u = 0\" }}\n"
        );
        let problem = equation::parse::parse(&text).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
        problem.domain.coordinates
    }

    #[test]
    fn neighbours_lie_near_one_another_and_no_point_is_lost() {
        let coordinates = coordinates("x = [-1, 3]\ny = [2, 3]");
        let stream = Stream::new(5, 6);
        let rows = (0..2000).map(|index| match index % 2 {
            0 => 4.0 * stream.uniform(index) - 1.0,
            _ => 2.0 + stream.uniform(index),
        });
        let points = Points::from_rows(2, rows.collect());
        let ordered = in_order(&coordinates, &points);
        // A thousand points in a box of area 4: a grid of them has a spacing of 0.063.
        assert!(mean_step(&points) > 1.0 && mean_step(&ordered) < 0.2, "{}", mean_step(&ordered));
        let sorted = |points: &Points| {
            let mut bits: Vec<Vec<u64>> =
                points.iter().map(|row| row.iter().map(|value| value.to_bits()).collect()).collect();
            bits.sort_unstable();
            bits
        };
        assert_eq!(sorted(&points), sorted(&ordered));
    }

    #[test]
    fn on_a_line_the_order_is_that_of_the_line_and_a_hundred_coordinates_are_no_error() {
        let line = Points::from_rows(1, vec![0.7, 0.2, 1.0, 0.4]);
        let ordered = in_order(&coordinates("x = [0, 1]"), &line);
        assert_eq!(ordered, Points::from_rows(1, vec![0.2, 0.4, 0.7, 1.0]));
        let hundred: String = (0..100).map(|number| format!("x{number} = [0, 1]\n")).collect();
        let many = Points::from_rows(100, (0..300).map(|index| f64::from(index % 7) / 7.0).collect());
        assert_eq!(in_order(&coordinates(&hundred), &many).len(), 3);
    }
}
