//! Points that a device draws by itself: where they come from, as plain data.

use crate::Points;
use crate::points::stamp;

/// How the points of all terms come about. Draw `number` is a pure function of the recipe and the number.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Everything random in draw 0 follows from it.
    pub(crate) seed: u64,
    /// The stream whose numbers are the seeds of later draws.
    pub(crate) renewal: u64,
    /// One per term.
    pub(crate) terms: Vec<Supply>,
    /// No two recipes have the same, so that a device knows what it has drawn.
    pub(crate) stamp: u64,
}

/// Where the points of one term come from.
#[derive(Clone, Debug)]
pub enum Supply {
    /// They are always these.
    Given(Points),
    /// They are drawn, part after part.
    Drawn(Vec<DrawnPart>),
}

/// Points that come from one sequence of the unit cube.
#[derive(Clone, PartialEq, Debug)]
pub struct DrawnPart {
    /// How many.
    pub count: usize,
    /// Which sequence.
    pub sequence: Sequence,
    /// The stream of its random numbers.
    pub stream: u64,
    /// What the numbers of a point are.
    pub columns: Vec<DrawnColumn>,
}

/// A sequence of points in the unit cube, each a function of its index and a stream of random numbers.
#[derive(Clone, PartialEq, Debug)]
pub enum Sequence {
    /// Independent points.
    Uniform,
    /// Sobol points, scrambled.
    Sobol {
        /// Of every dimension.
        directions: Vec<[u32; 32]>,
    },
    /// Hypercubes of as many points as the part has.
    LatinHypercube,
}

/// A number of a point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum DrawnColumn {
    /// The same for all points.
    Constant(f64),
    /// A coordinate of the unit cube, stretched to an interval.
    Stretched {
        /// Which coordinate.
        dimension: usize,
        /// Where the interval begins.
        low: f64,
        /// How long it is.
        length: f64,
    },
}

impl Recipe {
    /// A recipe for one supply per term.
    pub fn new(seed: u64, renewal: u64, terms: Vec<Supply>) -> Self {
        Recipe { seed, renewal, terms, stamp: stamp() }
    }

    /// Points of all terms together.
    pub fn point_count(&self) -> usize {
        self.terms.iter().map(Supply::len).sum()
    }
}

impl Supply {
    /// Points of the term.
    pub(crate) fn len(&self) -> usize {
        match self {
            Supply::Given(points) => points.len(),
            Supply::Drawn(parts) => parts.iter().map(|part| part.count).sum(),
        }
    }
}

/// Which points a series of steps visits.
#[derive(Clone, Copy, Debug)]
pub enum Visits<'run> {
    /// Always these, one set per term.
    Points(&'run [Points]),
    /// Those of a recipe: step `s` visits draw `first + s / interval`.
    Drawn {
        /// Where they come from.
        recipe: &'run Recipe,
        /// The draw of step 0.
        first: u64,
        /// Steps between two draws; `None` never draws again.
        interval: Option<u64>,
        /// The number of the first step of the series.
        step: u64,
    },
}

impl Visits<'_> {
    /// Points of every term that a step visits.
    pub fn counts(&self) -> Vec<usize> {
        match self {
            Visits::Points(points) => points.iter().map(Points::len).collect(),
            Visits::Drawn { recipe, .. } => recipe.terms.iter().map(Supply::len).collect(),
        }
    }
}
