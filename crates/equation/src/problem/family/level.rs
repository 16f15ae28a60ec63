//! Shapes as formulas of places and parameters: what is inside, and functions that vanish on the pieces of the boundary. They are
//! those that `geometry` has for shapes without parameters.

use super::ShapeStep;
use crate::expression::{Expression, Function, Leaf, Pool};

/// More primitives, copies counted, would make long formulas.
const MOST_PRIMITIVES: usize = 64;

/// A shape as formulas.
pub(super) struct Described {
    /// Positive inside.
    pub(super) inside: Expression,
    /// Per primitive and its pieces.
    pub(super) levels: Vec<Vec<Expression>>,
}

/// The formulas of what steps make in the space of these coordinates.
pub(super) fn describe(pool: &mut Pool, steps: &[ShapeStep], space: &[usize]) -> Result<Described, String> {
    let place: Vec<Expression> = space.iter().map(|&axis| pool.leaf(Leaf::Coordinate(axis as u16))).collect();
    let mut made: Vec<Described> = Vec::new();
    for step in steps {
        let missing = || "it is not made of shapes".to_owned();
        let described = match step {
            ShapeStep::Primitive { kind, numbers, .. } => primitive(pool, kind, numbers, &place)?,
            ShapeStep::Known(_) => return Err("it has a part from a file".to_owned()),
            ShapeStep::Union | ShapeStep::Intersection | ShapeStep::Difference => {
                let (other, one) = (made.pop().ok_or_else(missing)?, made.pop().ok_or_else(missing)?);
                let inside = match step {
                    ShapeStep::Union => pool.max(one.inside, other.inside),
                    ShapeStep::Intersection => pool.min(one.inside, other.inside),
                    _ => {
                        let outside = pool.negate(other.inside);
                        pool.min(one.inside, outside)
                    }
                };
                Described { inside, levels: [one.levels, other.levels].concat() }
            }
            ShapeStep::Named(_) => made.pop().ok_or_else(missing)?,
            ShapeStep::Repeat { step, count } => {
                let one = made.pop().ok_or_else(missing)?;
                let copies = (0..*count).map(|copy| {
                    let by: Vec<Expression> = step.iter().map(|own| pool.scale(*own, copy as f64)).collect();
                    let from = shifted(pool, &place, &by);
                    one.at(pool, space, &from)
                });
                let copies: Vec<Described> = copies.collect();
                let inside = copies
                    .iter()
                    .skip(1)
                    .fold(copies[0].inside, |inside, copy| pool.max(inside, copy.inside));
                Described { inside, levels: copies.into_iter().flat_map(|copy| copy.levels).collect() }
            }
            ShapeStep::Translate(by) => {
                let from = shifted(pool, &place, by);
                made.pop().ok_or_else(missing)?.at(pool, space, &from)
            }
            ShapeStep::Rotate(numbers) => {
                let from = turned_back(pool, &place, numbers)?;
                made.pop().ok_or_else(missing)?.at(pool, space, &from)
            }
            ShapeStep::Scale(numbers) => {
                let factor = numbers[0];
                let from: Vec<Expression> = place
                    .iter()
                    .enumerate()
                    .map(|(axis, &own)| {
                        let about = numbers.get(axis + 1).copied().unwrap_or_else(|| pool.number(0.0));
                        let offset = pool.subtract(own, about);
                        let offset = pool.divide(offset, factor);
                        pool.add(about, offset)
                    })
                    .collect();
                let own = made.pop().ok_or_else(missing)?.at(pool, space, &from);
                own.each(|level| pool.multiply(level, factor))
            }
        };
        if described.levels.len() > MOST_PRIMITIVES {
            return Err(format!("it has more than {MOST_PRIMITIVES} primitives"));
        }
        made.push(described);
    }
    made.pop().ok_or_else(|| "it is empty".to_owned())
}

impl Described {
    fn each(self, mut change: impl FnMut(Expression) -> Expression) -> Described {
        let inside = change(self.inside);
        let levels = self.levels.into_iter();
        let levels = levels.map(|own| own.into_iter().map(&mut change).collect()).collect();
        Described { inside, levels }
    }

    /// The same at other places.
    fn at(&self, pool: &mut Pool, space: &[usize], from: &[Expression]) -> Described {
        let copy = Described { inside: self.inside, levels: self.levels.clone() };
        copy.each(|function| {
            pool.substitute(function, &mut |_, leaf| {
                let own = space.iter().position(|&axis| leaf == Leaf::Coordinate(axis as u16))?;
                Some(from[own])
            })
        })
    }
}

/// Places before they were moved by a vector.
fn shifted(pool: &mut Pool, place: &[Expression], by: &[Expression]) -> Vec<Expression> {
    place.iter().zip(by).map(|(own, by)| pool.subtract(*own, *by)).collect()
}

/// Places before they were turned, by Rodrigues' formula in space.
fn turned_back(
    pool: &mut Pool,
    place: &[Expression],
    numbers: &[Expression],
) -> Result<Vec<Expression>, String> {
    let zero = pool.number(0.0);
    let (axis, angle, about) = match numbers {
        [angle, about @ ..] if place.len() == 2 => (None, *angle, about),
        [a, b, c, angle, about @ ..] if place.len() == 3 => (Some([*a, *b, *c]), *angle, about),
        _ => return Err("it is turned otherwise".to_owned()),
    };
    let center: Vec<Expression> =
        (0..place.len()).map(|axis| about.get(axis).copied().unwrap_or(zero)).collect();
    let offset = shifted(pool, place, &center);
    let (sine, cosine) = (pool.apply(Function::Sin, angle), pool.apply(Function::Cos, angle));
    let turned = match axis {
        None => {
            let [across, up] =
                [sine, cosine].map(|part| [pool.multiply(part, offset[0]), pool.multiply(part, offset[1])]);
            vec![pool.add(up[0], across[1]), pool.subtract(up[1], across[0])]
        }
        Some(axis) => {
            let length = length(pool, &axis);
            let axis = axis.map(|own| pool.divide(own, length));
            let along = dot(pool, &axis, &offset);
            let across = cross(pool, &axis, &offset);
            let one = pool.number(1.0);
            let rest = pool.subtract(one, cosine);
            (0..3)
                .map(|own| {
                    let terms = [
                        pool.multiply(cosine, offset[own]),
                        pool.product(&[rest, along, axis[own]]),
                        pool.multiply(sine, across[own]),
                    ];
                    // Against the turn.
                    pool.combine(&[(terms[0], 1.0), (terms[1], 1.0), (terms[2], -1.0)])
                })
                .collect()
        }
    };
    Ok(turned.iter().zip(&center).map(|(own, center)| pool.add(*own, *center)).collect())
}

fn dot(pool: &mut Pool, one: &[Expression], other: &[Expression]) -> Expression {
    let terms: Vec<Expression> =
        one.iter().zip(other).map(|(one, other)| pool.multiply(*one, *other)).collect();
    pool.sum(&terms)
}

fn cross(pool: &mut Pool, one: &[Expression], other: &[Expression]) -> [Expression; 3] {
    [(1, 2), (2, 0), (0, 1)].map(|(a, b)| {
        let (left, right) = (pool.multiply(one[a], other[b]), pool.multiply(one[b], other[a]));
        pool.subtract(left, right)
    })
}

fn length(pool: &mut Pool, vector: &[Expression]) -> Expression {
    let square = dot(pool, vector, vector);
    pool.apply(Function::Sqrt, square)
}

/// `mean/2·(1 - Σ (x/a)²)` over these places and semi-axes.
fn round(pool: &mut Pool, offsets: &[Expression], semi_axes: &[Expression], mean: Expression) -> Expression {
    let quotients = offsets.iter().zip(semi_axes).map(|(x, a)| pool.powers(&[(*x, 2.0), (*a, -2.0)]));
    let quotients: Vec<Expression> = quotients.collect();
    let (sum, one) = (pool.sum(&quotients), pool.number(1.0));
    let depth = pool.subtract(one, sum);
    let depth = pool.multiply(depth, mean);
    pool.scale(depth, 0.5)
}

fn primitive(
    pool: &mut Pool,
    kind: &str,
    numbers: &[Expression],
    place: &[Expression],
) -> Result<Described, String> {
    let dimension = place.len();
    let levels: Vec<Expression> = match (kind, numbers.len()) {
        ("interval" | "rectangle" | "box", count) if count == 2 * dimension => (0..dimension)
            .flat_map(|axis| {
                [
                    pool.subtract(place[axis], numbers[axis]),
                    pool.subtract(numbers[dimension + axis], place[axis]),
                ]
            })
            .collect(),
        ("disk" | "sphere", count) if count == dimension + 1 => {
            let radius = numbers[dimension];
            let offsets = shifted(pool, place, &numbers[..dimension]);
            vec![round(pool, &offsets, &vec![radius; dimension], radius)]
        }
        ("ellipse" | "ellipsoid", count) if count == 2 * dimension => {
            let (center, semi_axes) = numbers.split_at(dimension);
            let offsets = shifted(pool, place, center);
            let root = 1.0 / dimension as f64;
            let factors: Vec<(Expression, f64)> = semi_axes.iter().map(|axis| (*axis, root)).collect();
            let mean = pool.powers(&factors);
            vec![round(pool, &offsets, semi_axes, mean)]
        }
        ("half_space", count) if count == 2 * dimension => {
            let (point, normal) = numbers.split_at(dimension);
            let offsets = shifted(pool, point, place);
            let (depth, length) = (dot(pool, &offsets, normal), length(pool, normal));
            vec![pool.divide(depth, length)]
        }
        ("cylinder", 7) if dimension == 3 => {
            let axis = shifted(pool, &numbers[3..6], &numbers[..3]);
            let height = length(pool, &axis);
            let offsets = shifted(pool, place, &numbers[..3]);
            let along = dot(pool, &axis, &offsets);
            let along = pool.divide(along, height);
            let square = dot(pool, &offsets, &offsets);
            let radius = numbers[6];
            let beside = pool.powers(&[(along, 2.0)]);
            let beside = pool.subtract(square, beside);
            let quotient = pool.powers(&[(beside, 1.0), (radius, -1.0)]);
            let mantle = pool.combine(&[(radius, 0.5), (quotient, -0.5)]);
            vec![mantle, along, pool.subtract(height, along)]
        }
        ("polygon", count) if count >= 6 => polygon(pool, numbers, place),
        (kind, _) => {
            return Err(format!("no smooth functions are known that vanish on the pieces of a {kind}"));
        }
    };
    let inside = levels.iter().skip(1).fold(levels[0], |inside, level| pool.min(inside, *level));
    Ok(Described { inside, levels: vec![levels] })
}

/// Depths below the sides of a polygon; the inside of a convex one is where all of them are positive.
fn polygon(pool: &mut Pool, numbers: &[Expression], place: &[Expression]) -> Vec<Expression> {
    let mut corners: Vec<&[Expression]> = numbers.chunks_exact(2).collect();
    if corners.len() > 3 && corners.first() == corners.last() {
        corners.pop();
    }
    let count = corners.len();
    // Anticlockwise or not: by the sign of the area.
    let areas = (0..count).map(|side| {
        let (from, to) = (corners[side], corners[(side + 1) % count]);
        let (left, right) = (pool.multiply(from[0], to[1]), pool.multiply(from[1], to[0]));
        pool.subtract(left, right)
    });
    let areas: Vec<Expression> = areas.collect();
    let area = pool.sum(&areas);
    let sign = pool.apply(Function::Sign, area);
    (0..count)
        .map(|side| {
            let (from, to) = (corners[side], corners[(side + 1) % count]);
            let along = shifted(pool, to, from);
            let offset = shifted(pool, place, from);
            let (left, right) = (pool.multiply(along[0], offset[1]), pool.multiply(along[1], offset[0]));
            let depth = pool.subtract(left, right);
            let length = length(pool, &along);
            pool.powers(&[(depth, 1.0), (sign, 1.0), (length, -1.0)])
        })
        .collect()
}
