// Cholesky factors of damped matrices, several at once, in one launch: a block of threads per block of 64 by 64 numbers,
// column by column. Each waits for those that it needs, all of which have smaller numbers and so start before it; a processor
// that stands in takes blocks in that order.

// Rows and columns of a block.
constexpr int BLOCK = 64;
constexpr int BLOCK_STRIDE = BLOCK + 1;

// Blocks of columns; an even number where two make a wide one.
__device__ inline int column_blocks(const Arguments& arguments) {
    const int blocks = (int(arguments.size) + 1) / BLOCK + 1;
    return arguments.wide ? (blocks + 1) / 2 * 2 : blocks;
}

__device__ inline double* factor_of(const Arguments& arguments, long long factor) {
    return arguments.factors + factor * arguments.stride * column_blocks(arguments) * BLOCK;
}

// The finished block on the diagonal of a block of columns, where solutions lie in it; behind it, its inverse, transposed.
__device__ inline double* corner_of(const Arguments& arguments, long long factor, long long column) {
    return arguments.corners + (factor * column_blocks(arguments) + column) * 2 * BLOCK * BLOCK;
}

// Who has finished which block of numbers, column by column.
__device__ inline int* flags_of(const Arguments& arguments, long long factor) {
    const long long blocks = column_blocks(arguments);
    return arguments.flags + factor * (blocks * (blocks + 1) / 2);
}

// The same for solutions: which of a candidate's blocks of 64 numbers are there, in the first half of the equations or in the
// second.
__device__ inline int* solved_of(const Arguments& arguments, int half, int candidate) {
    return flags_of(arguments, 4) + (4 * half + candidate) * column_blocks(arguments);
}

// Copies the matrix, a row per block of threads, and adds to its diagonal. The row behind the parameters is the slope, and
// behind it comes what is carried: they become the solutions of the first half of the equations. Their own diagonals are only
// large enough, and those of rows behind them are one.
__device__ inline void damp_row(const Arguments& arguments) {
    const int rows = column_blocks(arguments) * BLOCK, factor = blockIdx.x / rows;
    const long long row = blockIdx.x % rows;
    const long long place = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
    // Those of all factors and solutions.
    if (place < solved_of(arguments, 2, 0) - arguments.flags) arguments.flags[place] = 0;
    const double* from = row == arguments.size + 1 ? arguments.momentum : arguments.matrix + row * arguments.stride;
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

// Columns of a corner that are finished together.
constexpr int PANEL = 16;
// Halves of two blocks of numbers are staged, or a corner: the lower triangle holds it, and what is right of that, one further
// right, its transposed inverse.
constexpr int HALF = BLOCK / 2, HALF_STRIDE = HALF + 4, ACROSS_STRIDE = BLOCK + 4;
// Columns of a left factor that are staged beside a whole right one.
constexpr int PIECE = 16, PIECE_STRIDE = PIECE + 4;
alignas(16) __shared__ double staged[BLOCK * (ACROSS_STRIDE + PIECE_STRIDE)];
static_assert(BLOCK * BLOCK_STRIDE <= BLOCK * ACROSS_STRIDE, "a corner");
static_assert(2 * HALF_STRIDE <= ACROSS_STRIDE + PIECE_STRIDE, "halves of two factors");

// One of 64 rows beside the 16 on the diagonal: those of the corner below them, then those of the inverse that have begun.
struct Beside {
    int row;
    bool inverse;
    // The inverse begins with the row of one.
    bool begins;

    __device__ Beside(int first, int number) {
        const int below = BLOCK - PANEL - first;
        inverse = number >= below;
        row = inverse ? number - below : first + PANEL + number;
        begins = inverse && row >= first;
    }

    // Where it has its number of a column.
    __device__ int at(int column) const {
        return row * BLOCK_STRIDE + column + int(inverse);
    }
};

// What lanes of a warp tell each other about a pivot: its column's numbers in the rows on the diagonal. There are two, in turn, so
// that one barrier per pivot suffices. Shuffles would take two instructions per number instead of half of one.
constexpr int SOLVERS = 4;
struct alignas(16) Pair {
    double one, two;
};
alignas(16) __shared__ double told[SOLVERS][2][PANEL];

// Finishes 16 columns. Lanes below 16 of four warps have the rows on the diagonal, the others rows beside them, so that no
// warp waits for another's pivots; roots wait until the end, for there everybody would wait for them. A pivot that is not positive
// becomes no number, and so does everything that depends on it.
__device__ inline void finish_panel(int first) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = lane % PANEL;
    const bool on_diagonal = lane < PANEL;
    const Beside beside(first, warp % SOLVERS * PANEL + row);
    double* const numbers = staged + (on_diagonal ? (first + row) * BLOCK_STRIDE + first : beside.at(first));
    const bool begins = !on_diagonal && beside.begins;
    // Right of the diagonal there are others' numbers, of which nothing comes.
    double own[PANEL];
#pragma unroll
    for (int q = 0; q < PANEL; ++q) own[q] = begins ? double(first + q == beside.row) : numbers[q];
    double diagonal = on_diagonal ? staged[(first + row) * (BLOCK_STRIDE + 1)] : 1.0;
    // Behind this barrier nobody reads what is written over.
    __syncthreads();
    if (warp >= SOLVERS) return;
#pragma unroll
    for (int pivot = 0; pivot < PANEL; ++pivot) {
        double(&column)[PANEL] = told[warp][pivot % 2];
        if (on_diagonal) column[row] = own[pivot];
        const double square = own[pivot] * own[pivot];
        const double inverse = __shfl_sync(0xffffffffu, reciprocal(diagonal), pivot);
        // The next pivot waits for this alone.
        if (row > pivot) diagonal = fma(-square, inverse, diagonal);
        __syncwarp();
        const double share = own[pivot] * inverse;
#pragma unroll
        for (int pair = (pivot + 1) / 2 * 2; pair < PANEL; pair += 2) {
            const Pair others = *reinterpret_cast<const Pair*>(column + pair);
            if (pair > pivot) own[pair] -= share * others.one;
            own[pair + 1] -= share * others.two;
        }
    }
    const double root = rsqrt(diagonal);
    double(&roots)[PANEL] = told[warp][0];
    if (on_diagonal) roots[row] = root;
    __syncwarp();
    // Without a branch: those take longer than all pivots.
    const int begin = begins ? beside.row - first : 0, end = !on_diagonal ? PANEL : warp == 0 ? row : 0;
#pragma unroll
    for (int q = 0; q < PANEL; ++q)
        if (q >= begin && q < end) numbers[q] = own[q] * roots[q];
    if (warp == 0 && on_diagonal) staged[(first + row) * (BLOCK_STRIDE + 1)] = diagonal * root;
}

// Takes the share of 16 finished columns off what is right of them.
__device__ inline void update_panels(int first) {
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    // Two warps have 16 of the rows beside, and eight columns of them at a time each. Rows of the inverse that begin there have no
    // numbers before; others end on the diagonal.
    double *numbers[2], left[PANEL / 2];
    bool begins[2];
    int last[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const Beside beside(first, warp / 2 * 16 + 8 * half + g);
        numbers[half] = staged + beside.at(0);
        begins[half] = beside.begins;
        last[half] = beside.inverse ? BLOCK - 1 : beside.row;
#pragma unroll
        for (int inner = 0; inner < PANEL; inner += 4) {
            const double number = numbers[half][first + inner + t];
            left[inner / 2 + half] = beside.begins && first + inner + t < beside.row ? 0.0 : number;
        }
    }
#pragma unroll
    for (int pass = 1; pass < BLOCK / PANEL; ++pass) {
        const int column = first + pass * PANEL + warp % 2 * 8;
        if (column >= BLOCK) break;
        double right[PANEL / 4], sum[4] = {};
#pragma unroll
        for (int inner = 0; inner < PANEL; inner += 4) right[inner / 4] = staged[(column + g) * BLOCK_STRIDE + first + inner + t];
        multiply_double(sum, left, right);
#pragma unroll
        for (int place = 0; place < 4; ++place) {
            const int own = column + 2 * t + place % 2;
            double* number = numbers[place / 2] + own;
            const double before = begins[place / 2] ? 0.0 : *number;
            if (own <= last[place / 2]) *number = before - sum[place];
        }
    }
}

// Factorises a block on the diagonal, whose lower triangle is staged, and inverts it.
__device__ inline void factorize_corner() {
#pragma unroll 1
    for (int first = 0; first < BLOCK; first += PANEL) {
        __syncthreads();
        finish_panel(first);
        __syncthreads();
        if (first + PANEL < BLOCK) update_panels(first);
    }
    __syncthreads();
}

// Waits for two blocks of numbers; all threads do.
__device__ inline void await_flags(const int* one, const int* other) {
    if (threadIdx.x % 32 == 0 && threadIdx.x < 64) {
        const int* flag = threadIdx.x == 0 ? one : other;
#ifdef STAND_IN
        if (*flag == 0) std::abort();
#else
        while (read_shared(flag) == 0) {
        }
#endif
    }
    __syncthreads();
}

// Tells that this block's numbers are there.
__device__ inline void set_flag(int* flag) {
    __syncthreads();
    if (threadIdx.x == 0) write_shared(flag, 1);
}

// Queues copies of 64 rows of some numbers.
template <int STAGED_STRIDE>
__device__ inline void stage_block(double* to, const double* from, long long stride, int columns) {
#pragma unroll 2
    for (int pair = threadIdx.x; pair < BLOCK * columns / 2; pair += THREADS) {
        const int row = pair / (columns / 2), column = pair % (columns / 2) * 2;
        copy_ahead(to + row * STAGED_STRIDE + column, from + row * stride + column, true);
    }
}

// One block of numbers: what the columns left of it say is taken off, then it is multiplied by the inverse of the block on
// the diagonal above it, or is that block.
__device__ inline void finish_block(const Arguments& arguments) {
    const int blocks = column_blocks(arguments), tiles = blocks * (blocks + 1) / 2;
    const int factor = blockIdx.x % int(arguments.factor_count), number = blockIdx.x / int(arguments.factor_count);
    // Counted from the last column on, columns are rows of a lower triangle.
    const Place place = lower_place(tiles - 1 - number);
    const int column = blocks - 1 - place.down, row = column + place.down - place.across;
    int* flags = flags_of(arguments, factor);
    const auto flag_of = [&](int row, int column) { return flags + column * blocks - column * (column - 1) / 2 + row - column; };
    const long long stride = arguments.stride;
    double* whole = factor_of(arguments, factor);
    const int warp = threadIdx.x / 32, warp_row = warp / 4 * 32, warp_column = warp % 4 * 16;
    double* own = whole + static_cast<long long>(row) * BLOCK * stride + column * BLOCK;
    // What is to be solved for, negative: it is there before anybody waits for it. Above the diagonal there is nothing.
    double sum[2][2][4];
    for_pairs(sum, [&](int down, int across, double& one, double& two) {
        const int r = warp_row + down, c = warp_column + across;
        one = row > column || c <= r ? -own[r * stride + c] : 0.0;
        two = row > column || c + 1 <= r ? -own[r * stride + c + 1] : 0.0;
    });
    for (int left = 0; left < column; ++left) {
        await_flags(flag_of(row, left), flag_of(column, left));
        const double* from = whole + static_cast<long long>(left) * BLOCK;
        if (row == column) {
            // Both factors are one.
            stage_block<ACROSS_STRIDE>(staged, from + static_cast<long long>(row) * BLOCK * stride, stride, BLOCK);
            await_copies();
            __syncthreads();
#pragma unroll 2
            for (int inner = 0; inner < BLOCK; inner += 4) {
                Fragments<2, 2> fragments;
                fragments.load<ACROSS_STRIDE, 1>(staged + warp_row * ACROSS_STRIDE + inner,
                                                 staged + warp_column * ACROSS_STRIDE + inner);
                fragments.multiply(sum);
            }
            __syncthreads();
            continue;
        }
        for (int half = 0; half < BLOCK; half += HALF) {
            for (int side = 0; side < 2; ++side)
                stage_block<HALF_STRIDE>(staged + side * BLOCK * HALF_STRIDE,
                                         from + static_cast<long long>(side == 0 ? row : column) * BLOCK * stride + half, stride, HALF);
            await_copies();
            __syncthreads();
#pragma unroll 2
            for (int inner = 0; inner < HALF; inner += 4) {
                Fragments<2, 2> fragments;
                fragments.load<HALF_STRIDE, 1>(staged + warp_row * HALF_STRIDE + inner,
                                               staged + BLOCK * HALF_STRIDE + warp_column * HALF_STRIDE + inner);
                fragments.multiply(sum);
            }
            __syncthreads();
        }
    }
    double* apart = corner_of(arguments, factor, column);
    if (row == column) {
        for_pairs(sum, [&](int down, int across, double one, double two) {
            const int r = warp_row + down, c = warp_column + across;
            if (c <= r) staged[r * BLOCK_STRIDE + c] = -one;
            if (c + 1 <= r) staged[r * BLOCK_STRIDE + c + 1] = -two;
        });
        factorize_corner();
        for (int at = threadIdx.x; at < BLOCK * BLOCK; at += THREADS) {
            const int r = at / BLOCK, c = at % BLOCK;
            // Of the block itself only rows behind the parameters are read again.
            if (column >= arguments.size / BLOCK) apart[at] = c <= r ? staged[r * BLOCK_STRIDE + c] : 0.0;
            apart[BLOCK * BLOCK + at] = c >= r ? staged[r * BLOCK_STRIDE + c + 1] : 0.0;
        }
    } else {
        double solved[2][2][4] = {};
        await_flags(flag_of(column, column), flag_of(column, column));
        stage_block<ACROSS_STRIDE>(staged, apart + BLOCK * BLOCK, BLOCK, BLOCK);
        double* piece = staged + BLOCK * ACROSS_STRIDE;
#pragma unroll 1
        for (int first = 0; first < BLOCK; first += PIECE) {
            if (warp_column == first)
                for_pairs(sum, [&](int down, int across, double one, double two) {
                    double* to = piece + (warp_row + down) * PIECE_STRIDE + across;
                    to[0] = -one;
                    to[1] = -two;
                });
            await_copies();
            __syncthreads();
#pragma unroll 1
            for (int inner = 0; inner < PIECE; inner += 4) {
                Fragments<2, 2> fragments;
                fragments.load_across<PIECE_STRIDE, ACROSS_STRIDE>(
                    piece + warp_row * PIECE_STRIDE + inner, staged + (first + inner) * ACROSS_STRIDE + warp_column);
                fragments.multiply(solved);
            }
            __syncthreads();
        }
        for_pairs(solved, [&](int down, int across, double one, double two) {
            double* to = own + (warp_row + down) * stride + warp_column + across;
            to[0] = one;
            to[1] = two;
        });
    }
    set_flag(flag_of(row, column));
}
