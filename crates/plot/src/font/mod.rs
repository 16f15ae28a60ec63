//! Text. The letters are strokes, so they are sharp at any size, turned or not, without a font file.

mod glyphs;
mod path;

use super::Colour;
use super::canvas::{Area, Canvas, Pen, Spot};
use glyphs::{ASCII, GREEK, Glyph, LATIN, MARKED, MARKS, OTHERS};

/// Units of the glyphs in one size of text.
const EM: f64 = 28.0;

/// Height of capitals, in units.
const CAPITAL: f64 = 20.0;

/// Room that every letter gets beside its own, in units.
const SPACING: f64 = 0.5;

/// Of raised and lowered letters, against others.
const SMALL: f64 = 0.66;

/// How text is set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Face {
    /// In pixels; capitals are 0.71 of it.
    pub(super) size: f64,
    pub(super) colour: Colour,
    /// The pen's width in units of the glyphs.
    weight: f64,
}

impl Face {
    pub(super) fn regular(size: f64, colour: Colour) -> Self {
        Face { size, colour, weight: 2.1 }
    }

    pub(super) fn bold(size: f64, colour: Colour) -> Self {
        Face { size, colour, weight: 3.0 }
    }

    /// White and wider: what is behind a text that crosses other things.
    pub(super) fn behind(self) -> Self {
        Face { colour: Colour::WHITE, weight: self.weight + 6.0, ..self }
    }

    /// Height of capitals and digits, in pixels.
    pub(super) fn capital(self) -> f64 {
        CAPITAL * self.size / EM
    }

    /// The width of a line of text, in pixels.
    pub(super) fn width(self, text: &str) -> f64 {
        text.chars().map(advance).sum::<f64>() * self.size / EM
    }

    /// This face, smaller if need be, and the text, cut if need be, so that it is at most `room` wide.
    pub(super) fn fitted(self, text: &str, room: f64) -> (Self, String) {
        /// Below this share of its size, text is cut instead.
        const SMALLEST: f64 = 0.7;
        let shrink = (room / self.width(text)).clamp(SMALLEST, 1.0);
        let face = Face { size: self.size * shrink, ..self };
        if face.width(text) <= room + 1e-6 {
            return (face, text.to_owned());
        }
        let mut kept: Vec<char> = text.chars().collect();
        let with_dots = |kept: &[char]| kept.iter().collect::<String>().trim_end().to_owned() + "…";
        while !kept.is_empty() && face.width(&with_dots(&kept)) > room {
            kept.pop();
        }
        (face, with_dots(&kept))
    }
}

/// Which point of a text lies at the place where it is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Whether text runs to the right or upwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Right,
    Up,
}

impl Canvas {
    /// Sets a line of text; `place` is on its baseline.
    pub(super) fn text(&mut self, text: &str, place: Spot, anchor: Anchor, face: Face) {
        self.text_along(Direction::Right, text, place, anchor, face);
    }

    /// Sets a line of text to the right or upwards.
    pub(super) fn text_along(
        &mut self,
        direction: Direction,
        text: &str,
        place: Spot,
        anchor: Anchor,
        face: Face,
    ) {
        let scale = face.size / EM;
        let start = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -face.width(text) / 2.0,
            Anchor::End => -face.width(text),
        };
        let spot = |along: f64, above: f64| match direction {
            Direction::Right => (place.0 + start + along * scale, place.1 - above * scale),
            Direction::Up => (place.0 - above * scale, place.1 - start - along * scale),
        };
        let clip: Area = self.area();
        let mut along = 0.0;
        for letter in text.chars() {
            let paths: Vec<Vec<Spot>> = outline(letter)
                .iter()
                .map(|path| path.iter().map(|&(x, y)| spot(along + x, y)).collect())
                .collect();
            self.stroke(&paths, Pen::solid(face.colour, face.weight * scale), clip);
            along += advance(letter);
        }
    }
}

fn find(letter: char) -> Option<&'static Glyph> {
    let ascii = (letter as usize).checked_sub(' ' as usize).and_then(|position| ASCII.get(position));
    let latin = || {
        let position = GREEK.chars().position(|other| other == letter)?;
        find(LATIN.chars().nth(position)?)
    };
    ascii.or_else(|| OTHERS.iter().find(|glyph| glyph.0 == letter)).or_else(latin)
}

/// The letter that a raised or lowered one is drawn from, and how far above the baseline.
fn shifted(letter: char) -> Option<(char, f64)> {
    let base = |letters: &str, bases: &str| {
        letters.chars().position(|other| other == letter).and_then(|position| bases.chars().nth(position))
    };
    let raised = base("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", "0123456789−+n").map(|base| (base, 9.4));
    raised.or_else(|| base("₀₁₂₃₄₅₆₇₈₉", "0123456789").map(|base| (base, -4.0)))
}

/// The letter and the mark that another letter is drawn from.
fn marked(letter: char) -> Option<(char, char)> {
    MARKED.split_whitespace().find_map(|entry| {
        let mut letters = entry.chars();
        (letters.next() == Some(letter)).then_some((letters.next()?, letters.next()?))
    })
}

fn advance(letter: char) -> f64 {
    if let Some((_, advance, _)) = find(letter) {
        *advance + SPACING
    } else if let Some((base, _)) = shifted(letter) {
        SMALL * advance(base)
    } else if let Some((base, _)) = marked(letter) {
        advance(base)
    } else {
        13.0
    }
}

/// The strokes of a letter, in units; of one that is not known an empty box.
fn outline(letter: char) -> Vec<Vec<Spot>> {
    if let Some((_, _, text)) = find(letter) {
        return path::strokes(text);
    }
    if let Some((base, above)) = shifted(letter) {
        let mut paths = outline(base);
        paths.iter_mut().flatten().for_each(|spot| *spot = (SMALL * spot.0, SMALL * spot.1 + above));
        return paths;
    }
    if let Some((base, mark)) = marked(letter) {
        let mut paths = outline(base);
        // A small i gives its dot for the mark.
        if base == 'i' {
            paths.truncate(1);
        }
        let (right, above) =
            (advance(base) / 2.0, if base.is_uppercase() && mark != '¸' { 5.6 } else { 0.0 });
        let strokes =
            MARKS.iter().filter(|(name, _)| *name == mark).flat_map(|(_, text)| path::strokes(text));
        paths.extend(strokes.map(|path| path.iter().map(|&(x, y)| (x + right, y + above)).collect()));
        return paths;
    }
    path::strokes("M2 0 L2 18 L11 18 L11 0 L2 0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printable_ascii_letter_has_its_own_glyph_at_its_place() {
        for letter in ' '..='~' {
            let (name, advance, _) = find(letter).expect("a glyph");
            assert_eq!((*name, letter == ' '), (letter, outline(letter).is_empty()));
            for (x, y) in outline(letter).into_iter().flatten() {
                assert!((-1.0..=advance + 1.0).contains(&x), "{letter} reaches {x} of {advance}");
                assert!((-6.5..=23.0).contains(&y), "{letter} reaches {y}");
            }
        }
    }

    #[test]
    fn glyphs_differ_and_letters_with_marks_hold_more_strokes_than_without() {
        let glyphs = || ASCII.iter().chain(&OTHERS);
        for (position, (letter, _, path)) in glyphs().enumerate() {
            let twin = glyphs().take(position).find(|(_, _, other)| other == path);
            assert!(twin.is_none() || "ϕ".contains(*letter), "{letter} is drawn as {twin:?}");
        }
        for entry in MARKED.split_whitespace() {
            let letter = entry.chars().next().expect("an entry has a letter");
            let (base, mark) = marked(letter).expect("three letters");
            assert!(find(base).is_some() && MARKS.iter().any(|(name, _)| *name == mark), "{entry}");
            assert_ne!(outline(letter), outline(base));
        }
        assert_eq!(GREEK.chars().count(), LATIN.chars().count());
    }

    #[test]
    fn text_that_is_too_wide_shrinks_and_then_is_cut() {
        let face = Face::regular(20.0, Colour::INK);
        let text = "Viscous Burgers";
        let width = face.width(text);
        assert_eq!(face.fitted(text, width), (face, text.to_owned()));
        let (smaller, whole) = face.fitted(text, 0.8 * width);
        assert!(smaller.size < 20.0 && whole == text);
        let (smallest, cut) = face.fitted(text, 0.3 * width);
        assert!(cut.ends_with('…') && smallest.width(&cut) <= 0.3 * width, "{cut}");
        assert_eq!(face.fitted(text, 0.0).1, "…");
    }

    #[test]
    fn raised_digits_are_smaller_and_unknown_letters_are_boxes() {
        let top = |letter| outline(letter).into_iter().flatten().map(|spot| spot.1).fold(0.0, f64::max);
        assert!(advance('²') < advance('2') && top('²') > top('2'));
        assert_eq!(outline('語'), outline('字'));
    }
}
