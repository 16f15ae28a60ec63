//! Tests that a machine cannot run: they say so, and fail where they are demanded.

use std::io::Write;

/// Says that a test is skipped for want of `what`. `PINNACE_REQUIRE` lists, with commas, what a machine must have: there,
/// a test that is skipped has failed.
pub(crate) fn skipped(what: &str, reason: &dyn std::fmt::Display) {
    let required = std::env::var("PINNACE_REQUIRE").unwrap_or_default();
    assert!(!required.split(',').any(|one| one.trim() == what), "{what} is required: {reason}");
    // Past the harness, which keeps what passing tests print to itself.
    _ = writeln!(std::io::stdout(), "skipped: {what}: {reason}");
}
