//! Conditions that hold by construction on the boundary of a shape.
//!
//! Every piece of the boundary that is a plane or a quadric has a smooth function that vanishes on it and is positive inside,
//! about the distance to it: its level. `φ` is their product, corners included, with largest value one; levels of holes
//! count as `level/(level + radius)`, or many holes would make `φ` tiny between them. Pieces that are whole faces of the
//! box are met as on boxes, by `g` and `φ` of their own. What others prescribe is blended in with weights
//! `Π_{j≠i} level_j / Σ`, one for each connected part of the boundary: on one part its weight is one and the others are
//! zero (Rvachev, Sheiko 1995; inverse distances to parts).
//! Time comes last: what holds at its start is met by what changes with it.

use super::claim::{Claim, Datum, SurfaceDatum};
use super::polygon::{self, NotBlended};
use super::select::{Selected, select};
use crate::expression::{Derivative, Expression, GivenField, Leaf, Node, Pool};
use crate::problem::{
    GivenFunction, GivenSource, PenaltyReason, Problem, dense_places, largest, places, surface_places, value,
};

/// Differences on the boundary that do not count, as a share of the larger function: rounding.
const TOLERANCE: f64 = 1e-9;

/// A connected part of the boundary on which an unknown is prescribed, none of whose pieces is a face of the box.
struct Part {
    /// Pieces of the boundary with what they prescribe, and the claim that says so.
    own: Vec<(usize, SurfaceDatum)>,
    /// Vanishes on all of them, positive inside, with slopes of one at most on them.
    level: Expression,
    /// Vanishes where the level does; bounded around holes.
    factor: Expression,
}

/// Chooses among claims on one unknown of a problem on a shape, and builds the ansatz that meets them.
pub(super) fn select_on_shape(
    pool: &mut Pool,
    problem: &mut Problem,
    unknown: usize,
    claims: Vec<&Claim>,
) -> Selected {
    let stated = problem.unknowns[unknown].ansatz;
    let (mut claims, mut refused) = (claims, Vec::new());
    refuse(&mut claims, &mut refused, |claim| is_mixed(problem, claim).then_some(PenaltyReason::Partial));
    refuse(&mut claims, &mut refused, |claim| {
        claim.surfaces.iter().find_map(|datum| level(&mut pool.clone(), problem, datum.surface).err())
    });
    loop {
        if claims.is_empty() {
            return Selected { refused, ansatz: None };
        }
        let mut trial = pool.clone();
        let built = build(&mut trial, problem, unknown, &claims);
        problem.unknowns[unknown].ansatz = stated;
        let gone = match built {
            Ok(ansatz) => {
                *pool = trial;
                return Selected { refused, ansatz: Some(ansatz) };
            }
            Err(gone) => gone,
        };
        claims.retain(|claim| gone.iter().all(|(number, _)| *number != claim.number));
        refused.extend(gone);
    }
}

/// Moves claims for which there is a reason to those that were refused.
fn refuse<'c>(
    claims: &mut Vec<&'c Claim>,
    refused: &mut Vec<(usize, PenaltyReason)>,
    reason: impl Fn(&'c Claim) -> Option<PenaltyReason>,
) {
    claims.retain(|claim| match reason(claim) {
        Some(reason) => {
            refused.push((claim.number, reason));
            false
        }
        None => true,
    });
}

/// Whether a claim holds in space and at an end of time.
fn is_mixed(problem: &Problem, claim: &Claim) -> bool {
    let timely = claim.data.iter().filter(|datum| problem.time() == Some(datum.face.axis)).count();
    timely > 0 && timely < claim.data.len() + claim.surfaces.len()
}

/// The function of a piece of the boundary that vanishes on it and is positive inside.
fn level(pool: &mut Pool, problem: &Problem, surface: usize) -> Result<Expression, PenaltyReason> {
    let Some(geometry) = &problem.domain.geometry else { return Err(PenaltyReason::Partial) };
    let piece = &geometry.solid.pieces()[surface];
    let name = || piece.name().to_owned();
    if let Some(level) = geometry.family.as_ref().and_then(|family| family.level(piece)) {
        return towards_inside(pool, problem, level).ok_or_else(|| PenaltyReason::Crosses { piece: name() });
    }
    let Some(quadric) = piece.level() else { return Err(PenaltyReason::NoLevel { piece: name() }) };
    let coordinates: Vec<Expression> =
        geometry.axes.iter().map(|&axis| pool.leaf(Leaf::Coordinate(axis as u16))).collect();
    let mut terms = vec![(pool.number(quadric.constant), 1.0)];
    terms.extend(coordinates.iter().copied().zip(quadric.linear.iter().copied()));
    for (row, slopes) in quadric.square.iter().enumerate() {
        for (column, &slope) in slopes.iter().enumerate().filter(|(_, slope)| **slope != 0.0) {
            terms.push((pool.multiply(coordinates[row], coordinates[column]), slope));
        }
    }
    let level = pool.combine(&terms);
    towards_inside(pool, problem, level).ok_or_else(|| PenaltyReason::Crosses { piece: name() })
}

/// A function with the sign that makes it positive inside; `None` where it has both signs there.
fn towards_inside(pool: &mut Pool, problem: &Problem, level: Expression) -> Option<Expression> {
    let inside = places(&problem.domain, &[]);
    let inside = inside.iter().filter(|place| problem.domain.contains(place));
    let values: Vec<f64> = inside.map(|place| value(pool, level, place)).collect();
    let sign = match (values.iter().all(|value| *value > 0.0), values.iter().all(|value| *value < 0.0)) {
        (true, false) => 1.0,
        (false, true) => -1.0,
        _ => return None,
    };
    Some(pool.scale(level, sign))
}

/// What a piece contributes to `φ`: its level, or for a hole `level/(level + radius)`, which is one far away.
fn bounded(pool: &mut Pool, problem: &Problem, surface: usize, level: Expression) -> Expression {
    let Some(geometry) = &problem.domain.geometry else { return level };
    let axes = &geometry.axes;
    let second = axes.iter().map(|&axis| {
        let second = pool.differentiate(level, axis);
        pool.differentiate(second, axis)
    });
    let second: Vec<Expression> = second.collect();
    let bend = pool.sum(&second);
    // The Laplacian of (r² - R²)/2R in the plane is 2/R; in space the radius comes out a third smaller. It is a number, but
    // for shapes with parameters.
    let bent = match pool.as_number(bend) {
        Some(bend) => bend > 0.0,
        None => places(&problem.domain, &[]).iter().all(|place| value(pool, bend, place) > 0.0),
    };
    if !bent || geometry.solid.pieces()[surface].level().is_none() {
        return level;
    }
    let two = pool.number(2.0);
    let radius = pool.divide(two, bend);
    let beyond = pool.add(level, radius);
    pool.powers(&[(level, 1.0), (beyond, -1.0)])
}

/// A function that vanishes on pieces of the boundary, with slopes of one at most on them.
fn with_slope_one(
    pool: &mut Pool,
    problem: &Problem,
    function: Expression,
    places: &[Vec<f64>],
) -> Expression {
    let Some(geometry) = &problem.domain.geometry else { return function };
    let slopes: Vec<Expression> =
        geometry.axes.iter().map(|&axis| pool.differentiate(function, axis)).collect();
    let steepest = places
        .iter()
        .map(|place| slopes.iter().map(|&slope| value(pool, slope, place).powi(2)).sum::<f64>().sqrt())
        .filter(|slope| slope.is_finite())
        .fold(0.0, f64::max);
    if steepest > 0.0 { pool.scale(function, 1.0 / steepest) } else { function }
}

/// The ansatz that meets all claims, or those that have to give way.
fn build(
    pool: &mut Pool,
    problem: &mut Problem,
    unknown: usize,
    claims: &[&Claim],
) -> Result<Expression, Vec<(usize, PenaltyReason)>> {
    let time = problem.time();
    let is_timely = |claim: &&&Claim| claim.data.iter().any(|datum| time == Some(datum.face.axis));
    let in_space: Vec<&Claim> = claims.iter().filter(|claim| !is_timely(claim)).copied().collect();
    let raw = Leaf::Raw(unknown as u16);
    let factor = problem.unknowns[unknown].unit;
    let on_faces: Vec<&Claim> = in_space.iter().filter(|claim| !claim.data.is_empty()).copied().collect();
    let (stated, mut free) = split(pool, problem.unknowns[unknown].ansatz, unknown, factor);
    let mut known = stated;
    if !on_faces.is_empty() {
        let Selected { refused, ansatz } = select(pool, problem, on_faces);
        if !refused.is_empty() {
            return Err(refused);
        }
        (known, free) = split(pool, ansatz, unknown, factor);
    }
    let has_faces = in_space.iter().any(|claim| !claim.data.is_empty());
    let parts = parts(pool, problem, &in_space)?;
    if !parts.is_empty() {
        let on_faces = || in_space.iter().flat_map(|claim| &claim.data);
        let places: Vec<Vec<f64>> = on_faces()
            .flat_map(|datum| places(&problem.domain, &[datum.face.fixed(&problem.domain)]))
            .filter(|place| problem.domain.covers(place))
            .collect();
        let faces = has_faces.then(|| with_slope_one(pool, problem, free, &places));
        known = blended(pool, problem, known, faces, &parts)?;
    }
    let mut bump: Vec<Expression> = parts.iter().map(|part| part.factor).collect();
    bump.extend([free, pool.number(1.0 / factor)]);
    let bump = pool.product(&bump);
    let mut inside = places(&problem.domain, &[]);
    inside.retain(|place| problem.domain.contains(place));
    let height = largest(pool, bump, &inside).1;
    // What time adds is in units of the network's output.
    let leaf = pool.leaf(raw);
    let output = pool.scale(leaf, factor);
    let mut ansatz = pool.add(known, output);
    problem.unknowns[unknown].ansatz = Some(ansatz);
    let added = pool.subtract(known, stated);
    let timely: Vec<Claim> = claims
        .iter()
        .filter(is_timely)
        .map(|claim| at_time(pool, problem, claim, added))
        .collect::<Result<_, _>>()
        .map_err(|refused| vec![refused])?;
    if !timely.is_empty() {
        meets_walls(pool, problem, &timely, &in_space)?;
        let Selected { refused, ansatz: found } = select(pool, problem, timely.iter().collect());
        if !refused.is_empty() {
            return Err(refused);
        }
        ansatz = found.unwrap_or(ansatz);
    }
    let (known, fading) = split(pool, Some(ansatz), unknown, factor);
    let free = pool.product(&[leaf, fading, bump]);
    let free = pool.scale(free, 1.0 / height);
    Ok(pool.add(known, free))
}

/// What an ansatz is without the network, and the factor of the network's output.
fn split(
    pool: &mut Pool,
    ansatz: Option<Expression>,
    unknown: usize,
    factor: f64,
) -> (Expression, Expression) {
    let Some(ansatz) = ansatz else { return (pool.number(0.0), pool.number(factor)) };
    let raw = Leaf::Raw(unknown as u16);
    let slope = pool.derivative(ansatz, raw);
    let known = pool.substitute(ansatz, &mut |pool, leaf| (leaf == raw).then(|| pool.number(0.0)));
    (known, slope)
}

/// A claim at an end of time, of which some is met by now.
fn at_time(
    pool: &mut Pool,
    problem: &Problem,
    claim: &Claim,
    met: Expression,
) -> Result<Claim, (usize, PenaltyReason)> {
    let mut data = Vec::with_capacity(claim.data.len());
    for datum in &claim.data {
        let own = datum.face.of(pool, &problem.domain, met);
        let rest = pool.subtract(datum.data, own);
        let places = places(&problem.domain, &[datum.face.fixed(&problem.domain)]);
        let (index, scale) = largest(pool, rest, &places);
        if !scale.is_finite() {
            let reason =
                PenaltyReason::NotFinite { axis: datum.face.axis, order: 0, place: places[index].clone() };
            return Err((claim.number, reason));
        }
        data.push(Datum { data: rest, scale, ..*datum });
    }
    Ok(Claim { data, ..claim.clone() })
}

/// Refuses what holds at an end of time and contradicts what holds on the boundary then.
fn meets_walls(
    pool: &Pool,
    problem: &Problem,
    timely: &[Claim],
    in_space: &[&Claim],
) -> Result<(), Vec<(usize, PenaltyReason)>> {
    for claim in timely {
        for datum in &claim.data {
            for (wall, surface) in
                in_space.iter().flat_map(|wall| wall.surfaces.iter().map(move |surface| (wall, surface)))
            {
                let (axis, at) = datum.face.fixed(&problem.domain);
                let mut places = surface_places(&problem.domain, surface.surface);
                places.iter_mut().for_each(|place| place[axis] = at);
                let (index, off) = largest(pool, datum.data, &places);
                if off > TOLERANCE * datum.scale.max(surface.scale) {
                    let place = places[index].clone();
                    let others = value(pool, surface.data, &place);
                    let own = others + value(pool, datum.data, &place);
                    let derivative =
                        Derivative::new(&vec![axis; datum.face.order]).unwrap_or(Derivative::NONE);
                    let other = problem.conditions[wall.condition].name.clone();
                    let unknown = claim.unknown;
                    let clash = PenaltyReason::Clash { other, unknown, derivative, place, own, others };
                    return Err(vec![(claim.number, clash)]);
                }
            }
        }
    }
    Ok(())
}

/// The connected parts of what is prescribed on other pieces than faces of the box.
fn parts(
    pool: &mut Pool,
    problem: &Problem,
    claims: &[&Claim],
) -> Result<Vec<Part>, Vec<(usize, PenaltyReason)>> {
    let mut parts: Vec<Part> = Vec::new();
    for claim in claims {
        for &datum in &claim.surfaces {
            if parts.iter().flat_map(|part| &part.own).any(|(_, own)| own.surface == datum.surface) {
                continue;
            }
            let level = level(pool, problem, datum.surface).map_err(|reason| vec![(claim.number, reason)])?;
            let factor = bounded(pool, problem, datum.surface, level);
            let mut part = Part { own: vec![(claim.number, datum)], level, factor };
            let (touching, apart): (Vec<Part>, Vec<Part>) =
                parts.into_iter().partition(|other| touch(pool, problem, other, &part));
            for other in touching {
                part.level = pool.multiply(other.level, part.level);
                part.factor = pool.multiply(other.factor, part.factor);
                part.own.splice(0..0, other.own);
            }
            parts = apart;
            parts.push(part);
        }
    }
    for part in &mut parts {
        let own = part.own.iter().flat_map(|(_, datum)| surface_places(&problem.domain, datum.surface));
        part.level = with_slope_one(pool, problem, part.level, &own.collect::<Vec<_>>());
    }
    Ok(parts)
}

/// Whether two parts of the boundary meet.
fn touch(pool: &Pool, problem: &Problem, one: &Part, other: &Part) -> bool {
    let meets = |from: &Part, to: &Part| {
        from.own.iter().any(|(_, datum)| comes_near(pool, problem, datum.surface, to.level))
    };
    meets(one, other) || meets(other, one)
}

/// Whether a function that vanishes on a part of the boundary, and nowhere else of it, comes near zero on a piece: as near
/// as places on the piece lie to each other.
fn comes_near(pool: &Pool, problem: &Problem, surface: usize, level: Expression) -> bool {
    /// Smaller values, as a share of the largest on the piece, are near zero.
    const NEAR: f64 = 0.02;
    let values = dense_places(&problem.domain, surface);
    let values: Vec<f64> = values.iter().map(|place| value(pool, level, place)).collect();
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    values.iter().any(|value| value.abs() <= NEAR * largest)
}

/// `known`, which meets what faces of the box prescribe where `faces` vanishes, changed so that parts get what they prescribe.
fn blended(
    pool: &mut Pool,
    problem: &Problem,
    known: Expression,
    faces: Option<Expression>,
    parts: &[Part],
) -> Result<Expression, Vec<(usize, PenaltyReason)>> {
    let mut wanted: Vec<Option<Expression>> = Vec::new();
    for part in parts {
        let first = part.own[0].1.data;
        let differs = |datum: &SurfaceDatum, function: Expression, pool: &mut Pool| {
            let rest = pool.subtract(datum.data, function);
            let places = surface_places(&problem.domain, datum.surface);
            let size = largest(pool, function, &places).1.max(datum.scale);
            largest(pool, rest, &places).1 > TOLERANCE * size.max(f64::MIN_POSITIVE)
        };
        if !part.own.iter().any(|(_, datum)| differs(datum, known, pool)) {
            wanted.push(None);
            continue;
        }
        let odd = part.own.iter().find(|(_, datum)| differs(datum, first, pool));
        let refused = |surface: usize, number: usize| {
            vec![(number, PenaltyReason::Meets { piece: piece_name(problem, surface) })]
        };
        let function = match (polygon::blended(pool, problem, &part.own, TOLERANCE), odd) {
            _ if pool.as_number(first).is_some() && odd.is_none() => first,
            (Ok(function), _) => function,
            (Err(NotBlended::NoPolygon), None) => first,
            (Err(NotBlended::NoPolygon), Some((number, datum))) => {
                return Err(refused(datum.surface, *number));
            }
            (Err(NotBlended::Differ { surface }), _) => {
                let own = part.own.iter().find(|(_, datum)| datum.surface == surface);
                return Err(refused(surface, own.map_or(part.own[0].0, |(number, _)| *number)));
            }
        };
        if let Some(faces) = faces
            && let Some((number, datum)) =
                part.own.iter().find(|(_, datum)| comes_near(pool, problem, datum.surface, faces))
        {
            let piece = piece_name(problem, datum.surface);
            return Err(vec![(*number, PenaltyReason::Meets { piece })]);
        }
        wanted.push(Some(function));
    }
    if wanted.iter().all(Option::is_none) {
        return Ok(known);
    }
    let faces = faces.unwrap_or_else(|| pool.number(1.0));
    let products: Vec<Expression> = (0..parts.len())
        .map(|own| {
            let others = parts.iter().enumerate().filter(|(other, _)| *other != own);
            let mut factors: Vec<Expression> = others.map(|(_, part)| part.level).collect();
            factors.push(faces);
            pool.product(&factors)
        })
        .collect();
    let mut all = products.clone();
    if pool.as_number(faces) != Some(1.0) {
        let levels: Vec<Expression> = parts.iter().map(|part| part.level).collect();
        all.push(pool.product(&levels));
    }
    let sum = pool.sum(&all);
    let mut terms = vec![known];
    for (wanted, product) in wanted.into_iter().zip(products) {
        let Some(wanted) = wanted else { continue };
        let change = pool.subtract(wanted, known);
        terms.push(pool.powers(&[(product, 1.0), (change, 1.0), (sum, -1.0)]));
    }
    Ok(pool.sum(&terms))
}

fn piece_name(problem: &Problem, surface: usize) -> String {
    let geometry = problem.domain.geometry.as_ref();
    geometry.map_or_else(String::new, |geometry| geometry.solid.pieces()[surface].name().to_owned())
}

/// Makes known functions of the parts of every ansatz, whose derivatives come with each point from then on: formulas of
/// shapes would be long ones.
pub(super) fn give(problem: &mut Problem) {
    for unknown in 0..problem.unknowns.len() {
        let Problem { pool, unknowns, given, .. } = problem;
        let Some(ansatz) = unknowns[unknown].ansatz else { continue };
        let raw = Leaf::Raw(unknown as u16);
        let (known, free) = split(pool, Some(ansatz), unknown, 1.0);
        let trained = |leaf: Leaf| leaf == raw || matches!(leaf, Leaf::Parameter(_));
        if pool.mentions(known, trained) || pool.mentions(free, trained) {
            continue;
        }
        let name = unknowns[unknown].name.clone();
        let mut give = |pool: &mut Pool, function: Expression, name: String| match pool.node(function) {
            Node::Number(_) | Node::Leaf(_) => function,
            _ => {
                let known = given.iter().position(|own| own.formula() == Some(function));
                let position = known.unwrap_or_else(|| {
                    given.push(GivenFunction { name, source: GivenSource::Formula(function) });
                    given.len() - 1
                });
                let derivative = Derivative::NONE;
                pool.leaf(Leaf::Given(GivenField { function: position as u16, derivative, site: 0 }))
            }
        };
        let known = give(pool, known, format!("g_{name}"));
        let free = give(pool, free, format!("phi_{name}"));
        let leaf = pool.leaf(raw);
        let free = pool.multiply(free, leaf);
        unknowns[unknown].ansatz = Some(pool.add(known, free));
    }
}
