//! Fewer unknowns than parameters: a random subspace in which a step moves.

/// A random subspace of parameters. Each of its directions is a sum of parameters with random signs, every parameter in one of
/// them, and all directions are one long and at right angles (Cartis, Fowkes, Shao 2022 solve for Gauss-Newton steps in such
/// subspaces).
///
/// Parameters come in groups of as many as there are unknowns, and each group is turned by a random number of places: numbers
/// that lie side by side in a row of the Jacobian then lie side by side in that of the subspace.
#[derive(Clone, PartialEq, Debug)]
pub struct Subspace {
    unknowns: usize,
    /// Of every parameter: the unknown that moves it, and by how much.
    places: Vec<(usize, f64)>,
}

impl Subspace {
    /// Unknowns of subspaces of so many parameters.
    pub fn unknowns_for(parameters: usize) -> usize {
        /// On an H200, Burgers: 1,024 were as good as 2,048 for 12,737 parameters, and not for 50,049; 512 were worse.
        const EACH: usize = 24;
        (parameters / EACH).clamp(1024, 2048).min(parameters.div_ceil(2)).max(1)
    }

    /// The subspace of a turn, always the same.
    pub fn draw(parameters: usize, unknowns: usize, turn: u64) -> Self {
        let (unknowns, key) = (unknowns.max(1), Self::key(turn));
        let groups = parameters.div_ceil(unknowns);
        let turns: Vec<usize> = (0..groups).map(|group| turned(key, parameters, unknowns, group)).collect();
        let place = |number: usize| (number % unknowns + turns[number / unknowns]) % unknowns;
        let mut counts = vec![0u32; unknowns];
        (0..parameters).for_each(|number| counts[place(number)] += 1);
        let factor = |number: usize, count: u32| {
            let sign = if mixed(key, number) & 1 == 0 { 1.0 } else { -1.0 };
            sign / f64::from(count).sqrt()
        };
        let places = (0..parameters).map(|number| (place(number), factor(number, counts[place(number)])));
        Subspace { unknowns, places: places.collect() }
    }

    /// What tells the turns' random numbers apart; devices that draw the same subspaces begin with it.
    pub fn key(turn: u64) -> u64 {
        finalized(turn.wrapping_add(1).wrapping_mul(GOLDEN))
    }

    /// Unknowns.
    pub fn unknowns(&self) -> usize {
        self.unknowns
    }

    /// A vector of parameters in terms of the subspace.
    pub fn gather(&self, from: &[f64], to: &mut [f64]) {
        to.fill(0.0);
        self.places.iter().zip(from).for_each(|((unknown, factor), from)| to[*unknown] += factor * from);
    }

    /// Adds what unknowns mean for the parameters.
    pub fn spread(&self, from: &[f64], to: &mut [f64]) {
        self.places.iter().zip(to).for_each(|((unknown, factor), to)| *to += factor * from[*unknown]);
    }
}

/// By how many places a group of parameters is turned.
fn turned(key: u64, parameters: usize, unknowns: usize, group: usize) -> usize {
    ((mixed(key, parameters + group) >> 1) % unknowns as u64) as usize
}

fn mixed(key: u64, number: usize) -> u64 {
    finalized(key.wrapping_add((number as u64 + 1).wrapping_mul(GOLDEN)))
}

/// Between the states of SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Its finalizer.
pub(crate) fn finalized(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_one_long_and_every_turn_has_others() {
        for (parameters, unknowns) in [(37, 10), (40, 10), (10, 10), (3, 2)] {
            let subspace = Subspace::draw(parameters, unknowns, 5);
            for unknown in 0..unknowns {
                let (mut one, mut back) = (vec![0.0; unknowns], vec![0.0; parameters]);
                one[unknown] = 1.0;
                subspace.spread(&one, &mut back);
                let mut again = vec![0.0; unknowns];
                subspace.gather(&back, &mut again);
                let close = again.iter().zip(&one).all(|(got, wanted)| (got - wanted).abs() < 1e-15);
                assert!(close, "{parameters}, {unknowns}: {again:?}");
            }
            assert_eq!(subspace, Subspace::draw(parameters, unknowns, 5), "the same again");
            assert_ne!(subspace, Subspace::draw(parameters, unknowns, 6));
        }
    }
}
