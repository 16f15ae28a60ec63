//! Memory is looked at between steps. Where it gets full, less of it is used: nothing is prepared before it is wanted, and a device
//! takes its points in more pieces. Neither the points of a step nor a bit of a result depend on it.

use super::task::Equations;
use crate::TrainError;
use crate::memory::{Filling, MemoryReading};
use kernel::Kernel;
use kernel::cuda::MemoryPlan;
use train::{Event, Fallback, MemoryTaken, Note, Sink, Snapshot};

/// Seconds of training between two looks: one takes a few ten-thousandths of that.
const SECONDS: f64 = 1.0;

/// What is full above the threshold is no longer full below this much of it: between, nothing changes back and forth.
const RELAXED: f64 = 0.75;

/// Looks at memory.
pub type LookAtMemory<'run> = dyn FnMut(&Kernel) -> MemoryReading + 'run;

/// What is known about memory between two steps.
pub(super) struct MemoryWatch<'run> {
    look: &'run mut LookAtMemory<'run>,
    threshold: f64,
    /// Seconds of the run at which it is looked at next.
    next: f64,
    /// What was found, until a step is told.
    pub(super) found: Option<MemoryTaken>,
    /// The most that the host had.
    peak: u64,
    /// Whether the host's is full.
    is_tight: bool,
    device: OnDevice,
}

/// What is done about a device's memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnDevice {
    /// It has room.
    Roomy,
    /// Fewer bytes are taken than these, which were taken before, under this limit.
    Smaller { before: u64, limit: Option<usize> },
    /// It is full, and with less of it bits would change.
    Stuck,
}

impl<'run> Equations<'run> {
    /// Looks at memory between steps, and uses less of it from some share of it on.
    #[must_use]
    pub fn watching_memory(mut self, threshold: f64, look: &'run mut LookAtMemory<'run>) -> Self {
        self.memory = Some(MemoryWatch {
            look,
            threshold,
            next: f64::NEG_INFINITY,
            found: None,
            peak: 0,
            is_tight: false,
            device: OnDevice::Roomy,
        });
        self
    }

    /// The most that this process had of the host's memory when it was looked at.
    pub fn host_bytes(&self) -> Option<u64> {
        self.memory.as_ref().map(|watch| watch.peak).filter(|bytes| *bytes > 0)
    }

    /// Whether the host's memory is full.
    pub(super) fn is_tight(&self) -> bool {
        self.memory.as_ref().is_some_and(|watch| watch.is_tight)
    }

    /// Looks at memory where that is due, and does what it takes.
    pub(super) fn watch_memory(&mut self, now: &Snapshot, sink: &mut dyn Sink) -> Result<(), TrainError> {
        let Some(watch) = &mut self.memory else { return Ok(()) };
        if now.seconds < watch.next {
            return Ok(());
        }
        watch.next = now.seconds + SECONDS;
        let reading = (watch.look)(self.objective.kernel());
        if let Some(host) = reading.host {
            watch.peak = watch.peak.max(host.taken);
            watch.found = Some(MemoryTaken { host: host.taken, device: reading.device.map(|it| it.taken) });
            self.watch_host(host, sink);
        }
        reading.device.map_or(Ok(()), |device| self.watch_device(device, now, sink))
    }

    fn watch_host(&mut self, host: Filling, sink: &mut dyn Sink) {
        let Some(watch) = &mut self.memory else { return };
        let (was, threshold) = (watch.is_tight, watch.threshold);
        watch.is_tight = host.share() >= if was { RELAXED * threshold } else { threshold };
        match (was, watch.is_tight) {
            (false, true) => {
                // Made again where they are wanted: the same numbers.
                (self.drawn, self.exact) = (None, None);
                self.feed.set_ahead(1);
                sink.event(&Event::Fallback(Fallback {
                    cause: "host memory".to_owned(),
                    what: "points and batches are found when a step wants them, one batch ahead at most"
                        .to_owned(),
                    why: format!(
                        "host memory is {host}; memory_threshold = {threshold} of [performance] says when"
                    ),
                }));
            }
            (true, false) => {
                self.feed.set_ahead(self.ahead_of_batches());
                let line = format!("host memory is {host}: points and batches are found ahead again");
                sink.event(&Event::Note(note("host", line, host)));
            }
            (true, true) | (false, false) => {}
        }
    }

    /// Makes a device take points in more pieces where it is full, as long as no bit changes, and in fewer again where it is not.
    fn watch_device(
        &mut self,
        device: Filling,
        now: &Snapshot,
        sink: &mut dyn Sink,
    ) -> Result<(), TrainError> {
        let Some(MemoryWatch { threshold, device: state, .. }) = &self.memory else { return Ok(()) };
        let (threshold, state) = (*threshold, *state);
        let all = device.taken as f64 + device.free as f64;
        let next = match state {
            OnDevice::Roomy if device.share() >= threshold => {
                let Some(plan) = self.planned(now)? else { return Ok(()) };
                let smaller = self.smaller(&plan, (RELAXED * threshold * all) as usize, now)?;
                let why = format!(
                    "the memory of the GPU is {device}; memory_threshold = {threshold} of [performance] says when"
                );
                let (what, next) = match &smaller {
                    Some(smaller) => (
                        format!(
                            "a step takes its points in {} chunks instead of {}",
                            smaller.chunks, plan.chunks
                        ),
                        OnDevice::Smaller { before: device.taken, limit: plan.limit },
                    ),
                    None => {
                        self.objective.kernel().limit_device_bytes(plan.limit);
                        let what = "training goes on with what it has: with less, sums would be formed in another order";
                        (what.to_owned(), OnDevice::Stuck)
                    }
                };
                sink.event(&Event::Fallback(Fallback { cause: "device memory".to_owned(), what, why }));
                next
            }
            OnDevice::Smaller { before, limit } if (before as f64) < RELAXED * threshold * all => {
                self.objective.kernel().limit_device_bytes(limit);
                let line = format!(
                    "the memory of the GPU is {device}: a step takes as many points at a time as before"
                );
                sink.event(&Event::Note(note("device", line, device)));
                OnDevice::Roomy
            }
            OnDevice::Stuck if device.share() < RELAXED * threshold => OnDevice::Roomy,
            OnDevice::Roomy | OnDevice::Smaller { .. } | OnDevice::Stuck => return Ok(()),
        };
        if let Some(watch) = &mut self.memory {
            watch.device = next;
        }
        Ok(())
    }

    /// Gives a device the memory back that it was left without: another phase has other work, for which that may be too little.
    pub(super) fn give_device_memory_back(&mut self) {
        if let Some(MemoryWatch { device: OnDevice::Smaller { limit, .. }, .. }) = &self.memory {
            self.objective.kernel().limit_device_bytes(*limit);
        }
        self.forget_device_memory();
    }

    /// Begins anew with a kernel whose memory is as it was at first.
    pub(super) fn forget_device_memory(&mut self) {
        if let Some(watch) = &mut self.memory {
            watch.device = OnDevice::Roomy;
        }
    }

    /// A plan with fewer bytes than another one, as few as are wanted if that is possible, in which sums are formed in the same order: by
    /// as many blocks. Where there is one, the device is bound to it.
    fn smaller(
        &mut self,
        plan: &MemoryPlan,
        wanted: usize,
        now: &Snapshot,
    ) -> Result<Option<MemoryPlan>, TrainError> {
        /// Limits that are tried, from what is wanted to what there is.
        const TRIES: usize = 8;
        let more = plan.bytes().saturating_sub(wanted);
        for number in 0..TRIES {
            let found = self.planned_within(Some(wanted + more / TRIES * number), now)?;
            let found = found.filter(|found| found.blocks == plan.blocks && found.bytes() < plan.bytes());
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn planned_within(
        &mut self,
        limit: Option<usize>,
        now: &Snapshot,
    ) -> Result<Option<MemoryPlan>, TrainError> {
        self.objective.kernel().limit_device_bytes(limit);
        match self.planned(now) {
            // Not even one block has room.
            Err(TrainError::Kernel(kernel::KernelError::Cuda(kernel::cuda::CudaError::Memory {
                ..
            }))) => Ok(None),
            planned => planned,
        }
    }
}

fn note(kind: &str, line: String, filling: Filling) -> Note {
    let data = serde_json::json!({ "memory": kind, "taken": filling.taken, "free": filling.free });
    Note { kind: "memory-watch".to_owned(), lines: Vec::from([line]), data }
}
