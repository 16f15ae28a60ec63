//! From the same points and weights, PyTorch, JAX and we see the same loss, gradient and first steps.
//!
//! `peers/*/peers.jsonl` holds what the scripts of `benches/peers` printed in fp64 for the dump beside it.

use bench::{FirstSteps, first_iterations_of_case, first_steps_of_case};
use pinnace::{Device, Precision};
use std::path::PathBuf;

fn check(problem: &str, device: Device, precision: Precision, tolerance: f64) {
    let folder = PathBuf::from(format!("{}/tests/peers/{problem}", env!("CARGO_MANIFEST_DIR")));
    let ours = first_steps_of_case(&folder, device, precision).expect("a case");
    let text = std::fs::read_to_string(folder.join("peers.jsonl")).expect("the peers' numbers");
    let mut peers = 0;
    for line in text.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("a record");
        let FirstSteps { loss0, gradnorm0, loss5 } = ours;
        for (name, got) in [("loss0", loss0), ("gradnorm0", gradnorm0), ("loss5", loss5)] {
            let wanted = record[name].as_f64().expect("every peer reports it");
            let error = (got - wanted).abs() / wanted;
            assert!(
                error <= tolerance,
                "{problem} {device} {precision}: {name} is {got}, {} says {wanted}",
                record["peer"]
            );
        }
        peers += 1;
    }
    assert_eq!(peers, 3, "{problem}: a peer is missing");
}

#[test]
fn f64_agrees_with_the_peers_to_1e_12() {
    for problem in ["burgers", "ns2d", "wave3d"] {
        check(problem, Device::Cpu, Precision::F64, 1e-12);
        check(problem, Device::Reference, Precision::F64, 1e-12);
    }
}

#[test]
fn f32_agrees_with_the_peers_to_1e_5() {
    for problem in ["burgers", "ns2d", "wave3d"] {
        check(problem, Device::Cpu, Precision::F32, 1e-5);
    }
}

#[test]
fn plain_gauss_newton_iterations_agree_with_those_of_jax() {
    let folder = PathBuf::from(format!("{}/tests/peers/burgers", env!("CARGO_MANIFEST_DIR")));
    let text = std::fs::read_to_string(folder.join("gauss_newton.json")).expect("the peer's numbers");
    let record: serde_json::Value = serde_json::from_str(&text).expect("a record");
    let losses = first_iterations_of_case(&folder).expect("a case");
    for (name, got) in ["loss0", "loss5"].into_iter().zip(losses) {
        let wanted = record[name].as_f64().expect("the peer reports it");
        assert!((got - wanted).abs() <= 1e-10 * wanted, "{name} is {got}, JAX says {wanted}");
    }
}
