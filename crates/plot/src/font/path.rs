//! Glyph descriptions as strokes.

use crate::canvas::Spot;

/// Corners that a curve is drawn with.
const PIECES: usize = 12;

/// The strokes that a description in the language of `glyphs.rs` draws.
pub(super) fn strokes(description: &str) -> Vec<Vec<Spot>> {
    let mut strokes: Vec<Vec<Spot>> = Vec::new();
    for (command, numbers) in commands(description) {
        let here = strokes.last().and_then(|stroke| stroke.last()).copied().unwrap_or_default();
        let corners: Vec<Spot> = match (command, numbers.as_slice()) {
            ('M' | 'L', &[x, y]) => vec![(x, y)],
            ('Q', &[x1, y1, x, y]) => {
                // As a cubic one.
                let third = |(x, y): Spot| ((x + 2.0 * x1) / 3.0, (y + 2.0 * y1) / 3.0);
                cubic([here, third(here), third((x, y)), (x, y)])
            }
            ('C', &[x1, y1, x2, y2, x, y]) => cubic([here, (x1, y1), (x2, y2), (x, y)]),
            ('A', &[x, y, across, up, from, to]) => arc((x, y), (across, up), from, to),
            ('O', &[x, y, across, up]) => arc((x, y), (across, up), 0.0, 360.0),
            // Descriptions are constants that the tests of this file read through.
            _ => Vec::new(),
        };
        match strokes.last_mut() {
            Some(stroke) if !matches!(command, 'M' | 'O') => stroke.extend(corners),
            Some(_) | None => strokes.push(corners),
        }
    }
    strokes
}

/// Every command with its numbers, as far as they are numbers.
fn commands(description: &str) -> impl Iterator<Item = (char, Vec<f64>)> {
    let starts = description.match_indices(|letter: char| letter.is_ascii_uppercase());
    starts.map(|(start, command)| {
        let rest = &description[start + 1..];
        let end = rest.find(|letter: char| letter.is_ascii_uppercase()).unwrap_or(rest.len());
        let numbers = rest[..end].split_whitespace().map_while(|number| number.parse().ok());
        (command.chars().next().unwrap_or_default(), numbers.collect())
    })
}

fn cubic([start, first, second, end]: [Spot; 4]) -> Vec<Spot> {
    (1..=PIECES)
        .map(|piece| {
            let s = piece as f64 / PIECES as f64;
            let r = 1.0 - s;
            let weights = [r * r * r, 3.0 * r * r * s, 3.0 * r * s * s, s * s * s];
            let mix = |part: fn(Spot) -> f64| {
                [start, first, second, end].map(part).iter().zip(weights).map(|(x, weight)| x * weight).sum()
            };
            (mix(|spot| spot.0), mix(|spot| spot.1))
        })
        .collect()
}

fn arc((x, y): Spot, (across, up): Spot, from: f64, to: f64) -> Vec<Spot> {
    let pieces = (2.0 * PIECES as f64 * ((to - from).abs() / 180.0)).ceil().max(1.0);
    (0..=pieces as usize)
        .map(|piece| {
            let (sine, cosine) = (from + (to - from) * piece as f64 / pieces).to_radians().sin_cos();
            (x + across * cosine, y + up * sine)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::glyphs::{ASCII, MARKS, OTHERS};
    use super::*;

    #[test]
    fn every_description_is_made_of_commands_with_the_right_count_of_numbers() {
        let paths = ASCII.iter().chain(&OTHERS).map(|glyph| glyph.2);
        for path in paths.chain(MARKS.iter().map(|mark| mark.1)) {
            let mut words = 0;
            for (command, numbers) in commands(path) {
                let wanted = match command {
                    'M' | 'L' => 2,
                    'Q' | 'O' => 4,
                    'C' | 'A' => 6,
                    other => panic!("{other} in {path}"),
                };
                assert_eq!(numbers.len(), wanted, "{command} in {path}");
                words += wanted;
            }
            assert_eq!(words, path.split_whitespace().count(), "{path}");
        }
    }

    #[test]
    fn curves_start_and_end_where_they_say() {
        let [stroke] = &strokes("M1 2 Q3 4 5 6 L7 8 A10 8 3 1 180 0")[..] else { panic!("one stroke") };
        assert_eq!((stroke[0], stroke[PIECES], stroke[PIECES + 1]), ((1.0, 2.0), (5.0, 6.0), (7.0, 8.0)));
        let &(x, y) = stroke.last().expect("not empty");
        assert!((x - 13.0).abs() < 1e-12 && (y - 8.0).abs() < 1e-12);
    }
}
