//! How one call shares the arena out: every pool's size is known before anything runs.

use std::ops::Range;

/// What a part of the arena holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pool {
    /// Points that stay from step to step.
    Points,
    /// Parameters and tables of one call.
    Header,
    /// Packed matrices.
    Weights,
    /// A direction in parameter space, packed the same way.
    Direction,
    /// All channels of all signals, one piece per block.
    Jets,
    /// One gradient per block, or per group of blocks.
    Gradients,
    /// Whose turn it is to add to which part of it.
    Turns,
    /// Sums in parts that a library makes.
    Workspace,
    /// Other sums, one set per block.
    Sums,
    /// What a call returns.
    Result,
    /// Running means of an optimizer.
    Moments,
    /// Step lengths, losses and progress of steps that stay on the device.
    Steps,
    /// Points of one call.
    Rows,
    /// Adjoints of residuals.
    Seeds,
    /// Numbers per point.
    Output,
    /// Residuals that come along with them.
    Values,
    /// Rows of a least-squares problem.
    Jacobian,
    /// Sums of those with random signs.
    Sketch,
    /// Their numbers in half precision, and scales.
    Halves,
    /// Their products with each other, in parts.
    Parts,
    /// The sums of those.
    Matrix,
    /// Its factors, one per damping.
    Factors,
    /// Vectors of steps, and parameters beside them.
    Candidates,
    /// Vectors with a number per row, where those are the unknowns.
    Unknowns,
}

/// Pools start at multiples of this, so that any piece can be copied in whole vectors.
const ALIGNMENT: usize = 256;

/// The arena, shared out.
#[derive(Clone, Debug)]
pub(crate) struct Regions {
    pools: Vec<(Pool, Range<usize>)>,
    bytes: usize,
}

impl Regions {
    pub(crate) fn new(sizes: &[(Pool, usize)]) -> Regions {
        let mut bytes = 0;
        let mut pools = Vec::with_capacity(sizes.len());
        for &(pool, size) in sizes {
            pools.push((pool, bytes..bytes + size));
            bytes = (bytes + size).next_multiple_of(ALIGNMENT);
        }
        Regions { pools, bytes }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes by purpose, each pool with the padding behind it.
    pub(crate) fn groups(&self) -> Vec<(Purpose, usize)> {
        let padded = |purpose: &Purpose| {
            let own = self.pools.iter().filter(|(pool, _)| pool.purpose() == *purpose);
            own.map(|(_, range)| range.len().next_multiple_of(ALIGNMENT)).sum()
        };
        Purpose::ALL.iter().map(|purpose| (*purpose, padded(purpose))).collect()
    }

    pub(crate) fn get(&self, pool: Pool) -> Range<usize> {
        let found = self.pools.iter().find(|(own, _)| *own == pool);
        found.map(|(_, range)| range.clone()).expect("every pool has a region")
    }
}

/// What a part of the memory is for, as users see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Parameters, their packed copies, tables, an optimizer's running means.
    Weights,
    /// One gradient per group of blocks, and their sums.
    Gradients,
    /// Rows of a least-squares problem that are there at one time.
    Rows,
    /// Their products with each other, and factors of those.
    Equations,
    /// All channels of all neurons, one piece per block; in mode `off` of all points.
    Jets,
    /// Points that are there at one time.
    Points,
    /// What a call hands back.
    Output,
}

impl Purpose {
    /// All of them.
    pub const ALL: [Purpose; 7] = [
        Purpose::Weights,
        Purpose::Gradients,
        Purpose::Rows,
        Purpose::Equations,
        Purpose::Jets,
        Purpose::Points,
        Purpose::Output,
    ];

    /// As users read it.
    pub fn name(self) -> &'static str {
        match self {
            Purpose::Weights => "weights",
            Purpose::Gradients => "gradients",
            Purpose::Rows => "rows",
            Purpose::Equations => "equations",
            Purpose::Jets => "jets",
            Purpose::Points => "points",
            Purpose::Output => "output",
        }
    }
}

impl Pool {
    fn purpose(self) -> Purpose {
        match self {
            Pool::Header
            | Pool::Weights
            | Pool::Direction
            | Pool::Moments
            | Pool::Candidates
            | Pool::Unknowns => Purpose::Weights,
            Pool::Gradients | Pool::Turns | Pool::Workspace | Pool::Sums => Purpose::Gradients,
            Pool::Jacobian | Pool::Sketch | Pool::Halves => Purpose::Rows,
            Pool::Parts | Pool::Matrix | Pool::Factors => Purpose::Equations,
            Pool::Jets => Purpose::Jets,
            Pool::Points | Pool::Rows => Purpose::Points,
            Pool::Result | Pool::Steps | Pool::Seeds | Pool::Output | Pool::Values => Purpose::Output,
        }
    }
}

/// The memory that training takes on a device, before it is taken.
#[derive(Clone, PartialEq, Debug)]
pub struct MemoryPlan {
    /// Bytes by purpose, padding included.
    pub pools: Vec<(Purpose, usize)>,
    /// Bytes that the driver took for the compiled kernels.
    pub kernels: usize,
    /// Bytes behind the pools: the driver gives whole pages.
    pub rest: usize,
    /// Bytes of the host's memory that copies go through.
    pub staging: usize,
    /// Pieces that the points are taken in, one after the other.
    pub chunks: usize,
    /// Blocks that share the work.
    pub blocks: usize,
    /// Blocks beside them that move parameters, where one launch takes many steps.
    pub movers: Option<usize>,
    /// What the user allows.
    pub limit: Option<usize>,
    /// Whether the device had less than was asked for at first.
    pub shortage: bool,
}

impl MemoryPlan {
    /// Bytes on the device.
    pub fn bytes(&self) -> usize {
        self.pools.iter().map(|(_, bytes)| bytes).sum::<usize>() + self.rest + self.kernels
    }
}

/// The memory that a kernel has taken on a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryUse {
    /// The most bytes that were planned and taken at one time, in whole pages, compiled kernels included.
    pub planned: usize,
    /// The most bytes that the driver has given, by its own count.
    pub measured: Option<usize>,
    /// Bytes that were taken before: the driver's context, and other programs.
    pub context: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_do_not_overlap_and_end_inside_the_arena() {
        let regions = Regions::new(&[(Pool::Points, 10), (Pool::Jets, 0), (Pool::Output, 300)]);
        assert_eq!(regions.get(Pool::Points), 0..10);
        assert_eq!(regions.get(Pool::Jets), 256..256);
        assert_eq!(regions.get(Pool::Output), 256..556);
        assert_eq!(regions.bytes(), 768);
        assert_eq!(regions.groups().iter().map(|(_, bytes)| bytes).sum::<usize>(), regions.bytes());
    }
}
