//! Regions from maps and drawings.

use crate::support::{
    Numbers, distances_are_distances_to_places, distances_have_the_sign_of_the_inside_test, names, place,
};
use geometry::{Outline, Shape, Solid};
use std::f64::consts::PI;

const LAKE: &str = r#"{ "type": "FeatureCollection", "features": [
  { "type": "Feature", "properties": { "name": "an island in a lake on an island, \"quoted\"" },
    "geometry": { "type": "MultiPolygon", "coordinates": [
      [ [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]],
        [[1, 1, 7.5], [1, 3], [3, 3], [3, 1], [1, 1, 7.5]] ],
      [ [[1.5, 1.5], [2.5, 1.5], [2.5, 2.5], [1.5, 2.5]] ] ] } },
  { "type": "Feature", "geometry": null, "properties": null } ] }"#;

fn map(text: &str) -> Solid {
    let outline = Outline::from_geojson(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    Solid::new(Shape::outline(outline)).unwrap_or_else(|error| panic!("{error}"))
}

fn drawn(inner: &str) -> Outline {
    let text = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 10 10\">{inner}</svg>");
    Outline::from_svg(text.as_bytes(), None).unwrap_or_else(|error| panic!("{inner}: {error}"))
}

fn area(inner: &str) -> f64 {
    Solid::new(Shape::outline(drawn(inner))).expect("a region").measure().value
}

#[test]
fn polygons_of_a_map_have_holes_and_islands_in_them() {
    let solid = map(LAKE);
    assert_eq!(names(&solid), ["outline1.outer1", "outline1.hole", "outline1.outer2"]);
    assert!((solid.measure().value - 13.0).abs() < 1e-12);
    assert!(solid.contains(&[0.5, 2.0]) && !solid.contains(&[1.2, 2.0]) && solid.contains(&[2.0, 2.0]));
    assert!((solid.pieces()[1].measure().value - 8.0).abs() < 1e-12);
    for piece in 0..3 {
        for index in 0..50 {
            let (point, normal) = place(&solid.pieces()[piece], &[(index as f64 + 0.3) / 50.0], 2);
            assert_eq!(solid.outward(piece, &point, &normal), Some(1.0), "piece {piece} at {point:?}");
        }
    }
    distances_have_the_sign_of_the_inside_test(&solid);
    distances_are_distances_to_places(&solid);
}

#[test]
fn distances_to_many_sides_are_those_to_the_nearest() {
    let corners: Vec<[f64; 2]> = (0..600)
        .map(|index| {
            let angle = 2.0 * PI * index as f64 / 600.0;
            let radius = 1.0 + 0.3 * (7.0 * angle).sin() + 0.05 * (61.0 * angle).cos();
            [radius * angle.cos(), radius * angle.sin()]
        })
        .collect();
    let polygon = Solid::new(Shape::polygon(corners.clone()).expect("a polygon")).expect("a solid");
    let places: Vec<String> = corners.iter().map(|[x, y]| format!("[{x:?}, {y:?}]")).collect();
    let outline = map(&format!("{{\"type\": \"Polygon\", \"coordinates\": [[{}]]}}", places.join(", ")));
    let mut numbers = Numbers(5);
    for _ in 0..2000 {
        let point = [3.2 * numbers.unit() - 1.6, 3.2 * numbers.unit() - 1.6];
        assert_eq!(outline.contains(&point), polygon.contains(&point));
        let (own, other) = (outline.signed_distance(&point), polygon.signed_distance(&point));
        assert!((own - other).abs() < 1e-14, "{own} instead of {other} at {point:?}");
    }
}

#[test]
fn drawings_are_upright() {
    let solid = Solid::new(Shape::outline(drawn("<polygon points='1,1 9,1 1,5'/>"))).expect("a region");
    // The wide side is at the top of the drawing, where y is small there and large here.
    assert!(solid.contains(&[7.0, 8.9]) && !solid.contains(&[7.0, 5.5]));
    assert_eq!(solid.bounds(), [[1.0, 9.0], [5.0, 9.0]]);
    let alone =
        Outline::from_svg(b"<svg><rect x='1' y='2' width='3' height='4'/></svg>", None).expect("a region");
    assert_eq!(alone.bounds(), [[1.0, 4.0], [2.0, 6.0]], "without a view box it stays where it is");
}

#[test]
fn all_ways_to_draw_enclose_what_they_should() {
    let close = |inner: &str, wanted: f64| {
        let found = area(inner);
        assert!((found - wanted).abs() < 2e-3 * wanted, "{inner}: {found} instead of {wanted}");
    };
    close("<rect x='1' y='1' width='4px' height='2'/>", 8.0);
    close("<rect x='1' y='1' width='4' height='2' rx='1'/>", 8.0 - (4.0 - PI));
    close("<circle cx='5' cy='5' r='2'/>", 4.0 * PI);
    close("<ellipse cx='5' cy='5' rx='2' ry='1'/>", 2.0 * PI);
    close("<path d='M1 1h4v2H1z'/>", 8.0);
    close("<path d='m1,1l4,0 0,2-4,0z'/>", 8.0);
    close("<path d='M3 5 A2 2 0 1 1 7 5 A2 2 0 1 1 3 5Z'/>", 4.0 * PI);
    close("<path d='M3 5a2 2 0 114 0a2 2 0 11-4 0'/>", 4.0 * PI);
    close("<path d='M0 0Q2 4 4 0Z'/>", 16.0 / 3.0);
    close("<path d='M0 0q1 2 2 0t2 0V-4H0z'/>", 16.0 + 4.0 / 3.0 - 4.0 / 3.0);
    close("<path d='M0 0C0 2 4 2 4 0S8 -2 8 0V-5H0z'/>", 40.0);
    close(
        "<g transform='translate(1 2) scale(2)'><rect width='1' height='1' transform='rotate(30)'/></g>",
        4.0,
    );
    close("<g transform='matrix(1 0 1 1 0 0)'><rect width='2' height='3'/></g>", 6.0);
    close(
        "<path d='M0 0H4V4H0ZM1 1V2H2V1Z'/><!-- <rect/> --><defs><rect width='9' height='9'/></defs>",
        15.0,
    );
    close(
        "<rect width='4' height='4'/><rect display='none' width='9' height='9'/><rect x='1' y='1' width='1' height='1'/>",
        15.0,
    );
}

#[test]
fn curves_are_followed_as_closely_as_wanted() {
    let circle = |tolerance: Option<f64>| {
        let text = b"<svg viewBox='-1 -1 2 2'><circle r='1'/></svg>";
        Outline::from_svg(text, tolerance).expect("a circle")
    };
    for (tolerance, most) in [(Some(1e-2), 40), (None, 300), (Some(1e-6), 4000)] {
        let outline = circle(tolerance);
        assert!(outline.corners() < most, "{} corners", outline.corners());
        let solid = Solid::new(Shape::outline(outline)).expect("a region");
        for index in 0..500 {
            let (point, _) = place(&solid.pieces()[0], &[index as f64 / 500.0], 2);
            let off = (point[0].hypot(point[1]) - 1.0).abs();
            assert!(off <= tolerance.unwrap_or(2e-4) + 1e-7, "{off} at {point:?}");
        }
    }
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let wrong = |text: &str| Outline::from_geojson(text.as_bytes()).expect_err(text).to_string();
    assert_eq!(wrong(""), "the file is empty");
    assert_eq!(wrong("{\n\"type\": Polygon }"), "line 2: found `P`, expected a value");
    assert_eq!(
        wrong("\n{ \"type\": \"Point\", \"coordinates\": [0, 0] }"),
        "line 2: a Point encloses nothing: keep only Polygon and MultiPolygon"
    );
    assert_eq!(wrong("{ \"type\": \"Polygon\" }"), "line 1: found none, expected a member `coordinates`");
    let polygon = |rings: &str| format!("{{ \"type\": \"Polygon\",\n \"coordinates\": [\n{rings}] }}");
    assert_eq!(
        wrong(&polygon("[[0, 0], [1, 1], [0, 0]]")),
        "line 3: an outline of 2 different corners encloses nothing: expected 3 or more"
    );
    assert_eq!(
        wrong(&polygon("[[0, 0], [2, 2], [2, 0], [0, 2]]")),
        "line 3: an outline meets itself at (1, 1): order its corners along the boundary"
    );
    assert_eq!(
        wrong(&polygon("[[0, 0], [2, 0], [2, 2]],\n[[1, -1], [3, -1], [1, 1]]")),
        "the outlines that begin on lines 3 and 4 meet at (2, 0): join them, or move them apart"
    );
    assert_eq!(wrong(&polygon("[[0, 0], [\"1\", 1]]")), "line 3: found a text, expected a number");
    assert!(wrong(&polygon("[[0, 0], [1e999, 0], [0, 1]]")).starts_with("line 3: coordinate inf"));
    assert!(wrong(&"[".repeat(100_000)).contains("more than 64 levels"));
    let wrong = |text: &str| Outline::from_svg(text.as_bytes(), None).expect_err(text).to_string();
    assert_eq!(wrong("<html></html>"), "line 1: found `<html`, expected `<svg`");
    assert_eq!(wrong("<svg>\n<g>\n</svg>"), "line 3: found `</svg>`, expected `</g>`");
    assert_eq!(wrong("<svg>"), "line 1: found the end of the file, expected `</svg>`");
    assert_eq!(wrong("<svg></svg>"), "the file has no outlines");
    assert_eq!(wrong("<svg>\n<path d='M0 0\nL1 x'/></svg>"), "line 3: found `x`, expected a number");
    assert_eq!(
        wrong("<svg><path d='M0 0 B1 1'/></svg>"),
        "line 1: there is no `B` in paths: they are written with M L H V Z C S Q T A"
    );
    assert_eq!(
        wrong("<svg>\n<rect width='3mm' height='2'/></svg>"),
        "line 2: `width` is in mm: only numbers without a unit are read"
    );
    assert!(wrong("<svg><polyline points='0,0 1,1'/></svg>").contains("a `polyline` encloses nothing"));
    assert!(
        wrong("<svg><g transform='turn(3)'/></svg>").contains("there is no transform `turn` of 1 numbers")
    );
    assert!(wrong(&format!("<svg>{}", "<g>".repeat(100_000))).contains("more than 256 levels"));
    let fine = Outline::from_svg(b"<svg><circle r='1'/></svg>", Some(1e-12)).expect_err("too fine");
    assert!(fine.to_string().starts_with("more than 20000 corners"));
}

#[test]
fn no_bytes_at_all_make_it_panic() {
    let drawing = "<svg viewBox='0 0 9 9'><g transform='rotate(3,1,1)'><path d='M1 1C2 2,3 3,4 0S1-1.5.5 2Q1 1 2 3T4 4a1 2 0 01.5.5z'/>\
        <rect width='2' height='1' rx='.2'/></g><!--x--><circle r='1'/></svg>";
    let mut numbers = Numbers(9);
    let mut fine = 0;
    for round in 0..6000 {
        let below = |numbers: &mut Numbers, limit: usize| (numbers.bits() % limit as u64) as usize;
        let mut bytes = if round % 2 == 0 { LAKE.as_bytes().to_vec() } else { drawing.as_bytes().to_vec() };
        for _ in 0..below(&mut numbers, 4) {
            let at = below(&mut numbers, bytes.len());
            match below(&mut numbers, 4) {
                0 => bytes[at] = numbers.bits() as u8,
                1 => bytes.truncate(at + 1),
                2 => bytes[at] = b"[]{},:\"<>/='-.e019MzAaCq"[below(&mut numbers, 24)],
                _ => bytes.extend_from_within(at..),
            }
        }
        for outline in [Outline::from_geojson(&bytes), Outline::from_svg(&bytes, None)] {
            match outline {
                Ok(outline) => {
                    assert!(outline.bounds().iter().flatten().all(|end| end.is_finite()));
                    fine += 1;
                }
                Err(error) => assert!(error.to_string().len() < 400, "{error}"),
            }
        }
    }
    assert!(fine > 500, "only {fine} files were left whole");
}
