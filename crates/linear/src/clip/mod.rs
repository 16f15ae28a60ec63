//! Gradients that are too long are made shorter before a step: on the CPU, and as data that a device carries out.
//!
//! `partition` (which numbers belong together), `limit` (limits that follow the norms of past gradients).

mod limit;
mod partition;

pub use limit::Limit;
use method::Clip;
pub use partition::{Partition, Unit};
use std::collections::VecDeque;

/// Rules that apply one after the other, and what they remember.
#[derive(Clone, PartialEq, Debug)]
pub struct Clipping {
    rules: Vec<ClipRule>,
    parts: Partition,
    /// Whether each step that a device took by itself was by a gradient that was made shorter, the oldest first; until it is
    /// taken note of.
    shortened: VecDeque<bool>,
}

/// One of them.
#[derive(Clone, PartialEq, Debug)]
pub enum ClipRule {
    /// By what does not change.
    Fixed(Clip),
    /// By the norms of gradients before.
    Moving(Limit),
}

/// A unit whose numbers are near zero may still move: its norm counts for at least so much (Brock et al. 2021).
pub const LEAST_UNIT: f64 = 1e-3;

impl Clipping {
    /// These rules, for numbers that belong together like this.
    pub fn new(clips: &[Clip], parts: Partition) -> Self {
        let rule = |&clip: &Clip| Limit::of(clip).map_or(ClipRule::Fixed(clip), ClipRule::Moving);
        Clipping { rules: clips.iter().map(rule).collect(), parts, shortened: VecDeque::new() }
    }

    /// The rules, in their order.
    pub fn rules(&self) -> &[ClipRule] {
        &self.rules
    }

    /// Those again, to take over what they remember after steps on a device.
    pub fn rules_mut(&mut self) -> &mut [ClipRule] {
        &mut self.rules
    }

    /// Which numbers belong together.
    pub fn parts(&self) -> &Partition {
        &self.parts
    }

    /// Takes note of a step that a device took: whether its gradient was made shorter.
    pub fn note_step(&mut self, shortened: bool) {
        self.shortened.push_back(shortened);
    }

    /// Whether the oldest step that was not asked for yet was by a shorter gradient; `None` where a device took none.
    pub fn next_step(&mut self) -> Option<bool> {
        self.shortened.pop_front()
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Makes a finite gradient at some parameters shorter where a rule says so; whether one did.
    pub fn apply(&mut self, parameters: &[f64], gradient: &mut [f64]) -> bool {
        let Clipping { rules, parts, .. } = self;
        let mut clipped = false;
        for rule in rules {
            clipped |= match rule {
                ClipRule::Moving(limit) => {
                    let own = norm(gradient);
                    let most = limit.next(own);
                    shorten(gradient, own, most)
                }
                ClipRule::Fixed(clip) => by(*clip, parts, parameters, gradient),
            };
        }
        clipped
    }

    /// What every rule remembers, in their order.
    pub fn save(&self) -> Vec<Vec<f64>> {
        let remembered = |rule: &ClipRule| match rule {
            ClipRule::Fixed(_) => Vec::new(),
            ClipRule::Moving(limit) => limit.save(),
        };
        self.rules.iter().map(remembered).collect()
    }

    /// The numbers that a rule remembered; none where it is new.
    pub fn restore(&mut self, number: usize, remembered: &[f64]) {
        if let Some(ClipRule::Moving(limit)) = self.rules.get_mut(number) {
            limit.restore(remembered);
        }
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }
}

/// Clips by a rule that remembers nothing.
fn by(clip: Clip, parts: &Partition, parameters: &[f64], gradient: &mut [f64]) -> bool {
    match clip {
        Clip::Value { limit } => {
            let mut clipped = false;
            for slope in gradient {
                clipped |= slope.abs() > limit;
                *slope = slope.clamp(-limit, limit);
            }
            clipped
        }
        Clip::GlobalNorm { limit } => {
            let own = norm(gradient);
            shorten(gradient, own, limit)
        }
        Clip::Norm { limit } => each(&parts.arrays, gradient, limit),
        Clip::Layer { limit } => each(&parts.layers, gradient, limit),
        Clip::Relative { ratio } => {
            let mut clipped = false;
            for unit in &parts.units {
                let places = || (0..unit.count).map(|number| unit.first + number * unit.stride);
                let of = |numbers: &[f64]| {
                    places().map(|place| numbers[place] * numbers[place]).sum::<f64>().sqrt()
                };
                let (own, most) = (of(gradient), ratio * of(parameters).max(LEAST_UNIT));
                if own > most {
                    places().for_each(|place| gradient[place] *= most / own);
                    clipped = true;
                }
            }
            clipped
        }
        // Those remember norms.
        Clip::Adaptive { .. } | Clip::Percentile { .. } | Clip::Average { .. } => false,
    }
}

fn each(ranges: &[std::ops::Range<usize>], gradient: &mut [f64], limit: f64) -> bool {
    let mut clipped = false;
    for range in ranges {
        let part = &mut gradient[range.clone()];
        let own = norm(part);
        clipped |= shorten(part, own, limit);
    }
    clipped
}

fn norm(numbers: &[f64]) -> f64 {
    numbers.iter().map(|number| number * number).sum::<f64>().sqrt()
}

fn shorten(numbers: &mut [f64], own: f64, most: f64) -> bool {
    let too_long = own > most;
    if too_long {
        numbers.iter_mut().for_each(|number| *number *= most / own);
    }
    too_long
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One input, two outputs with biases; one weight more, and one scalar.
    fn parts() -> Partition {
        let mut parts = Partition::default();
        parts.add_map(0, [1, 2], true);
        parts.add_loose(4..5);
        parts.add_loose(5..6);
        parts
    }

    fn one() -> Partition {
        let mut parts = Partition::default();
        parts.add_loose(0..1);
        parts
    }

    fn clipped(rules: &[Clip], gradient: &[f64]) -> Vec<f64> {
        let mut gradient = gradient.to_vec();
        Clipping::new(rules, parts()).apply(&[1.0; 6], &mut gradient);
        gradient
    }

    #[test]
    fn every_rule_shortens_what_its_name_says() {
        let slopes = [3.0, 4.0, 0.0, 12.0, -2.0, 0.5];
        assert_eq!(clipped(&[Clip::Value { limit: 1.0 }], &slopes), [1.0, 1.0, 0.0, 1.0, -1.0, 0.5]);
        // The matrix (3, 4), its biases (0, 12), the other weight and the scalar.
        assert_eq!(clipped(&[Clip::Norm { limit: 2.5 }], &slopes), [1.5, 2.0, 0.0, 2.5, -2.0, 0.5]);
        // The layer's norm is thirteen.
        assert_eq!(clipped(&[Clip::Layer { limit: 6.5 }], &slopes), [1.5, 2.0, 0.0, 6.0, -2.0, 0.5]);
        let whole = (169.0f64 + 4.0 + 0.25).sqrt();
        let half = clipped(&[Clip::GlobalNorm { limit: whole / 2.0 }], &slopes);
        assert!(half.iter().zip(slopes).all(|(half, own)| (half - own / 2.0).abs() < 1e-15), "{half:?}");
        // Units: weight and bias of each output have norm √2, others one.
        let relative = clipped(&[Clip::Relative { ratio: 0.5 }], &slopes);
        let unit = 0.5 * 2f64.sqrt();
        let second = 160f64.sqrt();
        let wanted = [unit, 4.0 * unit / second, 0.0, 12.0 * unit / second, -0.5, 0.5];
        assert!(
            relative.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-15),
            "{relative:?}"
        );
        let chained = clipped(&[Clip::Value { limit: 1.0 }, Clip::GlobalNorm { limit: 1.0 }], &slopes);
        assert!((norm(&chained) - 1.0).abs() < 1e-15);
        assert_eq!(chained[0], chained[3]);
    }

    #[test]
    fn limits_follow_norms_and_survive_in_what_is_saved() {
        let adaptive = [Clip::Adaptive { factor: 2.0, window: 2 }];
        let mut clipping = Clipping::new(&adaptive, one());
        let length = |norm: f64, clipping: &mut Clipping| {
            let mut gradient = [norm];
            clipping.apply(&[0.0], &mut gradient);
            gradient[0]
        };
        assert_eq!(length(1.0, &mut clipping), 1.0, "there is nothing to compare with");
        assert_eq!(length(3.0, &mut clipping), 2.0);
        let mut other = Clipping::new(&adaptive, one());
        clipping.save().iter().enumerate().for_each(|(number, saved)| other.restore(number, saved));
        // Norms as they were found count.
        assert_eq!(length(9.0, &mut clipping), 4.0);
        assert_eq!(length(9.0, &mut other), 4.0);
        assert_eq!(other, clipping);
    }
}
