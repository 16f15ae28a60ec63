//! Colours, and maps from numbers to colours.

/// An sRGB colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Colour(pub [u8; 3]);

impl Colour {
    /// The paper.
    pub const WHITE: Colour = Colour([255, 255, 255]);
    /// Text, frames and the most important curve.
    pub const INK: Colour = Colour([28, 30, 36]);
    /// Text and lines of less weight.
    pub const GREY: Colour = Colour([112, 116, 126]);
    /// Lines of a grid behind curves.
    pub const FAINT: Colour = Colour([230, 232, 236]);
    /// Where a field is no number.
    pub const MISSING: Colour = Colour([198, 200, 204]);

    /// Colours that are told apart, also by most people who confuse red and green; they repeat.
    pub fn of_curve(number: usize) -> Colour {
        const CURVES: [[u8; 3]; 8] = [
            [30, 101, 186],
            [214, 84, 28],
            [26, 140, 96],
            [133, 79, 172],
            [214, 154, 14],
            [24, 158, 182],
            [201, 62, 130],
            [126, 98, 74],
        ];
        Colour(CURVES[number % CURVES.len()])
    }

    /// This colour over another one, `cover` of it opaque.
    pub(super) fn over(self, below: Colour, cover: f32) -> Colour {
        let mix = |above: u8, below: u8| {
            (f32::from(below) + cover * (f32::from(above) - f32::from(below))).round() as u8
        };
        let ([a, b, c], [x, y, z]) = (self.0, below.0);
        Colour([mix(a, x), mix(b, y), mix(c, z)])
    }
}

/// Colours along a scale.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColourMap {
    /// Violet through green to yellow: fields.
    Field,
    /// Blue through white to red: fields of both signs, white at zero.
    Signed,
    /// Black through red to pale yellow: errors.
    Error,
}

impl ColourMap {
    /// The colour at `share` of the way, from 0 to 1.
    pub fn colour(self, share: f64) -> Colour {
        let share = share.clamp(0.0, 1.0);
        match self {
            // Lightness grows evenly, so equal steps of the field look equally large.
            ColourMap::Field => {
                let lightness = 0.26 + 0.66 * share;
                let chroma = between(&[0.125, 0.118, 0.099, 0.155, 0.19], share);
                polar(lightness, chroma, between(&[318.0, 270.0, 205.0, 152.0, 104.0], share))
            }
            ColourMap::Error => {
                let lightness = 0.16 + 0.81 * share;
                let chroma = between(&[0.03, 0.15, 0.19, 0.16, 0.06], share);
                polar(lightness, chroma, between(&[290.0, 318.0, 373.0, 416.0, 460.0], share))
            }
            ColourMap::Signed => {
                let away = (2.0 * share - 1.0).abs();
                let hue = if share < 0.5 { 255.0 } else { 28.0 };
                let chroma = between(&[0.0, 0.055, 0.122, 0.155, 0.122], away);
                polar(0.975 - 0.585 * away.powf(1.15), chroma, hue)
            }
        }
    }

    /// What [`Self::colour`] gives at 1024 evenly spaced places.
    pub(super) fn table(self) -> Vec<Colour> {
        (0..Self::SHADES).map(|shade| self.colour(shade as f64 / (Self::SHADES - 1) as f64)).collect()
    }

    pub(super) const SHADES: usize = 1024;
}

/// A smooth curve through evenly spaced knots (Catmull, Rom 1974).
fn between(knots: &[f64; 5], share: f64) -> f64 {
    let place = share * 4.0;
    let left = (place as usize).min(3);
    let [before, start, end, after] =
        [left.saturating_sub(1), left, left + 1, (left + 2).min(4)].map(|knot| knots[knot]);
    let s = place - left as f64;
    let (slope, next_slope) = ((end - before) / 2.0, (after - start) / 2.0);
    let rest = end - start;
    start + s * (slope + s * (3.0 * rest - 2.0 * slope - next_slope + s * (slope + next_slope - 2.0 * rest)))
}

/// A colour by lightness, chroma and hue in degrees, in the OKLab space of Ottosson (2020).
fn polar(lightness: f64, chroma: f64, hue: f64) -> Colour {
    let (sine, cosine) = hue.to_radians().sin_cos();
    let (a, b) = (chroma * cosine, chroma * sine);
    let l = (lightness + 0.3963377774 * a + 0.2158037573 * b).powi(3);
    let m = (lightness - 0.1055613458 * a - 0.0638541728 * b).powi(3);
    let s = (lightness - 0.0894841775 * a - 1.2914855480 * b).powi(3);
    let linear = [
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
    ];
    Colour(linear.map(|part| {
        let part = part.clamp(0.0, 1.0);
        let encoded = if part <= 0.0031308 { 12.92 * part } else { 1.055 * part.powf(1.0 / 2.4) - 0.055 };
        (255.0 * encoded).round() as u8
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance times a thousand.
    fn luminance(colour: Colour) -> i64 {
        let [red, green, blue] = colour.0.map(|part| (f64::from(part) / 255.0).powf(2.2));
        (1000.0 * (0.2126 * red + 0.7152 * green + 0.0722 * blue)) as i64
    }

    #[test]
    fn maps_of_fields_and_errors_grow_lighter_all_the_way() {
        for map in [ColourMap::Field, ColourMap::Error] {
            let shades: Vec<i64> =
                (0..=32).map(|step| luminance(map.colour(f64::from(step) / 32.0))).collect();
            assert!(shades.windows(2).all(|pair| pair[0] < pair[1]), "{map:?}: {shades:?}");
        }
    }

    #[test]
    fn zero_is_nearly_white_between_signs() {
        assert!(ColourMap::Signed.colour(0.5).0.iter().all(|&part| part > 240));
        let ([red, _, blue], [other_red, _, other_blue]) =
            (ColourMap::Signed.colour(1.0).0, ColourMap::Signed.colour(0.0).0);
        assert!(red > 2 * blue && other_blue > 2 * other_red);
    }

    #[test]
    fn colours_beyond_the_ends_are_those_of_the_ends() {
        assert_eq!(ColourMap::Field.colour(-3.0), ColourMap::Field.colour(0.0));
        assert_eq!(ColourMap::Field.colour(7.0), ColourMap::Field.colour(1.0));
    }
}
