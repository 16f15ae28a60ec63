//! Where a kernel runs. Nothing outside this file matches on [`Device`].

use crate::cpu::{Cpu, Level};
use crate::cuda::{self, CompileMode, Cuda, CudaError, Machine, MemoryPlan, MemoryUse, Unfused};
use crate::recipe::{Recipe, Visits};
use crate::reference::Reference;
use crate::{KernelError, Losses, Moments, Points, Precision, Series};
use equation::taylor::Plan;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// Where a kernel runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Device {
    /// The f64 interpreter of the plan on all processor cores: slow, obvious, and what the others are
    /// checked against.
    Reference,
    /// The processor's vector units on all cores.
    Cpu,
    /// An NVIDIA GPU, with kernels written for the plan.
    Cuda,
}

/// Why a device name is not a device.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DeviceError {
    /// A device that this machine does not have.
    #[error("device `{name}` cannot be used: {reason}")]
    Unusable {
        /// As the user wrote it.
        name: String,
        /// Why.
        reason: CudaError,
    },
    /// No device is called that.
    #[error("there is no device `{name}`; use `cuda`, `cpu`, `reference` or `auto`")]
    Unknown {
        /// As the user wrote it.
        name: String,
    },
}

impl Device {
    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            Device::Reference => "reference",
            Device::Cpu => "cpu",
            Device::Cuda => "cuda",
        }
    }

    /// The fastest of its precisions that is as accurate as [`Precision::F32`], in a mode of a GPU.
    pub fn fastest_as_accurate_as_f32(self, mode: CompileMode) -> Precision {
        match (self, mode) {
            (Device::Reference, _) => Precision::F64,
            (Device::Cpu, _) | (Device::Cuda, CompileMode::Off) => Precision::F32,
            (
                Device::Cuda,
                CompileMode::Default
                | CompileMode::ReduceOverhead
                | CompileMode::ManySteps
                | CompileMode::MaxAutotune,
            ) => Precision::Fp16x3,
        }
    }

    /// The best device that this machine has. Without a usable GPU that is the processor, and the reason
    /// comes along.
    pub fn best() -> (Device, Option<CudaError>) {
        match cuda::gpu() {
            Ok(_) => (Device::Cuda, None),
            Err(reason) => (Device::Cpu, Some(reason)),
        }
    }

    pub(crate) fn engine(self, plan: &Plan, precision: Precision) -> Result<Engine<'_>, KernelError> {
        match (self, precision) {
            (Device::Reference, Precision::F64) => Ok(Engine::Reference(Reference::new(plan))),
            (Device::Cpu, Precision::F64 | Precision::F32) => {
                Engine::at_level(plan, precision, Level::best())
            }
            (Device::Cuda, _) => Engine::on_machine(plan, precision, cuda::gpu()?),
            (Device::Reference | Device::Cpu, _) => Err(KernelError::Precision { device: self, precision }),
        }
    }
}

/// The code that runs on a device.
#[derive(Debug)]
pub(crate) enum Engine<'plan> {
    Reference(Reference<'plan>),
    CpuF32(Cpu<'plan, f32>),
    CpuF64(Cpu<'plan, f64>),
    Cuda(Box<Cuda<'plan>>),
}

impl<'plan> Engine<'plan> {
    /// The processor's engine with a given instruction set.
    pub(crate) fn at_level(
        plan: &'plan Plan,
        precision: Precision,
        level: Level,
    ) -> Result<Self, KernelError> {
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
        plan: &'plan Plan,
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

    /// See [`crate::Kernel::device_bytes`].
    pub(crate) fn device_bytes(&self) -> usize {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => 0,
            Engine::Cuda(engine) => engine.bytes(),
        }
    }

    /// See [`crate::Kernel::evaluate`].
    pub(crate) fn evaluate(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        gradient: &mut [f64],
        losses: &mut Losses,
    ) -> Result<(), KernelError> {
        match self {
            Engine::Reference(engine) => engine.evaluate(points, parameters, gradient, losses),
            Engine::CpuF32(engine) => engine.evaluate(points, parameters, gradient, losses),
            Engine::CpuF64(engine) => engine.evaluate(points, parameters, gradient, losses),
            Engine::Cuda(engine) => engine.evaluate(points, parameters, gradient, losses)?,
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
        visits: Visits<'_>,
        series: Series<'_>,
        moments: &mut Moments,
        parameters: &mut [f64],
        history: &mut Vec<Losses>,
    ) -> Result<Option<Option<Losses>>, KernelError> {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => Ok(None),
            Engine::Cuda(engine) => Ok(Some(engine.run_steps(visits, series, moments, parameters, history)?)),
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
    pub(crate) fn draw(&mut self, recipe: &Recipe, number: u64) -> Result<Option<Vec<Points>>, KernelError> {
        match self {
            Engine::Reference(_) | Engine::CpuF32(_) | Engine::CpuF64(_) => Ok(None),
            Engine::Cuda(engine) => Ok(Some(engine.draw(recipe, number)?)),
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
    pub(crate) fn solver(&mut self) -> Option<&mut Cuda<'plan>> {
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

impl FromStr for Device {
    type Err = DeviceError;

    /// `auto` is the best device that this machine has; a device that is named must be usable.
    fn from_str(name: &str) -> Result<Self, DeviceError> {
        match name {
            "auto" => Ok(Device::best().0),
            "cpu" => Ok(Device::Cpu),
            "reference" => Ok(Device::Reference),
            "cuda" => match cuda::gpu() {
                Ok(_) => Ok(Device::Cuda),
                Err(reason) => Err(DeviceError::Unusable { name: name.to_owned(), reason }),
            },
            _ => Err(DeviceError::Unknown { name: name.to_owned() }),
        }
    }
}

/// A device as a user asked for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChosenDevice {
    /// Where to compute.
    pub device: Device,
    /// Why that is no GPU, where the best device was asked for.
    pub without_gpu: Option<CudaError>,
}

impl FromStr for ChosenDevice {
    type Err = DeviceError;

    /// As [`Device`] reads it, and remembers why `auto` is no GPU.
    fn from_str(name: &str) -> Result<Self, DeviceError> {
        let (device, without_gpu) = match name {
            "auto" => Device::best(),
            _ => (name.parse()?, None),
        };
        Ok(ChosenDevice { device, without_gpu })
    }
}

impl fmt::Display for Device {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_cannot_be_used_is_refused_and_never_replaced() {
        let (best, reason) = Device::best();
        assert_eq!("auto".parse(), Ok(best));
        assert_eq!("auto".parse(), Ok(ChosenDevice { device: best, without_gpu: reason.clone() }));
        let named: Result<Device, _> = "cuda".parse();
        match reason {
            None => assert_eq!(named, Ok(Device::Cuda)),
            Some(reason) => {
                assert_eq!(best, Device::Cpu);
                assert_eq!(named, Err(DeviceError::Unusable { name: "cuda".to_owned(), reason }));
            }
        }
        let chosen: Result<ChosenDevice, _> = "cpu".parse();
        assert_eq!(chosen, Ok(ChosenDevice { device: Device::Cpu, without_gpu: None }));
        let unknown: Result<Device, _> = "tpu".parse();
        assert_eq!(unknown, Err(DeviceError::Unknown { name: "tpu".to_owned() }));
    }
}
