//! Where an axis carries numbers, and how they are written.

/// Numbers along an axis.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Ticks {
    /// Places with their labels, ascending.
    pub(super) labelled: Vec<(f64, String)>,
    /// Places between them without labels.
    pub(super) minor: Vec<f64>,
    /// The power of ten that every label is to be multiplied by, as it is written at the axis.
    pub(super) factor: Option<String>,
}

/// Numbers from this on are written with a power of ten.
const LARGE: i32 = 5;

/// Numbers below ten to this are, too.
const SMALL: i32 = -3;

/// Multiples of 1, 2 or 5 times a power of ten from `low` to `high`, about `most` of them at most.
pub(super) fn linear(low: f64, high: f64, most: usize) -> Ticks {
    let (step, exponent) = step((high - low) / most.max(1) as f64);
    // A tick that rounding has put just outside still counts.
    const SLACK: f64 = 1e-9;
    let (first, last) = ((low / step - SLACK).ceil(), (high / step + SLACK).floor());
    let count = (last - first).max(0.0) as usize + 1;
    let size = exponent_of(low.abs().max(high.abs()));
    let shift = if (SMALL..LARGE).contains(&size) { 0 } else { size };
    let decimals = (shift - exponent).max(0) as usize;
    let labelled = (0..count)
        .map(|number| {
            let multiple = first + number as f64;
            // Through the text: 3 times 0.1 is no 0.3, and powers of ten round.
            let mantissa = multiple * 10f64.powi(exponent - shift) * (step / 10f64.powi(exponent)).round();
            (multiple * step, minus(format!("{mantissa:.decimals$}")))
        })
        .collect();
    Ticks { labelled, minor: Vec::new(), factor: (shift != 0).then(|| format!("×{}", power(shift))) }
}

/// Powers of ten from `low` to `high`, both positive, `most` of them at most; where they are at most one apart,
/// also twice and five times those.
pub(super) fn logarithmic(low: f64, high: f64, most: usize) -> Ticks {
    const SLACK: f64 = 1e-9;
    let (first, last) = ((low.log10() - SLACK).ceil() as i32, (high.log10() + SLACK).floor() as i32);
    let inside = |place: &f64| (low * (1.0 - SLACK)..=high * (1.0 + SLACK)).contains(place);
    let between = |multiples: &'static [i32]| {
        (first - 1..=last)
            .flat_map(move |exponent| multiples.iter().map(move |&multiple| (multiple, exponent)))
            .map(|(multiple, exponent)| (f64::from(multiple) * 10f64.powi(exponent), multiple, exponent))
            .filter(move |(place, _, _)| inside(place))
    };
    let decades = (last - first + 1).max(0) as usize;
    // From one power to the next there are four numbers.
    let short = high / low <= 10.0 * (1.0 + SLACK) && most >= 4;
    let labelled: Vec<(f64, String)> = if decades < 2 || short {
        between(&[1, 2, 5])
            .map(|(place, multiple, exponent)| match multiple {
                1 => (place, power(exponent)),
                _ => (place, format!("{multiple}×{}", power(exponent))),
            })
            .collect()
    } else {
        let stride = decades.div_ceil(most.max(1)) as i32;
        let exponents = (first..=last).filter(|exponent| exponent.rem_euclid(stride) == 0);
        exponents.map(|exponent| (10f64.powi(exponent), power(exponent))).collect()
    };
    /// Beyond this, they would be a grey band.
    const MOST_DECADES_WITH_MINOR_TICKS: usize = 8;
    let minor = if decades <= MOST_DECADES_WITH_MINOR_TICKS {
        between(&[2, 3, 4, 5, 6, 7, 8, 9]).map(|(place, _, _)| place).collect()
    } else {
        Vec::new()
    };
    Ticks { labelled, minor, factor: None }
}

/// The smallest 1, 2 or 5 times a power of ten that is not below `least`, and that power's exponent.
fn step(least: f64) -> (f64, i32) {
    let exponent = exponent_of(least);
    let unit = 10f64.powi(exponent);
    match least / unit {
        ratio if ratio <= 1.0 + 1e-9 => (unit, exponent),
        ratio if ratio <= 2.0 => (2.0 * unit, exponent),
        ratio if ratio <= 5.0 => (5.0 * unit, exponent),
        _ => (10f64.powi(exponent + 1), exponent + 1),
    }
}

/// The exponent of the largest power of ten that is not above `value`; 0 of what has none.
fn exponent_of(value: f64) -> i32 {
    if value > 0.0 && value.is_finite() { (value.log10() + 1e-12).floor() as i32 } else { 0 }
}

/// A power of ten with a raised exponent.
fn power(exponent: i32) -> String {
    let digits = exponent.to_string();
    let raised = digits.chars().map(|letter| match letter {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    });
    format!("10{}", raised.collect::<String>())
}

/// A number with a real minus sign, and without one before zero.
fn minus(number: String) -> String {
    match number.strip_prefix('-') {
        Some(digits) if digits.chars().all(|digit| matches!(digit, '0' | '.')) => digits.to_owned(),
        Some(digits) => format!("−{digits}"),
        None => number,
    }
}

/// A number in few digits, as titles write it.
pub(super) fn written(value: f64) -> String {
    let size = exponent_of(value.abs());
    if value == 0.0 || !value.is_finite() {
        return minus(value.to_string());
    }
    let short = |number: String| match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => number,
    };
    if (SMALL..LARGE).contains(&size) {
        return minus(short(format!("{:.*}", (3 - size).max(0) as usize, value)));
    }
    minus(format!("{}×{}", short(format!("{:.2}", value / 10f64.powi(size))), power(size)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &Ticks) -> Vec<&str> {
        ticks.labelled.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_numbers_inside_the_interval() {
        assert_eq!(labels(&linear(0.0, 1.0, 5)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&linear(-1.0, 1.0, 4)), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(
            labels(&linear(0.0, 7000.0, 7)),
            ["0", "1000", "2000", "3000", "4000", "5000", "6000", "7000"]
        );
        assert_eq!(labels(&linear(0.3, 6.1, 3)), ["2", "4", "6"]);
        for (low, high) in [(0.0, 0.7), (-3.3, 12.9), (1e4, 1.0001e4)] {
            let ticks = linear(low, high, 6);
            assert!((3..=7).contains(&ticks.labelled.len()), "{ticks:?}");
            let slack = 1e-9 * (high - low);
            assert!(ticks.labelled.iter().all(|(place, _)| (low - slack..=high + slack).contains(place)));
        }
    }

    #[test]
    fn very_large_and_very_small_numbers_share_a_power_of_ten() {
        let ticks = linear(0.0, 3e-5, 3);
        assert_eq!((labels(&ticks), ticks.factor.as_deref()), (vec!["0", "1", "2", "3"], Some("×10⁻⁵")));
        let ticks = linear(-2e7, 2e7, 4);
        assert_eq!(
            (labels(&ticks), ticks.factor.as_deref()),
            (vec!["−2", "−1", "0", "1", "2"], Some("×10⁷"))
        );
    }

    #[test]
    fn labels_tell_neighbours_apart_far_from_zero() {
        assert_eq!(labels(&linear(1000.0, 1000.002, 2)), ["1000.000", "1000.001", "1000.002"]);
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten_thinned_where_there_are_many() {
        assert_eq!(labels(&logarithmic(1e-3, 1.0, 9)), ["10⁻³", "10⁻²", "10⁻¹", "10⁰"]);
        assert_eq!(labels(&logarithmic(1e-20, 1.0, 5)), ["10⁻²⁰", "10⁻¹⁵", "10⁻¹⁰", "10⁻⁵", "10⁰"]);
        assert_eq!(logarithmic(1.0, 100.0, 9).minor.len(), 16);
    }

    #[test]
    fn a_short_logarithmic_interval_is_labelled_between_powers() {
        assert_eq!(labels(&logarithmic(1.5e-3, 8e-3, 9)), ["2×10⁻³", "5×10⁻³"]);
        assert_eq!(labels(&logarithmic(1e-4, 1e-3, 9)), ["10⁻⁴", "2×10⁻⁴", "5×10⁻⁴", "10⁻³"]);
        assert_eq!(labels(&logarithmic(1e-4, 1e-3, 3)), ["10⁻⁴", "10⁻³"], "where there is room");
    }

    #[test]
    fn numbers_in_titles_are_short() {
        let cases =
            [(0.5, "0.5"), (-1.0, "−1"), (1.0 / 3.0, "0.3333"), (1200.0, "1200"), (6.5e-4, "6.5×10⁻⁴")];
        for (value, text) in cases {
            assert_eq!(written(value), text);
        }
    }
}
