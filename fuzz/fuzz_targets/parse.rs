//! Any text either becomes a problem or a list of mistakes that can be shown.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // A first line that starts with `#set ` becomes an override, so that both inputs are explored.
    let (overrides, text) = match text.strip_prefix("#set ").and_then(|rest| rest.split_once('\n')) {
        Some((line, rest)) => (vec![line.to_owned()], rest),
        None => (Vec::new(), text),
    };
    match equation::parse::parse_with(text, &overrides) {
        Ok(problem) => {
            let _ = equation::decide::decide(problem);
        }
        Err(mistakes) => {
            assert!(mistakes.count() > 0);
            let _ = mistakes.render("fuzz.toml");
        }
    }
});
