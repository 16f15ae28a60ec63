// Runs CUDA kernels on the processor: the threads of a block are fibers that take turns at barriers, blocks run one
// after the other. Slow and single-threaded; for checking kernels where there is no GPU.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <ucontext.h>

#define STAND_IN 1
#define __device__
#define GIVEN __attribute__((visibility("default")))
#define __global__
#define __shared__ static
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
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
static Dimensions threadIdx, blockIdx;
static Dimensions gridDim;

namespace stand_in {
enum State { RUNNING, AT_BLOCK, AT_WARP, DONE };
constexpr int COUNT = 512;
// Threads of the present block.
static int count;
constexpr size_t STACK = 128 * 1024;
static State states[COUNT];
static uint64_t exchanged[COUNT];
static void (*body)();

#ifdef __x86_64__
// The system's way of switching asks the kernel about signals every time. A fiber is its stack pointer; what a call
// must preserve lies on its stack.
typedef void* Fiber;
__attribute__((naked, noinline)) static void change(Fiber*, Fiber) {
    asm("pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
        "movq %rsp, (%rdi)\n movq %rsi, %rsp\n"
        "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n ret");
}
inline void switch_fibers(Fiber& from, Fiber& to) {
    change(&from, to);
}
inline void prepare(Fiber& fiber, char* stack, size_t size, void (*function)()) {
    // Six registers, the function, and a return address that is never used: calls find their stack aligned.
    void** top = reinterpret_cast<void**>(reinterpret_cast<uintptr_t>(stack + size) / 16 * 16) - 8;
    std::memset(top, 0, 8 * sizeof *top);
    top[6] = reinterpret_cast<void*>(function);
    fiber = top;
}
#else
typedef ucontext_t Fiber;
inline void switch_fibers(Fiber& from, Fiber& to) {
    swapcontext(&from, &to);
}
inline void prepare(Fiber& fiber, char* stack, size_t size, void (*function)()) {
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = size;
    fiber.uc_link = nullptr;
    makecontext(&fiber, function, 0);
}
#endif

static Fiber scheduler, fibers[COUNT];

inline void pause(State state) {
    const unsigned own = threadIdx.x;
    states[own] = state;
    switch_fibers(fibers[own], scheduler);
}

inline void start() {
    body();
    states[threadIdx.x] = DONE;
    switch_fibers(fibers[threadIdx.x], scheduler);
}

inline void run_block(void (*kernel)()) {
    static std::unique_ptr<char[]> stacks(new char[COUNT * STACK]);
    body = kernel;
    for (int fiber = 0; fiber < count; ++fiber) {
        prepare(fibers[fiber], stacks.get() + fiber * STACK, STACK, start);
        states[fiber] = RUNNING;
    }
    for (;;) {
        int done = 0, at_block = 0;
        for (int fiber = 0; fiber < count; ++fiber) {
            if (states[fiber] == RUNNING) {
                threadIdx.x = fiber;
                switch_fibers(scheduler, fibers[fiber]);
            }
            done += states[fiber] == DONE;
            at_block += states[fiber] == AT_BLOCK;
        }
        if (done == count) return;
        bool moved = false;
        for (int warp = 0; warp < count; warp += 32) {
            int waiting = 0;
            for (int lane = 0; lane < 32; ++lane) waiting += states[warp + lane] == AT_WARP;
            if (waiting == 32) {
                for (int lane = 0; lane < 32; ++lane) states[warp + lane] = RUNNING;
                moved = true;
            }
        }
        if (moved) continue;
        if (at_block != count) {
            std::fprintf(stderr, "a barrier that not all threads reach\n");
            std::abort();
        }
        for (int fiber = 0; fiber < count; ++fiber) states[fiber] = RUNNING;
    }
}

// Threads that leave a kernel early would make every later barrier undefined on a GPU as well, so there are none.
template <typename Arguments, void (*kernel)(Arguments)>
void run(const void* arguments, unsigned blocks, int threads) {
    static Arguments own;
    count = threads;
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

inline void __syncwarp() {
    stand_in::pause(stand_in::AT_WARP);
}

inline double __dadd_rn(double a, double b) {
    return a + b;
}

inline double __dmul_rn(double a, double b) {
    return a * b;
}

inline unsigned __float_as_uint(float value) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline long long __double_as_longlong(double value) {
    long long bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline double __longlong_as_double(long long bits) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline float __uint_as_float(unsigned bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// What the thread `from` shows.
template <typename Value>
Value exchange(Value value, unsigned from) {
    std::memcpy(&stand_in::exchanged[threadIdx.x], &value, sizeof value);
    stand_in::pause(stand_in::AT_WARP);
    Value other;
    std::memcpy(&other, &stand_in::exchanged[from], sizeof other);
    stand_in::pause(stand_in::AT_WARP);
    return other;
}

template <typename Value>
Value __shfl_xor_sync(unsigned, Value value, int distance) {
    return exchange(value, threadIdx.x ^ distance);
}

template <typename Value>
Value __shfl_sync(unsigned, Value value, int lane) {
    return exchange(value, threadIdx.x / 32 * 32 + lane);
}

// Matrix instructions: every lane shows its fragments to its warp, then computes its own part of the result.
namespace stand_in {
// IEEE half precision, to the nearest, ties to even; what is too small becomes a multiple of 2^-24.
inline unsigned half_bits(float value) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    const unsigned sign = bits >> 16 & 0x8000;
    const double size = std::fabs(double(value));
    if (std::isnan(value)) return sign | 0x7e00;
    if (size >= 65520) return sign | 0x7c00;
    int exponent;
    std::frexp(size, &exponent);
    if (size < 0x1p-14) return sign | unsigned(std::nearbyint(size * 0x1p24));
    // Rounding up to the next power of two carries into the exponent, as it should.
    return sign | (unsigned(exponent + 14 - 1) * 1024 + unsigned(std::nearbyint(std::ldexp(size, 11 - exponent))));
}

inline float half_value(unsigned bits) {
    const int exponent = bits >> 10 & 31;
    const float fraction = float(bits & 1023), sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

template <bool HALF>
unsigned pack_short(float low, float high) {
    auto rounded = [](float value) {
        if (HALF) return half_bits(value);
        unsigned bits;
        std::memcpy(&bits, &value, sizeof bits);
        if (std::isnan(value)) return bits >> 16 | 0x40;
        return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    };
    return rounded(low) | rounded(high) << 16;
}

template <bool HALF>
void multiply_short(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    static unsigned left[COUNT][4], right[COUNT][2];
    const unsigned own = threadIdx.x, warp = own / 32 * 32, g = own % 32 / 4, t = own % 4;
    std::memcpy(left[own], a, sizeof a);
    std::memcpy(right[own], b, sizeof b);
    pause(AT_WARP);
    auto half = [](unsigned word, int k) {
        if (HALF) return half_value(k % 2 ? word >> 16 : word & 0xffff);
        return __uint_as_float(k % 2 ? word & 0xffff0000u : word << 16);
    };
    for (int place = 0; place < 4; ++place) {
        const unsigned row = g + place / 2 * 8, column = 2 * t + place % 2;
        float sum = d[place];
        for (int k = 0; k < 16; ++k) {
            const unsigned word = row / 8 + k / 8 * 2;
            sum += half(left[warp + row % 8 * 4 + k % 8 / 2][word], k) * half(right[warp + column * 4 + k % 8 / 2][k / 8], k);
        }
        d[place] = sum;
    }
    pause(AT_WARP);
}

// A right factor in shared memory, as matrices of 8 by 8 cells.
struct Factor {
    const unsigned short* cells;
    int inner, outer;
};

template <bool HALF, bool DOWNWARDS, int ACROSS>
void multiply_rows(float (&sum)[ACROSS][4], const unsigned (&left)[4], Factor right) {
    for (int tile = 0; tile < ACROSS; ++tile) {
        const unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
        unsigned parts[2];
        for (int half = 0; half < 2; ++half) {
            const unsigned short* matrix = right.cells + half * right.inner + tile * right.outer;
            const unsigned low = DOWNWARDS ? 2 * t * 8 + g : g * 8 + 2 * t;
            parts[half] = matrix[low] | unsigned(matrix[low + (DOWNWARDS ? 8 : 1)]) << 16;
        }
        multiply_short<HALF>(sum[tile], left, parts);
    }
}

inline unsigned round_tf32(float value) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    return std::isfinite(value) ? (bits + 0x1000) & ~0x1fffu : bits;
}

inline void multiply_tf32(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    static unsigned left[COUNT][4], right[COUNT][2];
    const unsigned own = threadIdx.x, warp = own / 32 * 32, g = own % 32 / 4, t = own % 4;
    std::memcpy(left[own], a, sizeof a);
    std::memcpy(right[own], b, sizeof b);
    pause(AT_WARP);
    for (int place = 0; place < 4; ++place) {
        const unsigned column = 2 * t + place % 2;
        for (int k = 0; k < 8; ++k)
            d[place] += __uint_as_float(left[warp + g * 4 + k % 4][place / 2 + k / 4 * 2]) *
                        __uint_as_float(right[warp + column * 4 + k % 4][k / 4]);
    }
    pause(AT_WARP);
}

inline void multiply_double(double (&d)[4], const double (&a)[2], double b) {
    static double left[COUNT][2], right[COUNT];
    const unsigned own = threadIdx.x, warp = own / 32 * 32, g = own % 32 / 4, t = own % 4;
    std::memcpy(left[own], a, sizeof a);
    right[own] = b;
    pause(AT_WARP);
    for (int place = 0; place < 4; ++place)
        for (int k = 0; k < 4; ++k) d[place] += left[warp + g * 4 + k][place / 2] * right[warp + (2 * t + place % 2) * 4 + k];
    pause(AT_WARP);
}

inline double reciprocal(double number) {
    return 1 / number;
}

inline double rsqrt(double number) {
    return 1 / std::sqrt(number);
}

inline void write_shared(int* to, int value) {
    *to = value;
}

// Sixteen of the inner dimension: rows g and g + 8 of the left factor at t, t + 4, t + 8 and t + 12.
inline void multiply_double(double (&d)[4], const double (&a)[8], const double (&b)[4]) {
    for (int part = 0; part < 4; ++part) {
        const double both[2] = {a[2 * part], a[2 * part + 1]};
        multiply_double(d, both, b[part]);
    }
}

template <typename Number, int COUNT_ADDED>
void add_to_memory(Number* to, const Number (&value)[COUNT_ADDED]) {
    for (int part = 0; part < COUNT_ADDED; ++part) to[part] += value[part];
}

// Every lane can tell where the rows of the others are.
template <typename Place>
void load_fragments(unsigned (&parts)[4], const unsigned short* cells, int offset, Place place) {
    const unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    for (int matrix = 0; matrix < 4; ++matrix)
        std::memcpy(&parts[matrix], cells + offset + place(8 * matrix + g) + 2 * t, sizeof(unsigned));
}

template <typename Place>
void load_transposed(unsigned (&parts)[4], const unsigned short* cells, int offset, Place place) {
    const unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    for (int matrix = 0; matrix < 4; ++matrix) {
        const unsigned short* from = cells + offset + g;
        parts[matrix] = from[place(8 * matrix + 2 * t)] | unsigned(from[place(8 * matrix + 2 * t + 1)]) << 16;
    }
}
}  // namespace stand_in
