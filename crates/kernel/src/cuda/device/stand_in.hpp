// Runs CUDA kernels on the processor: the threads of a block are fibers that take turns at barriers, blocks run one
// after the other. Slow and single-threaded; for checking kernels where there is no GPU.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#include <vector>

#define STAND_IN 1
#define __device__
#define __global__
#define __shared__ static
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __restrict__

using std::copysign;
using std::erf;
using std::erfc;
using std::exp;
using std::expm1;
using std::fabs;
using std::fmax;
using std::fmin;

inline void sincos(float x, float* sine, float* cosine) {
    *sine = std::sin(x);
    *cosine = std::cos(x);
}

struct Dimensions {
    unsigned x;
};
static Dimensions threadIdx, blockIdx, gridDim;

namespace stand_in {
enum State { RUNNING, AT_BLOCK, AT_WARP, DONE };
constexpr int COUNT = 256;
constexpr size_t STACK = 256 * 1024;
static ucontext_t scheduler, fibers[COUNT];
static State states[COUNT];
static uint64_t exchanged[COUNT];
static void (*body)();

inline void pause(State state) {
    const unsigned own = threadIdx.x;
    states[own] = state;
    swapcontext(&fibers[own], &scheduler);
}

inline void start() {
    body();
    states[threadIdx.x] = DONE;
    swapcontext(&fibers[threadIdx.x], &scheduler);
}

inline void run_block(void (*kernel)()) {
    static std::vector<char> stacks(COUNT * STACK);
    body = kernel;
    for (int fiber = 0; fiber < COUNT; ++fiber) {
        getcontext(&fibers[fiber]);
        fibers[fiber].uc_stack.ss_sp = stacks.data() + fiber * STACK;
        fibers[fiber].uc_stack.ss_size = STACK;
        fibers[fiber].uc_link = nullptr;
        makecontext(&fibers[fiber], start, 0);
        states[fiber] = RUNNING;
    }
    for (;;) {
        int done = 0, at_block = 0;
        for (int fiber = 0; fiber < COUNT; ++fiber) {
            if (states[fiber] == RUNNING) {
                threadIdx.x = fiber;
                swapcontext(&scheduler, &fibers[fiber]);
            }
            done += states[fiber] == DONE;
            at_block += states[fiber] == AT_BLOCK;
        }
        if (done == COUNT) return;
        bool moved = false;
        for (int warp = 0; warp < COUNT; warp += 32) {
            int waiting = 0;
            for (int lane = 0; lane < 32; ++lane) waiting += states[warp + lane] == AT_WARP;
            if (waiting == 32) {
                for (int lane = 0; lane < 32; ++lane) states[warp + lane] = RUNNING;
                moved = true;
            }
        }
        if (moved) continue;
        if (at_block != COUNT) {
            std::fprintf(stderr, "a barrier that not all threads reach\n");
            std::abort();
        }
        for (int fiber = 0; fiber < COUNT; ++fiber) states[fiber] = RUNNING;
    }
}

// Threads that leave a kernel early would make every later barrier undefined on a GPU as well, so there are none.
template <typename Arguments, void (*kernel)(Arguments)>
void run(const void* arguments, unsigned blocks) {
    static Arguments own;
    std::memcpy(&own, arguments, sizeof own);
    gridDim.x = blocks;
    for (unsigned block = 0; block < blocks; ++block) {
        blockIdx.x = block;
        run_block([] { kernel(own); });
    }
}
}  // namespace stand_in

inline void __syncthreads() {
    stand_in::pause(stand_in::AT_BLOCK);
}

template <typename Value>
Value __shfl_xor_sync(unsigned, Value value, int distance) {
    const unsigned own = threadIdx.x;
    std::memcpy(&stand_in::exchanged[own], &value, sizeof value);
    stand_in::pause(stand_in::AT_WARP);
    Value other;
    std::memcpy(&other, &stand_in::exchanged[own ^ distance], sizeof other);
    stand_in::pause(stand_in::AT_WARP);
    return other;
}
