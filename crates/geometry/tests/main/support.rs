//! Checks that hold for every solid.

use geometry::{GeometryError, Piece, Shape, Solid};

/// Numbers without pattern, the same in every run (SplitMix64).
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Between zero and one.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn units<const COUNT: usize>(&mut self) -> [f64; COUNT] {
        std::array::from_fn(|_| self.unit())
    }

    /// A point of the bounds, with a margin around them.
    pub(crate) fn around(&mut self, bounds: &[[f64; 2]], margin: f64) -> Vec<f64> {
        let point = |[low, high]: &[f64; 2]| {
            let width = high - low;
            low - margin * width + self.unit() * (1.0 + 2.0 * margin) * width
        };
        bounds.iter().map(point).collect()
    }
}

pub(crate) fn solid(shape: Result<Shape, GeometryError>) -> Solid {
    Solid::new(shape.expect("the shape is fine")).expect("the solid is fine")
}

pub(crate) fn names(solid: &Solid) -> Vec<&str> {
    solid.pieces().iter().map(Piece::name).collect()
}

pub(crate) fn piece<'solid>(solid: &'solid Solid, name: &str) -> &'solid Piece {
    let found = solid.pieces().iter().find(|piece| piece.name() == name);
    found.unwrap_or_else(|| panic!("{name} is not one of {:?}", names(solid)))
}

/// The largest extent, which tolerances are relative to.
pub(crate) fn size(solid: &Solid) -> f64 {
    solid.bounds().iter().map(|ends| ends[1] - ends[0]).fold(0.0, f64::max)
}

pub(crate) fn place(piece: &Piece, unit: &[f64], dimension: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut point, mut normal) = (vec![0.0; dimension], vec![0.0; dimension]);
    piece.place(unit, &mut point, &mut normal);
    (point, normal)
}

fn moved(point: &[f64], normal: &[f64], by: f64) -> Vec<f64> {
    point.iter().zip(normal).map(|(x, n)| x + by * n).collect()
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(x, y)| x * y).sum()
}

/// Places are on the surface, normals are unit vectors out of it, levels vanish there.
pub(crate) fn places_are_on_the_surface(solid: &Solid) {
    let (dimension, size) = (solid.dimension(), size(solid));
    let mut numbers = Numbers(7);
    for (index, piece) in solid.pieces().iter().enumerate() {
        let name = piece.name();
        assert_eq!(piece.parameters(), dimension - 1, "{name}");
        for _ in 0..500 {
            let unit: [f64; 2] = numbers.units();
            let (point, normal) = place(piece, &unit[..piece.parameters()], dimension);
            assert!((dot(&normal, &normal) - 1.0).abs() < 1e-14, "{name}: {normal:?}");
            let distance = solid.signed_distance(&point);
            assert!(distance.abs() < 1e-13 * size, "{name}: {distance} at {point:?}");
            let near = 1e-7 * size;
            assert!(solid.contains(&moved(&point, &normal, -near)), "{name}: {point:?} {normal:?}");
            assert!(!solid.contains(&moved(&point, &normal, near)), "{name}: {point:?} {normal:?}");
            assert_eq!(solid.outward(index, &point, &normal), Some(1.0), "{name}: {point:?}");
            for (value, ends) in point.iter().zip(solid.bounds()) {
                let slack = 1e-14 * size;
                assert!(ends[0] - slack <= *value && *value <= ends[1] + slack, "{name}: {point:?}");
            }
            if let Some(level) = piece.level() {
                assert!(level.value(&point).abs() < 1e-13 * size, "{name}: {}", level.value(&point));
                // A central difference of a quadratic function has no error but rounding.
                let step = 1e-3 * size;
                let slope = |direction: &[f64]| {
                    let values = [step, -step].map(|by| level.value(&moved(&point, direction, by)));
                    (values[0] - values[1]) / (2.0 * step)
                };
                let gradient: Vec<f64> = (0..dimension)
                    .map(|axis| {
                        let mut direction = vec![0.0; dimension];
                        direction[axis] = 1.0;
                        slope(&direction)
                    })
                    .collect();
                let length = dot(&gradient, &gradient).sqrt();
                assert!((dot(&gradient, &normal) + length).abs() < 1e-10 * length, "{name}: {gradient:?}");
            }
        }
    }
}

/// Equal steps of the parameters make steps of equal length or area: the determinant of their derivatives is everywhere
/// the whole measure.
pub(crate) fn places_are_uniform(solid: &Solid) {
    let dimension = solid.dimension();
    let mut numbers = Numbers(11);
    for piece in solid.pieces().iter().filter(|piece| piece.parameters() > 0) {
        let whole = piece.measure().value / piece.left();
        for sample in 0..200 {
            // A central difference is good to the square of its step, but at a pole. At quarters, where formulas change,
            // it also says that places are continuous.
            let unit: [f64; 2] = match sample % 4 {
                0 => numbers.units::<2>().map(|value| (1.0 + (3.0 * value).floor()) / 4.0),
                _ => numbers.units::<2>().map(|value| 0.01 + 0.98 * value),
            };
            let unit = &unit[..piece.parameters()];
            let step = 1e-5;
            let tangent = |parameter: usize| -> Vec<f64> {
                let at = |by: f64| {
                    let mut unit = unit.to_vec();
                    unit[parameter] += by;
                    place(piece, &unit, dimension).0
                };
                at(step).iter().zip(at(-step)).map(|(x, y)| (x - y) / (2.0 * step)).collect()
            };
            let first = tangent(0);
            let found = if unit.len() == 1 {
                dot(&first, &first).sqrt()
            } else {
                let second = tangent(1);
                let gram = dot(&first, &first) * dot(&second, &second) - dot(&first, &second).powi(2);
                gram.sqrt()
            };
            assert!((found / whole - 1.0).abs() < 1e-5, "{}: {found} of {whole} at {unit:?}", piece.name());
        }
    }
}

/// Gauss' theorem: the mean of `x·n` over the boundary makes the volume. Places, normals, signs and sizes of pieces all
/// take part. The tolerance is five standard errors of the mean, and what the pieces' sizes may be off.
pub(crate) fn the_boundary_encloses_the_volume(solid: &Solid, volume: f64) {
    the_boundary_encloses_about(solid, volume, 0.0);
}

/// The same of a volume that is an estimate.
pub(crate) fn the_boundary_encloses_about(solid: &Solid, volume: f64, error: f64) {
    const SAMPLES: usize = 20_000;
    let dimension = solid.dimension();
    let middle: Vec<f64> = solid.bounds().iter().map(|ends| 0.5 * (ends[0] + ends[1])).collect();
    let mut numbers = Numbers(23);
    let (mut sum, mut variance, mut slack) = (0.0, 0.0, 0.0);
    let mut gap = vec![0.0; dimension];
    let mut surface = 0.0;
    for (index, piece) in solid.pieces().iter().enumerate() {
        let whole = piece.measure().value / piece.left();
        let (mut first, mut second) = (0.0, 0.0);
        for _ in 0..SAMPLES {
            let unit: [f64; 2] = numbers.units();
            let (point, normal) = place(piece, &unit[..piece.parameters()], dimension);
            let Some(sign) = solid.outward(index, &point, &normal) else { continue };
            let offset: Vec<f64> = point.iter().zip(&middle).map(|(x, y)| x - y).collect();
            let value = sign * dot(&offset, &normal);
            first += value;
            second += value * value;
            gap.iter_mut().zip(&normal).for_each(|(gap, n)| *gap += sign * n * whole / SAMPLES as f64);
        }
        let mean = first / SAMPLES as f64;
        sum += whole * mean;
        variance += whole * whole * (second / SAMPLES as f64 - mean * mean).max(0.0) / SAMPLES as f64;
        slack += piece.measure().error;
        surface += whole;
    }
    let found = sum / dimension as f64;
    let tolerance = 5.0 * variance.sqrt() / dimension as f64 + slack * size(solid) + error + 1e-12 * volume;
    assert!((found - volume).abs() <= tolerance, "{found} for {volume}, within {tolerance}");
    let closed = 5.0 * surface / (SAMPLES as f64).sqrt() + slack;
    assert!(gap.iter().all(|gap| gap.abs() < closed), "{gap:?} left open");
}

/// The inside test and the distance agree about a point, and distances change no faster than points.
pub(crate) fn distances_have_the_sign_of_the_inside_test(solid: &Solid) {
    let mut numbers = Numbers(31);
    let mut before: Option<(Vec<f64>, f64)> = None;
    for _ in 0..2000 {
        let point = numbers.around(solid.bounds(), 0.3);
        let distance = solid.signed_distance(&point);
        assert_eq!(solid.contains(&point), distance < 0.0, "{distance} at {point:?}");
        if let Some((other, value)) = before {
            let apart = moved(&point, &other, -1.0);
            assert!((distance - value).abs() <= dot(&apart, &apart).sqrt() * (1.0 + 1e-12));
        }
        before = Some((point, distance));
    }
}

/// The nearest of many places of the surface is about as far away as the distance says, and none is nearer.
pub(crate) fn distances_are_distances_to_places(solid: &Solid) {
    let dimension = solid.dimension();
    let mut numbers = Numbers(41);
    let places: Vec<Vec<f64>> = solid
        .pieces()
        .iter()
        .flat_map(|piece| {
            let count = if piece.parameters() == 2 { 40_000 } else { 4000 };
            let places: Vec<Vec<f64>> = (0..count)
                .map(|_| place(piece, &numbers.units::<2>()[..piece.parameters()], dimension).0)
                .collect();
            places
        })
        .collect();
    for _ in 0..40 {
        let point = numbers.around(solid.bounds(), 0.3);
        let distance = solid.signed_distance(&point).abs();
        let nearest = places
            .iter()
            .map(|place| moved(&point, place, -1.0).iter().map(|x| x * x).sum::<f64>().sqrt())
            .fold(f64::INFINITY, f64::min);
        let size = size(solid);
        assert!(distance <= nearest + 1e-12 * size, "{distance} and {nearest} from {point:?}");
        // Places are about size/200 apart on surfaces: ten times that is a gap no sample of this many leaves.
        assert!(nearest - distance < 0.05 * size, "{distance} and {nearest} from {point:?}");
    }
}

/// All of the above, for a solid of one primitive.
pub(crate) fn is_sound(solid: &Solid, volume: f64, surface: f64) {
    let found = solid.measure();
    assert_eq!(found.error, 0.0);
    assert!((found.value - volume).abs() < 1e-12 * volume, "{} for {volume}", found.value);
    let sum: f64 = solid.pieces().iter().map(|piece| piece.measure().value).sum();
    assert!((sum - surface).abs() < 1e-9 * surface, "{sum} for {surface}");
    for piece in solid.pieces() {
        assert_eq!((piece.left(), piece.measure().error), (1.0, 0.0), "{}", piece.name());
    }
    assert!(solid.removed().is_empty());
    places_are_on_the_surface(solid);
    places_are_uniform(solid);
    the_boundary_encloses_the_volume(solid, volume);
    distances_have_the_sign_of_the_inside_test(solid);
    distances_are_distances_to_places(solid);
}
