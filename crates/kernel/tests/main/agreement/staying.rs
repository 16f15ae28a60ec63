//! What it means that equations stay on a device while other calls come between their parts.

use crate::cases::{Case, parameters, points};
use crate::weighing::over;
use kernel::cuda::{CompileMode, CudaError, MemoryPlan};
use kernel::{Kernel, KernelError, Points, TriedSums, Visits};
use linear::{Attempt, Course, Unknowns};

const FORM: Unknowns = Unknowns::Parameters;

/// Steps by the equations that are there, and where they end.
fn steps(
    kernel: &mut Kernel,
    points: &[Points],
    mean: f64,
) -> Result<(Vec<TriedSums>, Vec<f64>), KernelError> {
    let attempt = |momentum: bool| Attempt { added: 0.1 * mean, factored: 0.1 * mean, momentum };
    let course = Course::corrected(FORM, mean);
    let tried = kernel.try_steps(points, &[false, true].map(attempt), course)?;
    let mut ends = vec![0.0; 4 * kernel.plan().parameter_count()];
    for (number, end) in ends.chunks_exact_mut(kernel.plan().parameter_count()).enumerate() {
        kernel.take_step(number, end)?;
    }
    Ok((tried, ends))
}

/// Gradients, whole steps and plans leave equations where they are: steps by them have the same bits. Where both have no room
/// equations go, and nobody takes more than the limit.
pub(crate) fn staying_equations(case: &Case, kernel: &mut Kernel, count: usize) {
    let (points, parameters) = (points(case, count), parameters(case));
    let all = over(&case.plan, &points);
    let linearized =
        |kernel: &mut Kernel| kernel.linearize(all, &parameters, Some(&parameters), FORM).expect("room").mean;
    let planned = |kernel: &mut Kernel| {
        kernel.plan_memory(Visits::Points(&points)).expect("arguments that fit").expect("memory of its own")
    };
    let bytes = |plan: &MemoryPlan| plan.bytes() - plan.kernels - plan.rest;
    let mean = linearized(kernel);
    let wanted = steps(kernel, &points, mean).expect("equations");
    let equations = kernel.device_bytes();
    let plan = planned(kernel);
    assert_eq!(kernel.device_bytes(), equations, "nothing is taken or given back for a plan");

    let mut gradient = vec![0.0; parameters.len()];
    let squares = kernel.evaluate(all, &parameters, &mut gradient).expect("room").clone();
    super::three_steps(kernel, Visits::Points(&points), &parameters);
    assert_eq!(kernel.device_bytes(), equations + bytes(&plan), "{}: both are there", case.name);
    assert_eq!(bytes(&planned(kernel)), bytes(&plan), "the plan is exact, whatever else is there");
    assert_eq!(steps(kernel, &points, mean).expect("equations that stayed"), wanted, "other bits");
    assert_eq!(linearized(kernel), mean);
    assert_eq!(kernel.device_bytes(), equations + bytes(&plan), "their place is taken again");

    // Steps the ordinary way take so much that there is no room for both.
    kernel.set_compile_mode(CompileMode::Off);
    let needed = bytes(&planned(kernel));
    let after = super::three_steps(kernel, Visits::Points(&points), &parameters);
    let limit = needed.max(equations / 3 * 4 + 256);
    kernel.limit_device_bytes(Some(limit));
    linearized(kernel);
    assert_eq!(steps(kernel, &points, mean).expect("equations"), wanted);
    assert_eq!(super::three_steps(kernel, Visits::Points(&points), &parameters), after);
    assert_eq!(kernel.device_bytes(), needed, "{}: equations went, and nothing else", case.name);
    assert_eq!(steps(kernel, &points, mean), Err(KernelError::Cuda(CudaError::NoEquations)));
    kernel.limit_device_bytes(None);
    kernel.set_compile_mode(CompileMode::default());
    linearized(kernel);
    assert_eq!(steps(kernel, &points, mean).expect("equations"), wanted);
    let mut again = vec![0.0; parameters.len()];
    assert_eq!(*kernel.evaluate(all, &parameters, &mut again).expect("room"), squares);
    assert_eq!(again, gradient);
}
