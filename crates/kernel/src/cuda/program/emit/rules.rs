//! The chain rule and the product rule of one term as CUDA C++: straight-line code for one neuron at one place.

use super::program::number;
use equation::taylor::{Rules, Weight};
use std::collections::BTreeMap;
use std::fmt::Write;

const INDENT: &str = "        ";

/// The channel's number of a vector, such as `z[2 * PLACES]`; the value is channel 0.
pub(super) fn at(vector: &str, channel: usize) -> String {
    if channel == 0 { format!("{vector}[0]") } else { format!("{vector}[{channel} * PLACES]") }
}

/// `number(factor)`, times the point's coefficient if there is one.
pub(super) fn weight(weight: Weight, times: f64) -> String {
    let factor = number(weight.factor * times);
    match weight.coefficient {
        Some(place) => format!("{factor} * k[{place} * PLACES]"),
        None => factor,
    }
}

/// `weight·first·second…`, without a weight of one.
fn product(weight: String, factors: &[String]) -> String {
    let one = weight == number(1.0);
    let factors = factors.iter().cloned();
    let all: Vec<String> = if one && factors.len() > 0 {
        factors.collect()
    } else {
        std::iter::once(weight).chain(factors).collect()
    };
    all.join(" * ")
}

/// A sum that is built up term by term, or zero.
fn sum(terms: &[String]) -> String {
    if terms.is_empty() { number(0.0) } else { terms.join(" + ") }
}

/// `h = σ(z)`: `slopes` computes `s` from `z_0`; `z` names a channel of the argument, or is `None` where
/// it is zero.
pub(super) fn chain(rules: &Rules, channels: usize, z: &dyn Fn(usize) -> Option<String>) -> String {
    let mut text = format!("{INDENT}h[0] = s[0];\n");
    for channel in 1..channels {
        let mut terms: Vec<String> = z(channel).map(|z| format!("s[1] * {z}")).into_iter().collect();
        for term in rules.chain.iter().filter(|term| term.channel == channel) {
            let factors: Option<Vec<String>> = term.factors.iter().map(|&factor| z(factor)).collect();
            let Some(factors) = factors else { continue };
            let slope = format!("s[{}]", term.order);
            terms.push(format!("{slope} * ({})", product(weight(term.weight, 1.0), &factors)));
        }
        _ = writeln!(text, "{INDENT}{} = {};", at("h", channel), sum(&terms));
    }
    text
}

/// The adjoint of [`chain`]: writes `bar(channel)` for the channels that `wanted` names, and adds to
/// `k_bar` where coefficients train.
pub(super) fn chain_adjoint(
    rules: &Rules,
    channels: usize,
    z: &dyn Fn(usize) -> Option<String>,
    bar: &dyn Fn(usize) -> String,
    wanted: &dyn Fn(usize) -> bool,
    trains: bool,
) -> String {
    let mut text = String::new();
    let h_bar = |channel: usize| at("h_bar", channel);
    if wanted(0) {
        // Grouped by the slope that they are multiplied with.
        let orders = if channels == 1 { 2 } else { rules.highest_order() + 2 };
        for order in 2..orders {
            _ = writeln!(text, "{INDENT}number with_s{order} = number(0);");
        }
        for channel in 1..channels {
            if let Some(z) = z(channel) {
                _ = writeln!(text, "{INDENT}with_s2 += {z} * {};", h_bar(channel));
            }
        }
    }
    for term in &rules.chain {
        let factors: Option<Vec<String>> = term.factors.iter().map(|&factor| z(factor)).collect();
        let Some(mut factors) = factors else { continue };
        factors.push(h_bar(term.channel));
        if wanted(0) {
            let all = product(weight(term.weight, 1.0), &factors);
            _ = writeln!(text, "{INDENT}with_s{} += {all};", term.order + 1);
        }
        if let (true, Some(place)) = (trains, term.weight.coefficient) {
            let all = product(number(term.weight.factor), &factors);
            _ = writeln!(text, "{INDENT}k_bar[{place}] += s[{}] * ({all});", term.order);
        }
    }
    for channel in (1..channels).filter(|&channel| wanted(channel)) {
        let mut by_slope: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        by_slope.entry(1).or_default().push(h_bar(channel));
        for term in &rules.chain {
            let Some(position) = term.factors.iter().position(|&factor| factor == channel) else { continue };
            let times = term.factors.iter().filter(|&&factor| factor == channel).count();
            let others = term.factors.iter().enumerate().filter(|&(other, _)| other != position);
            let others: Option<Vec<String>> = others.map(|(_, &factor)| z(factor)).collect();
            let Some(mut factors) = others else { continue };
            factors.push(h_bar(term.channel));
            let all = product(weight(term.weight, times as f64), &factors);
            by_slope.entry(term.order).or_default().push(all);
        }
        let groups: Vec<String> =
            by_slope.iter().map(|(order, terms)| format!("s[{order}] * ({})", sum(terms))).collect();
        _ = writeln!(text, "{INDENT}{} = {};", bar(channel), sum(&groups));
    }
    if wanted(0) {
        let orders = if channels == 1 { 2 } else { rules.highest_order() + 2 };
        let rest: String = (2..orders).map(|order| format!(" + s[{order}] * with_s{order}")).collect();
        _ = writeln!(text, "{INDENT}{} = s[1] * h_bar[0]{rest};", bar(0));
    }
    text
}

/// Channel `channel` of `f·g`.
pub(super) fn product_channel(
    rules: &Rules,
    channel: usize,
    f: &dyn Fn(usize) -> String,
    g: &dyn Fn(usize) -> String,
) -> String {
    if channel == 0 {
        return format!("{} * {}", f(0), g(0));
    }
    let mut terms = vec![format!("{} * {}", f(0), g(channel)), format!("{} * {}", f(channel), g(0))];
    for term in rules.product.iter().filter(|term| term.channel == channel) {
        terms.push(product(weight(term.weight, 1.0), &[f(term.left), g(term.right)]));
    }
    sum(&terms)
}

/// Channel `channel` of the adjoint of `f·g` with respect to `f`.
pub(super) fn product_adjoint_channel(
    rules: &Rules,
    channels: usize,
    channel: usize,
    g: &dyn Fn(usize) -> String,
    h_bar: &dyn Fn(usize) -> String,
) -> String {
    if channel == 0 {
        let terms: Vec<String> =
            (0..channels).map(|channel| format!("{} * {}", g(channel), h_bar(channel))).collect();
        return sum(&terms);
    }
    let mut terms = vec![format!("{} * {}", g(0), h_bar(channel))];
    for term in rules.product.iter().filter(|term| term.left == channel) {
        terms.push(product(weight(term.weight, 1.0), &[g(term.right), h_bar(term.channel)]));
    }
    sum(&terms)
}

/// Adds the adjoints of the product rule's coefficients to `k_bar`.
pub(super) fn product_coefficients(
    rules: &Rules,
    f: &dyn Fn(usize) -> String,
    g: &dyn Fn(usize) -> String,
    h_bar: &dyn Fn(usize) -> String,
) -> String {
    let mut text = String::new();
    for term in &rules.product {
        let Some(place) = term.weight.coefficient else { continue };
        let all = product(number(term.weight.factor), &[f(term.left), g(term.right), h_bar(term.channel)]);
        _ = writeln!(text, "{INDENT}k_bar[{place}] += {all};");
    }
    text
}
