//! `[ansatz]`: unknowns as expressions of the network's raw output.

use crate::expression::Leaf;
use crate::parse::document::TomlTable;
use crate::parse::expression::{Context, Meaning, Workshop};
use crate::parse::reader;
use crate::problem::Unknown;

/// Reads the section into the unknowns.
pub(in crate::parse) fn read(section: &TomlTable, unknowns: &mut [Unknown], workshop: &mut Workshop) {
    for entry in &section.entries {
        let Some(&Meaning::Unknown(index)) = workshop.scope.get(&entry.key) else {
            if matches!(workshop.scope.get(&entry.key), Some(Meaning::Broken)) {
                continue;
            }
            let names: Vec<&str> = unknowns.iter().map(|unknown| unknown.name.as_str()).collect();
            reader::absent(entry, &names, "there is no unknown", &mut workshop.mistakes);
            continue;
        };
        let Some(text) = reader::formula(&entry.node, &mut workshop.mistakes) else { continue };
        let context = Context { unknowns: false, raw: Some(index), ..Context::everything("an ansatz") };
        let Some(expression) = workshop.scalar(text, &context) else { continue };
        if !workshop.pool.mentions(expression, |leaf| matches!(leaf, Leaf::Raw(_))) {
            let message = "this ansatz does not use the network's output `N`";
            workshop.mistakes.report_with(entry.node.span, message, "as in `u = \"x*(1 - x)*N\"`");
            continue;
        }
        if let Some(unknown) = unknowns.get_mut(index) {
            unknown.ansatz = Some(expression);
        }
    }
}
