//! How solutions, references and errors look in every picture.

use super::axis::{Axis, extent};
use super::canvas::Pen;
use super::colour::{Colour, ColourMap};

/// How many times the smallest error that is drawn fits into the largest, at most: below, nobody looks.
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

/// The colours of an error.
pub(super) fn error_shades(error: impl Iterator<Item = f64>) -> (Axis, ColourMap) {
    let (low, high) = error_range(error);
    (Axis::logarithmic("", low, high), ColourMap::Error)
}

/// The axis of an error, with a little room above and below.
pub(super) fn error_axis(label: &str, error: impl Iterator<Item = f64>) -> Axis {
    const ROOM: f64 = 1.5;
    let (low, high) = error_range(error);
    Axis::logarithmic(label, low / ROOM, high * ROOM)
}

/// From where most of the error begins to its largest value.
fn error_range(error: impl Iterator<Item = f64>) -> (f64, f64) {
    /// Where there is no error at all, the axis ends here: at the rounding of numbers.
    const NONE: f64 = 1e-16;
    /// Of a hundred values, these are allowed below the axis.
    const BELOW: usize = 2;
    let mut sorted: Vec<f64> = error.filter(|value| value.is_finite() && *value > 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    match (sorted.last(), sorted.get(sorted.len() * BELOW / 100)) {
        (Some(&high), Some(&low)) => (low.max(high / DECADES), high),
        _ => (0.1 * NONE, NONE),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_both_signs_are_centred_on_zero_and_others_are_not() {
        assert_eq!(shades([-1.0, 0.6].into_iter()), (Axis::linear("", -1.0, 1.0), ColourMap::Signed));
        assert_eq!(shades([-1.0, 0.4].into_iter()), (Axis::linear("", -1.0, 0.4), ColourMap::Field));
        assert_eq!(shades([2.0, f64::NAN, 3.0].into_iter()), (Axis::linear("", 2.0, 3.0), ColourMap::Field));
    }

    #[test]
    fn errors_span_at_most_four_powers_of_ten_and_outliers_below_do_not_count() {
        assert_eq!(error_range([1e-12, 1e-3].into_iter()), (1e-7, 1e-3));
        let values = || (0..100).map(|number| if number == 0 { 1e-9 } else { 1e-3 });
        assert_eq!(error_range(values()), (1e-3, 1e-3));
        assert_eq!(error_range([0.0, f64::NAN].into_iter()), (0.1 * 1e-16, 1e-16));
    }
}
