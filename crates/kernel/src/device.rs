//! Where a kernel runs. Nothing outside this file matches on [`Device`].

use crate::cpu::{Cpu, Level};
use crate::reference::Reference;
use crate::{KernelError, Losses, Points, Precision};
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
}

/// Why a device name is not a device.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DeviceError {
    /// A device that other versions of Pinnace have.
    #[error("device `{name}` is not in this version; use `cpu`, `reference` or `auto`")]
    NotInThisVersion {
        /// As the user wrote it.
        name: String,
    },
    /// No device is called that.
    #[error("there is no device `{name}`; use `cpu`, `reference` or `auto`")]
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
        }
    }

    pub(crate) fn engine(self, plan: &Plan, precision: Precision) -> Result<Engine<'_>, KernelError> {
        match (self, precision) {
            (Device::Reference, Precision::F64) => Ok(Engine::Reference(Reference::new(plan))),
            (Device::Cpu, Precision::F64 | Precision::F32) => {
                Engine::at_level(plan, precision, Level::best())
            }
            (Device::Reference, Precision::F32) => Err(KernelError::Precision { device: self, precision }),
        }
    }
}

/// The code that runs on a device.
#[derive(Debug)]
pub(crate) enum Engine<'plan> {
    Reference(Reference<'plan>),
    CpuF32(Cpu<'plan, f32>),
    CpuF64(Cpu<'plan, f64>),
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
        Ok(match precision {
            Precision::F64 => Engine::CpuF64(Cpu::new(plan, level)),
            Precision::F32 => Engine::CpuF32(Cpu::new(plan, level)),
        })
    }

    /// See [`crate::Kernel::evaluate`].
    pub(crate) fn evaluate(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        gradient: &mut [f64],
        losses: &mut Losses,
    ) {
        match self {
            Engine::Reference(engine) => engine.evaluate(points, parameters, gradient, losses),
            Engine::CpuF32(engine) => engine.evaluate(points, parameters, gradient, losses),
            Engine::CpuF64(engine) => engine.evaluate(points, parameters, gradient, losses),
        }
    }

    /// Residuals of a term, or the prediction's values after the last term, point by point.
    pub(crate) fn fill(&mut self, term: usize, points: &Points, parameters: &[f64], out: &mut [f64]) {
        match self {
            Engine::Reference(engine) => engine.fill(term, points, parameters, out),
            Engine::CpuF32(engine) => engine.fill(term, points, parameters, out),
            Engine::CpuF64(engine) => engine.fill(term, points, parameters, out),
        }
    }

    /// Residuals and rows of the Jacobian at some points of a term. See [`crate::Kernel::jacobian`].
    pub(crate) fn jacobian(
        &mut self,
        place: (usize, &Points, Range<usize>),
        parameters: &[f64],
        residuals: &mut [f64],
        rows: &mut [f64],
    ) {
        match self {
            Engine::Reference(engine) => engine.jacobian(place, parameters, residuals, rows),
            Engine::CpuF32(engine) => engine.jacobian(place, parameters, residuals, rows),
            Engine::CpuF64(engine) => engine.jacobian(place, parameters, residuals, rows),
        }
    }

    /// See [`crate::Kernel::jacobian_times`].
    pub(crate) fn along(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        direction: &[f64],
        out: &mut [f64],
    ) {
        match self {
            Engine::Reference(engine) => engine.along(term, points, parameters, direction, out),
            Engine::CpuF32(engine) => engine.along(term, points, parameters, direction, out),
            Engine::CpuF64(engine) => engine.along(term, points, parameters, direction, out),
        }
    }

    /// See [`crate::Kernel::transposed_times`].
    pub(crate) fn transposed(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        seeds: &[f64],
        gradient: &mut [f64],
    ) {
        match self {
            Engine::Reference(engine) => engine.transposed(term, points, parameters, seeds, gradient),
            Engine::CpuF32(engine) => engine.transposed(term, points, parameters, seeds, gradient),
            Engine::CpuF64(engine) => engine.transposed(term, points, parameters, seeds, gradient),
        }
    }
}

impl FromStr for Device {
    type Err = DeviceError;

    /// `auto` is the best device of this version that this machine has.
    fn from_str(name: &str) -> Result<Self, DeviceError> {
        match name {
            "auto" | "cpu" => Ok(Device::Cpu),
            "reference" => Ok(Device::Reference),
            "cuda" => Err(DeviceError::NotInThisVersion { name: name.to_owned() }),
            _ => Err(DeviceError::Unknown { name: name.to_owned() }),
        }
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
    fn a_device_of_another_version_is_refused_and_never_replaced() {
        assert_eq!("auto".parse(), Ok(Device::Cpu));
        let refused: Result<Device, _> = "cuda".parse();
        assert_eq!(refused, Err(DeviceError::NotInThisVersion { name: "cuda".to_owned() }));
        let unknown: Result<Device, _> = "tpu".parse();
        assert_eq!(unknown, Err(DeviceError::Unknown { name: "tpu".to_owned() }));
    }
}
