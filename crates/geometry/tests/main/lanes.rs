//! Tests of many points at once.

use crate::support::{Numbers, solid};
use geometry::{LANES, Lane, LaneScratch, Shape, Solid};

/// Compares the test of many points with that of single ones: at random places, and at multiples of an eighth, where faces are.
pub(crate) fn lanes_agree(solid: &Solid, numbers: &mut Numbers) {
    let (lanes, mut scratch) = (solid.lanes(), LaneScratch::default());
    for round in 0..4 {
        let mut block: Vec<Lane> = vec![[0.0; LANES]; solid.dimension()];
        for lane in 0..LANES {
            for (values, place) in block.iter_mut().zip(numbers.around(solid.bounds(), 0.1)) {
                values[lane] = if round % 2 == 0 { place } else { (8.0 * place).round() / 8.0 };
            }
        }
        let inside = lanes.contain(&block, &mut scratch);
        for lane in 0..LANES {
            let point: Vec<f64> = block.iter().map(|values| values[lane]).collect();
            let wanted = if solid.contains(&point) { u64::MAX } else { 0 };
            assert_eq!(inside[lane], wanted, "{point:?}");
        }
    }
}

#[test]
fn many_points_at_once_are_inside_where_single_ones_are() {
    let mut numbers = Numbers(77);
    let disk = |radius: f64| Shape::disk([0.5, 0.25], radius).unwrap();
    let cells = Shape::disk([0.5, 0.5], 0.3).unwrap().repeat(&[1.0, 0.0], 10);
    let spline = Shape::spline(vec![[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]).unwrap();
    for shape in [
        Shape::interval(-1.0, 2.0),
        Shape::star([0.0, 0.0], 1.0, 0.5, 5),
        Shape::star([0.0, 0.0], 1.0, 0.5, 50),
        disk(1.0).difference(disk(0.25)),
        disk(1.0).rotate2(0.3, [1.0, 2.0]).unwrap().scale(3.0, &[0.0, 1.0]),
        Shape::rectangle([0.0, 0.0], [10.0, 1.0]).unwrap().difference(cells.unwrap()),
        Shape::disk([0.5, 0.5], 0.3).unwrap().repeat(&[1.0, 0.0], 200),
        spline.union(disk(0.75)),
        Shape::cone([0.0; 3], [1.0, 1.0, 0.0], 0.5),
        Shape::ellipsoid([0.0; 3], [1.0, 0.5, 0.25]).unwrap().rotate3([1.0, 2.0, 3.0], 1.0, [0.0; 3]),
    ] {
        let solid = solid(shape);
        (0..5).for_each(|_| lanes_agree(&solid, &mut numbers));
    }
}
