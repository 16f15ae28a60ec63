//! How solutions, references and errors look in every picture.

use super::axis::{Axis, extent};
use super::canvas::Pen;
use super::colour::{Colour, ColourMap};

/// Powers of ten that the colours of an error span at most: below, nobody looks.
const DECADES: f64 = 1e4;

/// The colours of a field: about zero, if it goes about as far to both sides.
pub(super) fn shades(values: impl Iterator<Item = f64>) -> (Axis, ColourMap) {
    let (low, high) = extent(values).unwrap_or((0.0, 0.0));
    let (near, far) = (high.min(-low), high.max(-low));
    if 2.0 * near >= far && near > 0.0 {
        (Axis::linear("", -far, far), ColourMap::Signed)
    } else {
        (Axis::linear("", low, high), ColourMap::Field)
    }
}

pub(super) fn error_shades(error: &[f64]) -> (Axis, ColourMap) {
    (error_axis("", error), ColourMap::Error)
}

/// Powers of ten from where most of the error begins to its largest value.
pub(super) fn error_axis(label: &str, error: &[f64]) -> Axis {
    /// Where there is no error at all, the axis ends here: at the rounding of numbers.
    const NONE: f64 = 1e-16;
    /// Of a hundred values, these are allowed below the axis.
    const BELOW: usize = 2;
    let mut sorted: Vec<f64> =
        error.iter().copied().filter(|value| value.is_finite() && *value > 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    let (Some(&high), Some(&low)) = (sorted.last(), sorted.get(sorted.len() * BELOW / 100)) else {
        return Axis::logarithmic(label, NONE / 10.0, NONE);
    };
    Axis::logarithmic(label, low.max(high / DECADES), high)
}

/// An axis with a little room above and below the values.
pub(super) fn padded(label: &str, values: impl Iterator<Item = f64>) -> Axis {
    let (low, high) = extent(values).unwrap_or((0.0, 0.0));
    // A constant is drawn in the middle of an axis that widens itself.
    let room = 0.06 * (high - low);
    Axis::linear(label, low - room, high + room)
}

pub(super) fn network_pen() -> Pen {
    Pen::solid(Colour::of_curve(0), 4.0)
}

pub(super) fn reference_pen() -> Pen {
    Pen::dashed(Colour::INK, 2.2)
}

/// What solid and dashed curves are.
pub(super) fn legend(compared: bool) -> Vec<(String, Pen)> {
    let reference = compared.then(|| ("reference".to_owned(), reference_pen()));
    [("network".to_owned(), network_pen())].into_iter().chain(reference).collect()
}
