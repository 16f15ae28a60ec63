//! Set operations: what is inside, and what of the boundary is left.

use crate::support::{Numbers, names, piece, solid, the_boundary_encloses_the_volume};
use geometry::{GeometryError, Shape, Solid};
use std::f64::consts::PI;

fn rectangle(low: [f64; 2], high: [f64; 2]) -> Shape {
    Shape::rectangle(low, high).unwrap()
}

fn disk(center: [f64; 2], radius: f64) -> Shape {
    Shape::disk(center, radius).unwrap()
}

fn has_area(solid: &Solid, area: f64) {
    let found = solid.measure();
    assert!((found.value - area).abs() <= found.error + 1e-12 * area, "{found:?} for {area}");
    assert!(found.error < 0.01 * area, "{found:?}");
    the_boundary_encloses_the_volume(solid, area);
}

fn has_length(solid: &Solid, name: &str, length: f64) {
    let found = piece(solid, name).measure();
    assert!((found.value - length).abs() <= found.error + 1e-12 * length, "{name}: {found:?} for {length}");
    assert!(found.error <= 0.01 * length, "{name}: {found:?}");
}

#[test]
fn a_rectangle_without_four_disks_is_known_without_error() {
    let mut shape = rectangle([0.0, 0.0], [1.0, 1.0]);
    for center in [[0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]] {
        shape = shape.difference(disk(center, 0.1)).unwrap();
    }
    let solid = solid(Ok(shape));
    assert_eq!(solid.measure().error, 0.0);
    has_area(&solid, 1.0 - 4.0 * PI * 0.01);
    assert_eq!(solid.pieces().len(), 8);
    assert!(solid.removed().is_empty());
    let hole = &solid.pieces()[5];
    assert_eq!((hole.name(), hole.left()), ("disk2", 1.0));
    // The hole's own normal points into the solid.
    assert_eq!(solid.outward(5, &[0.85, 0.25], &[1.0, 0.0]), Some(-1.0));
    assert!(!solid.contains(&[0.75, 0.25]) && solid.contains(&[0.5, 0.5]));
}

#[test]
fn an_annulus_has_two_circles() {
    let solid = solid(disk([0.0, 0.0], 1.0).difference(disk([0.0, 0.0], 0.5)));
    assert_eq!(solid.measure().error, 0.0);
    has_area(&solid, 0.75 * PI);
    assert_eq!(names(&solid), ["disk1", "disk2"]);
    assert_eq!(solid.bounds(), [[-1.0, 1.0], [-1.0, 1.0]]);
    assert_eq!(solid.outward(0, &[1.0, 0.0], &[1.0, 0.0]), Some(1.0));
    assert_eq!(solid.outward(1, &[0.5, 0.0], &[1.0, 0.0]), Some(-1.0));
}

#[test]
fn an_l_shape_is_the_same_by_union_and_by_difference() {
    let united = rectangle([0.0, 0.0], [2.0, 1.0]).union(rectangle([0.0, 1.0], [1.0, 2.0]));
    let united = solid(united);
    let cut = solid(rectangle([0.0, 0.0], [2.0, 2.0]).difference(rectangle([1.0, 1.0], [2.0, 2.0])));
    has_area(&united, 3.0);
    has_area(&cut, 3.0);
    let mut numbers = Numbers(3);
    for _ in 0..10_000 {
        let point = numbers.around(cut.bounds(), 0.1);
        assert_eq!(united.contains(&point), cut.contains(&point), "{point:?}");
    }
    // The side between the two is no boundary, and the lower rectangle's top is one where it is free.
    assert_eq!(united.removed(), ["rectangle2.bottom"]);
    has_length(&united, "rectangle1.top", 1.0);
    let top = united.pieces().iter().position(|piece| piece.name() == "rectangle1.top").unwrap();
    assert_eq!(united.outward(top, &[0.5, 1.0], &[0.0, 1.0]), None);
    assert_eq!(united.outward(top, &[1.5, 1.0], &[0.0, 1.0]), Some(1.0));
    // Of the second one only the two sides within the first are left, and the first one lost halves of two sides.
    assert_eq!(cut.removed(), ["rectangle2.right", "rectangle2.top"]);
    has_length(&cut, "rectangle1.right", 1.0);
    has_length(&cut, "rectangle1.left", 2.0);
    has_length(&cut, "rectangle2.left", 1.0);
}

#[test]
fn united_rectangles_have_no_boundary_between_them() {
    let solid = solid(rectangle([0.0, 0.0], [1.0, 1.0]).union(rectangle([1.0, 0.0], [2.0, 1.0])));
    assert_eq!(solid.removed(), ["rectangle1.right", "rectangle2.left"]);
    has_area(&solid, 2.0);
    let length: f64 = solid.pieces().iter().map(|piece| piece.measure().value).sum();
    assert!((length - 6.0).abs() < 1e-12);
}

#[test]
fn a_surface_that_two_shapes_share_belongs_to_the_first() {
    let solid = solid(rectangle([0.0, 0.0], [1.0, 1.0]).union(rectangle([0.5, 0.0], [1.5, 1.0])));
    has_area(&solid, 1.5);
    has_length(&solid, "rectangle1.bottom", 1.0);
    has_length(&solid, "rectangle2.bottom", 0.5);
    let second = solid.pieces().iter().position(|piece| piece.name() == "rectangle2.bottom").unwrap();
    assert_eq!(solid.outward(second, &[0.75, 0.0], &[0.0, -1.0]), None);
    assert_eq!(solid.outward(second, &[1.25, 0.0], &[0.0, -1.0]), Some(1.0));
    // The same shape twice is the same shape.
    let twice = disk([0.0, 0.0], 1.0).union(disk([0.0, 0.0], 1.0)).unwrap();
    let twice = Solid::new(twice).unwrap();
    assert_eq!((names(&twice), twice.removed()), (vec!["disk1"], &["disk2".to_owned()][..]));
}

#[test]
fn overlapping_disks_keep_their_outer_arcs() {
    let solid = solid(disk([0.0, 0.0], 1.0).union(disk([1.0, 0.0], 1.0)));
    let lens = 2.0 * PI / 3.0 - 3f64.sqrt() / 2.0;
    has_area(&solid, 2.0 * PI - lens);
    has_length(&solid, "disk1", 2.0 * PI * 2.0 / 3.0);
    let solid = self::solid(disk([0.0, 0.0], 1.0).intersection(disk([1.0, 0.0], 1.0)));
    has_area(&solid, lens);
    has_length(&solid, "disk2", 2.0 * PI / 3.0);
    assert_eq!(solid.bounds(), [[0.0, 1.0], [-1.0, 1.0]]);
}

#[test]
fn half_spaces_cut_what_they_are_intersected_with() {
    let half = Shape::half_space(vec![0.0, 0.0], vec![1.0, 1.0]).unwrap();
    let solid = solid(disk([0.0, 0.0], 1.0).intersection(half.clone()));
    has_area(&solid, 0.5 * PI);
    has_length(&solid, "half_space1", 2.0);
    has_length(&solid, "disk1", PI);
    let corner = Shape::half_space(vec![1.0, 0.0, 0.0], vec![1.0, 0.0, 0.0]).unwrap();
    let cut = Shape::sphere([1.0, 0.0, 0.0], 1.0).unwrap().difference(corner);
    let cut = self::solid(cut);
    assert_eq!(cut.bounds()[0], [1.0, 2.0]);
    has_area(&cut, 2.0 / 3.0 * PI);
    has_length(&cut, "half_space1", PI);
    let right = Shape::half_space(vec![0.0, 0.0], vec![-1.0, 0.0]).unwrap();
    let left = self::solid(disk([0.0, 0.0], 1.0).difference(right));
    assert_eq!(left.bounds(), [[-1.0, 0.0], [-1.0, 1.0]]);
    has_area(&left, 0.5 * PI);
    // A box of six half-spaces has an end; one half-space has none.
    let mut shape = Shape::half_space(vec![0.0; 3], vec![-1.0, 0.0, 0.0]).unwrap();
    let more = [[0.0, -2.0, 0.0], [0.0, 0.0, -3.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for normal in more {
        let point = normal.map(|value: f64| value.max(0.0) * 0.5);
        shape = shape.intersection(Shape::half_space(point.to_vec(), normal.to_vec()).unwrap()).unwrap();
    }
    has_area(&Solid::new(shape).unwrap(), 0.125);
    let error = Solid::new(half).unwrap_err();
    assert_eq!(error.to_string(), "the shape is not bounded: intersect the half-space with something");
}

#[test]
fn intervals_are_combined_without_error() {
    let interval = |low, high| Shape::interval(low, high).unwrap();
    let shape = interval(0.0, 2.0).union(interval(1.0, 5.0)).unwrap().difference(interval(3.0, 4.0));
    let solid = solid(shape);
    assert_eq!((solid.measure().value, solid.measure().error), (4.0, 0.0));
    let wanted = ["interval1.left", "interval2.right", "interval3.left", "interval3.right"];
    assert_eq!(names(&solid), wanted);
    assert_eq!(solid.outward(2, &[3.0], &[-1.0]), Some(-1.0));
}

#[test]
fn shapes_of_which_nothing_is_left_are_refused() {
    let nothing = |shape: Result<Shape, GeometryError>| {
        assert_eq!(Solid::new(shape.unwrap()).unwrap_err(), GeometryError::Empty);
    };
    nothing(disk([0.0, 0.0], 1.0).difference(rectangle([-1.0, -1.0], [1.0, 1.0])));
    nothing(disk([0.0, 0.0], 1.0).intersection(disk([3.0, 0.0], 1.0)));
    nothing(disk([0.0, 0.0], 1.0).intersection(disk([1.9, 1.9], 1.0)));
    nothing(disk([0.0, 0.0], 1.0).difference(disk([0.0, 0.0], 1.0)));
    let error = disk([0.0, 0.0], 1.0).union(Shape::interval(0.0, 1.0).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "a shape of 2 and one of 1 dimensions cannot be combined");
}

#[test]
fn a_box_with_a_ball_taken_from_its_corner_has_the_right_faces() {
    let ball = Shape::sphere([1.0, 1.0, 1.0], 0.5).unwrap();
    let solid = solid(Shape::cuboid([0.0; 3], [1.0; 3]).unwrap().difference(ball));
    has_area(&solid, 1.0 - PI / 48.0);
    let face = piece(&solid, "box1.front").measure();
    assert!((face.value - (1.0 - PI / 16.0)).abs() < face.error && face.error < 0.005, "{face:?}");
    assert_eq!(piece(&solid, "box1.back").measure().error, 0.0);
    let sphere = piece(&solid, "sphere1");
    assert!((sphere.left() - 0.125).abs() < 0.003);
}

#[test]
fn a_ball_within_a_ball_is_a_shell_without_error() {
    let inner = Shape::sphere([0.1, 0.0, 0.0], 0.5).unwrap();
    let solid = solid(Shape::sphere([0.0; 3], 1.0).unwrap().difference(inner));
    assert_eq!(solid.measure().error, 0.0);
    has_area(&solid, 4.0 / 3.0 * PI * 0.875);
}

#[test]
fn names_are_given_made_and_refused_twice() {
    let body = rectangle([0.0, 0.0], [4.0, 1.0]).named("channel");
    let both = disk([1.0, 0.5], 0.2).union(disk([2.0, 0.5], 0.2)).unwrap().named("posts");
    let shape = body.difference(both).unwrap().difference(disk([3.0, 0.5], 0.1)).unwrap();
    let solid = solid(Ok(shape.clone().named("rest")));
    let sides = ["channel.left", "channel.right", "channel.bottom", "channel.top"];
    assert_eq!(names(&solid)[..4], sides);
    assert_eq!(names(&solid)[4..], ["posts.1", "posts.2", "rest"]);
    assert_eq!(piece(&solid, "channel.top").parent(), "channel");
    assert_eq!(piece(&solid, "posts.2").parent(), "posts");
    assert!(piece(&solid, "posts.2").is_called("posts") && piece(&solid, "posts.2").is_called("posts.2"));
    assert!(!piece(&solid, "posts.2").is_called("post"));
    let twice = shape.clone().difference(disk([3.5, 0.5], 0.1).named("posts")).unwrap();
    let error = Solid::new(twice).unwrap_err();
    assert_eq!(error.to_string(), "two parts are called `posts`: give them different names");
    // A made name steps aside for a given one.
    let solid = self::solid(shape.difference(disk([3.5, 0.5], 0.1).named("disk1")));
    assert_eq!(names(&solid)[6..], ["disk2", "disk1"]);
}

#[test]
fn copies_are_numbered_and_stand_a_step_apart() {
    let pin = disk([0.5, 0.5], 0.2).named("pin");
    let grid = pin.repeat(&[1.0, 0.0], 3).unwrap().repeat(&[0.0, 1.0], 2).unwrap();
    let shape = rectangle([0.0, 0.0], [3.0, 2.0]).difference(grid).unwrap();
    let turned = shape.clone().rotate2(0.3, [0.0, 0.0]).unwrap();
    for solid in [solid(Ok(shape)), solid(Ok(turned))] {
        has_area(&solid, 6.0 - 6.0 * PI * 0.04);
        assert_eq!(solid.measure().error, 0.0);
        // From the outermost repetition to the innermost one.
        assert_eq!(names(&solid)[4..], ["pin.1.1", "pin.1.2", "pin.1.3", "pin.2.1", "pin.2.2", "pin.2.3"]);
    }
    let bars = solid(rectangle([0.0, 0.0], [1.0, 0.5]).repeat(&[0.0, 1.0], 2));
    assert_eq!(names(&bars)[..2], ["rectangle1.1.left", "rectangle1.1.right"]);
    assert_eq!((bars.measure().value, bars.bounds()[1]), (1.0, [0.0, 1.5]));
}

#[test]
fn too_many_copies_are_refused() {
    let refused = |shape: Result<Shape, GeometryError>| shape.unwrap_err().to_string();
    let many = disk([0.0, 0.0], 1.0).repeat(&[1.0, 0.0], 10_000).unwrap();
    let wanted = "a shape of 20000 parts, copies counted: no more than 10000 are supported";
    assert_eq!(refused(many.repeat(&[0.0, 1.0], 2)), wanted);
    assert!(refused(disk([0.0, 0.0], 1.0).repeat(&[1.0, 0.0], usize::MAX)).contains("no more than"));
    assert_eq!(
        refused(disk([0.0, 0.0], 1.0).repeat(&[1.0, 0.0], 0)),
        "a shape repeated 0 times: expected 1 or more"
    );
    assert!(refused(disk([0.0, 0.0], 1.0).repeat(&[0.0, 0.0], 2)).contains("no direction"));
    assert!(refused(disk([0.0, 0.0], 1.0).scale(0.0, &[0.0, 0.0])).contains("expected a positive number"));
    assert!(refused(disk([0.0, 0.0], 1.0).translate(&[0.0])).contains("1 coordinates: expected 2"));
    assert!(
        refused(disk([0.0, 0.0], 1.0).rotate3([0.0, 0.0, 1.0], 1.0, [0.0; 3])).contains("cannot be turned")
    );
    let mut deep = disk([0.0, 0.0], 1.0);
    let error = loop {
        let other = disk([0.0, 0.0], 1.0);
        match deep.union(other.clone()).and_then(|shape| shape.intersection(other)) {
            Ok(shape) => deep = shape,
            Err(error) => break error,
        }
    };
    assert!(error.to_string().contains("levels are supported"), "{error}");
}

#[test]
fn thousands_of_copies_are_prepared() {
    let grid = disk([0.5, 0.5], 0.3).repeat(&[1.0, 0.0], 50).unwrap().repeat(&[0.0, 1.0], 50).unwrap();
    let solid = solid(rectangle([0.0, 0.0], [50.0, 50.0]).difference(grid));
    assert_eq!((solid.pieces().len(), solid.measure().error), (2504, 0.0));
    assert!((solid.measure().value - 2500.0 * (1.0 - PI * 0.09)).abs() < 1e-9);
}

#[test]
fn a_pipe_through_a_tank_opens_it() {
    let tank = Shape::cylinder([0.0; 3], [0.0, 0.0, 4.0], 1.0).unwrap().named("tank");
    let pipe = Shape::cylinder([0.0, 0.0, -1.0], [0.0, 0.0, 5.0], 0.5).unwrap().named("pipe");
    let solid = solid(tank.difference(pipe));
    has_area(&solid, 3.0 * PI);
    assert_eq!(solid.removed(), ["pipe.start", "pipe.end"]);
    assert_eq!(names(&solid), ["tank.mantle", "tank.start", "tank.end", "pipe.mantle"]);
    let start = piece(&solid, "tank.start").measure();
    assert!((start.value - 0.75 * PI).abs() <= start.error && start.error < 0.01, "{start:?}");
    assert!((piece(&solid, "pipe.mantle").left() - 4.0 / 6.0).abs() < 0.002);
}

#[test]
fn faces_that_touch_are_no_boundary_at_any_scale() {
    for scale in [1e-6, 1.0, 1e6] {
        for offset in [0.0, 1000.0 * scale] {
            let at = |x: f64| offset + x * scale / 3.0;
            let first = Shape::cuboid([at(0.0); 3], [at(1.0); 3]).unwrap();
            let second = Shape::cuboid([at(1.0), at(0.0), at(0.0)], [at(1.1), at(1.0), at(1.0)]).unwrap();
            // Turned after they were united, so that no coordinate is exact any more.
            let shape = first.union(second).unwrap().rotate3([1.0, 2.0, 3.0], 1.0, [0.0; 3]);
            let solid = solid(shape);
            assert_eq!(solid.removed(), ["box1.right", "box2.left"], "{scale} {offset}");
        }
    }
}

#[test]
fn a_turned_pair_shares_its_side_as_an_upright_one_does() {
    let shape = rectangle([0.0, 0.0], [1.0, 1.0]).union(rectangle([0.5, 0.0], [1.5, 1.0])).unwrap();
    let solid = solid(shape.rotate2(0.7, [3.0, 4.0]));
    has_area(&solid, 1.5);
    has_length(&solid, "rectangle2.bottom", 0.5);
}

#[test]
fn a_cut_between_the_samples_is_no_reason_to_claim_exactness() {
    // Samples are 2π/4096 apart, and the notch is a quarter of that, halfway between two of them.
    let solid = solid(disk([0.0, 0.0], 1.0).difference(disk([1.0, 0.0], 2e-4)));
    let circle = piece(&solid, "disk1");
    assert_eq!(circle.left(), 1.0);
    assert!((circle.measure().value - (2.0 * PI - 4e-4)).abs() <= circle.measure().error);
    assert!(solid.measure().error > 0.0);
    assert!((piece(&solid, "disk2").left() - 0.5).abs() < 1e-3);
}

#[test]
fn solids_can_be_shared_between_threads() {
    fn is_shared<T: Send + Sync + Clone + std::fmt::Debug>(_: &T) {}
    is_shared(&solid(Ok(disk([0.0, 0.0], 1.0))));
}
