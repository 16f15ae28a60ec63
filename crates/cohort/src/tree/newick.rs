//! Newick's format, as programs write it: names in quotes or without, lengths, remarks in brackets. No recursion: trees may be as deep as
//! they have nodes.

use super::error::{NewickFault, TreeError, TreeMistake};
use super::{NONE, Tree};
use crate::few::Few;
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

impl Tree {
    /// Reads a file.
    pub fn open(path: &Path) -> Result<Tree, TreeError> {
        let bytes = std::fs::read(path).map_err(|cause| TreeError::Read { path: path.to_owned(), cause })?;
        let text =
            String::from_utf8(bytes).map_err(|error| TreeMistake::NotUtf8(error.utf8_error().valid_up_to()));
        text.and_then(|text| Tree::parse(&text))
            .map_err(|mistake| TreeError::Mistake { path: path.to_owned(), mistake })
    }

    /// Reads a tree that distances can be measured on: rooted, with lengths, its tips told apart by their names.
    pub fn parse(text: &str) -> Result<Tree, TreeMistake> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let tree = Parser { text, offset: 0, tree: Tree::default(), names: Vec::new() }.tree()?;
        tree.check()?;
        Ok(tree)
    }

    fn check(&self) -> Result<(), TreeMistake> {
        let mut seen = HashSet::new();
        let mut twice = Few::default();
        self.tips()
            .map(|tip| self.name(tip))
            .filter(|name| !seen.insert(*name))
            .for_each(|name| twice.add(name));
        if twice.count() > 0 {
            return Err(TreeMistake::DuplicateTips(twice));
        }
        if self.children[0] > 2 {
            return Err(TreeMistake::Unrooted(self.children[0] as usize));
        }
        if self.lengths.iter().all(|length| *length == 0.0) {
            return Err(TreeMistake::NoLength);
        }
        Ok(())
    }
}

struct Parser<'t> {
    text: &'t str,
    /// The next byte.
    offset: usize,
    tree: Tree,
    /// Of all nodes so far.
    names: Vec<Cow<'t, str>>,
}

impl<'t> Parser<'t> {
    fn tree(mut self) -> Result<Tree, TreeMistake> {
        self.skip()?;
        if self.peek() != Some(b'(') {
            return Err(self.fault(NewickFault::NoTree));
        }
        let (mut node, mut open) = (self.node(None)?, 0);
        loop {
            self.skip()?;
            // A new node is `node`: either it has children, or it is a tip.
            if self.peek() == Some(b'(') {
                self.offset += 1;
                open += 1;
                node = self.node(Some(node))?;
                continue;
            }
            self.label(node, true)?;
            // A node is finished: another one follows below the same parent, or the parent is finished too.
            loop {
                self.skip()?;
                match self.peek() {
                    Some(b',') if open > 0 => {
                        self.offset += 1;
                        node = self.node(Some(self.tree.parents[node as usize]))?;
                        break;
                    }
                    Some(b')') if open > 0 => {
                        self.offset += 1;
                        open -= 1;
                        node = self.tree.parents[node as usize];
                        self.skip()?;
                        self.label(node, false)?;
                    }
                    Some(b')') => return Err(self.fault(NewickFault::Unopened)),
                    Some(b';') if open == 0 => {
                        self.offset += 1;
                        return self.finish();
                    }
                    Some(_) => {
                        let letter = self.text[self.offset..].chars().next().unwrap_or_default();
                        return Err(self.fault(NewickFault::Unexpected(letter)));
                    }
                    None if open > 0 => return Err(self.fault(NewickFault::Open(open))),
                    None => return Err(self.fault(NewickFault::NoEnd)),
                }
            }
        }
    }

    fn finish(mut self) -> Result<Tree, TreeMistake> {
        self.skip()?;
        if self.offset < self.text.len() {
            return Err(self.fault(NewickFault::More));
        }
        let Parser { mut tree, names, .. } = self;
        tree.set_names(names.iter().map(AsRef::as_ref));
        Ok(tree)
    }

    fn node(&mut self, parent: Option<u32>) -> Result<u32, TreeMistake> {
        if self.tree.nodes() >= NONE as usize {
            return Err(self.fault(NewickFault::TooMany));
        }
        self.names.push(Cow::Borrowed(""));
        Ok(self.tree.push(parent))
    }

    /// The name and the length of a node.
    fn label(&mut self, node: u32, is_tip: bool) -> Result<(), TreeMistake> {
        let start = self.offset;
        let name = self.name()?;
        if is_tip && name.is_empty() {
            self.offset = start;
            return Err(self.fault(NewickFault::NamelessTip));
        }
        self.names[node as usize] = name;
        self.skip()?;
        if self.peek() != Some(b':') {
            // The root has no branch above it.
            self.tree.without_length += usize::from(node > 0);
            return Ok(());
        }
        self.offset += 1;
        self.skip()?;
        let start = self.offset;
        let word = self.word();
        let length = word.parse::<f64>().ok().filter(|length| length.is_finite());
        let fault = match length {
            Some(length) if length >= 0.0 => {
                // Without the sign of -0.
                self.tree.set_length(node, length.abs());
                return Ok(());
            }
            Some(_) => NewickFault::NegativeLength(word.to_owned()),
            None => NewickFault::NotALength(word.to_owned()),
        };
        self.offset = start;
        Err(self.fault(fault))
    }

    fn name(&mut self) -> Result<Cow<'t, str>, TreeMistake> {
        if self.peek() != Some(b'\'') {
            return Ok(Cow::Borrowed(self.word()));
        }
        let start = self.offset;
        let inner = start + 1;
        let mut end = inner;
        let mut doubled = false;
        loop {
            match self.text[end..].find('\'') {
                None => return Err(self.fault(NewickFault::NotClosed("quote"))),
                Some(found) => end += found,
            }
            // Two quotes within a name are one.
            if !self.text[end + 1..].starts_with('\'') {
                break;
            }
            doubled = true;
            end += 2;
        }
        self.offset = end + 1;
        let name = &self.text[inner..end];
        Ok(if doubled { Cow::Owned(name.replace("''", "'")) } else { Cow::Borrowed(name) })
    }

    /// Letters up to one that means something.
    fn word(&mut self) -> &'t str {
        let rest = &self.text[self.offset..];
        let means = |byte: u8| b"(),:;['".contains(&byte) || byte.is_ascii_whitespace();
        let length = rest.bytes().position(means).unwrap_or(rest.len());
        self.offset += length;
        &rest[..length]
    }

    /// Blanks and remarks.
    fn skip(&mut self) -> Result<(), TreeMistake> {
        loop {
            match self.peek() {
                Some(byte) if byte.is_ascii_whitespace() => self.offset += 1,
                Some(b'[') => {
                    let end = self.text[self.offset..].find(']');
                    let end = end.ok_or_else(|| self.fault(NewickFault::NotClosed("`[`")))?;
                    self.offset += end + 1;
                }
                Some(_) | None => return Ok(()),
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.offset).copied()
    }

    fn fault(&self, fault: NewickFault) -> TreeMistake {
        fault.at(self.text, self.offset)
    }
}
