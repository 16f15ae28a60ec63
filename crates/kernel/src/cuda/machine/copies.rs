//! Copies between the host's memory and the machine's.

use super::either::Machine;
use super::gpu::{Pinned, PinnedRing};
use super::region::Region;
use super::stand_in;
use crate::cuda::CudaError;

/// Words that the machine can copy from and to without help of the processor.
#[derive(Debug)]
pub(crate) enum Staging {
    Gpu(Pinned),
    StandIn(Vec<u64>),
}

/// Memory that copies go through which run beside what is queued.
#[derive(Debug)]
pub(crate) enum Ring {
    Gpu(PinnedRing),
    StandIn,
}

/// Pieces of such memory: one is filled while others are copied.
const PIECES: usize = 4;

/// Words of a piece.
const PIECE: usize = 1 << 19;

impl Ring {
    /// Bytes of the host's memory that it takes.
    pub(crate) fn bytes() -> usize {
        PIECES * PIECE * size_of::<u64>()
    }
}

impl Staging {
    pub(crate) fn words(&mut self) -> &mut [u64] {
        match self {
            Staging::Gpu(pinned) => pinned.words(),
            Staging::StandIn(words) => words,
        }
    }
}

impl Machine {
    /// Memory for copies.
    pub(crate) fn staging(&self, words: usize) -> Result<Staging, CudaError> {
        match self {
            Machine::Gpu(gpu) => gpu.pinned(words).map(Staging::Gpu),
            Machine::StandIn(_) => Ok(Staging::StandIn(vec![0; words])),
        }
    }

    /// Memory for copies beside what is queued.
    pub(crate) fn ring(&self) -> Result<Ring, CudaError> {
        match self {
            Machine::Gpu(gpu) => gpu.ring(PIECES, PIECE).map(Ring::Gpu),
            Machine::StandIn(_) => Ok(Ring::StandIn),
        }
    }

    /// Begins to copy numbers beside what is queued. Nobody else may use the region before [`Machine::await_aside`].
    pub(crate) fn send_aside(
        &self,
        to: Region<f64>,
        ring: &mut Ring,
        numbers: &[f64],
    ) -> Result<(), CudaError> {
        match (self, ring) {
            (Machine::Gpu(gpu), Ring::Gpu(ring)) => gpu.send_aside(to.cast(), ring, numbers),
            (Machine::StandIn(_), Ring::StandIn) => {
                let words: Vec<u64> = numbers.iter().map(|number| number.to_bits()).collect();
                stand_in::upload(to.part(0, words.len()).cast(), &words);
                Ok(())
            }
            _ => unreachable!("a ring belongs to the machine that made it"),
        }
    }

    /// What is queued from now on waits for those copies.
    pub(crate) fn await_aside(&self, ring: &Ring) -> Result<(), CudaError> {
        match (self, ring) {
            (Machine::Gpu(gpu), Ring::Gpu(ring)) => gpu.await_aside(ring),
            (Machine::StandIn(_), Ring::StandIn) => Ok(()),
            _ => unreachable!("a ring belongs to the machine that made it"),
        }
    }

    /// Copies the first words of the staging memory to the machine, and waits.
    fn upload(&self, to: Region<u64>, staging: &mut Staging) -> Result<(), CudaError> {
        match (self, staging) {
            (Machine::Gpu(gpu), Staging::Gpu(pinned)) => gpu.upload(to, pinned),
            (Machine::StandIn(_), Staging::StandIn(words)) => {
                stand_in::upload(to, &words[..to.count()]);
                Ok(())
            }
            _ => unreachable!("staging memory belongs to the machine that made it"),
        }
    }

    /// Waits for all kernels and copies words of the machine into the staging memory.
    fn download(&self, from: Region<u64>, staging: &mut Staging) -> Result<(), CudaError> {
        match (self, staging) {
            (Machine::Gpu(gpu), Staging::Gpu(pinned)) => gpu.download(from, pinned),
            (Machine::StandIn(_), Staging::StandIn(words)) => {
                stand_in::download(from, &mut words[..from.count()]);
                Ok(())
            }
            _ => unreachable!("staging memory belongs to the machine that made it"),
        }
    }

    /// Copies words to the beginning of a region, piece by piece.
    pub(crate) fn send<T>(
        &self,
        to: Region<T>,
        staging: &mut Staging,
        mut words: impl Iterator<Item = u64>,
    ) -> Result<(), CudaError> {
        let mut to = to.cast::<u64>();
        loop {
            let (room, mut count) = (staging.words(), 0);
            // The other way round a word would be lost where the room ends.
            for (place, word) in room.iter_mut().zip(words.by_ref()) {
                *place = word;
                count += 1;
            }
            let full = count == room.len();
            if count > 0 {
                self.upload(to.part(0, count), staging)?;
            }
            if !full {
                return Ok(());
            }
            to = to.from(count);
        }
    }

    /// Fetches numbers from the beginning of a region, piece by piece.
    pub(crate) fn fetch(
        &self,
        from: Region<f64>,
        staging: &mut Staging,
        numbers: &mut [f64],
    ) -> Result<(), CudaError> {
        let mut from = from.cast::<u64>();
        let most = staging.words().len();
        for piece in numbers.chunks_mut(most) {
            self.download(from.part(0, piece.len()), staging)?;
            let words = staging.words().iter();
            piece.iter_mut().zip(words).for_each(|(number, word)| *number = f64::from_bits(*word));
            from = from.from(piece.len());
        }
        Ok(())
    }
}
