//! Points that a device draws by itself: where they come from, as plain data.

use crate::Points;
use crate::points::stamp;
use geometry::InsideTest;
use std::sync::Arc;

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
    /// Where only those points of the sequence count that lie inside of a shape: point i is the i-th of them.
    pub inside: Option<DrawnInside>,
    /// Where a step visits a part of the points, in an order: `count` is how many.
    pub order: Option<EpochOrder>,
}

/// Which points of a sequence lie inside of a shape.
#[derive(Clone, PartialEq, Debug)]
pub struct DrawnInside {
    /// The question.
    pub test: Arc<InsideTest>,
    /// Which numbers of a point it is about.
    pub axes: Vec<usize>,
    /// Points of the sequence that are looked at before any is wanted. Those behind them are looked at one after the other:
    /// too few of them cost time, and nothing else.
    pub candidates: usize,
}

/// The order in which epochs visit points, and how many a step visits: as batches on the host do. Blocks of points beside one another
/// are permuted, and begin elsewhere in each epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EpochOrder {
    /// Everything random follows from it, and from the stream.
    pub seed: u64,
    /// The stream whose numbers are the seeds of epochs.
    pub stream: u64,
    /// Points in all.
    pub count: usize,
    /// Points of a step, but for the last one of an epoch.
    pub size: usize,
    /// Points of a block.
    pub block: usize,
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

    /// The same with other sets for the terms whose points are given, out of one set per term.
    #[must_use]
    pub fn with_given(&self, sets: &[Points]) -> Self {
        let renewed = |(supply, set): (&Supply, &Points)| match supply {
            Supply::Given(_) => Supply::Given(set.clone()),
            Supply::Drawn(parts) => Supply::Drawn(parts.clone()),
        };
        Recipe { terms: self.terms.iter().zip(sets).map(renewed).collect(), stamp: stamp(), ..*self }
    }

    /// The recipe of the last step of an epoch, which visits what is left.
    #[must_use]
    pub fn of_the_last_step(mut self) -> Self {
        for supply in &mut self.terms {
            if let Supply::Drawn(parts) = supply {
                for part in parts {
                    part.count = part.order.map_or(part.count, |order| order.count % order.size);
                }
            }
        }
        Recipe { stamp: stamp(), ..self }
    }

    /// Whether other points of a draw are visited at every step.
    pub(crate) fn is_ordered(&self) -> bool {
        self.terms.iter().flat_map(Supply::parts).any(|part| part.order.is_some())
    }

    /// Points of all terms together.
    pub fn point_count(&self) -> usize {
        self.terms.iter().map(Supply::len).sum()
    }
}

impl Supply {
    /// The parts that are drawn.
    pub(crate) fn parts(&self) -> &[DrawnPart] {
        match self {
            Supply::Given(_) => &[],
            Supply::Drawn(parts) => parts,
        }
    }

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
    /// Those of a recipe: step `s` visits draw `first + s / interval`, or a part of it where there is an order.
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
