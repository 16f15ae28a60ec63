// What all kernels share: the block's shape, 16-byte pieces, copies that run ahead of the arithmetic.
// `number` (float or double), THREADS and the sizes of the plan are defined by the emitter in front of this text.

// Tables that the host sets.
#ifndef GIVEN
#define GIVEN __device__
#endif

constexpr int WARPS = THREADS / 32;
// Numbers in 16 bytes.
constexpr int LANES = 16 / sizeof(number);
// Numbers of the inner dimension that are staged at a time.
constexpr int DEPTH = sizeof(number) == 4 ? 16 : 8;

struct alignas(16) Piece {
    number lane[LANES];
};

// One block's staging memory; every function that uses it leaves it free behind a barrier.
__device__ inline number* workspace() {
    alignas(16) __shared__ unsigned char bytes[WORKSPACE_BYTES];
    return reinterpret_cast<number*>(bytes);
}

// Copies 16 bytes into shared memory, or clears them; complete only after `await_copies`.
__device__ inline void copy_ahead(number* to, const number* from, bool valid) {
#ifdef STAND_IN
    for (int lane = 0; lane < LANES; ++lane) to[lane] = valid ? from[lane] : number(0);
#else
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    int bytes = valid ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
#endif
}

__device__ inline void await_copies() {
#ifndef STAND_IN
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// The sum of a value over the lanes of a warp, in a fixed order; every lane has it.
template <typename Value>
__device__ inline Value warp_sum(Value value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
    return value;
}

// Raises a word of shared memory to the largest of the lanes' sizes, as bits: those of sizes are in the order of sizes.
__device__ inline void raise(unsigned* to, float size) {
#ifdef STAND_IN
    for (int distance = 16; distance > 0; distance /= 2) {
        const float other = __shfl_xor_sync(0xffffffffu, size, distance);
        size = other > size ? other : size;
    }
    if (__float_as_uint(size) > *to) *to = __float_as_uint(size);
#else
    const unsigned largest = __reduce_max_sync(0xffffffffu, __float_as_uint(size));
    if (threadIdx.x % 32 == 0) atomicMax(to, largest);
#endif
}

__device__ inline number sign_of(number x) {
    return x > number(0) ? number(1) : x < number(0) ? number(-1) : x;
}

// What becomes of what a product writes over.
enum Start { REPLACE, ADD };
