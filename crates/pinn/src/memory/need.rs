//! Bytes by purpose, and what is said where they are too many.

use super::available::VARIABLE;
use equation::problem::Solver;
use std::fmt;

/// One in so many bytes that there are is left alone: a tenth, as messages say.
const SPARE: u64 = 10;

/// What memory is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostPurpose {
    /// The points that a step visits, copies included.
    Points,
    /// Candidates among which points are chosen by their residuals.
    Candidates,
    /// Residuals at all points.
    Residuals,
    /// The matrices of Gauss-Newton's equations and their factors.
    Equations(Solver),
    /// The state of a quasi-Newton method, and Adam's means.
    History,
    /// The network: weights, gradients of parts of the points, checkpoints.
    Network,
    /// Points at which errors are measured, and values there.
    TestPoints,
    /// Places at which a solution is asked for, and values there.
    Places,
}

impl HostPurpose {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            HostPurpose::Points => "points",
            HostPurpose::Candidates => "candidates for points",
            HostPurpose::Residuals => "residuals",
            HostPurpose::Equations(_) => "matrices of Gauss-Newton",
            HostPurpose::History => "optimizer state",
            HostPurpose::Network => "the network",
            HostPurpose::TestPoints => "test points",
            HostPurpose::Places => "evaluation points and values",
        }
    }

    /// What makes it less.
    pub fn remedy(self) -> &'static str {
        match self {
            HostPurpose::Points | HostPurpose::Residuals => {
                "lower training.points, training.most_points or training.condition_points, or visit points inside in batches (training.batch, with `adam`): \
                 those that do not move are then drawn when they are needed, and those of `rad` and `gradient` are in a file where they are many"
            }
            HostPurpose::Candidates => {
                "lower training.points and training.most_points, or set training.adaptive = false (in training.sampling: no method that moves points, \
                 or `rad` and `gradient` with training.batch, which choose points in parts)"
            }
            HostPurpose::Equations(Solver::NormalEquations) => {
                "lower network.width or network.depth, or set training.solver = \"subspace\""
            }
            HostPurpose::Equations(Solver::Woodbury) => {
                "lower training.points and training.most_points, or set training.solver = \"subspace\""
            }
            HostPurpose::Equations(
                Solver::Auto | Solver::ConjugateGradients | Solver::Sketch | Solver::Subspace,
            ) => "lower network.width and training.points, or set training.optimizer = \"lbfgs\"",
            HostPurpose::History => {
                "lower network.width, network.depth or training.memory, or set training.optimizer = \"adam\""
            }
            HostPurpose::Network => "lower network.width or network.depth",
            HostPurpose::TestPoints => "lower the numbers of reference.grid",
            HostPurpose::Places => "lower the numbers of --grid, or ask for fewer points",
        }
    }
}

/// Bytes for one purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryItem {
    /// What for.
    pub purpose: HostPurpose,
    /// How many; the largest number where they are more.
    pub bytes: u64,
}

/// Memory of the host that something takes at the same time, at most.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Need {
    parts: Vec<MemoryItem>,
}

impl Need {
    /// With so many more numbers of eight bytes for a purpose.
    pub(crate) fn with(self, purpose: HostPurpose, numbers: f64) -> Self {
        self.with_bytes(purpose, numbers * size_of::<f64>() as f64)
    }

    /// With so many more bytes for a purpose.
    pub(crate) fn with_bytes(mut self, purpose: HostPurpose, bytes: f64) -> Self {
        // Casts of what is too large give the largest number.
        let bytes = bytes as u64;
        match self.parts.iter_mut().find(|part| part.purpose == purpose) {
            Some(part) => part.bytes = part.bytes.saturating_add(bytes),
            None if bytes > 0 => self.parts.push(MemoryItem { purpose, bytes }),
            None => {}
        }
        self
    }

    /// Without what is for one of the purposes.
    pub(crate) fn without(mut self, purpose: HostPurpose) -> Self {
        self.parts.retain(|part| part.purpose != purpose);
        self
    }

    /// By purpose, the largest first.
    pub fn parts(&self) -> Vec<MemoryItem> {
        let mut parts = self.parts.clone();
        parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
        parts
    }

    /// All of it.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().fold(0, |sum, part| sum.saturating_add(part.bytes))
    }

    /// Refuses more than there is. Where nobody tells what there is, nothing is refused.
    pub fn check(self, available: Option<u64>) -> Result<(), MemoryError> {
        match available {
            // The estimate counts arrays, and other programs want something, too.
            Some(available) if self.bytes() > usable(available) => {
                Err(MemoryError::TooLittle { need: self, available })
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// As people read it: `1.2 MB: points 1.0 MB, the network 0.2 MB`. Parts that hardly count are left out.
impl fmt::Display for Need {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const HARDLY: u64 = 100;
        let whole = self.bytes();
        let parts: Vec<String> = (self.parts().iter())
            .filter(|part| part.bytes >= whole / HARDLY)
            .map(|part| format!("{} {}", part.purpose.name(), show(part.bytes)))
            .collect();
        write!(formatter, "{}: {}", show(whole), parts.join(", "))
    }
}

/// Why something is not begun.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MemoryError {
    /// The machine has less than is needed.
    #[error("{}", too_little(need, *available))]
    TooLittle {
        /// What is needed.
        need: Need,
        /// What there is.
        available: u64,
    },
    /// The environment says something else than a number.
    #[error("{VARIABLE}={text}: a number of bytes is needed, such as 8000000000 or 8e9")]
    Variable {
        /// As it was set.
        text: String,
    },
}

/// What may be taken of what there is.
fn usable(available: u64) -> u64 {
    available - available / SPARE
}

fn too_little(need: &Need, available: u64) -> String {
    // What takes most, and whatever else takes half of what there is.
    let parts = need.parts().into_iter().enumerate();
    let large = parts.filter(|(place, part)| *place == 0 || part.bytes > available / 2);
    let mut remedies: Vec<&str> = large.map(|(_, part)| part.purpose.remedy()).collect();
    remedies.dedup();
    let remedy = remedies.join("; and ");
    let (needed, usable) = (need.bytes(), usable(available));
    // Two numbers that look the same would not explain a refusal.
    let show_all = if show(needed) == show(usable) { |bytes| format!("{bytes} bytes") } else { show };
    format!(
        "this needs about {} of memory ({}), but {} may be used (of {} that are available, a tenth is left to other programs): \
         {remedy}; {VARIABLE}=BYTES overrides the available memory",
        show_all(needed),
        need.to_string().split_once(": ").map_or("", |(_, parts)| parts),
        show_all(usable),
        show(available)
    )
}

/// Bytes as people read them.
pub fn show(bytes: u64) -> String {
    const UNITS: [(&str, f64); 4] = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    let number = bytes as f64;
    match UNITS.into_iter().find(|(_, size)| number >= *size) {
        Some((unit, size)) => format!("{:.1} {unit}", number / size),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need_of(bytes: u64) -> Need {
        Need::default().with_bytes(HostPurpose::Points, bytes as f64)
    }

    #[test]
    fn what_is_refused_says_what_needs_how_much_what_there_is_and_what_to_lower() {
        let need = Need::default().with(HostPurpose::Network, 1e6).with(HostPurpose::Candidates, 4e9);
        assert_eq!(need.bytes(), 32_008_000_000);
        assert_eq!(need.clone().check(None), Ok(()), "where nobody tells");
        assert_eq!(need.clone().check(Some(36_000_000_000)), Ok(()));
        assert!(need.clone().check(Some(32_008_000_000)).is_err(), "something is left for others");
        let said = need.check(Some(7_500_000_000)).expect_err("too little").to_string();
        for part in
            ["32.0 GB", "candidates for points", "6.8 GB", "7.5 GB", "training.points", "PINNACE_HOST_MEMORY"]
        {
            assert!(said.contains(part), "{part}: {said}");
        }
        let said = need_of(24_008_000_000).check(Some(24_600_000_000)).expect_err("too little").to_string();
        for part in ["about 24.0 GB", "22.1 GB may be used", "of 24.6 GB that are available", "a tenth"] {
            assert!(said.contains(part), "{part}: {said}");
        }
        let said = need_of(9_000_000_001).check(Some(10_000_000_000)).expect_err("too little").to_string();
        assert!(said.contains("9000000001 bytes") && said.contains("but 9000000000 bytes may"), "{said}");
        let huge = Need::default().with(HostPurpose::Points, 1e300).with(HostPurpose::Network, 1.0);
        assert_eq!(huge.bytes(), u64::MAX);
    }
}
