//! Drawings as SVG: paths, polygons, rectangles, circles and ellipses, wherever groups move them.

mod affine;
mod curve;
mod numbers;
mod path;
mod xml;

use super::{Loop, OutlineError};
use affine::Affine;
use curve::Curve;
use numbers::Numbers;
use xml::{Element, Event, XmlReader};

/// Groups within groups: more than any drawing has.
const MOST_LEVELS: usize = 256;

/// How far chords may be from curves, as a share of the drawing's larger extent.
const TOLERANCE: f64 = 1e-4;

/// Elements with everything in them that is not drawn where it stands.
const UNSEEN: [&str; 12] = [
    "defs",
    "clipPath",
    "mask",
    "pattern",
    "symbol",
    "marker",
    "style",
    "metadata",
    "title",
    "desc",
    "script",
    "namedview",
];

/// All closed lines of a drawing, upright.
pub(super) fn loops(text: &str, tolerance: Option<f64>) -> Result<Vec<Loop>, OutlineError> {
    let Drawing { curves, view, .. } = Drawing::read(text)?;
    let extent =
        ends(curves.iter().flat_map(Curve::hull)).iter().map(|[low, high]| high - low).fold(0.0, f64::max);
    let tolerance = tolerance.unwrap_or(TOLERANCE * extent).max(f64::MIN_POSITIVE);
    let mut loops = curves.iter().map(|curve| curve.chords(tolerance)).collect::<Result<Vec<_>, _>>()?;
    let corners = loops.iter().flat_map(|own| own.corners.iter().copied());
    let [top, bottom] = view.unwrap_or_else(|| ends(corners)[1]);
    for corner in loops.iter_mut().flat_map(|own| &mut own.corners) {
        corner[1] = top + (bottom - corner[1]);
    }
    Ok(loops)
}

/// Per coordinate the lowest and the highest value of points.
fn ends(points: impl Iterator<Item = [f64; 2]>) -> [[f64; 2]; 2] {
    points.fold([[f64::INFINITY, f64::NEG_INFINITY]; 2], |ends, point| {
        [0, 1].map(|axis| [ends[axis][0].min(point[axis]), ends[axis][1].max(point[axis])])
    })
}

/// What was drawn so far.
struct Drawing {
    curves: Vec<Curve>,
    /// From where to where the `viewBox` reaches downwards.
    view: Option<[f64; 2]>,
    /// Elements that are open: names, where their contents are moved to, and whether these are seen.
    open: Vec<(String, Affine, bool)>,
}

impl Drawing {
    fn read(text: &str) -> Result<Drawing, OutlineError> {
        let mut reader = XmlReader::new(text);
        let mut drawing = Drawing { curves: Vec::new(), view: None, open: Vec::new() };
        let mut is_drawing = false;
        while let Some(event) = reader.next()? {
            match event {
                Event::Start { element, ends } => {
                    if !is_drawing && element.name != "svg" {
                        let found = format!("`<{}`", element.name.chars().take(20).collect::<String>());
                        let expected = "`<svg`".to_owned();
                        return Err(OutlineError::Unexpected { line: element.line, expected, found });
                    }
                    is_drawing = true;
                    drawing.start(&element, ends)?;
                }
                Event::End { name, line } => {
                    let open = drawing.open.pop();
                    if open.as_ref().is_none_or(|(own, ..)| *own != name) {
                        let expected = match open {
                            Some((own, ..)) => format!("`</{own}>`"),
                            None => "no end of an element".to_owned(),
                        };
                        return Err(OutlineError::Unexpected {
                            line,
                            expected,
                            found: format!("`</{name}>`"),
                        });
                    }
                }
            }
        }
        let unexpected = |expected: String| OutlineError::Unexpected {
            line: reader.line(),
            expected,
            found: "the end of the file".to_owned(),
        };
        match drawing.open.last() {
            Some((name, ..)) => Err(unexpected(format!("`</{name}>`"))),
            None if !is_drawing => Err(unexpected("`<svg`".to_owned())),
            None => Ok(drawing),
        }
    }

    fn start(&mut self, element: &Element, ends: bool) -> Result<(), OutlineError> {
        let (outer, seen) =
            self.open.last().map_or((Affine::HERE, true), |(_, affine, seen)| (*affine, *seen));
        let affine = match element.get("transform") {
            Some((text, line)) => outer.with(text, line)?,
            None => outer,
        };
        let hidden = element.get("display").is_some_and(|(value, _)| value.trim() == "none");
        let seen = seen && !hidden && !UNSEEN.contains(&element.name.as_str());
        if seen {
            if self.open.is_empty() {
                self.view = view(element)?;
            }
            let curves = curves(element)?;
            self.curves.extend(curves.into_iter().map(|curve| curve.moved(&affine)));
        }
        if !ends {
            if self.open.len() == MOST_LEVELS {
                return Err(OutlineError::TooDeep { line: element.line, limit: MOST_LEVELS });
            }
            self.open.push((element.name.clone(), affine, seen));
        }
        Ok(())
    }
}

fn view(element: &Element) -> Result<Option<[f64; 2]>, OutlineError> {
    let Some((text, line)) = element.get("viewBox") else { return Ok(None) };
    let mut numbers = Numbers::new(text, line);
    let ([_, top], [_, height]) = (numbers.pair()?, numbers.pair()?);
    numbers.end()?;
    Ok(Some([top, top + height]))
}

/// A length in the units of the drawing, where one is stated.
fn length(element: &Element, name: &str) -> Result<Option<f64>, OutlineError> {
    let Some((text, line)) = element.get(name) else { return Ok(None) };
    let mut numbers = Numbers::new(text, line);
    let value = numbers.number()?;
    match numbers.word().as_deref() {
        None | Some("px") => numbers.end()?,
        Some(unit) => {
            let what = format!("`{name}` is in {unit}: only numbers without a unit are read");
            return Err(OutlineError::Unsupported { line, what });
        }
    }
    Ok(Some(value))
}

fn curves(element: &Element) -> Result<Vec<Curve>, OutlineError> {
    let line = element.line;
    let stated = |name: &str| length(element, name);
    let plain = |name: &str| Ok::<_, OutlineError>(stated(name)?.unwrap_or(0.0));
    Ok(match element.name.as_str() {
        "path" => match element.get("d") {
            Some((text, line)) => path::curves(text, line)?,
            None => Vec::new(),
        },
        "polygon" => match element.get("points") {
            Some((text, line)) => polygon(text, line)?.into_iter().collect(),
            None => Vec::new(),
        },
        "rect" => {
            let size = [plain("width")?, plain("height")?];
            // One radius stands for both, and none is larger than half a side.
            let (rx, ry) = (stated("rx")?, stated("ry")?);
            let radius = |own: Option<f64>, other: Option<f64>, side: f64| {
                own.or(other).unwrap_or(0.0).max(0.0).min(0.5 * side)
            };
            let radii = [radius(rx, ry, size[0]), radius(ry, rx, size[1])];
            let is_drawn = size.iter().all(|side| *side > 0.0);
            let rectangle =
                || Ok::<_, OutlineError>(Curve::rectangle(line, [plain("x")?, plain("y")?], size, radii));
            is_drawn.then(rectangle).transpose()?.into_iter().collect()
        }
        kind @ ("circle" | "ellipse") => {
            let radii = if kind == "circle" { [plain("r")?; 2] } else { [plain("rx")?, plain("ry")?] };
            let center = [plain("cx")?, plain("cy")?];
            let is_drawn = radii.iter().all(|radius| *radius > 0.0);
            is_drawn.then(|| Curve::ellipse(line, center, radii)).into_iter().collect()
        }
        kind @ ("line" | "polyline") => {
            let what =
                format!("a `{kind}` encloses nothing: remove it, or make it a `polygon` or a closed `path`");
            return Err(OutlineError::Unsupported { line, what });
        }
        kind @ ("use" | "text" | "image") => {
            let what = format!("a `{kind}` is no outline: make it a `path`, or remove it");
            return Err(OutlineError::Unsupported { line, what });
        }
        _ => Vec::new(),
    })
}

fn polygon(text: &str, line: usize) -> Result<Option<Curve>, OutlineError> {
    let mut numbers = Numbers::new(text, line);
    let mut curve: Option<Curve> = None;
    while !numbers.is_done() {
        let corner = numbers.pair()?;
        match &mut curve {
            Some(curve) => curve.straight(corner),
            None => curve = Some(Curve::new(line, corner)),
        }
    }
    Ok(curve)
}
