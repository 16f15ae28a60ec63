//! Distances: against hand-computed values and the oracle, and that nothing but the data decides their bits.

use crate::oracle;
use cohort::synthesize::Recipe;
use cohort::{
    Metric, Missing, Phylogeny, Rows, Shallow, SquareMatrix, Table, Tree, Work, faith, rarefy, unifrac,
};

pub(crate) const METRICS: [Metric; 7] = [
    Metric::Unweighted,
    Metric::Weighted,
    Metric::Normalized,
    Metric::Generalized(0.0),
    Metric::Generalized(0.5),
    Metric::Generalized(1.0),
    Metric::VarianceAdjusted,
];

pub(crate) fn computed(table: &Table, tree: &Tree, metric: Metric, bytes: usize) -> SquareMatrix {
    let (table, phylogeny, _) =
        Phylogeny::of(table.clone(), tree, Missing::Refuse).expect("all taxa are in the tree");
    let mut matrix = SquareMatrix::new(table.samples().len());
    let work = Work { band_bytes: bytes, ..Work::default() };
    unifrac(&table, &phylogeny, metric, &work, &mut matrix).expect("memory can be written");
    matrix
}

/// Largest difference, relative to the larger of 1 and the number.
pub(crate) fn largest_difference(one: &[f64], other: &[f64]) -> f64 {
    assert_eq!(one.len(), other.len());
    let difference = |(one, other): (&f64, &f64)| (one - other).abs() / other.abs().max(1.0);
    one.iter().zip(other).map(difference).fold(0.0, f64::max)
}

#[test]
fn distances_that_were_computed_by_hand() {
    let tree = Tree::parse("((A:1,B:2):1,C:3);").expect("a tree");
    // One and two have the reads A B, B C; three has A C, and four B B B C.
    let table =
        Table::parse_text("#OTU ID\tone\ttwo\tthree\tfour\nA\t1\t0\t1\t0\nB\t1\t1\t0\t3\nC\t0\t1\t1\t1\n")
            .expect("a table");
    let at =
        |metric: Metric, one: usize, other: usize| computed(&table, &tree, metric, 1 << 20).row(one)[other];
    let (half, three, five, eight) = (0.5f64.sqrt(), 3f64.sqrt(), 5f64.sqrt(), 8f64.sqrt());
    let wanted = [
        // A is only in one, C only in two.
        (Metric::Unweighted, 0, 1, 4.0 / 7.0),
        (Metric::Unweighted, 0, 2, 5.0 / 7.0),
        // Halves differ at A, above A and B, and at C.
        (Metric::Weighted, 0, 1, 2.5),
        (Metric::Normalized, 0, 1, 5.0 / 11.0),
        (Metric::Generalized(1.0), 0, 1, 5.0 / 11.0),
        (Metric::Generalized(0.0), 0, 1, 13.0 / 21.0),
        (Metric::Generalized(0.0), 0, 2, 16.0 / 21.0),
        (Metric::Generalized(0.0), 1, 2, 3.0 / 7.0),
        (
            Metric::Generalized(0.5),
            0,
            1,
            (4.0 * half + 0.5 / 1.5f64.sqrt()) / (4.0 * half + 2.0 + 1.5f64.sqrt()),
        ),
        // Of four reads one is below A, two below B, three above both, one below C; of six one, four, five and one.
        (Metric::VarianceAdjusted, 0, 1, (2.5 / three) / (3.5 / three + 1.0)),
        (Metric::VarianceAdjusted, 0, 2, (3.0 / three) / (0.5 + 4.0 / three)),
        (Metric::VarianceAdjusted, 0, 3, (1.5 / five + 0.5 / eight) / (3.0 / five + 2.5 / eight)),
    ];
    for (metric, one, other, wanted) in wanted {
        let got = at(metric, one, other);
        assert!((got - wanted).abs() < 1e-15, "{metric} of {one} and {other}: {got}, by hand {wanted}");
        assert_eq!(got.to_bits(), at(metric, other, one).to_bits());
    }
    // With the same reads each, as the formula for equal depths wants it.
    let equal = Table::parse_text("\tone\ttwo\nA\t1\t0\nB\t1\t1\nC\t0\t1\n").expect("a table");
    let got = computed(&equal, &tree, Metric::VarianceAdjusted, 1 << 20).row(0)[1];
    assert!((got - (2.5 / three) / (3.5 / three + 1.0)).abs() < 1e-15, "{got}");
}

/// Cohorts that differ in what matters: few and many samples beside whole vectors and tiles, dense and rare taxa.
fn cohorts() -> Vec<(Table, Tree)> {
    let recipes = [(2, 5, 50, 1.0), (7, 40, 30, 0.5), (49, 200, 100, 0.2), (100, 400, 60, 0.05)];
    let made = recipes.into_iter().enumerate().map(|(seed, (samples, taxa, depth, breadth))| {
        let recipe =
            Recipe { samples, taxa, depth, breadth, bases: 60, seed: seed as u64, ..Recipe::default() };
        let made = recipe.make().expect("a sound recipe");
        (made.table, made.tree)
    });
    made.collect()
}

#[test]
fn every_metric_is_what_its_papers_write_whatever_the_cohort() {
    for (table, tree) in cohorts() {
        let (equal, _) =
            rarefy(table.clone(), 20, (1, 0), Shallow::Drop, false).expect("samples of 20 reads");
        for table in [table, equal] {
            for metric in METRICS.into_iter().chain([Metric::Generalized(0.3)]) {
                let got = computed(&table, &tree, metric, 1 << 20);
                let off = largest_difference(got.numbers(), &oracle::distances(&table, &tree, metric));
                // A thousand branches at most, each rounded a few times.
                assert!(off < 1e-13, "{metric}, {} samples: {off:e}", table.samples().len());
            }
            let (table, phylogeny, _) =
                Phylogeny::of(table, &tree, Missing::Refuse).expect("taxa of the tree");
            let off = largest_difference(&faith(&table, &phylogeny), &oracle::faith(&table, &tree));
            assert!(off < 1e-13, "Faith's diversity: {off:e}");
        }
    }
}

#[test]
fn neither_threads_nor_the_bytes_of_bands_change_a_bit() {
    let (table, tree) = cohorts().pop().expect("a cohort");
    for metric in METRICS {
        let whole = computed(&table, &tree, metric, usize::MAX);
        for (threads, bytes) in [(1, 1), (2, 60_000), (3, 1), (5, 200_000)] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let other = pool.install(|| computed(&table, &tree, metric, bytes));
            assert!(whole == other, "{metric} with {threads} threads and {bytes} bytes");
        }
    }
}

#[test]
fn samples_with_the_same_reads_are_at_distance_nought_exactly() {
    let (table, tree) = cohorts().swap_remove(2);
    let count = table.samples().len();
    let names = (0..2 * count).map(|sample| format!("s{sample}")).collect();
    let entries: Vec<(usize, usize, f64)> = (0..table.taxa().len())
        .flat_map(|taxon| {
            let (places, counts) = table.taxon(taxon);
            let both = |(place, reads): (&u32, &u32)| {
                [
                    (taxon, *place as usize, f64::from(*reads)),
                    (taxon, *place as usize + count, f64::from(*reads)),
                ]
            };
            places.iter().zip(counts).flat_map(both).collect::<Vec<_>>()
        })
        .collect();
    let twice = Table::new(names, table.taxa().to_vec(), entries).expect("a table");
    for metric in METRICS {
        let matrix = computed(&twice, &tree, metric, 1 << 20);
        for sample in 0..count {
            assert_eq!(matrix.row(sample)[sample + count], 0.0, "{metric}, {sample}");
        }
    }
}

#[test]
fn progress_never_goes_back_and_ends_at_one() {
    struct Nowhere;
    impl Rows for Nowhere {
        fn take(&mut self, _: usize, _: usize, _: &[f64]) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (table, tree) = cohorts().pop().expect("a cohort");
    let (table, phylogeny, _) = Phylogeny::of(table, &tree, Missing::Refuse).expect("taxa of the tree");
    let told = std::sync::Mutex::new(Vec::new());
    let progress = |share: f64| told.lock().expect("nobody panicked").push(share);
    let work = Work { band_bytes: 1, progress: &progress };
    unifrac(&table, &phylogeny, Metric::Weighted, &work, &mut Nowhere).expect("nothing is written");
    let told = told.into_inner().expect("nobody panicked");
    assert!(told[0] < 0.9 && told.windows(2).all(|pair| pair[0] <= pair[1]), "{told:?}");
    assert!((told.last().expect("it was told") - 1.0).abs() < 1e-12);
}

#[test]
fn trees_as_deep_as_they_have_tips_are_walked_too() {
    // A comb: a tip at every step down.
    let tips = 30_000;
    let mut text = "(".repeat(tips - 1) + "t0:1";
    (1..tips).for_each(|tip| text += &format!(",t{tip}:1):1"));
    let tree = Tree::parse(&(text + ";")).expect("a deep tree");
    let taxa = ["t0", "t15000", "t29999"].map(str::to_owned).to_vec();
    let samples = ["a", "b"].map(str::to_owned).to_vec();
    let table =
        Table::new(samples, taxa, [(0, 0, 1.0), (1, 0, 1.0), (1, 1, 1.0), (2, 1, 2.0)]).expect("a table");
    let off = largest_difference(
        computed(&table, &tree, Metric::Unweighted, 1 << 20).numbers(),
        &oracle::distances(&table, &tree, Metric::Unweighted),
    );
    assert!(off < 1e-13, "{off:e}");
}
