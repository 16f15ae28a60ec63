//! `pinnace geometry` shows a shape before anybody trains, and what is trained on shapes has no values outside.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A folder with a problem file, removed when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, problem: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-geometry-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        std::fs::write(path.join("plate.toml"), problem).expect("the temporary folder can be written");
        Folder(path)
    }

    fn pinnace(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_pinnace"))
            .args(arguments)
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .output()
            .expect("the binary runs")
    }

    /// What a command prints that succeeds, and what it says beside.
    fn done(&self, arguments: &[&str]) -> (String, String) {
        let output = self.pinnace(arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {told}");
        (String::from_utf8_lossy(&output.stdout).into_owned(), told)
    }

    fn has_picture(&self, name: &str) -> bool {
        std::fs::read(self.0.join(name)).is_ok_and(|bytes| bytes.starts_with(b"\x89PNG"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A corner of a cube, as CAD programs write surfaces.
const WEDGE: &str = "solid wedge
facet normal 0 0 -1 outer loop vertex 0 0 0 vertex 0 1 0 vertex 1 0 0 endloop endfacet
facet normal 0 -1 0 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 0 1 endloop endfacet
facet normal -1 0 0 outer loop vertex 0 0 0 vertex 0 0 1 vertex 0 1 0 endloop endfacet
facet normal 1 1 1 outer loop vertex 1 0 0 vertex 0 1 0 vertex 0 0 1 endloop endfacet
endsolid wedge
";

#[test]
fn a_part_from_a_file_is_shown_drawn_and_trained() {
    let problem = "[domain]\nx = [0, 1]\ny = [0, 1]\nz = [0, 1]\n[geometry]\npart = \"stl('wedge.stl')\"\nshape = \"part\"\n[unknowns]\nu = {}\n\
        [equations]\nheat = \"laplacian(u) = 1\"\n[conditions]\nwalls = { on = \"part\", equation = \"u = 0\" }\n\
        [network]\nwidth = 4\ndepth = 1\n[training]\noptimizer = \"adam\"\nbudget = \"3 steps\"\npoints = 20\n";
    let folder = Folder::new("part", problem);
    std::fs::write(folder.0.join("wedge.stl"), WEDGE).expect("the folder can be written");
    let (shown, _) = folder.done(&["geometry", "plate.toml", "--points", "50"]);
    assert!(shown.contains("volume    0.166667, 16.7 % of [domain]"), "{shown}");
    assert!(shown.contains("`walls` (u = 0), penalty") || shown.contains("penalty"), "{shown}");
    assert!(shown.contains("no smooth function is known that vanishes on `part`"), "{shown}");
    assert!(folder.has_picture("plate-geometry.png"));
    let named =
        problem.replace("'wedge.stl'", "'wedge.stl', 1, 30").replace("on = \"part\"", "on = \"part.face4\"");
    std::fs::write(folder.0.join("named.toml"), named).expect("the folder can be written");
    let (shown, _) = folder.done(&["geometry", "named.toml", "--points", "50"]);
    for piece in ["part.face1  0.5", "part.face4  0.866025", "`walls` (u = 0), penalty"] {
        assert!(shown.contains(piece), "{piece}: {shown}");
    }
    folder.done(&["train", "plate.toml", "--out", "run", "--quiet"]);
    std::fs::remove_file(folder.0.join("wedge.stl")).expect("the file is there");
    let (_, told) =
        folder.done(&["export", "run", "--format", "vtk", "--grid", "x=5,y=5,z=5", "--out", "fields"]);
    assert!(told.contains("outside the shape") || folder.0.join("fields.vti").exists(), "{told}");
    let (measured, _) = folder.done(&["evaluate", "run"]);
    assert!(measured.contains("more lie outside the shape"), "{measured}");
}

/// Two conditions state the same on other pieces of the boundary, and a fin is cut by the plate.
const PLATE: &str = r#"
title = "A plate with a hole and a fin"
[domain]
t = [0, 1]
x = [0, 2]
y = [0, 1.5]
[geometry]
plate = "rectangle([0, 0], [2, 1])"
hole = "disk([0.5, 0.5], 0.25)"
fin = "rectangle([1.2, 0.8], [1.4, 1.5])"
shape = "plate + fin - hole"
[unknowns]
u = {}
[equations]
heat = "u_t = laplacian(u)"
[conditions]
start = { on = "t = 0", equation = "u = 0" }
left = { on = "plate.left", equation = "u = 0" }
hole = { on = "hole", equation = "dn(u) = 1" }
warm = { on = "plate.right where y < 0.25", equation = "u = t" }
[network]
width = 4
depth = 1
[training]
points = 64
condition_points = 16
"#;

const DISK: &str = r#"
[domain]
x = [-1, 1]
y = [-1, 1]
[geometry]
shape = "disk([0, 0], 1)"
[unknowns]
u = {}
[equations]
poisson = "laplacian(u) = -1"
[conditions]
rim = { on = "boundary", equation = "u = 0" }
[reference]
u = "(1 - x^2 - y^2)/4"
[network]
width = 4
depth = 1
[training]
points = 64
"#;

#[test]
fn pieces_are_listed_with_what_holds_there_and_a_picture_is_written_where_it_is_said() {
    let folder = Folder::new("pieces", PLATE);
    let (said, told) = folder.done(&["geometry", "plate.toml"]);
    let line = |start: &str| {
        let found = said.lines().find(|line| line.trim_start().starts_with(start));
        found.unwrap_or_else(|| panic!("no line starts with {start}:\n{said}")).to_owned()
    };
    assert!(
        line("hole").contains("1.570796") && line("hole").contains("`hole` (dn(u) = 1), penalty"),
        "{said}"
    );
    assert!(line("plate.left").contains("`left` (u = 0), exact"), "{said}");
    assert!(line("plate.top").contains("90.0 %") && line("plate.top").ends_with("none"), "{said}");
    assert!(line("t = 0").contains("`start` (u = 0), exact"), "{said}");
    assert!(line("removed by operations").contains("fin.bottom"), "{said}");
    assert!(line("points").contains("64 inside, 16 of `hole`"), "{said}");
    assert!(told.contains("no condition holds on `plate.bottom`, `plate.top`"), "{told}");
    assert!(told.contains("filters leave no condition on 75 % of `plate.right`"), "{told}");
    assert!(said.contains("wrote plate-geometry.png") && folder.has_picture("plate-geometry.png"), "{said}");
    let (said, _) = folder.done(&["geometry", "plate.toml", "--out", "new/shape.png", "--points", "9"]);
    assert!(said.contains("9 inside") && folder.has_picture("new/shape.png"), "{said}");
}

#[test]
fn the_facts_are_there_for_programs() {
    let folder = Folder::new("facts", PLATE);
    let (said, _) = folder.done(&[
        "geometry",
        "plate.toml",
        "--json",
        "--set",
        "geometry.hole=\"disk([0.5, 0.5], 0.2)\"",
    ]);
    let facts: Value = serde_json::from_str(&said).expect("one JSON object");
    assert_eq!((facts["dimension"].as_u64(), facts["shape"].as_bool()), (Some(2), Some(true)));
    let area = (facts["measure"]["value"].as_f64(), facts["measure"]["error"].as_f64());
    let (Some(value), Some(error)) = area else { panic!("{facts}") };
    let true_area = 2.0 + 0.2 * 0.5 - std::f64::consts::PI * 0.04;
    assert!(error > 0.0 && (value - true_area).abs() <= error, "{value} ± {error} is not {true_area}");
    let pieces = facts["pieces"].as_array().expect("a list");
    let piece =
        |name: &str| pieces.iter().find(|piece| piece["name"] == name).unwrap_or_else(|| panic!("{name}"));
    assert_eq!(piece("plate.left")["conditions"][0]["exact"], true);
    assert_eq!(piece("hole")["conditions"][0]["exact"], false);
    assert_eq!(piece("plate.bottom")["conditions"], serde_json::json!([]));
    assert!(piece("plate.right")["covered"].as_f64().is_some_and(|share| (share - 0.25).abs() < 0.02));
    assert!(piece("fin.left")["left"].as_f64().is_some_and(|share| (share - 0.5 / 0.7).abs() < 0.01));
    assert_eq!(facts["elsewhere"][0]["place"], "t = 0");
    assert_eq!(facts["picture"], "plate-geometry.png");
    assert_eq!(facts["warnings"].as_array().map(Vec::len), Some(2), "{facts}");
}

#[test]
fn a_mistake_is_shown_at_its_place_and_nothing_is_drawn() {
    let folder = Folder::new("mistake", &PLATE.replace("disk([0.5, 0.5], 0.25)", "dist([0.5, 0.5], 0.25)"));
    let output = folder.pinnace(&["geometry", "plate.toml"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("plate.toml:9:") && told.contains("there is no shape `dist`"), "{told}");
    assert!(output.stdout.is_empty() && !folder.has_picture("plate-geometry.png"));
    // Time alone is no shape.
    let clock = "[domain]\nt = [0, 1]\n[unknowns]\nu = {}\n[equations]\ndecay = \"u_t = -u\"\n[conditions]\nstart = { on = \"t = 0\", equation = \"u = 1\" }\n";
    std::fs::write(folder.0.join("plate.toml"), clock).expect("the temporary folder can be written");
    let output = folder.pinnace(&["geometry", "plate.toml"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_box_is_shown_by_its_faces_and_in_many_dimensions_without_a_picture() {
    let folder = Folder::new("box", PLATE);
    let (said, _) = folder.done(&["geometry", "burgers"]);
    assert!(said.contains("x = -1") && said.contains("`walls` (u = 0), exact"), "{said}");
    assert!(folder.has_picture("burgers-geometry.png"));
    let (said, _) = folder.done(&["geometry", "poisson-10d"]);
    assert!(said.contains("a box in 10 dimensions") && said.contains("no picture"), "{said}");
    assert!(said.lines().filter(|line| line.trim_start().starts_with("x10 = ")).count() == 2, "{said}");
}

#[test]
fn tables_leave_out_grid_points_outside_of_a_shape_and_listed_points_are_told_of() {
    let folder = Folder::new("tables", DISK);
    folder.done(&["train", "plate.toml", "--steps", "0", "--quiet", "--out", "run", "--no-plots"]);
    // Of 5 × 5 points, 13 lie in the disk or on its edge.
    let (said, _) =
        folder.done(&["export", "run", "--format", "csv", "--grid", "x=5,y=5", "--out", "table.csv"]);
    assert!(said.contains("12 of 25 points lie outside the shape: they are left out"), "{said}");
    let table = std::fs::read_to_string(folder.0.join("table.csv")).expect("it was written");
    assert_eq!((table.lines().count(), table.contains("NaN")), (14, false), "{table}");
    let (said, _) =
        folder.done(&["export", "run", "--format", "npy", "--grid", "x=5,y=5", "--out", "arrays"]);
    assert!(said.contains("12 of 25 points lie outside the shape: their values are NaN"), "{said}");
    let values = std::fs::read(folder.0.join("arrays/u.npy")).expect("it was written");
    let missing = values[values.len() - 25 * 8..]
        .chunks_exact(8)
        .filter(|bytes| f64::from_le_bytes((*bytes).try_into().expect("eight bytes")).is_nan());
    assert_eq!(missing.count(), 12);
    let (said, _) = folder.done(&["evaluate", "run", "--grid", "x=5,y=5"]);
    assert!(said.contains("(at 13 points; 12 more lie outside the shape)"), "{said}");
    assert!(!said.contains("NaN"), "{said}");
    std::fs::write(folder.0.join("points.csv"), "x,y\n0,0\n0.9,0.9\n").expect("the folder can be written");
    let (said, told) = folder.done(&["evaluate", "run", "--points", "points.csv"]);
    // A line for each point that was asked for, and the reference is masked as well.
    assert!(said.lines().count() == 3 && said.contains("0.9,0.9,NaN,NaN"), "{said}");
    assert!(told.contains("1 of 2 points lie outside the shape"), "{told}");
}

#[test]
fn a_shape_that_fills_little_of_the_box_keeps_its_exact_conditions() {
    let small = DISK.replace("[-1, 1]", "[-90, 90]");
    let folder = Folder::new("small", &small);
    let (said, told) = folder.done(&["geometry", "plate.toml"]);
    assert!(said.contains("`rim` (u = 0), exact"), "{said}");
    assert!(told.contains("the shape has x from -1 to 1, and [domain] goes from -90 to 90"), "{told}");
}

#[test]
fn a_thin_shape_says_in_which_cells_its_points_are_looked_for_and_others_have_no_such_line() {
    let problem = |inner: f64| {
        format!(
            "[domain]\nx = [-1, 1]\ny = [-1, 1]\n[geometry]\nouter = \"disk([0, 0], 1)\"\ninner = \"disk([0, 0], {inner})\"\n\
             shape = \"outer - inner\"\n[unknowns]\nu = {{}}\n[equations]\nheat = \"laplacian(u) = 1\"\n\
             [conditions]\nwalls = {{ on = \"outer, inner\", equation = \"u = 0\" }}\n[training]\npoints = 100\n"
        )
    };
    let thin = Folder::new("thin", &problem(0.999));
    let (output, _) = thin.done(&["geometry", "plate.toml"]);
    let line = output.lines().find(|line| line.trim_start().starts_with("cells")).expect("a line on cells");
    assert!(line.contains("around the shape") && line.contains("% of all candidates are inside"), "{line}");
    let facts: Value =
        serde_json::from_str(&thin.done(&["geometry", "plate.toml", "--json"]).0).expect("JSON");
    let cells = &facts["cells"];
    assert!(
        cells["count"].as_u64() > Some(100) && cells["candidates_inside"].as_f64() > Some(0.1),
        "{cells}"
    );
    assert!(cells["share_of_bounds"].as_f64() < Some(0.02), "{cells}");
    assert_eq!(facts["points"]["inside"], 100);
    let thick = Folder::new("thick", &problem(0.4));
    let (output, _) = thick.done(&["geometry", "plate.toml"]);
    assert!(!output.contains("cells"), "{output}");
}

#[test]
fn the_shapes_of_the_guide_are_read_without_a_warning() {
    let folder = Folder::new("guide", DISK);
    let shapes = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/shapes");
    let files: Vec<PathBuf> = std::fs::read_dir(shapes)
        .expect("the guide has shapes")
        .map(|entry| entry.expect("a file").path())
        .collect();
    assert!(files.len() >= 5, "only {} shapes found", files.len());
    for file in files {
        let path = file.to_str().expect("paths are UTF-8");
        let (said, told) = folder.done(&["geometry", path, "--json", "--points", "50"]);
        assert!(told.is_empty() && said.starts_with('{'), "{path}: {told}");
    }
}

#[test]
fn training_and_explain_tell_of_a_hole_that_points_do_not_reach_and_strict_refuses_it() {
    let problem = DISK.replace("disk([0, 0], 1)", "disk([0, 0], 1) - disk([0.3, 0], 0.01)");
    let folder = Folder::new("narrow", &problem);
    let wanted = "warning: a hole or gap of the shape is only 0.02 across at `disk2` near";
    for arguments in [
        &["train", "plate.toml", "--steps", "1", "--no-run", "--quiet"][..],
        &["explain", "plate.toml"],
        &["geometry", "plate.toml"],
    ] {
        let (_, told) = folder.done(arguments);
        assert_eq!(told.matches(wanted).count(), 1, "{arguments:?}: {told}");
    }
    let refused = folder.pinnace(&["train", "plate.toml", "--strict", "--out", "run"]);
    assert_eq!(refused.status.code(), Some(2), "{}", String::from_utf8_lossy(&refused.stderr));
    assert!(!folder.0.join("run").exists(), "nothing is written");
}
