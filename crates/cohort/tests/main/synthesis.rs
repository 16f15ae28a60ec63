//! Cohorts that are made up: that they are what their recipe says.

use cohort::synthesize::Recipe;
use cohort::{Metadata, Sequence, Table, Tree};
use store::Cache;

const SMALL: Recipe =
    Recipe { samples: 60, taxa: 80, bases: 50, depth: 500, breadth: 0.3, noise: 2.0, seed: 4 };

#[test]
fn a_cohort_is_a_pure_function_of_its_recipe() {
    let make = |recipe: Recipe, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| recipe.make().expect("a sound recipe"))
    };
    let made = make(SMALL, 1);
    assert_eq!(made, make(SMALL, 3));
    assert_ne!(made.table, make(Recipe { seed: 5, ..SMALL }, 1).table);
    let tips: Vec<&str> = made.tree.tips().map(|tip| made.tree.name(tip)).collect();
    assert_eq!(tips.len(), 80);
    assert!(tips.iter().all(|tip| Sequence::parse(tip).is_ok_and(|sequence| sequence.len() == 50)));
    let depth = made.table.totals().iter().sum::<u64>() as f64 / 60.0;
    // The mean of a log-normal number with median 500 and standard deviation ½ is 567; 60 of them.
    assert!((400.0..780.0).contains(&depth), "{depth}");
}

#[test]
fn the_target_follows_the_gradient_with_the_noise_that_was_asked_for() {
    let made =
        Recipe { samples: 3000, taxa: 20, bases: 30, depth: 20, ..SMALL }.make().expect("a sound recipe");
    let squares =
        made.gradient.iter().zip(&made.target).map(|(place, age)| (age - 10.0 - 60.0 * place).powi(2));
    let error = (squares.sum::<f64>() / 3000.0).sqrt();
    assert!((error - 2.0).abs() < 5.0 * 2.0 / 6000f64.sqrt(), "{error}");
    assert!(made.informed > made.bound, "reads tell less than the gradient itself");
}

#[test]
fn relatives_thrive_in_similar_places_so_that_distances_follow_the_gradient() {
    let made = Recipe { samples: 40, taxa: 200, ..SMALL }.make().expect("a sound recipe");
    let matrix = crate::distances::computed(&made.table, &made.tree, cohort::Metric::Weighted, 1 << 20);
    let (mut near, mut far) = (Vec::new(), Vec::new());
    for one in 0..40 {
        for other in 0..one {
            let apart = (made.gradient[one] - made.gradient[other]).abs();
            let list = if apart < 0.1 {
                &mut near
            } else if apart > 0.5 {
                &mut far
            } else {
                continue;
            };
            list.push(matrix.row(one)[other]);
        }
    }
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    assert!(1.3 * mean(&near) < mean(&far), "{} {}", mean(&near), mean(&far));
    assert!(made.informed < 10.0, "the gradient can be found from the reads: {}", made.informed);
}

#[test]
fn its_files_are_read_again() {
    let folder = std::env::temp_dir().join(format!("pinnace-synthesis-{}", std::process::id()));
    let made = SMALL.make().expect("a sound recipe");
    let written = made.write(&folder).expect("a writable place");
    assert_eq!(Table::open(&written[0], &Cache::NONE).expect("a table"), made.table);
    let tree = Tree::open(&written[1]).expect("a tree");
    assert_eq!(tree, made.tree);
    let metadata = Metadata::open(&written[2]).expect("metadata");
    let ages = metadata.numbers("age", made.table.samples()).expect("numbers");
    assert!(ages.iter().zip(&made.target).all(|(one, other)| (one - other).abs() <= 5.1e-5));
    assert!(std::fs::read_to_string(&written[3]).expect("text").contains("\"best_possible_error\": 2.0"));
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn recipes_that_make_no_cohort_are_refused() {
    let message = |recipe: Recipe| recipe.make().expect_err("no cohort").to_string();
    assert_eq!(message(Recipe { samples: 1, ..SMALL }), "samples is 1: 2 or more are needed");
    assert_eq!(message(Recipe { breadth: 0.0, ..SMALL }), "breadth is 0: above 0, at most 1, is needed");
    assert_eq!(message(Recipe { noise: f64::NAN, ..SMALL }), "noise is NaN: 0 or more is needed");
    assert_eq!(
        message(Recipe { taxa: 100, bases: 3, ..SMALL }),
        "100 different sequences of 3 bases are needed: take longer ones"
    );
}
