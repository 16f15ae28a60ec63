//! The language of shapes: names of parts, primitives with their numbers, operations.

use super::imported::Imported;
use super::{plural, refuse};
use crate::expression::{Expression, Leaf, evaluate};
use crate::parse::document::{Text, TomlEntry, TomlNode};
use crate::parse::expression::{Context, NamedShape, Syntax, SyntaxKind, Workshop};
use crate::parse::files::FileReader;
use crate::parse::reader;
use crate::parse::source::Span;
use crate::parse::suggest::listed;
use crate::problem::ShapeStep;
use geometry::{GeometryError, Shape};
use std::ops::Range;

/// Shapes and what is done with them, as a hint shows them.
const CALLS: [(&str, &str); 22] = [
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
    ("stl", "stl('bracket.stl', 0.001)"),
    ("outline", "outline('island.geojson')"),
    ("translate", "translate(disk([0, 0], 1), [2, 0])"),
    ("rotate", "rotate(rectangle([0, 0], [2, 1]), pi/4)"),
    ("scale", "scale(disk([0, 0], 1), 2)"),
    ("repeat", "repeat(disk([0, 0], 0.1), [0.5, 0], 4)"),
    ("union", "union(disk([0, 0], 1), disk([1, 0], 1))"),
    ("intersection", "intersection(disk([0, 0], 1), disk([1, 0], 1))"),
];

/// Reads texts one after the other.
pub(super) struct ShapeReader<'r> {
    /// The one at hand.
    text: Text,
    /// Parts that were named before; `None` where they are wrong, which has been reported.
    parts: Vec<NamedShape>,
    /// What makes the shape at hand, for other parameters, too.
    steps: Vec<ShapeStep>,
    /// Numbers that were read and belong to no step yet.
    tape: Vec<Expression>,
    /// The middle of every coordinate that is a parameter.
    middle: Vec<Option<f64>>,
    pub(super) files: &'r dyn FileReader,
    /// What came from files so far.
    pub(super) imported: Vec<Imported>,
    workshop: &'r mut Workshop,
}

impl<'r> ShapeReader<'r> {
    pub(super) fn new(
        files: &'r dyn FileReader,
        ranges: &[Option<(f64, f64)>],
        workshop: &'r mut Workshop,
    ) -> Self {
        let text = Text::bare("", Span::new(0, 0..0));
        let middle = super::family::middle(workshop, ranges);
        let (parts, steps, tape, imported) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        ShapeReader { text, parts, steps, tape, middle, files, imported, workshop }
    }

    /// One that knows the parts that were kept.
    pub(super) fn of_parts(files: &'r dyn FileReader, workshop: &'r mut Workshop) -> Self {
        let parts = workshop.parts.clone();
        ShapeReader { parts, ..ShapeReader::new(files, &[], workshop) }
    }

    /// Leaves the parts to others.
    pub(super) fn keep_parts(&mut self) {
        self.workshop.parts.clone_from(&self.parts);
    }

    /// Reads a part and gives it its name.
    pub(super) fn name_part(&mut self, entry: &TomlEntry) {
        let shape = self.read(&entry.node).map(|(shape, mut steps)| {
            steps.push(ShapeStep::Named(entry.key.clone()));
            (shape.named(&entry.key), steps)
        });
        self.parts.push((entry.key.clone(), shape));
    }

    /// The shape that a text states, at the middle of all parameters, and the steps that make it; what is wrong with it is reported.
    pub(super) fn read(&mut self, node: &TomlNode) -> Option<(Shape, Vec<ShapeStep>)> {
        let text = reader::text(node, &mut self.workshop.mistakes)?;
        let syntax = self.workshop.syntax(text)?;
        self.text = text.clone();
        self.steps.clear();
        let shape = self.shape(&syntax)?;
        Some((shape, std::mem::take(&mut self.steps)))
    }

    pub(super) fn wrong<T>(
        &mut self,
        range: Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Option<T> {
        self.workshop.mistakes.report_with(self.text.place(range), message.into(), hint.into());
        None
    }

    pub(super) fn checked(
        &mut self,
        range: Range<usize>,
        shape: Result<Shape, GeometryError>,
    ) -> Option<Shape> {
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
                    self.steps.push(if *subtracted { ShapeStep::Difference } else { ShapeStep::Union });
                }
                Some(whole)
            }
            SyntaxKind::Product(factors) => {
                if factors.iter().any(|(divides, _)| *divides) {
                    return self.wrong(range, "shapes cannot be divided", "write `a - b` for what is in a and not in b");
                }
                let factors: Vec<&Syntax> = factors.iter().map(|(_, factor)| factor).collect();
                self.folded(range, &factors, &ShapeStep::Intersection)
            }
            _ => self.wrong(
                range,
                "expected a shape",
                "as in `rectangle([0, 0], [2, 1]) - disk([0.5, 0.5], 0.2)`: `+` joins shapes, `-` cuts out, `*` intersects",
            ),
        }
    }

    /// The first combined with the second, the result with the third, and so on.
    fn folded(&mut self, range: Range<usize>, written: &[&Syntax], step: &ShapeStep) -> Option<Shape> {
        let [first, others @ ..] = written else { return None };
        let mut whole = self.shape(first)?;
        for other in others {
            let other = self.shape(other)?;
            let both = match step {
                ShapeStep::Union => whole.union(other),
                ShapeStep::Intersection => whole.intersection(other),
                _ => whole.difference(other),
            };
            whole = self.checked(range.clone(), both)?;
            self.steps.push(step.clone());
        }
        Some(whole)
    }

    fn part(&mut self, name: &str, range: Range<usize>) -> Option<Shape> {
        if let Some((_, part)) = self.parts.iter().find(|(own, _)| own == name) {
            let (shape, steps) = part.clone()?;
            self.steps.extend(steps);
            return Some(shape);
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

    pub(super) fn number(&mut self, syntax: &Syntax) -> Option<f64> {
        if self.middle.iter().all(Option::is_none) {
            let number = self.workshop.constant_of(&self.text, syntax, "a shape")?;
            self.tape.push(self.workshop.pool.number(number));
            return Some(number);
        }
        let context = Context { coordinates: true, ..Context::numbers("a shape") };
        let number = self.workshop.scalar_of(&self.text, syntax, &context)?;
        let pool = &self.workshop.pool;
        let middle = |leaf: Leaf| match leaf {
            Leaf::Coordinate(axis) => self.middle.get(usize::from(axis)).copied().flatten(),
            _ => None,
        };
        let foreign = pool.leaves(&[number]).into_iter().find(|leaf| middle(*leaf).is_none());
        if let Some(foreign) = foreign {
            let name = match foreign {
                Leaf::Coordinate(axis) => self.workshop.scope.coordinates[usize::from(axis)].0.clone(),
                _ => "a trained number".to_owned(),
            };
            let hint = "its numbers are constants, and parameters of the family";
            return self.wrong(syntax.range.clone(), format!("a shape may not depend on `{name}`"), hint);
        }
        self.tape.push(number);
        Some(evaluate(pool, number, &|leaf: Leaf| middle(leaf).unwrap_or(f64::NAN)))
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
        let written = self.tape.pop()?;
        if self.workshop.pool.as_number(written).is_none() {
            let message = "a number of copies or tips may not depend on a parameter";
            return self.wrong(syntax.range.clone(), message, "as in `4`");
        }
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
        let start = self.tape.len();
        let mut counted = None;
        let shape = match (name, arguments) {
            ("interval", [low, high]) => Shape::interval(self.number(low)?, self.number(high)?),
            ("rectangle", [low, high]) => Shape::rectangle(self.vector(low)?, self.vector(high)?),
            ("box", [low, high]) => Shape::cuboid(self.vector(low)?, self.vector(high)?),
            ("disk", [center, radius]) => Shape::disk(self.vector(center)?, self.number(radius)?),
            ("ellipse", [center, axes]) => Shape::ellipse(self.vector(center)?, self.vector(axes)?),
            ("polygon", [points]) => Shape::polygon(self.vertices(points)?),
            ("spline", [points]) => Shape::spline(self.vertices(points)?),
            ("star", [center, outer, inner, tips]) => {
                let tips = self.count(tips)?;
                counted = Some(tips);
                Shape::star(self.vector(center)?, self.number(outer)?, self.number(inner)?, tips)
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
            ("stl", [file, rest @ ..]) if rest.len() <= 2 => return self.stl(range, file, rest),
            ("outline", [_] | [_, _] | [_, _, _]) => return self.outline(range, arguments),
            ("union" | "intersection" | "difference", [_, _, ..]) => {
                let step = match name {
                    "union" => ShapeStep::Union,
                    "intersection" => ShapeStep::Intersection,
                    _ => ShapeStep::Difference,
                };
                return self.folded(range, &arguments.iter().collect::<Vec<_>>(), &step);
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
                let (shape, step, count) = (self.shape(shape)?, self.numbers(step)?, self.count(count)?);
                counted = Some(count);
                shape.repeat(&step, count)
            }
            (name, arguments) => return self.no_call(name, place, arguments.len()),
        };
        let shape = self.checked(range, shape)?;
        let numbers = self.tape.split_off(start);
        self.steps.push(step(name, numbers, counted));
        Some(shape)
    }

    /// Takes a shape from a file as it is.
    pub(super) fn known(&mut self, shape: Shape) -> Shape {
        self.tape.clear();
        self.steps.push(ShapeStep::Known(shape.clone()));
        shape
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

/// The step of a call with these numbers, and a count where it has one.
fn step(name: &str, numbers: Vec<Expression>, counted: Option<usize>) -> ShapeStep {
    match (name, counted) {
        ("translate", _) => ShapeStep::Translate(numbers),
        ("rotate", _) => ShapeStep::Rotate(numbers),
        ("scale", _) => ShapeStep::Scale(numbers),
        ("repeat", Some(count)) => ShapeStep::Repeat { step: numbers, count },
        (name, counted) => {
            let kind = CALLS.iter().find(|(own, _)| *own == name).map_or("shape", |(own, _)| *own);
            ShapeStep::Primitive { kind, numbers, counted }
        }
    }
}
