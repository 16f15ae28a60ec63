//! Any bytes either become a region of the plane, or an error that can be shown.

#![no_main]

use geometry::Outline;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match Outline::from_geojson(bytes) {
        Ok(outline) => assert!(outline.bounds().iter().flatten().all(|end| end.is_finite())),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
