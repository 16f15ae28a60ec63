//! What a phase takes on a device with memory of its own, in words and numbers.

use super::megabytes;
use kernel::cuda::MemoryPlan;
use serde_json::json;
use train::Note;

/// Tells of a plan.
pub fn device_note(plan: &MemoryPlan) -> Note {
    let MemoryPlan { kernels, rest, staging, chunks, blocks, limit, shortage, .. } = *plan;
    let pools = plan.pools.iter().filter(|(_, bytes)| *bytes > 0);
    let pools: Vec<(&str, usize)> = pools.map(|(purpose, bytes)| (purpose.name(), *bytes)).collect();
    let data = json!({
        "bytes": plan.bytes(),
        "pools": pools.iter().map(|(name, bytes)| json!({ "purpose": name, "bytes": bytes })).collect::<Vec<_>>(),
        "kernels": kernels,
        "rest": rest,
        "staging": staging,
        "chunks": chunks,
        "blocks": blocks,
        "limit": limit,
        "shortage": shortage,
    });
    Note { kind: "memory".to_owned(), lines: lines(plan, &pools), data }
}

fn lines(plan: &MemoryPlan, pools: &[(&str, usize)]) -> Vec<String> {
    let rest = Some(("rest of a page", plan.rest)).filter(|(_, bytes)| *bytes > 0);
    let kernels = Some(("kernels", plan.kernels)).filter(|(_, bytes)| *bytes > 0);
    let parts = pools.iter().copied().chain(rest).chain(kernels);
    let parts: Vec<String> = parts.map(|(name, bytes)| format!("{name} {}", megabytes(bytes))).collect();
    let (whole, staging) = (megabytes(plan.bytes()), megabytes(plan.staging));
    let mut lines = vec![format!("memory {whole}: {}; {staging} of the host's for copies", parts.join(", "))];
    if plan.chunks > 1 {
        lines.push(format!("points in {} chunks on {} blocks", plan.chunks, plan.blocks));
    }
    if plan.shortage {
        lines.push("warning: the GPU has less memory free than all points at once would take".to_owned());
    }
    lines
}
