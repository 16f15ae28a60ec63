//! STL files that are wrong.

use crate::meshes::{Triangle, binary, cube, text};
use crate::support::Numbers;
use geometry::{Mesh, MeshError, StlPlace};

fn refused(bytes: &[u8]) -> String {
    Mesh::from_stl(bytes).expect_err("the file is wrong").to_string()
}

fn unit_cube() -> Vec<Triangle> {
    cube([0.0; 3], [1.0; 3])
}

#[test]
fn a_cut_file_is_refused_with_its_length() {
    let whole = binary(&unit_cube());
    assert_eq!(
        refused(&whole[..whole.len() - 1]),
        "a binary STL file of 12 triangles has 684 bytes, this one has 683: is it cut off?"
    );
    assert_eq!(
        refused(&whole[..40]),
        "line 1: found the end of the file, expected `facet` or `endsolid`",
        "what begins with `solid` and is too short for a binary file is a text"
    );
    assert_eq!(
        refused(b"\x01\x02"),
        "2 bytes that are no STL file: a text begins with `solid`, a binary file has 84 bytes or more"
    );
    assert_eq!(refused(b""), "the file is empty");
    let text = text(&unit_cube());
    for length in 0..text.len() - 30 {
        assert!(Mesh::from_stl(&text[..length]).is_err(), "{length} of {} bytes", text.len());
    }
}

#[test]
fn a_wrong_count_is_refused() {
    let mut bytes = binary(&unit_cube());
    bytes[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    let wanted = MeshError::Length { declared: u32::MAX, needed: 84 + 50 * u64::from(u32::MAX), bytes: 684 };
    assert_eq!(Mesh::from_stl(&bytes).unwrap_err(), wanted);
    bytes[80..84].copy_from_slice(&0u32.to_le_bytes());
    assert!(refused(&bytes).contains("of 0 triangles has 84 bytes"));
    bytes.truncate(84);
    assert_eq!(refused(&bytes), "the file has no triangles");
    assert_eq!(refused(b"solid nothing\nendsolid nothing\n"), "the file has no triangles");
}

#[test]
fn numbers_that_are_none_are_refused_where_they_are() {
    let mut triangles = unit_cube();
    triangles[6][1][2] = f64::NAN;
    let error = Mesh::from_stl(&binary(&triangles)).unwrap_err();
    assert!(matches!(error, MeshError::Coordinate { place: StlPlace::Triangle(7), value } if value.is_nan()));
    // Line 1 is the title, and every triangle has seven lines, the second corner in the fourth.
    let error = Mesh::from_stl(&text(&triangles)).unwrap_err();
    assert!(error.to_string().starts_with("line 47: coordinate NaN"), "{error}");
    triangles[6][1][2] = f64::INFINITY;
    assert!(refused(&binary(&triangles)).starts_with("triangle 7: coordinate inf"));
    let wrong = String::from_utf8(text(&unit_cube())).unwrap().replacen("vertex 0 0", "vertex 0 zero", 1);
    assert_eq!(refused(wrong.as_bytes()), "line 4: found `zero`, expected a number");
    let wrong = String::from_utf8(text(&unit_cube())).unwrap().replacen("endloop", "vertex 0 0 0", 1);
    assert_eq!(refused(wrong.as_bytes()), "line 7: found `vertex`, expected `endloop`");
}

#[test]
fn texts_may_be_in_capitals_and_of_several_solids() {
    let shout = String::from_utf8(text(&unit_cube())).unwrap().to_uppercase();
    assert_eq!(Mesh::from_stl(shout.as_bytes()).unwrap().triangles(), 12);
    let mut two = text(&unit_cube());
    two.extend(text(&cube([3.0; 3], [4.0; 3])));
    let two: Vec<u8> =
        two.iter().flat_map(|byte| if *byte == b'\n' { vec![b'\r', b'\n'] } else { vec![*byte] }).collect();
    let mesh = Mesh::from_stl(&two).unwrap();
    assert!(mesh.triangles() == 24 && (mesh.volume() - 2.0).abs() < 1e-14);
}

#[test]
fn surfaces_that_enclose_nothing_are_refused_with_a_reason() {
    let mut open = unit_cube();
    open.pop();
    assert_eq!(
        refused(&text(&open)),
        "the surface is open: 3 edges belong to an odd number of triangles, the first from (0, 0, 1) to (0, 1, 1): \
         fill its holes and merge its vertices"
    );
    let inside_out: Vec<Triangle> = unit_cube().iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    let error = Mesh::from_stl(&text(&inside_out)).unwrap_err();
    assert!(matches!(error, MeshError::InsideOut { volume } if (volume + 1.0).abs() < 1e-15));
    assert!(error.to_string().ends_with("flip the order of all vertices"));
    let mut mixed = unit_cube();
    mixed[4].swap(0, 1);
    assert!(matches!(Mesh::from_stl(&text(&mixed)), Err(MeshError::Orientation { edges: 3, .. })));
    let [a, b, c] = unit_cube()[0];
    assert_eq!(refused(&text(&[[a, b, c], [a, c, b]])), "the surface encloses no volume");
    assert_eq!(refused(&text(&[[a, a, c]])), "the file has no triangles");
}

#[test]
fn no_bytes_at_all_make_it_panic() {
    let mut numbers = Numbers(77);
    let (text, binary) = (text(&unit_cube()), binary(&unit_cube()));
    let words: [&[u8]; 10] = [
        b"solid",
        b"facet",
        b"normal",
        b"outer",
        b"loop",
        b"vertex",
        b"endloop",
        b"endfacet",
        b"endsolid",
        b"-1e309",
    ];
    let mut fine = 0;
    for round in 0..4000 {
        let below = |numbers: &mut Numbers, limit: usize| (numbers.bits() % limit as u64) as usize;
        let mut bytes = match round % 4 {
            0 => (0..below(&mut numbers, 400)).map(|_| numbers.bits() as u8).collect(),
            1 => text.clone(),
            2 => binary.clone(),
            _ => (0..60).flat_map(|_| [words[below(&mut numbers, 10)], b"\n"].concat()).collect::<Vec<u8>>(),
        };
        for _ in 0..below(&mut numbers, 4) {
            if bytes.is_empty() {
                break;
            }
            let (at, length) = (below(&mut numbers, bytes.len()), bytes.len());
            match below(&mut numbers, 3) {
                0 => bytes[at] = numbers.bits() as u8,
                1 => bytes.truncate(at),
                _ => bytes.copy_within(at..length.min(at + 50), length - (length - at).min(50)),
            }
        }
        if let Ok(mesh) = Mesh::from_stl(&bytes) {
            assert!(mesh.volume() > 0.0 && mesh.area() > 0.0);
            fine += 1;
        }
    }
    assert!(fine > 100, "only {fine} files were left whole");
}
