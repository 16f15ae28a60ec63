//! Threads, the cores they run on, and who goes first.

use crate::Experiment;
use equation::problem::{Affinity, PerformanceLevel};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// How training uses a machine, with nothing left open. It changes no bit of a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MachineUse {
    /// Threads that compute.
    pub threads: usize,
    /// Where they run.
    pub affinity: Affinity,
    /// By how much other programs go first, as with `nice`; `None` leaves it as it is.
    pub priority: Option<u8>,
}

impl Experiment {
    /// The level that its file states, or the usual one.
    pub fn level(&self) -> PerformanceLevel {
        self.problem().performance.level.unwrap_or_default()
    }

    /// How its training uses this machine.
    pub fn machine_use(&self) -> MachineUse {
        let stated = &self.problem().performance;
        let all = rayon::current_num_threads();
        let usual = match self.level() {
            PerformanceLevel::Basic => 1,
            PerformanceLevel::Advanced | PerformanceLevel::Ultra | PerformanceLevel::Custom => all,
        };
        MachineUse {
            threads: stated.threads.unwrap_or(usual),
            affinity: stated.affinity.clone().unwrap_or_default(),
            priority: stated.priority,
        }
    }
}

/// What was taken of a machine, until it is dropped: then the calling thread runs where it ran before, and the process goes as
/// far ahead of others as it went before, where the system allows that.
#[derive(Debug)]
#[must_use]
pub struct MachineClaim {
    /// The calling thread and those that help it.
    _pool: Option<ThreadPool>,
    /// The cores that the calling thread ran on before.
    cores: Option<system::Cores>,
    /// By how much other programs went first before.
    priority: Option<i32>,
    /// What could not be had, a line each.
    pub notices: Vec<String>,
}

impl MachineUse {
    /// Takes what it says of the machine, for everything that the calling thread computes from now on. What the system does not
    /// allow is told in the claim, and left as it is.
    pub fn claim(&self) -> MachineClaim {
        let mut notices = Vec::new();
        let mut tell = |what: &str, error: &dyn std::fmt::Display| {
            notices.push(format!("{what} stays as it is: {error}"));
        };
        let allowed = system::allowed();
        let cores = cores(&self.affinity, &allowed);
        let missing = cores.iter().find(|core| !allowed.contains(core));
        let cores = match missing {
            Some(core) => {
                tell("affinity", &format!("core {core} is not among those of this process, {allowed:?}"));
                Vec::new()
            }
            None => cores,
        };
        let as_it_is = self.threads == rayon::current_num_threads() && cores.is_empty();
        let pool = if as_it_is { None } else { pool(self.threads, &cores) };
        let pool = match pool {
            Some(Ok(pool)) => Some(pool),
            Some(Err(error)) => {
                tell("the number of threads", &error);
                None
            }
            None => None,
        };
        let before = cores.first().map(|core| system::stay_on(*core));
        let cores = match before.transpose() {
            Ok(before) => before,
            Err(error) => {
                tell("affinity", &error);
                None
            }
        };
        let priority = match self.priority.map(|behind| system::step_back(behind.into())).transpose() {
            Ok(priority) => priority,
            Err(error) => {
                tell("priority", &error);
                None
            }
        };
        MachineClaim { _pool: pool, cores, priority, notices }
    }
}

impl Drop for MachineClaim {
    fn drop(&mut self) {
        // What cannot be given back was told when it was taken: others may go first for longer.
        let _ = self.cores.as_ref().map(system::run_on);
        let _ = self.priority.map(system::step_back);
    }
}

/// The core of each thread in turn; empty where the system decides.
fn cores(affinity: &Affinity, allowed: &[usize]) -> Vec<usize> {
    match affinity {
        Affinity::Off => Vec::new(),
        Affinity::Spread => allowed.to_vec(),
        Affinity::Cores(cores) => cores.clone(),
    }
}

/// Threads of which the calling one is the first; `None` where the system has no threads.
fn pool(threads: usize, cores: &[usize]) -> Option<Result<ThreadPool, rayon::ThreadPoolBuildError>> {
    let cores = cores.to_vec();
    let begin = move |number: usize| {
        if let Some(core) = cores.get(number % cores.len().max(1)) {
            // Told for the calling thread, which is the first.
            let _ = system::stay_on(*core);
        }
    };
    Some(ThreadPoolBuilder::new().num_threads(threads).use_current_thread().start_handler(begin).build())
}

#[cfg(target_os = "linux")]
mod system {
    //! What Linux knows about threads.

    use rustix::io::Errno;
    use rustix::process::{getpriority_process, setpriority_process};
    pub(super) use rustix::thread::CpuSet as Cores;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// The cores that the calling thread may run on.
    pub(super) fn allowed() -> Vec<usize> {
        let set = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
        (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect()
    }

    /// Keeps the calling thread on a core; tells where it ran before.
    pub(super) fn stay_on(core: usize) -> Result<Cores, Errno> {
        let before = sched_getaffinity(None)?;
        let mut set = CpuSet::new();
        if core < CpuSet::MAX_CPU {
            set.set(core);
        }
        sched_setaffinity(None, &set)?;
        Ok(before)
    }

    pub(super) fn run_on(cores: &Cores) -> Result<(), Errno> {
        sched_setaffinity(None, cores)
    }

    /// Lets other programs go first by so much; tells by how much they did before.
    pub(super) fn step_back(behind: i32) -> Result<i32, Errno> {
        let before = getpriority_process(None)?;
        setpriority_process(None, behind)?;
        Ok(before)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    //! Elsewhere nothing is known.

    pub(super) use std::convert::Infallible as Cores;

    const UNKNOWN: &str = "this system is not asked for it";

    pub(super) fn allowed() -> Vec<usize> {
        (0..rayon::current_num_threads()).collect()
    }

    pub(super) fn stay_on(_core: usize) -> Result<Cores, &'static str> {
        Err(UNKNOWN)
    }

    pub(super) fn run_on(_cores: &Cores) -> Result<(), &'static str> {
        Err(UNKNOWN)
    }

    pub(super) fn step_back(_behind: i32) -> Result<i32, &'static str> {
        Err(UNKNOWN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    fn used(threads: usize, affinity: Affinity) -> MachineUse {
        MachineUse { threads, affinity, priority: None }
    }

    /// On a thread of its own: the one that claims belongs to its pool from then on.
    fn within<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| scope.spawn(work).join().expect("it ends"))
    }

    #[test]
    fn as_many_threads_compute_as_are_claimed() {
        for threads in [1, 3] {
            let (all, sum) = within(|| {
                let claim = used(threads, Affinity::Off).claim();
                assert!(claim.notices.is_empty(), "{:?}", claim.notices);
                (rayon::current_num_threads(), (0..10_000u64).into_par_iter().sum::<u64>())
            });
            assert_eq!((all, sum), (threads, 49_995_000));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn threads_run_where_they_are_told_and_then_where_they_ran_before() {
        let before = system::allowed();
        let last = *before.last().expect("a core");
        let (during, after) = within(|| {
            let claim = used(2, Affinity::Cores(vec![last])).claim();
            let during: Vec<Vec<usize>> = (0..64).into_par_iter().map(|_| system::allowed()).collect();
            drop(claim);
            (during, system::allowed())
        });
        assert!(during.iter().all(|cores| *cores == [last]), "{during:?}");
        assert_eq!(after, before);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_core_that_is_not_there_is_told_and_nothing_changes() {
        let before = system::allowed();
        let (notices, during) = within(|| {
            let claim = used(2, Affinity::Cores(vec![4095])).claim();
            (claim.notices.clone(), system::allowed())
        });
        assert_eq!(during, before);
        let [told] = &notices[..] else { panic!("{notices:?}") };
        assert!(told.contains("affinity stays as it is: core 4095 is not among those"), "{told}");
    }
}
