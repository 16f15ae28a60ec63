//! `[equations]`: what holds inside the domain.

use crate::expression::Expression;
use crate::parse::document::{TomlNode, TomlTable, TomlValue};
use crate::parse::expression::{Context, Integrals, Workshop};
use crate::parse::reader;
use crate::parse::source::Span;
use crate::problem::Equation;

/// Residuals that all sections of a file may have together.
pub(in crate::parse) const MAX_EQUATIONS: usize = 4096;

/// An equation and the key that states it.
pub(in crate::parse) type StatedEquation = (Equation, Span);

/// Reads the section; a vector equation gives one equation per component.
pub(in crate::parse) fn read(section: &TomlTable, workshop: &mut Workshop) -> Vec<StatedEquation> {
    let mut stated: Vec<StatedEquation> = Vec::new();
    for entry in &section.entries {
        let (node, weight) = match &entry.node.value {
            TomlValue::Table(table) => {
                reader::only(table, &["equation", "weight"], "key", &mut workshop.mistakes);
                let weight = weight(table, workshop);
                let Some(equation) = table.get("equation") else {
                    let hint = "as in `{ equation = \"u_t = u_xx\", weight = 2.0 }`";
                    workshop.mistakes.report_with(entry.key_span, "this table has no `equation`", hint);
                    continue;
                };
                (&equation.node, weight)
            }
            _ => (&entry.node, None),
        };
        let Some(text) = reader::formula(node, &mut workshop.mistakes) else { continue };
        let context = Context { integrals: Integrals::Summed, ..Context::everything("an equation") };
        let Some(residuals) = workshop.residuals(text, &context) else { continue };
        if stated.len() + residuals.len() > MAX_EQUATIONS {
            workshop.mistakes.report(entry.key_span, format!("more than {MAX_EQUATIONS} equations"));
            break;
        }
        let all = vec![(text.content.clone(), residuals)];
        stated.extend(named(&entry.key, all, weight).into_iter().map(|equation| (equation, entry.key_span)));
    }
    stated
}

/// The `weight` of a table, if it states one.
pub(in crate::parse) fn weight(table: &TomlTable, workshop: &mut Workshop) -> Option<f64> {
    table.get("weight").and_then(|entry| reader::positive(&entry.node, &mut workshop.mistakes))
}

/// Residuals with their texts as equations: `name` for one, `name.1`, `name.2`, … for several.
pub(in crate::parse) fn named(
    name: &str,
    all: Vec<(String, Vec<Expression>)>,
    weight: Option<f64>,
) -> Vec<Equation> {
    let count: usize = all.iter().map(|(_, residuals)| residuals.len()).sum();
    let mut equations = Vec::with_capacity(count);
    for (text, residuals) in all {
        for residual in residuals {
            let name = if count == 1 { name.to_owned() } else { format!("{name}.{}", equations.len() + 1) };
            equations.push(Equation { name, text: text.clone(), residual, weight });
        }
    }
    equations
}

/// The value as a number of points to draw.
pub(in crate::parse) fn points(node: &TomlNode, workshop: &mut Workshop) -> Option<usize> {
    const MAX_POINTS: i64 = 1_000_000_000;
    reader::count(node, 1..=MAX_POINTS, &mut workshop.mistakes)
}
