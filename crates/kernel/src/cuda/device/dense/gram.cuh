// Where there are fewer rows than parameters: the products of rows with each other, JJ', tile by tile of the lower
// triangle, and what belongs to a problem in that form. `apart` numbers lie from one row of JJ' to the next.

// Parameters that are staged at a time, and numbers from one staged row to the next: lanes of a fragment are then in
// different banks.
constexpr int PAIRED = 16, PAIR_STRIDE = PAIRED + 4;
static_assert(4 * SIDE * PAIR_STRIDE * sizeof(double) <= SHARED_BYTES, "two stages of two factors");

// Takes the residuals out of the rows, into `to`, so that products of rows are those of derivatives alone, and finds
// every row's product with what is carried, into `acceleration`. A warp per row.
__device__ inline void split_rows(const Arguments& arguments) {
    const long long row = static_cast<long long>(blockIdx.x) * WARPS + threadIdx.x / 32;
    if (row >= arguments.row_count) return;
    double* own = const_cast<double*>(arguments.rows) + row * arguments.stride;
    double sum = 0;
    for (long long column = threadIdx.x % 32; column < arguments.size; column += 32)
        sum += own[column] * arguments.momentum[column];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) {
        arguments.to[row] = own[arguments.size];
        arguments.acceleration[row] = sum;
        own[arguments.size] = 0;
    }
}

// One tile and a part of the parameters per block of threads.
__device__ inline void multiply_pairs(const Arguments& arguments) {
    constexpr int FACTOR = SIDE * PAIR_STRIDE, STAGE = 2 * FACTOR;
    double* stages = reinterpret_cast<double*>(shared_memory);
    const int side = int(arguments.apart) / SIDE, tiles = side * (side + 1) / 2;
    const Place place = lower_place(blockIdx.x % tiles);
    const long long part = blockIdx.x / tiles;
    const long long each = ((arguments.stride + arguments.parts - 1) / arguments.parts + PAIRED - 1) / PAIRED * PAIRED;
    const long long start = part * each;
    const long long end = start + each < arguments.stride ? start + each : arguments.stride;
    const int warp = threadIdx.x / 32, warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
    auto fetch = [&](int stage, long long first) {
        for (int piece = threadIdx.x; piece < PAIRED * SIDE; piece += THREADS) {
            const int factor = piece / (PAIRED / 2 * SIDE), down = piece / (PAIRED / 2) % SIDE;
            const int pair = piece % (PAIRED / 2) * 2;
            const long long row = (factor == 0 ? place.down : place.across) * SIDE + down;
            const bool valid = row < arguments.row_count;
            const double* from = arguments.rows + (valid ? row * arguments.stride + first + pair : 0);
            copy_ahead(stages + stage * STAGE + factor * FACTOR + down * PAIR_STRIDE + pair, from, valid);
        }
    };
    double sum[4][4][4] = {};
    if (start < end) fetch(0, start);
    int stage = 0;
    for (long long first = start; first < end; first += PAIRED) {
        await_copies();
        // Behind this barrier the stage is complete, and nobody reads the other one any more.
        __syncthreads();
        if (first + PAIRED < end) fetch(1 - stage, first + PAIRED);
        const double* left = stages + stage * STAGE + warp_row * PAIR_STRIDE;
        const double* right = stages + stage * STAGE + FACTOR + warp_column * PAIR_STRIDE;
#pragma unroll
        for (int inner = 0; inner < PAIRED; inner += 4) {
            Fragments<4, 4> fragments;
            fragments.load<PAIR_STRIDE, 1>(left + inner, right + inner);
            fragments.multiply(sum);
        }
        stage = 1 - stage;
    }
    double* own = arguments.sums + static_cast<long long>(blockIdx.x) * SIDE * SIDE;
    for_pairs(sum, [&](int row, int column, double first, double second) {
        double* to = own + (warp_row + row) * SIDE + warp_column + column;
        to[0] = first;
        to[1] = second;
    });
}

// Products of columns or of rows: one kernel, which is the one that has the shared memory.
__device__ inline void multiply_all(const Arguments& arguments) {
    if (arguments.in_rows) multiply_pairs(arguments);
    else multiply_rows(arguments);
}

// The sum of the diagonal and the square of the slope. The residuals, in `from`, become the row behind the last one.
__device__ inline void survey_rows(const Arguments& arguments) {
    double* last = arguments.matrix + arguments.all_rows * arguments.apart;
    double trace = 0, square = 0;
    for (long long place = threadIdx.x; place < arguments.all_rows; place += THREADS) {
        trace += arguments.matrix[place * (arguments.apart + 1)];
        last[place] = arguments.from[place];
    }
    for (long long place = threadIdx.x; place < arguments.size; place += THREADS)
        square += arguments.slope[place] * arguments.slope[place];
    trace = block_sum(trace);
    square = block_sum(square);
    if (threadIdx.x == 0) {
        arguments.report[0] = trace;
        arguments.report[1] = square;
    }
}
