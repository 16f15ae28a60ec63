//! Sums over dense branches, a tile of pairs at a time.

use super::chunk::{Chunk, LANES};
use super::terms::Term;
use linear::{Accumulation, Level, Scalars, Size, VectorWork, multiply};

/// Rows of a tile: samples whose shares are packed together.
pub(super) const ROWS: usize = 48;

/// Columns of a tile.
const COLUMNS: usize = 64;

/// Rows of sums that stay in registers.
const HELD: usize = 6;

/// Shares of [`ROWS`] samples from `row` on, branch after branch. Samples behind the last have none.
pub(super) fn packed(chunk: &Chunk, panel: usize, row: usize, into: &mut Vec<f64>) {
    into.clear();
    for branch in 0..chunk.height() {
        let line = &chunk.panels[panel][branch * chunk.stride..][..chunk.stride];
        let present = &line[row.min(line.len())..(row + ROWS).min(line.len())];
        into.extend_from_slice(present);
        into.resize((branch + 1) * ROWS, 0.0);
    }
}

/// A tile's place: its first sample downwards, and the first one to the right that the sums hold.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    pub(super) row: usize,
    pub(super) first: usize,
    pub(super) rows: usize,
    /// Numbers from one row of sums to the next.
    pub(super) width: usize,
}

impl Tile {
    /// Blocks of columns at or right of the diagonal: where they begin in the panel and in the sums, and how wide they are.
    fn blocks(self, stride: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        let start = self.row / LANES * LANES;
        (start..stride)
            .step_by(COLUMNS)
            .map(move |column| (column, column - self.first, COLUMNS.min(stride - column)))
    }
}

/// Adds the branches that both samples have: a product of matrices, in which presence is 1 or 0.
pub(super) fn products(chunk: &Chunk, tile: Tile, rows: &mut [f64], sums: &mut [f64]) {
    rows.iter_mut().for_each(|share| *share = if *share > 0.0 { 1.0 } else { 0.0 });
    let level = Level::best();
    for (column, place, columns) in tile.blocks(chunk.stride) {
        let size = Size { rows: tile.rows, columns, inner: chunk.height() };
        let present = Scalars { numbers: rows, row: 1, column: ROWS };
        multiply(
            level,
            size,
            present,
            (&chunk.panels[0][column..], chunk.stride),
            (&mut sums[place..], tile.width),
            Accumulation::Accumulate,
        );
    }
}

/// Adds the smaller of two shares of every branch.
pub(super) fn smaller(chunk: &Chunk, tile: Tile, rows: &[f64], sums: &mut [f64]) {
    for (column, place, columns) in tile.blocks(chunk.stride) {
        let panel = &chunk.panels[0][column..];
        Level::best().run(Smaller { chunk, tile, columns, rows, panel, sums: &mut sums[place..] });
    }
}

struct Smaller<'a> {
    chunk: &'a Chunk,
    tile: Tile,
    columns: usize,
    rows: &'a [f64],
    panel: &'a [f64],
    sums: &'a mut [f64],
}

impl VectorWork for Smaller<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Smaller { chunk, tile, columns, rows, panel, sums } = self;
        let height = chunk.height();
        for column in (0..columns).step_by(LANES) {
            // Rows behind the last sample are computed too, and lie in nobody's way.
            for row in (0..ROWS).step_by(HELD) {
                let mut held = [[0.0; LANES]; HELD];
                let count = HELD.min(tile.rows.saturating_sub(row));
                for (place, held) in held.iter_mut().enumerate().take(count) {
                    held.copy_from_slice(&sums[(row + place) * tile.width + column..][..LANES]);
                }
                for branch in 0..height {
                    let (Some(own), Some(others)) = (
                        rows[branch * ROWS + row..].first_chunk::<HELD>(),
                        panel[branch * chunk.stride + column..].first_chunk::<LANES>(),
                    ) else {
                        break;
                    };
                    for place in 0..HELD {
                        for lane in 0..LANES {
                            let least = if own[place] < others[lane] { own[place] } else { others[lane] };
                            held[place][lane] += least;
                        }
                    }
                }
                for (place, held) in held.iter().enumerate().take(count) {
                    sums[(row + place) * tile.width + column..][..LANES].copy_from_slice(held);
                }
            }
        }
    }
}

/// Adds both sums of every branch.
pub(super) fn pairs<T: Term>(
    chunk: &Chunk,
    tile: Tile,
    term: T,
    totals: &[f64],
    rows: [&[f64]; 2],
    sums: [&mut [f64]; 2],
) {
    let [first, second] = sums;
    for (column, place, columns) in tile.blocks(chunk.stride) {
        let sums = [&mut first[place..], &mut second[place..]];
        Level::best().run(Pairs { chunk, tile, term, totals, column, columns, rows, sums });
    }
}

struct Pairs<'a, T> {
    chunk: &'a Chunk,
    tile: Tile,
    term: T,
    /// Reads of every sample, padded to whole vectors.
    totals: &'a [f64],
    column: usize,
    columns: usize,
    rows: [&'a [f64]; 2],
    sums: [&'a mut [f64]; 2],
}

impl<T: Term> VectorWork for Pairs<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Pairs { chunk, tile, term, totals, column, columns, rows, sums: [first, second] } = self;
        let stride = chunk.stride;
        for offset in (0..columns).step_by(LANES) {
            let Some(others_total) = totals[column + offset..].first_chunk::<LANES>() else { break };
            for row in 0..tile.rows {
                let place = row * tile.width + offset;
                let mut held = [[0.0; LANES]; 2];
                held[0].copy_from_slice(&first[place..][..LANES]);
                held[1].copy_from_slice(&second[place..][..LANES]);
                let total = totals[tile.row + row];
                for branch in 0..chunk.height() {
                    let own = [rows[0][branch * ROWS + row], rows[1][branch * ROWS + row]];
                    let start = branch * stride + column + offset;
                    let (Some(ones), Some(others)) = (
                        chunk.panels[0][start..].first_chunk::<LANES>(),
                        chunk.panels[1][start..].first_chunk::<LANES>(),
                    ) else {
                        break;
                    };
                    let length = chunk.panel_lengths[branch];
                    for lane in 0..LANES {
                        let other = [ones[lane], others[lane]];
                        let [one, two] = term.of(length, own, other, [total, others_total[lane]]);
                        held[0][lane] += one;
                        held[1][lane] += two;
                    }
                }
                first[place..][..LANES].copy_from_slice(&held[0]);
                second[place..][..LANES].copy_from_slice(&held[1]);
            }
        }
    }
}
