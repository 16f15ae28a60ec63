// The products of the rows' columns with each other, tile by tile of the lower triangle. A block owns a tile and a part
// of the rows, which it adds up in their order; parts are added up in their order.

#ifdef STAND_IN
alignas(16) static unsigned char shared_memory[SHARED_BYTES];
#else
extern __shared__ __align__(16) unsigned char shared_memory[];
#endif

// Rows and columns of a tile: two blocks of threads share a multiprocessor, and one multiplies while the other waits. Rows of
// the Jacobian that are staged at a time.
constexpr int SIDE = 128, ACROSS = 64, STAGED = 24;
// Lanes of a fragment are then in different banks.
constexpr int SIDE_STRIDE = SIDE + 4, NARROW_STRIDE = ACROSS + 4;
static_assert(STAGED % 8 == 0, "copies come in pairs");
static_assert(2 * STAGED * (SIDE_STRIDE + NARROW_STRIDE) * sizeof(double) == SHARED_BYTES, "two stages of two factors");

// Tiles of a matrix with so many numbers a row.
__device__ inline int normal_tiles(long long stride) {
    const int side = int(stride) / SIDE;
    return side * (side + 1);
}

// The place of a tile, counted row by row: as wide as two of them the lower triangle is one of squares.
__device__ inline Place tile_place(int number) {
    const Place square = lower_place(number / 2);
    return Place{square.down, 2 * square.across + number % 2};
}

__device__ inline void multiply_rows(const Arguments& arguments) {
    constexpr int STAGE = STAGED * (SIDE_STRIDE + NARROW_STRIDE);
    double* stages = reinterpret_cast<double*>(shared_memory);
    const int tiles = normal_tiles(arguments.stride);
    const Place place = tile_place(blockIdx.x % tiles);
    const long long part = blockIdx.x / tiles;
    const long long each = ((arguments.row_count + arguments.parts - 1) / arguments.parts + STAGED - 1) / STAGED * STAGED;
    const long long start = part * each;
    const long long end = start + each < arguments.row_count ? start + each : arguments.row_count;
    const int warp = threadIdx.x / 32, warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
    double* own = arguments.sums + static_cast<long long>(blockIdx.x) * SIDE * ACROSS;

    // A thread always copies the same pair of columns, and every second row; some have none.
    constexpr int PAIRS = (SIDE + ACROSS) / 2;
    const int pair = threadIdx.x % PAIRS * 2, beside = threadIdx.x / PAIRS;
    const bool copies = beside < 2, across = pair >= SIDE;
    const int stride = int(arguments.stride), to_stride = across ? NARROW_STRIDE : SIDE_STRIDE;
    // Where it copies from next.
    const double* from = arguments.rows + (start + beside) * stride +
                         (across ? place.across * ACROSS + pair - SIDE : place.down * SIDE + pair);
    double* to = stages + (across ? STAGED * SIDE_STRIDE + pair - SIDE : pair) + beside * to_stride;
    // Four rows from `row` of a stage on, of which so many are left.
    auto fetch = [&](int stage, int left, int row) {
#pragma unroll
        for (int turn = row; turn < row + 4; turn += 2) {
            const bool valid = turn + beside < left;
            if (copies) copy_ahead(to + stage * STAGE + turn * to_stride, valid ? from + turn * stride : arguments.rows, valid);
        }
    };
    double sum[2][4][4] = {};
    if (!arguments.fresh)
        for_pairs(sum, [&](int row, int column, double& first, double& second) {
            const double* from = own + (warp_row + row) * ACROSS + warp_column + column;
            first = from[0];
            second = from[1];
        });
    int left_rows = start < end ? int(end - start) : 0, stage = 0;
    for (int row = 0; row < STAGED; row += 4) fetch(0, left_rows, row);
    for (; left_rows > 0; left_rows -= STAGED) {
        from += STAGED * stride;
        await_copies();
        // Behind this barrier the stage is complete, and nobody reads the other one any more.
        __syncthreads();
        const double* left = stages + stage * STAGE + warp_row;
        const double* right = stages + stage * STAGE + STAGED * SIDE_STRIDE + warp_column;
        // Copies, loads and products by turns: none waits for another, and copies have half of the products' time to come.
        Fragments<2, 4> fragments[2];
        fragments[0].load<1, SIDE_STRIDE, NARROW_STRIDE>(left, right);
#pragma unroll
        for (int row = 0; row < STAGED; row += 4) {
            if (row + 4 < STAGED)
                fragments[(row / 4 + 1) % 2].load<1, SIDE_STRIDE, NARROW_STRIDE>(left + (row + 4) * SIDE_STRIDE,
                                                                                 right + (row + 4) * NARROW_STRIDE);
            if (2 * row < STAGED) {
                fetch(1 - stage, left_rows - STAGED, 2 * row);
                fetch(1 - stage, left_rows - STAGED, 2 * row + 4);
            }
            fragments[row / 4 % 2].multiply(sum);
        }
        stage = 1 - stage;
    }
    for_pairs(sum, [&](int row, int column, double first, double second) {
        double* to = own + (warp_row + row) * ACROSS + warp_column + column;
        to[0] = first;
        to[1] = second;
    });
}

// Blocks of threads that add up the parts of one tile.
constexpr int GATHERING = 8;

// Adds up the parts of some numbers of one tile.
__device__ inline void gather_parts(const Arguments& arguments) {
    const int tiles = normal_tiles(arguments.stride), tile = blockIdx.x / GATHERING;
    const Place place = tile_place(tile);
    constexpr int EACH = SIDE * ACROSS / GATHERING;
    const int first = blockIdx.x % GATHERING * EACH;
#pragma unroll 4
    for (int number = first + threadIdx.x; number < first + EACH; number += THREADS) {
        double total = 0;
        for (long long part = 0; part < arguments.parts; ++part)
            total += arguments.sums[((part * tiles) + tile) * SIDE * ACROSS + number];
        const long long row = place.down * SIDE + number / ACROSS, column = place.across * ACROSS + number % ACROSS;
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
