//! A step of training allocates nothing once it is warm.

#[expect(dead_code, reason = "shared with tests that compare engines")]
#[path = "main/cases/mod.rs"]
mod cases;
#[expect(dead_code, reason = "shared with tests that compare engines")]
#[path = "main/weighing/mod.rs"]
mod weighing;

use cases::{case, parameters, points};
use kernel::{Device, Kernel, Precision};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use weighing::over;

/// Counts calls and passes them on.
struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are the ones that are needed.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above, that is, from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_warm_step_allocates_nothing() {
    let files = ["burgers.toml", "inverse.toml", "navier-stokes.toml", "allen-cahn.toml"];
    let wired = ["network.kind=piratenet", "network.kind=separable"].map(|kind| ("inverse.toml", kind));
    for (file, kind) in files.map(|file| (file, "network.kind=mlp")).into_iter().chain(wired) {
        let case = case(file, &["network.width=24", kind]);
        let (points, mut parameters) = (points(&case, 2000), parameters(&case));
        let (mut gradient, over) = (vec![0.0; parameters.len()], over(&case.plan, &points));
        let mut kernel = Kernel::compile(&case.plan, Device::Cpu, Precision::F32).expect("a kernel");
        let mut step = |kernel: &mut Kernel| {
            kernel.evaluate(over, &parameters, &mut gradient).expect("arguments that fit");
            parameters.iter_mut().zip(&gradient).for_each(|(parameter, slope)| *parameter -= 1e-4 * slope);
        };
        // Threads and their queues come into being during the first steps.
        (0..20).for_each(|_| step(&mut kernel));
        let before = CALLS.load(Ordering::Relaxed);
        (0..20).for_each(|_| step(&mut kernel));
        let calls = CALLS.load(Ordering::Relaxed) - before;
        // The thread pool's job queue grows by a block of 63 entries now and then: not per step.
        assert!(calls <= 2, "{file}: {calls} allocations in 20 steps");
    }
}
