// Cholesky factors of damped matrices, several at once, and solutions of their equations: block by block of columns,
// one launch after the other. A block's threads hold whole blocks of numbers in registers.

// Rows and columns of a block.
constexpr int BLOCK = 64;
constexpr int BLOCK_STRIDE = BLOCK + 1;

__device__ inline int column_blocks(const Arguments& arguments) {
    return (int(arguments.size) + 1) / BLOCK + 1;
}

__device__ inline double* factor_of(const Arguments& arguments, long long factor) {
    return arguments.factors + factor * arguments.stride * column_blocks(arguments) * BLOCK;
}

// The finished block on the diagonal of the columns at hand; behind it, its inverse, transposed.
__device__ inline double* corner_of(const Arguments& arguments, long long factor) {
    return arguments.corners + (factor * column_blocks(arguments) + arguments.column) * 2 * BLOCK * BLOCK;
}

// Copies the matrix, a row per block of threads, and adds to its diagonal. The row behind the parameters is the slope, and
// behind it comes what is carried: they become the solutions of the first half of the equations. Their own diagonals are only
// large enough, and those of rows behind them are one.
__device__ inline void damp_row(const Arguments& arguments) {
    const int rows = column_blocks(arguments) * BLOCK, factor = blockIdx.x / rows;
    const long long row = blockIdx.x % rows;
    const double* from = row == arguments.size + 1 ? arguments.carried : arguments.matrix + row * arguments.stride;
    double* to = factor_of(arguments, factor) + row * arguments.stride;
    double square = 0;
    for (int column = threadIdx.x; column <= row; column += THREADS) {
        const double number = row <= arguments.size || column < arguments.size ? from[column] : 0.0;
        to[column] = number;
        if (row >= arguments.size && column < arguments.size) square += number * number;
    }
    square = block_sum(square);
    if (threadIdx.x == 0) {
        if (row < arguments.size) to[row] += arguments.damped[factor];
        else to[row] = row <= arguments.size + 1 ? 2 * square / arguments.damped[factor] + 1 : 1.0;
    }
}

// Factorises the block on the diagonal, and inverts its diagonal. A pivot that is not positive becomes no number, and so
// does everything that depends on it.
__device__ inline void factorize_corner(
    const double* from, long long stride, double (&lower)[BLOCK * BLOCK_STRIDE], double (&inverses)[BLOCK]) {
    __shared__ double columns[2][BLOCK];
    const int down = threadIdx.x / 16, across = threadIdx.x % 16;
    double own[4][4];
#pragma unroll
    for (int a = 0; a < 4; ++a)
#pragma unroll
        for (int b = 0; b < 4; ++b) own[a][b] = from[(down + 16 * a) * stride + across + 16 * b];
#pragma unroll
    for (int part = 0; part < 4; ++part)
        for (int place = 0; place < 16; ++place) {
            const int pivot = 16 * part + place;
            double* column = columns[pivot % 2];
            if (across == place) {
#pragma unroll
                for (int a = 0; a < 4; ++a) column[down + 16 * a] = own[a][part];
            }
            __syncthreads();
            const double inverse = 1 / column[pivot];
            // Roots wait: here everybody would wait for them.
            const int row = threadIdx.x;
            if (row < BLOCK && row >= pivot) lower[row * BLOCK_STRIDE + pivot] = column[row];
#pragma unroll
            for (int a = 0; a < 4; ++a)
#pragma unroll
                for (int b = part; b < 4; ++b)
                    own[a][b] -= column[down + 16 * a] * (column[across + 16 * b] * inverse);
        }
    __syncthreads();
    if (threadIdx.x < BLOCK) inverses[threadIdx.x] = 1 / sqrt(lower[threadIdx.x * (BLOCK_STRIDE + 1)]);
    __syncthreads();
    for (int place = threadIdx.x; place < BLOCK * BLOCK; place += THREADS)
        if (place % BLOCK <= place / BLOCK)
            lower[place / BLOCK * BLOCK_STRIDE + place % BLOCK] *= inverses[place % BLOCK];
    __syncthreads();
}

// Finishes one block of columns: every block of threads factorises the block on the diagonal, and solves for its own 64
// rows, four threads a row; the first one solves for the rows of one, which makes the inverse.
__device__ inline void finish_column(const Arguments& arguments) {
    __shared__ double lower[BLOCK * BLOCK_STRIDE], inverses[BLOCK];
    const int below = column_blocks(arguments) - int(arguments.column);
    const int factor = blockIdx.x / below, down = blockIdx.x % below;
    const long long stride = arguments.stride, first = arguments.column * BLOCK;
    double* corner = factor_of(arguments, factor) + first * stride + first;
    // Other blocks may still read where the corner was.
    double* apart = corner_of(arguments, factor);
    const int row = threadIdx.x / 4, t = threadIdx.x % 4;
    double* own = down == 0 ? apart + (BLOCK + row) * BLOCK : corner + (down * BLOCK + row) * stride;
    double numbers[16];
#pragma unroll
    for (int u = 0; u < 16; ++u) numbers[u] = down == 0 ? double(4 * u + t == row) : own[4 * u + t];
    factorize_corner(corner, stride, lower, inverses);
    if (down == 0)
        for (int place = threadIdx.x; place < BLOCK * BLOCK; place += THREADS)
            apart[place] = place % BLOCK <= place / BLOCK ? lower[place / BLOCK * BLOCK_STRIDE + place % BLOCK] : 0.0;
#pragma unroll
    for (int u = 0; u < 16; ++u)
#pragma unroll
        for (int owner = 0; owner < 4; ++owner) {
            const int column = 4 * u + owner;
            const double solved =
                __shfl_sync(0xffffffffu, numbers[u], threadIdx.x % 32 / 4 * 4 + owner) * inverses[column];
            if (t == owner) numbers[u] = solved;
#pragma unroll
            for (int later = u; later < 16; ++later)
                if (4 * later + t > column) numbers[later] -= solved * lower[(4 * later + t) * BLOCK_STRIDE + column];
        }
#pragma unroll
    for (int u = 0; u < 16; ++u) own[4 * u + t] = numbers[u];
}

// Takes the share of a finished block of columns off what is right of it, a tile per block of threads.
__device__ inline void update_rest(const Arguments& arguments) {
    constexpr int INNER = 32, STRIDE = INNER + 4;
    alignas(16) __shared__ double factors[2][BLOCK * STRIDE];
    const int side = column_blocks(arguments) - int(arguments.column) - 1, tiles = side * (side + 1) / 2;
    const Place place = lower_place(blockIdx.x % tiles);
    const long long stride = arguments.stride, first = (arguments.column + 1) * BLOCK;
    double* rest = factor_of(arguments, blockIdx.x / tiles) + first * stride;
    const int warp = threadIdx.x / 32, warp_row = warp / 4 * 32, warp_column = warp % 4 * 16;
    double sum[2][2][4] = {};
    for (int half = 0; half < BLOCK; half += INNER) {
        for (int piece = threadIdx.x; piece < BLOCK * INNER; piece += THREADS) {
            const int side = piece / (BLOCK * INNER / 2), row = piece / (INNER / 2) % BLOCK, pair = piece % (INNER / 2) * 2;
            const long long from = (side == 0 ? place.down : place.across) * BLOCK + row;
            copy_ahead(factors[side] + row * STRIDE + pair, rest + from * stride + first - BLOCK + half + pair, true);
        }
        await_copies();
        __syncthreads();
#pragma unroll
        for (int inner = 0; inner < INNER; inner += 4) {
            Fragments<2, 2> fragments;
            fragments.load<STRIDE, 1>(factors[0] + warp_row * STRIDE + inner, factors[1] + warp_column * STRIDE + inner);
            fragments.multiply(sum);
        }
        __syncthreads();
    }
    double* own = rest + (place.down * BLOCK + warp_row) * stride + first + place.across * BLOCK + warp_column;
    for_pairs(sum, [&](int row, int column, double one, double two) {
        own[row * stride + column] -= one;
        own[row * stride + column + 1] -= two;
    });
}
