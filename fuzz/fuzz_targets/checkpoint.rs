//! Any bytes either become a snapshot that can be written again, or a fault that can be shown. The checksum is not looked at:
//! no random change would pass it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pinnace::Experiment;
use pinnace::checkpoint::ParameterLayout;
use std::path::Path;
use std::sync::LazyLock;

static LAYOUT: LazyLock<ParameterLayout> = LazyLock::new(|| {
    let text = r#"
[domain]
t = [0, 1]
[unknowns]
u = {}
[parameters]
k = 0.5
[equations]
decay = "u_t = -k*u"
[conditions]
start = { on = "t = 0", equation = "u = 1" }
[network]
width = 2
depth = 1
"#;
    let experiment =
        Experiment::from_text("decay.toml", text, Path::new("."), &[]).expect("the problem is right");
    experiment.layout()
});

fuzz_target!(|bytes: &[u8]| {
    match LAYOUT.decode(bytes) {
        Ok((header, snapshot)) => {
            let again = LAYOUT.encode(&header, &snapshot).expect("what was read can be written");
            let (other, _) = LAYOUT.decode(&again).expect("what was written can be read");
            assert_eq!(other, header);
        }
        Err(fault) => assert!(!fault.to_string().is_empty()),
    }
});
