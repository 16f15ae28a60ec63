//! Ages as people write them.

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
