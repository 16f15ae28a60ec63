//! Tokens to a syntax tree. Sums and products are flat lists, so that only what the user nests is nested.

use super::token::{Lexeme, tokenize};
use super::{SyntaxError, Token};
use crate::expression::Comparison;
use crate::parse::other_notations;
use crate::parse::suggest::clipped;
use std::ops::Range;

/// A part of an expression and where it stands in its text.
#[derive(Clone, Debug)]
pub(in crate::parse) struct Syntax {
    pub(in crate::parse) kind: SyntaxKind,
    pub(in crate::parse) range: Range<usize>,
}

/// What a part of an expression is.
#[derive(Clone, Debug)]
pub(in crate::parse) enum SyntaxKind {
    Number(f64),
    Name(String),
    /// What stands between quotes.
    Text(String),
    /// `name[index]`
    Index(String, Box<Syntax>),
    /// `name(arguments)`; the range is the name's.
    Call(String, Range<usize>, Vec<Syntax>),
    /// `[components]`
    Vector(Vec<Syntax>),
    /// Terms, each with whether it is subtracted.
    Sum(Vec<(bool, Syntax)>),
    /// Factors, each with whether it divides.
    Product(Vec<(bool, Syntax)>),
    Power(Box<Syntax>, Box<Syntax>),
    Compare(Comparison, Box<Syntax>, Box<Syntax>),
    All(Vec<Syntax>),
    Any(Vec<Syntax>),
    Not(Box<Syntax>),
}

/// Reads a text from left to right.
pub(in crate::parse) struct Parser<'t> {
    text: &'t str,
    lexemes: Vec<Lexeme>,
    position: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    /// Parentheses, calls and exponents inside each other: far beyond what people write, and what
    /// fits a thread's default stack of 2 MiB even in an unoptimised build.
    const MAX_DEPTH: usize = 100;

    pub(in crate::parse) fn new(text: &'t str) -> Result<Self, SyntaxError> {
        if text.len() > crate::parse::MAX_EXPRESSION {
            return Err(SyntaxError::new(0..0, "this expression is longer than 64 KiB")
                .hint("name its parts in [functions]"));
        }
        Ok(Parser { text, lexemes: tokenize(text)?, position: 0, depth: 0 })
    }

    /// The whole text as one expression.
    pub(in crate::parse) fn expression_only(text: &'t str) -> Result<Syntax, SyntaxError> {
        let mut parser = Parser::new(text)?;
        let expression = parser.expression()?;
        if parser.peek() == Token::Equals {
            return Err(parser.wrong("expected an expression, found an equation"));
        }
        parser.end()?;
        Ok(expression)
    }

    /// The whole text as expressions between commas.
    pub(in crate::parse) fn expressions(text: &'t str) -> Result<Vec<Syntax>, SyntaxError> {
        let mut parser = Parser::new(text)?;
        let mut all = vec![parser.expression()?];
        while parser.take(Token::Comma) {
            all.push(parser.expression()?);
        }
        parser.end()?;
        Ok(all)
    }

    /// The whole text as `left = right`.
    pub(in crate::parse) fn equation(text: &'t str) -> Result<(Syntax, Syntax), SyntaxError> {
        let mut parser = Parser::new(text)?;
        let left = parser.expression()?;
        if parser.peek() == Token::End {
            return Err(SyntaxError::new(left.range, "this equation has no `=`")
                .hint("if the whole should vanish, add `= 0`"));
        }
        if !parser.take(Token::Equals) {
            return Err(parser.unexpected("an operator or `=`"));
        }
        let right = parser.expression()?;
        if parser.peek() == Token::Equals {
            return Err(parser.wrong("an equation has one `=` only"));
        }
        parser.end()?;
        Ok((left, right))
    }

    pub(in crate::parse) fn peek(&self) -> Token {
        self.lexemes[self.position].token
    }

    /// The name at the front, without taking it.
    pub(in crate::parse) fn peek_name(&self) -> Option<&'t str> {
        (self.peek() == Token::Name).then(|| &self.text[self.range()])
    }

    /// Where the token at the front stands.
    pub(in crate::parse) fn range(&self) -> Range<usize> {
        self.lexemes[self.position].range.clone()
    }

    /// Takes the token at the front if it is this one.
    pub(in crate::parse) fn take(&mut self, token: Token) -> bool {
        let found = self.peek() == token;
        if found && token != Token::End {
            self.position += 1;
        }
        found
    }

    /// Takes the name at the front if it is this word.
    pub(in crate::parse) fn take_word(&mut self, word: &str) -> bool {
        self.peek_name() == Some(word) && self.take(Token::Name)
    }

    pub(in crate::parse) fn end(&self) -> Result<(), SyntaxError> {
        match self.peek() {
            Token::End => Ok(()),
            _ => Err(self.unexpected("an operator")),
        }
    }

    /// Anything that has a value.
    pub(in crate::parse) fn expression(&mut self) -> Result<Syntax, SyntaxError> {
        let first = self.conjunction()?;
        if self.peek_name() != Some("or") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.take_word("or") {
            all.push(self.conjunction()?);
        }
        Ok(self.joined(all, SyntaxKind::Any))
    }

    fn conjunction(&mut self) -> Result<Syntax, SyntaxError> {
        let first = self.comparison()?;
        if self.peek_name() != Some("and") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.take_word("and") {
            all.push(self.comparison()?);
        }
        Ok(self.joined(all, SyntaxKind::All))
    }

    fn joined(&self, all: Vec<Syntax>, kind: fn(Vec<Syntax>) -> SyntaxKind) -> Syntax {
        let range = all[0].range.start..all[all.len() - 1].range.end;
        Syntax { kind: kind(all), range }
    }

    fn comparison(&mut self) -> Result<Syntax, SyntaxError> {
        let start = self.range().start;
        if self.take_word("not") {
            let inner = self.nested(Self::comparison)?;
            let range = start..inner.range.end;
            return Ok(Syntax { kind: SyntaxKind::Not(Box::new(inner)), range });
        }
        let left = self.sum()?;
        let Token::Compare(comparison) = self.peek() else { return Ok(left) };
        self.position += 1;
        let right = self.sum()?;
        if let Token::Compare(_) = self.peek() {
            return Err(self.wrong("comparisons do not chain").hint("write `a < b and b < c`"));
        }
        let range = left.range.start..right.range.end;
        Ok(Syntax { kind: SyntaxKind::Compare(comparison, Box::new(left), Box::new(right)), range })
    }

    /// Terms between `+` and `-`.
    pub(in crate::parse) fn sum(&mut self) -> Result<Syntax, SyntaxError> {
        let start = self.range().start;
        let mut terms = vec![self.product()?];
        loop {
            let negative = match self.peek() {
                Token::Plus => false,
                Token::Minus => true,
                _ => break,
            };
            self.position += 1;
            let (sign, term) = self.product()?;
            terms.push((sign != negative, term));
        }
        let end = terms[terms.len() - 1].1.range.end;
        if let [(false, _)] = terms[..] {
            return Ok(terms.remove(0).1);
        }
        Ok(Syntax { kind: SyntaxKind::Sum(terms), range: start..end })
    }

    /// Factors between `*` and `/`, with whether signs among them make the product negative.
    fn product(&mut self) -> Result<(bool, Syntax), SyntaxError> {
        let (mut negative, first) = self.factor()?;
        let mut factors = vec![(false, first)];
        loop {
            let divides = match self.peek() {
                Token::Star => false,
                Token::Slash => true,
                _ => break,
            };
            self.position += 1;
            let (sign, factor) = self.factor()?;
            negative ^= sign;
            factors.push((divides, factor));
        }
        if factors.len() == 1 {
            return Ok((negative, factors.remove(0).1));
        }
        let range = factors[0].1.range.start..factors[factors.len() - 1].1.range.end;
        Ok((negative, Syntax { kind: SyntaxKind::Product(factors), range }))
    }

    /// Signs, then a power: `-x^2` is `-(x^2)`.
    fn factor(&mut self) -> Result<(bool, Syntax), SyntaxError> {
        let mut negative = false;
        loop {
            match self.peek() {
                Token::Plus => {}
                Token::Minus => negative = !negative,
                _ => break,
            }
            self.position += 1;
        }
        Ok((negative, self.power()?))
    }

    fn power(&mut self) -> Result<Syntax, SyntaxError> {
        let base = self.primary()?;
        if !self.take(Token::Caret) {
            return Ok(base);
        }
        let start = self.range().start;
        let (negative, exponent) = self.nested(Self::factor)?;
        let range = base.range.start..exponent.range.end;
        let exponent = match negative {
            false => exponent,
            true => {
                let range = start..exponent.range.end;
                Syntax { kind: SyntaxKind::Sum(vec![(true, exponent)]), range }
            }
        };
        Ok(Syntax { kind: SyntaxKind::Power(Box::new(base), Box::new(exponent)), range })
    }

    fn primary(&mut self) -> Result<Syntax, SyntaxError> {
        let range = self.range();
        match self.peek() {
            Token::Number(value) => {
                self.position += 1;
                Ok(Syntax { kind: SyntaxKind::Number(value), range })
            }
            Token::Name => self.named(),
            Token::Text => {
                self.position += 1;
                let content = self.text[range.start + 1..range.end - 1].to_owned();
                Ok(Syntax { kind: SyntaxKind::Text(content), range })
            }
            Token::Open => {
                self.position += 1;
                let inner = self.nested(Self::expression)?;
                if self.peek() == Token::Comma {
                    return Err(self.unexpected("`)`").hint("a vector is written `[a, b]`"));
                }
                self.close(Token::Close, range.start, "`)`")?;
                let range = range.start..self.behind();
                Ok(Syntax { kind: inner.kind, range })
            }
            Token::OpenBracket => {
                self.position += 1;
                let components = self.list(Token::CloseBracket, range.start, "`]`")?;
                let range = range.start..self.behind();
                Ok(Syntax { kind: SyntaxKind::Vector(components), range })
            }
            _ => Err(self.unexpected("a number, a name or `(`")),
        }
    }

    fn named(&mut self) -> Result<Syntax, SyntaxError> {
        let range = self.range();
        let name = self.text[range.clone()].to_owned();
        if matches!(name.as_str(), "and" | "or" | "not") {
            return Err(self.unexpected("a number, a name or `(`"));
        }
        if let Some(hint) = other_notations::word(&name) {
            return Err(self.wrong(&format!("there is no `{name}` in formulas")).hint(hint));
        }
        self.position += 1;
        let open = self.range().start;
        if self.take(Token::Open) {
            let arguments = self.list(Token::Close, open, "`)`")?;
            let whole = range.start..self.behind();
            return Ok(Syntax { kind: SyntaxKind::Call(name, range, arguments), range: whole });
        }
        if self.take(Token::OpenBracket) {
            let index = self.nested(Self::expression)?;
            self.close(Token::CloseBracket, open, "`]`")?;
            let whole = range.start..self.behind();
            return Ok(Syntax { kind: SyntaxKind::Index(name, Box::new(index)), range: whole });
        }
        Ok(Syntax { kind: SyntaxKind::Name(name), range })
    }

    /// Expressions between commas up to the closing token; may be empty.
    fn list(&mut self, closing: Token, open: usize, name: &str) -> Result<Vec<Syntax>, SyntaxError> {
        let mut all = Vec::new();
        if self.take(closing) {
            return Ok(all);
        }
        loop {
            all.push(self.nested(Self::expression)?);
            if !self.take(Token::Comma) {
                self.close(closing, open, name)?;
                return Ok(all);
            }
        }
    }

    fn close(&mut self, closing: Token, open: usize, name: &str) -> Result<(), SyntaxError> {
        match self.peek() {
            found if found == closing => {
                self.position += 1;
                Ok(())
            }
            Token::End => {
                Err(SyntaxError::new(open..open + 1, format!("this bracket is never closed by {name}")))
            }
            Token::Equals => Err(self.unexpected(name)),
            _ => Err(self.unexpected(&format!("an operator, `,` or {name}"))),
        }
    }

    /// Goes one level deeper, while there are levels left.
    fn nested<T>(&mut self, inner: fn(&mut Self) -> Result<T, SyntaxError>) -> Result<T, SyntaxError> {
        if self.depth == Self::MAX_DEPTH {
            let message = format!("this expression nests deeper than {} levels", Self::MAX_DEPTH);
            return Err(self.wrong(&message).hint("name its parts in [functions]"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Where the token last taken ends.
    fn behind(&self) -> usize {
        self.lexemes[self.position.saturating_sub(1)].range.end
    }

    fn wrong(&self, message: &str) -> SyntaxError {
        SyntaxError::new(self.range(), message)
    }

    /// An error at the front: something else was expected.
    pub(in crate::parse) fn unexpected(&self, wanted: &str) -> SyntaxError {
        let found = match self.peek() {
            Token::End => "the end of the text".to_owned(),
            _ => format!("`{}`", clipped(&self.text[self.range()])),
        };
        let error = self.wrong(&format!("expected {wanted}, found {found}"));
        if let Some(hint) = self.peek_name().and_then(other_notations::word) {
            return error.hint(hint);
        }
        let after_number = self.position > 0
            && matches!(self.lexemes[self.position - 1].token, Token::Number(_) | Token::Close);
        match self.peek() {
            Token::Name if wanted.starts_with("an operator") && after_number => {
                error.hint(match self.peek_name().is_some_and(other_notations::is_unit) {
                    true => format!("a product needs its `*`; {}", other_notations::UNITS),
                    false => "a product needs its `*`".to_owned(),
                })
            }
            Token::Name | Token::Number(_) | Token::Open if wanted.starts_with("an operator") => {
                error.hint("a product needs its `*`")
            }
            Token::OpenBracket if wanted.starts_with("an operator") => error.hint(other_notations::UNITS),
            _ => error,
        }
    }
}

impl Syntax {
    /// Calls `each` for every name that stands for a value.
    pub(in crate::parse) fn names<'s>(&'s self, each: &mut impl FnMut(&'s str, &Range<usize>)) {
        match &self.kind {
            SyntaxKind::Number(_) | SyntaxKind::Text(_) => {}
            SyntaxKind::Name(name) => each(name, &self.range),
            SyntaxKind::Index(name, inner) => {
                each(name, &self.range);
                inner.names(each);
            }
            SyntaxKind::Call(_, _, parts)
            | SyntaxKind::Vector(parts)
            | SyntaxKind::All(parts)
            | SyntaxKind::Any(parts) => {
                parts.iter().for_each(|part| part.names(each));
            }
            SyntaxKind::Sum(parts) | SyntaxKind::Product(parts) => {
                parts.iter().for_each(|(_, part)| part.names(each))
            }
            SyntaxKind::Power(left, right) | SyntaxKind::Compare(_, left, right) => {
                left.names(each);
                right.names(each);
            }
            SyntaxKind::Not(inner) => inner.names(each),
        }
    }
}
