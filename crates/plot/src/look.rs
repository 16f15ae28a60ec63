//! How solutions, references and errors look in every picture.

use super::axis::{Axis, extent};
use super::canvas::Pen;
use super::colour::{Colour, ColourMap};

/// How many times the smallest error that is drawn fits into the largest, at most: below, nobody looks.
const DECADES: f64 = 1e4;

/// Which colours stand for which values.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Shades {
    /// The values along the colour bar.
    pub(super) range: Axis,
    /// Their colours.
    pub(super) colours: ColourMap,
    /// Whether extreme values lie beyond the bar.
    pub(super) clipped: bool,
}

/// The colours of a field: about zero, if it goes about as far to both sides.
pub(super) fn shades(values: impl Iterator<Item = f64>) -> Shades {
    let (low, high, clipped) = field_range(values);
    let (near, far) = (high.min(-low), high.max(-low));
    if 2.0 * near >= far && near > 0.0 {
        Shades { range: Axis::linear("", -far, far), colours: ColourMap::Signed, clipped }
    } else {
        Shades { range: Axis::linear("", low, high), colours: ColourMap::Field, clipped }
    }
}

/// From the least to the largest value of a field. Where a singularity is all that could be seen then, from where nearly all values
/// begin to where they end, and true.
fn field_range(values: impl Iterator<Item = f64>) -> (f64, f64, bool) {
    /// Of a thousand values, so many are allowed beyond each end.
    const BEYOND: usize = 5;
    /// How many times longer the whole range must be.
    const LONGER: f64 = 4.0;
    let mut sorted: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let (Some(&low), Some(&high)) = (sorted.first(), sorted.last()) else { return (0.0, 0.0, false) };
    let beyond = sorted.len() * BEYOND / 1000;
    let (least, most) = (sorted[beyond], sorted[sorted.len() - 1 - beyond]);
    // A field that is constant but for a few places has nothing else to show.
    if most > least && high - low > LONGER * (most - least) {
        (least, most, true)
    } else {
        (low, high, false)
    }
}

/// What is said of fields whose extreme values lie beyond their colour bars.
pub(super) fn clipped_note(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => format!("colours of {name} leave out the lowest and highest 0.5 % of its values"),
        names => {
            format!("colours of {} leave out the lowest and highest 0.5 % of their values", names.join(", "))
        }
    }
}

/// The colours of an error.
pub(super) fn error_shades(error: impl Iterator<Item = f64>) -> Shades {
    let (low, high) = error_range(error);
    Shades { range: Axis::logarithmic("", low, high), colours: ColourMap::Error, clipped: false }
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
        let of = |values: &[f64]| {
            let Shades { range, colours, clipped } = shades(values.iter().copied());
            assert!(!clipped);
            (range, colours)
        };
        assert_eq!(of(&[-1.0, 0.6]), (Axis::linear("", -1.0, 1.0), ColourMap::Signed));
        assert_eq!(of(&[-1.0, 0.4]), (Axis::linear("", -1.0, 0.4), ColourMap::Field));
        assert_eq!(of(&[2.0, f64::NAN, 3.0]), (Axis::linear("", 2.0, 3.0), ColourMap::Field));
    }

    #[test]
    fn a_singularity_does_not_take_all_colours_and_a_peak_keeps_its_own() {
        let singular = (0..=1000).map(|number| if number == 7 { 1e6 } else { f64::from(number) });
        let Shades { range, clipped, .. } = shades(singular);
        assert_eq!((range.bounds(), clipped), ((5.0, 996.0), true));
        let peak = (0..=1000).map(|number| if number < 3 { 2000.0 } else { f64::from(number) });
        assert_eq!((shades(peak.clone()).range.bounds(), shades(peak).clipped), ((3.0, 2000.0), false));
        let constant = (0..=1000).map(|number| if number == 7 { 1.0 } else { 0.0 });
        assert_eq!((shades(constant.clone()).range.bounds(), shades(constant).clipped), ((0.0, 1.0), false));
    }

    #[test]
    fn errors_span_at_most_four_powers_of_ten_and_outliers_below_do_not_count() {
        assert_eq!(error_range([1e-12, 1e-3].into_iter()), (1e-7, 1e-3));
        let values = || (0..100).map(|number| if number == 0 { 1e-9 } else { 1e-3 });
        assert_eq!(error_range(values()), (1e-3, 1e-3));
        assert_eq!(error_range([0.0, f64::NAN].into_iter()), (0.1 * 1e-16, 1e-16));
    }
}
