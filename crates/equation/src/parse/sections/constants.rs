//! `[constants]`: named numbers.

use crate::parse::definitions::{chain, order};
use crate::parse::document::{TomlTable, TomlValue};
use crate::parse::expression::{Meaning, Syntax, Workshop};

/// Names that a section may declare: far beyond what people write.
const MAX_CONSTANTS: usize = 5_000;

/// Declares the names.
pub(in crate::parse) fn declare(section: &TomlTable, workshop: &mut Workshop) {
    if let Some(entry) = section.entries.get(MAX_CONSTANTS) {
        workshop.mistakes.report(entry.key_span, format!("more than {MAX_CONSTANTS} constants"));
    }
    for entry in section.entries.iter().take(MAX_CONSTANTS) {
        let mistakes = &mut workshop.mistakes;
        workshop.scope.declare(&entry.key, Meaning::Broken, "constants", entry.key_span, mistakes);
    }
}

/// Works the values out, whatever their order in the file.
pub(in crate::parse) fn read(section: &TomlTable, workshop: &mut Workshop) -> Vec<(String, f64)> {
    let own = |workshop: &Workshop, key: &str| workshop.scope.section(key) == Some("constants");
    let entries: Vec<_> = section.entries.iter().take(MAX_CONSTANTS).collect();
    let mut formulas: Vec<Option<Syntax>> = Vec::with_capacity(entries.len());
    let positions: std::collections::HashMap<&str, usize> =
        entries.iter().enumerate().map(|(position, entry)| (entry.key.as_str(), position)).collect();
    let mut uses = vec![Vec::new(); entries.len()];
    for (position, entry) in entries.iter().enumerate() {
        let syntax = match &entry.node.value {
            TomlValue::Text(text) => workshop.syntax(text),
            _ => None,
        };
        if let Some(syntax) = &syntax {
            syntax.names(&mut |name, _| uses[position].extend(positions.get(name)));
        }
        formulas.push(syntax);
    }
    let order = order(&uses);
    for cycle in &order.cycles {
        let first = entries[cycle[0]];
        let chain = chain(cycle, |position| &entries[position].key);
        let message = format!("the definition of `{}` is circular", first.key);
        workshop.mistakes.report_with(first.key_span, message, chain);
    }
    let mut values = vec![None; entries.len()];
    for position in order.sorted {
        let entry = entries[position];
        let value = match (&entry.node.value, &formulas[position]) {
            (TomlValue::Text(text), Some(syntax)) => workshop.constant_of(text, syntax, "a constant"),
            (TomlValue::Text(_), None) => None,
            _ => workshop.constant(&entry.node, "a constant"),
        };
        if let Some(value) = value
            && own(workshop, &entry.key)
        {
            workshop.scope.define(&entry.key, Meaning::Constant(value));
            values[position] = Some(value);
        }
    }
    let named = entries.iter().zip(values);
    named.filter_map(|(entry, value)| Some((entry.key.clone(), value?))).collect()
}
