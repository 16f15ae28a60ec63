//! Any text either becomes metadata, all columns of which can be asked for, or a mistake that can be shown.

#![no_main]

use cohort::Metadata;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match Metadata::parse(text) {
    Ok(metadata) => {
        let samples: Vec<String> = metadata.samples().map(str::to_owned).collect();
        for column in metadata.columns() {
            let numbers = metadata.numbers(column, &samples).is_ok();
            assert!(!numbers || metadata.column(column, &samples).is_ok());
        }
    }
    Err(mistake) => assert!(!mistake.to_string().is_empty()),
});
