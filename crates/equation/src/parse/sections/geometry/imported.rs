//! Shapes that come from files.

use super::shape::ShapeReader;
use crate::parse::expression::{Syntax, SyntaxKind};
use crate::parse::suggest::clipped;
use geometry::{FaceRule, Mesh, Outline, Shape};
use std::borrow::Cow;
use std::ops::Range;

/// Larger files of triangles are refused unread, in bytes: ten million triangles in binary.
const MOST_STL: u64 = 512 << 20;

/// The same for maps and drawings: far more than outlines with as many corners as they can have take.
const MOST_OUTLINE: u64 = 16 << 20;

/// Files that one problem may name for its shape: each may be large.
const MOST_FILES: usize = 100;

/// A shape so many times larger or smaller than the box is in another unit. A thousand millimetres are a metre; nobody makes
/// a box a hundred times too large on purpose.
const OTHER_UNIT: f64 = 100.0;

/// What is known of a file that a shape was made of.
pub(super) struct Imported {
    file: String,
    /// How a call begins that reads it.
    call: &'static str,
    /// The largest extent, and the factor that it was multiplied by.
    size: f64,
    scale: f64,
    /// What was left out, and the like.
    pub(super) notes: Vec<String>,
}

/// What to do about a file in another unit than the box with these sides, if there is one.
pub(super) fn other_unit(imported: &[Imported], sides: &[f64]) -> Option<String> {
    let longest = sides.iter().copied().fold(0.0, f64::max);
    let strange = |own: &&Imported| !(1.0 / OTHER_UNIT..OTHER_UNIT).contains(&(own.size / longest));
    let Imported { file, call, size, scale, .. } = imported.iter().find(strange)?;
    let (than, units) = match *size > longest {
        true => ("larger", "millimetres beside metres"),
        false => ("smaller", "metres beside millimetres"),
    };
    let times = if *size > longest { size / longest } else { longest / size };
    let factor = scale * if *size > longest { 1e-3 } else { 1e3 };
    Some(format!(
        "{file} is {times:.0} times {than} than [domain]: if these are {units}, write `{call}('{file}', {factor})`"
    ))
}

impl<'r> ShapeReader<'r> {
    /// Triangles of a closed surface: the file, a factor, and what tells faces apart.
    pub(super) fn stl(&mut self, range: Range<usize>, file: &Syntax, rest: &[Syntax]) -> Option<Shape> {
        let (name, bytes) = self.contents(file, MOST_STL, "stl('bracket.stl')")?;
        let (scale, rule) = (rest.first(), self.face_rule(rest.get(1))?);
        let mesh = match Mesh::with_faces(&bytes, rule) {
            Ok(mesh) => mesh,
            Err(error) => {
                let hint = "look at it in the program that wrote it, and write it anew";
                return self.wrong(file.range.clone(), format!("{}: {error}", clipped(&name)), hint);
            }
        };
        let notes = mesh.notes().iter().map(|note| format!("{name}: {note}")).collect();
        let size = extent(&mesh.bounds());
        let shape = self.scaled(range, Shape::mesh(mesh), scale)?;
        self.note("stl", name, size, scale, notes);
        Some(self.known(shape))
    }

    /// How triangles are put together to faces.
    fn face_rule(&mut self, written: Option<&Syntax>) -> Option<FaceRule> {
        let Some(written) = written else { return Some(FaceRule::Whole) };
        let hint =
            "write 'solids' for the names of a text file, or an angle such as 30: faces end at sharper edges";
        let message = match &written.kind {
            SyntaxKind::Text(word) if word == "solids" => return Some(FaceRule::Solids),
            SyntaxKind::Text(word) => format!("`{}` is no way to tell faces apart", clipped(word)),
            _ => {
                let degrees = self.number(written)?;
                if degrees > 0.0 && degrees < 180.0 {
                    return Some(FaceRule::Edges(degrees));
                }
                format!("{degrees}: expected degrees between 0 and 180")
            }
        };
        self.wrong(written.range.clone(), message, hint)
    }

    /// Lines of a map or a drawing: the file, a factor, and for drawings how closely chords follow curves.
    pub(super) fn outline(&mut self, range: Range<usize>, arguments: &[Syntax]) -> Option<Shape> {
        let [file, rest @ ..] = arguments else { return None };
        let (name, bytes) = self.contents(file, MOST_OUTLINE, "outline('island.geojson')")?;
        let tolerance = match rest.get(1) {
            Some(tolerance) => Some(self.number(tolerance)?),
            None => None,
        };
        if let (Some(tolerance), Some(written)) = (tolerance.filter(|own| *own <= 0.0), rest.get(1)) {
            let hint = "how far chords may be from curves, in the units of the drawing";
            return self.wrong(
                written.range.clone(),
                format!("{tolerance}: expected a positive number"),
                hint,
            );
        }
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        let outline = match (ending.as_deref(), tolerance) {
            (Some("geojson" | "json"), None) => Outline::from_geojson(&bytes),
            (Some("geojson" | "json"), Some(_)) => {
                let hint = "only drawings (.svg) have curves";
                return self.wrong(range, "maps have no curves: a tolerance has no effect", hint);
            }
            (Some("svg"), tolerance) => Outline::from_svg(&bytes, tolerance),
            _ => {
                let message =
                    format!("{}: outlines come from .geojson, .json and .svg files", clipped(&name));
                return self.wrong(file.range.clone(), message, "convert it to one of these");
            }
        };
        let outline = match outline {
            Ok(outline) => outline,
            Err(error) => {
                let hint = "outlines are closed lines that do not meet";
                return self.wrong(file.range.clone(), format!("{}: {error}", clipped(&name)), hint);
            }
        };
        let size = extent(&outline.bounds());
        let shape = self.scaled(range, Shape::outline(outline), rest.first())?;
        self.note("outline", name, size, rest.first(), Vec::new());
        Some(self.known(shape))
    }

    fn note(
        &mut self,
        call: &'static str,
        file: String,
        size: f64,
        scale: Option<&Syntax>,
        notes: Vec<String>,
    ) {
        let scale = scale.and_then(|scale| self.number(scale)).unwrap_or(1.0);
        self.imported.push(Imported { file, call, size: size * scale, scale, notes });
    }

    fn scaled(&mut self, range: Range<usize>, shape: Shape, scale: Option<&Syntax>) -> Option<Shape> {
        let Some(scale) = scale else { return Some(shape) };
        let factor = self.number(scale)?;
        let origin = vec![0.0; shape.dimension()];
        self.checked(range, shape.scale(factor, &origin))
    }

    /// The name of a file, and what is in it.
    fn contents(&mut self, file: &Syntax, most: u64, example: &str) -> Option<(String, Cow<'r, [u8]>)> {
        let SyntaxKind::Text(name) = &file.kind else {
            return self.wrong(
                file.range.clone(),
                "expected a file name in quotes",
                format!("as in `{example}`"),
            );
        };
        if self.imported.len() >= MOST_FILES {
            let message = format!("more than {MOST_FILES} files for one shape");
            return self.wrong(file.range.clone(), message, "join them in one file");
        }
        let files = self.files;
        match files.read(name, most) {
            Ok(bytes) => Some((name.clone(), bytes)),
            Err(fault) => self.wrong(file.range.clone(), format!("{}: {fault}", clipped(name)), fault.hint()),
        }
    }
}

/// The longest side of a box.
fn extent(bounds: &[[f64; 2]]) -> f64 {
    bounds.iter().map(|[low, high]| high - low).fold(0.0, f64::max)
}
