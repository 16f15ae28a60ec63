// Solutions with a factor L, in one launch: L y = b from the first block of 64 numbers on, then L' x = y from the last on. A
// block of threads per block of numbers takes off what those before it say, as soon as they are there, and multiplies by the
// inverse of the block on the diagonal.

// The vector of a candidate.
__device__ inline double* vector_of(double* vectors, const Arguments& arguments, int candidate) {
    return vectors + candidate * arguments.stride;
}

// Waits for a block of numbers; all lanes of a warp do.
__device__ inline void await_numbers(const int* flag) {
    if (threadIdx.x % 32 == 0) {
#ifdef STAND_IN
        if (*flag == 0) std::abort();
#else
        while (read_shared(flag) == 0) {
        }
#endif
    }
    __syncwarp();
}

// Which candidate, which of its blocks in the order of the solution, and the flags of its half; those of the other half are
// cleared for the launch that comes next.
struct Turn {
    int candidate, number;
    int* flags;

    __device__ Turn(const Arguments& arguments, int half) {
        candidate = blockIdx.x % int(arguments.candidates);
        number = blockIdx.x / int(arguments.candidates);
        flags = solved_of(arguments, half, candidate);
        if (threadIdx.x == 0) solved_of(arguments, 1 - half, candidate)[number] = 0;
    }
};

// Numbers behind the parameters are no part of the solution.
__device__ inline void solve_forward(const Arguments& arguments) {
    __shared__ double right[BLOCK], parts[THREADS];
    const Turn turn(arguments, 0);
    const long long factor = arguments.factor[turn.candidate], first = static_cast<long long>(turn.number) * BLOCK;
    double* to = vector_of(arguments.to, arguments, turn.candidate);
    const int row = threadIdx.x / 4, t = threadIdx.x % 4, column = threadIdx.x % BLOCK, share = threadIdx.x / BLOCK;
    const double* corner = corner_of(arguments, factor, turn.number) + BLOCK * BLOCK + share * (BLOCK / 4) * BLOCK + column;
    const double* own = factor_of(arguments, factor) + (first + row) * arguments.stride + t;
    // On their way before they are needed.
    double inverse[BLOCK / 4], numbers[BLOCK / 4];
#pragma unroll
    for (int u = 0; u < BLOCK / 4; ++u) inverse[u] = corner[u * BLOCK];
    double sum = 0;
    for (int before = 0; before < turn.number; ++before) {
#pragma unroll
        for (int u = 0; u < BLOCK / 4; ++u) numbers[u] = own[before * BLOCK + 4 * u];
        await_numbers(turn.flags + before);
#pragma unroll
        for (int u = 0; u < BLOCK / 4; ++u) sum += numbers[u] * to[before * BLOCK + 4 * u + t];
    }
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    if (t == 0) right[row] = vector_of(arguments.from, arguments, turn.candidate)[first + row] - sum;
    __syncthreads();
    double total = 0;
#pragma unroll
    for (int u = 0; u < BLOCK / 4; ++u) total += inverse[u] * right[share * (BLOCK / 4) + u];
    parts[threadIdx.x] = total;
    __syncthreads();
    if (share == 0) {
        for (int other = 1; other < 4; ++other) total += parts[other * BLOCK + column];
        to[first + column] = first + column < arguments.size ? total : 0.0;
    }
    set_flag(turn.flags + turn.number);
}

__device__ inline void solve_backward(const Arguments& arguments) {
    __shared__ double right[BLOCK], parts[THREADS];
    const Turn turn(arguments, 1);
    const int blocks = column_blocks(arguments), block = blocks - 1 - turn.number;
    const long long factor = arguments.factor[turn.candidate], first = static_cast<long long>(block) * BLOCK;
    double* to = vector_of(arguments.to, arguments, turn.candidate);
    const int row = threadIdx.x / 4, t = threadIdx.x % 4, column = threadIdx.x % BLOCK, share = threadIdx.x / BLOCK;
    const double* corner = corner_of(arguments, factor, block) + (BLOCK + row) * BLOCK + t;
    const double* own =
        factor_of(arguments, factor) + static_cast<long long>(share) * (BLOCK / 4) * arguments.stride + first + column;
    double inverse[BLOCK / 4], numbers[BLOCK / 4];
#pragma unroll
    for (int u = 0; u < BLOCK / 4; ++u) inverse[u] = corner[4 * u];
    double sum = 0;
    for (int below = blocks - 1; below > block; --below) {
        const long long start = static_cast<long long>(below) * BLOCK;
#pragma unroll
        for (int u = 0; u < BLOCK / 4; ++u) numbers[u] = own[(start + u) * arguments.stride];
        await_numbers(turn.flags + blocks - 1 - below);
#pragma unroll
        for (int u = 0; u < BLOCK / 4; ++u) sum += numbers[u] * to[start + share * (BLOCK / 4) + u];
    }
    parts[threadIdx.x] = sum;
    __syncthreads();
    if (share == 0) {
        for (int other = 1; other < 4; ++other) sum += parts[other * BLOCK + column];
        right[column] = vector_of(arguments.from, arguments, turn.candidate)[first + column] - sum;
    }
    __syncthreads();
    double total = 0;
#pragma unroll
    for (int u = 0; u < BLOCK / 4; ++u) total += inverse[u] * right[4 * u + t];
    total += __shfl_xor_sync(0xffffffffu, total, 1);
    total += __shfl_xor_sync(0xffffffffu, total, 2);
    if (t == 0) to[first + row] = total;
    set_flag(turn.flags + turn.number);
}
