//! Which parts of a closed line a horizontal ray can meet.

/// Parts of a closed line by their heights, in bands of equal height.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Bands {
    low: f64,
    high: f64,
    bands: Vec<Vec<u32>>,
}

/// More bands would cost more memory than they save time.
const MOST_BANDS: usize = 256;

impl Bands {
    /// From the lowest and highest point of every part.
    pub(crate) fn new(heights: &[[f64; 2]]) -> Bands {
        let low = heights.iter().fold(f64::INFINITY, |low, ends| low.min(ends[0]));
        let high = heights.iter().fold(f64::NEG_INFINITY, |high, ends| high.max(ends[1]));
        let count = heights.len().clamp(1, MOST_BANDS);
        let mut bands = Bands { low, high, bands: vec![Vec::new(); count] };
        for (part, ends) in heights.iter().enumerate() {
            for band in bands.band(ends[0])..=bands.band(ends[1]) {
                bands.bands[band].push(part as u32);
            }
        }
        bands
    }

    fn band(&self, height: f64) -> usize {
        // Monotone in the height, whatever rounding does: a part is in the band of every height it reaches.
        let share = (height - self.low) / (self.high - self.low);
        ((share * self.bands.len() as f64) as usize).min(self.bands.len() - 1)
    }

    /// All parts that reach this height, and some that do not.
    pub(crate) fn at(&self, height: f64) -> &[u32] {
        if self.low <= height && height <= self.high { &self.bands[self.band(height)] } else { &[] }
    }

    /// The least of the squares of distances to parts, looking at the bands near a height first.
    pub(crate) fn least(&self, height: f64, square: impl Fn(u32) -> f64) -> f64 {
        let count = self.bands.len();
        let width = (self.high - self.low) / count as f64;
        let own = self.band(height.clamp(self.low, self.high));
        // How far a band is above or below; a little less, as its edges are rounded.
        let gap = |band: usize| {
            let (low, high) = (self.low + band as f64 * width, self.low + (band + 1) as f64 * width);
            ((low - height).max(height - high) - 1e-9 * width).max(0.0)
        };
        let mut least = f64::INFINITY;
        for offset in 0..count {
            let bands = [own.checked_sub(offset), (offset > 0).then_some(own + offset)];
            let mut near = bands.into_iter().flatten().filter(|band| *band < count).peekable();
            if near.peek().is_none() {
                break;
            }
            let mut nearest = f64::INFINITY;
            for band in near {
                let gap = gap(band);
                nearest = nearest.min(gap);
                if gap * gap < least {
                    least = self.bands[band].iter().map(|&part| square(part)).fold(least, f64::min);
                }
            }
            if nearest * nearest >= least {
                break;
            }
        }
        least
    }
}

/// A side that meets another one: line and place within it, of both, and a common point.
pub(crate) struct Contact {
    pub(crate) sides: [(usize, usize); 2],
    pub(crate) at: [f64; 2],
}

/// The square of the distance from a point to a segment.
pub(crate) fn square_to_side([x, y]: [f64; 2], [from, to]: [[f64; 2]; 2]) -> f64 {
    let (run, rise) = (to[0] - from[0], to[1] - from[1]);
    let (x, y) = (x - from[0], y - from[1]);
    let share = ((x * run + y * rise) / (run * run + rise * rise)).clamp(0.0, 1.0);
    let (x, y) = (x - share * run, y - share * rise);
    x * x + y * y
}

/// Whether a ray to the right of a point meets a side.
#[inline(always)]
pub(crate) fn is_passed([x, y]: [f64; 2], [from, to]: [[f64; 2]; 2]) -> bool {
    // One end counts and the other does not: a ray through a corner meets one of its two sides.
    (from[1] > y) != (to[1] > y) && x < from[0] + (y - from[1]) / (to[1] - from[1]) * (to[0] - from[0])
}

/// The first two sides of closed lines that have a point in common which is not the corner between them.
pub(crate) fn contact(lines: &[&[[f64; 2]]]) -> Option<Contact> {
    let side =
        |(line, index): (usize, usize)| [lines[line][index], lines[line][(index + 1) % lines[line].len()]];
    let numbered = lines.iter().enumerate();
    let mut order: Vec<(usize, usize)> =
        numbered.flat_map(|(line, corners)| (0..corners.len()).map(move |index| (line, index))).collect();
    let lowest = |own: &(usize, usize)| side(*own)[0][1].min(side(*own)[1][1]);
    order.sort_by(|left, right| lowest(left).total_cmp(&lowest(right)));
    let mut found: Option<Contact> = None;
    for (rank, &one) in order.iter().enumerate() {
        let [start, end] = side(one);
        let top = start[1].max(end[1]);
        for &other in order[rank + 1..].iter().take_while(|other| lowest(other) <= top) {
            let (first, second) = (one.min(other), one.max(other));
            if found.as_ref().is_some_and(|found| found.sides <= [first, second]) {
                continue;
            }
            let (corners, alike) = (lines[first.0], first.0 == second.0);
            let at = if alike && second.1 == first.1 + 1 {
                folded(corners[first.1], corners[second.1], side(second)[1])
            } else if alike && first.1 == 0 && second.1 + 1 == corners.len() {
                folded(corners[second.1], corners[0], corners[1])
            } else {
                common(side(first), side(second))
            };
            if let Some(at) = at {
                found = Some(Contact { sides: [first, second], at });
            }
        }
    }
    found
}

/// Twice the signed area of a triangle.
fn turn(first: [f64; 2], second: [f64; 2], third: [f64; 2]) -> f64 {
    (second[0] - first[0]) * (third[1] - first[1]) - (second[1] - first[1]) * (third[0] - first[0])
}

/// The corner, where a side runs back along the one before.
fn folded(before: [f64; 2], corner: [f64; 2], after: [f64; 2]) -> Option<[f64; 2]> {
    let backwards =
        (corner[0] - before[0]) * (after[0] - corner[0]) + (corner[1] - before[1]) * (after[1] - corner[1]);
    (turn(before, corner, after) == 0.0 && backwards < 0.0).then_some(corner)
}

/// A common point of two segments.
fn common([a, b]: [[f64; 2]; 2], [c, d]: [[f64; 2]; 2]) -> Option<[f64; 2]> {
    let apart = |axis: usize| {
        a[axis].max(b[axis]) < c[axis].min(d[axis]) || c[axis].max(d[axis]) < a[axis].min(b[axis])
    };
    if apart(0) || apart(1) {
        return None;
    }
    let (of_c, of_d) = (turn(a, b, c), turn(a, b, d));
    let (of_a, of_b) = (turn(c, d, a), turn(c, d, b));
    if of_c * of_d > 0.0 || of_a * of_b > 0.0 {
        return None;
    }
    if of_a == of_b {
        // On one line, and their boxes meet: a corner of one is on the other.
        let within = |point: [f64; 2], [from, to]: [[f64; 2]; 2]| {
            (0..2).all(|axis| {
                from[axis].min(to[axis]) <= point[axis] && point[axis] <= from[axis].max(to[axis])
            })
        };
        return [(c, [a, b]), (d, [a, b]), (a, [c, d])]
            .into_iter()
            .find_map(|(point, side)| within(point, side).then_some(point));
    }
    let share = of_a / (of_a - of_b);
    Some([a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])])
}
