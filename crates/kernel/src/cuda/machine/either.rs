//! What kernels run on: a GPU, or the processor standing in for one. Nothing outside this folder knows which.

use super::cache::KernelCache;
use super::given::Given;
use super::gpu::{Gpu, GpuModule};
use super::region::Region;
use super::stand_in::{StandIn, StandInModule};
use crate::cuda::CudaError;

/// Unknowns from which on factors are cut into wide blocks on a GPU: on an H200 three at once take as long either way with 5,121.
const LEAST_WIDE: usize = 6144;

/// What a kernel's blocks are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    pub(crate) threads: usize,
    /// Bytes of shared memory that a launch of the module's first kernel provides.
    pub(crate) shared: usize,
    /// Blocks that share a multiprocessor.
    pub(crate) each: usize,
}

/// A machine that runs kernels.
#[derive(Clone, Debug)]
pub(crate) enum Machine {
    Gpu(Gpu),
    StandIn(StandIn),
}

/// Compiled kernels, by name.
#[derive(Debug)]
pub(crate) enum Module {
    Gpu(GpuModule),
    StandIn(StandInModule),
}

/// A source that is to be loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToLoad<'text> {
    pub(crate) text: &'text str,
    pub(crate) shape: Shape,
    /// The kernels that will be launched by name; those of the first use shared memory.
    pub(crate) kernels: &'text [&'static str],
    /// Others that use it, and how many bytes.
    pub(crate) staging: &'text [(&'static str, usize)],
    /// Set before the first launch.
    pub(crate) tables: &'text [GivenTable],
}

/// Numbers of a module that its text does not state.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct GivenTable {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
}

/// Launches that can be queued as one.
#[derive(Debug)]
pub(crate) enum Recorded {
    Gpu(super::gpu::Graph),
    StandIn,
}

impl Module {
    /// Whether one of its kernels has this name.
    pub(crate) fn has(&self, kernel: &str) -> bool {
        match self {
            Module::Gpu(module) => module.has(kernel),
            Module::StandIn(module) => module.has(kernel),
        }
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Module::Gpu(module) => module.bytes,
            Module::StandIn(_) => 0,
        }
    }
}

impl Machine {
    /// Blocks that are worth launching at once, `each` of them on every multiprocessor.
    pub(crate) fn blocks(&self, each: usize) -> usize {
        match self {
            Machine::Gpu(gpu) => gpu.multiprocessors() * each,
            Machine::StandIn(_) => StandIn::BLOCKS,
        }
    }

    /// Whether factors of so many unknowns are cut into wide blocks.
    pub(crate) fn is_wide(&self, unknowns: usize) -> bool {
        let least = match self {
            Machine::Gpu(_) => LEAST_WIDE,
            Machine::StandIn(_) => StandIn::LEAST_WIDE,
        };
        unknowns >= least
    }

    /// In words.
    pub(crate) fn describe(&self) -> String {
        match self {
            Machine::Gpu(gpu) => gpu.describe(),
            Machine::StandIn(_) => "stand-in".to_owned(),
        }
    }

    /// Where compiled kernels are kept.
    pub(crate) fn cache(&self) -> Option<&KernelCache> {
        match self {
            Machine::Gpu(gpu) => Some(gpu.cache()),
            Machine::StandIn(_) => None,
        }
    }

    /// Bytes that nobody has taken.
    pub(crate) fn free_bytes(&self) -> usize {
        match self {
            Machine::Gpu(gpu) => gpu.free_bytes(),
            Machine::StandIn(stand_in) => stand_in.bytes,
        }
    }

    /// The most bytes that were taken, and those that were taken before; `None` where nobody counts.
    pub(crate) fn taken_bytes(&self) -> Option<(usize, usize)> {
        match self {
            Machine::Gpu(gpu) => Some(gpu.taken_bytes()),
            Machine::StandIn(_) => None,
        }
    }

    /// Memory is given in multiples of so many bytes.
    pub(crate) fn page(&self) -> usize {
        match self {
            Machine::Gpu(_) => Gpu::PAGE,
            Machine::StandIn(_) => 1,
        }
    }

    /// Bytes of shared memory of a multiprocessor.
    pub(crate) fn shared_bytes(&self) -> usize {
        match self {
            Machine::Gpu(gpu) => gpu.shared_bytes(),
            Machine::StandIn(_) => StandIn::SHARED_BYTES,
        }
    }

    /// Bytes of the cache that all multiprocessors share.
    pub(crate) fn cache_bytes(&self) -> usize {
        match self {
            Machine::Gpu(gpu) => gpu.cache_bytes(),
            Machine::StandIn(_) => usize::MAX,
        }
    }

    /// Whether it has the matrix instruction of four warps.
    pub(crate) fn groups(&self) -> bool {
        match self {
            Machine::Gpu(gpu) => gpu.groups(),
            Machine::StandIn(_) => true,
        }
    }

    /// Blocks that may share a gradient at most: those that run at the same time can take turns.
    pub(crate) fn sharing(&self) -> usize {
        match self {
            Machine::Gpu(_) => usize::MAX,
            Machine::StandIn(_) => 1,
        }
    }

    /// Compiles sources, or finds them compiled, and loads their kernels.
    pub(crate) fn load(&self, wanted: &[ToLoad<'_>]) -> Result<Vec<Module>, CudaError> {
        match self {
            Machine::Gpu(gpu) => Ok(gpu.load(wanted)?.into_iter().map(Module::Gpu).collect()),
            Machine::StandIn(stand_in) => {
                let load = |one: &ToLoad<'_>| stand_in.load(one).map(Module::StandIn);
                wanted.iter().map(load).collect()
            }
        }
    }

    /// Queues a kernel on `blocks` blocks.
    pub(crate) fn launch(
        &self,
        module: &Module,
        kernel: &str,
        blocks: usize,
        arguments: &impl Given,
    ) -> Result<(), CudaError> {
        match (self, module) {
            _ if blocks == 0 => Ok(()),
            (Machine::Gpu(gpu), Module::Gpu(module)) => {
                gpu.launch(module, kernel, blocks, &arguments.words())
            }
            (Machine::StandIn(_), Module::StandIn(module)) => {
                module.launch(kernel, blocks, &arguments.words());
                Ok(())
            }
            _ => unreachable!("modules run on the machine that loaded them"),
        }
    }

    /// Queues what `launches` queues: on a GPU as one graph, which it hands back to be queued again.
    pub(crate) fn record(&self, launches: impl Fn() -> Result<(), CudaError>) -> Result<Recorded, CudaError> {
        match self {
            Machine::Gpu(gpu) => gpu.record(launches).map(Recorded::Gpu),
            Machine::StandIn(_) => Ok(Recorded::StandIn),
        }
    }

    /// Queues a recording again, or `launches` where there are no recordings.
    pub(crate) fn replay(
        &self,
        recorded: &Recorded,
        launches: impl Fn() -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        match recorded {
            Recorded::Gpu(graph) => graph.launch(),
            Recorded::StandIn => launches(),
        }
    }

    pub(crate) fn allocate(&self, bytes: usize) -> Result<Region<u8>, CudaError> {
        match self {
            Machine::Gpu(gpu) => gpu.allocate(bytes),
            Machine::StandIn(stand_in) => stand_in.allocate(bytes),
        }
    }

    pub(crate) fn free(&self, region: Region<u8>) {
        match self {
            Machine::Gpu(gpu) => gpu.free(region),
            Machine::StandIn(_) => super::stand_in::free(region),
        }
    }
}
