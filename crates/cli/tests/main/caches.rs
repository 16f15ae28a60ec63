//! `pinnace cache` shows and clears what Pinnace keeps, and nothing else.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A cache folder, removed when the test is over.
struct Caches(PathBuf);

impl Caches {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-caches-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(path.join("references")).expect("the temporary folder can be written");
        Caches(path)
    }

    fn pinnace(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_pinnace"))
            .args(arguments)
            .env("PINNACE_CACHE", &self.0)
            .stdin(Stdio::null())
            .output()
            .expect("the binary runs")
    }

    fn done(&self, arguments: &[&str]) -> String {
        let output = self.pinnace(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Caches {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_reference_is_kept_counted_and_cleared() {
    let caches = Caches::new("kept");
    assert!(caches.done(&["cache"]).contains("nothing is cached"));
    std::fs::write(caches.0.join("references/notes.txt"), "mine").expect("a writable folder");
    for _ in 0..2 {
        caches.done(&["reference", "kuramoto-sivashinsky"]);
    }
    let shown: Value = serde_json::from_str(&caches.done(&["cache", "--json"])).expect("an object");
    let room = &shown["rooms"][0];
    assert_eq!((room["room"].as_str(), room["entries"].as_u64()), (Some("references"), Some(1)), "{shown}");
    assert!(room["found"].as_u64() >= Some(1) && room["made"].as_u64() >= Some(1), "{shown}");
    assert_eq!(shown["limit"].as_u64(), Some(2 << 30));
    assert!(caches.done(&["cache"]).contains("computed reference solutions"));
    assert!(caches.done(&["cache", "clear", "--older", "30d"]).starts_with("removed 0 entries"));
    assert!(caches.done(&["cache", "clear"]).starts_with("removed 1 entry, "));
    assert!(caches.done(&["cache"]).contains("nothing is cached"));
    assert!(caches.0.join("references/notes.txt").exists());
    let wrong = caches.pinnace(&["cache", "clear", "--older", "soon"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("an age such as 30d"));
}
