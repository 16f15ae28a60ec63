//! Where a kernel runs.

use crate::Precision;
use crate::cuda::{self, CompileMode, CudaError};
use linear::Hardware;
use std::fmt;
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

    /// What kind of machine it is. Whoever decides by the device decides by this: only this file and the engines tell devices
    /// apart.
    pub fn hardware(self) -> Hardware {
        match self {
            Device::Reference | Device::Cpu => Hardware::Processor,
            Device::Cuda => Hardware::Accelerator,
        }
    }

    /// The fastest of its precisions that is as accurate as [`Precision::F32`], in a mode of a GPU.
    pub fn fastest_as_accurate_as_f32(self, mode: CompileMode) -> Precision {
        match (self, mode) {
            (Device::Reference, _) => Precision::F64,
            (Device::Cpu, _) | (Device::Cuda, CompileMode::Off) => Precision::F32,
            (Device::Cuda, CompileMode::Default | CompileMode::ReduceOverhead | CompileMode::MaxAutotune) => {
                Precision::Fp16x3
            }
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
