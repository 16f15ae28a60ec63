//! The `on` of a condition: `x = -1, x = 1`, `x = 0 and y = 0`, `boundary where x < 0`.

use crate::expression::{Leaf, Node};
use crate::parse::document::Text;
use crate::parse::expression::{
    Context, Parser, Resolver, Syntax, SyntaxError, SyntaxKind, Token, Value, Workshop,
};
use crate::problem::{Piece, Role};

/// Values this close to an end, as a share of the interval, are that end: `2*pi` has rounding errors.
const SNAP: f64 = 1e-12;

/// Pieces that one condition may have.
const MAX_PIECES: usize = 4096;

/// A piece as written.
struct Written {
    base: Base,
    filter: Option<Syntax>,
}

enum Base {
    Boundary(std::ops::Range<usize>),
    /// Coordinates with the values they are fixed at.
    Fixed(Vec<(Syntax, Syntax)>),
}

/// Reads a place. `None` when something is wrong with it, which has been reported.
pub(in crate::parse) fn read(
    text: &Text,
    ranges: &[Option<(f64, f64)>],
    workshop: &mut Workshop,
) -> Option<Vec<Piece>> {
    let written = parse(&text.content).map_err(|error| workshop.misread(text, error)).ok()?;
    let mut pieces = Vec::new();
    let mut fine = true;
    for Written { base, filter } in written {
        let places = match base {
            Base::Boundary(range) => boundary(text, range, ranges, workshop),
            Base::Fixed(fixed) => intersection(text, &fixed, ranges, workshop).map(|piece| vec![piece]),
        };
        let context = Context::coordinates("a filter");
        let filter = filter.map(|filter| workshop.scalar_of(text, &filter, &context));
        let (Some(places), false) = (places, matches!(filter, Some(None))) else {
            fine = false;
            continue;
        };
        let filter = filter.flatten();
        pieces.extend(places.into_iter().map(|piece| Piece { filter, ..piece }));
    }
    if pieces.len() > MAX_PIECES {
        workshop.mistakes.report(text.span, format!("more than {MAX_PIECES} places"));
        return None;
    }
    fine.then_some(pieces)
}

fn parse(text: &str) -> Result<Vec<Written>, SyntaxError> {
    if text.trim().is_empty() {
        let error = SyntaxError::new(0..text.len(), "this place is empty");
        return Err(error.hint("name a place such as `x = 0` or `boundary`"));
    }
    let mut parser = Parser::new(text)?;
    let mut pieces = Vec::new();
    loop {
        let range = parser.range();
        let base = if parser.take_word("boundary") {
            Base::Boundary(range)
        } else {
            let mut fixed = Vec::new();
            loop {
                let coordinate = parser.sum()?;
                if !parser.take(Token::Equals) {
                    let error = parser.unexpected("`=`");
                    return Err(error.hint("a place is written `x = 0`, or `boundary`"));
                }
                fixed.push((coordinate, parser.sum()?));
                if !parser.take_word("and") {
                    break;
                }
            }
            Base::Fixed(fixed)
        };
        let filter = if parser.take_word("where") { Some(parser.expression()?) } else { None };
        pieces.push(Written { base, filter });
        if !parser.take(Token::Comma) {
            break;
        }
    }
    if parser.peek() != Token::End {
        let error = parser.unexpected("`,`, `and` or `where`");
        return Err(error.hint("`,` joins places, `and` narrows one down, `where` filters"));
    }
    Ok(pieces)
}

fn boundary(
    text: &Text,
    range: std::ops::Range<usize>,
    ranges: &[Option<(f64, f64)>],
    workshop: &mut Workshop,
) -> Option<Vec<Piece>> {
    let space = workshop.scope.space();
    if workshop.scope.lacks_coordinates() {
        return None;
    }
    if space.is_empty() {
        let message = "`boundary` means the faces of the space coordinates, and there are none";
        workshop.mistakes.report(text.place(range), message);
        return None;
    }
    let mut faces = Vec::with_capacity(2 * space.len());
    for axis in space {
        let (low, high) = (*ranges.get(axis)?)?;
        for (value, sign) in [(low, -1.0), (high, 1.0)] {
            faces.push(Piece { fixed: vec![(axis, value)], filter: None, normal: Some((axis, sign)) });
        }
    }
    Some(faces)
}

fn intersection(
    text: &Text,
    written: &[(Syntax, Syntax)],
    ranges: &[Option<(f64, f64)>],
    workshop: &mut Workshop,
) -> Option<Piece> {
    let mut fixed: Vec<(usize, f64)> = Vec::new();
    let mut ends = Vec::new();
    let mut fine = true;
    for (coordinate, value) in written {
        let axis = axis(text, coordinate, workshop);
        let number = workshop.constant_of(text, value, "a place");
        let (Some(axis), Some(mut number)) = (axis, number) else {
            fine = false;
            continue;
        };
        let name = workshop.scope.coordinates[axis].0.clone();
        if fixed.iter().any(|&(other, _)| other == axis) {
            let message = format!("`{name}` is fixed twice");
            let hint = "`,` joins places, `and` narrows one down";
            workshop.mistakes.report_with(text.place(coordinate.range.clone()), message, hint);
            fine = false;
            continue;
        }
        let Some(&Some((low, high))) = ranges.get(axis) else {
            fine = false;
            continue;
        };
        for (end, sign) in [(low, -1.0), (high, 1.0)] {
            if (number - end).abs() <= SNAP * (high - low) {
                number = end;
                ends.push((axis, sign));
            }
        }
        if number < low || number > high {
            let message = format!("`{name} = {number}` lies outside its interval [{low}, {high}]");
            let hint = format!("its ends are `{name} = {low}` and `{name} = {high}`");
            workshop.mistakes.report_with(text.place(value.range.clone()), message, hint);
            fine = false;
        }
        fixed.push((axis, number));
    }
    fixed.sort_by_key(|&(axis, _)| axis);
    let normal = match (&fixed[..], &ends[..]) {
        ([_], &[(axis, sign)]) if workshop.scope.coordinates[axis].1 == Role::Space => Some((axis, sign)),
        _ => None,
    };
    fine.then_some(Piece { fixed, filter: None, normal })
}

fn axis(text: &Text, syntax: &Syntax, workshop: &mut Workshop) -> Option<usize> {
    let context = Context::everything("a place");
    let report = |workshop: &mut Workshop, message: String, hint: &str| {
        workshop.mistakes.report_with(text.place(syntax.range.clone()), message, hint);
        None
    };
    if !matches!(syntax.kind, SyntaxKind::Name(_) | SyntaxKind::Index(..)) {
        return report(
            workshop,
            "expected a coordinate".to_owned(),
            "a place is written `x = 0`, or `boundary`",
        );
    }
    match Resolver::new(workshop, text, &context).finish(syntax).ok()? {
        Value::Scalar(expression) => match workshop.pool.node(expression) {
            Node::Leaf(Leaf::Coordinate(axis)) => Some(usize::from(*axis)),
            _ => report(
                workshop,
                "expected a coordinate".to_owned(),
                "a place is written `x = 0`, or `boundary`",
            ),
        },
        Value::Vector(_) => {
            let hint = "name one, such as `x1 = 0`, or all faces with `boundary`";
            report(workshop, "expected one coordinate, found several".to_owned(), hint)
        }
    }
}
