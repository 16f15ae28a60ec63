//! Random numbers that are pure functions of counters: they have no state, so neither threads nor order change them.

/// 2^64 over the golden ratio: neighbouring counters lie far apart.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of random numbers, numbered by 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stream(u64);

impl Stream {
    pub(crate) fn new(seed: u64) -> Self {
        Stream(mixed(seed ^ GOLDEN))
    }

    /// A stream of its own for each number.
    pub(crate) fn with(self, number: u64) -> Self {
        Stream(mixed(self.0.wrapping_add(mixed(number.wrapping_mul(GOLDEN) ^ 0x5851_f42d_4c95_7f2d))))
    }

    /// A stream of its own for each name.
    pub(crate) fn named(self, name: &str) -> Self {
        // Lengths count from the other end than numbers do.
        name.as_bytes().chunks(8).fold(self.with(!(name.len() as u64)), |stream, bytes| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            stream.with(u64::from_le_bytes(word))
        })
    }

    /// 64 random bits.
    pub(crate) fn bits(self, index: u64) -> u64 {
        mixed(self.0.wrapping_add(index.wrapping_mul(GOLDEN)))
    }

    /// In [0, 1), a multiple of 2^-53.
    pub(crate) fn uniform(self, index: u64) -> f64 {
        (self.bits(index) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// An integer below `end`, which is not 0; all are equally likely but for `end` in 2^64.
    pub(crate) fn below(self, index: u64, end: u64) -> u64 {
        ((u128::from(self.bits(index)) * u128::from(end)) >> 64) as u64
    }

    /// A standard normal number (Box and Muller 1958).
    pub(crate) fn normal(self, index: u64) -> f64 {
        // Never 0, of which there is no logarithm.
        let radius = (-2.0 * libm::log(1.0 - self.uniform(2 * index))).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.uniform(2 * index + 1))
    }

    /// An exponentially distributed number with mean 1.
    pub(crate) fn exponential(self, index: u64) -> f64 {
        -libm::log(1.0 - self.uniform(index))
    }
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_distributions() {
        let (stream, count) = (Stream::new(3).with(5).named("sample 7"), 20_000);
        let mean = |number: &dyn Fn(u64) -> f64| (0..count).map(number).sum::<f64>() / count as f64;
        // Five standard deviations of a mean of so many.
        let within = |deviation: f64| 5.0 * deviation / (count as f64).sqrt();
        assert!((mean(&|index| stream.uniform(index)) - 0.5).abs() < within(0.29));
        assert!(mean(&|index| stream.normal(index)).abs() < within(1.0));
        assert!((mean(&|index| stream.normal(index).powi(2)) - 1.0).abs() < within(1.42));
        assert!((mean(&|index| stream.exponential(index)) - 1.0).abs() < within(1.0));
        assert!((mean(&|index| stream.below(index, 10) as f64) - 4.5).abs() < within(2.9));
    }

    #[test]
    fn streams_of_neighbouring_numbers_and_names_differ() {
        let stream = Stream::new(0);
        let streams =
            [stream, stream.with(0), stream.with(1), stream.named(""), stream.named("a"), stream.named("b")];
        for (place, one) in streams.iter().enumerate() {
            for other in &streams[place + 1..] {
                let same = (0..64).filter(|&index| one.below(index, 2) == other.below(index, 2)).count();
                assert!((12..=52).contains(&same), "{same} of 64 bits agree");
            }
        }
    }
}
