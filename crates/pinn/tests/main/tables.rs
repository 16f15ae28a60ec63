//! Promises about data files: what contradicts the problem file is refused, with its place.

use pinnace::{Experiment, TrainError};
use std::path::PathBuf;

/// A folder that is removed when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-tables-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        Folder(path)
    }

    /// Opens a problem with measurements in this table.
    fn open(&self, settings: &str, table: &str) -> Result<Experiment, TrainError> {
        std::fs::write(self.0.join("probe.csv"), table).expect("the folder can be written");
        let text = PROBLEM.to_owned() + &format!("[data]\nprobe = {{ file = \"probe.csv\"{settings} }}\n");
        Experiment::from_text("test", &text, &self.0, &[])
    }

    fn refusal(&self, settings: &str, table: &str) -> String {
        self.open(settings, table).expect_err("the table is wrong").to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const PROBLEM: &str = r#"
[domain]
t = [0, 1]
x = [0, 3]
[unknowns]
u = {}
[equations]
heat = "u_t = u_xx"
"#;

#[test]
fn a_header_that_contradicts_the_columns_is_refused_by_name() {
    let folder = Folder::new("header");
    let said = folder.refusal("", "x,t,u\n0.5,0.5,1\n");
    assert!(said.contains("probe.csv: line 1: the header calls column 1 `x`"), "{said}");
    assert!(said.contains("the problem file `t`") && said.contains("`columns`"), "{said}");
    let said = folder.refusal("", "# made today\nt, u, x\n0.5,0.5,1\n");
    assert!(said.contains("line 2: the header calls column 2 `u`, the problem file `x`"), "{said}");
    let formula = ", columns = [\"t\", \"_\", \"u_x + u\", \"x\"]";
    let said = folder.refusal(formula, "t,w,x,x\n0,0,0,0\n");
    assert!(said.contains("column 3 `x`, the problem file `u_x + u`"), "{said}");
}

#[test]
fn columns_are_scaled_into_the_units_of_the_problem() {
    let folder = Folder::new("scale");
    let experiment =
        folder.open(", scale = { x = 0.001, u = 2 }", "t,x,u\n0.5,2500,1\n").expect("metres of millimetres");
    assert_eq!(experiment.tables().measurements(0).row(0), [0.5, 2.5, 2.0]);
    let said = folder.refusal(", scale = { v = 2 }", "t,x,u\n0.5,1,1\n");
    assert!(said.contains("there is no column `v`"), "{said}");
    assert!(
        folder.refusal(", scale = { u = 0 }", "t,x,u\n0,1,1\n").contains("expected a number other than 0")
    );
    assert!(folder.refusal(", names = { u = \"T\" }", "t,x,u\n0,1,1\n").contains("`names` is for files"));
}

#[test]
fn rows_that_lack_a_measurement_are_left_out_and_counted() {
    let folder = Folder::new("gaps");
    let table = "t,x,u,v\n0,1,5,\n0.1,1,,7\n0.2,1,nan,7\n0.3,1,6,NA\n";
    let experiment =
        folder.open(", columns = [\"t\", \"x\", \"u\", \"_\"]", table).expect("two rows are whole");
    let measured: Vec<&[f64]> = experiment.tables().measurements(0).iter().collect();
    assert_eq!(measured, [[0.0, 1.0, 5.0], [0.3, 1.0, 6.0]]);
    assert_eq!(experiment.notes(), ["probe.csv: 2 of 4 rows lack a measured value and are left out"]);
    assert!(folder.refusal("", "t,x,u\n0,1,\n").contains("every row lacks a measured value"));
    assert!(
        folder.refusal("", "t,x,u\nnan,1,2\n").contains("line 2, column 1 is not finite"),
        "a place is needed"
    );
}

#[test]
fn validation_keeps_the_same_rows_from_training_every_time() {
    let folder = Folder::new("validation");
    let rows: String = (0..200).map(|row| format!("{},1,{row}\n", f64::from(row) / 200.0)).collect();
    let table = format!("t,x,u\n{rows}");
    let open = || folder.open(", validation = 0.2", &table).expect("enough rows");
    let (one, other) = (open(), open());
    let kept = one.tables().kept(0).expect("some rows");
    assert_eq!(kept, other.tables().kept(0).expect("some rows"));
    assert!((25..=55).contains(&kept.len()), "{} of 200", kept.len());
    assert_eq!(kept.len() + one.tables().measurements(0).len(), 200);
    let start = one.start();
    let found = one.validations(&start.parameters).expect("it can be measured");
    let predicted = one.predict(&start.parameters, &places(kept)).expect("a prediction");
    let squares: f64 = predicted.iter().zip(kept.iter()).map(|(value, row)| (value - row[2]).powi(2)).sum();
    let wanted = (squares / kept.len() as f64).sqrt();
    assert!(found.len() == 1 && (found[0].root_mean_square - wanted).abs() < 1e-9 * wanted, "{found:?}");
    assert!(folder.refusal(", validation = 1.5", &table).contains("between 0 and 1"));
    assert!(folder.refusal(", validation = 0.001", "t,x,u\n0,1,1\n").contains("leaves none for one of both"));
}

/// The coordinates of rows.
fn places(rows: &pinnace::Points) -> pinnace::Points {
    pinnace::Points::from_rows(2, rows.iter().flat_map(|row| row[..2].to_vec()).collect())
}

#[test]
fn points_with_values_of_other_programs_are_measurements() {
    let folder = Folder::new("vtk");
    let text = PROBLEM.replace("t = [0, 1]\n", "").replace("u_t = u_xx", "u_xx = 0")
        + "[data]\nprobe = { file = \"probe.vtu\", names = { u = \"temperature\" } }\n";
    let file = "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"2\"><PointData>\
        <DataArray type=\"Float64\" Name=\"temperature\" format=\"ascii\">5 6</DataArray></PointData><Points>\
        <DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">1 0 0 2 0 0</DataArray></Points></Piece>\
        </UnstructuredGrid></VTKFile>";
    std::fs::write(folder.0.join("probe.vtu"), file).expect("the folder can be written");
    let experiment =
        Experiment::from_text("test", &text, &folder.0, &[]).unwrap_or_else(|error| panic!("{error}"));
    let measured: Vec<&[f64]> = experiment.tables().measurements(0).iter().collect();
    assert_eq!(measured, [[1.0, 5.0], [2.0, 6.0]]);
    let unnamed = text.replace(", names = { u = \"temperature\" }", "");
    let said = Experiment::from_text("test", &unnamed, &folder.0, &[]).expect_err("no array `u`").to_string();
    assert!(said.contains("it has no array `u`, but `temperature`, `x`"), "{said}");
}

#[test]
fn a_header_in_other_letters_or_with_other_columns_is_refused_with_what_to_write() {
    let folder = Folder::new("letters");
    let said = folder.refusal("", "X,Time,U\n0.5,0.5,1\n");
    assert!(said.contains("line 1: the header calls column 1 `X`, the problem file `t`"), "{said}");
    let said = folder.refusal("", "station,t,x,u\n7,0.5,0.5,1\n");
    assert!(
        said.contains("the header names 4 columns (station, t, x, u), the problem file 3 (t, x, u)"),
        "{said}"
    );
    assert!(said.contains("`columns = [\"_\", \"t\", \"x\", \"u\"]`"), "{said}");
}

#[test]
fn all_rows_that_are_wrong_are_reported_at_once_up_to_ten() {
    let folder = Folder::new("rows");
    let said = folder.refusal("", "t,x,u\n0.5,0.5,1\n2,0.5,1\n0.5,0.5\n0.5,half,1\n0.5,1,1\n");
    assert!(
        said.contains("3 rows are wrong\n  line 3, column 1: t = 2 lies outside its interval [0, 1]"),
        "{said}"
    );
    assert!(
        said.contains("\n  line 4 has 2 columns; the problem file names 3\n  line 5, column 2: `half`"),
        "{said}"
    );
    let said = folder.refusal("", &"0.5,9,1\n".repeat(14));
    assert!(said.contains("14 rows are wrong") && said.ends_with("and 4 more"), "{said}");
    assert_eq!(said.lines().count(), 12, "{said}");
}

#[test]
fn a_header_that_fits_or_names_nothing_is_accepted() {
    let folder = Folder::new("fits");
    for (settings, table) in [
        ("", "t,x,u\n0.5,0.5,1\n"),
        ("", "\"t\" , \"x\",\"u\"\n0.5,0.5,1\n"),
        ("", "t [s], x [m], u [K]\n0.5,0.5,1\n"),
        ("", "# x t u\n0.5,0.5,1\n"),
        ("", "time,place,temperature\n0.5,0.5,1\n"),
        ("", "T,X,U\n0.5,0.5,1\n"),
        ("", "t,x,T\n0.5,0.5,1\n"),
        (", columns = [\"t\", \"_\", \"u_x + u\", \"x\"]", "t,anything,flux,x\n0,9,0,0\n"),
    ] {
        assert!(folder.open(settings, table).is_ok(), "{table}");
    }
}

#[test]
fn a_reference_may_call_its_column_what_it_likes_but_not_after_another() {
    let folder = Folder::new("reference");
    let open = |header: &str| {
        std::fs::write(folder.0.join("exact.csv"), format!("{header}\n0.5,0.5,1\n")).unwrap();
        let rest = "[reference]\nu = { file = \"exact.csv\" }\n[conditions]\n\
                    a = { on = \"t = 0\", equation = \"u = 0\" }\nb = { on = \"boundary\", equation = \"u = 0\" }\n";
        Experiment::from_text("test", &format!("{PROBLEM}{rest}"), &folder.0, &[])
    };
    assert!(open("t,x,u_exact").is_ok());
    assert!(open("t,u,x").is_err());
    assert!(open("t,x,x").is_err());
}

#[test]
fn a_point_outside_the_domain_is_refused_with_its_line_and_one_on_its_edge_is_not() {
    let folder = Folder::new("outside");
    let said = folder.refusal("", "t,x,u\n0.5,0.5,1\n0.5,5,1\n");
    assert!(said.ends_with("probe.csv: line 3, column 2: x = 5 lies outside its interval [0, 3]"), "{said}");
    assert!(folder.open("", "1.0000000001,-0.0000000001,1\n").is_ok());
    assert!(folder.open("", "1.00000001,0,1\n").is_err());
}

#[test]
fn an_array_is_checked_like_a_text_and_counted_in_rows() {
    let folder = Folder::new("array");
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend([0.5f64, 0.5, 1.0, -2.0, 0.5, 1.0].iter().flat_map(|value| value.to_le_bytes()));
    std::fs::write(folder.0.join("probe.npy"), bytes).expect("the folder can be written");
    let text = PROBLEM.to_owned() + "[data]\nprobe = { file = \"probe.npy\" }\n";
    let said = Experiment::from_text("test", &text, &folder.0, &[]).expect_err("-2 is no time").to_string();
    assert!(said.ends_with("row 2, column 1: t = -2 lies outside its interval [0, 1]"), "{said}");
}
