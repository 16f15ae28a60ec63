//! What can be wrong with a file of triangles.

use super::{MOST_FACES, MOST_TRIANGLES};

/// Where in a file something was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StlPlace {
    /// A line of a text, counted from one.
    Line(usize),
    /// A triangle of a binary file, counted from one.
    Triangle(usize),
}

impl std::fmt::Display for StlPlace {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            StlPlace::Line(line) => write!(formatter, "line {line}"),
            StlPlace::Triangle(triangle) => write!(formatter, "triangle {triangle}"),
        }
    }
}

/// Why triangles make no solid.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum MeshError {
    /// A file of no bytes.
    #[error("the file is empty")]
    Empty,
    /// Neither kind of STL file.
    #[error(
        "{bytes} bytes that are no STL file: a text begins with `solid`, a binary file has 84 bytes or more"
    )]
    Unknown {
        /// Length of the file.
        bytes: usize,
    },
    /// A binary file whose length is not what its number of triangles needs.
    #[error(
        "a binary STL file of {declared} triangles has {needed} bytes, this one has {bytes}: is it cut off?"
    )]
    Length {
        /// Triangles that the file says it has.
        declared: u32,
        /// Bytes for that many triangles.
        needed: u64,
        /// Length of the file.
        bytes: usize,
    },
    /// A word of a text other than the expected one.
    #[error("line {line}: found {found}, expected {expected}")]
    Word {
        /// Counted from one.
        line: usize,
        /// What should stand there.
        expected: &'static str,
        /// What stands there, in quotes, or the end of the file.
        found: String,
    },
    /// A coordinate that cannot be computed with.
    #[error("{place}: coordinate {value}: expected a number between -1e75 and 1e75")]
    Coordinate {
        /// Where it is.
        place: StlPlace,
        /// The number.
        value: f64,
    },
    /// A file that is too large.
    #[error("more than {MOST_TRIANGLES} triangles are not supported: simplify the mesh")]
    TooMany,
    /// A file without triangles, or with triangles that are all lines or points.
    #[error("the file has no triangles")]
    NoTriangles,
    /// Edges that only one triangle has.
    #[error(
        "the surface is open: {edges} edges belong to an odd number of triangles, the first from {} to {}: fill its holes and merge its vertices",
        place(from),
        place(to)
    )]
    Open {
        /// How many there are.
        edges: usize,
        /// One end of the first.
        from: [f64; 3],
        /// The other end of the first.
        to: [f64; 3],
    },
    /// Neighbours that turn different sides outward.
    #[error(
        "triangles on both sides of {edges} edges are of opposite orientation, first from {} to {}: let the normals all point outward",
        place(from),
        place(to)
    )]
    Orientation {
        /// How many there are.
        edges: usize,
        /// One end of the first.
        from: [f64; 3],
        /// The other end of the first.
        to: [f64; 3],
    },
    /// A surface with its inside outward.
    #[error("the surface is inside out, its volume is {volume}: flip the order of all vertices")]
    InsideOut {
        /// Negative.
        volume: f64,
    },
    /// Names of solids were asked for, and a binary file has none.
    #[error(
        "a binary STL file has no solids with names: write an angle, such as 30, which tells faces apart at sharper edges"
    )]
    NoSolids,
    /// Two solids whose names are the same once they are written as names of pieces.
    #[error(
        "two solids of the file would both be called `{name}`: names of pieces have letters, digits and `_`"
    )]
    SameFaceName {
        /// What both would be called.
        name: String,
    },
    /// More faces than have names.
    #[error(
        "the surface has {found} faces, and at most {MOST_FACES} can have names: write a larger angle, or take pieces with `where`"
    )]
    TooManyFaces {
        /// How many there are.
        found: usize,
    },
    /// A surface around nothing.
    #[error("the surface encloses no volume")]
    Flat,
}

fn place(point: &[f64; 3]) -> String {
    format!("({}, {}, {})", point[0], point[1], point[2])
}
