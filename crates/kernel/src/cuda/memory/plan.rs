//! Memory as users are told about it.

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
