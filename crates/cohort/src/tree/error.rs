//! What can be wrong with a tree.

use crate::few::{Few, short};
use crate::place::{Place, excerpt};
use std::io;
use std::path::PathBuf;

/// A tree cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// The file cannot be read.
    #[error("{} cannot be read: {cause}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// What it holds is no tree that distances can be measured on.
    #[error("{}: {mistake}", path.display())]
    Mistake {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        mistake: TreeMistake,
    },
    /// It cannot be written.
    #[error("{} cannot be written: {cause}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// No taxon of the table is in the tree.
    #[error("none of {} taxa of the table is in the tree: the table has {taxa}, the tree has {tips}", taxa.count())]
    NoneInTree {
        /// Of the table.
        taxa: Few,
        /// Of the tree.
        tips: Few,
    },
    /// Taxa of the table that are not in the tree.
    #[error(
        "{} of {taxa} taxa of the table are not in the tree: {missing}; \
         use the tree that was built from these sequences, or leave them out with --not-in-tree drop",
        missing.count()
    )]
    NotInTree {
        /// Which.
        missing: Few,
        /// Taxa of the table.
        taxa: usize,
    },
}

/// What is wrong with the text of a tree, or with the tree.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum TreeMistake {
    /// Something in the text.
    #[error("{place}: {fault}\n{excerpt}")]
    Text {
        /// Where.
        place: Place,
        /// What.
        fault: NewickFault,
        /// The text around it, with a caret.
        excerpt: String,
    },
    /// A root with more than two children says nothing about where it lies.
    #[error(
        "the tree is not rooted: {0} branches meet at its top; root it (at its midpoint, for instance), \
         or, where so many branches do meet at the root, write ((A,B):0,C) for (A,B,C)"
    )]
    Unrooted(usize),
    /// Names of several tips.
    #[error("tips are there more than once: {0}; every tip needs a name of its own")]
    DuplicateTips(Few),
    /// Lengths that sum to nothing.
    #[error("all branches have length 0: distances along this tree are 0; use a tree with branch lengths")]
    NoLength,
    /// Text that is not UTF-8.
    #[error("byte {0} is not UTF-8")]
    NotUtf8(usize),
}

/// What is wrong at a place of a text in Newick's format.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NewickFault {
    /// No tree at all.
    #[error("a tree begins with `(`; Newick's format is read")]
    NoTree,
    /// `(` without `)`.
    #[error("the text ends here, but this many `(` are still open: {0}")]
    Open(usize),
    /// `)` without `(`.
    #[error("this `)` closes nothing")]
    Unopened,
    /// The end without `;`.
    #[error("the text ends without `;`: was it cut short?")]
    NoEnd,
    /// More text after the end.
    #[error("there is more after the `;`: one tree per file is read")]
    More,
    /// A quote or a bracket of a remark that is not closed.
    #[error("this {0} is not closed")]
    NotClosed(&'static str),
    /// Letters where none belong.
    #[error("`{0}` does not belong here: `,`, `)` or `;` is expected")]
    Unexpected(char),
    /// A colon without a number.
    #[error("{} is no length", short(.0))]
    NotALength(String),
    /// A length below 0.
    #[error(
        "a branch has the negative length {0}; neighbour joining makes such trees: set them to 0 if they are small"
    )]
    NegativeLength(String),
    /// A tip without a name.
    #[error("a tip has no name")]
    NamelessTip,
    /// More nodes than can be numbered.
    #[error("the tree has too many nodes")]
    TooMany,
}

impl NewickFault {
    pub(super) fn at(self, text: &str, offset: usize) -> TreeMistake {
        TreeMistake::Text { place: Place::of(text, offset), fault: self, excerpt: excerpt(text, offset) }
    }
}
