//! Every primitive, by itself and moved.

use crate::support::{is_sound, names, piece, place, solid};
use geometry::{GeometryError, Shape};
use std::f64::consts::PI;

/// As it is, and after every transform of the plane.
fn is_sound_in_the_plane(shape: &Shape, area: f64, length: f64) {
    is_sound(&solid(Ok(shape.clone())), area, length);
    let moved = shape.clone().translate(&[3.0, -0.7]).unwrap();
    is_sound(&solid(Ok(moved.clone())), area, length);
    let turned = moved.rotate2(0.6, [0.2, 0.3]).unwrap();
    is_sound(&solid(Ok(turned.clone())), area, length);
    is_sound(&solid(turned.scale(2.5, &[1.0, 1.0])), 6.25 * area, 2.5 * length);
}

fn is_sound_in_space(shape: &Shape, volume: f64, area: f64) {
    is_sound(&solid(Ok(shape.clone())), volume, area);
    let moved = shape.clone().translate(&[3.0, -0.7, 0.4]).unwrap();
    let turned = moved.rotate3([1.0, 2.0, -0.5], 0.9, [0.2, 0.3, 0.1]).unwrap();
    is_sound(&solid(Ok(turned.clone())), volume, area);
    is_sound(&solid(turned.scale(0.5, &[1.0, 1.0, 0.0])), 0.125 * volume, 0.25 * area);
}

#[test]
fn an_interval_has_two_ends() {
    let interval = Shape::interval(-1.0, 2.5);
    is_sound(&solid(interval.clone()), 3.5, 2.0);
    let moved = interval.unwrap().translate(&[4.0]).unwrap().scale(2.0, &[0.0]);
    let moved = solid(moved);
    is_sound(&moved, 7.0, 2.0);
    assert_eq!(moved.bounds(), [[6.0, 13.0]]);
    assert_eq!(names(&moved), ["interval1.left", "interval1.right"]);
}

#[test]
fn a_rectangle_is_sound_wherever_it_stands() {
    let rectangle = Shape::rectangle([0.0, -1.0], [2.0, 0.5]).unwrap();
    is_sound_in_the_plane(&rectangle, 3.0, 7.0);
    let solid = solid(Ok(rectangle));
    assert_eq!(names(&solid), ["left", "right", "bottom", "top"].map(|side| format!("rectangle1.{side}")));
    assert_eq!(piece(&solid, "rectangle1.top").level().unwrap().linear, [0.0, -1.0]);
    assert!(piece(&solid, "rectangle1.top").level().unwrap().is_plane());
}

#[test]
fn a_disk_is_sound_wherever_it_stands() {
    let disk = Shape::disk([0.5, 0.25], 0.7).unwrap();
    is_sound_in_the_plane(&disk, PI * 0.49, 2.0 * PI * 0.7);
    let level = solid(Ok(disk)).pieces()[0].level().unwrap().clone();
    // (R² - r²)/(2R).
    assert!((level.value(&[0.5, 0.25]) - 0.35).abs() < 1e-15);
    assert!((level.value(&[0.5, 0.95]) - 0.0).abs() < 1e-15 && !level.is_plane());
}

#[test]
fn an_ellipse_is_sound_wherever_it_stands() {
    let length = 4.0 * 2.0 * 1.211_056_027_568_459_5;
    let ellipse = Shape::ellipse([0.1, 0.2], [2.0, 1.0]).unwrap();
    is_sound_in_the_plane(&ellipse, 2.0 * PI, length);
    is_sound_in_the_plane(&Shape::ellipse([0.0, 0.0], [1.0, 2.0]).unwrap(), 2.0 * PI, length);
    let turned = solid(ellipse.rotate2(PI / 4.0, [0.1, 0.2]));
    let reach = 2.5f64.sqrt();
    assert!((turned.bounds()[0][1] - 0.1 - reach).abs() < 1e-15, "bounds of a turned ellipse are tight");
}

#[test]
fn a_polygon_is_sound_in_either_direction() {
    let corners = vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 0.5], [0.0, 2.0]];
    // Two trapezoids, left and right of the notch.
    let area = 0.5 * (2.0 + 0.5) + 0.5 * (0.5 + 1.0);
    let mut length = 0.0;
    for index in 0..5 {
        let [from, to]: [[f64; 2]; 2] = [corners[index], corners[(index + 1) % 5]];
        length += (from[0] - to[0]).hypot(from[1] - to[1]);
    }
    let found = solid(Shape::polygon(corners.clone())).measure().value;
    assert!((found - area).abs() < 1e-12, "{found}");
    is_sound_in_the_plane(&Shape::polygon(corners.clone()).unwrap(), area, length);
    let reversed: Vec<[f64; 2]> = corners.iter().rev().copied().collect();
    is_sound_in_the_plane(&Shape::polygon(reversed).unwrap(), area, length);
    let solid = solid(Shape::polygon(corners));
    assert_eq!(names(&solid), [1, 2, 3, 4, 5].map(|side| format!("polygon1.side{side}")));
}

#[test]
fn a_box_is_sound_wherever_it_stands() {
    let cuboid = Shape::cuboid([0.0, -1.0, 2.0], [1.0, 0.5, 4.0]).unwrap();
    is_sound_in_space(&cuboid, 3.0, 2.0 * (1.5 + 2.0 + 3.0));
    let solid = solid(Ok(cuboid));
    let sides = ["left", "right", "bottom", "top", "back", "front"];
    assert_eq!(names(&solid), sides.map(|side| format!("box1.{side}")));
}

#[test]
fn a_sphere_is_sound_wherever_it_stands() {
    let sphere = Shape::sphere([0.5, 0.25, -1.0], 0.7).unwrap();
    is_sound_in_space(&sphere, 4.0 / 3.0 * PI * 0.343, 4.0 * PI * 0.49);
}

#[test]
fn an_ellipsoid_is_sound_wherever_it_stands() {
    // Closed forms exist for two equal axes: flat and long.
    let eccentricity = 0.75f64.sqrt();
    let flat = 8.0 * PI * (1.0 + 0.25 / eccentricity * eccentricity.atanh());
    is_sound_in_space(&Shape::ellipsoid([0.1, 0.2, 0.3], [2.0, 2.0, 1.0]).unwrap(), 16.0 / 3.0 * PI, flat);
    let long = 2.0 * PI * (1.0 + 2.0 / eccentricity * eccentricity.asin());
    for semi_axes in [[1.0, 1.0, 2.0], [2.0, 1.0, 1.0]] {
        is_sound_in_space(&Shape::ellipsoid([0.0; 3], semi_axes).unwrap(), 8.0 / 3.0 * PI, long);
    }
    // With three different ones the area is what makes the places uniform.
    let ellipsoid = Shape::ellipsoid([0.0; 3], [0.5, 3.0, 1.0]).unwrap();
    let area = solid(Ok(ellipsoid.clone())).pieces()[0].measure().value;
    is_sound_in_space(&ellipsoid, 2.0 * PI, area);
}

#[test]
fn a_needle_of_an_ellipse_is_still_uniform() {
    let solid = solid(Shape::ellipse([0.0, 0.0], [1.0, 1e-3]));
    // A little more than twice the long axis.
    let length = solid.pieces()[0].measure().value;
    assert!(length > 4.0 && length < 4.0 + 2e-5, "{length}");
    for share in [0.01, 0.1, 0.2, 0.249] {
        let (point, _) = place(&solid.pieces()[0], &[share], 2);
        // The length from the tip by Simpson's rule on so many panels that its error is rounding.
        let angle = (point[1] / 1e-3).atan2(point[0]);
        let speed = |t: f64| (t.sin().powi(2) + 1e-6 * t.cos().powi(2)).sqrt();
        let width = angle / 1e5;
        let panel = |left: f64| speed(left) + 4.0 * speed(left + 0.5 * width) + speed(left + width);
        let found = (0..100_000).map(|index| panel(f64::from(index) * width)).sum::<f64>() * width / 6.0;
        assert!((found / length - share).abs() < 1e-11, "{} for {share}", found / length);
    }
}

#[test]
fn a_cylinder_is_sound_wherever_it_stands() {
    let cylinder = Shape::cylinder([0.0, 1.0, 0.0], [2.0, 2.0, 1.0], 0.5).unwrap();
    let length = 6f64.sqrt();
    is_sound_in_space(&cylinder, 0.25 * PI * length, PI * length + 0.5 * PI);
    let cylinder = solid(Ok(cylinder));
    assert_eq!(names(&cylinder), ["cylinder1.mantle", "cylinder1.start", "cylinder1.end"]);
    // Upright, its bounds are the numbers it was made of.
    let upright = solid(Shape::cylinder([0.0; 3], [0.0, 0.0, 2.0], 1.0));
    assert_eq!(upright.bounds(), [[-1.0, 1.0], [-1.0, 1.0], [0.0, 2.0]]);
}

#[test]
fn a_cone_is_sound_wherever_it_stands() {
    let cone = Shape::cone([0.0, 0.0, 1.0], [0.0, 0.0, -1.0], 1.5).unwrap();
    is_sound_in_space(&cone, 0.5 * PI * 1.5 * 1.5 * 4.0 / 3.0, PI * 1.5 * 2.5 + PI * 2.25);
    let cone = solid(Ok(cone));
    assert_eq!(names(&cone), ["cone1.mantle", "cone1.base"]);
    assert!(piece(&cone, "cone1.mantle").level().is_none());
    assert_eq!(cone.bounds()[2], [-1.0, 1.0]);
}

#[test]
fn a_torus_is_sound_wherever_it_stands() {
    let torus = Shape::torus([0.0, 1.0, 0.0], [1.0, 1.0, 0.0], 2.0, 0.5).unwrap();
    is_sound_in_space(&torus, 2.0 * PI * PI * 2.0 * 0.25, 4.0 * PI * PI);
}

#[test]
fn a_star_is_a_polygon() {
    let star = Shape::star([0.5, -0.5], 1.0, 0.4, 5).unwrap();
    let side = (1.0 + 0.16 - 0.8 * (PI / 5.0).cos()).sqrt();
    is_sound_in_the_plane(&star, 5.0 * 0.4 * (PI / 5.0).sin(), 10.0 * side);
    let star = solid(Ok(star));
    assert_eq!((star.pieces().len(), star.pieces()[9].name()), (10, "star1.side10"));
    assert_eq!(star.bounds()[1][1], 0.5);
}

#[test]
fn a_spline_is_sound_in_either_direction() {
    let mut points = vec![[0.0, 0.0], [1.0, 0.2], [1.5, 1.0], [1.0, 1.1], [0.4, 1.6], [-0.3, 0.9]];
    for _ in 0..2 {
        let spline = Shape::spline(points.clone()).unwrap();
        let found = solid(Ok(spline.clone()));
        // Independent of the polynomials: a polygon of many places, with an error of their number's inverse square.
        let places: Vec<Vec<f64>> =
            (0..100_000).map(|index| place(&found.pieces()[0], &[f64::from(index) / 1e5], 2).0).collect();
        let (mut area, mut length) = (0.0, 0.0);
        for (from, to) in places.iter().zip(places.iter().cycle().skip(1)) {
            area += 0.5 * (from[0] * to[1] - from[1] * to[0]);
            length += (to[0] - from[0]).hypot(to[1] - from[1]);
        }
        assert!((found.measure().value / area.abs() - 1.0).abs() < 1e-8);
        assert!((found.pieces()[0].measure().value / length - 1.0).abs() < 1e-8);
        is_sound_in_the_plane(&spline, found.measure().value, found.pieces()[0].measure().value);
        for point in &points {
            assert!(found.signed_distance(point).abs() < 1e-15);
        }
        points.reverse();
    }
}

#[test]
fn a_spline_through_a_circle_is_almost_a_circle() {
    let at = |index: u32| {
        let (sine, cosine) = (f64::from(index) / 32.0 * 2.0 * PI).sin_cos();
        [cosine, sine]
    };
    let spline = solid(Shape::spline((0..32).map(at).collect()));
    // Interpolation by cubics: the fourth power of the distance of points over 384, times the fourth derivative.
    let near = (2.0 * PI / 32.0f64).powi(4) / 384.0 * 2.0;
    assert!((spline.measure().value - PI).abs() < 2.0 * PI * near);
    assert!((spline.signed_distance(&[0.0, 0.0]) + 1.0).abs() < near);
    let error = Shape::spline(vec![[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]).unwrap_err();
    assert!(error.to_string().contains("crosses itself near"), "{error}");
}

#[test]
fn wrong_numbers_are_refused_with_a_reason() {
    let message = |shape: Result<Shape, GeometryError>| shape.expect_err("it is wrong").to_string();
    assert_eq!(message(Shape::disk([0.0; 2], -1.0)), "radius -1: expected a positive number");
    assert_eq!(message(Shape::disk([0.0, f64::NAN], 1.0)), "center NaN: expected a finite number");
    assert_eq!(message(Shape::ellipse([0.0; 2], [1.0, 0.0])), "semi-axis 0: expected a positive number");
    assert_eq!(
        message(Shape::rectangle([0.0, 1.0], [1.0, 1.0])),
        "the rectangle goes from 1 to 1 along y: the first corner has the lower numbers"
    );
    assert_eq!(
        message(Shape::polygon(vec![[0.0, 0.0], [1.0, 0.0]])),
        "a polygon of 2 points: expected 3 or more"
    );
    assert_eq!(
        message(Shape::polygon(vec![[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])),
        "vertex 2 and vertex 3 of the polygon are the same point: move one of them"
    );
    assert_eq!(
        message(Shape::half_space(vec![0.0, 0.0], vec![0.0, 0.0])),
        "the normal has no direction: expected a vector other than zero"
    );
    assert_eq!(
        message(Shape::cylinder([1.0; 3], [1.0; 3], 1.0)),
        "the start and the end of the cylinder are the same point: move one of them"
    );
    assert!(message(Shape::torus([0.0; 3], [0.0, 0.0, 1.0], 1.0, 1.0)).contains("must be the smaller one"));
    assert!(message(Shape::torus([0.0; 3], [0.0; 3], 1.0, 0.5)).contains("the axis has no direction"));
    assert!(message(Shape::star([0.0; 2], 1.0, 1.5, 5)).contains("inner radius 1.5 and outer radius 1"));
    assert!(message(Shape::star([0.0; 2], 1.0, 0.5, usize::MAX)).contains("no more than"));
    assert_eq!(
        message(Shape::half_space(vec![0.0; 4], vec![1.0; 4])),
        "a half-space of 4 dimensions: expected 1, 2 or 3"
    );
}

#[test]
fn polygons_that_cross_or_touch_themselves_are_refused() {
    let crossing = |corners: &[[f64; 2]]| match Shape::polygon(corners.to_vec()) {
        Err(GeometryError::Crossing { first, second, at }) => Some((first, second, at)),
        Err(error) => panic!("{error}"),
        Ok(_) => None,
    };
    assert_eq!(crossing(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), Some((1, 3, [0.5, 0.5])));
    let message = Shape::polygon(vec![[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]).unwrap_err();
    let wanted = "the sides 1 and 3 of a polygon cross at (0.5, 0.5): order its vertices along the boundary";
    assert_eq!(message.to_string(), wanted);
    // A vertex on another side, a side that runs back, a flat triangle.
    assert_eq!(
        crossing(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 0.0], [0.0, 1.0]]),
        Some((1, 3, [1.0, 0.0]))
    );
    assert_eq!(crossing(&[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]]).map(|found| found.0), Some(1));
    assert!(crossing(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]).is_some());
    // The first vertex, written a second time at the end, closes the line.
    assert_eq!(crossing(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]), None);
}
