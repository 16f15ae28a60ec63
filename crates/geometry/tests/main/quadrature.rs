//! Rules integrate what is known: areas, moments, and what the divergence theorem ties together.

use geometry::{QuadratureNode, Shape, Solid};
use std::f64::consts::PI;

fn solid(shape: Shape) -> Solid {
    Solid::new(shape).expect("a shape")
}

fn channel() -> Solid {
    let channel = Shape::rectangle([0.0, 0.0], [2.2, 0.41]).expect("a rectangle");
    let cylinder = Shape::disk([0.2, 0.2], 0.05).expect("a disk");
    solid(channel.difference(cylinder).expect("a difference"))
}

fn total(nodes: &[QuadratureNode], integrand: impl Fn(&QuadratureNode) -> f64) -> f64 {
    nodes.iter().map(|node| node.weight * integrand(node)).sum()
}

/// ∫ div F over the inside, and ∫ F·n over all of the boundary, of a smooth field.
fn both_sides(solid: &Solid, fineness: usize) -> [f64; 2] {
    let flux = |node: &QuadratureNode| match node.point[..] {
        [x, y] => (x * y).sin() * node.normal[0] + (x - y * y).exp() * node.normal[1],
        [x, y, z] => {
            (x * y).sin() * node.normal[0] + (x - y * y).exp() * node.normal[1] + x * z * node.normal[2]
        }
        _ => unreachable!("two or three dimensions"),
    };
    let divergence = |node: &QuadratureNode| {
        let [x, y] = [node.point[0], node.point[1]];
        let third = if node.point.len() == 3 { x } else { 0.0 };
        y * (x * y).cos() - 2.0 * y * (x - y * y).exp() + third
    };
    let pieces = 0..solid.pieces().len();
    let boundary: f64 = pieces.map(|piece| total(&solid.quadrature_on(piece, fineness), flux)).sum();
    [total(&solid.quadrature_inside(fineness), divergence), boundary]
}

#[test]
fn areas_and_lengths_are_those_of_formulas() {
    let solid = channel();
    let area = total(&solid.quadrature_inside(16), |_| 1.0);
    assert!((area - (2.2 * 0.41 - PI * 0.0025)).abs() < 1e-12, "{area}");
    let cylinder = solid.pieces().iter().position(|piece| piece.is_called("disk1")).expect("a cylinder");
    let round = solid.quadrature_on(cylinder, 8);
    assert!((total(&round, |_| 1.0) - 0.1 * PI).abs() < 1e-13);
    // The normal leads out of the channel: into the cylinder.
    assert!(round.iter().all(|node| (node.point[0] - 0.2) * node.normal[0] <= 0.0));
}

#[test]
fn what_leaves_is_what_is_made_inside() {
    let half = Shape::rectangle([0.0, 0.0], [2.0, 2.0]).expect("a rectangle");
    let plate = solid(half.difference(Shape::disk([0.0, 0.0], 0.5).expect("a disk")).expect("a difference"));
    let lens = Shape::disk([0.0, 0.0], 1.0).expect("a disk");
    let lens = solid(lens.intersection(Shape::disk([1.0, 0.3], 0.8).expect("a disk")).expect("a lens"));
    let corners = vec![[0.0, 0.0], [2.0, 0.2], [1.4, 1.0], [1.8, 2.0], [0.1, 1.7]];
    let polygon = solid(Shape::polygon(corners).expect("a polygon"));
    for (name, solid) in [("channel", &channel()), ("plate", &plate), ("lens", &lens), ("polygon", &polygon)]
    {
        let [inside, boundary] = both_sides(solid, 16);
        assert!((inside - boundary).abs() < 1e-6 * (1.0 + boundary.abs()), "{name}: {inside} {boundary}");
    }
}

#[test]
fn in_space_the_two_agree_as_far_as_layers_are_smooth() {
    let cube = Shape::cuboid([0.0; 3], [1.0, 1.0, 1.0]).expect("a box");
    let hollow =
        solid(cube.difference(Shape::sphere([0.5, 0.5, 0.5], 0.3).expect("a ball")).expect("a difference"));
    let [inside, boundary] = both_sides(&hollow, 4);
    assert!((inside - boundary).abs() < 3e-5 * (1.0 + boundary.abs()), "{inside} {boundary}");
    let volume = total(&hollow.quadrature_inside(4), |_| 1.0);
    assert!((volume - (1.0 - 4.0 / 3.0 * PI * 0.027)).abs() < 1e-4, "{volume}");
}

#[test]
fn on_a_line_ends_count_once_and_gaps_are_left_out() {
    let pieces = Shape::interval(0.0, 3.0).expect("an interval");
    let solid = solid(pieces.difference(Shape::interval(1.0, 1.5).expect("a gap")).expect("a difference"));
    assert!((total(&solid.quadrature_inside(3), |node| node.point[0]) - (0.5 + 4.5 - 1.125)).abs() < 1e-12);
    let ends: f64 = (0..solid.pieces().len())
        .map(|piece| total(&solid.quadrature_on(piece, 3), |node| node.normal[0] * node.point[0]))
        .sum();
    assert!((ends - 2.5).abs() < 1e-12, "{ends}");
}

#[test]
fn in_the_plane_nodes_converge_as_if_there_were_no_boundary() {
    for center in [0.0, 0.05, 0.1, 0.2] {
        let hole = Shape::disk([center, 0.0], 0.4).expect("a disk");
        let ring = Shape::disk([0.0, 0.0], 1.0).expect("a disk").difference(hole).expect("a difference");
        let ring = solid(ring);
        for (fineness, bound) in [(6, 1e-6), (8, 1e-8), (12, 1e-11), (16, 1e-13), (24, 1e-13)] {
            let area = total(&ring.quadrature_inside(fineness), |_| 1.0);
            assert!((area - PI * 0.84).abs() < bound, "{center}, {fineness}: {area}");
        }
    }
}
