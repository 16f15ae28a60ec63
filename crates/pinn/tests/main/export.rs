//! What other programs read: each format is read back by its own rules and compared with the network.

use pinnace::export::{self, ExportError, Time};
use pinnace::{Experiment, Fields, Grid, GridError, Places};
use safetensors::SafeTensors;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A problem with two unknowns and an ansatz, on a grid whose sizes are all different.
const PROBLEM: &str = r#"
[domain]
t = [0, 2]
x = [-1, 1]
y = [1, 4]
[unknowns]
u = {}
v = {}
[equations]
first = "u_t = u_xx + u_yy + v"
second = "v_t = v_xx"
[conditions]
start = { on = "t = 0", equation = "u = v" }
begin = { on = "t = 0", equation = "v = 0" }
walls = { on = "boundary", equation = "u = 1" }
sides = { on = "boundary", equation = "v = 1" }
[training]
hard_constraints = "off"
[network]
width = 8
depth = 3
"#;

/// A folder that is removed when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-export-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        Folder(path)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn experiment(text: &str) -> Experiment {
    Experiment::from_text("plate.toml", text, Path::new("."), &[]).expect("a good file")
}

fn fields(experiment: &Experiment, grid: &str, derivatives: &[&str]) -> Fields {
    let grid = Grid::parse(experiment.problem(), grid).expect("a grid of this problem");
    let derivatives = experiment.find_fields(derivatives.iter().copied()).expect("names of fields");
    let parameters = experiment.plan().initialize(7);
    experiment.fields(&parameters, Places::Grid(grid), &derivatives).expect("it can be evaluated")
}

fn column<'f>(fields: &'f Fields, name: &str) -> &'f [f64] {
    fields.iter().find(|(found, _)| *found == name).map(|(_, values)| values).expect(name)
}

fn numbers(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(8).map(|chunk| f64::from_le_bytes(chunk.try_into().expect("eight bytes"))).collect()
}

#[test]
fn derivatives_are_those_of_the_values() {
    let experiment = experiment(PROBLEM);
    let fields = fields(&experiment, "t=2,x=2001,y=2", &["u_x", "v_xx", "u_x", "v"]);
    let names: Vec<&str> = fields.header().collect();
    assert_eq!(names, ["t", "x", "y", "u", "v", "u_x", "v_xx"]);
    let (u, v) = (column(&fields, "u"), column(&fields, "v"));
    let step = 2.0 / 2000.0;
    for at in (2..4000).step_by(37) {
        let slope = (u[at + 2] - u[at - 2]) / (2.0 * step);
        assert!((slope - column(&fields, "u_x")[at]).abs() < 1e-5, "u_x at {at}");
        let bend = (v[at + 2] - 2.0 * v[at] + v[at - 2]) / (step * step);
        assert!((bend - column(&fields, "v_xx")[at]).abs() < 1e-4, "v_xx at {at}");
    }
}

#[test]
fn grids_name_every_coordinate_once() {
    let experiment = experiment(PROBLEM);
    let refused = |text: &str| Grid::parse(experiment.problem(), text).expect_err(text);
    assert!(matches!(refused("t=5,z=5"), GridError::Unknown { name, .. } if name == "z"));
    assert!(matches!(refused("t=5,x=5"), GridError::Missing { name, .. } if name == "y"));
    assert!(matches!(refused("t=5,t=5"), GridError::Twice { .. }));
    assert!(matches!(refused("t=5,x"), GridError::Part { .. }));
    for count in ["1", "many", "", "nan", "inf"] {
        assert!(matches!(refused(&format!("t={count}")), GridError::Count { .. }), "{count}");
    }
    for value in ["-3", "2.5", "1e4"] {
        assert!(matches!(refused(&format!("t={value}")), GridError::Outside { .. }), "{value}");
    }
    assert!(matches!(refused("t=100000,x=100000,y=2"), GridError::TooLarge { .. }));
    let grid = Grid::parse(experiment.problem(), " y = 4, x=3,t=2").expect("any order");
    assert_eq!(grid.axes().iter().map(|axis| axis.count).collect::<Vec<_>>(), [2, 3, 4]);
    assert_eq!(grid.axes()[2].values(), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn a_number_that_is_no_count_fixes_a_coordinate() {
    let experiment = experiment(PROBLEM);
    let all = fields(&experiment, "t=2,x=3,y=4", &[]);
    for (text, axis, value) in [("t=2,x=1.0,y=4", 1, 1.0), ("t=0,x=3,y=4", 0, 0.0), ("t=2,x=-1,y=4", 1, -1.0)]
    {
        let grid = Grid::parse(experiment.problem(), text).expect(text);
        assert_eq!(grid.axes()[axis].values(), [value], "{text}");
    }
    // At the last of three values along x.
    let slice = fields(&experiment, "t=2,x=1.0,y=4", &[]);
    let expected: Vec<f64> = (0..2)
        .flat_map(|t| (0..4).map(move |y| (t, y)))
        .map(|(t, y)| column(&all, "u")[(t * 3 + 2) * 4 + y])
        .collect();
    assert_eq!(column(&slice, "u"), expected);

    let folder = Folder::new("slice");
    let moment = fields(&experiment, "t=2.0,x=3,y=4", &[]);
    let path = export::vtk(&moment, &folder.at("moment"), Time::Series).expect("it can be written").path;
    assert_eq!(path, folder.at("moment.vti"));
    let (header, arrays) = image(&path);
    assert!(header.contains("WholeExtent=\"0 2 0 3 0 0\""), "{header}");
    assert_eq!(arrays["u"][2 * 3 + 2], column(&all, "u")[(3 + 2) * 4 + 2]);
}

#[test]
fn text_holds_every_number_unchanged() {
    let experiment = experiment(PROBLEM);
    let fields = fields(&experiment, "t=2,x=3,y=4", &["u_tx"]);
    let mut bytes = Vec::new();
    export::write_csv(&fields, &mut bytes).expect("memory can be written");
    let text = String::from_utf8(bytes).expect("CSV is text");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("t,x,y,u,v,u_tx"));
    let read: Vec<f64> =
        lines.flat_map(|line| line.split(',').map(|entry| entry.parse().expect(entry))).collect();
    assert_eq!(read, fields.rows().flatten().collect::<Vec<f64>>());
    assert_eq!(read.len(), 24 * 6);
}

#[test]
fn arrays_are_read_back_as_data_of_a_problem() {
    let folder = Folder::new("npy");
    let experiment = experiment(PROBLEM);
    let fields = fields(&experiment, "t=2,x=3,y=4", &["u_x"]);
    export::npy_table(&fields, &folder.at("all.npy")).expect("the folder can be written");
    let data = "[data]\nall = { file = \"all.npy\", columns = [\"t\", \"x\", \"y\", \"u\", \"v\", \"u_x\"] }\n[network]";
    let text = PROBLEM.replace("[network]", data);
    let again = Experiment::from_text("again.toml", &text, &folder.0, &[]).expect("the array is a table");
    let losses = again.losses_on_fresh_points(&again.plan().initialize(7)).expect("it can be evaluated");
    let misfits = again.misfits(&losses);
    let worst = misfits.iter().filter(|misfit| misfit.term == "all").map(|misfit| misfit.root_mean_square);
    assert!(worst.clone().count() == 3 && worst.fold(0.0, f64::max) < 1e-12, "{misfits:?}");

    export::npy_folder(&fields, &folder.at("arrays")).expect("the folder can be written");
    let file = std::fs::read(folder.at("arrays/u_x.npy")).expect("one file per field");
    assert!(String::from_utf8_lossy(&file).contains("'shape': (2, 3, 4)"));
    assert_eq!(numbers(&file[file.len() - 24 * 8..]), column(&fields, "u_x"));
    let axis = std::fs::read(folder.at("arrays/y.npy")).expect("one file per coordinate");
    assert_eq!(numbers(&axis[axis.len() - 32..]), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(std::fs::read_dir(folder.at("arrays")).expect("a folder").count(), 6, "no parts are left");
}

/// The arrays of an image, by name, and its header.
fn image(path: &Path) -> (String, HashMap<String, Vec<f64>>) {
    let bytes = std::fs::read(path).expect("the file was written");
    let mark = b"<AppendedData encoding=\"raw\">\n_";
    let at = bytes.windows(mark.len()).position(|window| window == mark).expect("appended data");
    let header = String::from_utf8(bytes[..at].to_vec()).expect("the header is text");
    let data = &bytes[at + mark.len()..];
    let value = |line: &str, key: &str| {
        line.split(&format!("{key}=\"")).nth(1).and_then(|rest| rest.split('"').next()).expect(key).to_owned()
    };
    let mut arrays = HashMap::new();
    for line in header.lines().filter(|line| line.contains("<DataArray")) {
        let offset: usize = value(line, "offset").parse().expect("a number");
        let length = u64::from_le_bytes(data[offset..offset + 8].try_into().expect("eight bytes")) as usize;
        arrays.insert(value(line, "Name"), numbers(&data[offset + 8..offset + 8 + length]));
    }
    (header, arrays)
}

#[test]
fn a_series_of_images_has_space_along_its_axes_and_time_in_its_list() {
    let folder = Folder::new("series");
    let experiment = experiment(PROBLEM);
    let fields = fields(&experiment, "t=2,x=3,y=4", &[]);
    let list = export::vtk(&fields, &folder.at("plate.vtk"), Time::Series).expect("it can be written").path;
    assert_eq!(list, folder.at("plate.pvd"));
    let text = std::fs::read_to_string(list).expect("the list was written");
    assert!(text.contains("timestep=\"0\" group=\"\" part=\"0\" file=\"plate/0.vti\""), "{text}");
    assert!(text.contains("timestep=\"2\"") && text.contains("plate/1.vti"), "{text}");
    let (header, arrays) = image(&folder.at("plate/1.vti"));
    assert!(header.contains("WholeExtent=\"0 2 0 3 0 0\" Origin=\"-1 1 0\" Spacing=\"1 1 1\""), "{header}");
    // At t = 2 and x = 1, y = 3: the third of three along x, the third of four along y.
    assert_eq!(arrays["u"][2 * 3 + 2], column(&fields, "u")[(3 + 2) * 4 + 2]);
    assert_eq!((arrays.len(), arrays["v"].len()), (2, 12));
}

#[test]
fn a_shorter_series_removes_the_moments_of_the_longer_one_and_nothing_else() {
    let folder = Folder::new("shorter");
    let experiment = experiment(PROBLEM);
    let write = |grid: &str| {
        let fields = fields(&experiment, grid, &[]);
        export::vtk(&fields, &folder.at("plate"), Time::Series).expect("it can be written")
    };
    let names = || {
        let entries = std::fs::read_dir(folder.at("plate")).expect("a folder");
        let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
        names.sort();
        names
    };
    assert!(write("t=12,x=2,y=2").removed.is_empty());
    assert_eq!(names().len(), 12);
    // Not of the export, whatever they are called.
    std::fs::write(folder.at("plate/99.vti"), "mine").expect("it can be written");
    std::fs::write(folder.at("plate/notes.txt"), "mine").expect("it can be written");
    // The numbers of twelve have two digits, those of three have one.
    assert_eq!(write("t=3,x=2,y=2").removed.len(), 12);
    assert_eq!(names(), ["0.vti", "1.vti", "2.vti", "99.vti", "notes.txt"]);
    assert!(write("t=3,x=2,y=2").removed.is_empty());
    assert_eq!(write("t=2,x=2,y=2").removed, [folder.at("plate/2.vti")]);
}

#[test]
fn time_may_be_an_axis_and_more_than_three_axes_are_refused() {
    let folder = Folder::new("axis");
    let experiment = experiment(PROBLEM);
    let all = fields(&experiment, "t=2,x=3,y=4", &[]);
    let path = export::vtk(&all, &folder.at("plate"), Time::Axis).expect("it can be written").path;
    assert_eq!(path, folder.at("plate.vti"));
    let (header, arrays) = image(&path);
    assert!(header.contains("WholeExtent=\"0 2 0 3 0 1\" Origin=\"-1 1 0\" Spacing=\"1 1 2\""), "{header}");
    assert_eq!(arrays["u"][12 + 2 * 3 + 2], column(&all, "u")[(3 + 2) * 4 + 2]);

    let many = "[domain]\nx = { range = [0, 1], count = 4 }\n[unknowns]\nu = {}\n[equations]\n\
        poisson = \"laplacian(u) = 1\"\n[conditions]\nwalls = { on = \"boundary\", equation = \"u = 0\" }";
    let many = Experiment::from_text("many.toml", many, Path::new("."), &[]).expect("a good file");
    let deep = fields(&many, "x1=2,x2=2,x3=2,x4=2", &[]);
    let refused = export::vtk(&deep, &folder.at("many"), Time::Series).expect_err("four axes");
    assert!(matches!(refused, ExportError::TooManyCoordinates { found: 4, .. }), "{refused}");
    let parameters = many.plan().initialize(0);
    let scattered = many.fields(&parameters, many.test_places(), &[]).expect("it can be evaluated");
    let refused = export::vtk(&scattered, &folder.at("many"), Time::Series).expect_err("no grid");
    assert!(matches!(&refused, ExportError::NoGrid { example } if example == "x1=21,x2=21,x3=21,x4=21"));
}

/// The network by its description alone, as a reader of the file would run it.
fn run(tensors: &SafeTensors<'_>, description: &Value, place: &[f64]) -> Vec<f64> {
    let tensor = |name: &str| {
        let view = tensors.tensor(name).expect(name);
        (view.shape().to_vec(), numbers(view.data()))
    };
    let dense = |input: &[f64], weight: &str, bias: &str| -> Vec<f64> {
        let ((shape, weight), (_, bias)) = (tensor(weight), tensor(bias));
        let sum = |column: usize| -> f64 {
            input.iter().enumerate().map(|(row, value)| value * weight[row * shape[1] + column]).sum()
        };
        bias.iter().enumerate().map(|(column, bias)| sum(column) + bias).collect()
    };
    let mut features = dense(place, "features.weight", "features.bias");
    for (value, wave) in features.iter_mut().zip(description["features"].as_array().expect("a list")) {
        *value = match wave.as_str() {
            Some("sin") => value.sin(),
            Some("cos") => value.cos(),
            Some("identity") => *value,
            other => panic!("{other:?}"),
        };
    }
    let mut signals = HashMap::from([(0, features)]);
    let mut last = 0;
    for layer in description["layers"].as_array().expect("a list") {
        let inputs = layer["inputs"].as_array().expect("a list").iter();
        let inputs: Vec<&Vec<f64>> =
            inputs.map(|input| &signals[&input.as_u64().expect("a number")]).collect();
        let text = |key: &str| layer[key].as_str().expect(key);
        let pairs = || 0..inputs[0].len();
        let output = match text("kind") {
            "dense" => dense(inputs[0], text("weight"), text("bias")),
            "tanh" => inputs[0].iter().map(|z| z.tanh()).collect(),
            "sin" => inputs[0].iter().map(|z| z.sin()).collect(),
            "silu" => inputs[0].iter().map(|z| z / (1.0 + (-z).exp())).collect(),
            "add" => pairs().map(|at| inputs[0][at] + inputs[1][at]).collect(),
            "gate" => pairs()
                .map(|at| inputs[0][at] * inputs[1][at] + (1.0 - inputs[0][at]) * inputs[2][at])
                .collect(),
            "multiply" => pairs().map(|at| inputs[0][at] * inputs[1][at]).collect(),
            "select" => {
                let column = |place: usize| layer["columns"][place].as_u64().expect("a column") as usize;
                inputs[0][column(0)..column(1)].to_vec()
            }
            kind @ ("scale" | "blend") => {
                let (shape, factors) = tensor(text("factors"));
                let factor = |at: usize| factors[if shape[1] == 1 { 0 } else { at }];
                let blend = |at: usize| factor(at) * inputs[0][at] + (1.0 - factor(at)) * inputs[1][at];
                pairs()
                    .map(|at| if kind == "scale" { factor(at) * inputs[0][at] } else { blend(at) })
                    .collect()
            }
            other => panic!("{other}"),
        };
        last = layer["output"].as_u64().expect("a number");
        signals.insert(last, output);
    }
    signals.remove(&last).expect("the last layer writes the output")
}

#[test]
fn every_kind_of_network_can_be_rebuilt_from_its_file() {
    let folder = Folder::new("network");
    for network in [
        "kind = \"mlp\"",
        "kind = \"modified-mlp\"\nactivation = \"sin\"\nnormalize = false",
        "kind = \"residual\"\nactivation = \"silu\"\nperiodic = [\"x\"]",
        "fourier = { features = 3, scale = 0.5 }\nperiodic = { y = 2 }",
        "kind = \"piratenet\"\nfactorized = true\nadaptive = \"layer\"",
        "kind = \"separable\"\nadaptive = \"neuron\"\nperiodic = [\"x\"]\nrank = 5",
    ] {
        let experiment = experiment(&format!("{PROBLEM}\n{network}"));
        // Shares start at zero and slopes at one.
        let start = experiment.plan().initialize(3).into_iter().enumerate();
        let parameters: Vec<f64> = start.map(|(place, value)| value + 0.1 * (place as f64).sin()).collect();
        let path = folder.at("network.safetensors");
        export::network(&experiment, &parameters, &path).expect("the folder can be written");
        let bytes = std::fs::read(&path).expect("the file was written");
        let (_, metadata) = SafeTensors::read_metadata(&bytes).expect("safetensors");
        let description =
            metadata.metadata().as_ref().and_then(|all| all.get("pinnace")).expect("a description");
        let description: Value = serde_json::from_str(description).expect("JSON");
        assert_eq!(description["unknowns"], serde_json::json!(["u", "v"]));
        let tensors = SafeTensors::deserialize(&bytes).expect("safetensors");
        let grid = Grid::parse(experiment.problem(), "t=3,x=4,y=3").expect("a grid");
        let fields = experiment.fields(&parameters, Places::Grid(grid), &[]).expect("it can be evaluated");
        for row in fields.rows() {
            let row: Vec<f64> = row.collect();
            let found = run(&tensors, &description, &row[..3]);
            let distance = (found[0] - row[3]).abs().max((found[1] - row[4]).abs());
            assert!(distance < 1e-12, "{network}: {found:?} against {row:?}");
        }
        export::network(&experiment, &parameters, &path).expect("the folder can be written");
        assert_eq!(std::fs::read(&path).expect("again"), bytes, "the same network is the same file");
    }
}

#[test]
fn what_cannot_be_written_is_named_and_leaves_nothing() {
    let folder = Folder::new("unwritable");
    let experiment = experiment(PROBLEM);
    let fields = fields(&experiment, "t=2,x=2,y=2", &[]);
    let refused = export::csv(&fields, &folder.at("missing/all.csv")).expect_err("no such folder");
    assert!(refused.to_string().contains("missing/all.csv"), "{refused}");
    std::fs::create_dir(folder.at("taken.csv")).expect("a folder can be made");
    assert!(export::csv(&fields, &folder.at("taken.csv")).is_err(), "a folder is in the way");
    assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), 1, "no parts are left");
}
