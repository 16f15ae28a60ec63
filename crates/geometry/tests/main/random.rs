//! Shapes that nobody thought of.

use crate::lanes::lanes_agree;
use crate::support::{Numbers, place, the_boundary_encloses_about};
use geometry::{GeometryError, Shape, Solid};

/// Multiples of a quarter, so that faces often coincide.
fn coarse(numbers: &mut Numbers) -> f64 {
    (numbers.bits() % 9) as f64 / 4.0
}

fn length(numbers: &mut Numbers) -> f64 {
    (1 + numbers.bits() % 4) as f64 / 4.0
}

fn flat(numbers: &mut Numbers) -> Shape {
    let [x, y] = [coarse(numbers), coarse(numbers)];
    let [a, b] = [length(numbers), length(numbers)];
    let shape = match numbers.bits() % 6 {
        0 | 1 => Shape::rectangle([x, y], [x + a, y + b]),
        2 => Shape::disk([x, y], a),
        3 => Shape::ellipse([x, y], [a, b]),
        4 => Shape::polygon(vec![[x, y], [x + a, y], [x + a, y + b], [x + 0.5 * a, y + 0.25 * b]]),
        _ => Shape::half_space(vec![x, y], vec![a - 0.6, b - 0.6]),
    };
    shape.unwrap()
}

fn deep(numbers: &mut Numbers) -> Shape {
    let corner = [coarse(numbers), coarse(numbers), coarse(numbers)];
    let [a, b, c] = [length(numbers), length(numbers), length(numbers)];
    let [x, y, z] = corner;
    let shape = match numbers.bits() % 7 {
        0 | 1 => Shape::cuboid(corner, [x + a, y + b, z + c]),
        2 => Shape::sphere(corner, a),
        3 => Shape::ellipsoid(corner, [a, b, c]),
        4 => Shape::cylinder(corner, [x, y, z + c], a),
        5 => Shape::cone(corner, [x + a, y, z], b),
        _ => Shape::torus(corner, [0.0, 0.0, 1.0], a, 0.5 * a),
    };
    shape.unwrap()
}

fn combined(numbers: &mut Numbers, primitive: fn(&mut Numbers) -> Shape) -> Result<Shape, GeometryError> {
    let mut shape = primitive(numbers);
    for _ in 0..1 + numbers.bits() % 4 {
        let other = primitive(numbers);
        shape = match numbers.bits() % 5 {
            0 | 1 => shape.union(other)?,
            2 => shape.intersection(other)?,
            _ => shape.difference(other)?,
        };
    }
    let turned = numbers.bits().is_multiple_of(2);
    match shape.dimension() {
        2 if turned => shape.rotate2(0.7, [0.3, 0.2]),
        3 if turned => shape.rotate3([1.0, 2.0, 3.0], 0.7, [0.3, 0.2, 0.1]),
        _ => Ok(shape),
    }
}

/// Whatever is cut from whatever, the pieces that are left close a surface around the volume that is left, and no place of
/// them is boundary twice.
fn check(seed: u64, primitive: fn(&mut Numbers) -> Shape) -> bool {
    let mut numbers = Numbers(seed);
    let shape = combined(&mut numbers, primitive).unwrap();
    let solid = match Solid::new(shape) {
        Ok(solid) => solid,
        Err(GeometryError::Empty | GeometryError::Unbounded) => return false,
        Err(error) => panic!("{seed}: {error}"),
    };
    let volume = solid.measure();
    // Three standard errors are stated, five are allowed here as everywhere.
    the_boundary_encloses_about(&solid, volume.value, 5.0 / 3.0 * volume.error);
    let dimension = solid.dimension();
    for piece in solid.pieces() {
        for _ in 0..50 {
            let (point, _) = place(piece, &numbers.units::<2>()[..dimension - 1], dimension);
            let around = solid.signed_distance(&point);
            assert!(around.is_finite());
        }
    }
    lanes_agree(&solid, &mut numbers);
    for _ in 0..2000 {
        let point = numbers.around(solid.bounds(), 0.0);
        // On a face between united parts the distance is zero inside; no random point is there.
        assert_eq!(solid.contains(&point), solid.signed_distance(&point) < 0.0, "{seed}: {point:?}");
    }
    true
}

#[test]
fn random_flat_shapes_are_enclosed_by_their_pieces() {
    let kept = (0..100).filter(|seed| check(1000 + seed, flat)).count();
    assert!(kept > 40, "{kept}");
}

#[test]
fn random_solids_are_enclosed_by_their_pieces() {
    let kept = (0..25).filter(|seed| check(5000 + seed, deep)).count();
    assert!(kept > 12, "{kept}");
}
