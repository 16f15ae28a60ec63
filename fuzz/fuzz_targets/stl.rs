//! Any bytes either become a closed surface, or an error that can be shown.

#![no_main]

use geometry::{FaceRule, MOST_FACES, Mesh};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for rule in [FaceRule::Whole, FaceRule::Solids, FaceRule::Edges(30.0)] {
        match Mesh::with_faces(bytes, rule) {
            Ok(mesh) => {
                assert!(mesh.volume() > 0.0 && mesh.bounds().iter().flatten().all(|end| end.is_finite()));
                assert!((1..=MOST_FACES).contains(&mesh.faces().len()));
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});
