//! Trainings side by side, each on threads of its own.

use super::{AccuracySettings, Trial, TrialTask};
use crate::BenchError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Seconds of a training between two pieces of news about it.
const SECONDS_PER_NEWS: f64 = 0.2;

/// What happens in one of the trainings.
#[derive(Clone, Debug)]
pub enum News {
    /// It has come this far.
    Progress {
        /// Which one, by its place among the tasks.
        task: usize,
        /// Since it began.
        seconds: f64,
        /// Steps taken.
        step: u64,
        /// As last measured.
        error: Option<f64>,
    },
    /// It is over, with or without a result.
    Ended {
        /// Which one, by its place among the tasks.
        task: usize,
        /// All about it.
        trial: Box<Trial>,
    },
}

/// Trains all tasks, as many at a time as the settings say, and tells `listen` about it, which runs on
/// the caller's thread. `stop` ends it; trainings that it interrupts leave no trial. What a training
/// finds does not depend on the others, unless its budget is a time.
pub fn train_all(
    settings: &AccuracySettings,
    tasks: &[TrialTask],
    stop: &AtomicBool,
    listen: &mut dyn FnMut(News) -> Result<(), BenchError>,
) -> Result<(), BenchError> {
    let threads = settings.threads;
    let pools = (0..settings.jobs.min(tasks.len()))
        .map(|_| rayon::ThreadPoolBuilder::new().num_threads(threads).build())
        .collect::<Result<Vec<_>, _>>()
        .map_err(|_| BenchError::Threads { threads })?;
    let (next, broken) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = channel();
    thread::scope(|scope| {
        for pool in &pools {
            let (sender, next, broken) = (sender.clone(), &next, &broken);
            scope.spawn(move || {
                while let Some((number, task)) = take(tasks, next) {
                    if stop.load(Ordering::Relaxed) || broken.load(Ordering::Relaxed) {
                        break;
                    }
                    pool.install(|| train(settings, number, task, stop, &sender));
                }
            });
        }
        drop(sender);
        // The first thing that cannot be kept ends it: results that nobody keeps help nobody.
        let mut result = Ok(());
        for news in receiver {
            if result.is_ok() {
                result = listen(news);
                broken.store(result.is_err(), Ordering::Relaxed);
            }
        }
        result
    })
}

fn take<'tasks>(tasks: &'tasks [TrialTask], next: &AtomicUsize) -> Option<(usize, &'tasks TrialTask)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    Some((number, tasks.get(number)?))
}

fn train(
    settings: &AccuracySettings,
    number: usize,
    task: &TrialTask,
    stop: &AtomicBool,
    sender: &Sender<News>,
) {
    let (mut told, mut last) = (f64::NEG_INFINITY, None);
    let mut tell = |seconds: f64, step: u64, error: Option<f64>| {
        last = error.or(last);
        if error.is_some() || seconds - told >= SECONDS_PER_NEWS {
            told = seconds;
            // Nobody listens any more when the other end is gone.
            let _ = sender.send(News::Progress { task: number, seconds, step, error: last });
        }
    };
    // One training that fails, in whatever way, leaves the others alone.
    let result = catch_unwind(AssertUnwindSafe(|| Trial::run(settings, task, stop, &mut tell)));
    let trial = result.unwrap_or_else(|_| {
        let failed = Some("it panicked, which is a bug".to_owned());
        Some(Trial { failed, ..Trial::of(settings, task) })
    });
    if let Some(trial) = trial {
        let _ = sender.send(News::Ended { task: number, trial: Box::new(trial) });
    }
}
