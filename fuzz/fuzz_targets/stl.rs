//! Any bytes either become a closed surface, or an error that can be shown.

#![no_main]

use geometry::Mesh;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match Mesh::from_stl(bytes) {
        Ok(mesh) => assert!(mesh.volume() > 0.0 && mesh.bounds().iter().flatten().all(|end| end.is_finite())),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
