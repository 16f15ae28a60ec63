//! Shapes that come from files: what is accepted, and what is said about files that are wrong.

use equation::decide::decide;
use equation::parse::{Diagnostics, FileFault, FileGrid, FileReader, parse, parse_with_files, resolve};
use equation::problem::{Problem, report};
use std::borrow::Cow;
use std::path::PathBuf;

const BRACKET: &str = r#"
[domain]
x = [0, 1]
y = [0, 1]
z = [0, 1]
[geometry]
part = 'stl("bracket.stl")'
bore = "cylinder([0.5, 0.5, -1], [0.5, 0.5, 2], 0.2)"
shape = "part - bore"
[unknowns]
u = {}
[equations]
a = "laplacian(u) = 1"
[conditions]
outside = { on = "part", equation = "u = 0" }
inside = { on = "bore", equation = "u = 0" }
"#;

/// Files by name.
pub(crate) struct Memory(pub(crate) Vec<(&'static str, Vec<u8>)>);

impl FileReader for Memory {
    fn read(&self, name: &str, most: u64) -> Result<Cow<'_, [u8]>, FileFault> {
        let (_, bytes) = self.0.iter().find(|(own, _)| *own == name).ok_or(FileFault::Missing)?;
        match bytes.len() as u64 {
            length if length > most => Err(FileFault::TooLarge { bytes: length, most }),
            _ => Ok(Cow::Borrowed(bytes)),
        }
    }

    fn grid(&self, _: &str, _: &[Vec<&str>]) -> Result<FileGrid, FileFault> {
        Err(FileFault::Missing)
    }
}

/// The files beside a problem file.
pub(crate) struct Beside(pub(crate) PathBuf);

impl FileReader for Beside {
    fn read(&self, name: &str, _: u64) -> Result<Cow<'_, [u8]>, FileFault> {
        let bytes = std::fs::read(self.0.join(name));
        bytes.map(Cow::Owned).map_err(|error| FileFault::Refused(error.to_string()))
    }

    fn grid(&self, _: &str, _: &[Vec<&str>]) -> Result<FileGrid, FileFault> {
        Err(FileFault::Missing)
    }
}

/// A cube from the origin, as text.
fn cube(side: f64) -> String {
    let mut text = "solid cube\n".to_owned();
    for [u, v, w] in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
        let corner = |across: f64, up: f64, height: f64| {
            let mut corner = [0.0; 3];
            (corner[u], corner[v], corner[w]) = (across * side, up * side, height * side);
            corner
        };
        for (height, turned) in [(0.0, true), (1.0, false)] {
            let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
            for [a, b, c] in [[0, 1, 2], [0, 2, 3]] {
                let [b, c] = if turned { [c, b] } else { [b, c] };
                text.push_str("facet normal 0 0 0\nouter loop\n");
                for [across, up] in [square[a], square[b], square[c]] {
                    let [x, y, z] = corner(across, up, height);
                    text.push_str(&format!("vertex {x} {y} {z}\n"));
                }
                text.push_str("endloop\nendfacet\n");
            }
        }
    }
    text + "endsolid cube\n"
}

fn read(text: &str, stl: &str) -> Result<Problem, Diagnostics> {
    parse_with_files(text, &[], &Memory(vec![("bracket.stl", stl.as_bytes().to_vec())]))
}

/// The only mistake, its hint, and the text under its caret.
fn refused(text: &str, stl: &str) -> (String, String, String) {
    let mistakes = read(text, stl).expect_err("something is wrong");
    let [mistake] = mistakes.list() else { panic!("{}", mistakes.render("file")) };
    let place = text[mistake.span.start..mistake.span.end].to_owned();
    (mistake.message.clone(), mistake.hint.clone().unwrap_or_default(), place)
}

#[test]
fn a_file_of_triangles_is_a_part_like_any_other() {
    let problem = read(BRACKET, &cube(1.0)).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("file")));
    let geometry = problem.domain.geometry.as_ref().expect("a shape");
    let names: Vec<&str> = geometry.solid.pieces().iter().map(|piece| piece.name()).collect();
    assert_eq!(names, ["part", "bore.mantle"]);
    assert!(geometry.contains(&[0.1, 0.1, 0.5]) && !geometry.contains(&[0.5, 0.5, 0.5]));
    assert!(geometry.notes.is_empty());
    let (problem, _) = decide(problem).expect("it can be trained");
    let told = report(&problem).join("\n");
    let why = "`outside` (u = 0) stays a penalty: no smooth function is known that vanishes on `part` and nowhere inside";
    assert!(told.contains(why), "{told}");
}

#[test]
fn a_factor_changes_the_unit() {
    let scaled = BRACKET.replace("stl(\"bracket.stl\")", "stl(\"bracket.stl\", 0.001)");
    let problem = read(&scaled, &cube(1000.0)).expect("a metre of millimetres");
    let geometry = problem.domain.geometry.expect("a shape");
    assert_eq!(geometry.solid.bounds()[0], [0.0, 1.0]);
    let (message, hint, _) = refused(BRACKET, &cube(1000.0));
    assert_eq!(message, "the shape lies between x = 0 and x = 1000, outside of [domain]");
    assert_eq!(
        hint,
        "bracket.stl is 1000 times larger than [domain]: if these are millimetres beside metres, write \
         `stl('bracket.stl', 0.001)`"
    );
    let alone = BRACKET
        .replace("part - bore", "part")
        .replace("inside = { on = \"bore\", equation = \"u = 0\" }", "");
    let notes = read(&alone, &cube(0.001)).expect("a small part").domain.geometry.expect("a shape").notes;
    assert!(notes[0].starts_with("bracket.stl is 1000 times smaller than [domain]"), "{notes:?}");
}

#[test]
fn conditions_hold_on_faces_by_name() {
    let faces = BRACKET.replace("stl(\"bracket.stl\")", "stl(\"bracket.stl\", 1, 30)").replace(
        "outside = { on = \"part\",",
        "warm = { on = \"part.face1\", equation = \"u = 1\" }\noutside = { on = \"part.face2, part.face3\",",
    );
    let problem = read(&faces, &cube(1.0)).expect("faces have names");
    let solid = &problem.domain.geometry.as_ref().expect("a shape").solid;
    let names: Vec<&str> = solid.pieces().iter().map(|piece| piece.name()).collect();
    assert_eq!(
        names[..6],
        ["part.face1", "part.face2", "part.face3", "part.face4", "part.face5", "part.face6"]
    );
    let (problem, _) = decide(problem).expect("it can be trained");
    assert_eq!(problem.conditions[0].name, "warm");
    let (message, hint, at) = refused(&faces.replace("part.face1", "part.face9"), &cube(1.0));
    assert_eq!(
        (message.as_str(), at.as_str()),
        ("there is no piece `part.face9` of the boundary", "part.face9")
    );
    assert!(hint.starts_with("its pieces are") && hint.contains("part.face1"), "{hint}");
    for (written, message) in [
        ("\"edges\"", "`edges` is no way to tell faces apart"),
        ("180", "180: expected degrees between 0 and 180"),
        ("-5", "-5: expected degrees between 0 and 180"),
    ] {
        let (said, hint, _) = refused(&faces.replace("1, 30)", &format!("1, {written})")), &cube(1.0));
        assert!(said == message && hint.contains("'solids'"), "{said}: {hint}");
    }
}

#[test]
fn what_is_wrong_with_a_file_is_told_where_it_is_named() {
    let place = "\"bracket.stl\"";
    let (message, _, at) = refused(BRACKET, "");
    assert_eq!((message.as_str(), at.as_str()), ("bracket.stl: the file is empty", place));
    let open = cube(1.0).replacen(
        "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 1 0\nvertex 1 0 0\nendloop\nendfacet\n",
        "",
        1,
    );
    let (message, hint, at) = refused(BRACKET, &open);
    assert!(message.starts_with("bracket.stl: the surface is open: 3 edges"), "{message}");
    assert!(hint.contains("write it anew") && at == place);
    let (message, ..) = refused(BRACKET, "solid x\nfacet normal 0 0 0\nouter loop\nvertex 0 zero 0\n");
    assert_eq!(message, "bracket.stl: line 4: found `zero`, expected a number");
    let (message, hint, at) = refused(&BRACKET.replace("bracket.stl", "other.stl"), "");
    assert_eq!((message.as_str(), at.as_str()), ("other.stl: there is no such file", "\"other.stl\""));
    assert_eq!(hint, "paths are relative to the folder of the problem file");
    let (message, hint, _) = refused(&BRACKET.replace("stl(\"bracket.stl\")", "stl(bracket)"), "");
    assert_eq!(
        (message.as_str(), hint.as_str()),
        ("expected a file name in quotes", "as in `stl('bracket.stl')`")
    );
    let alone = parse(BRACKET).expect_err("no files here");
    assert!(alone.list()[0].message.contains("given as a text alone"));
}

#[test]
fn triangles_that_are_left_out_are_told_with_their_place() {
    let doubled = cube(1.0).replace("endsolid cube", "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendfacet\nendsolid cube");
    let problem = read(BRACKET, &doubled).expect("all else is right");
    let notes = problem.domain.geometry.expect("a shape").notes;
    assert_eq!(notes, ["bracket.stl: 1 triangle with two equal corners was left out, the first at line 86"]);
}

const ISLAND: &str = r#"
[domain]
x = [0, 4]
y = [0, 4]
[geometry]
island = "outline('island.geojson')"
shape = "island"
[unknowns]
u = {}
[equations]
a = "laplacian(u) = 1"
[conditions]
shore = { on = "island.outer", equation = "u = 0" }
lake = { on = "island.hole", equation = "dn(u) = 0" }
"#;

#[test]
fn outlines_come_from_maps_and_drawings() {
    let map = br#"{ "type": "Polygon", "coordinates": [[[0, 0], [4, 0], [4, 4], [0, 4]], [[1, 1], [2, 1], [2, 2]]] }"#;
    let drawing = b"<svg viewBox='0 0 40 40'>\n<path d='M0 0H40V40H0ZM10 20H20V30Z'/></svg>";
    let files = || Memory(vec![("island.geojson", map.to_vec()), ("part.svg", drawing.to_vec())]);
    let solid = |text: &str| {
        let problem = parse_with_files(text, &[], &files());
        let problem = problem.unwrap_or_else(|mistakes| panic!("{}", mistakes.render("file")));
        problem.domain.geometry.expect("a shape").solid
    };
    let close = |found: f64| assert!((found - 15.5).abs() < 1e-12, "{found}");
    close(solid(ISLAND).measure().value);
    let part = solid(&ISLAND.replace("'island.geojson'", "'part.svg', 0.1, 0.001"));
    close(part.measure().value);
    assert!(!part.contains(&[1.9, 1.5]) && part.contains(&[1.1, 1.5]));
    let told = |bad: &str| {
        let text = ISLAND.replace("outline('island.geojson')", bad);
        let mistakes = parse_with_files(&text, &[], &files()).expect_err(bad);
        (mistakes.list()[0].message.clone(), mistakes.list()[0].hint.clone().unwrap_or_default())
    };
    assert_eq!(told("outline('island.gpkg')").0, "island.gpkg: there is no such file");
    assert_eq!(told("outline('part.svg', 0.1, 0)").0, "0: expected a positive number");
    assert_eq!(told("outline('island.geojson', 1, 0.1)").0, "maps have no curves: a tolerance has no effect");
    assert!(told("outline('part.svg', 1000)").1.contains("10000 times larger than [domain]"));
    assert_eq!(told("outline()").0, "`outline` is not written with 0 arguments");
    let broken = Memory(vec![("island.geojson", b"{\n\"type\": 1 }".to_vec())]);
    let mistakes = parse_with_files(ISLAND, &[], &broken).expect_err("no map");
    assert!(mistakes.list()[0].message.starts_with("island.geojson: line 1: found no text"));
}

#[test]
fn quotes_are_for_regions_and_file_names_only() {
    let (message, hint, _) = refused(&BRACKET.replace("= 1\"", "= sin('x')\""), &cube(1.0));
    assert_eq!(message, "a text in quotes has no value");
    assert!(hint.contains("names of files in [geometry]"), "{hint}");
    let (message, ..) = refused(&BRACKET.replace("\"bracket.stl\")'", "\"bracket.stl)'"), &cube(1.0));
    assert_eq!(message, "this quote is never closed");
    let (_, hint, _) = refused(&BRACKET.replace("laplacian(u) = 1", "u' = 1"), &cube(1.0));
    assert_eq!(hint, "derivatives are written `u_x`");
}

#[test]
fn a_file_that_moves_is_found_by_its_new_name() {
    let moved = resolve(BRACKET, &[], "Bracket", &mut |file| format!("data/{file}")).expect("a good file");
    assert!(moved.contains(r#"part = "stl(\"data/bracket.stl\")""#), "{moved}");
    assert!(moved.contains(r#"shape = "part - bore""#));
    let files = Memory(vec![("data/bracket.stl", cube(1.0).into_bytes())]);
    parse_with_files(&moved, &[], &files).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("file")));
}
