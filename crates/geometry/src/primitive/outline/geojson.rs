//! Maps as GeoJSON (RFC 7946): polygons, alone or in features and collections.

use super::json::{Json, JsonValue};
use super::{Loop, OutlineError};

/// All closed lines of a file.
pub(super) fn loops(text: &str) -> Result<Vec<Loop>, OutlineError> {
    let mut found = Vec::new();
    collect(&Json::read(text)?, &mut found)?;
    Ok(found)
}

fn collect(object: &Json, found: &mut Vec<Loop>) -> Result<(), OutlineError> {
    let line = object.line;
    let member = |name: &str| {
        object.get(name).ok_or_else(|| OutlineError::Unexpected {
            line,
            expected: format!("a member `{name}`"),
            found: "none".to_owned(),
        })
    };
    let each = |name: &str, found: &mut Vec<Loop>| {
        member(name)?.list()?.iter().try_for_each(|inner| collect(inner, found))
    };
    match member("type")?.text() {
        Some("FeatureCollection") => each("features", found),
        Some("GeometryCollection") => each("geometries", found),
        Some("Feature") => match member("geometry")? {
            Json { value: JsonValue::Null, .. } => Ok(()),
            geometry => collect(geometry, found),
        },
        Some("Polygon") => polygon(member("coordinates")?, found),
        Some("MultiPolygon") => {
            member("coordinates")?.list()?.iter().try_for_each(|inner| polygon(inner, found))
        }
        Some(kind @ ("Point" | "MultiPoint" | "LineString" | "MultiLineString")) => {
            let what = format!("a {kind} encloses nothing: keep only Polygon and MultiPolygon");
            Err(OutlineError::Unsupported { line, what })
        }
        other => Err(OutlineError::Unexpected {
            line,
            expected: "the type Polygon, MultiPolygon, Feature or FeatureCollection".to_owned(),
            found: other.map_or_else(|| "no text".to_owned(), |kind| format!("`{}`", short(kind))),
        }),
    }
}

fn short(text: &str) -> String {
    text.chars().take(40).flat_map(char::escape_debug).collect()
}

/// An outer line, and its holes.
fn polygon(lines: &Json, found: &mut Vec<Loop>) -> Result<(), OutlineError> {
    for line in lines.list()? {
        let corner = |place: &Json| match place.list()? {
            // A third number is a height.
            [x, y, ..] => Ok([x.number()?, y.number()?]),
            other => Err(OutlineError::Unexpected {
                line: place.line,
                expected: "a position of two numbers".to_owned(),
                found: format!("one of {}", other.len()),
            }),
        };
        let corners = line.list()?.iter().map(corner).collect::<Result<_, _>>()?;
        found.push(Loop { line: line.line, corners });
    }
    Ok(())
}
