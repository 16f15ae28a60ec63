//! What a GPU could do at most, by its data sheet: what measured speeds are compared with.

use crate::Precision;

/// Additions and multiplications per cycle of one multiprocessor, as (compute capability, f32, matrices of f64,
/// matrices of bfloat16). The data sheets of A100, L40S, H100 and B200.
const RATES: [((i32, i32), f64, f64, f64); 4] = [
    ((8, 0), 128.0, 128.0, 2048.0),
    ((8, 9), 256.0, 4.0, 1024.0),
    ((9, 0), 256.0, 256.0, 4096.0),
    ((10, 0), 256.0, 128.0, 8192.0),
];

/// Operations per second of products in some precision, counting each product of numbers once however many it takes
/// on matrix units; `None` for GPUs that nobody has looked up.
pub(super) fn flops(
    capability: (i32, i32),
    multiprocessors: usize,
    hertz: f64,
    precision: Precision,
) -> Option<f64> {
    let (_, single, double, half) = RATES.into_iter().find(|rates| rates.0 == capability)?;
    let each = match precision {
        Precision::F64 => double,
        Precision::F32 => single,
        Precision::Bf16x6 => half / 6.0,
        Precision::Bf16x3 | Precision::Fp16x3 => half / 3.0,
        Precision::Tf32 => half / 2.0,
        Precision::Bf16 | Precision::Fp16 => half,
    };
    Some(each * multiprocessors as f64 * hertz)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_h200_has_the_speed_of_its_data_sheet() {
        let teraflops = |precision| flops((9, 0), 132, 1.98e9, precision).map(|flops| flops * 1e-12);
        assert!(teraflops(Precision::F32).is_some_and(|speed| (speed - 66.9).abs() < 0.1));
        assert!(teraflops(Precision::F64).is_some_and(|speed| (speed - 66.9).abs() < 0.1));
        assert_eq!(flops((7, 0), 80, 1e9, Precision::F32), None);
    }
}
