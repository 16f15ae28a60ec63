//! The `on` of a condition: `x = -1, x = 1`, `x = 0 and y = 0`, `boundary where x < 0`; on shapes `disk1`, `channel.left`.

use crate::expression::{Leaf, Node, Pool};
use crate::parse::document::Text;
use crate::parse::expression::{
    Context, Parser, Resolver, Syntax, SyntaxError, SyntaxKind, Token, Value, Workshop,
};
use crate::parse::suggest::{clipped, listed};
use crate::problem::{Geometry, Piece, Role};

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
    /// Pieces of the boundary of a shape, by position.
    Surfaces(Vec<usize>),
    /// Coordinates with the values they are fixed at.
    Fixed(Vec<(Syntax, Syntax)>),
}

/// Reads a place. `None` when something is wrong with it, which has been reported.
pub(in crate::parse) fn read(
    text: &Text,
    ranges: &[Option<(f64, f64)>],
    geometry: Option<&Geometry>,
    workshop: &mut Workshop,
) -> Option<Vec<Piece>> {
    let names = geometry.map(names).unwrap_or_default();
    let written = parse(&text.content, &names).map_err(|error| workshop.misread(text, error)).ok()?;
    let mut pieces = Vec::new();
    let mut fine = true;
    for Written { base, filter } in written {
        let places = match base {
            Base::Boundary(range) => match geometry {
                Some(geometry) => Some((0..geometry.solid.pieces().len()).map(surface).collect()),
                None => boundary(text, range, ranges, workshop),
            },
            Base::Surfaces(surfaces) => Some(surfaces.into_iter().map(surface).collect()),
            Base::Fixed(fixed) => {
                let piece = intersection(text, &fixed, ranges, workshop);
                piece.map(|piece| on_shape(&workshop.pool, piece, geometry))
            }
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

/// What pieces of a boundary, and groups of them, are called in a place, and which they are.
type PieceNames = Vec<(String, Vec<usize>)>;

/// The names of pieces, and of the copies and parts that they belong to.
fn names(geometry: &Geometry) -> PieceNames {
    let mut names: PieceNames = Vec::new();
    for (position, piece) in geometry.solid.pieces().iter().enumerate() {
        // The whole name, and all that it begins with: a copy, a part.
        let dots = piece.name().match_indices('.').map(|(dot, _)| dot);
        for name in dots.chain([piece.name().len()]).map(|end| &piece.name()[..end]) {
            match names.iter_mut().find(|(own, _)| own == name) {
                Some((_, positions)) => positions.push(position),
                None => names.push((name.to_owned(), vec![position])),
            }
        }
    }
    for name in geometry.solid.removed() {
        if names.iter().all(|(own, _)| own != name) {
            names.push((name.clone(), Vec::new()));
        }
    }
    names
}

/// A text in which names with dots are single words, as long as before.
fn with_words(text: &str, names: &PieceNames) -> String {
    let mut dotted: Vec<&str> =
        names.iter().map(|(name, _)| name.as_str()).filter(|name| name.contains('.')).collect();
    // A name may begin another one.
    dotted.sort_by_key(|name| std::cmp::Reverse(name.len()));
    dotted.into_iter().fold(text.to_owned(), |text, name| text.replace(name, &name.replace('.', "_")))
}

/// Where a text names a piece that a part does not have.
fn no_such_piece(words: &str, names: &PieceNames) -> Option<SyntaxError> {
    let within = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
    let mut end = 0;
    let (range, name) = words.split_inclusive(|letter| !within(letter)).find_map(|word| {
        let start = end;
        end += word.len();
        let word = word.trim_end_matches(|letter| !within(letter));
        let (part, _) = word.split_once('.')?;
        names.iter().any(|(name, _)| name == part).then(|| (start..start + word.len(), word))
    })?;
    let error = SyntaxError::new(range, format!("there is no piece `{}` of the boundary", clipped(name)));
    Some(error.hint(format!("its pieces are {}", listed(left(names)))))
}

fn surface(position: usize) -> Piece {
    Piece { fixed: Vec::new(), filter: None, normal: None, surface: Some(position) }
}

/// A plane through a shape: the pieces of its boundary that lie on the plane, or what is inside of it.
fn on_shape(pool: &Pool, piece: Piece, geometry: Option<&Geometry>) -> Vec<Piece> {
    let (Some(geometry), &[(axis, value)]) = (geometry, &piece.fixed[..]) else { return vec![piece] };
    let Some(own) = geometry.axes.iter().position(|&other| other == axis) else { return vec![piece] };
    let bounds = geometry.solid.bounds()[own];
    let lies = |piece: &&geometry::Piece| {
        let Some(level) = piece.level().filter(|level| level.is_plane()) else { return false };
        let across = level.linear[own];
        let along = level.linear.iter().enumerate().filter(|(other, _)| *other != own);
        let size = level.linear.iter().map(|slope| slope.abs()).fold(0.0, f64::max);
        let flat = along.map(|(_, slope)| slope.abs()).fold(0.0, f64::max) <= SNAP * size;
        flat && (level.constant + across * value).abs() <= 1e-9 * (bounds[1] - bounds[0]) * size
    };
    let pieces = geometry.solid.pieces();
    let found: Vec<Piece> = (0..pieces.len())
        .filter(|&own| lies(&&pieces[own]) && !geometry.moves(pool, own))
        .map(surface)
        .collect();
    if found.is_empty() { vec![Piece { normal: None, ..piece }] } else { found }
}

/// The pieces of a name at the front of a text, if there is one.
fn named(parser: &mut Parser<'_>, names: &PieceNames) -> Result<Option<Vec<usize>>, SyntaxError> {
    let (Some(name), false) = (parser.peek_name(), names.is_empty()) else { return Ok(None) };
    let range = parser.range();
    let known = names.iter().find(|(own, _)| own.replace('.', "_") == name);
    match known {
        Some((own, positions)) if positions.is_empty() => Err(SyntaxError::new(
            range,
            format!("nothing is left of `{own}` on the boundary: operations have removed it"),
        )
        .hint(format!("what is left is {}", listed(left(names))))),
        Some((_, positions)) => {
            parser.take(Token::Name);
            Ok(Some(positions.clone()))
        }
        None => Ok(None),
    }
}

/// Names of what is left on the boundary.
fn left(names: &PieceNames) -> impl Iterator<Item = &str> {
    names.iter().filter(|(_, positions)| !positions.is_empty()).map(|(name, _)| name.as_str())
}

fn parse(text: &str, names: &PieceNames) -> Result<Vec<Written>, SyntaxError> {
    if text.trim().is_empty() {
        let error = SyntaxError::new(0..text.len(), "this place is empty");
        return Err(error.hint("name a place such as `x = 0` or `boundary`"));
    }
    let words = with_words(text, names);
    if let Some(error) = no_such_piece(&words, names) {
        return Err(error);
    }
    let mut parser = Parser::new(&words)?;
    let mut pieces = Vec::new();
    loop {
        let range = parser.range();
        let base = if parser.take_word("boundary") {
            Base::Boundary(range)
        } else if let Some(surfaces) = named(&mut parser, names)? {
            Base::Surfaces(surfaces)
        } else {
            let mut fixed = Vec::new();
            loop {
                let coordinate = parser.sum()?;
                if !parser.take(Token::Equals) {
                    let error = parser.unexpected("`=`");
                    return Err(match names.is_empty() {
                        true => error.hint("a place is written `x = 0`, or `boundary`"),
                        false => {
                            let pieces = listed(left(names));
                            error.hint(format!("a place is `x = 0`, `boundary`, or a piece of it: {pieces}"))
                        }
                    });
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
            let normal = Some((axis, sign));
            faces.push(Piece { fixed: vec![(axis, value)], filter: None, normal, surface: None });
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
    fine.then_some(Piece { fixed, filter: None, normal, surface: None })
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
