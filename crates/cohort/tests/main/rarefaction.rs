//! Drawing reads: that it is fair, and that only seed, draw and sample decide what is drawn.

use cohort::{Shallow, Table, rarefy};
use proptest::prelude::*;

fn table(counts: &[Vec<u32>]) -> Table {
    let samples = (0..counts.len()).map(|sample| format!("s{sample}")).collect();
    let taxa = (0..counts[0].len()).map(|taxon| format!("t{taxon}")).collect();
    let entries = counts.iter().enumerate().flat_map(|(sample, row)| {
        row.iter().enumerate().map(move |(taxon, count)| (taxon, sample, f64::from(*count)))
    });
    Table::new(samples, taxa, entries).expect("a table")
}

/// Reads of a sample by taxon.
fn reads(table: &Table, sample: usize) -> Vec<(String, u32)> {
    let of = |taxon: usize| {
        let (places, counts) = table.taxon(taxon);
        places
            .iter()
            .position(|place| *place as usize == sample)
            .map(|at| (table.taxa()[taxon].clone(), counts[at]))
    };
    (0..table.taxa().len()).filter_map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_sample_has_the_reads_that_were_asked_for_and_of_no_taxon_more_than_there_were(
        counts in proptest::collection::vec(proptest::collection::vec(0u32..90, 6), 1..5),
        depth in 1u64..200,
        seed: u64,
    ) {
        let all = table(&counts);
        let deep: Vec<usize> = (0..counts.len()).filter(|&row| all.totals()[row] >= depth).collect();
        let drawn = rarefy(all.clone(), depth, (seed, 0), Shallow::Drop, false);
        if deep.is_empty() {
            prop_assert!(drawn.is_err());
            return Ok(());
        }
        let (drawn, lost) = drawn.expect("some are deep enough");
        prop_assert_eq!(lost.count(), counts.len() - deep.len());
        prop_assert!(drawn.totals().iter().all(|total| *total == depth));
        for (place, row) in deep.into_iter().enumerate() {
            let before: std::collections::HashMap<String, u32> = reads(&all, row).into_iter().collect();
            prop_assert!(reads(&drawn, place).iter().all(|(taxon, count)| *count <= before[taxon]));
        }
    }
}

#[test]
fn what_is_drawn_of_a_sample_depends_on_neither_threads_nor_other_samples() {
    let counts: Vec<Vec<u32>> =
        (0..40u32).map(|sample| (0..30).map(|taxon| (sample * 7 + taxon * 13) % 50).collect()).collect();
    let drawn = |counts: &[Vec<u32>], threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| rarefy(table(counts), 100, (5, 2), Shallow::Refuse, false).expect("all are deep").0)
    };
    let whole = drawn(&counts, 1);
    assert_eq!(whole, drawn(&counts, 4));
    let few = drawn(&counts[..3], 2);
    assert_eq!(reads(&few, 2), reads(&whole, 2));
    let other = rarefy(table(&counts), 100, (5, 3), Shallow::Refuse, false).expect("all are deep").0;
    assert_ne!(reads(&other, 2), reads(&whole, 2), "another draw");
}

#[test]
fn draws_have_the_moments_of_drawing_without_replacement() {
    // Both ways round: few of all reads are chosen, or few are left.
    for depth in [15, 75] {
        let (marked, total) = (30.0, 100.0);
        let draws = 4000;
        let one = table(&[vec![30, 50, 20]]);
        let counts: Vec<f64> = (0..draws)
            .map(|draw| {
                let (drawn, _) =
                    rarefy(one.clone(), depth, (9, draw), Shallow::Refuse, false).expect("it is deep");
                reads(&drawn, 0)
                    .iter()
                    .find(|(taxon, _)| taxon == "t0")
                    .map_or(0.0, |(_, count)| f64::from(*count))
            })
            .collect();
        let (share, drawn) = (marked / total, depth as f64);
        let mean = counts.iter().sum::<f64>() / draws as f64;
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / draws as f64;
        let wanted = drawn * share * (1.0 - share) * (total - drawn) / (total - 1.0);
        // Five standard deviations of both estimates.
        assert!((mean - drawn * share).abs() < 5.0 * (wanted / draws as f64).sqrt(), "{depth}: mean {mean}");
        assert!(
            (variance / wanted - 1.0).abs() < 5.0 * (2.0 / draws as f64).sqrt(),
            "{depth}: variance {variance}, {wanted}"
        );
    }
}

#[test]
fn samples_that_are_too_small_are_named() {
    let counts = [vec![5, 5], vec![1, 0], vec![0, 0]];
    let message = |depth: u64, pruned: bool| {
        rarefy(table(&counts), depth, (0, 0), Shallow::Refuse, pruned).expect_err("too small").to_string()
    };
    assert!(
        message(2, false).starts_with("2 of 3 samples have fewer than 2 reads: `s1`, `s2`; "),
        "{}",
        message(2, false)
    );
    assert!(
        message(0, true).starts_with("1 of 3 samples have no reads of taxa in the tree: `s2`; "),
        "{}",
        message(0, true)
    );
    assert_eq!(message(50, false), "no sample has 50 reads; the largest has 10");
    let (kept, lost) = rarefy(table(&counts), 0, (0, 0), Shallow::Drop, false).expect("two are left");
    assert_eq!((kept.samples().len(), lost.to_string().as_str()), (2, "`s2`"));
}
