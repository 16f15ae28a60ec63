//! Sizes of memory as people write them.

/// Reads such as `2GB`, `512 MiB` or a number of bytes.
pub fn read_bytes(text: &str) -> Result<usize, String> {
    const UNITS: [(&str, f64); 9] = [
        ("KiB", 1024.0),
        ("MiB", 1024.0 * 1024.0),
        ("GiB", 1024.0 * 1024.0 * 1024.0),
        ("kB", 1e3),
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("B", 1.0),
    ];
    let text = text.trim();
    let unit = UNITS.into_iter().find_map(|(name, size)| Some((text.strip_suffix(name)?, size)));
    let (number, size) = unit.unwrap_or((text, 1.0));
    match number.trim().parse::<f64>() {
        Ok(number) if number > 0.0 && (number * size).is_finite() => Ok((number * size) as usize),
        Ok(_) | Err(_) => Err("a size such as 2GB, 512MiB or 1000000 is needed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let read = ["2GB", "1.5 GiB", "300", "7 B", "12kB"].map(|text| read_bytes(text).expect("a size"));
        assert_eq!(read, [2_000_000_000, 1_610_612_736, 300, 7, 12_000]);
        assert!(["", "GB", "-1GB", "0", "2XB", "1e999GB"].iter().all(|text| read_bytes(text).is_err()));
    }
}
