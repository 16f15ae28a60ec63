// Factors of large matrices: blocks of 128 by 128 numbers, in the order and with the flags of `finish_block`, whose blocks are too
// small to keep matrix units busy where most of the work is products. Corners and their inverses are still 64 wide.

// Rows and columns of a block, and inner numbers that are staged at a time. One stage of two factors lies where others stage
// theirs, the other one in memory that the launch asks for.
constexpr int WIDE = 2 * BLOCK, THIN = 16, THIN_STRIDE = THIN + 4;
constexpr int WIDE_STAGE = 2 * WIDE * THIN_STRIDE;
static_assert(WIDE_STAGE * sizeof(double) <= sizeof(staged), "one stage");
static_assert(WIDE_STAGE * sizeof(double) == WIDE_BYTES, "the other stage");
static_assert(BLOCK * ACROSS_STRIDE * sizeof(double) <= sizeof(staged), "a corner");

__device__ inline double* other_stage() {
    return reinterpret_cast<double*>(shared_memory);
}

// A matrix that lies row by row.
struct Rows {
    const double* numbers;
    long long stride;
};

// Queues copies of some inner numbers of 128 rows.
__device__ inline void stage_thin(double* to, Rows from, long long first) {
#pragma unroll
    for (int turn = 0; turn < WIDE * THIN / 2 / THREADS; ++turn) {
        const int pair = threadIdx.x + turn * THREADS, row = pair / (THIN / 2), column = pair % (THIN / 2) * 2;
        copy_ahead(to + row * THIN_STRIDE + column, from.numbers + row * from.stride + first + column, true);
    }
}

// Takes the products of two blocks' rows off what is to be solved for, negative. `ready` waits for the inner numbers from one on.
template <typename Ready>
__device__ inline void add_products(double (&sum)[4][4][4], Rows left, Rows right, long long inner, Ready ready) {
    constexpr int FACTOR = WIDE * THIN_STRIDE;
    const int warp = threadIdx.x / 32, warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
    const auto fetch = [&](double* stage, long long first) {
        stage_thin(stage, left, first);
        stage_thin(stage + FACTOR, right, first);
    };
    if (inner > 0) {
        ready(0);
        fetch(staged, 0);
    }
    // A whole number of pairs of stages.
    for (long long pair = 0; pair < inner; pair += 2 * THIN) {
#pragma unroll
        for (int odd = 0; odd < 2; ++odd) {
            const long long next = pair + (odd + 1) * THIN;
            if (next < inner && next % WIDE == 0) ready(next);
            await_copies();
            // Behind this barrier the stage is complete, and nobody reads the other one any more.
            __syncthreads();
            if (next < inner) fetch(odd ? staged : other_stage(), next);
            const double* from = odd ? other_stage() : staged;
#pragma unroll
            for (int at = 0; at < THIN; at += 4) {
                Fragments<4, 4> fragments;
                fragments.load<THIN_STRIDE, 1>(from + warp_row * THIN_STRIDE + at, from + FACTOR + warp_column * THIN_STRIDE + at);
                fragments.multiply(sum);
            }
        }
    }
    __syncthreads();
}

// Replaces 64 columns of some blocks of 64 rows by their product with the inverse of a corner, transposed.
template <int ROWS>
__device__ __noinline__ void divide_by_corner(double* numbers, long long stride, const double* corner) {
    const int warp = threadIdx.x / 32, warp_row = warp / 2 * (ROWS / 4), warp_column = warp % 2 * 32;
    double solved[ROWS / 64][4][4] = {};
    double* piece = other_stage();
    stage_block<ACROSS_STRIDE>(staged, corner + BLOCK * BLOCK, BLOCK, BLOCK);
#pragma unroll 1
    for (int first = 0; first < BLOCK; first += THIN) {
        for (int pair = threadIdx.x; pair < ROWS * THIN / 2; pair += THREADS) {
            const int row = pair / (THIN / 2), column = pair % (THIN / 2) * 2;
            copy_ahead(piece + row * THIN_STRIDE + column, numbers + row * stride + first + column, true);
        }
        await_copies();
        __syncthreads();
#pragma unroll
        for (int inner = 0; inner < THIN; inner += 4) {
            Fragments<ROWS / 64, 4> fragments;
            fragments.template load_across<THIN_STRIDE, ACROSS_STRIDE>(piece + warp_row * THIN_STRIDE + inner,
                                                                       staged + (first + inner) * ACROSS_STRIDE + warp_column);
            fragments.multiply(solved);
        }
        __syncthreads();
    }
    for_pairs(solved, [&](int down, int across, double one, double two) {
        double* to = numbers + (warp_row + down) * stride + warp_column + across;
        to[0] = one;
        to[1] = two;
    });
    __syncthreads();
}

// Takes the products of 64 solved columns with rows of a corner's neighbour off 64 columns of some blocks of 64 rows.
template <int ROWS>
__device__ __noinline__ void take_off(double* numbers, long long stride, const double* solved, const double* beside) {
    const int warp = threadIdx.x / 32, warp_row = warp / 2 * (ROWS / 4), warp_column = warp % 2 * 32;
    double sum[ROWS / 64][4][4];
    for_pairs(sum, [&](int down, int across, double& one, double& two) {
        const double* from = numbers + (warp_row + down) * stride + warp_column + across;
        one = -from[0];
        two = -from[1];
    });
    double* right = staged + WIDE * THIN_STRIDE;
#pragma unroll 1
    for (int first = 0; first < BLOCK; first += THIN) {
        for (int pair = threadIdx.x; pair < (ROWS + BLOCK) * THIN / 2; pair += THREADS) {
            const int row = pair / (THIN / 2), column = pair % (THIN / 2) * 2;
            const double* from = row < ROWS ? solved + row * stride : beside + (row - ROWS) * stride;
            double* to = row < ROWS ? staged + row * THIN_STRIDE : right + (row - ROWS) * THIN_STRIDE;
            copy_ahead(to + column, from + first + column, true);
        }
        await_copies();
        __syncthreads();
#pragma unroll
        for (int inner = 0; inner < THIN; inner += 4) {
            Fragments<ROWS / 64, 4> fragments;
            fragments.template load<THIN_STRIDE, 1>(staged + warp_row * THIN_STRIDE + inner, right + warp_column * THIN_STRIDE + inner);
            fragments.multiply(sum);
        }
        __syncthreads();
    }
    for_pairs(sum, [&](int down, int across, double one, double two) {
        double* to = numbers + (warp_row + down) * stride + warp_column + across;
        to[0] = -one;
        to[1] = -two;
    });
    __syncthreads();
}

// Factorises and inverts a corner that lies in its matrix.
__device__ __noinline__ void finish_corner(const double* numbers, long long stride, double* apart) {
    for (int at = threadIdx.x; at < BLOCK * BLOCK; at += THREADS) {
        const int r = at / BLOCK, c = at % BLOCK;
        if (c <= r) staged[r * BLOCK_STRIDE + c] = numbers[r * stride + c];
    }
    factorize_corner();
    for (int at = threadIdx.x; at < BLOCK * BLOCK; at += THREADS) {
        const int r = at / BLOCK, c = at % BLOCK;
        apart[at] = c <= r ? staged[r * BLOCK_STRIDE + c] : 0.0;
        apart[BLOCK * BLOCK + at] = c >= r ? staged[r * BLOCK_STRIDE + c + 1] : 0.0;
    }
    __syncthreads();
}

__device__ inline void finish_wide(const Arguments& arguments) {
    const int blocks = column_blocks(arguments) / 2, tiles = blocks * (blocks + 1) / 2;
    const int factor = blockIdx.x % int(arguments.factor_count), number = blockIdx.x / int(arguments.factor_count);
    // Counted from the last column on, columns are rows of a lower triangle.
    const Place place = lower_place(tiles - 1 - number);
    const int column = blocks - 1 - place.down, row = column + place.down - place.across;
    int* flags = flags_of(arguments, factor);
    const auto flag_of = [&](int row, int column) { return flags + column * blocks - column * (column - 1) / 2 + row - column; };
    const long long stride = arguments.stride;
    double* whole = factor_of(arguments, factor);
    double* own = whole + static_cast<long long>(row) * WIDE * stride + column * WIDE;
    const int warp = threadIdx.x / 32, warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
    // What is to be solved for, negative. Above the diagonal there is nothing.
    double sum[4][4][4];
    for_pairs(sum, [&](int down, int across, double& one, double& two) {
        const int r = warp_row + down, c = warp_column + across;
        one = row > column || c <= r ? -own[r * stride + c] : 0.0;
        two = row > column || c + 1 <= r ? -own[r * stride + c + 1] : 0.0;
    });
    const Rows left{whole + static_cast<long long>(row) * WIDE * stride, stride};
    const Rows right{whole + static_cast<long long>(column) * WIDE * stride, stride};
    add_products(sum, left, right, static_cast<long long>(column) * WIDE, [&](long long first) {
        await_flags(flag_of(row, int(first) / WIDE), flag_of(column, int(first) / WIDE));
    });
    for_pairs(sum, [&](int down, int across, double one, double two) {
        double* to = own + (warp_row + down) * stride + warp_column + across;
        to[0] = -one;
        to[1] = -two;
    });
    __syncthreads();
    double* corners[2] = {corner_of(arguments, factor, 2 * column), corner_of(arguments, factor, 2 * column + 1)};
    const double* beside = whole + (static_cast<long long>(column) * WIDE + BLOCK) * stride + column * WIDE;
    if (row == column) {
        finish_corner(own, stride, corners[0]);
        divide_by_corner<BLOCK>(own + BLOCK * stride, stride, corners[0]);
        take_off<BLOCK>(own + BLOCK * stride + BLOCK, stride, own + BLOCK * stride, beside);
        finish_corner(own + BLOCK * stride + BLOCK, stride, corners[1]);
    } else {
        await_flags(flag_of(column, column), flag_of(column, column));
        divide_by_corner<WIDE>(own, stride, corners[0]);
        take_off<WIDE>(own + BLOCK, stride, own, beside);
        divide_by_corner<WIDE>(own + BLOCK, stride, corners[1]);
    }
    set_flag(flag_of(row, column));
}
