//! The numbers of other programs: `benches/peers/unifrac_values.py` has made the files, and says how.

use crate::distances::{computed, largest_difference};
use cohort::{Metric, Missing, Phylogeny, SquareMatrix, Table, Tree, faith};

/// The values of one name, in their order.
fn values(name: &str) -> Vec<f64> {
    let lines = include_str!("data/peers.tsv").lines();
    let of = lines.filter_map(|line| line.split_once('\t')).filter(|(metric, _)| *metric == name);
    of.map(|(_, number)| number.parse().expect("a number")).collect()
}

/// Those above the diagonal, row after row.
fn condensed(matrix: &SquareMatrix) -> Vec<f64> {
    (0..matrix.size()).flat_map(|row| matrix.row(row)[row + 1..].iter().copied()).collect()
}

#[test]
fn distances_and_diversity_are_those_of_scikit_bio() {
    let table = Table::parse_text(include_str!("data/peers-table.tsv")).expect("a table");
    let tree = Tree::parse(include_str!("data/peers.nwk")).expect("a tree");
    for (name, metric) in [
        ("unweighted", Metric::Unweighted),
        ("weighted", Metric::Weighted),
        ("normalized", Metric::Normalized),
    ] {
        let off = largest_difference(&condensed(&computed(&table, &tree, metric, 1 << 20)), &values(name));
        assert!(off <= 1e-14, "{name}: {off:e}");
    }
    let (table, phylogeny, _) = Phylogeny::of(table, &tree, Missing::Refuse).expect("taxa of the tree");
    let off = largest_difference(&faith(&table, &phylogeny), &values("faith"));
    assert!(off <= 1e-14, "Faith's diversity: {off:e}");
}

#[test]
fn distances_of_neighbours_in_the_small_table_of_unifrac_binaries_are_the_published_ones() {
    let tree = Tree::parse("(1:1,(2:1,3:1):1,(5:1,4:1):1);").map_or_else(
        // Three branches meet at its top: with a fork of length 0 it is the same tree, and rooted.
        |_| Tree::parse("((1:1,(2:1,3:1):1):0,(5:1,4:1):1);").expect("a tree"),
        |_| panic!("an unrooted tree is refused"),
    );
    let rows = [
        "1\t0\t0\t1\t0\t0\t0",
        "2\t5\t1\t0\t2\t3\t1",
        "3\t0\t0\t1\t4\t0\t2",
        "4\t2\t1\t1\t0\t0\t1",
        "5\t0\t1\t1\t0\t0\t0",
    ];
    let text = format!("\ta\tb\tc\td\te\tf\n{}\n", rows.join("\n"));
    let table = Table::parse_text(&text).expect("a table");
    let wanted = [
        (Metric::Unweighted, [0.2, 0.428_571_43, 0.714_285_71, 0.333_333_33, 0.6, 0.2]),
        (Metric::Weighted, [1.523_809_52, 1.25, 2.75, 1.333_333_33, 2.0, 1.071_428_57]),
        (Metric::Normalized, [0.380_952_38, 0.333_333_33, 0.733_333_33, 0.333_333_33, 0.5, 0.267_857_14]),
    ];
    for (metric, wanted) in wanted {
        let matrix = computed(&table, &tree, metric, 1 << 20);
        let neighbours: Vec<f64> = (0..6).map(|sample| matrix.row(sample)[(sample + 1) % 6]).collect();
        // Published with eight digits.
        assert!(largest_difference(&neighbours, &wanted) < 6e-9, "{metric}: {neighbours:?}");
    }
}
