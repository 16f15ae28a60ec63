//! Points that a device looks for are functions of their number, however they are found.

use crate::cases::Case;
use geometry::{InsidePrimitive, InsideStep, InsideTest};
use kernel::{DrawnColumn, DrawnInside, DrawnPart, EpochOrder, Kernel, Points, Recipe, Sequence, Supply};
use std::sync::Arc;

/// Points in all.
const COUNT: usize = 3000;

/// Points inside of a disk with a hole at its edge, all of them or in an order; candidates that are looked at beforehand.
fn recipe(case: &Case, candidates: usize, order: Option<EpochOrder>) -> Recipe {
    let disk = |center: [f64; 2], radius: f64| InsideStep::Part {
        bounds: [0, 1, 2].map(|axis| match center.get(axis) {
            Some(middle) => [middle - radius, middle + radius],
            None => [f64::NEG_INFINITY, f64::INFINITY],
        }),
        origin: [center[0], center[1], 0.0],
        axes: None,
        scale: 1.0,
        primitive: InsidePrimitive::Ball { square: radius * radius },
    };
    let steps = vec![disk([0.5, 0.5], 0.4), disk([0.9, 0.5], 0.2), InsideStep::Without];
    let test = Arc::new(InsideTest { dimension: 2, steps });
    let supply = |(number, term): (usize, &Arc<equation::taylor::Term>)| {
        let stretched = |dimension| DrawnColumn::Stretched { dimension, low: 0.1, length: 0.8 };
        let inside = DrawnInside { test: Arc::clone(&test), axes: vec![0, 1], candidates };
        let order = order.filter(|_| number == 0);
        Supply::Drawn(vec![DrawnPart {
            count: order.map_or(if number == 0 { COUNT } else { 3 }, |order| order.size),
            sequence: Sequence::Uniform,
            stream: number as u64,
            columns: (0..term.row.width()).map(stretched).collect(),
            inside: (number == 0).then_some(inside),
            order,
        }])
    };
    Recipe::new(7, 5, case.plan.terms.iter().enumerate().map(supply).collect())
}

fn drawn(kernel: &mut Kernel, recipe: &Recipe, at: [u64; 2]) -> Vec<Points> {
    kernel.draw(recipe, at[0], at[1]).expect("memory")
}

/// Few candidates beforehand, chunks of points and an order change when points are found and where they go, and nothing else.
pub(crate) fn search(case: &Case, kernel: &mut Kernel) {
    for number in [0, 2] {
        let all = drawn(kernel, &recipe(case, 2 * COUNT, None), [number, 0]);
        let center = |row: &[f64], x: f64| (row[0] - x).hypot(row[1] - 0.5);
        assert!(all[0].iter().all(|row| center(row, 0.5) < 0.4 && center(row, 0.9) >= 0.2));
        for candidates in [0, 1500] {
            assert_eq!(drawn(kernel, &recipe(case, candidates, None), [number, 0]), all, "{candidates}");
        }
        let sorted = |sets: &[Points]| {
            let mut rows: Vec<Vec<u64>> = sets.iter().flat_map(Points::iter).map(bits).collect();
            rows.sort_unstable();
            rows
        };
        for block in [1, 64] {
            let order = EpochOrder { seed: 3, stream: 9, count: COUNT, size: 700, block };
            let whole = recipe(case, 2 * COUNT, Some(order));
            let last = whole.clone().of_the_last_step();
            let mut epoch = |epoch: u64| {
                let recipes = [&whole, &whole, &whole, &whole, &last].into_iter().zip(5 * epoch..);
                recipes
                    .map(|(recipe, step)| drawn(kernel, recipe, [number, step]).remove(0))
                    .collect::<Vec<_>>()
            };
            let [first, second] = [0, 1].map(&mut epoch);
            assert_eq!((first[0].len(), first[4].len()), (700, 200));
            assert_eq!(sorted(&first), sorted(&all[..1]), "every point once in an epoch");
            assert_eq!(sorted(&second), sorted(&first));
            assert_ne!(second, first, "and in another order in each");
        }
    }
    // Points that come in chunks.
    let recipe = recipe(case, 2 * COUNT, None);
    let all = drawn(kernel, &recipe, [1, 0]);
    let bytes = kernel.device_bytes();
    kernel.limit_device_bytes(Some(bytes - COUNT * all[0].width() * size_of::<f64>() / 2));
    assert_eq!(drawn(kernel, &recipe, [1, 0]), all);
    assert!(kernel.device_bytes() < bytes);
    kernel.limit_device_bytes(None);
}

fn bits(row: &[f64]) -> Vec<u64> {
    row.iter().map(|number| number.to_bits()).collect()
}
