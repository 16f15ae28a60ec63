//! What the kernels of a plan are given.

use crate::cuda::machine::{DeviceNumber, Region, given};

given! {
    /// What the kernels of a plan are given; as `Arguments` in `device/shared/arguments.cuh`.
    #[derive(Default)]
    pub(crate) struct PlanArguments laid out as PlanWords {
        parameters: Region<f64>,
        factors: Region<f64>,
        table: Region<u64>,
        rows: Region<f64>,
        weights: Region<DeviceNumber>,
        direction: Region<DeviceNumber>,
        scratch: Region<DeviceNumber>,
        gradients: Region<DeviceNumber>,
        sums: Region<f64>,
        result: Region<f64>,
        seeds: Region<f64>,
        output: Region<f64>,
        values: Region<f64>,
        term: u64,
        points: u64,
        blocks: u64,
        fresh: u64,
        moments: Region<f64>,
        next_parameters: Region<f64>,
        next_moments: Region<f64>,
        lengths: Region<f64>,
        history: Region<f64>,
        progress: Region<u64>,
        index: u64,
        decaying: u64,
        mean_decay: f64,
        square_decay: f64,
        floor: f64,
        decay: f64,
        bound: f64,
        jobs: Region<u64>,
        job_count: u64,
        parts: Region<u64>,
        seed: u64,
        renewal: u64,
        interval: u64,
        always: u64,
        unscale: f64,
        candidates: u64,
        all_rows: u64,
        layer: u64,
        turns: Region<i32>,
    }
}
