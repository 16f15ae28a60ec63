//! Files that caches make: how they are told from others.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Files whose lengths count how often something was found in a room of a user's caches, and how often not: writers append, so that
/// no count is lost among them.
pub(crate) const HITS: &str = "hits.count";
pub(crate) const MISSES: &str = "misses.count";

/// The key that a file is named after, whatever its ending.
pub(crate) fn key_in(path: &Path) -> Option<u128> {
    let (digits, ending) = path.file_name()?.to_str()?.split_once('.')?;
    let is_digit = |letter: char| letter.is_ascii_digit() || ('a'..='f').contains(&letter);
    let named = digits.len() == 32 && digits.chars().all(is_digit);
    let ended = !ending.is_empty() && ending.chars().all(|letter| letter.is_ascii_lowercase());
    u128::from_str_radix(digits, 16).ok().filter(|_| named && ended)
}

/// Whether a file states this key, as entries do.
pub(crate) fn is_own_entry(path: &Path, key: u128) -> bool {
    let mut head = [0; 20];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head[4..] == key.to_le_bytes()
}
