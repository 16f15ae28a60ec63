//! Faces of the box on which a condition seems to be missing. Unlike a [`super::Gap`], such a problem may be meant as
//! it is written: it is trained, and told of. A false alarm is worse than a miss, so whatever cannot be counted passes.

use super::{Condition, Place, Problem, Role};
use crate::constrain::places;
use crate::expression::{Expression, Leaf, Pool, evaluate};
use std::collections::BTreeSet;

/// Stands for whatever fields are, where only the sign of a factor counts: no special value.
const SOME_VALUE: f64 = 0.7;

/// A factor this small on a face, as a share of its size inside, vanishes there.
const VANISHES: f64 = 1e-9;

/// Fewer conditions at the ends of a coordinate than the derivatives along it ask for.
#[derive(Clone, PartialEq, Debug)]
pub struct BareFace {
    /// The coordinate.
    pub axis: usize,
    /// The ends with the fewest conditions: one or both.
    pub ends: Vec<f64>,
    /// The fields that are differentiated along it: those that equations or conditions tie together.
    pub unknowns: Vec<usize>,
    /// The highest derivative of each along it.
    pub orders: Vec<usize>,
    /// Conditions that these derivatives ask for, at both ends together.
    pub needed: usize,
    /// Conditions that are stated there.
    pub found: usize,
}

/// Fields that equations or conditions tie together, and the equations of them.
struct System {
    unknowns: BTreeSet<usize>,
    equations: Vec<Expression>,
}

/// One end of a coordinate.
#[derive(Clone, Copy)]
struct End {
    axis: usize,
    value: f64,
    open: bool,
}

/// What conditions say at an end.
struct Stated {
    count: usize,
    /// Whether one is about a field that has no second derivatives along the coordinate, such as a pressure: how much
    /// that fixes cannot be counted.
    uncounted: bool,
}

/// All faces on which a condition seems to be missing.
pub(crate) fn bare_faces(problem: &Problem) -> Vec<BareFace> {
    // Measurements may stand in for any condition.
    if !problem.data.is_empty() {
        return Vec::new();
    }
    let systems = systems(problem);
    let axes = (0..problem.domain.len()).filter(|&axis| {
        let circle = problem.network.periodic.iter().any(|periodic| periodic.axis == axis);
        problem.domain.coordinates[axis].role == Role::Space && !circle
    });
    axes.flat_map(|axis| systems.iter().filter_map(move |system| judge(problem, system, axis))).collect()
}

fn fields(pool: &Pool, expression: Expression) -> BTreeSet<usize> {
    let leaves = pool.leaves(&[expression]).into_iter();
    leaves
        .filter_map(|leaf| match leaf {
            Leaf::Field(field) => Some(usize::from(field.unknown)),
            _ => None,
        })
        .collect()
}

fn systems(problem: &Problem) -> Vec<System> {
    let residuals = problem.equations.iter().map(|equation| equation.residual);
    let stated = problem.conditions.iter().flat_map(|condition| &condition.equations);
    let mut groups: Vec<BTreeSet<usize>> = Vec::new();
    for residual in residuals.chain(stated.map(|equation| equation.residual)) {
        let mut group = fields(&problem.pool, residual);
        groups.retain(|other| {
            let apart = other.is_disjoint(&group);
            if !apart {
                group.extend(other);
            }
            apart
        });
        groups.push(group);
    }
    let system = |unknowns: BTreeSet<usize>| {
        let own = |residual: &Expression| !fields(&problem.pool, *residual).is_disjoint(&unknowns);
        let equations = problem.equations.iter().map(|equation| equation.residual).filter(own).collect();
        System { equations, unknowns }
    };
    groups.into_iter().map(system).collect()
}

/// How often a leaf differentiates an unknown along an axis.
fn order(leaf: Leaf, unknown: usize, axis: usize) -> usize {
    match leaf {
        Leaf::Field(field) if usize::from(field.unknown) == unknown => {
            field.derivative.axes().iter().filter(|&&other| usize::from(other) == axis).count()
        }
        _ => 0,
    }
}

fn judge(problem: &Problem, system: &System, axis: usize) -> Option<BareFace> {
    let pool = &problem.pool;
    let leaves = pool.leaves(&system.equations);
    let highest = |unknown: usize| leaves.iter().map(|leaf| order(*leaf, unknown, axis)).max().unwrap_or(0);
    let orders: Vec<(usize, usize)> =
        system.unknowns.iter().map(|&unknown| (unknown, highest(unknown))).collect();
    let coordinate = &problem.domain.coordinates[axis];
    let ends = [
        End { axis, value: coordinate.low, open: coordinate.open.low },
        End { axis, value: coordinate.high, open: coordinate.open.high },
    ];
    if orders.iter().any(|&(unknown, _)| holds_by_itself(problem, unknown, axis)) {
        return None;
    }
    let steep: Vec<(usize, usize)> = orders.iter().copied().filter(|(_, order)| *order >= 2).collect();
    let stated = ends.map(|end| stated(problem, system, &steep, end));
    let elsewhere = elsewhere(problem, system, ends);
    if steep.is_empty() {
        let none = stated.iter().all(|stated| stated.count == 0) && elsewhere == 0;
        return if none { inflow(problem, system, ends) } else { None };
    }
    // Equations beyond the number of fields hold on faces too: the divergence of a field is one of them.
    let beyond = system.equations.len().saturating_sub(system.unknowns.len());
    let asked: usize = steep.iter().map(|&(unknown, order)| asked(pool, system, unknown, axis, order)).sum();
    let needed = asked.saturating_sub(2 * beyond);
    let share = needed.div_ceil(2);
    let found = |excused: [bool; 2]| {
        let at_end = |(stated, excused): (&Stated, bool)| {
            if stated.uncounted || excused { stated.count.max(share) } else { stated.count }
        };
        stated.iter().zip(excused).map(at_end).sum::<usize>() + elsewhere
    };
    // What costs time is looked at only where it matters.
    if found(ends.map(|end| end.open)) >= needed
        || found(ends.map(|end| end.open || is_singular(problem, system, &steep, end))) >= needed
        || changes_sign(problem, system, &steep, axis)
    {
        return None;
    }
    let fewest = stated.iter().map(|stated| stated.count).min().unwrap_or(0);
    let bare = ends.iter().zip(&stated).filter(|(end, stated)| !end.open && stated.count == fewest);
    let (unknowns, orders) = steep.into_iter().unzip();
    Some(BareFace {
        axis,
        ends: bare.map(|(end, _)| end.value).collect(),
        unknowns,
        orders,
        needed,
        found: stated.iter().map(|stated| stated.count).sum::<usize>() + elsewhere,
    })
}

/// Whether the file's own ansatz may hold something at the ends of a coordinate: more than adding to the network.
fn holds_by_itself(problem: &Problem, unknown: usize, axis: usize) -> bool {
    let Some(ansatz) = problem.unknowns[unknown].ansatz else { return false };
    let mut pool = problem.pool.clone();
    let slope = pool.derivative(ansatz, Leaf::Raw(unknown as u16));
    pool.mentions(slope, |leaf| leaf == Leaf::Coordinate(axis as u16))
}

/// Conditions that the derivatives of an unknown along an axis ask for.
fn asked(pool: &Pool, system: &System, unknown: usize, axis: usize, highest: usize) -> usize {
    // With an odd order, the sign of its factor tells at which end more is needed: where fields decide it, perhaps nowhere.
    let by_fields = || {
        let mut pool = pool.clone();
        system.equations.iter().any(|&residual| {
            let leaves = pool.leaves(&[residual]);
            leaves.into_iter().filter(|leaf| order(*leaf, unknown, axis) == highest).any(|leaf| {
                let factor = pool.derivative(residual, leaf);
                pool.mentions(factor, |leaf| matches!(leaf, Leaf::Field(_)))
            })
        })
    };
    if highest % 2 == 1 && by_fields() { highest - 1 } else { highest }
}

/// Counts the equations of conditions that hold on a face and mention the system. Of conditions on parts of it, as
/// many count as hold at one place.
fn stated(problem: &Problem, system: &System, steep: &[(usize, usize)], end: End) -> Stated {
    let mut whole = 0;
    let mut parts: Vec<(Expression, usize)> = Vec::new();
    let mut uncounted = false;
    for condition in &problem.conditions {
        let own = mentioning(problem, system, condition);
        let pieces: &[super::Piece] = match &condition.place {
            Place::Pieces(pieces) => pieces,
            Place::Wrap { .. } => &[],
        };
        let here = pieces.iter().filter(|piece| piece.fixed == [(end.axis, end.value)]);
        let filters: Vec<Option<Expression>> = here.map(|piece| piece.filter).collect();
        if filters.is_empty() {
            continue;
        }
        let steep = |fields: &BTreeSet<usize>| steep.iter().any(|(unknown, _)| fields.contains(unknown));
        uncounted |= own.iter().any(|fields| !steep(fields));
        if filters.contains(&None) {
            whole += own.len();
        } else {
            parts.extend(filters.into_iter().flatten().map(|filter| (filter, own.len())));
        }
    }
    let places =
        if parts.is_empty() { Vec::new() } else { places(&problem.domain, &[(end.axis, end.value)]) };
    let at = |place: &Vec<f64>| -> usize {
        let holds = |filter: Expression| crate::constrain::value(&problem.pool, filter, place) != 0.0;
        parts.iter().filter(|(filter, _)| holds(*filter)).map(|(_, count)| count).sum()
    };
    Stated { count: whole + places.iter().map(at).max().unwrap_or(0), uncounted }
}

/// The fields of each equation of a condition that mentions the system.
fn mentioning(problem: &Problem, system: &System, condition: &Condition) -> Vec<BTreeSet<usize>> {
    let equations = condition.equations.iter().map(|equation| fields(&problem.pool, equation.residual));
    equations.filter(|fields| !fields.is_disjoint(&system.unknowns)).collect()
}

/// Equations that tie both ends together, or hold on a plane between them.
fn elsewhere(problem: &Problem, system: &System, ends: [End; 2]) -> usize {
    let [low, high] = ends;
    let counts = |condition: &&Condition| {
        match &condition.place {
        Place::Wrap { axis } => *axis == low.axis,
        Place::Pieces(pieces) => pieces.iter().any(|piece| {
            matches!(piece.fixed[..], [(axis, value)] if axis == low.axis && value != low.value && value != high.value)
        }),
    }
    };
    problem
        .conditions
        .iter()
        .filter(counts)
        .map(|condition| mentioning(problem, system, condition).len())
        .sum()
}

/// A function at a place, with some values for all that is not known there.
fn sample(problem: &Problem, pool: &Pool, function: Expression, place: &[f64]) -> f64 {
    evaluate(pool, function, &|leaf| match leaf {
        Leaf::Coordinate(axis) => place[usize::from(axis)],
        Leaf::Parameter(index) => problem.parameters[usize::from(index)].start,
        _ => SOME_VALUE,
    })
}

/// The factors of the highest derivatives along an axis.
fn factors(pool: &mut Pool, system: &System, steep: &[(usize, usize)], axis: usize) -> Vec<Expression> {
    let mut factors = Vec::new();
    for &residual in &system.equations {
        for leaf in pool.leaves(&[residual]) {
            if steep.iter().any(|&(unknown, highest)| order(leaf, unknown, axis) == highest) {
                factors.push(pool.derivative(residual, leaf));
            }
        }
    }
    factors
}

/// Whether equations lose their highest derivatives on a face, or are infinite there: solutions that stay finite
/// need no condition then, as at the axis of a cylinder.
fn is_singular(problem: &Problem, system: &System, steep: &[(usize, usize)], end: End) -> bool {
    let mut pool = problem.pool.clone();
    let factors = factors(&mut pool, system, steep, end.axis);
    let (face, inside) = (places(&problem.domain, &[(end.axis, end.value)]), places(&problem.domain, &[]));
    let vanishes = |factor: Expression| {
        let size = |places: &[Vec<f64>]| {
            let values = places.iter().map(|place| sample(problem, &pool, factor, place).abs());
            values.filter(|value| value.is_finite()).fold(0.0, f64::max)
        };
        pool.as_number(factor).is_none() && size(&face) <= VANISHES * size(&inside)
    };
    let infinite =
        |residual: Expression| face.iter().any(|place| !sample(problem, &pool, residual, place).is_finite());
    factors.into_iter().any(vanishes) || system.equations.iter().any(|residual| infinite(*residual))
}

/// Whether a highest derivative changes its sign inside: the kind of the equation changes there, and with it what it needs.
fn changes_sign(problem: &Problem, system: &System, steep: &[(usize, usize)], axis: usize) -> bool {
    let mut pool = problem.pool.clone();
    let factors = factors(&mut pool, system, steep, axis);
    factors.into_iter().any(|factor| sign(problem, &pool, factor).is_none())
}

/// The sign of a function that has the same one everywhere; zero does not count.
fn sign(problem: &Problem, pool: &Pool, function: Expression) -> Option<f64> {
    let values: Vec<f64> = match pool.as_number(function) {
        Some(number) => vec![number],
        None => {
            let places = places(&problem.domain, &[]);
            places.iter().map(|place| sample(problem, pool, function, place)).collect()
        }
    };
    let mut signs = values.into_iter().filter(|value| *value != 0.0).map(f64::signum);
    let first = signs.next()?;
    signs.all(|sign| sign == first).then_some(first)
}

/// The end at which a quantity that is carried along comes in, where nothing says what comes in: of one field with
/// `a·u_t + b·u_x + … = 0` and known signs of `a` and `b` only.
fn inflow(problem: &Problem, system: &System, ends: [End; 2]) -> Option<BareFace> {
    let (&[residual], 1) = (&system.equations[..], system.unknowns.len()) else { return None };
    let unknown = *system.unknowns.first()?;
    let time = problem.domain.coordinates.iter().position(|coordinate| coordinate.role == Role::Time)?;
    let axis = ends[0].axis;
    let mut pool = problem.pool.clone();
    let leaves = pool.leaves(&[residual]);
    let fields = leaves.iter().filter_map(|leaf| match leaf {
        Leaf::Field(field) => Some(field.derivative.order()),
        _ => None,
    });
    if fields.max() != Some(1) {
        return None;
    }
    let mut speed = |along: usize| {
        let leaf = leaves.iter().find(|leaf| order(**leaf, unknown, along) == 1)?;
        let factor = pool.derivative(residual, *leaf);
        let known = !pool.mentions(factor, |leaf| matches!(leaf, Leaf::Field(_) | Leaf::Parameter(_)));
        if known { sign(problem, &pool, factor) } else { None }
    };
    let end = if speed(time)? == speed(axis)? { ends[0] } else { ends[1] };
    let (unknowns, orders) = (vec![unknown], vec![1]);
    (!end.open).then(|| BareFace { axis, ends: vec![end.value], unknowns, orders, needed: 1, found: 0 })
}

impl BareFace {
    /// What is missing and how to mend it, in the words of the problem file.
    pub fn sentence(&self, problem: &Problem) -> String {
        let coordinate = &problem.domain.coordinates[self.axis];
        let (name, low, high) = (&coordinate.name, coordinate.low, coordinate.high);
        let unknown = |number: usize| problem.unknowns[number].name.as_str();
        let fields: Vec<String> = self
            .unknowns
            .iter()
            .zip(&self.orders)
            .map(|(&number, &order)| format!("`{}_{}`", unknown(number), name.repeat(order)))
            .collect();
        let face: Vec<String> = self.ends.iter().map(|end| format!("{name} = {end}")).collect();
        let (needed, found) = (self.needed, self.found);
        let first = self.unknowns.first().map_or("u", |number| unknown(*number));
        let open = match self.ends[..] {
            [end] if end == low => "open = \"low\"",
            [end] if end == high => "open = \"high\"",
            _ => "open = true",
        };
        // A member of a family has no line of its own.
        let open = if name.ends_with(|letter: char| letter.is_ascii_digit()) {
            format!("`{open}` for {name} in [domain]")
        } else {
            format!("`{name} = {{ range = [{low}, {high}], {open} }}`")
        };
        let (verb, ask) = if fields.len() == 1 { ("asks", "") } else { ("ask", " together") };
        format!(
            "{} {verb} for {needed} condition{}{ask} at the ends of {name}, and {}: {} missing at {}. \
             The equations alone do not single out a solution. State what holds there: `{{ on = \"{}\", equation = \"{first} = …\" }}`, \
             or `dn({first}) = …`; or join both ends: `{{ periodic = \"{name}\" }}`; \
             or say that nothing is to hold there: {open}",
            fields.join(", "),
            if needed == 1 { "" } else { "s" },
            match found {
                0 => "none is stated".to_owned(),
                1 => "1 is stated".to_owned(),
                _ => format!("{found} are stated"),
            },
            match needed.saturating_sub(found) {
                1 => "one is".to_owned(),
                several => format!("{several} are"),
            },
            face.join(" and "),
            face.join(", "),
        )
    }
}
