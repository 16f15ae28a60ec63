//! Trees as text, without recursion.

use super::error::TreeError;
use super::{NONE, Tree};
use std::fmt::Write as _;
use std::path::Path;

impl Tree {
    /// Writes Newick's format.
    pub fn write(&self, path: &Path) -> Result<(), TreeError> {
        store::replace(path, self.newick().as_bytes())
            .map_err(|cause| TreeError::Write { path: path.to_owned(), cause })
    }

    /// Newick's format.
    pub fn newick(&self) -> String {
        // Children of a node in their order, as lists of brothers.
        let (mut first, mut brother) = (vec![NONE; self.nodes()], vec![NONE; self.nodes()]);
        for node in (1..self.nodes()).rev() {
            let parent = self.parents[node] as usize;
            (brother[node], first[parent]) = (first[parent], node as u32);
        }
        let mut text = String::new();
        let mut node = 0;
        'down: loop {
            if first[node] != NONE {
                text.push('(');
                node = first[node] as usize;
                continue;
            }
            loop {
                self.put(node, &mut text);
                if node == 0 {
                    break 'down;
                }
                if brother[node] != NONE {
                    text.push(',');
                    node = brother[node] as usize;
                    break;
                }
                text.push(')');
                node = self.parents[node] as usize;
            }
        }
        text.push_str(";\n");
        text
    }

    fn put(&self, node: usize, text: &mut String) {
        let name = self.name(node);
        let plain = name.bytes().all(|byte| !b"(),:;[]'".contains(&byte) && !byte.is_ascii_whitespace());
        if plain {
            text.push_str(name);
        } else {
            text.push('\'');
            text.push_str(&name.replace('\'', "''"));
            text.push('\'');
        }
        if node > 0 || self.lengths[0] > 0.0 {
            // Writing to a string does not fail.
            let _ = write!(text, ":{}", self.lengths[node]);
        }
    }
}
