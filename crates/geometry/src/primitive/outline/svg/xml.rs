//! As much of XML as drawings need: elements with their attributes, and the lines they stand on.

use super::super::OutlineError;
use super::super::error::shown;

/// What a text consists of, besides letters between elements.
#[derive(Debug)]
pub(super) enum Event {
    /// `<name …>`, or `<name …/>`, which ends at once.
    Start { element: Element, ends: bool },
    /// `</name>`
    End { name: String, line: usize },
}

/// An element without what is in it.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) line: usize,
    /// Without the prefix of a name space.
    pub(super) name: String,
    attributes: Vec<(String, String, usize)>,
}

impl Element {
    /// An attribute, and the line it stands on.
    pub(super) fn get(&self, name: &str) -> Option<(&str, usize)> {
        let found = self.attributes.iter().find(|(own, ..)| own == name);
        found.map(|(_, value, line)| (value.as_str(), *line))
    }
}

/// Reads a text from its beginning.
pub(super) struct XmlReader<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> XmlReader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        XmlReader { text, at: 0, line: 1 }
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn advance(&mut self, bytes: usize) {
        let passed = &self.text.as_bytes()[self.at..self.at + bytes];
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.at += bytes;
    }

    fn unexpected(&self, expected: &str) -> OutlineError {
        let found = shown(self.rest());
        OutlineError::Unexpected { line: self.line, expected: expected.to_owned(), found }
    }

    /// Passes everything up to the end of a mark.
    fn pass(&mut self, mark: &str) -> Result<(), OutlineError> {
        match self.rest().find(mark) {
            Some(length) => {
                self.advance(length + mark.len());
                Ok(())
            }
            None => {
                let (line, expected) = (self.line, format!("`{mark}` somewhere behind"));
                Err(OutlineError::Unexpected { line, expected, found: "none".to_owned() })
            }
        }
    }

    /// The next start or end of an element; `None` at the end of the text.
    pub(super) fn next(&mut self) -> Result<Option<Event>, OutlineError> {
        loop {
            let Some(length) = self.rest().find('<') else {
                self.advance(self.rest().len());
                return Ok(None);
            };
            self.advance(length);
            let rest = self.rest();
            if rest.starts_with("<!--") {
                self.pass("-->")?;
            } else if rest.starts_with("<![CDATA[") {
                self.pass("]]>")?;
            } else if rest.starts_with("<?") {
                self.pass("?>")?;
            } else if rest.starts_with("<!") {
                // Declarations of a document type may have others within brackets.
                let has_brackets = rest.find('[').is_some_and(|at| rest.find('>').is_none_or(|end| at < end));
                if has_brackets {
                    self.pass("]")?;
                }
                self.pass(">")?;
            } else if rest.starts_with("</") {
                let line = self.line;
                self.advance(2);
                let name = self.name()?;
                self.skip_blanks();
                if !self.rest().starts_with('>') {
                    return Err(self.unexpected("`>`"));
                }
                self.advance(1);
                return Ok(Some(Event::End { name, line }));
            } else {
                return self.start().map(Some);
            }
        }
    }

    fn start(&mut self) -> Result<Event, OutlineError> {
        let line = self.line;
        self.advance(1);
        let name = self.name()?;
        let mut attributes = Vec::new();
        loop {
            self.skip_blanks();
            let ends = self.rest().starts_with("/>");
            if ends || self.rest().starts_with('>') {
                self.advance(if ends { 2 } else { 1 });
                return Ok(Event::Start { element: Element { line, name, attributes }, ends });
            }
            let line = self.line;
            let key = self.name()?;
            self.skip_blanks();
            if !self.rest().starts_with('=') {
                return Err(self.unexpected("`=`"));
            }
            self.advance(1);
            self.skip_blanks();
            let quote = match self.rest().chars().next() {
                Some(quote @ ('"' | '\'')) => quote,
                _ => return Err(self.unexpected("a value in quotes")),
            };
            self.advance(1);
            let Some(length) = self.rest().find(quote) else {
                return Err(self.unexpected("a value that ends with its quote"));
            };
            attributes.push((key, self.rest()[..length].to_owned(), line));
            self.advance(length + 1);
        }
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.advance(rest.len() - rest.trim_start().len());
    }

    fn name(&mut self) -> Result<String, OutlineError> {
        let rest = self.rest();
        let is_part = |letter: char| letter.is_alphanumeric() || "_-.:".contains(letter);
        let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.unexpected("a name"));
        }
        let name = rest[..length].rsplit(':').next().unwrap_or_default().to_owned();
        self.advance(length);
        Ok(name)
    }
}
