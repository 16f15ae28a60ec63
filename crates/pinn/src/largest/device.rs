//! Points that a device takes at a time.

use super::{MOST, most};
use crate::TrainError;
use crate::decide::Settings;
use crate::sample::{Draw, recipe};
use crate::table::Tables;
use equation::problem::Problem;
use equation::taylor::Plan;
use kernel::cuda::MemoryPlan;
use kernel::{Kernel, Visits};

/// Points are looked for in steps of this: tiles are parts of it.
const UNIT: usize = 4096;

/// The most points inside that a device with memory of its own takes at a time, by the plan of a step whose points it draws: more
/// come in chunks, which changes no bit. `None` on other devices, and where points come from the host. Bounds the kernel to that
/// share of what is free.
pub fn at_once(
    kernel: &mut Kernel,
    (problem, plan): (&Problem, &Plan),
    tables: &Tables,
    settings: &Settings,
    share: f64,
) -> Result<Option<(usize, MemoryPlan)>, TrainError> {
    let Some(free) = kernel.device_free_bytes().filter(|_| kernel.takes_steps()) else { return Ok(None) };
    kernel.limit_device_bytes(Some((free as f64 * share) as usize));
    let mut planned = |points: usize| {
        let draw = Draw { interior: points, ..settings.draw(problem, 0) };
        let Ok(recipe) = recipe(problem, plan, tables, draw) else { return Ok(None) };
        let visits = Visits::Drawn { recipe: &recipe, first: 0, interval: settings.resample, step: 0 };
        kernel.plan_memory(visits)
    };
    let mut fault = None;
    let units = {
        let state = std::cell::RefCell::new((&mut planned, &mut fault));
        let fits = |units: usize| {
            let (planned, fault) = &mut *state.borrow_mut();
            match planned(units * UNIT) {
                Ok(plan) => plan.is_some_and(|plan| plan.chunks == 1),
                Err(error) => {
                    **fault = Some(error);
                    false
                }
            }
        };
        most(MOST / UNIT, &fits)
    };
    if let Some(error) = fault {
        return Err(error.into());
    }
    let Some(points) = units.map(|units| units * UNIT) else { return Ok(None) };
    Ok(planned(points)?.map(|plan| (points, plan)))
}
