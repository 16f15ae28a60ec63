//! The fixed functions of the coordinates that a network sees.

use super::activation::Wave;
use super::architecture::Feature;
use crate::counter::Stream;
use crate::problem::Problem;
use std::f64::consts::TAU;

/// Stream name of random Fourier features.
const FOURIER_STREAM: u64 = 1 << 33;

/// The fixed functions of the coordinates that the first layer sees.
pub(super) fn features(problem: &Problem) -> Vec<Feature> {
    let network = &problem.network;
    let mut features = Vec::new();
    let mut plain = Vec::new();
    for (axis, coordinate) in problem.domain.coordinates.iter().enumerate() {
        let length = coordinate.high - coordinate.low;
        match network.periodic.iter().find(|periodic| periodic.axis == axis) {
            Some(periodic) => {
                for harmonic in 1..=periodic.harmonics {
                    let slope = TAU * harmonic as f64 / length;
                    for wave in [Wave::Cos, Wave::Sin] {
                        let phase = -slope * coordinate.low;
                        features.push(Feature { wave, slopes: vec![(axis, slope)], phase });
                    }
                }
            }
            None if network.normalize => {
                let phase = -(coordinate.low + coordinate.high) / length;
                plain.push(Feature { wave: Wave::Identity, slopes: vec![(axis, 2.0 / length)], phase });
            }
            None => plain.push(Feature { wave: Wave::Identity, slopes: vec![(axis, 1.0)], phase: 0.0 }),
        }
    }
    match network.fourier {
        Some(fourier) if !plain.is_empty() => {
            let stream = Stream::new(problem.training.seed, FOURIER_STREAM);
            for number in 0..fourier.features {
                let mut slopes = Vec::new();
                let mut phase = 0.0;
                for (place, feature) in plain.iter().enumerate() {
                    let index = (number * plain.len() + place) as u64;
                    let waves = TAU * fourier.scale * stream.normal(index);
                    slopes.extend(feature.slopes.iter().map(|&(axis, slope)| (axis, waves * slope)));
                    phase += waves * feature.phase;
                }
                for wave in [Wave::Cos, Wave::Sin] {
                    features.push(Feature { wave, slopes: slopes.clone(), phase });
                }
            }
            features
        }
        _ => {
            features.extend(plain);
            features
        }
    }
}
