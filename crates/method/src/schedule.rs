//! How step lengths change.

/// How a step length changes over a phase.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Schedule {
    /// It does not.
    Constant,
    /// Multiplied by `factor` every `steps` steps, smoothly.
    Exponential {
        /// Between 0 and 1.
        factor: f64,
        /// Steps per factor.
        steps: u64,
    },
    /// Half a cosine from the full length to zero over the phase's steps, after a linear start.
    Cosine {
        /// Steps until the full length is reached.
        warmup: u64,
    },
}
