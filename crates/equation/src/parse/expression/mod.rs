//! Expressions inside strings: text → tokens → syntax tree → the pool.

mod calculus;
mod calls;
mod integrals;
mod lookup;
mod names;
mod operators;
mod resolve;
mod summation;
mod syntax;
mod token;

pub(super) use names::{Meaning, NameSplit, Scope, Uses};
pub(super) use operators::shape;
pub(super) use resolve::{Broken, Context, Integrals, NamedShape, Normals, Resolver, Value, Workshop};
pub(super) use syntax::{Parser, Syntax, SyntaxKind};
pub(super) use token::{Token, quotations};

use std::ops::Range;

/// Why a text is not an expression, and where.
#[derive(Debug)]
pub(super) struct SyntaxError {
    pub(super) range: Range<usize>,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl SyntaxError {
    pub(super) fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        SyntaxError { range, message: message.into(), hint: None }
    }

    /// The same error with advice.
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
