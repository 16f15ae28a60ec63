// The products of the rows' columns with each other, tile by tile of the lower triangle. A block owns a tile and a part
// of the rows, which it adds up in their order; parts are added up in their order.

#ifdef STAND_IN
alignas(16) static unsigned char shared_memory[SHARED_BYTES];
#else
extern __shared__ __align__(16) unsigned char shared_memory[];
#endif

// Rows and columns of a tile; rows of the Jacobian that are staged at a time.
constexpr int SIDE = 128, STAGED = 24;
// Lanes of a fragment are then in different banks.
constexpr int SIDE_STRIDE = SIDE + 4;
static_assert(STAGED % 8 == 0, "copies come in pairs");
static_assert(4 * STAGED * SIDE_STRIDE * sizeof(double) == SHARED_BYTES, "two stages of two factors");

__device__ inline int normal_tiles(const Arguments& arguments) {
    const int side = int(arguments.stride) / SIDE;
    return side * (side + 1) / 2;
}

__device__ inline void multiply_rows(const Arguments& arguments) {
    constexpr int STAGE = 2 * STAGED * SIDE_STRIDE;
    double* stages = reinterpret_cast<double*>(shared_memory);
    const int tiles = normal_tiles(arguments);
    const Place place = lower_place(blockIdx.x % tiles);
    const long long part = blockIdx.x / tiles;
    const long long each = ((arguments.row_count + arguments.parts - 1) / arguments.parts + STAGED - 1) / STAGED * STAGED;
    const long long start = part * each;
    const long long end = start + each < arguments.row_count ? start + each : arguments.row_count;
    const int warp = threadIdx.x / 32, warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
    double* own = arguments.sums + static_cast<long long>(blockIdx.x) * SIDE * SIDE;

    // A thread always copies the same pair of columns, and every second row.
    const int pair = threadIdx.x % SIDE * 2, beside = threadIdx.x / SIDE;
    const bool across = pair >= SIDE;
    const double* column = arguments.rows + (across ? place.across * SIDE + pair - SIDE : place.down * SIDE + pair);
    double* to = stages + (across ? STAGED * SIDE_STRIDE - SIDE : 0) + pair;
    // Four rows from `row` of a stage on.
    auto fetch = [&](int stage, long long first, int row) {
#pragma unroll
        for (int turn = 0; turn < 2; ++turn) {
            const int own = row + 2 * turn + beside;
            const bool valid = first + own < end;
            copy_ahead(to + stage * STAGE + own * SIDE_STRIDE, column + (valid ? (first + own) * arguments.stride : 0), valid);
        }
    };
    double sum[4][4][4] = {};
    if (!arguments.fresh)
        for_pairs(sum, [&](int row, int column, double& first, double& second) {
            const double* from = own + (warp_row + row) * SIDE + warp_column + column;
            first = from[0];
            second = from[1];
        });
    if (start < end)
        for (int row = 0; row < STAGED; row += 4) fetch(0, start, row);
    int stage = 0;
    for (long long first = start; first < end; first += STAGED) {
        await_copies();
        // Behind this barrier the stage is complete, and nobody reads the other one any more.
        __syncthreads();
        const bool more = first + STAGED < end;
        const double* left = stages + stage * STAGE + warp_row;
        const double* right = stages + stage * STAGE + STAGED * SIDE_STRIDE + warp_column;
        // Copies, loads and products by turns: none waits for another, and copies have half of the products' time to come.
        Fragments<4, 4> fragments[2];
        fragments[0].load<1, SIDE_STRIDE>(left, right);
#pragma unroll
        for (int row = 0; row < STAGED; row += 4) {
            const int next = (row + 4) * SIDE_STRIDE;
            if (row + 4 < STAGED) fragments[(row / 4 + 1) % 2].load<1, SIDE_STRIDE>(left + next, right + next);
            if (more && 2 * row < STAGED) {
                fetch(1 - stage, first + STAGED, 2 * row);
                fetch(1 - stage, first + STAGED, 2 * row + 4);
            }
            fragments[row / 4 % 2].multiply(sum);
        }
        stage = 1 - stage;
    }
    for_pairs(sum, [&](int row, int column, double first, double second) {
        double* to = own + (warp_row + row) * SIDE + warp_column + column;
        to[0] = first;
        to[1] = second;
    });
}

// Blocks of threads that add up the parts of one tile.
constexpr int GATHERING = 16;

// Adds up the parts of some numbers of one tile.
__device__ inline void gather_parts(const Arguments& arguments) {
    const int tiles = normal_tiles(arguments), tile = blockIdx.x / GATHERING;
    const Place place = lower_place(tile);
    constexpr int EACH = SIDE * SIDE / GATHERING;
    const int first = blockIdx.x % GATHERING * EACH;
#pragma unroll 4
    for (int number = first + threadIdx.x; number < first + EACH; number += THREADS) {
        double total = 0;
        for (long long part = 0; part < arguments.parts; ++part)
            total += arguments.sums[((part * tiles) + tile) * SIDE * SIDE + number];
        const long long row = place.down * SIDE + number / SIDE, column = place.across * SIDE + number % SIDE;
        arguments.matrix[row * arguments.stride + column] = total;
    }
}

// The sum of the diagonal, and the square of the slope.
__device__ inline void survey(const Arguments& arguments) {
    const double* slope = arguments.matrix + arguments.size * arguments.stride;
    double trace = 0, square = 0;
    for (long long place = threadIdx.x; place < arguments.size; place += THREADS) {
        trace += arguments.matrix[place * (arguments.stride + 1)];
        square += slope[place] * slope[place];
    }
    trace = block_sum(trace);
    square = block_sum(square);
    if (threadIdx.x == 0) {
        arguments.report[0] = trace;
        arguments.report[1] = square;
    }
}
