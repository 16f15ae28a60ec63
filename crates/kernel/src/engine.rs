//! The code of a plan on its device: every call goes to one of the engines, and nothing else knows which.

use crate::cpu::Cpu;
use crate::cuda::{self, CompileMode, Cuda, Machine, MemoryPlan, MemoryUse, Unfused};
use crate::recipe::{Recipe, Visits};
use crate::reference::ReferenceEngine;
use crate::{Device, KernelError, Points, Precision, Visited, Weighted};
use equation::taylor::Plan;
use linear::clip::Clipping;
use linear::{Carried, Level, Series};
use std::ops::Range;
use std::sync::Arc;

/// The code that runs on a device.
#[derive(Debug)]
pub(crate) enum Engine {
    Reference(ReferenceEngine),
    CpuF32(Cpu<f32>),
    CpuF64(Cpu<f64>),
    Cuda(Box<Cuda>),
}

impl Engine {
    /// The code for a plan on a device. Fails where the device cannot run it, and never falls back to another one.
    pub(crate) fn of(plan: Arc<Plan>, device: Device, precision: Precision) -> Result<Self, KernelError> {
        match (device, precision) {
            (Device::Reference, Precision::F64) => Ok(Engine::Reference(ReferenceEngine::new(plan))),
            (Device::Cpu, Precision::F64 | Precision::F32) => {
                Engine::at_level(plan, precision, Level::best())
            }
            (Device::Cuda, _) => Engine::on_machine(plan, precision, cuda::gpu()?),
            (Device::Reference | Device::Cpu, _) => Err(KernelError::Precision { device, precision }),
        }
    }

    /// The CPU's engine with a given instruction set.
    pub(crate) fn at_level(plan: Arc<Plan>, precision: Precision, level: Level) -> Result<Self, KernelError> {
        if !level.available() {
            return Err(KernelError::Level { level });
        }
        match precision {
            Precision::F64 => Ok(Engine::CpuF64(Cpu::new(plan, level))),
            Precision::F32 => Ok(Engine::CpuF32(Cpu::new(plan, level))),
            Precision::Bf16x6
            | Precision::Fp16x3
            | Precision::Bf16x3
            | Precision::Tf32
            | Precision::Bf16
            | Precision::Fp16 => Err(KernelError::Precision { device: Device::Cpu, precision }),
        }
    }

    /// The GPU's engine on a GPU, or on what stands in for one.
    pub(crate) fn on_machine(
        plan: Arc<Plan>,
        precision: Precision,
        machine: Machine,
    ) -> Result<Self, KernelError> {
        Ok(Engine::Cuda(Box::new(Cuda::new(plan, precision, machine)?)))
    }

    /// See [`crate::Kernel::limit_device_bytes`].
    pub(crate) fn limit_device_bytes(&mut self, limit: Option<usize>) {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => {}
            Engine::Cuda(engine) => engine.limit_bytes(limit),
        }
    }

    /// See [`crate::Kernel::set_compile_mode`].
    pub(crate) fn set_mode(&mut self, mode: CompileMode) {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => {}
            Engine::Cuda(engine) => engine.set_mode(mode),
        }
    }

    /// See [`crate::Kernel::set_tiles`].
    pub(crate) fn set_tiles(&mut self, tiles: Option<usize>) {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => {}
            Engine::Cuda(engine) => engine.set_tiles(tiles),
        }
    }

    /// See [`crate::Kernel::tile_choices`].
    pub(crate) fn tile_choices(&self) -> Vec<usize> {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => Vec::new(),
            Engine::Cuda(engine) => engine.tile_choices(),
        }
    }

    /// See [`crate::Kernel::device_bytes`].
    pub(crate) fn device_bytes(&self) -> usize {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => 0,
            Engine::Cuda(engine) => engine.bytes(),
        }
    }

    /// See [`crate::Kernel::device_free_bytes`].
    pub(crate) fn device_free_bytes(&self) -> Option<usize> {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => None,
            Engine::Cuda(engine) => Some(engine.free_bytes()),
        }
    }

    /// See [`crate::Kernel::evaluate`].
    pub(crate) fn evaluate(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        gradient: &mut [f64],
        squares: &mut [f64],
    ) -> Result<(), KernelError> {
        match self {
            Engine::Reference(engine) => engine.evaluate(over, parameters, gradient, squares),
            Engine::CpuF32(engine) => engine.evaluate(over, parameters, gradient, squares),
            Engine::CpuF64(engine) => engine.evaluate(over, parameters, gradient, squares),
            Engine::Cuda(engine) => engine.evaluate(over, parameters, gradient, squares)?,
        }
        Ok(())
    }

    /// See [`crate::Kernel::takes_steps`].
    pub(crate) fn takes_steps(&self) -> bool {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => false,
            Engine::Cuda(_) => true,
        }
    }

    /// See [`crate::Kernel::run_steps`]; `None` where the device has no steps of its own.
    pub(crate) fn run_steps(
        &mut self,
        visits: (Visits<'_>, &[f64]),
        series: Series<'_>,
        carried: Carried<'_>,
        parameters: &mut [f64],
        history: &mut Vec<Visited>,
    ) -> Result<Option<Option<Visited>>, KernelError> {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => Ok(None),
            Engine::Cuda(engine) => Ok(Some(engine.run_steps(visits, series, carried, parameters, history)?)),
        }
    }

    /// See [`crate::Kernel::add_up_apart`].
    pub(crate) fn add_up_apart(&mut self, apart: bool) {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => {}
            Engine::Cuda(engine) => engine.add_up_apart(apart),
        }
    }

    /// See [`crate::Kernel::set_loss_scale`].
    pub(crate) fn set_loss_scale(&mut self, scale: Option<f64>) {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => {}
            Engine::Cuda(engine) => engine.set_loss_scale(scale),
        }
    }

    /// See [`crate::Kernel::expect_clipping`].
    pub(crate) fn expect_clipping(&mut self, clipping: Option<&Clipping>) {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => {}
            Engine::Cuda(engine) => engine.expect_clipping(clipping),
        }
    }

    /// See [`crate::Kernel::memory_use`].
    pub(crate) fn memory_use(&self) -> Option<MemoryUse> {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => None,
            Engine::Cuda(engine) => Some(engine.memory_use()),
        }
    }

    /// See [`crate::Kernel::unfused`].
    pub(crate) fn unfused(&self) -> Option<Unfused> {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => None,
            Engine::Cuda(engine) => engine.unfused(),
        }
    }

    /// See [`crate::Kernel::draw`]; `None` where the device draws nothing.
    pub(crate) fn draw(&mut self, recipe: &Recipe, at: [u64; 2]) -> Result<Option<Vec<Points>>, KernelError> {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => Ok(None),
            Engine::Cuda(engine) => Ok(Some(engine.draw(recipe, at)?)),
        }
    }

    /// See [`crate::Kernel::draw_only`].
    pub(crate) fn draw_only(&mut self, recipe: &Recipe, draws: u64) -> Result<Option<()>, KernelError> {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => Ok(None),
            Engine::Cuda(engine) => Ok(Some(engine.draw_only(recipe, draws)?)),
        }
    }

    /// See [`crate::Kernel::expect_batches`].
    pub(crate) fn expect_batches(&mut self, wanted: bool) -> Result<(), KernelError> {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => Ok(()),
            Engine::Cuda(engine) => Ok(engine.expect_batches(wanted)?),
        }
    }

    /// See [`crate::Kernel::bring_next`].
    pub(crate) fn bring_next(&mut self, next: Vec<(usize, Points)>) {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => {}
            Engine::Cuda(engine) => engine.bring_next(next),
        }
    }

    /// See [`crate::Kernel::take_next`].
    pub(crate) fn take_next(&mut self) -> Vec<(usize, Points)> {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => Vec::new(),
            Engine::Cuda(engine) => engine.take_next(),
        }
    }

    /// See [`crate::Kernel::plan_memory`].
    pub(crate) fn plan_memory(&mut self, visits: Visits<'_>) -> Result<Option<MemoryPlan>, KernelError> {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => Ok(None),
            Engine::Cuda(engine) => Ok(Some(engine.plan_memory(visits)?)),
        }
    }

    /// The engine that solves normal equations by itself.
    pub(crate) fn solver(&mut self) -> Option<&mut Cuda> {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => None,
            Engine::Cuda(engine) => Some(engine),
        }
    }

    /// Residuals of a term, or the prediction's values after the last term, point by point.
    pub(crate) fn fill(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        out: &mut [f64],
    ) -> Result<(), KernelError> {
        match self {
            Engine::Reference(engine) => engine.fill(term, points, parameters, out),
            Engine::CpuF32(engine) => engine.fill(term, points, parameters, out),
            Engine::CpuF64(engine) => engine.fill(term, points, parameters, out),
            Engine::Cuda(engine) => engine.fill(term, points, parameters, out)?,
        }
        Ok(())
    }

    /// Residuals and rows of the Jacobian at some points of a term. See [`crate::Kernel::jacobian`].
    pub(crate) fn jacobian(
        &mut self,
        place: (usize, &Points, Range<usize>),
        parameters: &[f64],
        residuals: &mut [f64],
        rows: &mut [f64],
    ) -> Result<(), KernelError> {
        match self {
            Engine::Reference(engine) => engine.jacobian(place, parameters, residuals, rows),
            Engine::CpuF32(engine) => engine.jacobian(place, parameters, residuals, rows),
            Engine::CpuF64(engine) => engine.jacobian(place, parameters, residuals, rows),
            Engine::Cuda(engine) => engine.jacobian(place, parameters, residuals, rows)?,
        }
        Ok(())
    }

    /// See [`crate::Kernel::jacobian_times`].
    pub(crate) fn along(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        direction: &[f64],
        out: &mut [f64],
    ) -> Result<(), KernelError> {
        match self {
            Engine::Reference(engine) => engine.along(term, points, parameters, direction, out),
            Engine::CpuF32(engine) => engine.along(term, points, parameters, direction, out),
            Engine::CpuF64(engine) => engine.along(term, points, parameters, direction, out),
            Engine::Cuda(engine) => engine.along(term, points, parameters, direction, out)?,
        }
        Ok(())
    }

    /// See [`crate::Kernel::transposed_times`].
    pub(crate) fn transposed(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        seeds: &[f64],
        gradient: &mut [f64],
    ) -> Result<(), KernelError> {
        match self {
            Engine::Reference(engine) => engine.transposed(term, points, parameters, seeds, gradient),
            Engine::CpuF32(engine) => engine.transposed(term, points, parameters, seeds, gradient),
            Engine::CpuF64(engine) => engine.transposed(term, points, parameters, seeds, gradient),
            Engine::Cuda(engine) => engine.transposed(term, points, parameters, seeds, gradient)?,
        }
        Ok(())
    }
}
