//! Why a text is no grid.

/// Points that a grid has at most: a second or so of evaluation, and some hundred megabytes.
pub(crate) const LARGEST_GRID: f64 = 1e7;

/// Why a text is no grid.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum GridError {
    /// A part that is not `name=count`.
    #[error("`{part}` is not part of a grid; state the points along every coordinate, such as `{example}`")]
    Part {
        /// As written.
        part: String,
        /// For this problem.
        example: String,
    },
    /// Not a coordinate.
    #[error("`{name}` is no coordinate of this problem; the coordinates are {}", coordinates.join(", "))]
    Unknown {
        /// As written.
        name: String,
        /// What there is.
        coordinates: Vec<String>,
    },
    /// A coordinate occurs twice.
    #[error("`{name}` occurs twice in the grid")]
    Twice {
        /// Which.
        name: String,
    },
    /// A coordinate is missing.
    #[error("the grid does not name `{name}`; state the points along every coordinate, such as `{example}`")]
    Missing {
        /// Which.
        name: String,
        /// For this problem.
        example: String,
    },
    /// Neither a number of points nor a value.
    #[error(
        "`{name}={count}`: the points along a coordinate are an integer of at least 2; a single value has a decimal point, such as `{name}={example}`"
    )]
    Count {
        /// Which coordinate.
        name: String,
        /// As written.
        count: String,
        /// A value.
        example: String,
    },
    /// A value outside of the domain.
    #[error(
        "`{name}={value}`: {name} runs from {low} to {high}; the points along a coordinate are an integer, without a decimal point"
    )]
    Outside {
        /// Which coordinate.
        name: String,
        /// As written.
        value: String,
        /// Its lower end.
        low: f64,
        /// Its upper end.
        high: f64,
    },
    /// More points than memory should be spent on.
    #[error("the grid has {points:e} points; at most {LARGEST_GRID:e} are supported")]
    TooLarge {
        /// Its size.
        points: f64,
    },
}
