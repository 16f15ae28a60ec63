//! JSON with the lines that values stand on (RFC 8259).

use super::OutlineError;

/// Lists and objects within each other: more than any map has.
const MOST_LEVELS: usize = 64;

/// A value, and the line it begins on.
#[derive(Debug)]
pub(super) struct Json {
    pub(super) line: usize,
    pub(super) value: JsonValue,
}

/// What a value is.
#[derive(Debug)]
pub(super) enum JsonValue {
    Null,
    Truth,
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a whole text.
    pub(super) fn read(text: &str) -> Result<Json, OutlineError> {
        let mut reader = JsonReader { text, at: 0, line: 1 };
        let value = reader.value(0)?;
        reader.skip_blanks();
        match reader.peek() {
            None => Ok(value),
            Some(_) => Err(reader.unexpected("the end of the file")),
        }
    }

    /// What is called so in an object.
    pub(super) fn get(&self, name: &str) -> Option<&Json> {
        match &self.value {
            JsonValue::Object(members) => members.iter().find(|(own, _)| own == name).map(|(_, value)| value),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            JsonValue::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn list(&self) -> Result<&[Json], OutlineError> {
        match &self.value {
            JsonValue::List(items) => Ok(items),
            other => Err(self.wrong("a list", other)),
        }
    }

    pub(super) fn number(&self) -> Result<f64, OutlineError> {
        match &self.value {
            JsonValue::Number(value) => Ok(*value),
            other => Err(self.wrong("a number", other)),
        }
    }

    fn wrong(&self, expected: &str, found: &JsonValue) -> OutlineError {
        let found = match found {
            JsonValue::Null => "null",
            JsonValue::Truth => "true or false",
            JsonValue::Number(_) => "a number",
            JsonValue::Text(_) => "a text",
            JsonValue::List(_) => "a list",
            JsonValue::Object(_) => "an object",
        };
        OutlineError::Unexpected { line: self.line, expected: expected.to_owned(), found: found.to_owned() }
    }
}

struct JsonReader<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl JsonReader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek().filter(|byte| b" \t\r\n".contains(byte)) {
            self.line += usize::from(byte == b'\n');
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn unexpected(&self, expected: &str) -> OutlineError {
        let found = match self.text[self.at..].chars().next() {
            Some(letter) => format!("`{}`", letter.escape_debug()),
            None => "the end of the file".to_owned(),
        };
        OutlineError::Unexpected { line: self.line, expected: expected.to_owned(), found }
    }

    fn value(&mut self, level: usize) -> Result<Json, OutlineError> {
        self.skip_blanks();
        let line = self.line;
        if level > MOST_LEVELS {
            return Err(OutlineError::TooDeep { line, limit: MOST_LEVELS });
        }
        let value = match self.peek() {
            Some(b'{') => self.object(level)?,
            Some(b'[') => self.array(level)?,
            Some(b'"') => JsonValue::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(Json { line, value })
    }

    fn object(&mut self, level: usize) -> Result<JsonValue, OutlineError> {
        self.at += 1;
        let mut members = Vec::new();
        if self.take(b'}') {
            return Ok(JsonValue::Object(members));
        }
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a name in double quotes"));
            }
            let name = self.string()?;
            if !self.take(b':') {
                return Err(self.unexpected("`:`"));
            }
            members.push((name, self.value(level + 1)?));
            if self.take(b'}') {
                return Ok(JsonValue::Object(members));
            }
            if !self.take(b',') {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
    }

    fn array(&mut self, level: usize) -> Result<JsonValue, OutlineError> {
        self.at += 1;
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(JsonValue::List(items));
        }
        loop {
            items.push(self.value(level + 1)?);
            if self.take(b']') {
                return Ok(JsonValue::List(items));
            }
            if !self.take(b',') {
                return Err(self.unexpected("`,` or `]`"));
            }
        }
    }

    fn number(&mut self) -> Result<JsonValue, OutlineError> {
        let rest = &self.text[self.at..];
        let is_part = |letter: char| letter.is_ascii_digit() || "+-.eE".contains(letter);
        let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        match rest[..length].parse() {
            Ok(value) => {
                self.at += length;
                Ok(JsonValue::Number(value))
            }
            Err(_) => Err(self.unexpected("a number")),
        }
    }

    fn word(&mut self) -> Result<JsonValue, OutlineError> {
        let words = [("null", JsonValue::Null), ("true", JsonValue::Truth), ("false", JsonValue::Truth)];
        for (word, value) in words {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.unexpected("a value"))
    }

    /// What stands between quotes. Names that matter have no escapes: those become the letters behind their strokes.
    fn string(&mut self) -> Result<String, OutlineError> {
        self.at += 1;
        let mut content = String::new();
        loop {
            let Some(letter) = self.text[self.at..].chars().next() else {
                return Err(self.unexpected("a closing `\"`"));
            };
            match letter {
                '"' => {
                    self.at += 1;
                    return Ok(content);
                }
                '\\' => {
                    self.at += 1;
                    let Some(escaped) = self.text[self.at..].chars().next() else { continue };
                    content.push(escaped);
                    self.at += escaped.len_utf8();
                }
                '\n' => return Err(self.unexpected("a closing `\"`")),
                _ => {
                    content.push(letter);
                    self.at += letter.len_utf8();
                }
            }
        }
    }
}
