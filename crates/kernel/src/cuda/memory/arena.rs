//! Memory of the machine that has one owner.

use crate::cuda::CudaError;
use crate::cuda::machine::{Machine, Region};
use std::ops::Range;

/// Memory of the machine that one owner has.
#[derive(Debug)]
pub(crate) struct Arena {
    machine: Machine,
    all: Region<u8>,
}

impl Arena {
    /// No memory yet.
    pub(crate) fn new(machine: &Machine) -> Self {
        Arena { machine: machine.clone(), all: Region::default() }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.all.bytes()
    }

    /// Makes room for `bytes`; what was there is lost if the arena grows. On `Err` the arena is empty.
    pub(crate) fn reserve(&mut self, bytes: usize) -> Result<(), CudaError> {
        if bytes <= self.bytes() {
            return Ok(());
        }
        self.release();
        self.all = self.machine.allocate(bytes)?;
        Ok(())
    }

    /// The bytes of a range as things of a type.
    pub(crate) fn region<T>(&self, range: Range<usize>) -> Region<T> {
        self.all.part(range.start, range.len()).cast()
    }

    fn release(&mut self) {
        if self.bytes() > 0 {
            self.machine.free(self.all);
        }
        self.all = Region::default();
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        self.release();
    }
}
