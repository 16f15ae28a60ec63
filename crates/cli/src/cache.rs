//! `pinnace cache`: what was kept to be found again, and how to remove it.

use crate::args::{CacheAction, CacheArguments};
use crate::clean;
use crate::exit::{self, Usage};
use anyhow::Context;
use pinnace::cache::{Holdings, Removed, RoomHoldings, cache_limit};
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;
use std::time::SystemTime;

/// What rooms hold, for people.
const MEANINGS: [(&str, &str); 4] = [
    ("cuda", "compiled kernels of GPUs"),
    ("references", "computed reference solutions"),
    ("stand-in", "kernels compiled for tests without a GPU"),
    ("tables", "tables of reads"),
];

pub(crate) fn cache(choices: &CacheArguments, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let limit = cache_limit().map_err(Usage)?;
    let Some(holdings) = Holdings::of_user() else {
        return Err(Usage("there is no folder for caches: set PINNACE_CACHE".to_owned()).into());
    };
    let place = holdings.folder().display().to_string();
    let at = || format!("{place} cannot be read or written");
    if let Some(CacheAction::Clear { older, to }) = &choices.action {
        let now = SystemTime::now();
        let removed = match (older, to) {
            (_, Some(most)) => holdings.shrink(*most as u64).with_context(at)?,
            (Some(age), None) => {
                let since = now.checked_sub(*age).unwrap_or(SystemTime::UNIX_EPOCH);
                holdings.clear(Some(since)).with_context(at)?
            }
            (None, None) => holdings.clear(None).with_context(at)?,
        };
        return said(removed, choices.json, &place, output);
    }
    let rooms = holdings.rooms().with_context(at)?;
    let all: u64 = rooms.iter().map(|room| room.bytes).sum();
    if choices.json {
        let rooms: Vec<Value> = rooms.iter().map(value).collect();
        writeln!(output, "{}", json!({ "folder": place, "bytes": all, "limit": limit, "rooms": rooms }))?;
        return Ok(exit::DONE);
    }
    writeln!(output, "{}", clean::line(&place))?;
    writeln!(output, "{} of {}\n", size(all), size(limit))?;
    if rooms.is_empty() {
        writeln!(output, "  nothing is cached")?;
        return Ok(exit::DONE);
    }
    let width = rooms.iter().map(|room| room.name.len()).max().unwrap_or(0).max(4);
    writeln!(
        output,
        "  {:width$}  {:>7}  {:>10}  {:>10}  {:>7}  {:>7}",
        "room", "entries", "bytes", "last used", "found", "made"
    )?;
    for room in &rooms {
        let meaning = MEANINGS.iter().find(|(name, _)| *name == room.name).map_or("", |(_, meaning)| meaning);
        writeln!(
            output,
            "  {:width$}  {:>7}  {:>10}  {:>10}  {:>7}  {:>7}  {meaning}",
            clean::line(&room.name),
            room.entries,
            size(room.bytes),
            room.newest.map_or_else(|| "-".to_owned(), age),
            room.hits,
            room.misses
        )?;
    }
    if let Some(oldest) = rooms.iter().filter_map(|room| room.oldest).min() {
        writeln!(output, "\n  the oldest entry was used {} ago", age(oldest))?;
    }
    Ok(exit::DONE)
}

fn said(removed: Removed, json: bool, place: &str, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let Removed { entries, bytes } = removed;
    if json {
        writeln!(output, "{}", json!({ "folder": place, "removed": entries, "bytes": bytes }))?;
    } else {
        let plural = if entries == 1 { "entry" } else { "entries" };
        writeln!(output, "removed {entries} {plural}, {}", size(bytes))?;
    }
    Ok(exit::DONE)
}

fn value(room: &RoomHoldings) -> Value {
    let seconds = |moment: SystemTime| moment.elapsed().map_or(0.0, |age| age.as_secs_f64());
    json!({
        "room": room.name,
        "entries": room.entries,
        "bytes": room.bytes,
        "oldest_seconds": room.oldest.map(seconds),
        "newest_seconds": room.newest.map(seconds),
        "found": room.hits,
        "made": room.misses,
    })
}

/// Bytes in a unit that leaves few digits.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut number = bytes as f64;
    let mut unit = 0;
    while number >= 1024.0 && unit + 1 < UNITS.len() {
        number /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{number:.1} {}", UNITS[unit]) }
}

/// How long ago a moment was.
fn age(moment: SystemTime) -> String {
    let seconds = moment.elapsed().map_or(0, |age| age.as_secs());
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_few_digits() {
        assert_eq!([size(0), size(1023), size(1536), size(2 << 30)], ["0 B", "1023 B", "1.5 KiB", "2.0 GiB"]);
    }
}
