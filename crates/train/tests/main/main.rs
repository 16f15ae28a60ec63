//! Promises of the training loop that hold for any task.

mod line;
mod schedules;
mod stability;
mod task;
