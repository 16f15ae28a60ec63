// The only file that knows matrix instructions.
//
// A warp multiplies fragments of 16 rows by 8 columns. Lane 4g + t of a warp holds of the left factor the rows g and
// g + 8, of the right factor the column g, and of the result the columns 2t and 2t + 1 of rows g and g + 8.

// Numbers of 16 bits are bfloat16, or half precision where the emitter defines HALVES as 1.
#ifdef STAND_IN
inline unsigned pack_short(float low, float high) {
    return stand_in::pack_short<HALVES>(low, high);
}
inline void multiply_short(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    stand_in::multiply_short<HALVES>(d, a, b);
}
using stand_in::multiply_double;
using stand_in::multiply_tf32;
using stand_in::round_tf32;
using stand_in::load_fragments;
using stand_in::load_transposed;
using stand_in::add_to_memory;
using stand_in::reciprocal;
using stand_in::rsqrt;
using stand_in::write_shared;
#else
#if HALVES
#define SHORT "f16"
#else
#define SHORT "bf16"
#endif

// Two numbers rounded to 16 bits, the first in the lower half.
__device__ inline unsigned pack_short(float low, float high) {
    unsigned packed;
    asm("cvt.rn." SHORT "x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
    return packed;
}

__device__ inline void multiply_short(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32." SHORT "." SHORT ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// A number rounded to 10 binary digits behind the point.
__device__ inline unsigned round_tf32(float value) {
    unsigned rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(value));
    return rounded;
}

__device__ inline void multiply_tf32(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ inline void multiply_double(double (&d)[4], const double (&a)[2], double b) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(b));
#else
    for (int half = 0; half < 2; ++half)
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(d[2 * half]), "+d"(d[2 * half + 1])
                     : "d"(a[half]), "d"(b));
#endif
}

// One divided by a number, to the last digit or one beside it; sooner than by a division.
__device__ inline double reciprocal(double number) {
    double inverse;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(number));
    // A millionth is left; its cube is below rounding.
    const double left = fma(-number, inverse, 1.0);
    return fma(inverse, fma(left, left, left), inverse);
}

// Sixteen of the inner dimension: rows g and g + 8 of the left factor at t, t + 4, t + 8 and t + 12.
__device__ inline void multiply_double(double (&d)[4], const double (&a)[8], const double (&b)[4]) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
        "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
          "d"(b[2]), "d"(b[3]));
#else
    for (int part = 0; part < 4; ++part) {
        const double both[2] = {a[2 * part], a[2 * part + 1]};
        multiply_double(d, both, b[part]);
    }
#endif
}

// Adds some numbers to memory that no other thread touches.
__device__ inline void add_to_memory(float* to, const float (&value)[2]) {
    float2 own = *reinterpret_cast<float2*>(to);
    own.x += value[0];
    own.y += value[1];
    *reinterpret_cast<float2*>(to) = own;
}

__device__ inline void add_to_memory(float* to, const float (&value)[4]) {
    float4 own = *reinterpret_cast<float4*>(to);
    own.x += value[0];
    own.y += value[1];
    own.z += value[2];
    own.w += value[3];
    *reinterpret_cast<float4*>(to) = own;
}

template <int COUNT>
__device__ inline void add_to_memory(double* to, const double (&value)[COUNT]) {
#pragma unroll
    for (int half = 0; half < COUNT; half += 2) {
        double2 own = *reinterpret_cast<double2*>(to + half);
        own.x += value[half];
        own.y += value[half + 1];
        *reinterpret_cast<double2*>(to + half) = own;
    }
}

// What blocks tell each other: behind a read of what another block wrote everything is seen that it wrote before.
__device__ inline int read_shared(const int* from) {
    int value;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}

__device__ inline void write_shared(int* to, int value) {
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

// Four matrices of 8 by 8 bfloat16 numbers from shared memory; lane n names row n % 8 of matrix n / 8, which starts
// `offset` and `place(n)` cells behind `cells`. A lane is given the numbers 2t and 2t + 1 of row g of every matrix.
template <typename Place>
__device__ inline void load_fragments(unsigned (&parts)[4], const unsigned short* cells, int offset, Place place) {
    // In 32 bits, so that what does not change stays in one register and offsets go into the instruction.
    const unsigned start = static_cast<unsigned>(__cvta_generic_to_shared(cells)) + 2 * place(threadIdx.x % 32);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(parts[0]), "=r"(parts[1]), "=r"(parts[2]), "=r"(parts[3])
                 : "r"(start + 2 * offset));
}

// The same; a lane is given the number g of rows 2t and 2t + 1.
template <typename Place>
__device__ inline void load_transposed(unsigned (&parts)[4], const unsigned short* cells, int offset, Place place) {
    const unsigned start = static_cast<unsigned>(__cvta_generic_to_shared(cells)) + 2 * place(threadIdx.x % 32);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(parts[0]), "=r"(parts[1]), "=r"(parts[2]), "=r"(parts[3])
                 : "r"(start + 2 * offset));
}
#endif

#if GROUPED
// How the 8 by 8 cells of a right factor lie: along columns of the factor, or along its inner dimension.
enum Order { DOWNWARDS, ALONG };

#ifdef STAND_IN
using stand_in::Factor;
template <Order ORDER, int ACROSS>
void multiply_rows(float (&sum)[ACROSS][4], const unsigned (&left)[4], Factor right) {
    stand_in::multiply_rows<HALVES, ORDER == DOWNWARDS>(sum, left, right);
}
inline Factor factor(const unsigned short* cells, int inner, int outer) {
    return Factor{cells, inner, outer};
}
inline void begin_products() {}
inline void commit_products() {}
template <int UNDER_WAY>
inline void await_products() {}
#else
// What the instruction is told of a right factor in shared memory: sixteen of the inner dimension, in matrices of 8 by
// 8; the next one along the inner dimension is `inner` cells away, the next one along columns `outer`.
typedef unsigned long long Factor;
__device__ inline Factor factor(const unsigned short* cells, int inner, int outer) {
    const unsigned start = static_cast<unsigned>(__cvta_generic_to_shared(cells)) / 16;
    return static_cast<Factor>(outer / 8) << 32 | static_cast<unsigned>(inner / 8) << 16 | start;
}

__device__ inline void begin_products() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// Ends a group of products.
__device__ inline void commit_products() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until so many groups are under way at most, the last ones.
template <int UNDER_WAY>
__device__ inline void await_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(UNDER_WAY) : "memory");
}
#endif

// Keeps the compiler from moving what reads these sums to before this place.
template <int COUNT, int ACROSS>
__device__ inline void settle(float (&sum)[COUNT][ACROSS][4]) {
#ifndef STAND_IN
#pragma unroll
    for (int down = 0; down < COUNT; ++down)
#pragma unroll
        for (int tile = 0; tile < ACROSS; ++tile)
#pragma unroll
            for (int part = 0; part < 4; ++part) asm volatile("" : "+f"(sum[down][tile][part])::"memory");
#endif
}
#endif

// A barrier behind which products may read what was written to shared memory.
__device__ inline void publish_cells() {
#if GROUPED && !defined STAND_IN
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncthreads();
}

// The first and the second of two packed numbers.
#if HALVES
#ifdef STAND_IN
inline float first_of(unsigned packed) {
    return stand_in::half_value(packed & 0xffff);
}
inline float second_of(unsigned packed) {
    return stand_in::half_value(packed >> 16);
}
#else
__device__ inline float first_of(unsigned packed) {
    float value;
    asm("{\n.reg .f16 low, high;\nmov.b32 {low, high}, %1;\ncvt.f32.f16 %0, low;\n}" : "=f"(value) : "r"(packed));
    return value;
}
__device__ inline float second_of(unsigned packed) {
    float value;
    asm("{\n.reg .f16 low, high;\nmov.b32 {low, high}, %1;\ncvt.f32.f16 %0, high;\n}" : "=f"(value) : "r"(packed));
    return value;
}
#endif
#else
__device__ inline float first_of(unsigned packed) {
    return __uint_as_float(packed << 16);
}
__device__ inline float second_of(unsigned packed) {
    return __uint_as_float(packed & 0xffff0000u);
}
#endif

// The terms of two numbers, each pair packed into one word.
template <int COUNT>
__device__ inline void split(float low, float high, unsigned (&terms)[COUNT]) {
#pragma unroll
    for (int term = 0; term < COUNT; ++term) {
        terms[term] = pack_short(low, high);
        low -= first_of(terms[term]);
        high -= second_of(terms[term]);
    }
}

// A factor as matrix instructions take whole numbers: single precision is rounded to TF32.
__device__ inline float as_factor(float value) {
    return __uint_as_float(round_tf32(value));
}

__device__ inline double as_factor(double value) {
    return value;
}

// Sixteen of the inner dimension, of rounded single precision, as `multiply_double` has them of doubles.
__device__ inline void multiply_whole(float (&d)[4], const float (&a)[8], const float (&b)[4]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        unsigned left[4], right[2];
#pragma unroll
        for (int part = 0; part < 4; ++part) left[part] = __float_as_uint(a[4 * half + part]);
#pragma unroll
        for (int part = 0; part < 2; ++part) right[part] = __float_as_uint(b[2 * half + part]);
        multiply_tf32(d, left, right);
    }
}

__device__ inline void multiply_whole(double (&d)[4], const double (&a)[8], const double (&b)[4]) {
    multiply_double(d, a, b);
}
