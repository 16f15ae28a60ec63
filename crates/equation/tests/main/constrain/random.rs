//! Random boxes, faces and data.

use super::pair;
use proptest::prelude::*;
use proptest::sample::subsequence;

/// Data up to 20 on boxes that lie up to 30 of their lengths from the origin, with slopes over a tenth: some
/// thousand times the rounding of numbers of order one, and that a few hundred times.
const TOLERANCE: f64 = 1e-10;

/// A box of up to three coordinates, the ends at which `u` is prescribed (time: with its slope or without),
/// and a smooth function.
#[derive(Clone, Debug)]
struct Stated {
    ranges: Vec<(f64, f64)>,
    faces: Vec<(usize, bool)>,
    slope: bool,
    numbers: Vec<f64>,
}

fn stated() -> impl Strategy<Value = Stated> {
    (1usize..=3).prop_flat_map(|dimensions| {
        let all: Vec<(usize, bool)> =
            (0..dimensions).flat_map(|axis| [(axis, false), (axis, true)]).collect();
        let count = all.len();
        (
            prop::collection::vec((-3.0..3.0f64, 0.1..4.0f64), dimensions),
            subsequence(all, 1..=count),
            any::<bool>(),
            prop::collection::vec(-2.0..2.0f64, 7),
        )
            .prop_map(|(ranges, faces, slope, numbers)| Stated { ranges, faces, slope, numbers })
    })
}

impl Stated {
    fn text(&self) -> String {
        let names = ["t", "x", "y"];
        let mut text = "[domain]\n".to_owned();
        for (name, (low, length)) in names.iter().zip(&self.ranges) {
            let high = low + length;
            text += &format!("{name} = {{ range = [{low}, {high}], open = true }}\n");
        }
        let used = &names[..self.ranges.len()];
        let n = &self.numbers;
        let phase: String = used.iter().zip(n).map(|(name, k)| format!(" + ({k})*{name}")).collect();
        let product = used.join("*");
        text += &format!(
            "[unknowns]\nu = {{}}\n[functions]\nf = \"({})*sin({}{phase}) + ({})*cos({product}) + exp(0.2*t*({}))\"\n\
             [equations]\ne = \"u_t = u\"\n[conditions]\n",
            n[3], n[4], n[5], n[6]
        );
        for (number, &(axis, high)) in self.faces.iter().enumerate() {
            let (low, length) = self.ranges[axis];
            let value = if high { low + length } else { low };
            let slope = if self.slope && axis == 0 { ", \"u_t = d(f, t)\"" } else { "" };
            let on = format!("{} = {value}", names[axis]);
            text += &format!("c{number} = {{ on = \"{on}\", equations = [\"3*u - f = 2*f\"{slope}] }}\n");
        }
        // Starts of several windows are penalties, and what grows or oscillates for long gets several.
        text + "[training]\nwindows = 1\n"
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn whatever_one_function_prescribes_can_be_built_in(stated in stated()) {
        let pair = pair(&stated.text());
        let treatments = pair.treatments();
        prop_assume!(!treatments.iter().any(|treatment| treatment.ends_with("too steep")));
        let count: usize = pair.stated.conditions.iter().map(|condition| condition.equations.len()).sum();
        prop_assert_eq!(treatments.iter().filter(|it| it.ends_with("exact")).count(), count, "{:?}", treatments);
        prop_assert_eq!(pair.check_exact(TOLERANCE), count);
    }
}
