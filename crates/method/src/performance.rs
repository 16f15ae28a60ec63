//! How much is done to be fast, and how much of a machine is used, as data.

use crate::CompileMode;
use std::fmt;
use std::str::FromStr;

/// How much is done to be fast.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PerformanceLevel {
    /// Nothing that could be in doubt: f64, one thread, kernels launched one by one, nothing ahead of time.
    Basic,
    /// All that is known to be faster and changes no result beyond rounding.
    #[default]
    Advanced,
    /// What turns out to be the fastest on the machine at hand: alternatives are timed before the first step.
    Ultra,
    /// As `advanced`, with improvements of a user's own.
    Custom,
}

impl PerformanceLevel {
    /// All of them, with their names.
    pub const ALL: [(&'static str, PerformanceLevel); 4] = [
        ("basic", PerformanceLevel::Basic),
        ("advanced", PerformanceLevel::Advanced),
        ("ultra", PerformanceLevel::Ultra),
        ("custom", PerformanceLevel::Custom),
    ];

    /// As problem files write it.
    pub fn name(self) -> &'static str {
        match self {
            PerformanceLevel::Basic => "basic",
            PerformanceLevel::Advanced => "advanced",
            PerformanceLevel::Ultra => "ultra",
            PerformanceLevel::Custom => "custom",
        }
    }
}

/// Why a name is no level.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no level `{name}`; use `basic`, `advanced`, `ultra` or `custom`")]
pub struct PerformanceLevelError {
    /// As the user wrote it.
    pub name: String,
}

impl FromStr for PerformanceLevel {
    type Err = PerformanceLevelError;

    fn from_str(name: &str) -> Result<Self, PerformanceLevelError> {
        let found = PerformanceLevel::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, level)| level).ok_or_else(|| PerformanceLevelError { name: name.to_owned() })
    }
}

impl fmt::Display for PerformanceLevel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// How many points a block of a GPU may work on at a time: the sizes of tiles, the most efficient ones first.
pub const TILES: [usize; 7] = [64, 48, 40, 32, 24, 16, 8];

/// Points that a block of a GPU works on at a time. Sums are added up in an order that depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tiles {
    /// By a rule, or as the compile mode finds them.
    #[default]
    Rule,
    /// At most so many, one of [`TILES`].
    Points(usize),
}

impl Tiles {
    /// As problem files write it.
    pub fn written(self) -> String {
        match self {
            Tiles::Rule => "\"rule\"".to_owned(),
            Tiles::Points(points) => points.to_string(),
        }
    }

    /// The number, where there is one.
    pub fn points(self) -> Option<usize> {
        match self {
            Tiles::Rule => None,
            Tiles::Points(points) => Some(points),
        }
    }
}

/// On which cores threads run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Affinity {
    /// Wherever the system puts them.
    #[default]
    Off,
    /// Each on a core of its own, as far as there are enough.
    Spread,
    /// On these in turn, counted from 0.
    Cores(Vec<usize>),
}

impl Affinity {
    /// As problem files write it.
    pub fn written(&self) -> String {
        match self {
            Affinity::Off => "\"off\"".to_owned(),
            Affinity::Spread => "\"spread\"".to_owned(),
            Affinity::Cores(cores) => format!("{cores:?}"),
        }
    }
}

/// How much is done to be fast, as a problem file states it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Performance {
    /// The level, if stated.
    pub level: Option<PerformanceLevel>,
    /// How much is done before the first step on a GPU.
    pub compile: Option<CompileMode>,
    /// Points that a block of a GPU works on at a time.
    pub tiles: Option<Tiles>,
    /// Threads that compute.
    pub threads: Option<usize>,
    /// Where they run.
    pub affinity: Option<Affinity>,
    /// By how much other programs go first: 0 to 19, as with `nice`.
    pub priority: Option<u8>,
    /// Threads that find the batches of the next steps.
    pub workers: Option<usize>,
    /// Batches that they find before these are wanted.
    pub prefetch: Option<usize>,
    /// From which share of the memory on less of it is used.
    pub memory_threshold: Option<f64>,
    /// Bytes of memory that points may take which follow residuals: more are in a file.
    pub point_memory: Option<u64>,
}
