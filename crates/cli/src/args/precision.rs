//! A precision, or the wish to find the fastest one.

use pinnace::Precision;
use std::str::FromStr;

/// What `--precision` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WantedPrecision {
    /// The fastest of those that are accurate enough, by time.
    Fastest,
    /// This one.
    These(Precision),
}

impl FromStr for WantedPrecision {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "auto" => Ok(WantedPrecision::Fastest),
            _ => name.parse().map(WantedPrecision::These).map_err(|error| format!("{error}, or `auto`")),
        }
    }
}
