//! `[quantities]`: numbers that a solution is asked for.

use crate::expression::Leaf;
use crate::parse::document::{TomlEntry, TomlTable, TomlValue};
use crate::parse::expression::{Context, Integrals, Workshop};
use crate::parse::reader;
use crate::problem::{Quantity, Role};

/// Quantities that a file may state.
const MAX_QUANTITIES: usize = 256;

/// Reads the section.
pub(in crate::parse) fn read(section: &TomlTable, workshop: &mut Workshop) -> Vec<Quantity> {
    if let Some(entry) = section.entries.get(MAX_QUANTITIES) {
        workshop.mistakes.report(entry.key_span, format!("more than {MAX_QUANTITIES} quantities"));
    }
    section.entries.iter().take(MAX_QUANTITIES).filter_map(|entry| quantity(entry, workshop)).collect()
}

fn quantity(entry: &TomlEntry, workshop: &mut Workshop) -> Option<Quantity> {
    let (node, truth) = match &entry.node.value {
        TomlValue::Table(table) => {
            reader::only(table, &["formula", "truth"], "key", &mut workshop.mistakes);
            let truth = table.get("truth").and_then(|truth| workshop.constant(&truth.node, "the true value"));
            let Some(formula) = table.get("formula") else {
                let hint = "as in `{ formula = 'integral(u, \"inside\")', truth = 1 }`";
                workshop.mistakes.report_with(entry.key_span, "this table has no `formula`", hint);
                return None;
            };
            (&formula.node, truth)
        }
        _ => (&entry.node, None),
    };
    let text = reader::formula(node, &mut workshop.mistakes)?;
    workshop.integrals.clear();
    let context = Context { integrals: Integrals::Listed, ..Context::everything("a quantity") };
    let formula = workshop.scalar(text, &context)?;
    let integrals = std::mem::take(&mut workshop.integrals);
    for leaf in workshop.pool.leaves(&[formula]) {
        let message = match leaf {
            Leaf::Field(_) => "a field is no number: it has a value at every place".to_owned(),
            Leaf::Coordinate(axis) => {
                let (name, role) = &workshop.scope.coordinates[usize::from(axis)];
                if *role == Role::Time {
                    continue;
                }
                format!("`{name}` is no number outside of an integral")
            }
            _ => continue,
        };
        let hint =
            "ask for `integral(u, \"inside\")`, `integral(dn(u), \"boundary\")` or `at(u, [0.5, 0.5])`";
        workshop.mistakes.report_with(text.place(0..text.content.len()), message, hint);
        return None;
    }
    Some(Quantity { name: entry.key.clone(), text: text.content.clone(), formula, integrals, truth })
}
