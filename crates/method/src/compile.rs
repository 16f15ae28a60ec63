//! How much is done before the first step to make the others fast.

use std::fmt;
use std::str::FromStr;

/// How much is done before the first step to make the others fast.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CompileMode {
    /// Kernels by rule, launched one by one.
    Default,
    /// Kernels by rule, many steps recorded and launched as one.
    #[default]
    ReduceOverhead,
    /// Kernels by time: the tiles that turned out to be the fastest for these points; which ones is remembered. Sums are added up in an order that depends on the tiles.
    MaxAutotune,
    /// A step the ordinary way, for comparison: products by cuBLASLt, and kernels of ours between them, launched one
    /// by one, with all channels of all points in memory.
    Off,
}

/// Why a name is no mode.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no compile mode `{name}`; use `default`, `reduce-overhead`, `max-autotune` or `off`")]
pub struct CompileModeError {
    /// As the user wrote it.
    pub name: String,
}

impl CompileMode {
    /// All of them.
    pub const ALL: [CompileMode; 4] =
        [CompileMode::Default, CompileMode::ReduceOverhead, CompileMode::MaxAutotune, CompileMode::Off];

    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            CompileMode::Default => "default",
            CompileMode::ReduceOverhead => "reduce-overhead",
            CompileMode::MaxAutotune => "max-autotune",
            CompileMode::Off => "off",
        }
    }
}

impl FromStr for CompileMode {
    type Err = CompileModeError;

    fn from_str(name: &str) -> Result<Self, CompileModeError> {
        let found = CompileMode::ALL.into_iter().find(|mode| mode.name() == name);
        found.ok_or_else(|| CompileModeError { name: name.to_owned() })
    }
}

impl fmt::Display for CompileMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
