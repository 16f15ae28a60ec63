//! Symbolic derivatives of random expressions against complex steps.

use crate::oracle::multicomplex::{Complex, STEP, stepped};
use equation::expression::{Comparison, Expression, Function, Leaf, Pool, evaluate};
use proptest::prelude::*;

/// A recipe for an expression: smooth at the points where it is tried.
#[derive(Clone, Debug)]
enum Recipe {
    Number(f64),
    Coordinate(u16),
    Sum(Box<Recipe>, Box<Recipe>),
    Product(Box<Recipe>, Box<Recipe>),
    Quotient(Box<Recipe>, Box<Recipe>),
    Power(Box<Recipe>, f64),
    Tower(Box<Recipe>, Box<Recipe>),
    Apply(Function, Box<Recipe>),
    Choice(Box<Recipe>, Box<Recipe>, Box<Recipe>),
    Extreme(bool, Box<Recipe>, Box<Recipe>),
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let leaf = prop_oneof![(-2.0..2.0f64).prop_map(Recipe::Number), (0u16..2).prop_map(Recipe::Coordinate)];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let part = move || inner.clone().prop_map(Box::new);
        prop_oneof![
            (part(), part()).prop_map(|(a, b)| Recipe::Sum(a, b)),
            (part(), part()).prop_map(|(a, b)| Recipe::Product(a, b)),
            (part(), part()).prop_map(|(a, b)| Recipe::Quotient(a, b)),
            (part(), prop_oneof![Just(2.0), Just(3.0), Just(-1.0), Just(1.5)])
                .prop_map(|(a, exponent)| Recipe::Power(a, exponent)),
            (part(), part()).prop_map(|(a, b)| Recipe::Tower(a, b)),
            (proptest::sample::select(&Function::ALL[..]), part()).prop_map(|(f, a)| Recipe::Apply(f, a)),
            (part(), part(), part()).prop_map(|(a, b, c)| Recipe::Choice(a, b, c)),
            (any::<bool>(), part(), part()).prop_map(|(larger, a, b)| Recipe::Extreme(larger, a, b)),
        ]
    })
}

/// Builds a recipe; arguments are squeezed into the domains of the functions.
fn build(pool: &mut Pool, recipe: &Recipe) -> Expression {
    match recipe {
        Recipe::Number(value) => pool.number(*value),
        Recipe::Coordinate(axis) => pool.leaf(Leaf::Coordinate(*axis)),
        Recipe::Sum(a, b) => {
            let (a, b) = (build(pool, a), build(pool, b));
            pool.add(a, b)
        }
        Recipe::Product(a, b) => {
            let (a, b) = (build(pool, a), build(pool, b));
            pool.multiply(a, b)
        }
        Recipe::Quotient(a, b) => {
            let (a, b) = (build(pool, a), positive(pool, b));
            pool.divide(a, b)
        }
        Recipe::Power(a, exponent) => {
            let base = positive(pool, a);
            pool.powers(&[(base, *exponent)])
        }
        Recipe::Tower(a, b) => {
            let (base, exponent) = (positive(pool, a), squeezed(pool, b));
            pool.power(base, exponent)
        }
        Recipe::Apply(function, a) => {
            let argument = match function {
                Function::Log | Function::Sqrt => positive(pool, a),
                _ => squeezed(pool, a),
            };
            pool.apply(*function, argument)
        }
        Recipe::Choice(a, b, c) => {
            let (a, b, c) = (build(pool, a), build(pool, b), build(pool, c));
            let condition = pool.compare(Comparison::LessEqual, a, b);
            pool.choose(condition, b, c)
        }
        Recipe::Extreme(larger, a, b) => {
            let (a, b) = (build(pool, a), build(pool, b));
            if *larger { pool.max(a, b) } else { pool.min(a, b) }
        }
    }
}

/// `0.9·sin(inner)`: inside every function's domain.
fn squeezed(pool: &mut Pool, recipe: &Recipe) -> Expression {
    let inner = build(pool, recipe);
    let sine = pool.apply(Function::Sin, inner);
    pool.scale(sine, 0.9)
}

/// `1.5 + sin(inner)`
fn positive(pool: &mut Pool, recipe: &Recipe) -> Expression {
    let inner = build(pool, recipe);
    let sine = pool.apply(Function::Sin, inner);
    let shift = pool.number(1.5);
    pool.add(sine, shift)
}

fn at<T>(point: [T; 2]) -> impl Fn(Leaf) -> T
where
    T: Clone,
{
    move |leaf| match leaf {
        Leaf::Coordinate(axis) => point[usize::from(axis)].clone(),
        other => panic!("{other:?} was not built"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn first_and_second_derivatives_agree_with_complex_steps(recipe in recipes(), x in -1.0..1.0f64, y in -1.0..1.0f64) {
        let mut pool = Pool::default();
        let expression = build(&mut pool, &recipe);
        let first = pool.differentiate(expression, 0);
        let second = pool.differentiate(first, 1);
        prop_assume!(pool.overflow().is_none());

        let inner = [stepped(x, STEP), stepped(y, 0.0)];
        let outer: [Complex<Complex<f64>>; 2] = [stepped(inner[0].clone(), 0.0), stepped(inner[1].clone(), STEP)];
        let value = evaluate(&pool, expression, &at(outer));
        let truth = [value.real.imaginary / STEP, value.imaginary.imaginary / STEP / STEP];
        let got = [evaluate(&pool, first, &at([x, y])), evaluate(&pool, second, &at([x, y]))];
        for (got, truth) in got.into_iter().zip(truth) {
            prop_assume!(truth.is_finite() && truth.abs() < 1e6);
            prop_assert!((got - truth).abs() <= 1e-9 * truth.abs().max(1.0), "{got} instead of {truth}");
        }
    }
}
