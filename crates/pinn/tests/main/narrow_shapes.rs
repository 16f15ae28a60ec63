//! Promises about shapes that points hardly reach, and about lines where regions meet.

use pinnace::{BUILT_IN, Experiment};
use std::path::Path;

/// A plate with what is cut out of it, trained with 400 points.
fn plate(shape: &str, conditions: &str) -> Experiment {
    let text = format!(
        "[domain]\nx = [0, 2]\ny = [0, 1]\n[geometry]\nplate = \"rectangle([0, 0], [2, 1])\"\n{shape}\n[unknowns]\nu = {{}}\n\
         [equations]\na = \"laplacian(u) = 1\"\n[conditions]\n{conditions}\n[network]\nwidth = 4\ndepth = 1\n\
         [training]\noptimizer = \"adam\"\npoints = 400\n"
    );
    Experiment::from_text("plate", &text, Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"))
}

const RIM: &str = "rim = { on = \"boundary\", equation = \"u = 0\" }";

fn told(shape: &str) -> Vec<String> {
    plate(shape, RIM).warnings()
}

#[test]
fn holes_and_gaps_thinner_than_points_are_apart_are_told_with_the_points_that_would_do() {
    for (shape, wanted) in [
        // An area of 1.96 to 400 points is a square of 0.07 to each.
        (
            "slit = \"rectangle([0.5, 0.48], [1.5, 0.52])\"\nshape = \"plate - slit\"",
            [
                "a hole or gap of the shape is only 0.04 across between `slit.",
                "`points = 1300` in [training]",
            ],
        ),
        (
            "hole = \"disk([1, 0.96], 0.02)\"\nshape = \"plate - hole\"",
            ["the shape is only 0.02", "between `plate.top` and `hole`"],
        ),
        (
            "hole = \"disk([1, 0.5], 0.01)\"\nshape = \"plate - hole\"",
            ["a hole or gap of the shape is only 0.02 across at `hole` near", "`points = 5000`"],
        ),
        // No side of a triangle faces another one.
        (
            "tooth = \"polygon([[1, 0.5], [1.02, 0.5], [1.01, 0.52]])\"\nshape = \"plate - tooth\"",
            ["`tooth` is only about 0.02 across", "points = "],
        ),
    ] {
        let lines = told(shape);
        let found = lines.iter().any(|line| wanted.iter().all(|part| line.contains(part)));
        assert!(found, "{shape}: {lines:?}");
        assert!(
            lines.iter().all(|line| line.contains("the 400 points of training are about 0.07")),
            "{lines:?}"
        );
    }
}

#[test]
fn shapes_that_points_reach_are_not_warned_of() {
    for shape in [
        "shape = \"plate\"",
        "hole = \"disk([1, 0.5], 0.2)\"\nshape = \"plate - hole\"",
        // Sides meet in corners of 45, 90 and 270 degrees.
        "notch = \"rectangle([1, 0.5], [2, 1])\"\nshape = \"plate - notch\"",
        "wedge = \"polygon([[0, 0], [1, 0], [0, 1]])\"\nshape = \"plate - wedge\"",
    ] {
        assert_eq!(told(shape), Vec::<String>::new(), "{shape}");
    }
    let shaped = BUILT_IN.iter().filter(|built_in| built_in.text.contains("[geometry]"));
    for built_in in shaped {
        let experiment = Experiment::open(built_in.name, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(experiment.warnings(), Vec::<String>::new(), "{}", built_in.name);
    }
}

#[test]
fn a_piece_without_a_point_is_told_unless_its_condition_is_its_own() {
    // A fin looks out of the plate by a two-thousandth of its height.
    let warnings = |conditions: &str| {
        let text = format!(
            "[domain]\nx = [0, 2]\ny = [0, 1.0004]\n[geometry]\nplate = \"rectangle([0, 0], [2, 1])\"\n\
             fin = \"rectangle([0.5, 0.2], [1.5, 1.0004])\"\nshape = \"plate + fin\"\n[unknowns]\nu = {{}}\n\
             [equations]\na = \"laplacian(u) = 1\"\n[conditions]\n{conditions}\n[network]\nwidth = 4\ndepth = 1\n\
             [training]\noptimizer = \"adam\"\npoints = 400\n"
        );
        let read = Experiment::from_text("fin", &text, Path::new("."), &[]);
        read.unwrap_or_else(|error| panic!("{error}")).warnings()
    };
    let all = "rim = { on = \"boundary\", equation = \"dn(u) = u\", points = 20 }";
    let lines = warnings(all);
    let start = "condition `rim` has no point on `fin.right`, of which operations have left 0.04";
    assert!(lines.iter().any(|line| line.starts_with(start)), "{lines:?}");
    let own = "rim = { on = \"plate, fin.top, fin.left\", equation = \"dn(u) = u\", points = 20 }\n\
               fin = { on = \"fin.right\", equation = \"dn(u) = u\" }";
    let lines = warnings(own);
    assert!(!lines.iter().any(|line| line.contains("no point on `fin.right`")), "{lines:?}");
}

#[test]
fn interfaces_are_lines_where_regions_differ_inside_of_the_shape() {
    let regions = "hole = \"disk([1, 0.5], 0.2)\"\nshape = \"plate - hole\"\n[regions]\nbar = \"rectangle([0.5, 0.3], [3, 0.7])\"\n\
                   core = \"rectangle([1.5, 0.4], [1.8, 0.9])\"";
    let interfaces = plate(regions, RIM).interfaces();
    let names: Vec<&str> = interfaces.iter().map(|interface| interface.name.as_str()).collect();
    assert_eq!(names, ["bar", "core"]);
    let length = |number: usize| -> f64 {
        let pairs = interfaces[number].runs.iter().flat_map(|run| run.windows(2));
        pairs
            .map(|pair| (pair[0].point[0] - pair[1].point[0]).hypot(pair[0].point[1] - pair[1].point[1]))
            .sum()
    };
    // The bar ends at the plate; all of it has something else beyond, also where that is the core.
    assert!((length(0) - (1.5 + 0.4 + 1.5)).abs() < 0.01, "{}", length(0));
    // What of the core lies in the bar is the bar's.
    assert!((length(1) - (0.2 + 0.3 + 0.2)).abs() < 0.01, "{}", length(1));
    let normals =
        interfaces[1].runs.iter().flatten().map(|footing| footing.normal[1]).fold(f64::NAN, f64::max);
    assert!((normals - 1.0).abs() < 1e-9, "normals lead out of the region");
    assert!(plate("shape = \"plate\"", RIM).interfaces().is_empty());
}
