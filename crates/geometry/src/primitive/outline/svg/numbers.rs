//! Numbers and letters as attributes of drawings pack them: `M10-5.5.5` has three numbers.

use super::super::OutlineError;
use super::super::error::shown;

/// Reads an attribute from its beginning.
pub(super) struct Numbers<'t> {
    text: &'t str,
    at: usize,
    /// Where the attribute begins.
    first_line: usize,
}

impl<'t> Numbers<'t> {
    pub(super) fn new(text: &'t str, first_line: usize) -> Self {
        Numbers { text, at: 0, first_line }
    }

    /// The line that is read now.
    pub(super) fn line(&self) -> usize {
        self.first_line + self.text.as_bytes()[..self.at].iter().filter(|byte| **byte == b'\n').count()
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn unexpected(&self, expected: &str) -> OutlineError {
        let found = match self.rest() {
            "" => "the end of the attribute".to_owned(),
            rest => shown(rest),
        };
        OutlineError::Unexpected { line: self.line(), expected: expected.to_owned(), found }
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn skip_divider(&mut self) {
        self.skip_blanks();
        if self.rest().starts_with(',') {
            self.at += 1;
            self.skip_blanks();
        }
    }

    /// Whether nothing but blanks is left.
    pub(super) fn is_done(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty()
    }

    pub(super) fn end(&mut self) -> Result<(), OutlineError> {
        if self.is_done() { Ok(()) } else { Err(self.unexpected("the end of the attribute")) }
    }

    pub(super) fn take(&mut self, letter: char) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(letter);
        self.at += if found { letter.len_utf8() } else { 0 };
        found
    }

    pub(super) fn expect(&mut self, letter: char) -> Result<(), OutlineError> {
        if self.take(letter) { Ok(()) } else { Err(self.unexpected(&format!("`{letter}`"))) }
    }

    /// Letters in front, if there are any.
    pub(super) fn word(&mut self) -> Option<String> {
        self.skip_blanks();
        let rest = self.rest();
        let length = rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| rest[..length].to_owned())
    }

    /// One letter in front, if there is one.
    pub(super) fn letter(&mut self) -> Option<char> {
        self.skip_blanks();
        let letter = self.rest().chars().next().filter(char::is_ascii_alphabetic)?;
        self.at += 1;
        Some(letter)
    }

    pub(super) fn number(&mut self) -> Result<f64, OutlineError> {
        self.skip_divider();
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut length = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
        let whole = digits(length);
        length += whole;
        let mut significant = whole;
        if bytes.get(length) == Some(&b'.') {
            let fraction = digits(length + 1);
            significant += fraction;
            length += 1 + fraction;
        }
        if significant == 0 {
            return Err(self.unexpected("a number"));
        }
        if matches!(bytes.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
            // Without digits it is a letter of its own, such as that of `em`.
            let exponent = if length + 1 + sign <= bytes.len() { digits(length + 1 + sign) } else { 0 };
            length += if exponent > 0 { 1 + sign + exponent } else { 0 };
        }
        let value = self.rest()[..length].parse().map_err(|_| self.unexpected("a number"))?;
        self.at += length;
        Ok(value)
    }

    /// A zero or one, which need no divider behind them.
    pub(super) fn flag(&mut self) -> Result<bool, OutlineError> {
        self.skip_divider();
        let flag = match self.rest().as_bytes().first() {
            Some(b'0') => false,
            Some(b'1') => true,
            _ => return Err(self.unexpected("0 or 1")),
        };
        self.at += 1;
        Ok(flag)
    }

    pub(super) fn pair(&mut self) -> Result<[f64; 2], OutlineError> {
        Ok([self.number()?, self.number()?])
    }
}
