//! Where a function of two coordinates is zero, as lines.

/// A rectangle of the plane, cut into cells.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Cells {
    /// Its lower and upper end to the right.
    pub(super) x: (f64, f64),
    /// The same upwards.
    pub(super) y: (f64, f64),
    /// Cells to the right and upwards, at least one.
    pub(super) counts: (usize, usize),
}

impl Cells {
    fn place(&self, column: usize, row: usize) -> (f64, f64) {
        let along = |(low, high): (f64, f64), step: usize, count: usize| {
            low + (high - low) * step as f64 / count as f64
        };
        (along(self.x, column, self.counts.0), along(self.y, row, self.counts.1))
    }

    /// Pieces of the lines on which a function vanishes: it is linear along the edges of cells (Lorensen, Cline 1987, in the
    /// plane). Cells with a value that is no number have none.
    pub(super) fn zeros(&self, function: impl Fn(f64, f64) -> f64) -> Vec<[(f64, f64); 2]> {
        let (columns, rows) = self.counts;
        let values: Vec<f64> = (0..=columns)
            .flat_map(|column| (0..=rows).map(move |row| (column, row)))
            .map(|(column, row)| self.place(column, row))
            .map(|(x, y)| function(x, y))
            .collect();
        let value = |column: usize, row: usize| values[column * (rows + 1) + row];
        let mut segments = Vec::new();
        for column in 0..columns {
            for row in 0..rows {
                let corners = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)];
                let crossings: Vec<(f64, f64)> = (0..4)
                    .filter_map(|edge| {
                        let (from, to) = (corners[edge], corners[(edge + 1) % 4]);
                        let (start, end) = (value(from.0, from.1), value(to.0, to.1));
                        // A value of zero is inside, so that every line has two ends.
                        if start.is_nan() || end.is_nan() || (start > 0.0) == (end > 0.0) {
                            return None;
                        }
                        let share = start / (start - end);
                        let (a, b) = (self.place(from.0, from.1), self.place(to.0, to.1));
                        Some((a.0 + share * (b.0 - a.0), a.1 + share * (b.1 - a.1)))
                    })
                    .collect();
                // Four crossings are two lines; which of two pairs belongs together cannot be seen at this size.
                segments.extend(crossings.chunks_exact(2).map(|pair| [pair[0], pair[1]]));
            }
        }
        segments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zeros_of_a_distance_are_its_circle() {
        let cells = Cells { x: (-2.0, 2.0), y: (-1.5, 1.5), counts: (80, 60) };
        let segments = cells.zeros(|x, y| x.hypot(y) - 1.0);
        let length: f64 = segments.iter().map(|[a, b]| (a.0 - b.0).hypot(a.1 - b.1)).sum();
        assert!((length - std::f64::consts::TAU).abs() < 0.01, "{length}");
        assert!(segments.iter().flatten().all(|&(x, y)| (x.hypot(y) - 1.0).abs() < 2e-3));
        assert!(cells.zeros(|_, _| f64::NAN).is_empty() && cells.zeros(|_, _| 1.0).is_empty());
    }
}
