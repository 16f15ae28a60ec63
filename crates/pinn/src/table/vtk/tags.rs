//! Tags of XML in bytes that need not all be text.

use super::{TableFault, unfit};

/// `<name key="value">`, `<name/>` or `</name>`.
#[derive(Debug)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) closes: bool,
    attributes: Vec<(String, String)>,
}

impl Tag {
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| own == key).map(|(_, value)| value.as_str())
    }
}

/// Reads tags from the beginning.
pub(super) struct Tags<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Tags<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Tags { bytes, at: 0 }
    }

    /// Where the contents of the last tag begin.
    pub(super) fn content_start(&self) -> usize {
        self.at
    }

    pub(super) fn next(&mut self) -> Result<Option<Tag>, TableFault> {
        loop {
            let Some(start) = self.bytes[self.at..].iter().position(|byte| *byte == b'<') else {
                return Ok(None);
            };
            let start = self.at + start;
            let is_comment = self.bytes[start..].starts_with(b"<!--");
            let mark: &[u8] = if is_comment { b"-->" } else { b">" };
            let end = self.bytes[start..].windows(mark.len()).position(|own| own == mark);
            let Some(end) = end.map(|end| start + end) else {
                return unfit("a tag is never closed by `>`: is it cut off?");
            };
            self.at = end + mark.len();
            let inner = &self.bytes[start + 1..end];
            if !matches!(inner.first(), Some(b'!' | b'?')) {
                return tag(inner).map(Some);
            }
        }
    }
}

fn tag(inner: &[u8]) -> Result<Tag, TableFault> {
    let Ok(inner) = std::str::from_utf8(inner) else { return unfit("a tag is not text in UTF-8") };
    let closes = inner.starts_with('/');
    let inner = inner.trim_matches('/');
    let (name, mut rest) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
    let mut attributes = Vec::new();
    while let Some((key, behind)) = rest.split_once('=') {
        let behind = behind.trim_start();
        let Some(quote) = behind.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else { break };
        let Some((value, behind)) = behind[1..].split_once(quote) else { break };
        attributes.push((key.trim().to_owned(), value.to_owned()));
        rest = behind;
    }
    Ok(Tag { name: name.to_owned(), closes, attributes })
}
