//! Bytes as the data file of a problem, for the targets `csv` and `npy`.

use pinnace::Problem;
use pinnace::table::{TableFormat, read_bytes};
use std::sync::LazyLock;

static PROBLEM: LazyLock<Problem> = LazyLock::new(|| {
    let text = r#"
[domain]
t = [0, 1]
x = [-1, 1]
[unknowns]
u = {}
[equations]
heat = "u_t = u_xx"
[data]
probe = { file = "probe.csv", columns = ["x", "_", "t", "u"] }
"#;
    equation::parse::parse(text).expect("the problem is right")
});

/// Reads them in every way that there is. What was read is finite and has the width of its rows.
pub fn read(bytes: &[u8], kind: TableFormat) {
    for (found, width) in read_bytes(&PROBLEM, bytes, kind).into_iter().zip([3, 2]) {
        match found {
            Ok(points) => {
                assert_eq!(points.width(), width);
                assert!(points.iter().flatten().all(|number| number.is_finite()));
            }
            Err(fault) => assert!(!fault.to_string().is_empty()),
        }
    }
}
