//! `[geometry]`: the part of space that the problem is about, where that is not the whole box.

use crate::parse::document::{Text, TomlTable};
use crate::parse::expression::{Parser, Syntax, SyntaxKind, Workshop};
use crate::parse::reader;
use crate::parse::source::Span;
use crate::parse::suggest::listed;
use crate::problem::Geometry;
use geometry::{GeometryError, Shape, Solid};
use std::ops::Range;
use std::sync::Arc;

/// The key of the whole; all others name parts of it.
const WHOLE: &str = "shape";

/// How far a shape may reach beyond the box, as a share of the interval: rounding.
const SLACK: f64 = 1e-9;

/// Shapes and what is done with them, as a hint shows them.
const CALLS: [(&str, &str); 20] = [
    ("interval", "interval(0, 1)"),
    ("rectangle", "rectangle([0, 0], [2, 1])"),
    ("box", "box([0, 0, 0], [1, 1, 1])"),
    ("disk", "disk([0, 0], 1)"),
    ("ellipse", "ellipse([0, 0], [2, 1])"),
    ("polygon", "polygon([[0, 0], [1, 0], [0, 1]])"),
    ("star", "star([0, 0], 1, 0.5, 5)"),
    ("spline", "spline([[1, 0], [0, 1], [-1, 0], [0, -1]])"),
    ("sphere", "sphere([0, 0, 0], 1)"),
    ("ellipsoid", "ellipsoid([0, 0, 0], [3, 2, 1])"),
    ("cylinder", "cylinder([0, 0, 0], [0, 0, 1], 0.5)"),
    ("cone", "cone([0, 0, 0], [0, 0, 1], 0.5)"),
    ("torus", "torus([0, 0, 0], [0, 0, 1], 1, 0.2)"),
    ("half_space", "half_space([0, 0], [1, 0])"),
    ("translate", "translate(disk([0, 0], 1), [2, 0])"),
    ("rotate", "rotate(rectangle([0, 0], [2, 1]), pi/4)"),
    ("scale", "scale(disk([0, 0], 1), 2)"),
    ("repeat", "repeat(disk([0, 0], 0.1), [0.5, 0], 4)"),
    ("union", "union(disk([0, 0], 1), disk([1, 0], 1))"),
    ("intersection", "intersection(disk([0, 0], 1), disk([1, 0], 1))"),
];

/// Reads the section. `None` where there is none, or where something is wrong with it, which has been reported.
pub(in crate::parse) fn read(
    section: &TomlTable,
    ranges: &[Option<(f64, f64)>],
    workshop: &mut Workshop,
) -> Option<Geometry> {
    let whole = section.get(WHOLE);
    if whole.is_none() {
        if let Some(first) = section.entries.first() {
            let hint = "add `shape = \"rectangle([0, 0], [2, 1]) - disk([0.5, 0.5], 0.2)\"`";
            workshop.mistakes.report_with(first.key_span, "[geometry] has no `shape`", hint);
        }
        return None;
    }
    let mut parts: Vec<(String, Option<Shape>)> = Vec::new();
    for entry in section.entries.iter().filter(|entry| entry.key != WHOLE) {
        let text = reader::text(&entry.node, &mut workshop.mistakes);
        let shape = text.and_then(|text| read_shape(text, &parts, workshop));
        parts.push((entry.key.clone(), shape.map(|shape| shape.named(&entry.key))));
    }
    workshop.parts.clone_from(&parts);
    let entry = whole?;
    let text = reader::text(&entry.node, &mut workshop.mistakes)?;
    let shape = read_shape(text, &parts, workshop)?;
    let axes = workshop.scope.space();
    if shape.dimension() != axes.len() {
        let names: Vec<&str> = axes.iter().map(|&axis| workshop.scope.coordinates[axis].0.as_str()).collect();
        let message = format!("this shape has {} dimension{}", shape.dimension(), plural(shape.dimension()));
        let hint = match names.len() {
            0 => "[domain] has no space coordinate".to_owned(),
            count => format!("[domain] has {count} space coordinate{}: {}", plural(count), names.join(", ")),
        };
        workshop.mistakes.report_with(entry.node.span, message, hint);
        return None;
    }
    let solid = match Solid::new(shape) {
        Ok(solid) => solid,
        Err(error) => {
            refuse(&error, entry.node.span, workshop);
            return None;
        }
    };
    for (&axis, [low, high]) in axes.iter().zip(solid.bounds()) {
        let (start, end) = (*ranges.get(axis)?)?;
        let slack = SLACK * (end - start);
        if *low < start - slack || *high > end + slack {
            let name = workshop.scope.coordinates[axis].0.clone();
            // No negative zeros for people.
            let (low, high) = (low + 0.0, high + 0.0);
            let message =
                format!("the shape lies between {name} = {low} and {name} = {high}, outside of [domain]");
            let hint = format!("write `{name} = [{low}, {high}]` in [domain], or move the shape");
            workshop.mistakes.report_with(entry.node.span, message, hint);
            return None;
        }
    }
    Some(Geometry { solid: Arc::new(solid), axes })
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn refuse(error: &GeometryError, span: Span, workshop: &mut Workshop) {
    workshop.mistakes.report(span, error.to_string());
}

/// Reads a shape, which may use parts by their names.
pub(super) fn read_shape(
    text: &Text,
    parts: &[(String, Option<Shape>)],
    workshop: &mut Workshop,
) -> Option<Shape> {
    let syntax =
        Parser::expression_only(&text.content).map_err(|error| workshop.misread(text, error)).ok()?;
    ShapeReader { text, parts, workshop }.shape(&syntax)
}

/// Reads one text.
struct ShapeReader<'r> {
    text: &'r Text,
    /// Parts that were named before; `None` where they are wrong, which has been reported.
    parts: &'r [(String, Option<Shape>)],
    workshop: &'r mut Workshop,
}

impl ShapeReader<'_> {
    fn wrong<T>(
        &mut self,
        range: Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Option<T> {
        self.workshop.mistakes.report_with(self.text.place(range), message.into(), hint.into());
        None
    }

    fn checked(&mut self, range: Range<usize>, shape: Result<Shape, GeometryError>) -> Option<Shape> {
        match shape {
            Ok(shape) => Some(shape),
            Err(error) => {
                refuse(&error, self.text.place(range), self.workshop);
                None
            }
        }
    }

    fn shape(&mut self, syntax: &Syntax) -> Option<Shape> {
        let range = syntax.range.clone();
        match &syntax.kind {
            SyntaxKind::Name(name) => self.part(name, range),
            SyntaxKind::Call(name, place, arguments) => self.call(name, place.clone(), range, arguments),
            SyntaxKind::Sum(terms) => {
                let [(false, first), rest @ ..] = &terms[..] else {
                    return self.wrong(range, "a shape cannot be negative", "write `a - b` for what is in a and not in b");
                };
                let mut whole = self.shape(first)?;
                for (subtracted, term) in rest {
                    let other = self.shape(term)?;
                    let both = if *subtracted { whole.difference(other) } else { whole.union(other) };
                    whole = self.checked(range.clone(), both)?;
                }
                Some(whole)
            }
            SyntaxKind::Product(factors) => {
                let mut shapes = Vec::new();
                for (divides, factor) in factors {
                    if *divides {
                        return self.wrong(range, "shapes cannot be divided", "write `a - b` for what is in a and not in b");
                    }
                    shapes.push(self.shape(factor)?);
                }
                let both = |one: Shape, other: Shape| one.intersection(other);
                self.folded(range, shapes, both)
            }
            _ => self.wrong(
                range,
                "expected a shape",
                "as in `rectangle([0, 0], [2, 1]) - disk([0.5, 0.5], 0.2)`: `+` joins shapes, `-` cuts out, `*` intersects",
            ),
        }
    }

    fn folded(
        &mut self,
        range: Range<usize>,
        shapes: Vec<Shape>,
        both: impl Fn(Shape, Shape) -> Result<Shape, GeometryError>,
    ) -> Option<Shape> {
        let mut shapes = shapes.into_iter();
        let mut whole = shapes.next()?;
        for other in shapes {
            whole = self.checked(range.clone(), both(whole, other))?;
        }
        Some(whole)
    }

    fn part(&mut self, name: &str, range: Range<usize>) -> Option<Shape> {
        if let Some((_, shape)) = self.parts.iter().find(|(own, _)| own == name) {
            return shape.clone();
        }
        let hint = match self.parts.is_empty() {
            true => {
                "name parts of a shape above `shape`, as in `hole = \"disk([0.5, 0.5], 0.2)\"`".to_owned()
            }
            false => format!(
                "the parts before this one are {}",
                listed(self.parts.iter().map(|(own, _)| own.as_str()))
            ),
        };
        self.wrong(range, format!("there is no part `{name}` of the shape"), hint)
    }

    fn number(&mut self, syntax: &Syntax) -> Option<f64> {
        self.workshop.constant_of(self.text, syntax, "a shape")
    }

    fn numbers(&mut self, syntax: &Syntax) -> Option<Vec<f64>> {
        match &syntax.kind {
            SyntaxKind::Vector(items) => items.iter().map(|item| self.number(item)).collect(),
            _ => self.wrong(syntax.range.clone(), "expected a point", "a point is written `[0.5, 0.2]`"),
        }
    }

    fn vector<const N: usize>(&mut self, syntax: &Syntax) -> Option<[f64; N]> {
        let numbers = self.numbers(syntax)?;
        let found = numbers.len();
        match numbers.try_into() {
            Ok(vector) => Some(vector),
            Err(_) => self.wrong(
                syntax.range.clone(),
                format!("expected {N} numbers, found {found}"),
                format!("this shape lies in {N} dimensions"),
            ),
        }
    }

    fn vertices(&mut self, syntax: &Syntax) -> Option<Vec<[f64; 2]>> {
        match &syntax.kind {
            SyntaxKind::Vector(items) => items.iter().map(|item| self.vector(item)).collect(),
            _ => self.wrong(syntax.range.clone(), "expected points", "as in `[[0, 0], [1, 0], [0, 1]]`"),
        }
    }

    fn count(&mut self, syntax: &Syntax) -> Option<usize> {
        let number = self.number(syntax)?;
        if (1.0..=1e6).contains(&number) && number.fract() == 0.0 {
            return Some(number as usize);
        }
        self.wrong(syntax.range.clone(), format!("{number}: expected a whole number from 1 on"), "as in `4`")
    }

    fn call(
        &mut self,
        name: &str,
        place: Range<usize>,
        range: Range<usize>,
        arguments: &[Syntax],
    ) -> Option<Shape> {
        let name = match name {
            "circle" => "disk",
            "cuboid" => "box",
            "ball" => "sphere",
            "half_plane" => "half_space",
            other => other,
        };
        let shape = match (name, arguments) {
            ("interval", [low, high]) => Shape::interval(self.number(low)?, self.number(high)?),
            ("rectangle", [low, high]) => Shape::rectangle(self.vector(low)?, self.vector(high)?),
            ("box", [low, high]) => Shape::cuboid(self.vector(low)?, self.vector(high)?),
            ("disk", [center, radius]) => Shape::disk(self.vector(center)?, self.number(radius)?),
            ("ellipse", [center, axes]) => Shape::ellipse(self.vector(center)?, self.vector(axes)?),
            ("polygon", [points]) => Shape::polygon(self.vertices(points)?),
            ("spline", [points]) => Shape::spline(self.vertices(points)?),
            ("star", [center, outer, inner, tips]) => {
                Shape::star(self.vector(center)?, self.number(outer)?, self.number(inner)?, self.count(tips)?)
            }
            ("sphere", [center, radius]) => Shape::sphere(self.vector(center)?, self.number(radius)?),
            ("ellipsoid", [center, axes]) => Shape::ellipsoid(self.vector(center)?, self.vector(axes)?),
            ("cylinder", [start, end, radius]) => {
                Shape::cylinder(self.vector(start)?, self.vector(end)?, self.number(radius)?)
            }
            ("cone", [base, tip, radius]) => {
                Shape::cone(self.vector(base)?, self.vector(tip)?, self.number(radius)?)
            }
            ("torus", [center, axis, ring, tube]) => {
                Shape::torus(self.vector(center)?, self.vector(axis)?, self.number(ring)?, self.number(tube)?)
            }
            ("half_space", [point, normal]) => Shape::half_space(self.numbers(point)?, self.numbers(normal)?),
            ("union" | "intersection" | "difference", [_, _, ..]) => {
                let shapes =
                    arguments.iter().map(|argument| self.shape(argument)).collect::<Option<Vec<_>>>()?;
                return self.folded(range, shapes, |one, other| match name {
                    "union" => one.union(other),
                    "intersection" => one.intersection(other),
                    _ => one.difference(other),
                });
            }
            ("translate", [shape, by]) => self.shape(shape)?.translate(&self.numbers(by)?),
            ("rotate", [shape, angle]) => self.shape(shape)?.rotate2(self.number(angle)?, [0.0, 0.0]),
            ("rotate", [shape, angle, about]) if !matches!(angle.kind, SyntaxKind::Vector(_)) => {
                self.shape(shape)?.rotate2(self.number(angle)?, self.vector(about)?)
            }
            ("rotate", [shape, axis, angle]) => {
                self.shape(shape)?.rotate3(self.vector(axis)?, self.number(angle)?, [0.0; 3])
            }
            ("rotate", [shape, axis, angle, about]) => {
                self.shape(shape)?.rotate3(self.vector(axis)?, self.number(angle)?, self.vector(about)?)
            }
            ("scale", [shape, factor]) => {
                let shape = self.shape(shape)?;
                let origin = vec![0.0; shape.dimension()];
                shape.scale(self.number(factor)?, &origin)
            }
            ("scale", [shape, factor, about]) => {
                self.shape(shape)?.scale(self.number(factor)?, &self.numbers(about)?)
            }
            ("repeat", [shape, step, count]) => {
                self.shape(shape)?.repeat(&self.numbers(step)?, self.count(count)?)
            }
            (name, arguments) => return self.no_call(name, place, arguments.len()),
        };
        self.checked(range, shape)
    }

    fn no_call(&mut self, name: &str, place: Range<usize>, arguments: usize) -> Option<Shape> {
        match CALLS.iter().find(|(own, _)| *own == name) {
            Some((_, example)) => {
                let message =
                    format!("`{name}` is not written with {arguments} argument{}", plural(arguments));
                self.wrong(place, message, format!("as in `{example}`"))
            }
            None => {
                let names = listed(CALLS.iter().map(|(own, _)| *own));
                self.wrong(place, format!("there is no shape `{name}`"), format!("shapes are {names}"))
            }
        }
    }
}
