//! Trees as programs write them, and what is said of those that are wrong.

use cohort::{Missing, Phylogeny, Table, Tree, TreeMistake};

fn tips(tree: &Tree) -> Vec<(String, f64)> {
    tree.tips().map(|tip| (tree.name(tip).to_owned(), tree.length(tip))).collect()
}

#[test]
fn quotes_remarks_blanks_and_numbers_of_all_kinds_are_read() {
    let text = "[from a program]\n( 'it''s; (A)':1e-3 , B_2[100]:.5 )'inner node' : 2 ;\n";
    let tree =
        Tree::parse(&format!("({},C:3)root:0.25;", text.trim_end().trim_end_matches(';'))).expect("a tree");
    let wanted = [("it's; (A)".to_owned(), 1e-3), ("B_2".to_owned(), 0.5), ("C".to_owned(), 3.0)];
    assert_eq!(tips(&tree), wanted);
    assert_eq!((tree.name(0), tree.length(0)), ("root", 0.25));
    assert_eq!(Tree::parse(&tree.newick()).expect("a tree"), tree, "{}", tree.newick());
    assert_eq!(Tree::parse("((A:1,B),C:1);").expect("a tree").without_length(), 2);
}

#[test]
fn mistakes_are_told_with_their_place_and_a_hint() {
    let message = |text: &str| Tree::parse(text).expect_err("a mistake").to_string();
    let wanted = [
        ("((A:1,B:1):1,C:1)", "line 1, column 18: the text ends without `;`"),
        ("((A:1,B:1):1,\nC:1;", "line 2, column 4: `;` does not belong here"),
        ("((A:1,B:1):1,C:1", "line 1, column 17: the text ends here, but this many `(` are still open: 1"),
        ("(A:1,B:1)):1;", "line 1, column 10: this `)` closes nothing"),
        ("(A:1,B:-0.5);", "line 1, column 8: a branch has the negative length -0.5"),
        ("(A:1,B:x1);", "line 1, column 8: `x1` is no length"),
        ("(A:1,B:nan);", "line 1, column 8: `nan` is no length"),
        ("(A:1,:2);", "line 1, column 6: a tip has no name"),
        ("(A:1,B:1);(C:1,D:1);", "line 1, column 11: there is more after the `;`"),
        ("(A:1,'B:1);", "line 1, column 6: this quote is not closed"),
        ("(A:1,B[:1);", "line 1, column 7: this `[` is not closed"),
        ("(A:1 x,B:1);", "line 1, column 6: `x` does not belong here"),
        ("A:1;", "line 1, column 1: a tree begins with `(`"),
        ("", "line 1, column 1: a tree begins with `(`"),
        ("(A:1,B:1,C:1);", "the tree is not rooted: 3 branches meet at its top"),
        ("((A:1,B:1):1,A:1);", "tips are there more than once: `A`"),
        ("((A,B),C);", "all branches have length 0"),
    ];
    for (text, wanted) in wanted {
        let message = message(text);
        assert!(message.starts_with(wanted), "{text}: {message}");
    }
    assert!(
        message("(A:1,B:-0.5);").ends_with("\n  (A:1,B:-0.5);\n         ^"),
        "{}",
        message("(A:1,B:-0.5);")
    );
    assert!(matches!(Tree::parse("(A:1,B:1,C:1);"), Err(TreeMistake::Unrooted(3))));
    assert!(Tree::parse("((A:1,B:1):0,C:1);").is_ok(), "what the hint says is read");
}

#[test]
fn a_million_tips_in_a_comb_are_read_and_written_without_recursion() {
    let tips = 1_000_000;
    let mut text = "(".repeat(tips - 1) + "0:1";
    for tip in 1..tips {
        text += &format!(",{tip}:1):1");
    }
    text.push(';');
    let tree = Tree::parse(&text).expect("a deep tree");
    assert_eq!(tree.nodes(), 2 * tips - 1);
    assert_eq!(tree.newick().trim_end(), text);
    let taxa = vec!["0".to_owned(), (tips - 1).to_string()];
    let table = Table::new(vec!["a".to_owned()], taxa, [(0, 0, 1.0), (1, 0, 1.0)]).expect("a table");
    let (_, phylogeny, _) = Phylogeny::of(table, &tree, Missing::Refuse).expect("taxa of the tree");
    let lengths: Vec<f64> = phylogeny.branches().iter().map(|branch| branch.length).collect();
    assert_eq!(lengths, [(tips - 1) as f64, 1.0, 1.0]);
}

#[test]
fn taxa_that_are_not_in_the_tree_are_listed_or_left_out() {
    let tree = Tree::parse("((A:1,B:2):1,C:3);").expect("a tree");
    let table = |text: &str| Table::parse_text(text).expect("a table");
    let text = "\tx\ty\nA\t1\t0\nQ\t1\t1\nC\t0\t1\nR\t2\t0\n";
    let message =
        Phylogeny::of(table(text), &tree, Missing::Refuse).expect_err("two are not there").to_string();
    assert!(message.starts_with("2 of 4 taxa of the table are not in the tree: `Q`, `R`; "), "{message}");
    assert!(message.contains("--not-in-tree drop"), "{message}");
    let (kept, phylogeny, lost) = Phylogeny::of(table(text), &tree, Missing::Drop).expect("two are left");
    assert_eq!((kept.taxa(), lost.count()), (&["A".to_owned(), "C".to_owned()][..], 2));
    // The branches above A are one.
    assert_eq!(phylogeny.branches().iter().map(|branch| branch.length).sum::<f64>(), 2.0 + 3.0);
    let message =
        Phylogeny::of(table("\tx\nQ\t1\n"), &tree, Missing::Drop).expect_err("none is left").to_string();
    assert_eq!(
        message,
        "none of 1 taxa of the table is in the tree: the table has `Q`, the tree has `A`, `B`, `C`"
    );
}
