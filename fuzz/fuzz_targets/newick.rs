//! Any text either becomes a tree, which is read again as it is written, or a mistake that can be shown.

#![no_main]

use cohort::Tree;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match Tree::parse(text) {
    Ok(tree) => {
        let written = tree.newick();
        let again = Tree::parse(&written).map(|tree| tree.newick());
        assert_eq!(again, Ok(written));
    }
    Err(mistake) => assert!(!mistake.to_string().is_empty()),
});
