//! What a file or a call says of how to compute, in place of the level.

use crate::Experiment;
use crate::sample::PointRoom;
use crate::trainer::{ahead, usual_workers};
use equation::decide::Decision;
use equation::problem::{Affinity, CompileMode, PerformanceLevel, Tiles};

impl Experiment {
    /// Chooses how much is done before the first step on a GPU to make the others fast.
    pub fn compiled(mut self, compile: CompileMode) -> Self {
        self.performance_stated().compile = Some(compile);
        self
    }

    /// How much that is.
    pub fn compile_mode(&self) -> CompileMode {
        let usual = match self.level() {
            PerformanceLevel::Basic => CompileMode::Default,
            PerformanceLevel::Advanced | PerformanceLevel::Ultra | PerformanceLevel::Custom => {
                CompileMode::default()
            }
        };
        self.problem().performance.compile.unwrap_or(usual)
    }

    /// Chooses how many points a block of a GPU works on at a time.
    pub fn with_tiles(mut self, tiles: Tiles) -> Self {
        self.performance_stated().tiles = Some(tiles);
        self
    }

    /// How many that are.
    pub fn tiles(&self) -> Tiles {
        self.problem().performance.tiles.unwrap_or_default()
    }

    /// Chooses how many threads compute, one at least. It changes no bit of a result.
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.performance_stated().threads = Some(threads.max(1));
        self
    }

    /// Chooses where they run. It changes no bit of a result.
    pub fn with_affinity(mut self, affinity: Affinity) -> Self {
        self.performance_stated().affinity = Some(affinity);
        self
    }

    /// Chooses how many threads find the batches of the next steps, where steps visit batches; `None` leaves it as it is. It
    /// changes no bit of a result.
    pub fn with_workers(mut self, workers: Option<usize>) -> Self {
        if workers.is_some() {
            self.performance_stated().workers = workers;
        }
        self
    }

    /// How many that are.
    pub fn workers(&self) -> usize {
        let usual = match self.level() {
            PerformanceLevel::Basic => 0,
            PerformanceLevel::Advanced | PerformanceLevel::Ultra | PerformanceLevel::Custom => {
                usual_workers(self.device().hardware())
            }
        };
        self.problem().performance.workers.unwrap_or(usual)
    }

    /// Chooses how many batches are found before they are wanted, one at least; see [`Self::with_workers`]. It changes no bit of a
    /// result.
    pub fn with_prefetch(mut self, batches: usize) -> Self {
        self.performance_stated().prefetch = Some(batches.max(1));
        self
    }

    /// How many that are.
    pub fn prefetch(&self) -> usize {
        let usual = || usize::try_from(ahead(self.workers())).unwrap_or(usize::MAX);
        self.problem().performance.prefetch.unwrap_or_else(usual)
    }

    /// From which share of the memory that it could have training uses less of it.
    pub fn memory_threshold(&self) -> f64 {
        /// Beyond, little is left for what others begin meanwhile.
        const USUAL: f64 = 0.8;
        self.problem().performance.memory_threshold.unwrap_or(USUAL)
    }

    /// Chooses how many bytes of memory points may take that follow residuals: more of them are in a temporary file. It changes no bit of
    /// a result.
    pub fn with_point_memory(mut self, bytes: u64) -> Self {
        self.performance_stated().point_memory = Some(bytes);
        self
    }

    /// How many that are.
    pub fn point_memory(&self) -> u64 {
        self.problem().performance.point_memory.unwrap_or(PointRoom::USUAL)
    }

    /// Whether its file, an override, a call or a measurement has said what the value of a key of problem files is, such as
    /// `training.precision`.
    pub fn states(&self, key: &str) -> bool {
        let stated = &self.problem().performance;
        let says = match key {
            "training.precision" => self.states_precision(),
            "performance.level" => stated.level.is_some(),
            "performance.compile" => stated.compile.is_some(),
            "performance.tiles" => stated.tiles.is_some(),
            "performance.threads" => stated.threads.is_some(),
            "performance.affinity" => stated.affinity.is_some(),
            "performance.priority" => stated.priority.is_some(),
            "performance.workers" => stated.workers.is_some(),
            "performance.prefetch" => stated.prefetch.is_some(),
            "performance.memory_threshold" => stated.memory_threshold.is_some(),
            "performance.point_memory" => stated.point_memory.is_some(),
            _ => self.is_written(key),
        };
        says || self.is_measured(key)
    }

    /// Whether the value of a key was measured.
    pub(crate) fn is_measured(&self, key: &str) -> bool {
        self.measured().iter().any(|decision: &Decision| decision.key == key)
    }
}
