//! The sequences of Halton (1960) and Hammersley (1960), turned by a random shift (Cranley, Patterson 1976).

use equation::counter::Stream;

/// The random shifts of dimensions: numbers of a stream that no index reaches.
const SHIFTS: u64 = 1 << 40;

/// Numbers in bases that are different primes, one per dimension.
#[derive(Clone, Debug)]
pub struct Halton {
    bases: Vec<u32>,
    shifts: Vec<f64>,
    /// Where the first dimension goes through equal steps: Hammersley's set of so many points.
    steps: Option<u64>,
}

impl Halton {
    /// In so many dimensions.
    pub fn new(dimensions: usize, stream: Stream) -> Self {
        let shifts = (0..dimensions as u64).map(|dimension| stream.uniform(SHIFTS + dimension)).collect();
        Halton { bases: primes(dimensions), shifts, steps: None }
    }

    /// Hammersley's set of `count` points.
    pub fn hammersley(dimensions: usize, count: u64, stream: Stream) -> Self {
        let Halton { mut bases, shifts, .. } = Halton::new(dimensions, stream);
        // The first dimension needs no base.
        bases.rotate_right(1);
        Halton { bases, shifts, steps: Some(count.max(1)) }
    }

    /// Writes point `index` into `point`, each number strictly inside (0, 1).
    pub fn point(&self, index: u64, point: &mut [f64]) {
        for (dimension, ((value, &base), &shift)) in
            point.iter_mut().zip(&self.bases).zip(&self.shifts).enumerate()
        {
            let place = match self.steps.filter(|_| dimension == 0) {
                Some(steps) => ((index % steps) as f64 + 0.5) / steps as f64,
                None => mirrored(index + 1, u64::from(base)),
            };
            *value = (place + shift).fract().clamp(f64::EPSILON, 1.0 - f64::EPSILON);
        }
    }
}

/// The digits of a number in some base, behind the point in reverse order.
fn mirrored(mut number: u64, base: u64) -> f64 {
    let (mut value, mut unit) = (0.0, 1.0);
    while number > 0 {
        unit /= base as f64;
        value += unit * (number % base) as f64;
        number /= base;
    }
    value
}

/// The first so many primes.
fn primes(count: usize) -> Vec<u32> {
    let mut primes: Vec<u32> = Vec::with_capacity(count);
    let mut candidate = 2;
    while primes.len() < count {
        if primes.iter().all(|prime| candidate % prime != 0) {
            primes.push(candidate);
        }
        candidate += 1;
    }
    primes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_interval_of_a_base_gets_its_share() {
        let halton = Halton::new(3, Stream::new(1, 2));
        let set = Halton::hammersley(3, 3000, Stream::new(1, 2));
        for sequence in [halton, set] {
            for dimension in 0..3 {
                let mut counts = [0usize; 10];
                for index in 0..3000 {
                    let mut point = [0.0; 3];
                    sequence.point(index, &mut point);
                    assert!(point.iter().all(|value| 0.0 < *value && *value < 1.0));
                    counts[(point[dimension] * 10.0) as usize] += 1;
                }
                // The discrepancy of one dimension is a few digits over the number of points.
                assert!(counts.iter().all(|count| count.abs_diff(300) <= 12), "{dimension}: {counts:?}");
            }
        }
        assert_eq!(primes(5), [2, 3, 5, 7, 11]);
        assert_eq!(mirrored(6, 2), 0.375);
    }
}
