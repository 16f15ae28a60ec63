//! Numbers as people write them: ages, counts of points, seconds.

use pinnace::Budget;
use std::time::Duration;

/// Reads such as `30d`, `12h` or `2w`.
pub(crate) fn read_age(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, f64); 5] =
        [("min", 60.0), ("d", 86_400.0), ("h", 3600.0), ("w", 604_800.0), ("s", 1.0)];
    let text = text.trim();
    let unit = UNITS.into_iter().find_map(|(name, size)| Some((text.strip_suffix(name)?, size)));
    let age = unit.and_then(|(number, size)| Some(number.trim().parse::<f64>().ok()? * size));
    age.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "an age such as 30d, 12h or 2w is needed".to_owned())
}

/// A number of points.
pub(crate) fn count(text: &str) -> Result<usize, String> {
    let units = [("K", 1000), ("M", 1_000_000)];
    let unit = units.into_iter().find_map(|(name, size)| Some((text.trim().strip_suffix(name)?, size)));
    let (number, size) = unit.unwrap_or((text.trim(), 1));
    match number.parse::<usize>().ok().and_then(|number| number.checked_mul(size)) {
        Some(count) if count > 0 && u32::try_from(count).is_ok() => Ok(count),
        Some(_) | None => Err("a number of points such as 500, 10K or 1M is needed".to_owned()),
    }
}

/// A share of something, 0 or more.
pub(super) fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..f64::INFINITY).contains(&share) => Ok(share),
        Ok(_) | Err(_) => Err("a share, 0 or more, is needed, such as 0.05 for five per cent".to_owned()),
    }
}

/// Seconds, 0 or more.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 => Ok(seconds),
        Ok(_) | Err(_) => Err("a number of seconds, 0 or more, is needed".to_owned()),
    }
}

/// Seconds of a time such as `60s` or `5min`.
pub(crate) fn time(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(Budget { seconds: Some(seconds), steps: None, .. }) => Ok(seconds),
        Ok(_) | Err(_) => Err("a time such as 60s or 5min is needed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_read_as_people_write_them() {
        let read =
            ["30d", "12 h", "1.5w", "90min", "7s"].map(|text| read_age(text).expect("an age").as_secs());
        assert_eq!(read, [2_592_000, 43_200, 907_200, 5_400, 7]);
        assert!(["", "30", "d", "-1d", "infd", "2y"].iter().all(|text| read_age(text).is_err()));
    }
}
