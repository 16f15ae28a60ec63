//! What can be wrong with a shape.

/// Why a shape cannot be made or used.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum GeometryError {
    /// A coordinate or an angle that is not a finite number.
    #[error("{what} {value}: expected a finite number")]
    NotFinite {
        /// What the number stands for.
        what: &'static str,
        /// The number.
        value: f64,
    },
    /// A radius, a semi-axis or a factor that must be above zero.
    #[error("{what} {value}: expected a positive number")]
    NotPositive {
        /// What the number stands for.
        what: &'static str,
        /// The number.
        value: f64,
    },
    /// Corners that do not go from low to high.
    #[error("the {shape} goes from {low} to {high} along {axis}: the first corner has the lower numbers")]
    Reversed {
        /// The kind of shape.
        shape: &'static str,
        /// The coordinate.
        axis: char,
        /// The first corner's number.
        low: f64,
        /// The second corner's number.
        high: f64,
    },
    /// Two points that must differ.
    #[error("{first} and {second} of the {shape} are the same point: move one of them")]
    SamePoint {
        /// The kind of shape.
        shape: &'static str,
        /// What the first point is.
        first: String,
        /// What the second point is.
        second: String,
    },
    /// An axis or a normal of no length.
    #[error("the {what} has no direction: expected a vector other than zero")]
    NoDirection {
        /// What the vector is.
        what: &'static str,
    },
    /// A closed line with too few points.
    #[error("a {shape} of {found} points: expected {needed} or more")]
    TooFewPoints {
        /// The kind of shape.
        shape: &'static str,
        /// Points given.
        found: usize,
        /// Points needed.
        needed: usize,
    },
    /// A closed line with too many points.
    #[error("a {shape} of {found} points: no more than {limit} are supported")]
    TooManyPoints {
        /// The kind of shape.
        shape: &'static str,
        /// Points given.
        found: usize,
        /// The most there can be.
        limit: usize,
    },
    /// Sides of a polygon that meet where they should not.
    #[error("the sides {first} and {second} of a polygon cross at ({}, {}): order its vertices along the boundary", at[0], at[1])]
    Crossing {
        /// The first side, counted from one.
        first: usize,
        /// The second side, counted from one.
        second: usize,
        /// A common point.
        at: [f64; 2],
    },
    /// A spline that meets itself.
    #[error("a spline crosses itself near ({}, {}), between its points {first} and {second}: add points where it bends", at[0], at[1])]
    SplineCrossing {
        /// The point before the first part, counted from one.
        first: usize,
        /// The point before the second part, counted from one.
        second: usize,
        /// A common point.
        at: [f64; 2],
    },
    /// A tube that is too thick for its ring.
    #[error(
        "a torus with a tube of radius {tube} around a ring of radius {ring}: the tube must be the smaller one"
    )]
    ThickTube {
        /// Radius of the ring.
        ring: f64,
        /// Radius of the tube.
        tube: f64,
    },
    /// A star whose inner radius is not the smaller one.
    #[error(
        "a star with inner radius {inner} and outer radius {outer}: the inner one must be the smaller one"
    )]
    BluntStar {
        /// Radius of the notches.
        inner: f64,
        /// Radius of the tips.
        outer: f64,
    },
    /// A vector with the wrong number of coordinates.
    #[error("the {what} has {found} coordinates: expected {wanted}")]
    Coordinates {
        /// What the vector is.
        what: &'static str,
        /// Coordinates given.
        found: usize,
        /// Coordinates needed.
        wanted: usize,
    },
    /// A space that no shape can be in.
    #[error("a half-space of {found} dimensions: expected 1, 2 or 3")]
    Dimension {
        /// Coordinates given.
        found: usize,
    },
    /// Shapes of different dimensions in one operation.
    #[error("a shape of {first} and one of {second} dimensions cannot be combined")]
    DimensionsDiffer {
        /// Dimension of the first shape.
        first: usize,
        /// Dimension of the second shape.
        second: usize,
    },
    /// A turn of a shape that cannot be turned so.
    #[error("a shape of {found} dimensions cannot be turned as one of {wanted}")]
    Turn {
        /// The shape's dimension.
        found: usize,
        /// The dimension in which this kind of turn exists.
        wanted: usize,
    },
    /// A repetition without copies.
    #[error("a shape repeated 0 times: expected 1 or more")]
    NoCopies,
    /// More primitives than can be handled.
    #[error("a shape of {found} parts, copies counted: no more than {limit} are supported")]
    TooManyParts {
        /// Primitives, copies counted.
        found: usize,
        /// The most there can be.
        limit: usize,
    },
    /// Operations within operations without end.
    #[error("operations on a shape are nested {found} deep: no more than {limit} levels are supported")]
    TooDeep {
        /// Levels.
        found: usize,
        /// The most there can be.
        limit: usize,
    },
    /// Operations that cancel a shape.
    #[error("nothing is left of the shape")]
    Empty,
    /// A shape without end.
    #[error("the shape is not bounded: intersect the half-space with something")]
    Unbounded,
    /// A name given twice.
    #[error("two parts are called `{name}`: give them different names")]
    SameName {
        /// The name.
        name: String,
    },
}
