//! Any text as the shape of a problem either becomes one, or a list of mistakes that can be shown.

#![no_main]

use libfuzzer_sys::fuzz_target;

const PROBLEM: &str = r#"
[domain]
x = [-9, 9]
y = [-9, 9]
[constants]
R = 0.5
[geometry]
part = "disk([0, 0], R)"
shape = "part"
[unknowns]
u = {}
[equations]
a = "laplacian(u) = 1"
[conditions]
b = { on = "boundary", equation = "u = 0" }
"#;

/// Longer texts are right and slow: thousands of parts are not what is looked for here.
const LONGEST: usize = 1000;

fuzz_target!(|text: &str| {
    if text.len() > LONGEST || text.contains("repeat") {
        return;
    }
    let shape = toml_text(text);
    match equation::parse::parse(&PROBLEM.replace("\"part\"", &shape)) {
        Ok(problem) => assert!(problem.domain.geometry.is_some()),
        Err(mistakes) => assert!(!mistakes.render("fuzz.toml").is_empty()),
    }
});

/// A text as TOML writes it.
fn toml_text(text: &str) -> String {
    let escaped = text.chars().map(|letter| match letter {
        '"' | '\\' => format!("\\{letter}"),
        control if control.is_control() => format!("\\u{:04x}", u32::from(control)),
        _ => letter.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}
