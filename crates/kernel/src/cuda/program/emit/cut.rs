//! How the fused step is cut: warps, points of a tile, and what has room in shared memory.

use super::KernelTarget;
use super::dimensions::NumberFormat;
use super::fused::{Plain, arrays};
use equation::taylor::{Plan, Term};

/// Points of the largest tile, and of the smallest.
const MOST_POINTS: usize = 64;
const FEWEST_POINTS: usize = 8;

/// Bytes of the workspace that every thread has.
pub(super) const WORKSPACE_BYTES: usize = 8;

/// Shared memory of a block that the system takes for itself.
const RESERVED_BYTES: usize = 1024;

/// Registers that a thread's sums may take, and where numbers have two terms at most, which leaves more of them: left
/// factors of four warps that multiply together. With more channels than so many, larger tiles take longer than three seconds
/// to compile, and at some thousand points half as much memory again (`benches/gpu/fused-step.md`).
const SUM_REGISTERS: usize = 48;
const SUM_REGISTERS_OF_TWO: usize = 64;
const FEW_CHANNELS: usize = 3;

/// Warps of a multiprocessor: enough to hide what one waits for, and each thread has 128 registers.
const WARPS: usize = 16;

/// How a fused kernel is cut: warps side by side, tiles of 16 neurons per warp, points per tile of every term.
pub(super) struct TileCut {
    pub(super) warps: usize,
    pub(super) down: usize,
    pub(super) points: Vec<usize>,
    /// Blocks that share a multiprocessor.
    pub(super) each: usize,
    pub(super) shared: usize,
    /// Bytes of a block's shared memory that are left.
    pub(super) spare: usize,
}

impl TileCut {
    pub(super) fn of(
        plan: &Plan,
        plain: &Plain,
        format: NumberFormat,
        most: usize,
        target: KernelTarget,
    ) -> Option<TileCut> {
        let number = format.number;
        let tiles = plain.neurons.div_ceil(16);
        let down = tiles.div_ceil(WARPS);
        // Groups of four warps multiply together; wide networks are filled up to whole ones, and others that lack one warp.
        let grouped = down > 1 || (target.groups && format.terms > 0 && tiles % 4 == 3);
        let warps = if grouped { tiles.div_ceil(down).next_multiple_of(4) } else { tiles };
        let rows = (16 * warps * down).max(plain.features.next_multiple_of(16));
        let together = target.groups && format.terms > 0 && warps.is_multiple_of(4);
        let most_registers = |term: &Term| {
            let few = format.planes <= 2 && term.channels.len() <= FEW_CHANNELS;
            if together && few && down == 1 { SUM_REGISTERS_OF_TWO } else { SUM_REGISTERS }
        };
        let most_blocks = if target.variant.alone { 1 } else { WARPS / warps };
        for each in (1..=most_blocks).rev() {
            let taken = RESERVED_BYTES + WORKSPACE_BYTES * 32 * warps;
            let room = (target.shared / each).saturating_sub(taken);
            let fits = |term: &Term, points: usize| {
                let places = term.row.sites * points;
                let columns = term.channels.len() * places;
                let bytes =
                    format.cell_bytes(columns, rows) + scratch(term, plain, plan, points, warps) * number;
                let registers = down * columns / 8 * 4 * number / 4;
                registers <= most_registers(term) && bytes <= room && points <= 32 * warps
            };
            let largest = |term: &Term| {
                let sizes =
                    (1..=most.min(MOST_POINTS) / FEWEST_POINTS).rev().map(|tiles| tiles * FEWEST_POINTS);
                sizes.into_iter().find(|&points| fits(term, points))
            };
            if let Some(points) = plan.terms.iter().map(|term| largest(term)).collect::<Option<Vec<usize>>>()
            {
                let sizes = plan.terms.iter().zip(&points).map(|(term, &points)| {
                    let columns = term.channels.len() * term.row.sites * points;
                    format.cell_bytes(columns, rows)
                });
                let cells = sizes.max().unwrap_or(0);
                let rest = plan.terms.iter().zip(&points);
                let rest = rest.map(|(term, &points)| scratch(term, plain, plan, points, warps)).max();
                let shared = (cells + rest.unwrap_or(0) * number).next_multiple_of(16);
                let spare = room.saturating_sub(shared);
                return Some(TileCut { warps, down, points, each, shared, spare });
            }
        }
        None
    }
}

fn scratch(term: &Term, plain: &Plain, plan: &Plan, points: usize, warps: usize) -> usize {
    arrays(term, plain, plan, points, warps).iter().map(|(_, size)| size).sum()
}
