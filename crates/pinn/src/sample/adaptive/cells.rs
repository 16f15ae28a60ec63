//! A tree of cells that split where residuals are large and join where they are small. Each cell gets as many points as every other.

use crate::sample::neighbours::cell as cell_along_curve;
use equation::problem::Coordinate;
use kernel::Points;
use linear::tree::sum;
use rayon::prelude::*;

/// A cell of the box: halves are taken along one coordinate after the other, `depth` times; the digits of `code` say which.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// How often the box was halved.
    pub depth: u32,
    /// Which half each time, the first in the highest digit.
    pub code: u64,
}

/// Points of a cell at first.
const FIRST_POINTS: usize = 16;

/// Points that a cell has at least, on average: cells split no further than that.
const LEAST_POINTS: usize = 4;

/// Candidates that each half of a cell should have before it splits.
const LEAST_CANDIDATES: usize = 4;

impl Cell {
    /// Halves beyond these are smaller than any candidate's distance to the next.
    pub(crate) const DEEPEST: u32 = 40;
}

/// Equal cells for so many points.
pub(crate) fn first_cells(points: usize) -> Vec<Cell> {
    let depth = (points / FIRST_POINTS).max(1).ilog2();
    (0..1 << depth).map(|code| Cell { depth, code }).collect()
}

/// What became of the cells.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Refinement {
    /// The cells, in the order of the curve through the box.
    pub(crate) cells: Vec<Cell>,
    /// How many have split.
    pub(crate) refined: usize,
    /// How many pairs have joined.
    pub(crate) coarsened: usize,
}

/// Splits cells in which the mean of sizes at candidates is more than `split` times that of all, as far as `points` allow, the
/// largest first; joins two halves of a cell where both have less than `merge` times that. By one level at a time.
pub(crate) fn refine(
    cells: &[Cell],
    coordinates: &[Coordinate],
    (candidates, sizes): (&Points, &[f64]),
    (split, merge): (f64, f64),
    points: usize,
) -> Refinement {
    let homes = homes(cells, coordinates, candidates);
    let mut own = vec![Vec::new(); cells.len()];
    homes.iter().zip(sizes).for_each(|(&home, size)| own[home].push(*size));
    let mean = |sizes: &[f64]| sum(sizes.iter().copied()) / sizes.len().max(1) as f64;
    let all = mean(sizes);
    let levels: Vec<f64> = own.iter().map(|sizes| mean(sizes) / all).collect();

    let mut order: Vec<usize> = (0..cells.len())
        .filter(|&cell| {
            let enough = own[cell].len() >= 2 * LEAST_CANDIDATES && cells[cell].depth < Cell::DEEPEST;
            levels[cell] > split && enough
        })
        .collect();
    order.sort_by(|&one, &other| levels[other].total_cmp(&levels[one]).then(one.cmp(&other)));
    let room = (points / LEAST_POINTS).saturating_sub(cells.len());
    order.truncate(room);
    let mut splits = vec![false; cells.len()];
    order.iter().for_each(|&cell| splits[cell] = true);

    let mut refined =
        Refinement { cells: Vec::with_capacity(cells.len()), refined: order.len(), coarsened: 0 };
    let mut index = 0;
    while index < cells.len() {
        let Cell { depth, code } = cells[index];
        let is_pair = cells
            .get(index + 1)
            .is_some_and(|next| depth > 0 && code % 2 == 0 && (next.depth, next.code) == (depth, code + 1));
        if splits[index] {
            refined.cells.extend([2 * code, 2 * code + 1].map(|code| Cell { depth: depth + 1, code }));
            index += 1;
        } else if is_pair && levels[index] < merge && levels[index + 1] < merge {
            refined.cells.push(Cell { depth: depth - 1, code: code / 2 });
            refined.coarsened += 1;
            index += 2;
        } else {
            refined.cells.push(cells[index]);
            index += 1;
        }
    }
    refined
}

/// Shares of candidates in the chances by which all cells that have any get the same number of points.
pub(crate) fn cell_shares(cells: &[Cell], coordinates: &[Coordinate], candidates: &Points) -> Vec<f64> {
    let homes = homes(cells, coordinates, candidates);
    let mut counts = vec![0usize; cells.len()];
    homes.iter().for_each(|&home| counts[home] += 1);
    homes.into_iter().map(|home| 1.0 / counts[home] as f64).collect()
}

/// The cell of every candidate. Cells cover the box and come in the order of the curve.
fn homes(cells: &[Cell], coordinates: &[Coordinate], candidates: &Points) -> Vec<usize> {
    let digits = cells.iter().map(|cell| cell.depth).max().unwrap_or(0);
    let starts: Vec<u64> = cells.iter().map(|cell| cell.code << (digits - cell.depth)).collect();
    let rows: Vec<&[f64]> = candidates.iter().collect();
    let home = |row: &&[f64]| {
        let place = cell_along_curve(coordinates, row, digits) as u64;
        starts.partition_point(|start| *start <= place).saturating_sub(1)
    };
    rows.par_iter().map(home).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{pick, taken};
    use super::*;
    use equation::counter::Stream;

    fn square() -> Vec<Coordinate> {
        let text = "title = \"T\"\n[domain]\nx = [0, 1]\ny = [0, 1]\n[unknowns]\nu = {}\n[equations]\nflat = \"u = 0\"\n\
                    [conditions]\nends = { on = \"boundary\", equation = \"u = 0\" }\n";
        equation::parse::parse(text).unwrap_or_else(|mistakes| panic!("{mistakes:?}")).domain.coordinates
    }

    fn cloud(count: u64) -> Points {
        let stream = Stream::new(7, 8);
        Points::from_rows(2, (0..2 * count).map(|index| stream.uniform(index)).collect())
    }

    /// Large near the corner (1, 1).
    fn peaked(points: &Points) -> Vec<f64> {
        points.iter().map(|row| if row[0] > 0.75 && row[1] > 0.75 { 10.0 } else { 0.1 }).collect()
    }

    fn volume(cells: &[Cell]) -> f64 {
        cells.iter().map(|cell| 0.5f64.powi(cell.depth as i32)).sum()
    }

    #[test]
    fn cells_split_at_large_residuals_join_at_small_ones_and_always_cover_the_box() {
        let (coordinates, candidates) = (square(), cloud(8000));
        let sizes = peaked(&candidates);
        let mut cells = first_cells(1000);
        assert_eq!(cells.len(), 32);
        for _ in 0..3 {
            let next = refine(&cells, &coordinates, (&candidates, &sizes), (2.0, 0.5), 1000);
            assert!(next.refined > 0 || next.coarsened > 0, "{next:?}");
            cells = next.cells;
            assert_eq!(volume(&cells), 1.0, "{cells:?}");
        }
        let finest = cells.iter().map(|cell| cell.depth).max();
        let coarsest = cells.iter().map(|cell| cell.depth).min();
        assert!(finest > Some(6) && coarsest < Some(5), "{cells:?}");
        let shares = cell_shares(&cells, &coordinates, &candidates);
        let chosen = taken(&candidates, &pick(&shares, 1000, Stream::new(1, 1)));
        assert_eq!(chosen.len(), 1000);
        let within = peaked(&chosen).iter().filter(|size| **size > 1.0).count();
        // A sixteenth of the box; even points would have 63 there.
        assert!(within > 250, "{within}");
        // Residuals that are gone let all cells become equal again.
        let flat = vec![1e-9; 8000];
        let next = refine(&cells, &coordinates, (&candidates, &flat), (2.0, 0.5), 1000);
        assert_eq!((next.refined, next.coarsened), (0, 0), "equal residuals are no reason to change");
    }

    #[test]
    fn there_are_never_more_cells_than_points_for_them() {
        let (coordinates, candidates) = (square(), cloud(4000));
        let sizes = peaked(&candidates);
        let mut cells = first_cells(100);
        for _ in 0..10 {
            cells = refine(&cells, &coordinates, (&candidates, &sizes), (1.5, 1e-3), 100).cells;
            assert!(cells.len() <= 25, "{}", cells.len());
        }
        let nothing = refine(&cells, &coordinates, (&Points::new(2), &[]), (2.0, 0.5), 100);
        assert_eq!(volume(&nothing.cells), 1.0, "no candidates change nothing that matters");
    }
}
