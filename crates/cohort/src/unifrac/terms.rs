//! What a branch adds to the sums of a pair.

use super::metric::Metric;
use crate::table::Table;

/// What a sample has at a branch: two numbers, whose meaning depends on the metric; both are 0 where the sample does not have it.
pub(super) type Share = [f64; 2];

/// What a branch adds to the two sums of a pair of samples. A term of which one of both samples lacks the branch is exactly 0 where
/// only shared branches are summed: it is left out for some branches, and computed for others.
pub(super) trait Term: Copy + Sync {
    /// Of a branch of this length, the shares of both samples, all reads of both.
    fn of(self, length: f64, one: Share, other: Share, reads: [f64; 2]) -> [f64; 2];
}

/// (p + q)^α, with powers that take less time where there are.
pub(super) trait Power: Copy + Sync {
    fn of(self, base: f64) -> f64;
}

/// α = 0.
#[derive(Clone, Copy)]
pub(super) struct One;

/// α = ½.
#[derive(Clone, Copy)]
pub(super) struct Root;

/// Any other α. A function of the standard library would differ in bits from system to system.
#[derive(Clone, Copy)]
pub(super) struct Any(pub(super) f64);

impl Power for One {
    #[inline(always)]
    fn of(self, base: f64) -> f64 {
        if base > 0.0 { 1.0 } else { 0.0 }
    }
}

impl Power for Root {
    #[inline(always)]
    fn of(self, base: f64) -> f64 {
        base.sqrt()
    }
}

impl Power for Any {
    #[inline(always)]
    fn of(self, base: f64) -> f64 {
        if base > 0.0 { libm::pow(base, self.0) } else { 0.0 }
    }
}

/// Of the generalized distance. Shares are p and p^α. The sums are Σ b·(p^α + q^α − (p+q)^(α−1)·|p − q|) and
/// Σ b·(p^α + q^α − (p+q)^α) over shared branches.
#[derive(Clone, Copy)]
pub(super) struct Generalized<P>(pub(super) P);

impl<P: Power> Term for Generalized<P> {
    #[inline(always)]
    fn of(self, length: f64, one: Share, other: Share, _: [f64; 2]) -> [f64; 2] {
        let (sum, alone) = (one[0] + other[0], one[1] + other[1]);
        let power = self.0.of(sum);
        // Whatever 0 is divided by; a branch of the program would keep it from computing vectors.
        let divisor = if sum > 0.0 { sum } else { 1.0 };
        let difference = power * ((one[0] - other[0]).abs() / divisor);
        [length * (alone - difference), length * (alone - power)]
    }
}

/// b/v, or 0 where v is 0: where no reads are below the branch, or all. Without a branch of the program, which would keep it
/// from computing vectors.
#[inline(always)]
fn over_root(length: f64, square: f64) -> f64 {
    let weight = length / (if square > 0.0 { square } else { 1.0 }).sqrt();
    if square > 0.0 { weight } else { 0.0 }
}

/// Of the variance-adjusted distance between samples that all have the same number of reads. Shares are m and b·m/v with v as if the
/// other sample did not have the branch; the sums are over shared branches.
#[derive(Clone, Copy)]
pub(super) struct EqualDepths {
    /// Of both samples together.
    pub(super) reads: f64,
}

impl EqualDepths {
    /// b/v, or 0 where all reads are below the branch.
    #[inline(always)]
    pub(super) fn weight(self, length: f64, below: f64) -> f64 {
        over_root(length, below * (self.reads - below))
    }
}

impl Term for EqualDepths {
    #[inline(always)]
    fn of(self, length: f64, one: Share, other: Share, _: [f64; 2]) -> [f64; 2] {
        let below = one[0] + other[0];
        let weight = self.weight(length, below);
        let alone = one[1] + other[1];
        [alone - weight * (one[0] - other[0]).abs(), alone - weight * below]
    }
}

/// Of the variance-adjusted distance between any samples: the sums are numerator and denominator over all branches, since the
/// reads of the other sample count even where it lacks the branch. Shares are m and p.
#[derive(Clone, Copy)]
pub(super) struct AnyDepths;

impl Term for AnyDepths {
    #[inline(always)]
    fn of(self, length: f64, one: Share, other: Share, reads: [f64; 2]) -> [f64; 2] {
        let below = one[0] + other[0];
        let weight = over_root(length, below * (reads[0] + reads[1] - below));
        [weight * (one[1] - other[1]).abs(), weight * (one[1] + other[1])]
    }
}

/// Why a metric takes tens of times as long as others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Slower {
    /// Every branch counts for every pair, not only those that both samples have: so it is with variance-adjusted distances between
    /// samples that differ in their numbers of reads.
    AllBranches,
    /// Every pair needs a power with this exponent for every branch.
    Powers(f64),
}

/// Whether distances of a table take so long.
pub fn slower(table: &Table, metric: Metric) -> Option<Slower> {
    match Way::of(metric, &table.totals()) {
        Way::AnyDepths => Some(Slower::AllBranches),
        Way::Powers(alpha) if alpha != 0.0 && alpha != 0.5 => Some(Slower::Powers(alpha)),
        Way::Powers(_) | Way::Smaller { .. } | Way::EqualDepths { .. } => None,
    }
}

/// How a metric is computed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Way {
    /// One sum over shared branches, of the smaller of two shares: b, or b·p.
    Smaller {
        /// Whether shares are b wherever there are reads.
        presence: bool,
    },
    /// Two sums over shared branches.
    Powers(f64),
    /// Two sums over shared branches.
    EqualDepths {
        /// Of both samples together.
        reads: f64,
    },
    /// Two sums over all branches.
    AnyDepths,
}

impl Way {
    pub(super) fn of(metric: Metric, totals: &[u64]) -> Way {
        match metric {
            Metric::Unweighted => Way::Smaller { presence: true },
            // The same number by another formula.
            Metric::Weighted | Metric::Normalized | Metric::Generalized(1.0) => {
                Way::Smaller { presence: false }
            }
            Metric::Generalized(alpha) => Way::Powers(alpha),
            Metric::VarianceAdjusted => match totals.split_first() {
                Some((first, others)) if others.iter().all(|total| total == first) => {
                    Way::EqualDepths { reads: 2.0 * *first as f64 }
                }
                Some(_) | None => Way::AnyDepths,
            },
        }
    }

    /// Sums per pair.
    pub(super) fn sums(self) -> usize {
        if matches!(self, Way::Smaller { .. }) { 1 } else { 2 }
    }

    /// What a sample with `total` reads has at a branch with `below` of them.
    pub(super) fn share(self, length: f64, below: u64, total: u64) -> Share {
        let (below, total) = (below as f64, total as f64);
        match self {
            Way::Smaller { presence: true } => [length, 0.0],
            Way::Smaller { presence: false } => [length * (below / total), 0.0],
            Way::Powers(alpha) => {
                let share = below / total;
                let power = match alpha {
                    0.0 => One.of(share),
                    0.5 => Root.of(share),
                    alpha => Any(alpha).of(share),
                };
                [share, power]
            }
            Way::EqualDepths { reads } => [below, EqualDepths { reads }.weight(length, below) * below],
            Way::AnyDepths => [below, below / total],
        }
    }
}

/// A distance from the sums of a pair and those of each sample with itself.
#[inline]
pub(super) fn distance(metric: Metric, way: Way, pair: Share, one: Share, other: Share) -> f64 {
    let over = |numerator: f64, denominator: f64| {
        if denominator > 0.0 { (numerator / denominator).clamp(0.0, 1.0) } else { 0.0 }
    };
    // Of a sample with itself everything is shared, once for each of both.
    let both = |place: usize, sum: f64| (one[place] / 2.0 + other[place] / 2.0) - sum;
    match (way, metric) {
        (Way::Smaller { presence: true }, _) => {
            let all = one[0] + other[0];
            over(all - 2.0 * pair[0], all - pair[0])
        }
        (Way::Smaller { .. }, Metric::Weighted) => (one[0] + other[0] - 2.0 * pair[0]).max(0.0),
        (Way::Smaller { .. }, _) => {
            let all = one[0] + other[0];
            over(all - 2.0 * pair[0], all)
        }
        // With itself a sample has 2·Σ b·p^α in the first sum: what belongs to it alone follows from that one.
        (Way::Powers(_) | Way::EqualDepths { .. }, _) => over(both(0, pair[0]), both(0, pair[1])),
        (Way::AnyDepths, _) => over(pair[0], pair[1]),
    }
}
