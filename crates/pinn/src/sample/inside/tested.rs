//! What a device has to know to find points inside a shape by itself.

use super::rows::{MORE, Ready};
use crate::sample::HostPoints;
use equation::problem::{Domain, Geometry, Sampler};
use kernel::DrawnInside;
use std::sync::Arc;

/// Standard deviations by which the candidates of a draw may fall short of what its points need, before a device goes on one by one.
const DEVIATIONS: f64 = 6.0;

/// The test, and how many candidates so many points take.
pub(in crate::sample) fn tested(
    domain: &Domain,
    geometry: &Geometry,
    sampler: Sampler,
    points: usize,
) -> Result<DrawnInside, HostPoints> {
    if geometry.family.is_some() {
        return Err(HostPoints::Family);
    }
    let test = geometry.solid.inside_test().ok_or(HostPoints::Shape)?;
    // Of a shape that is too thin even for cells whoever draws on the host says so.
    let Ready { region, share, .. } = Ready::new(domain, geometry, sampler).map_err(|_| HostPoints::Thin)?;
    if region.cover.is_some() {
        return Err(HostPoints::Thin);
    }
    let mean = points as f64 / share;
    let candidates = (MORE * mean + DEVIATIONS * mean.sqrt()) as usize;
    Ok(DrawnInside { test: Arc::new(test), axes: geometry.axes.clone(), candidates })
}
