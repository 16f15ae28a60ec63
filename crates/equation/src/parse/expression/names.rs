//! What names mean.

use super::Value;
use super::token::is_name;
use crate::expression::Function;
use crate::parse::diagnostic::Mistakes;
use crate::parse::source::Span;
use crate::parse::suggest::clipped;
use crate::problem::{Role, axes};
use std::collections::HashMap;

/// What a declared name stands for.
#[derive(Clone, Debug)]
pub(in crate::parse) enum Meaning {
    Coordinate(usize),
    /// Coordinates declared together with `count`.
    Family(Vec<usize>),
    Constant(f64),
    Parameter(usize),
    Unknown(usize),
    Function(Value, Uses),
    /// Declared, and its declaration is wrong or not yet read: using it is no mistake of its own.
    Broken,
}

impl Meaning {
    /// For "`x` is …".
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Meaning::Coordinate(_) => "a coordinate",
            Meaning::Family(_) => "a family of coordinates",
            Meaning::Constant(_) => "a constant",
            Meaning::Parameter(_) => "a parameter",
            Meaning::Unknown(_) => "an unknown",
            Meaning::Function(..) | Meaning::Broken => "a function",
        }
    }
}

/// Which kinds of names an expression rests on, also through functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::parse) struct Uses {
    pub(in crate::parse) coordinates: bool,
    pub(in crate::parse) parameters: bool,
    pub(in crate::parse) unknowns: bool,
    pub(in crate::parse) files: bool,
}

impl Uses {
    pub(super) fn add(&mut self, other: Uses) {
        self.coordinates |= other.coordinates;
        self.parameters |= other.parameters;
        self.unknowns |= other.unknowns;
        self.files |= other.files;
    }
}

/// Operators that are written like calls, with how they are called.
pub(super) const OPERATORS: [(&str, &str); 15] = [
    ("d", "d(expression, x, …)"),
    ("dn", "dn(expression)"),
    ("grad", "grad(expression)"),
    ("div", "div(vector)"),
    ("curl", "curl(vector)"),
    ("laplacian", "laplacian(expression)"),
    ("dot", "dot(vector, vector)"),
    ("sum", "sum(i, expression), sum(i, from, to, expression) or sum(vector)"),
    ("min", "min(a, b, …)"),
    ("max", "max(a, b, …)"),
    (
        "integral",
        "integral(expression, \"boundary\"), integral(expression, x) or integral(expression, \"inside\")",
    ),
    ("at", "at(expression, [x, y])"),
    ("dirac", "dirac(x - 0.5, width) or dirac([x - 0.5, y - 0.5], width)"),
    ("jump", "jump(expression)"),
    ("where", "where(condition, then, otherwise)"),
];

/// How a function or operator is called; `None` for other names.
pub(super) fn signature(name: &str) -> Option<String> {
    let operator = OPERATORS.iter().find(|(operator, _)| *operator == name);
    operator.map(|(_, signature)| (*signature).to_owned()).or_else(|| {
        Function::ALL.iter().find(|function| function.name() == name).map(|_| format!("{name}(x)"))
    })
}

/// Why a name cannot be declared; `None` when it can.
pub(super) fn reserved(name: &str) -> Option<&'static str> {
    match name {
        "pi" | "e" => Some("the name of a number"),
        "N" => Some("reserved for the network's output in [ansatz]"),
        "and" | "or" | "not" | "boundary" => Some("a word of the language"),
        // Younger than files that use these names for something else: only a call means the operator.
        "integral" | "at" | "jump" | "dirac" => None,
        _ if signature(name).is_some() => Some("the name of a function"),
        _ => None,
    }
}

/// A declared name.
#[derive(Debug)]
pub(in crate::parse) struct Symbol {
    pub(in crate::parse) meaning: Meaning,
    pub(in crate::parse) span: Span,
    section: &'static str,
    /// Declared twice.
    disputed: bool,
}

/// All declared names.
#[derive(Debug, Default)]
pub(in crate::parse) struct Scope {
    symbols: HashMap<String, Symbol>,
    /// In the order of declaration, so that messages do not depend on hashing.
    order: Vec<String>,
    /// Coordinates in order.
    pub(in crate::parse) coordinates: Vec<(String, Role)>,
    /// Families whose count is wrong: their members cannot be known.
    pub(in crate::parse) broken_families: Vec<String>,
}

impl Scope {
    /// Declares a name. False, and reported, when it cannot be declared.
    pub(in crate::parse) fn declare(
        &mut self,
        name: &str,
        meaning: Meaning,
        section: &'static str,
        span: Span,
        mistakes: &mut Mistakes,
    ) -> bool {
        let shown = clipped(name);
        if !is_name(name) {
            let hint = "letters, digits and underscores, beginning with a letter";
            mistakes.report_with(span, format!("`{shown}` cannot be a name"), hint);
            return false;
        }
        if let Some(reason) = reserved(name) {
            mistakes.report_with(span, format!("`{shown}` is {reason}"), "choose another name");
            return false;
        }
        if let Some(first) = self.symbols.get_mut(name) {
            // Whichever was meant, its uses are no mistakes of their own.
            first.meaning = Meaning::Broken;
            first.disputed = true;
            let message = format!("`{shown}` is declared twice");
            mistakes.report_with(span, message, format!("it is also in [{}]", first.section));
            return false;
        }
        self.symbols.insert(name.to_owned(), Symbol { meaning, span, section, disputed: false });
        self.order.push(name.to_owned());
        true
    }

    /// Changes what a declared name means.
    pub(in crate::parse) fn define(&mut self, name: &str, meaning: Meaning) {
        if let Some(symbol) = self.symbols.get_mut(name).filter(|symbol| !symbol.disputed) {
            symbol.meaning = meaning;
        }
    }

    pub(in crate::parse) fn get(&self, name: &str) -> Option<&Meaning> {
        match self.symbols.get(name) {
            Some(symbol) => Some(&symbol.meaning),
            None if self.in_broken_family(name) => Some(&Meaning::Broken),
            None => None,
        }
    }

    /// Where a name is declared.
    pub(in crate::parse) fn span(&self, name: &str) -> Option<Span> {
        self.symbols.get(name).map(|symbol| symbol.span)
    }

    /// Whether a name stands for an unknown, a function of unknowns, or a derivative of one.
    pub(in crate::parse) fn uses_unknowns(&self, name: &str) -> bool {
        let base = match (self.get(name), self.split(name)) {
            (None, NameSplit::Derivative { base, .. }) => base,
            _ => name,
        };
        match self.get(base) {
            Some(Meaning::Unknown(_)) => true,
            Some(Meaning::Function(_, uses)) => uses.unknowns,
            Some(
                Meaning::Coordinate(_)
                | Meaning::Family(_)
                | Meaning::Constant(_)
                | Meaning::Parameter(_)
                | Meaning::Broken,
            )
            | None => false,
        }
    }

    /// The section that declares a name.
    pub(in crate::parse) fn section(&self, name: &str) -> Option<&'static str> {
        self.symbols.get(name).map(|symbol| symbol.section)
    }

    /// All names, in the order of declaration.
    pub(in crate::parse) fn names(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(String::as_str)
    }

    /// The unknowns, in the order of declaration.
    pub(super) fn unknowns(&self) -> impl Iterator<Item = &str> {
        self.names().filter(|name| matches!(self.get(name), Some(Meaning::Unknown(_))))
    }

    fn in_broken_family(&self, name: &str) -> bool {
        self.broken_families.iter().any(|family| {
            name.strip_prefix(family.as_str())
                .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
        })
    }

    /// Whether some coordinates could not be declared.
    pub(in crate::parse) fn lacks_coordinates(&self) -> bool {
        !self.broken_families.is_empty()
    }

    /// The space coordinates.
    pub(in crate::parse) fn space(&self) -> Vec<usize> {
        let is_space = |(_, (_, role)): &(usize, &(String, Role))| *role == Role::Space;
        self.coordinates.iter().enumerate().filter(is_space).map(|(axis, _)| axis).collect()
    }

    /// Splits `u_xy` into a base that is declared and coordinates. Exact names are not split:
    /// whoever declares `sigma_xx` means it.
    pub(in crate::parse) fn split<'n>(&self, name: &'n str) -> NameSplit<'n> {
        let mut nearest = None;
        // Longer names are refused rather than searched: every split looks at all the rest.
        for (position, _) in name.char_indices().rev().filter(|&(_, c)| c == '_').take(32) {
            let (base, suffix) = (&name[..position], &name[position + 1..]);
            if self.get(base).is_none() {
                continue;
            }
            match self.axes(suffix) {
                Some(axes) => return NameSplit::Derivative { base, axes },
                None => nearest = nearest.or(Some(NameSplit::NotCoordinates { base, suffix })),
            }
        }
        nearest.unwrap_or(NameSplit::Nothing)
    }

    /// A text as coordinate names one after the other.
    fn axes(&self, suffix: &str) -> Option<Vec<usize>> {
        axes(self.coordinates.iter().map(|(name, _)| name.as_str()), suffix)
    }

    /// Names that shadow a derivative: `u_x` beside an unknown `u` and a coordinate `x`. Each with the
    /// name whose derivative it would be, in the order of declaration.
    pub(in crate::parse) fn shadows(&self) -> Vec<(String, String, Span)> {
        let mut shadows = Vec::new();
        for name in self.names() {
            let NameSplit::Derivative { base, .. } = self.split(name) else { continue };
            let differentiable = match self.get(base) {
                Some(Meaning::Unknown(_) | Meaning::Function(..)) => true,
                // A function that is not yet read counts as one.
                Some(Meaning::Broken) => self.section(base) == Some("functions"),
                Some(
                    Meaning::Coordinate(_)
                    | Meaning::Family(_)
                    | Meaning::Constant(_)
                    | Meaning::Parameter(_),
                )
                | None => false,
            };
            if let (true, Some(span)) = (differentiable, self.span(name)) {
                shadows.push((name.to_owned(), base.to_owned(), span));
            }
        }
        shadows
    }
}

/// A name with an underscore, taken apart.
#[derive(Debug, PartialEq)]
pub(in crate::parse) enum NameSplit<'n> {
    /// The derivative of a declared name.
    Derivative { base: &'n str, axes: Vec<usize> },
    /// Declared before the underscore, and something else than coordinates behind it.
    NotCoordinates { base: &'n str, suffix: &'n str },
    /// Nothing before any underscore is declared.
    Nothing,
}
