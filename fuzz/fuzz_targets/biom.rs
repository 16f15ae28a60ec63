//! Any bytes either become a table of reads (BIOM 2.1, BIOM 1.0, text, compressed or not) or a mistake that can be shown.

#![no_main]

use cohort::Table;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| match Table::parse(bytes) {
    Ok(table) => {
        // What was accepted can be used: every count lies in the table, and every name is there.
        assert_eq!(table.totals().len(), table.samples().len());
        for taxon in 0..table.taxa().len() {
            let (samples, counts) = table.taxon(taxon);
            assert!(samples.windows(2).all(|pair| pair[0] < pair[1]) && counts.iter().all(|count| *count > 0));
        }
    }
    Err(mistake) => assert!(!mistake.to_string().is_empty()),
});
