//! Counter-based random numbers: number `index` of stream `stream` under `seed` is a pure function
//! of the three, the same on every device and for every number of threads.

/// Philox 4x32 with ten rounds (Salmon, Moraes, Dror, Shaw 2011).
fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
    const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
    for _ in 0..10 {
        let first = u64::from(MULTIPLIERS[0]) * u64::from(counter[0]);
        let second = u64::from(MULTIPLIERS[1]) * u64::from(counter[2]);
        counter = [
            (second >> 32) as u32 ^ counter[1] ^ key[0],
            second as u32,
            (first >> 32) as u32 ^ counter[3] ^ key[1],
            first as u32,
        ];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

/// The first two words of many blocks, where lane by lane the same instructions run: words stand in the lower half of 64 bits, so that
/// vectors have one width throughout. What is above the words is of no account until the end.
#[inline(always)]
fn philox_lanes<const LANES: usize>(counters: &[u64; LANES], name: u64, key: [u32; 2]) -> [u64; LANES] {
    const LOW: u64 = 0xffff_ffff;
    const MULTIPLIERS: [u64; 2] = [0xD251_1F53, 0xCD9E_8D57];
    const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
    let mut bits = [0; LANES];
    for lane in 0..LANES {
        let (mut a, mut b, mut c, mut d) = (counters[lane], counters[lane] >> 32, name, name >> 32);
        let mut key = key;
        for _ in 0..10 {
            let first = MULTIPLIERS[0] * (a & LOW);
            let second = MULTIPLIERS[1] * (c & LOW);
            (a, b, c, d) = (
                (second >> 32) ^ b ^ u64::from(key[0]),
                second,
                (first >> 32) ^ d ^ u64::from(key[1]),
                first,
            );
            key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        }
        bits[lane] = a & LOW | b << 32;
    }
    bits
}

/// A family of random numbers, told apart from others by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stream {
    key: [u32; 2],
    name: u64,
}

impl Stream {
    /// The stream `name` under `seed`.
    pub fn new(seed: u64, name: u64) -> Self {
        Stream { key: [seed as u32, (seed >> 32) as u32], name }
    }

    /// 64 random bits.
    pub fn bits(&self, index: u64) -> u64 {
        let counter = [index as u32, (index >> 32) as u32, self.name as u32, (self.name >> 32) as u32];
        let block = philox(counter, self.key);
        u64::from(block[0]) | u64::from(block[1]) << 32
    }

    /// The same of many indices. Inlined, so that it is compiled with the vector instructions of whoever calls it.
    #[inline(always)]
    pub fn bits_of<const LANES: usize>(&self, indices: &[u64; LANES]) -> [u64; LANES] {
        philox_lanes(indices, self.name, self.key)
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    pub fn uniform(&self, index: u64) -> f64 {
        (self.bits(index) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Normal with mean 0 and deviation 1 (Box-Muller on numbers 2·index and 2·index + 1).
    pub fn normal(&self, index: u64) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform(2 * index)).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform(2 * index + 1)).cos()
    }
}

/// Where a permutation of 0..count puts a number of it: a Feistel network (Luby, Rackoff 1988) of so many rounds, whose random bits follow
/// from the round and a number. Numbers that the network leads out of that range are led on until they are back.
pub fn permuted(number: u64, count: u64, rounds: u64, bits: impl Fn(u64, u64) -> u64) -> u64 {
    let digits = u64::BITS - count.saturating_sub(1).leading_zeros();
    // Half the binary digits of the numbers that are permuted.
    let half = digits.div_ceil(2).max(1);
    let mask = (1u64 << half) - 1;
    let mut place = number;
    loop {
        let (mut left, mut right) = (place >> half, place & mask);
        for round in 0..rounds {
            (left, right) = (right, left ^ (bits(round, right) & mask));
        }
        place = left << half | right;
        if place < count {
            return place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn philox_matches_the_published_test_vectors() {
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        let ones = u32::MAX;
        assert_eq!(philox([ones; 4], [ones; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
    }

    #[test]
    fn many_indices_at_once_have_the_bits_of_single_ones() {
        for (seed, name) in [(0, 0), (u64::MAX, u64::MAX), (0x0123_4567_89ab_cdef, 0x5a00_0000_0200_0001)] {
            let stream = Stream::new(seed, name);
            let indices: [u64; 64] =
                std::array::from_fn(|lane| (lane as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            assert_eq!(stream.bits_of(&indices), indices.map(|index| stream.bits(index)));
        }
    }

    #[test]
    fn uniform_and_normal_numbers_have_their_moments() {
        let stream = Stream::new(7, 3);
        let count = 20_000;
        let mean = (0..count).map(|index| stream.uniform(index)).sum::<f64>() / count as f64;
        // Five standard deviations of the mean of uniforms and of squared normals.
        assert!((mean - 0.5).abs() < 5.0 * (1.0 / 12.0f64).sqrt() / (count as f64).sqrt());
        let variance = (0..count).map(|index| stream.normal(index).powi(2)).sum::<f64>() / count as f64;
        assert!((variance - 1.0).abs() < 5.0 * 2.0f64.sqrt() / (count as f64).sqrt());
    }
}
