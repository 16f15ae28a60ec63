//! How one call shares an arena out: every pool's size is known before anything runs.

use super::plan::Purpose;
use std::ops::Range;

/// What a part of the arena holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemoryPool {
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
    pools: Vec<(MemoryPool, Range<usize>)>,
    bytes: usize,
}

impl Regions {
    pub(crate) fn new(sizes: &[(MemoryPool, usize)]) -> Regions {
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

    pub(crate) fn get(&self, pool: MemoryPool) -> Range<usize> {
        let found = self.pools.iter().find(|(own, _)| *own == pool);
        found.map(|(_, range)| range.clone()).expect("every pool has a region")
    }
}

impl MemoryPool {
    fn purpose(self) -> Purpose {
        match self {
            MemoryPool::Header
            | MemoryPool::Weights
            | MemoryPool::Direction
            | MemoryPool::Moments
            | MemoryPool::Candidates
            | MemoryPool::Unknowns => Purpose::Weights,
            MemoryPool::Gradients | MemoryPool::Turns | MemoryPool::Workspace | MemoryPool::Sums => {
                Purpose::Gradients
            }
            MemoryPool::Jacobian | MemoryPool::Sketch => Purpose::Rows,
            MemoryPool::Parts | MemoryPool::Matrix | MemoryPool::Factors => Purpose::Equations,
            MemoryPool::Jets => Purpose::Jets,
            MemoryPool::Points | MemoryPool::Rows => Purpose::Points,
            MemoryPool::Result
            | MemoryPool::Steps
            | MemoryPool::Seeds
            | MemoryPool::Output
            | MemoryPool::Values => Purpose::Output,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_do_not_overlap_and_end_inside_the_arena() {
        let regions =
            Regions::new(&[(MemoryPool::Points, 10), (MemoryPool::Jets, 0), (MemoryPool::Output, 300)]);
        assert_eq!(regions.get(MemoryPool::Points), 0..10);
        assert_eq!(regions.get(MemoryPool::Jets), 256..256);
        assert_eq!(regions.get(MemoryPool::Output), 256..556);
        assert_eq!(regions.bytes(), 768);
        assert_eq!(regions.groups().iter().map(|(_, bytes)| bytes).sum::<usize>(), regions.bytes());
    }
}
