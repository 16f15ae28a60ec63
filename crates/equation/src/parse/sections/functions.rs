//! `[functions]`: named expressions, and tables of values.

use super::table_function::{self, TableInputs};
use crate::parse::definitions::{chain, order};
use crate::parse::document::{Text, TomlEntry, TomlTable, TomlValue};
use crate::parse::expression::{Context, Meaning, NameSplit, Resolver, Syntax, Uses, Value, Workshop};
use crate::parse::files::FileReader;
use crate::parse::reader;
use std::collections::HashMap;

/// Names that the section may declare: far beyond what people write.
const MAX_FUNCTIONS: usize = 2_000;

/// Declares the names.
pub(in crate::parse) fn declare(section: &TomlTable, workshop: &mut Workshop) {
    if let Some(entry) = section.entries.get(MAX_FUNCTIONS) {
        workshop.mistakes.report(entry.key_span, format!("more than {MAX_FUNCTIONS} functions"));
    }
    for entry in section.entries.iter().take(MAX_FUNCTIONS) {
        let mistakes = &mut workshop.mistakes;
        workshop.scope.declare(&entry.key, Meaning::Broken, "functions", entry.key_span, mistakes);
    }
}

/// Resolves the functions, whatever their order in the file.
pub(in crate::parse) fn read(
    section: &TomlTable,
    ranges: &[Option<(f64, f64)>],
    files: &dyn FileReader,
    workshop: &mut Workshop,
) {
    let entries: Vec<&TomlEntry> = section.entries.iter().take(MAX_FUNCTIONS).collect();
    let positions: HashMap<&str, usize> =
        entries.iter().enumerate().map(|(position, entry)| (entry.key.as_str(), position)).collect();
    let mut formulas: Vec<Option<(&Text, Syntax)>> = Vec::with_capacity(entries.len());
    let mut uses = vec![Vec::new(); entries.len()];
    for (position, entry) in entries.iter().enumerate() {
        let formula = match &entry.node.value {
            TomlValue::Text(text) => workshop.syntax(text).map(|syntax| (text, syntax)),
            TomlValue::Integer(_) | TomlValue::Float(_) => {
                number(entry, workshop);
                None
            }
            TomlValue::Table(table) => {
                table_function::read(entry, table, TableInputs { ranges, files }, workshop);
                None
            }
            TomlValue::Boolean(_) | TomlValue::Array(_) | TomlValue::Strange(_) => {
                let wanted = "an expression in quotes or a number";
                reader::expected_formula(wanted, &entry.node, &mut workshop.mistakes);
                None
            }
        };
        if let Some((_, syntax)) = &formula {
            syntax.names(&mut |name, _| {
                let base = match workshop.scope.get(name) {
                    Some(_) => name,
                    None => match workshop.scope.split(name) {
                        NameSplit::Derivative { base, .. } => base,
                        NameSplit::NotCoordinates { .. } | NameSplit::Nothing => return,
                    },
                };
                uses[position].extend(positions.get(base));
            });
        }
        formulas.push(formula);
    }
    let order = order(&uses);
    for cycle in &order.cycles {
        let first = entries[cycle[0]];
        let chain = chain(cycle, |position| &entries[position].key);
        let message = format!("the definition of `{}` is circular", first.key);
        workshop.mistakes.report_with(first.key_span, message, chain);
    }
    let context = Context::everything("a function");
    for position in order.sorted {
        let Some((text, syntax)) = &formulas[position] else { continue };
        let mut resolver = Resolver::new(workshop, text, &context);
        let value = resolver.finish(syntax);
        let uses = resolver.uses;
        let key = &entries[position].key;
        if let Ok(value) = value
            && workshop.scope.section(key) == Some("functions")
        {
            workshop.scope.define(key, Meaning::Function(value, uses));
        }
    }
}

/// A function that is the same everywhere.
fn number(entry: &TomlEntry, workshop: &mut Workshop) {
    let Some(value) = reader::number(&entry.node, &mut workshop.mistakes) else { return };
    if workshop.scope.section(&entry.key) == Some("functions") {
        let value = Value::Scalar(workshop.pool.number(value));
        workshop.scope.define(&entry.key, Meaning::Function(value, Uses::default()));
    }
}
