// Solutions with a factor L, a block of columns per launch: L y = b from the first on, then L' x = y from the last on.
// Every block of threads multiplies by the inverse of the block on the diagonal, and takes the solution's share off its own 64 numbers.

// The vector of a candidate.
__device__ inline double* vector_of(double* vectors, const Arguments& arguments, int candidate) {
    return vectors + candidate * arguments.stride;
}

// Multiplies by the inverse of the block on the diagonal, or by its transpose; all threads see the result.
template <bool TRANSPOSED>
__device__ inline void solve_corner(const double* corner, const double* from, double (&solution)[BLOCK]) {
    __shared__ double parts[THREADS];
    const double* inverse = corner + BLOCK * BLOCK;
    double sum = 0;
    if (TRANSPOSED) {
        const int row = threadIdx.x / 4, t = threadIdx.x % 4;
#pragma unroll
        for (int u = 0; u < BLOCK / 4; ++u) sum += inverse[row * BLOCK + 4 * u + t] * from[4 * u + t];
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        if (t == 0) solution[row] = sum;
    } else {
        const int column = threadIdx.x % BLOCK, share = threadIdx.x / BLOCK;
#pragma unroll
        for (int u = 0; u < BLOCK / 4; ++u) {
            const int row = share * (BLOCK / 4) + u;
            sum += inverse[row * BLOCK + column] * from[row];
        }
        parts[threadIdx.x] = sum;
        __syncthreads();
        if (share == 0) {
            for (int other = 1; other < 4; ++other) sum += parts[other * BLOCK + column];
            solution[column] = sum;
        }
    }
    __syncthreads();
}

// Rows below the block at hand; numbers behind the parameters are no part of the solution.
__device__ inline void solve_forward(const Arguments& arguments) {
    __shared__ double solution[BLOCK];
    const int below = column_blocks(arguments) - int(arguments.column);
    const int candidate = blockIdx.x / below, down = blockIdx.x % below;
    const long long first = arguments.column * BLOCK;
    double* from = vector_of(arguments.from, arguments, candidate) + first;
    const int row = threadIdx.x / 4, t = threadIdx.x % 4;
    // On their way while the block on the diagonal is solved with; in the first block they are not used.
    const double* own = factor_of(arguments, arguments.factor[candidate]) + (first + down * BLOCK + row) * arguments.stride + first;
    double numbers[BLOCK / 4];
#pragma unroll
    for (int u = 0; u < BLOCK / 4; ++u) numbers[u] = own[4 * u + t];
    solve_corner<false>(corner_of(arguments, arguments.factor[candidate]), from, solution);
    if (down == 0) {
        double* to = vector_of(arguments.to, arguments, candidate) + first;
        if (threadIdx.x < BLOCK) to[threadIdx.x] = first + threadIdx.x < arguments.size ? solution[threadIdx.x] : 0.0;
        return;
    }
    double sum = 0;
#pragma unroll
    for (int u = 0; u < BLOCK / 4; ++u) sum += numbers[u] * solution[4 * u + t];
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    if (t == 0) from[down * BLOCK + row] -= sum;
}

// Columns left of the block at hand.
__device__ inline void solve_backward(const Arguments& arguments) {
    __shared__ double solution[BLOCK], parts[THREADS];
    const int blocks = int(arguments.column) + 1, candidate = blockIdx.x / blocks, left = blockIdx.x % blocks;
    const long long first = arguments.column * BLOCK;
    double* from = vector_of(arguments.from, arguments, candidate);
    const int column = threadIdx.x % BLOCK, share = threadIdx.x / BLOCK;
    const double* own = factor_of(arguments, arguments.factor[candidate]) + (first + share * (BLOCK / 4)) * arguments.stride + left * BLOCK + column;
    double numbers[BLOCK / 4];
#pragma unroll
    for (int u = 0; u < BLOCK / 4; ++u) numbers[u] = own[u * arguments.stride];
    solve_corner<true>(corner_of(arguments, arguments.factor[candidate]), from + first, solution);
    if (left == int(arguments.column)) {
        if (threadIdx.x < BLOCK) vector_of(arguments.to, arguments, candidate)[first + threadIdx.x] = solution[threadIdx.x];
        return;
    }
    double sum = 0;
#pragma unroll
    for (int u = 0; u < BLOCK / 4; ++u) sum += numbers[u] * solution[share * (BLOCK / 4) + u];
    parts[threadIdx.x] = sum;
    __syncthreads();
    if (share == 0) {
        for (int other = 1; other < 4; ++other) sum += parts[other * BLOCK + column];
        from[left * BLOCK + column] -= sum;
    }
}
