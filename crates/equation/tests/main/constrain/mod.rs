//! Conditions that are built into the ansatz hold exactly, and the others say why they are not.

mod exact;
mod random;
mod refusals;
mod shapes;
mod soft;

use equation::counter::Stream;
use equation::decide::decide;
use equation::parse::parse;
use equation::problem::{Geometry, Piece, Place, Problem};
use equation::problem::{PenaltyReason, Treatment};
use equation::taylor::{Interpreter, Source, plan};

/// Residuals of order one are rounded some hundred times on the way through `g`.
const TOLERANCE: f64 = 1e-12;

/// A problem before and after.
struct Pair {
    stated: Problem,
    constrained: Problem,
}

fn pair(text: &str) -> Pair {
    let stated = parse(text).unwrap_or_else(|mistakes| panic!("{}\n{text}", mistakes.render("test.toml")));
    let constrained = decide(stated.clone()).expect("nothing is stated to be exact").0;
    Pair { stated, constrained }
}

impl Pair {
    /// Every equation as `name: exact` or `name: reason`, in the file's order.
    fn treatments(&self) -> Vec<String> {
        let problem = &self.constrained;
        let treatment = |enforcement: &equation::problem::Enforcement| match &enforcement.treatment {
            Treatment::Exact { .. } => format!("{}: exact", enforcement.condition),
            Treatment::Penalty(reason) => format!("{}: {}", enforcement.condition, reason.sentence(problem)),
        };
        problem.enforcements.iter().map(treatment).collect()
    }

    /// The reason for which the only penalty stays one.
    fn reason(&self) -> PenaltyReason {
        let mut reasons = self.constrained.enforcements.iter().filter_map(|it| match &it.treatment {
            Treatment::Exact { .. } => None,
            Treatment::Penalty(reason) => Some(reason.clone()),
        });
        let (Some(reason), None) = (reasons.next(), reasons.next()) else {
            panic!("{:?}", self.treatments())
        };
        reason
    }

    /// Checks, with random weights at random points, that the equations which are said to be exact hold.
    /// Returns how many there are.
    fn check_exact(&self, tolerance: f64) -> usize {
        // The network with the new ansatz, and the conditions as they were stated.
        let mut problem = self.constrained.clone();
        problem.conditions = self.stated.conditions.clone();
        let plan = plan(&problem).expect("a plan");
        let noise = Stream::new(5, 5);
        let start = plan.initialize(1).into_iter().enumerate();
        let parameters: Vec<f64> = start.map(|(place, value)| value + noise.normal(place as u64)).collect();
        let mut treatments = self.constrained.enforcements.iter();
        let mut checked = 0;
        for term in &plan.terms {
            let Source::Condition(position) = term.source else { continue };
            let condition = &problem.conditions[position];
            let exact: Vec<bool> = (condition.equations.iter())
                .map(|_| matches!(treatments.next().unwrap().treatment, Treatment::Exact { .. }))
                .collect();
            checked += exact.iter().filter(|exact| **exact).count();
            let Place::Pieces(pieces) = &condition.place else { continue };
            let mut interpreter = Interpreter::new(&plan.architecture, term);
            let mut residuals = vec![0.0; exact.len()];
            for (index, piece) in (0..40).flat_map(|index| pieces.iter().map(move |piece| (index, piece))) {
                let mut row = point(&problem, piece, index, term.row.width());
                term.given.iter().for_each(|given| given.fill(&mut row));
                interpreter.residuals(&parameters, &row, &mut residuals);
                for (&residual, _) in residuals.iter().zip(&exact).filter(|(_, exact)| **exact) {
                    let name = &condition.name;
                    assert!(residual.abs() <= tolerance, "{name}: {residual:e} at {row:?}");
                }
            }
        }
        checked
    }

    /// The ansatz of an unknown as text.
    fn ansatz(&self, unknown: usize) -> String {
        let problem = &self.constrained;
        let ansatz = problem.unknowns[unknown].ansatz.expect("an ansatz");
        problem.pool.print(ansatz, problem)
    }
}

/// A random point of a piece; the first few are corners.
fn point(problem: &Problem, piece: &Piece, index: usize, width: usize) -> Vec<f64> {
    let noise = Stream::new(9, index as u64);
    let mut row = vec![0.0; width];
    for (axis, coordinate) in problem.domain.coordinates.iter().enumerate() {
        let share = match index {
            0..8 => (index >> axis & 1) as f64,
            _ => noise.uniform(axis as u64),
        };
        row[axis] = coordinate.low * (1.0 - share) + coordinate.high * share;
    }
    piece.fixed.iter().for_each(|&(axis, value)| row[axis] = value);
    if let Some(geometry) = &problem.domain.geometry {
        on_shape(geometry, piece, &noise, &mut row);
    }
    row
}

/// Moves a point onto a piece of the boundary of a shape, or into the shape.
fn on_shape(geometry: &Geometry, piece: &Piece, noise: &Stream, row: &mut [f64]) {
    let dimension = geometry.axes.len();
    let (mut point, mut normal) = (vec![0.0; dimension], vec![0.0; dimension]);
    let solid = geometry.at(row).into_owned();
    for attempt in 1..1000 {
        let uniform = |place: usize| noise.uniform((100 * attempt + place) as u64);
        let found = match piece.surface {
            Some(surface) => {
                let own = &solid.pieces()[surface];
                let unit: Vec<f64> = (0..own.parameters()).map(uniform).collect();
                own.place(&unit, &mut point, &mut normal);
                solid.outward(surface, &point, &normal).is_some()
            }
            None => {
                let bounds = solid.bounds().iter().enumerate();
                bounds.for_each(|(axis, [low, high])| point[axis] = low + (high - low) * uniform(axis));
                solid.contains(&point)
            }
        };
        if found {
            geometry.axes.iter().zip(&point).for_each(|(&axis, &value)| row[axis] = value);
            return;
        }
    }
    panic!("nothing of the piece was found");
}
