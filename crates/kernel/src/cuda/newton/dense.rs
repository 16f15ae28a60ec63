//! Dense linear algebra on the device: the text of its kernels, the same for every plan, and what they are given.

use crate::cuda::machine::{Region, Shape, ToLoad, given};
use crate::cuda::program::{INSTRUCTIONS, NUMBERS, SIDE, kernel_of};
use linear::{Attempt, Bend, Correction, Course};
use std::fmt::Write;

/// Rows of the Jacobian that are staged at a time; as in `device/dense/normal.cuh`.
pub(super) const STAGED: usize = 24;

/// Rows and columns of a block of a factor; as in `device/dense/cholesky.cuh`.
pub(super) const BLOCK: usize = 64;

/// Blocks that share the points of one residual; as in `device/dense/candidates.cuh`.
pub(super) const SHARED_OUT: usize = 16;

/// Blocks that add up the parts of one tile; as in `device/dense/normal.cuh`.
pub(super) const GATHERING: usize = 16;

pub(super) const THREADS: usize = 256;

/// Steps that are tried at once; as many as `device/dense/dense.cuh` has numbers to add.
pub(crate) const CANDIDATES: usize = 4;

/// Numbers that the host is told before the squares: three per candidate.
pub(super) const REPORT: usize = 3 * CANDIDATES;

/// Two stages of two factors, padded against conflicts of banks; those of `device/dense/gram.cuh` take less.
const SHARED_BYTES: usize = 4 * STAGED * (SIDE + 4) * size_of::<f64>();

/// A stage of two wide factors; as in `device/dense/wide.cuh`.
const WIDE_BYTES: usize = 2 * SIDE * (16 + 4) * size_of::<f64>();

given! {
    /// What its kernels are given; as `Arguments` in `device/dense/dense.cuh`.
    #[derive(Default)]
    pub(super) struct DenseArguments laid out as DenseWords {
        rows: Region<f64>,
        row_count: u64,
        stride: u64,
        size: u64,
        parts: u64,
        fresh: u64,
        sums: Region<f64>,
        matrix: Region<f64>,
        factors: Region<f64>,
        corners: Region<f64>,
        flags: Region<i32>,
        factor_count: u64,
        damped: [f64; CANDIDATES],
        candidates: u64,
        factor: [u64; CANDIDATES],
        added: [f64; CANDIDATES],
        pulled: [f64; CANDIDATES],
        momentum: Region<f64>,
        in_rows: u64,
        from: Region<f64>,
        to: Region<f64>,
        step: Region<f64>,
        acceleration: Region<f64>,
        kept: Region<f64>,
        along: Region<f64>,
        parameters: Region<f64>,
        moved: Region<f64>,
        accelerated: u64,
        values: Region<f64>,
        others: Region<f64>,
        all_rows: u64,
        kinds: Region<u64>,
        kind_count: u64,
        curved: Region<f64>,
        apart: u64,
        slope: Region<f64>,
        report: Region<f64>,
        iterated: u64,
        enough: f64,
        diagonal: Region<f64>,
        sketched: u64,
        first_row: u64,
        wide: u64,
        key: u64,
        reach: f64,
        most_bend: f64,
    }
}

impl DenseArguments {
    /// With the dampings of these attempts.
    pub(super) fn trying(mut self, attempts: &[Attempt], course: Course) -> Self {
        let factors = distinct_factors(attempts, course);
        let place = |wanted: f64| factors.iter().position(|factor| factor.to_bits() == wanted.to_bits());
        for (number, attempt) in attempts.iter().enumerate() {
            self.factor[number] = place(attempt.factored).unwrap_or(0) as u64;
            self.added[number] = attempt.added;
            self.pulled[number] = f64::from(u8::from(attempt.momentum));
        }
        self.damped.iter_mut().zip(&factors).for_each(|(damped, factor)| *damped = *factor);
        (self.factor_count, self.candidates) = (factors.len() as u64, attempts.len() as u64);
        self.accelerated = u64::from(course.acceleration.is_some());
        if let Some(Bend { reach, most }) = course.acceleration {
            (self.reach, self.most_bend) = (reach, most);
        }
        self
    }

    /// With the last factor for all candidates.
    pub(super) fn correcting(self) -> Self {
        DenseArguments { factor: [self.factor_count.saturating_sub(1); CANDIDATES], ..self }
    }
}

/// What factors have added to their diagonals, each once; that of corrections comes last.
pub(crate) fn distinct_factors(attempts: &[Attempt], course: Course) -> Vec<f64> {
    let same = |one: f64, other: f64| one.to_bits() == other.to_bits();
    let mut factors: Vec<f64> = Vec::with_capacity(CANDIDATES);
    for &Attempt { factored, .. } in attempts {
        if !factors.iter().any(|&known| same(known, factored)) {
            factors.push(factored);
        }
    }
    if let Some(Correction { added, .. }) = course.correction {
        factors.retain(|&known| !same(known, added));
        factors.push(added);
    }
    factors
}

pub(super) const WIDE_FACTOR: &str = "factor_wide";

/// Its kernels and the functions that they are; the first one stages in shared memory.
const KERNELS: [(&str, &str); 35] = [
    ("products", "multiply_all"),
    ("gather", "gather_parts"),
    ("measure", "survey"),
    ("damp", "damp_row"),
    ("factor", "finish_block"),
    (WIDE_FACTOR, "finish_wide"),
    ("begin", "begin_backward"),
    ("forward", "solve_forward"),
    ("backward", "solve_backward"),
    ("ahead", "look_ahead"),
    ("curve", "fill_rows<false>"),
    ("slopes", "slope_parts"),
    ("add", "add_slopes<false>"),
    ("steps", "add_slopes<true>"),
    ("end", "end_step"),
    ("squares", "sum_squares"),
    ("split", "split_rows"),
    ("measure_rows", "survey_rows"),
    ("arrive", "fill_rows<true>"),
    ("correct", "correct_end"),
    ("along", "multiply_along"),
    ("remain", "remaining_slope"),
    ("turn", "turn_direction"),
    ("lengthen", "lengthen_step"),
    ("remaining", "remaining_square"),
    ("diagonal", "square_parts"),
    ("measure_diagonal", "survey_diagonal"),
    ("sketch", "add_with_signs"),
    ("start", "begin_iterations"),
    ("by_diagonal", "divide_by_diagonal"),
    ("by_sketch", "divide_by_sketch"),
    ("combine", "combine_columns"),
    ("complete", "complete_rows"),
    ("spread", "spread_unknowns"),
    ("predicted", "predicted_in_subspace"),
];

/// Their text, with all names.
pub(crate) fn to_load(text: &str) -> ToLoad<'_> {
    const NAMES: [&str; KERNELS.len()] = {
        let mut names = [""; KERNELS.len()];
        let mut place = 0;
        while place < names.len() {
            names[place] = KERNELS[place].0;
            place += 1;
        }
        names
    };
    let shape = Shape { threads: THREADS, shared: SHARED_BYTES, each: 1 };
    ToLoad { text, shape, kernels: &NAMES, staging: &[(WIDE_FACTOR, WIDE_BYTES)], tables: &[] }
}

/// The text of all of them.
pub(crate) fn text() -> String {
    let mut text =
        String::from("// Dense linear algebra, made by pinnace.\ntypedef double number;\n#define HALVES 0\n");
    let sizes = [("WORKSPACE_BYTES", 16), ("SHARED_BYTES", SHARED_BYTES), ("WIDE_BYTES", WIDE_BYTES)];
    for (name, value) in [("THREADS", THREADS)].into_iter().chain(sizes) {
        _ = writeln!(text, "constexpr int {name} = {value};");
    }
    for part in [
        NUMBERS,
        INSTRUCTIONS,
        include_str!("../device/dense/dense.cuh"),
        include_str!("../device/dense/normal.cuh"),
        include_str!("../device/dense/cholesky.cuh"),
        include_str!("../device/dense/wide.cuh"),
        include_str!("../device/dense/solve.cuh"),
        include_str!("../device/dense/candidates.cuh"),
        include_str!("../device/dense/gram.cuh"),
        include_str!("../device/dense/refine.cuh"),
        include_str!("../device/dense/sketch.cuh"),
        include_str!("../device/dense/subspace.cuh"),
    ] {
        text.push('\n');
        text += part;
    }
    text.push('\n');
    for (place, (name, function)) in KERNELS.iter().enumerate() {
        // One block of these fills a multiprocessor.
        let each = if place == 0 || *name == WIDE_FACTOR { 1 } else { 2 };
        text += &kernel_of(name, each, &format!("    {function}(arguments);\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::machine::assert_twins;

    #[test]
    fn kernels_read_what_they_are_given() {
        let constants = [
            ("SIDE", SIDE),
            ("STAGED", STAGED),
            ("BLOCK", BLOCK),
            ("SHARED_OUT", SHARED_OUT),
            ("GATHERING", GATHERING),
            ("WIDE_STAGE * 8", WIDE_BYTES),
            ("sizeof(Arguments::damped) / 8", CANDIDATES),
            ("COMBINED", super::super::subspace::COMBINED),
        ];
        assert_twins::<DenseArguments>(&text(), &constants);
    }
}
