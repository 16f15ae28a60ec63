// Solutions with a factor L, a block of columns per launch: L y = b from the first on, then L' x = y from the last on.
// Every block of threads solves with the block on the diagonal, and takes the solution's share off its own 64 numbers.

// The vector of a candidate.
__device__ inline double* vector_of(double* vectors, const Arguments& arguments, int candidate) {
    return vectors + candidate * arguments.stride;
}

// Solves with the block on the diagonal, or its transpose, by one warp; all threads see the result.
template <bool TRANSPOSED>
__device__ inline void solve_corner(const double* corner, const double* from, double (&solution)[BLOCK]) {
    __shared__ double lower[BLOCK * BLOCK_STRIDE];
    for (int place = threadIdx.x; place < BLOCK * BLOCK; place += THREADS)
        lower[place / BLOCK * BLOCK_STRIDE + place % BLOCK] = corner[place];
    __syncthreads();
    if (threadIdx.x < 32) {
        const int lane = threadIdx.x;
        // Where row and column are in memory, and the order of rows.
        auto at = [&](int row, int column) {
            return TRANSPOSED ? lower[column * BLOCK_STRIDE + row] : lower[row * BLOCK_STRIDE + column];
        };
        double own[2], inverse[2];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            own[half] = from[32 * half + lane];
            inverse[half] = 1 / at(32 * half + lane, 32 * half + lane);
        }
#pragma unroll
        for (int turn = 0; turn < 2; ++turn) {
            const int half = TRANSPOSED ? 1 - turn : turn;
            for (int count = 0; count < 32; ++count) {
                const int owner = TRANSPOSED ? 31 - count : count, column = 32 * half + owner;
                const double solved = __shfl_sync(0xffffffffu, own[half] * inverse[half], owner);
                if (lane == owner) own[half] = solved;
                if (TRANSPOSED ? lane < owner : lane > owner) own[half] -= solved * at(32 * half + lane, column);
                if (turn == 0) own[1 - half] -= solved * at(32 * (1 - half) + lane, column);
            }
        }
#pragma unroll
        for (int half = 0; half < 2; ++half) solution[32 * half + lane] = own[half];
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
    solve_corner<false>(corner_of(arguments, candidate), from, solution);
    if (down == 0) {
        double* to = vector_of(arguments.to, arguments, candidate) + first;
        if (threadIdx.x < BLOCK) to[threadIdx.x] = first + threadIdx.x < arguments.size ? solution[threadIdx.x] : 0.0;
        return;
    }
    const int row = threadIdx.x / 4, t = threadIdx.x % 4;
    const double* own = factor_of(arguments, candidate) + (first + down * BLOCK + row) * arguments.stride + first;
    double sum = 0;
#pragma unroll
    for (int u = 0; u < BLOCK / 4; ++u) sum += own[4 * u + t] * solution[4 * u + t];
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
    solve_corner<true>(corner_of(arguments, candidate), from + first, solution);
    if (left == int(arguments.column)) {
        if (threadIdx.x < BLOCK) vector_of(arguments.to, arguments, candidate)[first + threadIdx.x] = solution[threadIdx.x];
        return;
    }
    const int column = threadIdx.x % BLOCK, share = threadIdx.x / BLOCK;
    const double* own = factor_of(arguments, candidate) + first * arguments.stride + left * BLOCK + column;
    double sum = 0;
#pragma unroll
    for (int row = share * (BLOCK / 4); row < (share + 1) * (BLOCK / 4); ++row)
        sum += own[row * arguments.stride] * solution[row];
    parts[threadIdx.x] = sum;
    __syncthreads();
    if (share == 0) {
        for (int other = 1; other < 4; ++other) sum += parts[other * BLOCK + column];
        from[left * BLOCK + column] -= sum;
    }
}
