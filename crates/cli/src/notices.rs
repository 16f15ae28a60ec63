//! What users should know about a run, on stderr.

use crate::clean::stderr;
use pinnace::run::Notice;
use std::io::Write;

/// Tells what users should know about a run.
pub(crate) fn show(notices: &[Notice]) {
    for notice in notices {
        let kind = if notice.is_warning() { "warning" } else { "note" };
        // A closed stderr is no reason to stop.
        let _ = writeln!(stderr(), "pinnace: {kind}: {notice}");
    }
}
