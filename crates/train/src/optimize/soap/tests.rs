use super::*;
use crate::optimize::Adam;

const MAP: AffineMap = AffineMap { first: 1, inputs: 5, outputs: 4, biased: true, hidden: true };

/// A number, a matrix of five rows with its biases, and another number.
fn roles() -> Roles {
    Roles { count: 26, weights: 25, maps: vec![MAP] }
}

/// Of every parameter of the matrix W with its biases, the slope of |A(W - W*)B|²/2, A and B being badly scaled and turned; the others
/// have bowls of their own.
struct Bowl {
    left: SmallMatrix,
    right: SmallMatrix,
    end: Vec<f64>,
}

impl Bowl {
    fn new() -> Self {
        let turned = |size: usize, pace: f64, scale: f64| {
            let wave: Vec<f64> = (0..size * size).map(|number| (number as f64 * pace).sin()).collect();
            let basis = linear::orthogonal(&SmallMatrix::packed(size, size, &wave));
            let mut scaled = basis.transposed();
            for row in 0..size {
                let factor = scale.powf(row as f64 / (size - 1) as f64);
                scaled.row_mut(row).iter_mut().for_each(|number| *number *= factor);
            }
            basis.times(&scaled)
        };
        let end = (0..26).map(|number| (number as f64 * 0.9).cos()).collect();
        Bowl { left: turned(6, 0.7, 1e-3), right: turned(4, 1.1, 1e-2), end }
    }

    fn slopes(&self, parameters: &[f64]) -> Vec<f64> {
        let off: Vec<f64> =
            parameters.iter().zip(&self.end).map(|(parameter, end)| parameter - end).collect();
        let matrix = self.left.times(&SmallMatrix::packed(6, 4, &off[1..25])).times(&self.right);
        let back = self.left.times(&matrix).times(&self.right);
        [off[0]].into_iter().chain(back.iter()).chain([off[25]]).collect()
    }

    fn height(&self, parameters: &[f64]) -> f64 {
        let off: Vec<f64> =
            parameters.iter().zip(&self.end).map(|(parameter, end)| parameter - end).collect();
        let matrix = self.left.times(&SmallMatrix::packed(6, 4, &off[1..25])).times(&self.right);
        matrix.norm().powi(2) + off[0].powi(2) + off[25].powi(2)
    }
}

fn rate(step: u64, steps: u64) -> f64 {
    0.05 * (1.0 - step as f64 / steps as f64)
}

fn descended(soap: &mut Soap, bowl: &Bowl, steps: Range<u64>, parameters: &mut [f64]) {
    for step in steps {
        soap.gradient = bowl.slopes(parameters);
        soap.move_along(parameters, rate(step, 600));
    }
}

#[test]
fn a_badly_scaled_and_turned_bowl_is_descended_much_farther_than_by_adam() {
    let bowl = Bowl::new();
    let (mut with, mut without) = ([0.0; 26], [0.0; 26]);
    descended(&mut Soap::new(&roles(), 10), &bowl, 0..600, &mut with);
    let mut adam = linear::Moments::new(26);
    for step in 0..600 {
        let decaying = 0;
        let (mean_decay, square_decay, floor, decay) = (0.95, 0.95, 1e-8, 0.0);
        let rate = rate(step, 600);
        let update = linear::Update::Adam { rate, mean_decay, square_decay, floor, decay, decaying };
        let slopes = bowl.slopes(&without);
        update.apply(&mut adam, &mut without, &slopes);
    }
    let (with, without) = (bowl.height(&with), bowl.height(&without));
    assert!(with < 1e-3 * bowl.height(&[0.0; 26]) && with < 0.1 * without, "{with:e} {without:e}");
}

#[test]
fn without_matrices_it_is_adam_one_step_later() {
    let bowl = Bowl::new();
    let mut soap = Soap::new(&Roles::plain(26, 25), 10);
    let (mut one, mut other) = (vec![0.0; 26], vec![0.0; 26]);
    descended(&mut soap, &bowl, 0..21, &mut one);
    let mut moments = linear::Moments::new(26);
    for step in 1..21 {
        let (mean_decay, square_decay, floor, decay) = (0.95, 0.95, FLOOR, 0.0);
        let rate = rate(step, 600);
        let update = linear::Update::Adam { rate, mean_decay, square_decay, floor, decay, decaying: 0 };
        let slopes = bowl.slopes(&other);
        update.apply(&mut moments, &mut other, &slopes);
    }
    assert!(one.iter().zip(&other).all(|(one, other)| (one - other).abs() < 1e-12));
}

#[test]
fn bases_follow_the_gradients_and_a_state_goes_on_bit_for_bit() {
    let bowl = Bowl::new();
    let (mut whole, mut parameters) = (Soap::new(&roles(), 3), vec![0.0; 26]);
    descended(&mut whole, &bowl, 0..40, &mut parameters);
    let (mut again, mut there) = (Soap::new(&roles(), 3), parameters.clone());
    again.restore(&whole.save()).expect("its own state");
    assert_eq!(again, Soap { gradient: vec![0.0; 26], ..whole.clone() });
    descended(&mut whole, &bowl, 40..60, &mut parameters);
    descended(&mut again, &bowl, 40..60, &mut there);
    assert_eq!((parameters, &whole), (there, &again));
    let Side::Turned { basis, .. } = &whole.maps[0].rows else { panic!("six rows are turned") };
    assert_ne!(*basis, SmallMatrix::identity(6));
    assert!(Adam::new(26).restore(&whole.save()).is_err(), "a state of SOAP is none of Adam");
    let other = Roles { maps: vec![AffineMap { biased: false, ..MAP }], ..roles() };
    assert!(Soap::new(&other, 3).restore(&whole.save()).is_err());
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let bowl = Bowl::new();
    let maps = [1, 13].map(|first| AffineMap { first, inputs: 2, outputs: 4, biased: true, hidden: true });
    let roles = Roles { maps: maps.to_vec(), ..roles() };
    let end = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let mut parameters = vec![0.0; 26];
        pool.install(|| descended(&mut Soap::new(&roles, 4), &bowl, 0..30, &mut parameters));
        parameters
    };
    assert_eq!(end(1), end(3));
}
