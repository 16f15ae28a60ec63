use super::*;

fn names(leaf: Leaf) -> String {
    match leaf {
        Leaf::Coordinate(axis) => ["x", "y", "z"][usize::from(axis)].to_owned(),
        other => format!("{other:?}"),
    }
}

fn xy(pool: &mut Pool) -> (Expression, Expression) {
    (pool.leaf(Leaf::Coordinate(0)), pool.leaf(Leaf::Coordinate(1)))
}

#[test]
fn like_terms_collect_and_cancel() {
    let mut pool = Pool::default();
    let (x, y) = xy(&mut pool);
    let left = pool.add(x, y);
    let right = pool.subtract(y, x);
    let sum = pool.add(left, right);
    assert_eq!(pool.print(sum, &names), "2*y");
    let zero = pool.subtract(left, left);
    assert_eq!(pool.as_number(zero), Some(0.0));
}

#[test]
fn equal_expressions_share_one_handle_however_they_were_built() {
    let mut pool = Pool::default();
    let (x, y) = xy(&mut pool);
    let first = pool.multiply(x, y);
    let first = pool.multiply(first, x);
    let square = pool.powers(&[(x, 2.0)]);
    let second = pool.multiply(y, square);
    assert_eq!(first, second);
    let quotient = pool.divide(first, x);
    assert_eq!(quotient, pool.multiply(x, y));
}

#[test]
fn numeric_factors_move_into_sums() {
    let mut pool = Pool::default();
    let (x, y) = xy(&mut pool);
    let sum = pool.add(x, y);
    let three = pool.number(3.0);
    let scaled = pool.multiply(three, sum);
    assert_eq!(pool.print(scaled, &names), "3*x + 3*y");
}

#[test]
fn even_roots_of_squares_keep_the_sign_information() {
    let mut pool = Pool::default();
    let (x, _) = xy(&mut pool);
    let square = pool.powers(&[(x, 2.0)]);
    let root = pool.apply(Function::Sqrt, square);
    let value = evaluate(&pool, root, &|_| -3.0);
    assert_eq!(value, 3.0);
}

#[test]
fn a_negative_coefficient_under_a_root_stays_there() {
    let mut pool = Pool::default();
    let (x, _) = xy(&mut pool);
    let negative = pool.scale(x, -4.0);
    let root = pool.apply(Function::Sqrt, negative);
    assert_eq!(evaluate(&pool, root, &|_| -1.0), 2.0);
}

#[test]
fn printed_text_needs_no_guessing() {
    let mut pool = Pool::default();
    let (x, y) = xy(&mut pool);
    let sum = pool.subtract(x, y);
    let quotient = pool.powers(&[(sum, 2.0), (x, -1.0), (y, 0.5)]);
    assert_eq!(pool.print(quotient, &names), "sqrt(y)*(x - y)^2/x");
    let exponent = pool.negate(y);
    let power = pool.power(x, exponent);
    assert_eq!(pool.print(power, &names), "x^(-y)");
}

#[test]
fn fields_gain_derivatives_up_to_the_fourth() {
    let mut pool = Pool::default();
    let mut field = pool.field(0, Derivative::NONE);
    for _ in 0..4 {
        field = pool.differentiate(field, 1);
    }
    assert_eq!(pool.overflow(), None);
    assert_eq!(*pool.node(field), Node::Leaf(Leaf::Field(Field {
        unknown: 0,
        derivative: Derivative::new(&[1, 1, 1, 1]).unwrap(),
        site: 0
    })));
    pool.differentiate(field, 1);
    assert_eq!(pool.overflow(), Some(Overflow::Order));
}

#[test]
fn mixed_derivatives_do_not_depend_on_their_order() {
    let forward = Derivative::new(&[0, 1, 0]).unwrap();
    let backward = Derivative::new(&[1, 0, 0]).unwrap();
    assert_eq!(forward, backward);
    assert_eq!(forward.axes(), [0, 0, 1]);
}

#[test]
fn a_tower_of_functions_stops_at_the_depth_limit() {
    let mut pool = Pool::default();
    let (mut x, _) = xy(&mut pool);
    for _ in 0..2 * Pool::MAX_DEPTH {
        x = pool.apply(Function::Sin, x);
    }
    assert_eq!(pool.take_overflow(), Some(Overflow::Depth));
    assert_eq!(pool.overflow(), None);
}

#[test]
fn a_long_sum_is_one_flat_node() {
    let mut pool = Pool::default();
    let (x, _) = xy(&mut pool);
    let terms: Vec<Expression> = (1..=5000).map(|n| pool.powers(&[(x, f64::from(n))])).collect();
    let sum = pool.sum(&terms);
    assert!(matches!(pool.node(sum), Node::Sum(_, terms) if terms.len() == 5000));
    assert_eq!(pool.overflow(), None);
}
