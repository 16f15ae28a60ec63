//! The problem as understood: every name resolved, every value checked. A [`Problem`] is the proof
//! that its file was right, so later stages do not check again.

mod added;
mod check;
mod domain;
mod enforcement;
mod faces;
mod family;
mod field;
mod jumps;
mod left_open;
mod network;
mod probe;
mod quantity;
mod sampling;
mod subdomain;
mod system;
mod training;
mod window;

pub use added::Added;
pub(crate) use check::{Gap, gaps};
pub(crate) use domain::axes;
pub use domain::{Coordinate, Domain, Geometry, Open, Role};
pub use enforcement::{Enforcement, NotExact, PenaltyReason, Treatment, notes, report};
pub(crate) use enforcement::{clipped, formula};
pub use faces::BareFace;
pub(crate) use faces::bare_faces;
pub use family::{ShapeFamily, ShapeStep};
pub use field::FieldNameError;
pub use left_open::{LeftOpen, Neurons};
pub use method::{
    Affinity, Balance, Budget, Clip, CompileMode, Decay, GradientCheck, GradientSize, Guard, Method,
    NoBudget, Order, Pacing, Peaks, Performance, PerformanceLevel, Policy, Precision, Schedule, Solver,
    Spikes, TILES, Tiles,
};
pub use network::{
    Activation, Fourier, Initialization, Network, NetworkKind, Periodic, RandomFactors, TrainedSlopes,
};
pub(crate) use probe::{dense_places, largest, places, prescribed, surface_places, value};
pub use quantity::{Integral, IntegralRegion, Quantity, RegionNode};
pub use sampling::{Adaptive, Addition, Criterion, Priority, Sampler, Sampling, Steepness, Veto};
pub use subdomain::Subdomain;
pub(crate) use subdomain::{indicator, without};
pub use system::CoordinateSystem;
pub(crate) use training::CONDITION_POINTS;
pub use training::{HardConstraints, Phase, ResidualWeights, Training};
pub(crate) use window::Tie;
pub use window::{Parts, Windows};

use crate::expression::{Expression, Leaf, Membership, Names, Pool};
use crate::tabulated::Interpolant;
use std::sync::Arc;

/// What the term of the equations is called, beside those of conditions and data.
pub const INTERIOR: &str = "interior";

/// A differential problem, ready to be planned.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What the file calls itself.
    pub title: String,
    /// Owns every expression below.
    pub pool: Pool,
    /// The coordinates and their intervals.
    pub domain: Domain,
    /// Named numbers, for display: expressions hold their values.
    pub constants: Vec<(String, f64)>,
    /// The fields that the network represents, in output order.
    pub unknowns: Vec<Unknown>,
    /// Trainable scalars of inverse problems.
    pub parameters: Vec<Parameter>,
    /// What holds inside the domain.
    pub equations: Vec<Equation>,
    /// Where else than at a point itself they read fields.
    pub elsewhere: Elsewhere,
    /// What holds at special places.
    pub conditions: Vec<Condition>,
    /// Measurements to agree with.
    pub data: Vec<Data>,
    /// The network that represents the unknowns.
    pub network: Network,
    /// How to train it.
    pub training: Training,
    /// How much is done to be fast.
    pub performance: Performance,
    /// What the error is measured against, if anything.
    pub reference: Reference,
    /// Numbers that a solution is asked for.
    pub quantities: Vec<Quantity>,
    /// Known functions whose values come with each point: those of files and those of shapes.
    pub given: Vec<GivenFunction>,
    /// What became of every equation of the conditions, once [`crate::constrain::constrain`] has looked at
    /// them; empty before, and where the file turns that off.
    pub enforcements: Vec<Enforcement>,
    /// Faces on which a condition seems to be missing.
    pub bare_faces: Vec<BareFace>,
    /// What the file leaves open; nothing, once [`crate::decide::decide`] has filled it.
    pub open: LeftOpen,
}

/// A field.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// Its name in expressions.
    pub name: String,
    /// The field in terms of coordinates and [`Leaf::Raw`]; `None` is the raw output itself.
    pub ansatz: Option<Expression>,
    /// What the network's output was multiplied with, to be of the field's size: already in the ansatz.
    pub unit: f64,
    /// Whether conditions may be built into an ansatz of this field.
    pub hard_constraints: HardConstraints,
}

/// A known function of the coordinates, whose derivatives come with each point.
#[derive(Clone, Debug)]
pub struct GivenFunction {
    /// As formulas call it.
    pub name: String,
    /// What it is known by.
    pub source: GivenSource,
}

/// What a known function is known by.
#[derive(Clone, Debug)]
pub enum GivenSource {
    /// A formula of the coordinates alone.
    Formula(Expression),
    /// Values in a file.
    Table {
        /// The file's path as written: relative to the problem file.
        file: String,
        /// The function through them.
        values: Arc<Interpolant>,
    },
}

impl GivenFunction {
    /// Its formula, unless it is known by values.
    pub fn formula(&self) -> Option<Expression> {
        match &self.source {
            GivenSource::Formula(formula) => Some(*formula),
            GivenSource::Table { .. } => None,
        }
    }
}

/// A trainable scalar.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name in expressions.
    pub name: String,
    /// Where training starts; strictly inside the bounds.
    pub start: f64,
    /// Kept above this.
    pub lower: Option<f64>,
    /// Kept below this.
    pub upper: Option<f64>,
    /// The value to compare with at the end, where it is known.
    pub truth: Option<f64>,
}

/// An equation as the expression that should vanish: left side minus right side.
#[derive(Clone, Debug)]
pub struct Equation {
    /// The key in the file; conditions with several equations number them.
    pub name: String,
    /// As written.
    pub text: String,
    /// What should be zero.
    pub residual: Expression,
    /// Factor of its mean square in the loss; `None` leaves it open.
    pub weight: Option<f64>,
}

/// Equations that hold at special places only.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The key in the file.
    pub name: String,
    /// Where they hold.
    pub place: Place,
    /// What holds; weights include the condition's own.
    pub equations: Vec<Equation>,
    /// Where else than at a point itself they read fields.
    pub elsewhere: Elsewhere,
    /// Points to draw; `None` leaves it to [`Training::condition_points`].
    pub points: Option<usize>,
    /// Which of its equations are to be built into an ansatz, one each, if stated.
    pub exact: Option<Vec<bool>>,
}

/// Places beside a point at which its equations read fields too, as integrals do: each by the coordinates that differ from the point's.
/// A field of site `s` is taken at the one before the `s`-th.
pub type Elsewhere = Vec<Vec<(usize, f64)>>;

/// Where a condition holds.
#[derive(Clone, Debug)]
pub enum Place {
    /// On the union of these pieces.
    Pieces(Vec<Piece>),
    /// At both ends of a coordinate at once: fields of site 0 are at the low end, of site 1 at the high end.
    Wrap {
        /// The coordinate whose ends are identified.
        axis: usize,
    },
    /// Where subdomains meet others: fields of site 0 are on their side, of site 1 on the other.
    Interface {
        /// Which, by position.
        subdomains: Vec<usize>,
    },
}

impl Place {
    /// The coordinates that its pieces fix, each with its value.
    pub fn fixed(&self) -> impl Iterator<Item = (usize, f64)> {
        let pieces: &[Piece] = match self {
            Place::Pieces(pieces) => pieces,
            Place::Wrap { .. } | Place::Interface { .. } => &[],
        };
        pieces.iter().flat_map(|piece| piece.fixed.iter().copied())
    }
}

impl Place {
    /// The pieces of the boundary of a shape that it has.
    pub fn surfaces(&self) -> impl Iterator<Item = usize> {
        let pieces: &[Piece] = match self {
            Place::Pieces(pieces) => pieces,
            Place::Wrap { .. } | Place::Interface { .. } => &[],
        };
        pieces.iter().filter_map(|piece| piece.surface)
    }
}

/// A face, edge, corner or inner plane of the box, or a piece of the boundary of a shape: some coordinates fixed, the others free.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Fixed coordinates with their values, ascending.
    pub fixed: Vec<(usize, f64)>,
    /// Keeps only points where this is not zero.
    pub filter: Option<Expression>,
    /// The outward normal as axis and sign, for a piece that is one face of the box.
    pub normal: Option<(usize, f64)>,
    /// A piece of the boundary of the shape, by position: space coordinates lie on it.
    pub surface: Option<usize>,
}

/// A table of measurements.
#[derive(Clone, Debug)]
pub struct Data {
    /// The key in the file.
    pub name: String,
    /// The file's path as written: relative to the problem file.
    pub file: String,
    /// What each column of the file holds.
    pub columns: Vec<Column>,
    /// One per measured column: expression minus [`Leaf::Column`], counted among measured columns.
    pub equations: Vec<Equation>,
    /// Standard deviation of the measurements, to judge the misfit against.
    pub noise: Option<f64>,
    /// What the numbers of every column are multiplied with.
    pub scales: Vec<f64>,
    /// What every column is called in files whose columns have names.
    pub names: Vec<String>,
    /// The share of the rows that are kept from training.
    pub validation: Option<f64>,
    /// How many rows a step visits, if stated: all of them once in an epoch.
    pub batch: Option<usize>,
}

/// One column of a data file.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// A coordinate's value.
    Coordinate(usize),
    /// A measured quantity, by position among the measured ones.
    Measured(usize),
    /// Present in the file and not used (named `_`).
    Ignored,
}

/// What the error is measured against.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    /// One per unknown.
    pub solutions: Vec<Option<Solution>>,
    /// Points per coordinate of the test grid, where the file states it: (coordinate, count).
    pub grid: Vec<(usize, usize)>,
}

/// The true value of an unknown.
#[derive(Clone, Debug)]
pub enum Solution {
    /// A closed form of the coordinates.
    Formula(Expression),
    /// A solution that Pinnace knows by name.
    Named {
        /// As the file calls it.
        name: String,
        /// How accurate it should be, relative to its largest value, where the file says so.
        tolerance: Option<f64>,
    },
    /// A table: columns of coordinates and exactly one measured column.
    File {
        /// Path as written: relative to the problem file.
        file: String,
        /// What each column holds.
        columns: Vec<Column>,
    },
}

impl Problem {
    /// What seems wrong with the problem though it can be trained, for people.
    pub fn warnings(&self) -> Vec<String> {
        /// More coordinates than these are counted only.
        const MOST: usize = 4;
        let (told, rest) = self.bare_faces.split_at(MOST.min(self.bare_faces.len()));
        let mut lines: Vec<String> = told.iter().map(|face| face.sentence(self)).collect();
        if !rest.is_empty() {
            lines.push(format!(
                "{} more coordinate{} too few conditions at the ends as well",
                rest.len(),
                if rest.len() == 1 { " has" } else { "s have" }
            ));
        }
        let bare = self.bare_pieces();
        if !bare.is_empty() {
            let names = bare.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            lines.push(format!(
                "no condition holds on {names}: add one, such as `on = \"{}\"`, `equation = \"dn(u) = 0\"`",
                bare[0]
            ));
        }
        lines.extend(jumps::jumps(self));
        let stated = &self.training.without_effect;
        lines.extend(
            stated.iter().map(|key| format!("training.{key} has no effect any more, and can be removed")),
        );
        lines
    }

    /// The conditions that hold on a piece of the boundary of the shape, also those that do by construction.
    pub fn conditions_on(&self, surface: usize) -> Vec<String> {
        let holds = |place: &Place| match place {
            Place::Pieces(pieces) => pieces.iter().any(|piece| piece.surface == Some(surface)),
            Place::Wrap { .. } | Place::Interface { .. } => false,
        };
        let penalties = self.conditions.iter().filter(|condition| holds(&condition.place));
        let exact = self.enforcements.iter().filter(|enforcement| {
            enforcement.surfaces.contains(&surface)
                && matches!(enforcement.treatment, Treatment::Exact { .. })
        });
        let names =
            exact.map(|enforcement| &enforcement.condition).chain(penalties.map(|condition| &condition.name));
        let mut names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        names.dedup();
        names
    }

    /// Pieces of the boundary of the shape on which nothing holds, by name.
    pub fn bare_pieces(&self) -> Vec<&str> {
        let Some(geometry) = &self.domain.geometry else { return Vec::new() };
        // Measurements may stand in for any condition, and equations of first order need none on every side.
        let steep = geometry.axes.iter().any(|&axis| self.order_along(axis) >= 2);
        if !self.data.is_empty() || !steep {
            return Vec::new();
        }
        let pieces = geometry.solid.pieces().iter().enumerate();
        pieces
            .filter(|(position, _)| self.conditions_on(*position).is_empty())
            .map(|(_, piece)| piece.name())
            .collect()
    }

    /// The highest derivative order along `axis` in the equations.
    pub fn order_along(&self, axis: usize) -> usize {
        let roots: Vec<Expression> = self.equations.iter().map(|equation| equation.residual).collect();
        self.pool
            .leaves(&roots)
            .into_iter()
            .map(|leaf| match leaf {
                Leaf::Field(field) => {
                    field.derivative.axes().iter().filter(|&&other| usize::from(other) == axis).count()
                }
                _ => 0,
            })
            .max()
            .unwrap_or(0)
    }
}

impl Names for Problem {
    fn leaf(&self, leaf: Leaf) -> String {
        let count = self.domain.len();
        let coordinate = |axis: u16| self.domain.coordinates[usize::from(axis) % count].name.as_str();
        match leaf {
            Leaf::Coordinate(axis) => coordinate(axis).to_owned(),
            Leaf::Inside(Membership { subdomain, site }) => {
                let name = &self.domain.subdomains[usize::from(subdomain)].name;
                if site > 0 { format!("{name}'") } else { name.clone() }
            }
            Leaf::Parameter(index) => self.parameters[usize::from(index)].name.clone(),
            Leaf::Column(index) => format!("measured{index}"),
            Leaf::Normal(axis) => format!("normal_{}", coordinate(axis)),
            Leaf::Field(field) => {
                let mut name = self.unknowns[usize::from(field.unknown)].name.clone();
                if field.derivative.order() > 0 {
                    name.push('_');
                }
                field.derivative.axes().iter().for_each(|&axis| name.push_str(coordinate(u16::from(axis))));
                if field.site > 0 { format!("{name}'") } else { name }
            }
            Leaf::Given(given) => {
                let mut name = self.given[usize::from(given.function)].name.clone();
                if given.derivative.order() > 0 {
                    name.push('_');
                }
                given.derivative.axes().iter().for_each(|&axis| name.push_str(coordinate(u16::from(axis))));
                if given.site > 0 { format!("{name}'") } else { name }
            }
            Leaf::Raw(_) => "N".to_owned(),
            Leaf::Applied(applied) => {
                let unknown = &self.unknowns[usize::from(applied.unknown)].name;
                format!("L{}({unknown})", applied.operator)
            }
            Leaf::Channel(channel) => format!("N{}.{}", channel.output, channel.channel),
            Leaf::Placeholder => "z".to_owned(),
        }
    }
}
