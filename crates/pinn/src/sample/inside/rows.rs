//! Parts of a draw of points inside a shape.

use super::candidate::{CandidateRegion, Candidates};
use super::counts::{self, CandidateGround, CountSource, ENTRY};
use super::cover::{Cover, CoverSummary};
use super::scan::{KeptCandidates, ScanFor, scan};
use crate::TrainError;
use crate::sample::PointSequence;
use equation::counter::Stream;
use equation::problem::{Domain, Geometry, Sampler};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Candidates that a thread looks at in one go.
const UNIT: u64 = 1024;

/// Candidates that are looked at before anybody asks again how many are missing: more would leave the cache before their rows are where
/// they belong.
const WAVE: u64 = 1 << 17;

/// Candidates beyond those that the shape's share of its box asks for: its measure is an estimate.
pub(super) const MORE: f64 = 1.05;

/// Shapes that fill less of the box around them are covered by cells.
const THIN: f64 = 0.01;

/// The least share of candidates that has to lie inside.
const LEAST_SHARE: f64 = 1e-6;

/// Candidates by which the share of them that lies inside is found; the second number where the first finds few.
const SAMPLES: [u64; 2] = [1 << 16, 1 << 22];

/// As many of these are enough to know the share to a tenth.
const ENOUGH: usize = 100;

/// Which points inside to draw.
#[derive(Clone, Debug)]
pub(in crate::sample) struct InteriorWish {
    pub(in crate::sample) sampler: Sampler,
    pub(in crate::sample) stream: Stream,
    /// Points of the whole draw.
    pub(in crate::sample) whole: usize,
    /// Those of them that are wanted.
    pub(in crate::sample) part: Range<usize>,
    /// Numbers of a row; those behind the coordinates are ones.
    pub(in crate::sample) width: usize,
}

/// Where candidates lie, and the share of them that lies inside.
pub(super) struct Ready<'p> {
    pub(super) region: CandidateRegion<'p>,
    ground: CandidateGround,
    pub(super) share: f64,
}

impl<'p> Ready<'p> {
    pub(super) fn new(
        domain: &'p Domain,
        geometry: &'p Geometry,
        sampler: Sampler,
    ) -> Result<Self, TrainError> {
        let mut region = CandidateRegion { domain, geometry, cover: None };
        let ground = CandidateGround::of(&region);
        // Where the shape has parameters, candidates come from all of the box.
        let box_of = |(&axis, bounds): (&usize, &[f64; 2])| match geometry.family {
            Some(_) => domain.reach(axis).into(),
            None => *bounds,
        };
        let bounds = geometry.axes.iter().zip(geometry.solid.bounds()).map(box_of);
        let share = geometry.solid.measure().value / bounds.map(|[low, high]| high - low).product::<f64>();
        let in_cells = match sampler {
            _ if geometry.family.is_some() => false,
            // Grids are grids of the box; and cells take a dimension more.
            Sampler::Grid | Sampler::Chebyshev => false,
            Sampler::Sobol => domain.len() < crate::sample::Sobol::MAX_DIMENSIONS,
            Sampler::Uniform | Sampler::LatinHypercube | Sampler::Halton | Sampler::Hammersley => true,
        };
        if (share < THIN || share.is_nan()) && in_cells {
            let (cover, share) = counts::cover(&ground, || {
                let cover = Arc::new(Cover::new(domain, geometry));
                region.cover = Some(cover.clone());
                let inside = share_inside(&region);
                match inside >= LEAST_SHARE {
                    true => Ok((cover, inside)),
                    false => Err(TrainError::ThinShape { share: inside * cover.share(), in_cells: true }),
                }
            })?;
            region.cover = Some(cover);
            return Ok(Ready { region, ground, share });
        }
        match share >= LEAST_SHARE {
            true => Ok(Ready { region, ground, share: share.min(1.0) }),
            false => Err(TrainError::ThinShape { share, in_cells: false }),
        }
    }
}

/// The share of candidates that lies inside, by some of them that no training sees.
fn share_inside(region: &CandidateRegion<'_>) -> f64 {
    if region.cover.as_ref().is_some_and(|cover| cover.len() == 0) {
        return 0.0;
    }
    let sequence = PointSequence::Uniform(Stream::new(0, 0));
    let candidates = Candidates::new(region, &sequence, SAMPLES[1]);
    let mut share = 0.0;
    for samples in SAMPLES {
        let units = (0..samples / UNIT).into_par_iter();
        let count: usize =
            units.map(|unit| scan(&candidates, unit * UNIT..(unit + 1) * UNIT, ScanFor::Count).count).sum();
        share = count as f64 / samples as f64;
        if count >= ENOUGH {
            break;
        }
    }
    share
}

/// How candidates for points inside a shape are found, where that takes cells.
pub(crate) fn summary(
    domain: &Domain,
    geometry: &Geometry,
    sampler: Sampler,
) -> Result<Option<CoverSummary>, TrainError> {
    let Ready { region, share, .. } = Ready::new(domain, geometry, sampler)?;
    Ok(region.cover.map(|cover| CoverSummary { cells: cover.len(), share: cover.share(), inside: share }))
}

/// Rows of the points of a part of a draw.
pub(in crate::sample) fn inside(
    domain: &Domain,
    geometry: &Geometry,
    wish: &InteriorWish,
) -> Result<Vec<f64>, TrainError> {
    let InteriorWish { sampler, stream, whole, ref part, .. } = *wish;
    if part.is_empty() {
        return Ok(Vec::new());
    }
    let ready = Ready::new(domain, geometry, sampler)?;
    let dimensions = ready.region.dimensions();
    let estimate = |points: usize| (MORE * points as f64 / ready.share) as u64 + UNIT;
    let limit = PointSequence::length(sampler);
    if !PointSequence::depends_on_count(sampler) {
        let sequence = PointSequence::new(sampler, dimensions, 0, stream);
        let source = CountSource::new(ready.ground.clone(), sampler, stream, None);
        let draw = Parted { ready: &ready, sequence: &sequence, source, end: limit };
        return draw
            .rows(part.clone(), wish.width)
            .ok_or(TrainError::SequenceEnds { sampler, length: limit });
    }
    // A function of the whole draw: its parts have the same candidates.
    let mut candidates = estimate(whole);
    loop {
        if candidates > limit {
            return Err(TrainError::SequenceEnds { sampler, length: limit });
        }
        let sequence = PointSequence::new(sampler, dimensions, candidates as usize, stream);
        let source = CountSource::new(ready.ground.clone(), sampler, stream, Some(candidates as usize));
        let draw = Parted { ready: &ready, sequence: &sequence, source, end: candidates };
        let enough = part.end == whole || draw.rows(whole - 1..whole, wish.width).is_some();
        if let Some(rows) = draw.rows(part.clone(), wish.width).filter(|_| enough) {
            return Ok(rows);
        }
        candidates += candidates / 2;
    }
}

/// In which entry of a table a point lies, or where the table ends, and how many points lie before that.
fn begin(counts: &[u64], point: usize) -> (usize, usize) {
    let entry = counts.partition_point(|&count| count <= point as u64);
    (entry, entry.checked_sub(1).map_or(0, |before| counts[before] as usize))
}

/// A draw of which parts are wanted.
struct Parted<'p> {
    ready: &'p Ready<'p>,
    sequence: &'p PointSequence,
    source: CountSource,
    /// Candidates there are.
    end: u64,
}

impl Parted<'_> {
    /// Rows of the points of a range; `None` where candidates end before.
    fn rows(&self, range: Range<usize>, width: usize) -> Option<Vec<f64>> {
        let mut known = counts::known(&self.source);
        // Where much is to be counted, one thread does so, and others wait for what it finds.
        let far = known.last().copied().unwrap_or(0) + WAVE <= range.start as u64;
        let turn = if far { counts::turn() } else { None };
        if turn.is_some() {
            known = counts::known(&self.source);
        }
        let (entry, mut before) = begin(&known, range.start);
        let mut position = entry as u64 * ENTRY;
        // Counts are added to the table where it ends, one after the other.
        let (mut table, mut next) = (None, entry);
        let estimate = |points: usize| (MORE * points as f64 / self.ready.share) as u64 + UNIT;
        let candidates = Candidates::new(&self.ready.region, self.sequence, estimate(range.len()));
        let mut rows = Vec::with_capacity(range.len() * width);
        while before < range.end {
            let wave = estimate(range.end - before).next_multiple_of(UNIT).min(WAVE).min(self.end - position);
            if wave == 0 {
                break;
            }
            let skipped = before as u64 + wave <= range.start as u64;
            let wanted = if skipped { ScanFor::Count } else { ScanFor::Rows { width } };
            let units = (0..wave.div_ceil(UNIT)).into_par_iter().map(|unit| {
                let first = position + unit * UNIT;
                scan(&candidates, first..(first + UNIT).min(position + wave), wanted)
            });
            for KeptCandidates { count, rows: found } in units.collect::<Vec<KeptCandidates>>() {
                let from = range.start.saturating_sub(before).min(count);
                let to = range.end.saturating_sub(before).min(count);
                if from < to && !skipped {
                    rows.extend_from_slice(&found[from * width..to * width]);
                }
                before += count;
                position = (position + UNIT).min(self.end);
                if position.is_multiple_of(ENTRY) {
                    if next == table.as_ref().map_or(known.len(), Vec::len) {
                        table.get_or_insert_with(|| known.to_vec()).push(before as u64);
                    }
                    next += 1;
                }
            }
        }
        if let Some(table) = table {
            counts::keep(&self.source, table);
        }
        (rows.len() == range.len() * width).then_some(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use equation::parse::parse;
    use equation::problem::Problem;

    const SAMPLERS: [Sampler; 7] = [
        Sampler::Sobol,
        Sampler::Uniform,
        Sampler::LatinHypercube,
        Sampler::Halton,
        Sampler::Hammersley,
        Sampler::Grid,
        Sampler::Chebyshev,
    ];

    fn problem(domain: &str, shape: &str) -> Problem {
        let text = format!(
            "[domain]\n{domain}\n[geometry]\nshape = \"{shape}\"\n[unknowns]\nu = {{}}\n[equations]\nflat = \"laplacian(u) = 0\"\n\
             [conditions]\nedge = {{ on = \"boundary\", equation = \"u = 0\" }}\n"
        );
        parse(&text).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("file")))
    }

    fn wish(sampler: Sampler, whole: usize, part: Range<usize>, width: usize) -> InteriorWish {
        InteriorWish { sampler, stream: Stream::new(3, 0x5a << 56), whole, part, width }
    }

    fn drawn(problem: &Problem, wish: &InteriorWish) -> Result<Vec<f64>, TrainError> {
        let geometry = problem.domain.geometry.as_ref().expect("a shape");
        inside(&problem.domain, geometry, wish)
    }

    /// What a draw means, in as few words as possible: candidate after candidate, those inside.
    fn one_by_one(
        problem: &Problem,
        InteriorWish { sampler, stream, whole, width, .. }: &InteriorWish,
    ) -> Vec<f64> {
        let (domain, dimensions) = (&problem.domain, problem.domain.len());
        let solid = &domain.geometry.as_ref().expect("a shape").solid;
        let sides = solid.bounds().iter().map(|[low, high]| high - low).product::<f64>();
        let mut candidates = (1.05 * *whole as f64 / (solid.measure().value / sides)) as usize + 1024;
        loop {
            let sequence = PointSequence::new(*sampler, dimensions, candidates, *stream);
            let mut rows = Vec::new();
            for index in 0..candidates {
                let mut row = vec![1.0; *width];
                sequence.point(index as u64, &mut row[..dimensions]);
                for (axis, value) in row[..dimensions].iter_mut().enumerate() {
                    let (low, high) = domain.reach(axis);
                    *value = low + (high - low) * *value;
                }
                if domain.contains(&row) && rows.len() < whole * width {
                    rows.extend(row);
                }
            }
            if rows.len() == whole * width {
                return rows;
            }
            candidates += candidates / 2;
        }
    }

    #[test]
    fn points_are_the_candidates_inside_one_after_the_other_bit_for_bit() {
        let plate = "rectangle([0, 0], [2, 1]) - disk([0.5, 0.5], 0.25) - disk([1.5, 0.5], 0.3)";
        let drill = "cylinder([0, 0, 0], [0, 0, 1], 0.5) - sphere([0, 0, 0.5], 0.4)";
        for (domain, shape, width) in [
            ("x = [0, 2]\ny = [0, 1]", plate, 2),
            ("t = [0, 3]\nx = [0, 2]\ny = [0, 1]", plate, 5),
            ("x = [-1, 1]\ny = [-1, 1]\nz = [0, 1]", drill, 3),
        ] {
            let problem = problem(domain, shape);
            for sampler in SAMPLERS {
                for whole in [1, 500, 20_000] {
                    let wish = wish(sampler, whole, 0..whole, width);
                    let wanted = one_by_one(&problem, &wish);
                    assert!(drawn(&problem, &wish).expect("points") == wanted, "{sampler:?} {whole} {shape}");
                    let part = whole / 3..whole - whole / 5;
                    let own = drawn(&problem, &InteriorWish { part: part.clone(), ..wish }).expect("points");
                    assert!(own == wanted[part.start * width..part.end * width], "{sampler:?} {part:?}");
                }
            }
        }
    }

    #[test]
    fn parts_of_a_large_draw_are_those_of_the_whole_in_any_order_and_on_any_number_of_threads() {
        let problem = problem("x = [-1, 1]\ny = [-1, 1]", "disk([0, 0], 1) - disk([0.3, 0], 0.2)");
        for sampler in [Sampler::Sobol, Sampler::LatinHypercube] {
            let whole = 300_000;
            let all = drawn(&problem, &wish(sampler, whole, 0..whole, 2)).expect("points");
            // Another seed has a table of its own, which begins empty here.
            let fresh = |part: Range<usize>| InteriorWish {
                stream: Stream::new(4, 0x5a << 56),
                ..wish(sampler, whole, part, 2)
            };
            let late = drawn(&problem, &fresh(290_000..300_000)).expect("points");
            let early = drawn(&problem, &fresh(10_000..20_000)).expect("points");
            let again = drawn(&problem, &fresh(0..whole)).expect("points");
            assert!(late == again[2 * 290_000..] && early == again[20_000..40_000] && again != all);
            let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
            let part = alone.install(|| drawn(&problem, &wish(sampler, whole, 99_999..200_001, 2)));
            assert!(part.expect("points") == all[2 * 99_999..2 * 200_001]);
        }
    }

    #[test]
    fn thin_shapes_are_drawn_in_cells_around_them_evenly_and_part_by_part() {
        let ring = "disk([0, 0], 1) - disk([0, 0], 0.9999)";
        let shell = "sphere([0, 0, 0], 1) - sphere([0, 0, 0], 0.999)";
        for (domain, shape, width) in [
            ("x = [-1, 1]\ny = [-1, 1]", ring, 2),
            ("t = [0, 2]\nx = [-1, 1]\ny = [-1, 1]", ring, 4),
            ("x = [-1, 1]\ny = [-1, 1]\nz = [-1, 1]", shell, 3),
        ] {
            let problem = problem(domain, shape);
            let geometry = problem.domain.geometry.as_ref().expect("a shape");
            for sampler in [Sampler::Sobol, Sampler::Uniform, Sampler::LatinHypercube, Sampler::Hammersley] {
                let CoverSummary { cells, share, inside: kept } =
                    summary(&problem.domain, geometry, sampler).expect("points").expect("a thin shape");
                assert!(cells <= 1 << 16 && share < 0.1 && kept > 0.02, "{cells} {share} {kept}");
                let whole = 4000;
                let rows = drawn(&problem, &wish(sampler, whole, 0..whole, width)).expect("points");
                let part = drawn(&problem, &wish(sampler, whole, 2500..3000, width)).expect("points");
                assert!(part == rows[2500 * width..3000 * width]);
                assert!(rows.chunks(width).all(|row| problem.domain.contains(row)));
                // The last candidates of Hammersley's set, which are spare ones, would have the end of a coordinate.
                let axes = if sampler == Sampler::Hammersley { 0 } else { problem.domain.len() };
                // As many in each half of each coordinate, up to five standard deviations of independent points.
                for axis in 0..axes {
                    let (low, high) = problem.domain.reach(axis);
                    let upper = rows.chunks(width).filter(|row| row[axis] > 0.5 * (low + high)).count();
                    assert!(
                        (upper as f64 - 2000.0).abs() < 5.0 * 1000.0f64.sqrt(),
                        "{sampler:?} {axis} {upper}"
                    );
                }
            }
        }
    }

    #[test]
    fn cells_miss_no_part_of_a_shape() {
        let sheets =
            "rectangle([-1, -1], [1, 1]) * disk([0, 0], 0.7) - disk([0, 0], 0.6995) + disk([0.9, 0.9], 0.01)";
        let problem = problem("x = [-1, 1]\ny = [-1, 1]", sheets);
        let geometry = problem.domain.geometry.as_ref().expect("a shape");
        let cover = Cover::new(&problem.domain, geometry);
        let region =
            CandidateRegion { domain: &problem.domain, geometry, cover: Some(Arc::new(cover.clone())) };
        // Area by cells, and by hand.
        let bounds: f64 = geometry.solid.bounds().iter().map(|[low, high]| high - low).product();
        let area = share_inside(&region) * cover.share() * bounds;
        let wanted = std::f64::consts::PI * (0.7f64.powi(2) - 0.6995f64.powi(2) + 0.01f64.powi(2));
        assert!((area / wanted - 1.0).abs() < 0.03, "{area} instead of {wanted}");
    }

    #[test]
    fn shapes_that_are_nearly_nothing_are_refused_with_their_share_and_grids_stay_grids_of_the_box() {
        let refused = |shape: &str, sampler: Sampler| {
            let problem = problem("x = [-1, 1]\ny = [-1, 1]", shape);
            drawn(&problem, &wish(sampler, 10, 0..10, 2))
                .map(|rows| rows.len())
                .map_err(|error| error.to_string())
        };
        let dust = "disk([-0.9, -0.9], 2e-10) + disk([0.9, 0.9], 2e-10)";
        let message = refused(dust, Sampler::Sobol).expect_err("nothing to draw");
        assert!(message.contains("of the box around it") && message.contains("small cells"), "{message}");
        let dots = "disk([-0.9, -0.9], 2e-4) + disk([0.9, 0.9], 2e-4)";
        assert_eq!(refused(dots, Sampler::Sobol), Ok(20));
        let message = refused(dots, Sampler::Grid).expect_err("a grid of the box");
        assert!(
            message.contains("7.8e-8 of the box") && message.contains("points of the box would"),
            "{message}"
        );
    }

    #[test]
    fn a_sequence_that_ends_is_an_error_that_names_it() {
        let problem = problem("x = [-1, 1]\ny = [-1, 1]", "disk([0, 0], 1)");
        let late = wish(Sampler::LatinHypercube, 4_000_000_000, 0..10, 2);
        let message = drawn(&problem, &late).map(|_| ()).expect_err("too many").to_string();
        assert!(message.contains("`latin-hypercube` has 4294967295 points"), "{message}");
    }

    #[test]
    fn a_table_of_counts_makes_late_parts_a_matter_of_few_candidates() {
        let problem = problem("x = [-1, 1]\ny = [-1, 1]", "disk([0, 0], 1)");
        let late = wish(Sampler::Uniform, 2_000_000, 1_500_000..1_500_100, 2);
        let geometry = problem.domain.geometry.as_ref().expect("a shape");
        drawn(&problem, &late).expect("points");
        let region = CandidateRegion { domain: &problem.domain, geometry, cover: None };
        let table =
            counts::known(&CountSource::new(CandidateGround::of(&region), late.sampler, late.stream, None));
        // π/4 of all candidates lie inside.
        let entries = (1_500_000.0 / std::f64::consts::FRAC_PI_4 / ENTRY as f64) as usize;
        assert!(table.len().abs_diff(entries) <= 1, "{} entries instead of {entries}", table.len());
        let share = table[entries - 2] as f64 / ((entries - 1) as u64 * ENTRY) as f64;
        assert!((share - std::f64::consts::FRAC_PI_4).abs() < 0.002, "{share}");
        for start in [0, 1_499_999, table[entries - 2] as usize, 10] {
            let (entry, before) = begin(&table, start);
            assert!(before <= start && (start - before) < ENTRY as usize, "{start}: from entry {entry}");
        }
    }
}
