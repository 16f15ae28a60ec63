//! Runs have pictures, and `pinnace plot` draws them anew.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder that is removed when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-pictures-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
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

    fn train(&self, more: &[&str]) {
        let settings = ["train", "poisson-2d", "--steps", "3", "--quiet", "--out", "run"];
        let output = self.pinnace(&[&settings, more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn picture(folder: &Path, name: &str) -> Option<Vec<u8>> {
    std::fs::read(folder.join(name)).ok()
}

#[test]
fn training_ends_with_pictures_and_plot_draws_the_same_ones() {
    let folder = Folder::new("same");
    folder.train(&[]);
    let output = folder.pinnace(&["plot", "run", "--out", "elsewhere"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).expect("output is UTF-8");
    for name in ["solution.png", "cuts.png", "loss.png"] {
        let trained = picture(&folder.0.join("run"), name).expect("training draws it");
        assert!(trained.starts_with(b"\x89PNG"), "{name}");
        assert_eq!(picture(&folder.0.join("elsewhere"), name), Some(trained), "{name}");
        assert!(said.lines().any(|line| Path::new(line) == Path::new("elsewhere").join(name)), "{said}");
    }
}

#[test]
fn pictures_can_be_left_out_and_a_wrong_grid_is_wrong_usage() {
    let folder = Folder::new("none");
    folder.train(&["--no-plots"]);
    assert_eq!(picture(&folder.0.join("run"), "solution.png"), None);
    let output = folder.pinnace(&["plot", "run", "--grid", "z=5"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), said.contains("`z` is no coordinate")), (Some(2), true), "{said}");
    assert!(folder.pinnace(&["plot", "run", "--grid", "x=21"]).status.success());
    assert!(folder.pinnace(&["plot", "run", "--grid", "x=0.1"]).status.success());
    assert!(picture(&folder.0.join("run"), "solution.png").is_some());
}
