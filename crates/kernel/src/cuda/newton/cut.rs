//! How matrices are cut into tiles and blocks.

use super::dense::{BLOCK, CANDIDATES, DenseArguments, STAGED, WIDE_FACTOR};
use crate::cuda::machine::Region;
use crate::cuda::program::{SIDE, stride};

/// Tiles of the lower triangle of JᵀJ or JJᵀ.
pub(super) fn tiles(unknowns: usize) -> usize {
    let side = stride(unknowns) / SIDE;
    side * (side + 1) / 2
}

/// Numbers of a tile.
pub(super) const TILE: usize = SIDE * SIDE;

/// How a factor is cut into blocks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct FactorCut {
    pub(super) unknowns: usize,
    /// Whether blocks of threads take 128 by 128 numbers, not 64 by 64: better where there are so many that products are
    /// what counts (`benches/gpu/gauss-newton.md`).
    pub(super) wide: bool,
}

impl DenseArguments {
    /// How its factors are cut.
    pub(super) fn cut(&self) -> FactorCut {
        FactorCut { unknowns: self.size as usize, wide: self.wide != 0 }
    }
}

impl FactorCut {
    /// Blocks of 64 columns; as in `device/dense/cholesky.cuh`.
    pub(super) fn columns(self) -> usize {
        let blocks = (self.unknowns + 1) / BLOCK + 1;
        if self.wide { blocks.next_multiple_of(2) } else { blocks }
    }

    /// Numbers of a factor's columns, and of the blocks on its diagonal apart; rows are `side` numbers.
    pub(super) fn numbers(self, side: usize) -> [usize; 2] {
        [self.columns() * BLOCK * side, self.columns() * 2 * BLOCK.pow(2)]
    }

    /// All candidates' factors, the blocks on their diagonals, and their flags.
    pub(super) fn split(self, all: Region<f64>, side: usize) -> [Region<f64>; 3] {
        let [factor, corners] = self.numbers(side);
        all.split([factor, corners, self.flags()].map(|each| CANDIDATES * each))
    }

    /// The kernel that finds a factor, and its blocks of threads.
    pub(super) fn kernel(self) -> (&'static str, usize) {
        let triangle = |side: usize| side * (side + 1) / 2;
        if self.wide {
            (WIDE_FACTOR, triangle(self.columns() / 2))
        } else {
            ("factor", triangle(self.columns()))
        }
    }

    /// Words for flags of a factor's blocks, and of those of a solution's two halves.
    pub(super) fn flags(self) -> usize {
        let blocks = self.columns();
        blocks * (blocks + 1) / 2 + blocks
    }
}

/// Parts of the rows, or of the parameters for JJᵀ, that are added up apart, so that multiprocessors have equally much to do.
pub(super) fn parts(tiles: usize, rows: usize, multiprocessors: usize) -> usize {
    /// More would cost more to add up than they save.
    const MOST: usize = 16;
    /// Rows that a multiprocessor multiplies while its share of the memory's ports writes and reads a tile: 262 kB at 32 GB/s,
    /// 92 ns a row on an H200. Where tiles are many, parts would also take gigabytes.
    const GATHERED: usize = 90;
    let time = |&parts: &usize| {
        let rounds = (tiles * parts).div_ceil(multiprocessors);
        let gathered = (tiles * parts * GATHERED).div_ceil(multiprocessors);
        rounds * rows.div_ceil(parts).next_multiple_of(STAGED) + gathered
    };
    (1..=MOST).min_by_key(time).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_shared_out_so_that_multiprocessors_are_busy() {
        // 66 tiles on 132 multiprocessors.
        assert_eq!(tiles(1341), 66);
        assert_eq!(parts(66, 20_000, 132), 2);
        // Four rounds of whole tiles leave nothing to gain.
        assert_eq!(parts(528, 20_000, 132), 1);
        assert_eq!(parts(1, 10, 3), 1, "no part is empty");
        // 64×4: seven parts would make the last round a little fuller, and take 0.7 GB each.
        assert_eq!(tiles(12_737), 5050);
        assert_eq!(parts(5050, 8058, 132), 2);
    }
}
