//! Where a kernel runs. Nothing outside this file matches on [`Device`].

use crate::reference::Reference;
use crate::{KernelError, Precision};
use equation::taylor::Plan;
use std::fmt;
use std::str::FromStr;

/// Where a kernel runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Device {
    /// The f64 interpreter of the plan on all processor cores: slow, obvious, and what the others are
    /// checked against.
    Reference,
}

/// Why a device name is not a device.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DeviceError {
    /// A device that other versions of Pinnace have.
    #[error("device `{name}` is not in this version; use `reference` or `auto`")]
    NotInThisVersion {
        /// As the user wrote it.
        name: String,
    },
    /// No device is called that.
    #[error("there is no device `{name}`; use `reference` or `auto`")]
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
        }
    }

    pub(crate) fn engine(self, plan: &Plan, precision: Precision) -> Result<Engine<'_>, KernelError> {
        match (self, precision) {
            (Device::Reference, Precision::F64) => Ok(Engine::Reference(Reference::new(plan))),
        }
    }
}

/// The code that runs on a device.
#[derive(Debug)]
pub(crate) enum Engine<'plan> {
    Reference(Reference<'plan>),
}

impl FromStr for Device {
    type Err = DeviceError;

    /// `auto` is the best device of this version that this machine has.
    fn from_str(name: &str) -> Result<Self, DeviceError> {
        match name {
            "auto" | "reference" => Ok(Device::Reference),
            "cpu" | "cuda" => Err(DeviceError::NotInThisVersion { name: name.to_owned() }),
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
        assert_eq!("auto".parse(), Ok(Device::Reference));
        let refused: Result<Device, _> = "cuda".parse();
        assert_eq!(refused, Err(DeviceError::NotInThisVersion { name: "cuda".to_owned() }));
        let unknown: Result<Device, _> = "tpu".parse();
        assert_eq!(unknown, Err(DeviceError::Unknown { name: "tpu".to_owned() }));
    }
}
