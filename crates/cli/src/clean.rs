//! Text for terminals. Problem files, tables and file names may hold characters that move the cursor, change colours or
//! turn the direction of writing; they are shown as what they are, and a terminal obeys none of them.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Whether a terminal does something other than show it.
fn is_command(letter: char) -> bool {
    // Directions are U+061C, U+200E, U+200F and the embeddings, overrides and isolates.
    let turns = matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    letter.is_control() && !matches!(letter, '\n' | '\t') || turns
}

/// The text with such characters written out as in JSON, where they are meant to be read too.
pub(crate) fn text(raw: &str) -> Cow<'_, str> {
    if !raw.contains(is_command) {
        return Cow::Borrowed(raw);
    }
    let mut cleaned = String::with_capacity(raw.len() + 16);
    for letter in raw.chars() {
        if is_command(letter) {
            // Writing to a string does not fail.
            let _ = write!(cleaned, "\\u{:04x}", u32::from(letter));
        } else {
            cleaned.push(letter);
        }
    }
    Cow::Owned(cleaned)
}

/// The same on one line.
pub(crate) fn line(raw: &str) -> String {
    text(raw).replace('\n', "\\n")
}

/// Passes on what is written to it, cleaned.
pub(crate) struct Clean<W>(pub(crate) W);

impl<W: Write> Write for Clean<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        // A piece of a character at either end holds no command by itself.
        match str::from_utf8(buffer).map(text) {
            Ok(Cow::Borrowed(_)) => self.0.write(buffer),
            Ok(Cow::Owned(cleaned)) => {
                self.0.write_all(cleaned.as_bytes())?;
                Ok(buffer.len())
            }
            Err(_) => {
                self.0.write_all(text(&String::from_utf8_lossy(buffer)).as_bytes())?;
                Ok(buffer.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Stderr, cleaned.
pub(crate) fn stderr() -> Clean<io::Stderr> {
    Clean(io::stderr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_to_terminals_are_shown_and_everything_else_stays() {
        assert_eq!(text("\u{1b}[31mred\r\u{7f}\u{9b}2J"), "\\u001b[31mred\\u000d\\u007f\\u009b2J");
        assert_eq!(text("abc\u{202e}fed"), "abc\\u202efed");
        assert!(matches!(text("∂u/∂t = ν∇²u\n\tx — “y”, 温度"), Cow::Borrowed(_)));
        assert_eq!(line("a\nb"), "a\\nb");
        let mut written = Clean(Vec::new());
        write!(written, "\u{1b}]0;title\u{7} {}", 1 + 2).expect("memory can be written");
        assert_eq!(written.0, b"\\u001b]0;title\\u0007 3");
        let quoted = serde_json::to_string("\u{9b}").expect("it is text");
        let read: String = serde_json::from_str(&text(&quoted)).expect("JSON stays JSON");
        assert_eq!(read, "\u{9b}");
    }
}
