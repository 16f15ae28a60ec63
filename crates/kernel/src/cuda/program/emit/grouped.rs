//! The matrix instruction of four warps: its text names every register, so there is one function per number of columns.

use super::INSTRUCTIONS;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What the instruction of four warps needs besides `device/shared/instructions.cuh`, which is in the text as well: functions
/// for these numbers of tiles of 8 columns. Only Hopper has it (compute capability 9.0a).
pub(super) fn instructions(grouped: bool, counts: impl Iterator<Item = usize>) -> String {
    let mut text = String::from("#define GROUPED 0\n");
    if grouped {
        text = String::from(
            "#if defined STAND_IN || defined __CUDA_ARCH_FEAT_SM90_ALL\n#define GROUPED 1\n#else\n#define GROUPED 0\n#endif\n",
        );
    }
    text.push('\n');
    text += INSTRUCTIONS;
    if grouped {
        text += "\n// Adds left times right. Every warp gives its sixteen rows.\n#if GROUPED && !defined STAND_IN\n";
        counts.collect::<BTreeSet<usize>>().into_iter().for_each(|count| text += &multiply_rows(count));
        text += "#endif\n";
    }
    text
}

fn multiply_rows(count: usize) -> String {
    let list = |each: &dyn Fn(usize) -> String, range: std::ops::Range<usize>| {
        range.map(each).collect::<Vec<String>>().join(", ")
    };
    let (sums, register) = (4 * count, |place: usize| format!("%{place}"));
    let mut text = String::from("template <Order ORDER>\n__device__ inline void multiply_rows(");
    _ = write!(
        text,
        "float (&sum)[{count}][4], const unsigned (&left)[4], Factor right) {{\n\
         \x20   asm volatile(\"wgmma.mma_async.sync.aligned.m64n{}k16.f32.\" SHORT \".\" SHORT \" {{{}}}, {{{}}}, %{}, 1, 1, 1, %{};\"\n\
         \x20                : {}\n\
         \x20                : \"r\"(left[0]), \"r\"(left[1]), \"r\"(left[2]), \"r\"(left[3]), \"l\"(right), \"n\"(ORDER == DOWNWARDS));\n\
         }}\n",
        8 * count,
        list(&register, 0..sums),
        list(&register, sums..sums + 4),
        sums + 4,
        sums + 5,
        list(&|place| format!("\"+f\"(sum[{}][{}])", place / 4, place % 4), 0..sums),
    );
    text
}
