//! Keys of `[training]` and its phases by the names that they had in earlier versions: files of old runs are read as before.

use super::document::{TomlTable, TomlValue};

/// The former name and today's.
const KEYS: [(&str, &str); 1] = [("attention", "residual_weights")];

/// Gives keys today's names. A table that has both keeps both, and the former one is reported as unknown.
pub(super) fn rename(document: &mut TomlTable) {
    let training = document.entries.iter_mut().filter(|entry| entry.key == "training");
    for entry in training {
        let TomlValue::Table(training) = &mut entry.node.value else { continue };
        rename_in(training);
        let phases = training.entries.iter_mut().filter(|entry| entry.key == "phase");
        for phases in phases {
            let TomlValue::Array(phases) = &mut phases.node.value else { continue };
            for phase in phases {
                let TomlValue::Table(phase) = &mut phase.value else { continue };
                rename_in(phase);
            }
        }
    }
}

fn rename_in(table: &mut TomlTable) {
    for (former, now) in KEYS {
        if table.get(now).is_none() {
            let entries = table.entries.iter_mut().filter(|entry| entry.key == former);
            entries.for_each(|entry| now.clone_into(&mut entry.key));
        }
    }
}

/// A part of a key that an override names.
pub(super) fn rename_key(key: &mut String) {
    if let Some((_, now)) = KEYS.iter().find(|(former, _)| key == former) {
        (*now).clone_into(key);
    }
}
