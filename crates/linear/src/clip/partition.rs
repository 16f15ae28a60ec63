//! Which trainable numbers belong together.

use std::ops::Range;

/// Ranges and units of the trainable numbers.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Partition {
    /// Every matrix, every row of biases, and what is in between.
    pub arrays: Vec<Range<usize>>,
    /// Matrices with their biases, and what is in between.
    pub layers: Vec<Range<usize>>,
    /// What makes one number each: the weights into it, with its bias.
    pub units: Vec<Unit>,
}

/// Numbers at equal distances.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Unit {
    /// The first of them.
    pub first: usize,
    /// How many there are.
    pub count: usize,
    /// From one to the next.
    pub stride: usize,
}

impl Partition {
    /// Adds a matrix that begins here, with so many rows and columns, and the row of biases behind it if it has one; where that
    /// ends.
    pub fn add_map(&mut self, first: usize, [rows, columns]: [usize; 2], biased: bool) -> usize {
        let (middle, all) = (first + rows * columns, rows + usize::from(biased));
        let end = first + all * columns;
        self.arrays.push(first..middle);
        if biased {
            self.arrays.push(middle..end);
        }
        self.layers.push(first..end);
        let unit = |column| Unit { first: first + column, count: all, stride: columns };
        self.units.extend((0..columns).map(unit));
        end
    }

    /// Adds numbers that belong to no matrix.
    pub fn add_loose(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        self.arrays.push(range.clone());
        self.layers.push(range.clone());
        self.units.extend(range.map(|first| Unit { first, count: 1, stride: 1 }));
    }
}
