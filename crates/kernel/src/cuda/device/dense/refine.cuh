// Steps with less damping than their factors have: conjugate gradients on the least-squares problem itself, which sees
// what the products of the rows' columns have lost to rounding, in the factor's terms (Björck 1996). One block of threads
// per candidate, where nothing else is said.

// What the rows are for the vectors in `from`, into `to`, or what is left of the residuals after them; a warp per row.
__device__ inline void multiply_along(const Arguments& arguments) {
    const long long row = static_cast<long long>(blockIdx.x) * WARPS + threadIdx.x / 32;
    if (row >= arguments.row_count) return;
    const double* own = arguments.rows + row * arguments.stride;
    double sum[4] = {};
#pragma unroll 4
    for (long long column = threadIdx.x % 32; column < arguments.size; column += 32) {
        const double number = own[column];
#pragma unroll
        for (int candidate = 0; candidate < 4; ++candidate)
            if (candidate < arguments.candidates)
                sum[candidate] += number * arguments.from[candidate * arguments.stride + column];
    }
#pragma unroll
    for (int candidate = 0; candidate < 4; ++candidate) {
        if (candidate >= arguments.candidates) break;
        const double total = warp_sum(sum[candidate]);
        if (threadIdx.x % 32 == 0)
            arguments.to[candidate * arguments.apart + row] = arguments.fresh ? own[arguments.size] - total : total;
    }
}

// How wrong the steps still are: parts of the rows times what is left are added up, and damping is taken off. A thread per
// number, into `to` and `kept`.
__device__ inline void remaining_slope(const Arguments& arguments) {
    const long long place = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
    const long long candidate = place / arguments.stride, column = place % arguments.stride;
    if (candidate >= arguments.candidates) return;
    double total = 0;
    if (column < arguments.size) {
        for (long long part = 0; part < arguments.parts; ++part)
            total += arguments.sums[(part * arguments.candidates + candidate) * arguments.stride + column];
        const double origin = arguments.pulled[candidate] * arguments.momentum[column];
        total -= arguments.added[candidate] * (arguments.step[place] - origin);
    }
    arguments.to[place] = arguments.kept[place] = total;
}

// The direction in which steps are lengthened: what the factor makes of the slope that is left, in `from`, and of the
// direction before, in `to`.
__device__ inline void turn_direction(const Arguments& arguments) {
    const int candidate = blockIdx.x;
    const double* slope = vector_of(arguments.kept, arguments, candidate);
    const double* next = vector_of(arguments.from, arguments, candidate);
    double* direction = vector_of(arguments.to, arguments, candidate);
    double size = 0;
    for (long long place = threadIdx.x; place < arguments.size; place += THREADS) size += slope[place] * next[place];
    size = block_sum(size);
    const double before = arguments.report[candidate], part = arguments.fresh ? 0 : size / before;
    for (long long place = threadIdx.x; place < arguments.size; place += THREADS)
        direction[place] = arguments.fresh ? next[place] : next[place] + part * direction[place];
    // Everybody has read the size before.
    __syncthreads();
    if (threadIdx.x != 0) return;
    arguments.report[candidate] = size;
    if (arguments.fresh) arguments.report[4 + candidate] = size;
}

// Lengthens steps along their directions, in `from`, whose products with the rows are in `along`, and takes those off what is
// left. Steps whose factors have their own damping are solutions already.
__device__ inline void lengthen_step(const Arguments& arguments) {
    const int candidate = blockIdx.x;
    if (!arguments.iterated && !(arguments.added[candidate] < arguments.damped[arguments.factor[candidate]])) return;
    const double* direction = vector_of(arguments.from, arguments, candidate);
    const double* along = arguments.along + candidate * arguments.apart;
    double* left = arguments.curved + candidate * arguments.apart;
    double* step = vector_of(arguments.step, arguments, candidate);
    double square = 0, curvature = 0;
    for (long long place = threadIdx.x; place < arguments.size; place += THREADS)
        square += direction[place] * direction[place];
#pragma unroll 8
    for (long long row = threadIdx.x; row < arguments.all_rows; row += THREADS) curvature += along[row] * along[row];
    curvature = block_sum(curvature) + arguments.added[candidate] * block_sum(square);
    const double size = arguments.report[candidate], length = size / curvature;
    // A slope of next to nothing leaves nothing to do.
    if (!(size > arguments.enough * arguments.report[4 + candidate] && curvature > 0)) return;
    for (long long place = threadIdx.x; place < arguments.size; place += THREADS) step[place] += length * direction[place];
#pragma unroll 8
    for (long long row = threadIdx.x; row < arguments.all_rows; row += THREADS) left[row] -= length * along[row];
}

// The square of what steps leave of the residuals.
__device__ inline void remaining_square(const Arguments& arguments) {
    const double* left = arguments.curved + blockIdx.x * arguments.apart;
    double square = 0;
    for (long long row = threadIdx.x; row < arguments.all_rows; row += THREADS) square += left[row] * left[row];
    square = block_sum(square);
    if (threadIdx.x == 0) arguments.report[8 + blockIdx.x] = square;
}
