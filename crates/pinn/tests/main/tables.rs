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
