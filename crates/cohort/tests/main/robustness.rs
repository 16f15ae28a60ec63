//! No input makes a reader panic, hang or overflow the stack.

use cohort::{Metadata, Table, Tree};
use proptest::prelude::*;

const GOOD: &[u8] = include_bytes!("data/biom/good.biom");

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn texts_of_the_signs_that_mean_something_become_trees_or_mistakes(text in "[(),:;'\\[\\] \nAB1.e-]{0,60}") {
        if let Ok(tree) = Tree::parse(&text) {
            prop_assert_eq!(Tree::parse(&tree.newick()).expect("what we write is a tree").newick(), tree.newick());
        }
    }

    #[test]
    fn cells_of_any_kind_become_tables_metadata_or_mistakes(text in "([ab#0-9.eE+-]{0,4}[\t\n]){0,40}") {
        let _ = Table::parse(text.as_bytes());
        let _ = Metadata::parse(&text);
    }

    #[test]
    fn damaged_hdf5_files_become_tables_or_mistakes(
        places in proptest::collection::vec((0..GOOD.len(), any::<u8>()), 1..8),
        length in 0..GOOD.len(),
        cut: bool,
    ) {
        let mut bytes = GOOD.to_vec();
        places.iter().for_each(|&(place, byte)| bytes[place] = byte);
        if cut {
            bytes.truncate(length);
        }
        let _ = Table::parse(&bytes);
    }

    #[test]
    fn json_of_any_numbers_becomes_a_table_or_a_mistake(
        data in proptest::collection::vec(proptest::collection::vec(-2i64..6, 0..5), 0..6),
        rows in 0..4usize,
        dense: bool,
    ) {
        let kind = if dense { "dense" } else { "sparse" };
        let ids = (0..rows).map(|row| format!("{{\"id\": \"r{row}\"}}")).collect::<Vec<_>>().join(",");
        let text = format!(
            "{{\"rows\": [{ids}], \"columns\": [{ids}], \"shape\": [{rows}, {rows}], \"matrix_type\": \"{kind}\", \"data\": {data:?}}}"
        );
        let _ = Table::parse(text.as_bytes());
    }
}
