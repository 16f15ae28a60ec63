//! Cuts of the leaves change no bit of a sum.

use linear::tree::{Leaves, Meeting, Nodes, Sum, Tree, TreeNode, combine, sum};
use proptest::prelude::*;

fn add(left: f64, right: f64) -> f64 {
    left + right
}

/// By the definition: divided after the largest power of two below the count.
fn by_definition(values: &[f64]) -> f64 {
    match values {
        [value] => *value,
        _ => {
            let (left, right) = values.split_at(values.len().next_power_of_two() / 2);
            by_definition(left) + by_definition(right)
        }
    }
}

/// Numbers whose sum depends on the order of additions, and where to cut them.
fn cut_numbers() -> impl Strategy<Value = (Vec<f64>, Vec<usize>)> {
    (1usize..300).prop_flat_map(|count| {
        let numbers = prop::collection::vec((-1.0f64..1.0, -20i32..20), count);
        let numbers =
            numbers.prop_map(|numbers| numbers.iter().map(|(m, e)| m * f64::from(*e).exp2()).collect());
        (numbers, prop::collection::vec(0..=count, 0..9))
    })
}

proptest! {
    #[test]
    fn any_cut_of_the_leaves_gives_the_bits_of_the_definition((values, mut cuts) in cut_numbers()) {
        let (tree, wanted) = (Tree::new(values.len()), by_definition(&values));
        cuts.extend([0, values.len()]);
        cuts.sort_unstable();
        let mut parts = Vec::new();
        for cut in cuts.windows(2) {
            let mut nodes = Nodes::new(tree);
            (cut[0]..cut[1]).for_each(|leaf| nodes.push(TreeNode::leaf(leaf), values[leaf], add));
            let own = nodes.into_parts();
            prop_assert!(own.len() <= 2 * values.len().next_power_of_two().ilog2().max(1) as usize, "{own:?}");
            parts.extend(own);
        }
        let found = combine(tree, parts, add).expect("all leaves are there");
        prop_assert_eq!(found.to_bits(), wanted.to_bits());
    }

    #[test]
    fn leaves_that_arrive_in_any_order_give_the_same_bits((values, mixed) in cut_numbers()) {
        let mut meeting = Meeting::new();
        meeting.begin(Tree::new(values.len()));
        let mut order: Vec<usize> = (0..values.len()).collect();
        mixed.iter().for_each(|&by| order.rotate_left(by));
        order.sort_by_key(|leaf| (leaf * 7919 + mixed.first().unwrap_or(&0)) % 31);
        order.iter().for_each(|&leaf| meeting.arrive(TreeNode::leaf(leaf), values[leaf], add));
        let found = meeting.take_total().expect("all leaves are there");
        prop_assert_eq!(found.to_bits(), by_definition(&values).to_bits());
    }

    #[test]
    fn leaves_hold_every_item_once_and_in_order(items in 0usize..5000, least in 1usize..20, most in 1usize..300) {
        let leaves = Leaves::new(items, least, most);
        prop_assert!(leaves.count() <= most && leaves.span().is_power_of_two() && leaves.span() >= least);
        let all: Vec<usize> = (0..leaves.count()).flat_map(|leaf| leaves.items(leaf)).collect();
        prop_assert!(all.into_iter().eq(0..items));
        let ends = (0..items).filter_map(|item| leaves.ended_by(item));
        prop_assert!(ends.eq(0..leaves.count()));
    }
}

#[test]
fn a_sum_is_that_of_its_leaves_and_says_where_numbers_are_missing() {
    let numbers: Vec<f64> = (0..1000).map(|k| f64::from(k).sin()).collect();
    let leaves: Vec<f64> = numbers.chunks(64).map(|leaf| leaf.iter().fold(0.0, |sum, x| sum + x)).collect();
    assert_eq!(sum(numbers.iter().copied()).to_bits(), by_definition(&leaves).to_bits());
    assert_eq!(sum(std::iter::empty::<f64>()), 0.0);
    let mut short = Sum::of(3);
    short.add(1.0);
    assert!(short.total().is_nan());
    assert_eq!(combine(Tree::new(2), [(TreeNode::leaf(1), 1.0)], add), None);
}
