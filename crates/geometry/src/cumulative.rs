//! Integrals of a positive function up to every point, and back.

/// Nodes and weights of Gauss' rule with eight points on [-1, 1], the positive half.
const NODES: [f64; 4] =
    [0.183_434_642_495_649_8, 0.525_532_409_916_329, 0.796_666_477_413_626_7, 0.960_289_856_497_536_3];
const WEIGHTS: [f64; 4] =
    [0.362_683_783_378_362, 0.313_706_645_877_887_3, 0.222_381_034_453_374_48, 0.101_228_536_290_376_26];

/// Panels are halved until that changes their integral by less, relative to the whole.
const ACCURACY: f64 = 1e-12;

/// Halvings of a panel. Corners of the function are known to this power of one half.
const MOST_HALVINGS: usize = 30;

/// By Gauss' rule with eight points.
pub(crate) fn integral(from: f64, to: f64, function: &dyn Fn(f64) -> f64) -> f64 {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let pair = |(node, weight): (&f64, &f64)| {
        weight * (function(middle - half * node) + function(middle + half * node))
    };
    half * NODES.iter().zip(&WEIGHTS).map(pair).sum::<f64>()
}

/// The integral of a positive function from the start to the ends of panels that are small enough for Gauss' rule.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Cumulative {
    ends: Vec<f64>,
    sums: Vec<f64>,
    /// Places at equal steps of the share from zero to one, and their derivatives; empty where cubic polynomials between
    /// them are not good enough.
    inverse: Vec<[f64; 2]>,
}

/// Errors of a share that cubic polynomials may make.
const INTERPOLATION: f64 = 1e-11;

/// More steps than this are not worth their time: shares are then found by Newton's method.
const MOST_STEPS: usize = 1 << 13;

impl Cumulative {
    /// Between rising points, of which there are two or more; within each pair the function is smooth.
    pub(crate) fn new(points: impl Iterator<Item = f64>, function: &dyn Fn(f64) -> f64) -> Cumulative {
        let points: Vec<f64> = points.collect();
        let panels = || points.windows(2).map(|pair| (pair[0], pair[1]));
        let whole: f64 = panels().map(|(from, to)| integral(from, to, function)).sum();
        let mut table = Cumulative { ends: vec![points[0]], sums: vec![0.0], inverse: Vec::new() };
        let mut sum = 0.0;
        for (from, to) in panels() {
            // The left half is pushed last, so that panels come out from left to right.
            let mut open = vec![(from, to, integral(from, to, function), MOST_HALVINGS)];
            while let Some((from, to, guess, halvings)) = open.pop() {
                let middle = 0.5 * (from + to);
                let halves = [integral(from, middle, function), integral(middle, to, function)];
                if halvings == 0 || (halves[0] + halves[1] - guess).abs() <= ACCURACY * whole {
                    sum += halves[0] + halves[1];
                    table.ends.push(to);
                    table.sums.push(sum);
                } else {
                    open.push((middle, to, halves[1], halvings - 1));
                    open.push((from, middle, halves[0], halvings - 1));
                }
            }
        }
        table.inverse = table.inverted(function);
        table
    }

    fn inverted(&self, function: &dyn Fn(f64) -> f64) -> Vec<[f64; 2]> {
        let node = |share: f64| {
            let place = self.search(share, function);
            [place, self.whole() / function(place)]
        };
        let mut nodes = vec![node(0.0), node(1.0)];
        while nodes.len() <= MOST_STEPS {
            let steps = (nodes.len() - 1) as f64;
            let mut finer = Vec::with_capacity(2 * nodes.len());
            let mut worst = 0.0f64;
            for (index, pair) in nodes.windows(2).enumerate() {
                let middle = node((index as f64 + 0.5) / steps);
                let error = (between(pair[0], pair[1], 1.0 / steps, 0.5) - middle[0]) / middle[1];
                // A slope without end makes no polynomial.
                worst = worst.max(if error.is_finite() { error.abs() } else { f64::INFINITY });
                finer.extend([pair[0], middle]);
            }
            finer.extend(nodes.last());
            nodes = finer;
            // The first few steps can agree by symmetry alone.
            if worst < INTERPOLATION && steps > 32.0 {
                return nodes;
            }
        }
        Vec::new()
    }

    /// The integral over everything.
    pub(crate) fn whole(&self) -> f64 {
        self.sums[self.sums.len() - 1]
    }

    /// Where the integral reaches a share of the whole. The function is the one the table was made of.
    pub(crate) fn at(&self, share: f64, function: &dyn Fn(f64) -> f64) -> f64 {
        let Some(steps) = self.inverse.len().checked_sub(1) else {
            return self.search(share, function);
        };
        let place = share.clamp(0.0, 1.0) * steps as f64;
        let index = (place as usize).min(steps - 1);
        between(self.inverse[index], self.inverse[index + 1], 1.0 / steps as f64, place - index as f64)
    }

    /// The same by Newton's method.
    fn search(&self, share: f64, function: &dyn Fn(f64) -> f64) -> f64 {
        let wanted = share * self.whole();
        let panel = self.sums.partition_point(|sum| *sum <= wanted).clamp(1, self.sums.len() - 1);
        let (start, before) = (self.ends[panel - 1], self.sums[panel - 1]);
        let (mut low, mut high) = (start, self.ends[panel]);
        let filled = (wanted - before) / (self.sums[panel] - before);
        let mut place = low + filled.clamp(0.0, 1.0) * (high - low);
        let close = 1e-15 * low.abs().max(high.abs());
        for _ in 0..60 {
            let over = before + integral(start, place, function) - wanted;
            if over > 0.0 {
                high = place;
            } else {
                low = place;
            }
            let mut next = place - over / function(place);
            // Also when the function is zero there.
            if !(low <= next && next <= high) {
                next = 0.5 * (low + high);
            }
            let step = (next - place).abs();
            place = next;
            if step <= close {
                break;
            }
        }
        place
    }
}

/// The cubic polynomial with these values and slopes at both ends of a step.
fn between(start: [f64; 2], end: [f64; 2], width: f64, t: f64) -> f64 {
    let rise = end[0] - start[0];
    let [leaving, arriving] = [width * start[1], width * end[1]];
    let value =
        t * (leaving + t * (3.0 * rise - 2.0 * leaving - arriving + t * (leaving + arriving - 2.0 * rise)));
    (start[0] + value).clamp(start[0].min(end[0]), start[0].max(end[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_points_are_exact_for_degree_fifteen() {
        let found = integral(0.0, 2.0, &|x: f64| 16.0 * x.powi(15));
        assert!((found / 65536.0 - 1.0).abs() < 1e-14, "{found}");
    }

    #[test]
    fn smooth_functions_are_inverted_by_polynomials_and_cusps_are_not() {
        let function = |x: f64| 1.5 + x.sin();
        let table = Cumulative::new([0.0, 3.0].into_iter(), &function);
        assert!(!table.inverse.is_empty());
        for share in [0.123, 0.777] {
            assert!((table.at(share, &function) - table.search(share, &function)).abs() < 1e-10);
        }
        let cusp = Cumulative::new([-1.0, 1.0].into_iter(), &|x: f64| x.abs());
        assert!(cusp.inverse.is_empty());
        assert!((cusp.at(0.75, &|x: f64| x.abs()) - 0.5f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn shares_of_a_steep_function_are_found() {
        // From almost zero to one within a thousandth of the interval.
        let function = |x: f64| (x * x + 1e-6).sqrt();
        let exact = |x: f64| 0.5 * (x * function(x) + 1e-6 * (x / 1e-3).asinh());
        let table = Cumulative::new([-1.0, 1.0].into_iter(), &function);
        assert!((table.whole() - 2.0 * exact(1.0)).abs() < 1e-11);
        let check = |table: &Cumulative| {
            for share in [0.0, 0.1, 0.499_999, 0.5, 0.75, 0.751_234_5, 1.0] {
                let place = table.at(share, &function);
                let found = (exact(place) + exact(1.0)) / (2.0 * exact(1.0));
                assert!((found - share).abs() < 1e-10, "{share} {found}");
            }
        };
        check(&table);
        check(&Cumulative { inverse: Vec::new(), ..table });
    }
}
