//! Solids of triangles.

use crate::support::{
    Numbers, distances_are_distances_to_places, distances_have_the_sign_of_the_inside_test, names, piece,
    places_are_on_the_surface, solid, the_boundary_encloses_the_volume,
};
use geometry::{FaceRule, Mesh, Shape, Solid};

pub(crate) type Triangle = [[f64; 3]; 3];

/// The surface of a box, outward.
pub(crate) fn cube(low: [f64; 3], high: [f64; 3]) -> Vec<Triangle> {
    let corner = |bits: usize| -> [f64; 3] {
        std::array::from_fn(|axis| if bits >> axis & 1 == 1 { high[axis] } else { low[axis] })
    };
    // By the corners' bits: x is the lowest.
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let halves = |[a, b, c, d]: [usize; 4]| [[a, b, c], [a, c, d]].map(|triangle| triangle.map(corner));
    faces.into_iter().flat_map(halves).collect()
}

/// A sphere of radius one: an icosahedron whose triangles are divided into four, so many times.
pub(crate) fn icosphere(times: usize) -> Vec<Triangle> {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let unit = |point: [f64; 3]| {
        let length = point.iter().map(|x| x * x).sum::<f64>().sqrt();
        point.map(|x| x / length)
    };
    let mut vertices = Vec::new();
    for (one, other) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
        vertices.extend([[0.0, one, other], [one, other, 0.0], [other, 0.0, one]].map(unit));
    }
    let edge = 2.0 / (1.0 + golden * golden).sqrt();
    let apart = |one: [f64; 3], other: [f64; 3]| {
        (0..3).map(|axis| (one[axis] - other[axis]).powi(2)).sum::<f64>().sqrt()
    };
    let mut triangles: Vec<Triangle> = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                let [a, b, c] = [vertices[a], vertices[b], vertices[c]];
                if [apart(a, b), apart(b, c), apart(c, a)].iter().all(|length| (length - edge).abs() < 1e-9) {
                    triangles.push(if determinant([a, b, c]) > 0.0 { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    assert_eq!(triangles.len(), 20);
    for _ in 0..times {
        triangles = triangles
            .iter()
            .flat_map(|[a, b, c]| {
                // Symmetric, so that both triangles at an edge get the same point.
                let middle = |one: &[f64; 3], other: &[f64; 3]| {
                    unit(std::array::from_fn(|axis| one[axis] + other[axis]))
                };
                let [d, e, f] = [middle(a, b), middle(b, c), middle(c, a)];
                [[*a, d, f], [d, *b, e], [f, e, *c], [d, e, f]]
            })
            .collect();
    }
    triangles
}

fn determinant([a, b, c]: Triangle) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

pub(crate) fn text(triangles: &[Triangle]) -> Vec<u8> {
    let mut text = "solid made by a test\n".to_owned();
    for triangle in triangles {
        text.push_str(" facet normal 0 0 0\n  outer loop\n");
        for [x, y, z] in triangle {
            text.push_str(&format!("   vertex {x} {y} {z:e}\n"));
        }
        text.push_str("  endloop\n endfacet\n");
    }
    text.push_str("endsolid made by a test\n");
    text.into_bytes()
}

pub(crate) fn binary(triangles: &[Triangle]) -> Vec<u8> {
    // As some programs do, to the confusion of others.
    let mut bytes = b"solid but binary".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        bytes.extend(triangle.iter().flatten().flat_map(|value| (*value as f32).to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

fn mesh(bytes: &[u8]) -> Mesh {
    Mesh::from_stl(bytes).expect("the mesh is fine")
}

#[test]
fn a_cube_of_triangles_is_a_box() {
    let (low, high) = ([0.25, -1.0, 2.0], [1.0, 0.5, 4.0]);
    for bytes in [text(&cube(low, high)), binary(&cube(low, high))] {
        let mesh = mesh(&bytes);
        assert_eq!((mesh.triangles(), mesh.notes().len()), (12, 0));
        assert_eq!(mesh.bounds(), [[0.25, 1.0], [-1.0, 0.5], [2.0, 4.0]]);
        assert!((mesh.volume() - 0.75 * 1.5 * 2.0).abs() < 1e-15);
        assert!((mesh.area() - 2.0 * (0.75 * 1.5 + 1.5 * 2.0 + 2.0 * 0.75)).abs() < 1e-14);
        let (cube, cuboid) = (solid(Ok(Shape::mesh(mesh))), solid(Shape::cuboid(low, high)));
        assert_eq!(names(&cube), ["mesh1"]);
        assert_eq!(cube.bounds(), cuboid.bounds());
        let mut numbers = Numbers(5);
        for _ in 0..20_000 {
            let point = numbers.around(cube.bounds(), 0.2);
            assert_eq!(cube.contains(&point), cuboid.contains(&point), "{point:?}");
            let (found, wanted) = (cube.signed_distance(&point), cuboid.signed_distance(&point));
            assert!((found - wanted).abs() < 1e-14, "{found} for {wanted} at {point:?}");
        }
    }
}

#[test]
fn rays_through_edges_and_corners_are_counted_right() {
    // All coordinates are multiples of a quarter: rays pass along diagonals, edges and corners.
    let cube = solid(Ok(Shape::mesh(mesh(&text(&cube([0.0; 3], [1.0; 3]))))));
    let cuboid = solid(Shape::cuboid([0.0; 3], [1.0; 3]));
    for index in 0..7usize.pow(3) {
        let point = [index % 7, index / 7 % 7, index / 49].map(|value| value as f64 / 4.0 - 0.25);
        let on_surface = cuboid.signed_distance(&point) == 0.0;
        assert!(on_surface || cube.contains(&point) == cuboid.contains(&point), "{point:?}");
    }
}

#[test]
fn a_sphere_of_triangles_is_sound() {
    for times in [0, 3] {
        let triangles = icosphere(times);
        let volume: f64 = triangles.iter().map(|triangle| determinant(*triangle) / 6.0).sum();
        let mesh = mesh(&text(&triangles));
        assert!((mesh.volume() / volume - 1.0).abs() < 1e-13);
        let shape = Shape::mesh(mesh);
        let turned = shape.clone().rotate3([1.0, 2.0, 3.0], 0.8, [0.1, 0.0, 0.0]).unwrap();
        let moved = turned.scale(0.3, &[1.0, 2.0, 3.0]).unwrap();
        for (solid, volume) in [(solid(Ok(shape)), volume), (solid(Ok(moved)), 0.027 * volume)] {
            assert!((solid.measure().value / volume - 1.0).abs() < 1e-13 && solid.measure().error == 0.0);
            places_are_on_the_surface(&solid);
            the_boundary_encloses_the_volume(&solid, volume);
            distances_have_the_sign_of_the_inside_test(&solid);
            distances_are_distances_to_places(&solid);
        }
    }
}

#[test]
fn a_fine_sphere_agrees_with_the_exact_one() {
    let triangles = icosphere(4);
    let mesh = mesh(&binary(&triangles));
    // Between the sphere through the middles of the triangles and the one through their corners, and f32.
    let middle = |[a, b, c]: &Triangle| {
        (0..3).map(|axis| ((a[axis] + b[axis] + c[axis]) / 3.0).powi(2)).sum::<f64>().sqrt()
    };
    let inner = triangles.iter().map(middle).fold(1.0, f64::min) - 1e-6;
    assert!(inner > 0.998);
    let sphere = solid(Ok(Shape::mesh(mesh)));
    let mut numbers = Numbers(9);
    let mut inside = 0;
    for _ in 0..20_000 {
        let point = numbers.around(sphere.bounds(), 0.1);
        let radius = point.iter().map(|x| x * x).sum::<f64>().sqrt();
        if radius < inner || radius > 1.0 + 1e-6 {
            assert_eq!(sphere.contains(&point), radius < 1.0, "{point:?}");
            inside += usize::from(radius < 1.0);
        }
        let distance = sphere.signed_distance(&point) - (radius - 1.0);
        assert!((-1e-6..0.002 + 1e-6).contains(&distance), "{distance} at {point:?}");
    }
    assert!(inside > 5000);
}

#[test]
fn places_on_a_mesh_are_uniform_in_area() {
    // A long box: most places are on its long sides, and on each evenly.
    let solid = solid(Ok(Shape::mesh(mesh(&binary(&cube([0.0; 3], [8.0, 1.0, 2.0]))))));
    const CELLS: usize = 24;
    const COUNT: usize = 240_000;
    let piece = piece(&solid, "mesh1");
    let mut counts = [0usize; 6 * CELLS];
    let mut numbers = Numbers(13);
    for _ in 0..COUNT {
        let (point, normal) = crate::support::place(piece, &numbers.units::<2>(), 3);
        let axis = normal.iter().position(|value| value.abs() > 0.5).unwrap();
        let face = 2 * axis + usize::from(normal[axis] > 0.0);
        let sizes = [8.0, 1.0, 2.0];
        let share =
            |axis: usize, cells: usize| ((point[axis] / sizes[axis] * cells as f64) as usize).min(cells - 1);
        let cell = share((axis + 1) % 3, 4) * 6 + share((axis + 2) % 3, 6);
        counts[face * CELLS + cell] += 1;
    }
    let areas = [2.0, 2.0, 16.0, 16.0, 8.0, 8.0];
    let mut square = 0.0;
    for (index, count) in counts.iter().enumerate() {
        let expected = COUNT as f64 * areas[index / CELLS] / 52.0 / CELLS as f64;
        square += (*count as f64 - expected).powi(2) / expected;
    }
    // Chi-square with 143 degrees of freedom: five standard deviations of sqrt(2·143) above the mean.
    assert!(square < 143.0 + 5.0 * 286f64.sqrt(), "{square}");
}

/// The area of each face, by its name.
fn faces(solid: &Solid) -> Vec<(&str, f64)> {
    solid.pieces().iter().map(|piece| (piece.name(), piece.measure().value)).collect()
}

#[test]
fn sharp_edges_tell_faces_apart_and_smooth_surfaces_stay_whole() {
    let (low, high) = ([0.0; 3], [3.0, 1.0, 2.0]);
    for bytes in [text(&cube(low, high)), binary(&cube(low, high))] {
        let mesh = Mesh::with_faces(&bytes, FaceRule::Edges(30.0)).expect("the mesh is fine");
        assert_eq!((mesh.faces().len(), mesh.area()), (6, 22.0));
        let part = solid(Ok(Shape::mesh(mesh).named("part")));
        let numbered = [2.0, 2.0, 6.0, 6.0, 3.0, 3.0];
        let wanted: Vec<(String, f64)> =
            (1..).map(|number| format!("part.face{number}")).zip(numbered).collect();
        assert!(faces(&part).into_iter().eq(wanted.iter().map(|(name, area)| (&**name, *area))), "{part:?}");
        places_are_on_the_surface(&part);
        the_boundary_encloses_the_volume(&part, 6.0);
        // In the order of the file: x = 0 comes first.
        let mut numbers = Numbers(3);
        for _ in 0..100 {
            let (point, normal) = crate::support::place(piece(&part, "part.face1"), &numbers.units::<2>(), 3);
            assert!(point[0] == 0.0 && normal == [-1.0, 0.0, 0.0]);
        }
        assert!(part.pieces().iter().all(|piece| piece.is_called("part")));
    }
    // The icosahedron has edges of 42 degrees, that of a sphere in 1280 triangles none above 10.
    for (times, degrees, count) in [(0, 30.0, 20), (0, 45.0, 1), (3, 15.0, 1)] {
        let mesh = Mesh::with_faces(&binary(&icosphere(times)), FaceRule::Edges(degrees)).expect("a sphere");
        assert_eq!(mesh.faces().len(), count, "{degrees}");
        if count == 1 {
            assert_eq!(names(&solid(Ok(Shape::mesh(mesh)))), ["mesh1"], "an only face is called as its part");
        }
    }
    // What is cut off takes faces and parts of them along.
    let mesh = Mesh::with_faces(&text(&cube(low, high)), FaceRule::Edges(30.0)).expect("the mesh is fine");
    let half = Shape::half_space(vec![1.0, 0.0, 0.0], vec![1.0, 0.0, 0.0]).expect("a plane");
    let cut = solid(Shape::mesh(mesh).named("part").intersection(half));
    assert_eq!(cut.removed(), ["part.face2"]);
    assert!((piece(&cut, "part.face3").left() - 1.0 / 3.0).abs() < 0.005);
    let fine = Mesh::with_faces(&binary(&icosphere(3)), FaceRule::Edges(1.0)).expect_err("1280 triangles");
    assert!(fine.to_string().contains("1280 faces") && fine.to_string().contains("256"), "{fine}");
}

#[test]
fn solids_of_a_text_name_faces() {
    let triangles = cube([0.0; 3], [1.0; 3]);
    let written = |names: [&str; 3]| {
        let parts = [&triangles[..2], &triangles[2..4], &triangles[4..]];
        let text = parts.iter().zip(names).map(|(part, name)| {
            let text = String::from_utf8(text(part)).expect("a text");
            text.replace(" made by a test", &format!(" {name}"))
        });
        text.collect::<String>().into_bytes()
    };
    let read = |names: [&str; 3]| Mesh::with_faces(&written(names), FaceRule::Solids);
    let part = solid(Ok(Shape::mesh(read(["inlet", "outer wall (2)", "3rd"]).expect("fine")).named("part")));
    let found: Vec<(&str, f64)> = faces(&part);
    assert_eq!(found, [("part.inlet", 1.0), ("part.outer_wall__2", 1.0), ("part.solid_3rd", 4.0)]);
    let mesh = read(["side", "rest", "side"]).expect("fine");
    assert!(mesh.faces().eq(["side", "rest"]), "several solids of one name are one face");
    assert!(read(["", "b", "c"]).expect("fine").faces().eq(["solid1", "b", "c"]));
    let said = read(["a b", "a-b", "c"]).expect_err("one name").to_string();
    assert!(said.contains("`a_b`"), "{said}");
    let said = Mesh::with_faces(&binary(&triangles), FaceRule::Solids).expect_err("no names").to_string();
    assert!(said.contains("binary") && said.contains("an angle"), "{said}");
}

#[test]
fn meshes_take_part_in_operations() {
    let ball = Shape::mesh(mesh(&binary(&icosphere(2)))).named("ball");
    let volume = Mesh::from_stl(&binary(&icosphere(2))).unwrap().volume();
    let tunnel = Shape::cuboid([-3.0; 3], [3.0; 3]).unwrap();
    let hollow = solid(tunnel.difference(ball.clone()));
    assert!((hollow.measure().value - (216.0 - volume)).abs() < 1e-9 && hollow.measure().error == 0.0);
    assert_eq!(names(&hollow)[6..], ["ball"]);
    let half = solid(ball.intersection(Shape::half_space(vec![0.0; 3], vec![0.0, 0.0, 1.0]).unwrap()));
    let found = half.measure();
    assert!((found.value - 0.5 * volume).abs() < found.error && found.error < 0.01 * volume, "{found:?}");
    assert!((piece(&half, "ball").left() - 0.5).abs() < 0.005);
    // A cube of triangles beside a box has no boundary between.
    let cube = Shape::mesh(mesh(&text(&cube([0.0; 3], [1.0; 3]))));
    let both = solid(Shape::cuboid([1.0, 0.0, 0.0], [2.0, 1.0, 1.0]).unwrap().union(cube));
    assert_eq!(both.removed(), ["box1.left"]);
    assert!((piece(&both, "mesh1").left() - 5.0 / 6.0).abs() < 0.005);
}

#[test]
fn a_shell_turned_inward_is_a_hole() {
    let mut triangles = cube([0.0; 3], [4.0; 3]);
    triangles.extend(cube([1.0; 3], [2.0; 3]).iter().map(|[a, b, c]| [*a, *c, *b]));
    let shell = solid(Ok(Shape::mesh(mesh(&text(&triangles)))));
    assert!((shell.measure().value - 63.0).abs() < 1e-12);
    assert!(!shell.contains(&[1.5, 1.6, 1.7]) && shell.contains(&[3.0, 3.1, 3.2]));
    assert!((shell.signed_distance(&[1.5, 1.5, 1.4]) - 0.4).abs() < 1e-15);
    the_boundary_encloses_the_volume(&shell, 63.0);
}

#[test]
fn repeated_and_collapsed_triangles_are_left_out_and_told() {
    let mut triangles = cube([0.0; 3], [1.0; 3]);
    triangles.push(triangles[3]);
    let [a, b, c] = triangles[5];
    triangles.push([b, c, a]);
    triangles.push([a, b, b]);
    let mesh = mesh(&text(&triangles));
    assert_eq!(mesh.triangles(), 12);
    assert_eq!(
        mesh.notes(),
        [
            "1 triangle with two equal corners was left out, the first at line 100",
            "2 triangles with the corners of another were left out, the first at line 86"
        ]
    );
    let _: Solid = solid(Ok(Shape::mesh(mesh)));
}
