//! Problems on shapes from files: a run keeps what it was made of.

use pinnace::run::{Folder, RunPlace};
use pinnace::{Experiment, Points, Quiet, Run, RunError, TrainError};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

const BRACKET: &str = r#"
[domain]
x = [0, 2]
y = [0, 2]
z = [0, 2]
[geometry]
part = "stl('parts/wedge.stl', 2)"
shape = "part"
[unknowns]
u = {}
[equations]
heat = "laplacian(u) = 1"
[conditions]
walls = { on = "part", equation = "u = 0" }
[network]
width = 4
depth = 1
[training]
optimizer = "adam"
points = 16
condition_points = 16
budget = "3 steps"
"#;

/// A corner of a cube.
const WEDGE: &str = "solid wedge
facet normal 0 0 -1 outer loop vertex 0 0 0 vertex 0 1 0 vertex 1 0 0 endloop endfacet
facet normal 0 -1 0 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 0 1 endloop endfacet
facet normal -1 0 0 outer loop vertex 0 0 0 vertex 0 0 1 vertex 0 1 0 endloop endfacet
facet normal 1 1 1 outer loop vertex 1 0 0 vertex 0 1 0 vertex 0 0 1 endloop endfacet
endsolid wedge
";

/// A folder with a problem and its part, removed when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-shape-files-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("parts")).unwrap();
        fs::write(path.join("bracket.toml"), BRACKET).unwrap();
        fs::write(path.join("parts/wedge.stl"), WEDGE).unwrap();
        Scratch(path)
    }

    fn open(&self) -> Result<Experiment, TrainError> {
        Experiment::open(self.0.join("bracket.toml").to_str().unwrap(), &[])
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_run_outlives_the_file_of_its_shape_and_notices_a_changed_copy() {
    let scratch = Scratch::new("kept");
    let experiment = scratch.open().unwrap_or_else(|error| panic!("{error}"));
    let (run, mut now) = (scratch.0.join("run"), experiment.start());
    let mut folder = Folder::create(&RunPlace::At(run.clone()), &experiment, &now, None, 0.0).unwrap();
    folder.train(&experiment, &mut now, &AtomicBool::new(false), &mut Quiet).unwrap();
    drop(folder);
    fs::remove_dir_all(scratch.0.join("parts")).unwrap();
    assert_eq!(fs::read_to_string(run.join("data/wedge.stl")).unwrap(), WEDGE);
    let opened = Run::open(&run).unwrap_or_else(|error| panic!("{error}"));
    let mut points = Points::new(3);
    points.push(&[0.5, 0.5, 0.5]);
    points.push(&[1.5, 1.5, 1.5]);
    let values = opened.experiment().predict(opened.parameters(), &points).unwrap();
    assert!(values[0].is_finite() && values[1].is_nan(), "inside and outside: {values:?}");
    let (resumed, _) = Folder::resume(&run, &["training.budget=5 steps".to_owned()], 0.0).unwrap();
    assert_eq!(
        resumed.experiment().problem().domain.geometry.as_ref().unwrap().solid.bounds()[0],
        [0.0, 2.0]
    );
    fs::write(run.join("data/wedge.stl"), WEDGE.replace("normal 0 0 -1", "normal 0 0 -2")).unwrap();
    let error = Run::open(&run).expect_err("the shape is another file");
    assert!(matches!(error, TrainError::Run(RunError::Changed { .. })), "{error:?}");
}

#[test]
fn files_that_cannot_be_read_are_told_before_they_are() {
    let scratch = Scratch::new("wrong");
    let path = scratch.0.join("parts/wedge.stl");
    let told = || {
        let Err(TrainError::Problem { diagnostics, .. }) = scratch.open() else { panic!("a mistake") };
        diagnostics.list()[0].message.clone()
    };
    fs::remove_file(&path).unwrap();
    assert_eq!(told(), "parts/wedge.stl: there is no such file");
    // Two gigabytes that take no room on the disk: reading them would.
    fs::File::create(&path).unwrap().set_len(2_000_000_000).unwrap();
    assert_eq!(told(), "parts/wedge.stl: it has 2000000000 bytes: no more than 536870912 are read");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(told(), "parts/wedge.stl: it is a folder");
}
