//! Characters to tokens.

use super::SyntaxError;
use crate::expression::Comparison;
use crate::parse::other_notations;
use crate::parse::suggest::clipped;
use std::ops::Range;

/// The smallest parts of an expression.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::parse) enum Token {
    Number(f64),
    Name,
    /// In quotes, which belong to it.
    Text,
    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Comma,
    Equals,
    Compare(Comparison),
    End,
}

/// A token and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    pub(super) range: Range<usize>,
}

/// Whether a text can be the name of something: letters, digits and underscores after a letter.
pub(in crate::parse) fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(char::is_alphabetic) && text.chars().all(continues_name)
}

fn continues_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The tokens of a text, the last one being [`Token::End`].
pub(super) fn tokenize(text: &str) -> Result<Vec<Lexeme>, SyntaxError> {
    let mut lexemes = Vec::new();
    let mut position = 0;
    while let Some(character) = text[position..].chars().next() {
        if character.is_whitespace() {
            position += character.len_utf8();
            continue;
        }
        let start = position;
        let (token, length) = if character.is_ascii_digit() || character == '.' {
            number(text, start)?
        } else if character.is_alphabetic() {
            (Token::Name, length_while(&text[start..], continues_name))
        } else if is_quote(character, lexemes.last()) {
            quoted(text, start, character)?
        } else {
            symbol(text, start, character)?
        };
        position += length;
        lexemes.push(Lexeme { token, range: start..position });
    }
    lexemes.push(Lexeme { token: Token::End, range: text.len()..text.len() });
    Ok(lexemes)
}

/// Whether a text begins here. A single quote behind a name is somebody's derivative.
fn is_quote(character: char, before: Option<&Lexeme>) -> bool {
    let is_argument = before.is_some_and(|lexeme| matches!(lexeme.token, Token::Open | Token::Comma));
    character == '"' || character == '\'' && is_argument
}

fn quoted(text: &str, start: usize, quote: char) -> Result<(Token, usize), SyntaxError> {
    match text[start + 1..].find(quote) {
        Some(length) => Ok((Token::Text, length + 2)),
        None => Err(SyntaxError::new(start..start + 1, "this quote is never closed")),
    }
}

/// Where the contents of quotes stand in a text; none in one that is no expression.
pub(in crate::parse) fn quotations(text: &str) -> Vec<Range<usize>> {
    let lexemes = tokenize(text).unwrap_or_default();
    let quoted = lexemes.into_iter().filter(|lexeme| lexeme.token == Token::Text);
    quoted.map(|lexeme| lexeme.range.start + 1..lexeme.range.end - 1).collect()
}

fn symbol(text: &str, start: usize, character: char) -> Result<(Token, usize), SyntaxError> {
    let followed = |next: char| text[start + character.len_utf8()..].starts_with(next);
    let token = match character {
        '+' => Token::Plus,
        '-' => Token::Minus,
        '*' if followed('*') => return Ok((Token::Caret, 2)),
        '*' => Token::Star,
        '/' => Token::Slash,
        '^' => Token::Caret,
        '(' => Token::Open,
        ')' => Token::Close,
        '[' => Token::OpenBracket,
        ']' => Token::CloseBracket,
        ',' => Token::Comma,
        '<' if followed('=') => return Ok((Token::Compare(Comparison::LessEqual), 2)),
        '<' => Token::Compare(Comparison::Less),
        '>' if followed('=') => return Ok((Token::Compare(Comparison::GreaterEqual), 2)),
        '>' => Token::Compare(Comparison::Greater),
        '=' if followed('=') => {
            return Err(SyntaxError::new(start..start + 2, "`==` is not an operator")
                .hint("an equation is written with one `=`"));
        }
        '=' => Token::Equals,
        other => {
            let range = start..start + other.len_utf8();
            let message = format!("unexpected character `{}`", other.escape_debug());
            return Err(match instead_of(other) {
                Some(hint) => SyntaxError::new(range, message).hint(hint),
                None => SyntaxError::new(range, message),
            });
        }
    };
    Ok((token, 1))
}

/// What to write instead of a character that looks like an operator.
fn instead_of(character: char) -> Option<&'static str> {
    match character {
        '−' | '–' | '—' => Some("write `-`"),
        '·' | '×' | '∙' | '⋅' => Some("write `*`"),
        '÷' => Some("write `/`"),
        '²' => Some("write `^2`"),
        '³' => Some("write `^3`"),
        '∂' => Some("derivatives are written `u_x` or `d(u, x)`"),
        '∇' => Some("write `grad(…)`, `div(…)`, `curl(…)` or `laplacian(…)`"),
        '≤' => Some("write `<=`"),
        '≥' => Some("write `>=`"),
        '{' | '}' => Some("group with `(` and `)`; derivatives are written `u_xx`"),
        '\'' => Some("derivatives are written `u_x`"),
        '"' => Some("a text ends with the quote that it begins with"),
        '_' => Some("derivatives of formulas are written `d(formula, x)`"),
        ';' => Some("separate with `,`"),
        '|' => Some("write `abs(x)`; conditions are joined with `and`, `or`, `not`"),
        '!' | '&' => Some("conditions are joined with `and`, `or`, `not`"),
        '?' | ':' => Some("a choice is written `where(condition, then, otherwise)`"),
        '%' => Some("a percentage is written `/100`; there is no remainder operator"),
        _ => None,
    }
}

/// A number at `start`: digits with at most one point, then an exponent if one is complete.
fn number(text: &str, start: usize) -> Result<(Token, usize), SyntaxError> {
    let rest = &text[start..];
    let digits = |from: usize| length_while(&rest[from..], |character| character.is_ascii_digit());
    let mut length = digits(0);
    let mut significant = length;
    if rest[length..].starts_with('.') {
        let fraction = digits(length + 1);
        significant += fraction;
        length += 1 + fraction;
    }
    if significant == 0 {
        return Err(module(text, start)
            .unwrap_or_else(|| SyntaxError::new(start..start + length, "a number needs a digit")));
    }
    if rest[length..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[length + 1..].starts_with(['+', '-']));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    let tail = length_while(&rest[length..], |character| continues_name(character) || character == '.');
    if tail > 0 {
        let (number, suffix) = (&rest[..length], &rest[length..length + tail]);
        let error = SyntaxError::new(
            start..start + length + tail,
            format!("`{}` is not a number", clipped(&rest[..length + tail])),
        );
        return Err(match suffix.chars().next() {
            Some(first) if first.is_alphabetic() => {
                let product = format!("a product needs its `*`: `{}*{}`", clipped(number), clipped(suffix));
                error.hint(match other_notations::is_unit(suffix) {
                    true => format!("{product}; {}", other_notations::UNITS),
                    false => product,
                })
            }
            _ => error,
        });
    }
    let value: f64 = rest[..length].parse().unwrap_or(f64::INFINITY);
    if !value.is_finite() {
        return Err(SyntaxError::new(start..start + length, "this number is too large"));
    }
    Ok((Token::Number(value), length))
}

/// `np.sin`, `torch.pi`: the dot at `start` stands between two names.
fn module(text: &str, start: usize) -> Option<SyntaxError> {
    let name = |character: char| continues_name(character) || character == '.';
    let before = text[..start].chars().rev().take_while(|character| name(*character));
    let begin = start - before.map(char::len_utf8).sum::<usize>();
    let end = start + length_while(&text[start..], name);
    let (whole, last) = (&text[begin..end], text[..end].rsplit('.').next()?);
    (is_name(last) && begin < start).then(|| {
        let message = format!("`{}` is written without a module", clipped(whole));
        SyntaxError::new(begin..end, message)
            .hint(format!("functions and numbers stand alone: `{}`", clipped(last)))
    })
}

fn length_while(text: &str, wanted: impl Fn(char) -> bool) -> usize {
    text.find(|character| !wanted(character)).unwrap_or(text.len())
}
