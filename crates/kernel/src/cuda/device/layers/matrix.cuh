// Products on matrix units, with `instructions.cuh`. This file takes the place of `product.cuh` and offers the same two
// functions.
//
// A warp multiplies fragments of 16 rows by 8 columns. Lane 4g + t of a warp holds of the left factor the rows g and
// g + 8, of the right factor the column g, and of the result the columns 2t and 2t + 1 of rows g and g + 8.
// float: a number is a sum of TERMS bfloat16 numbers (1, 2 or 3), and products of terms i and j with i + j < TERMS are
// added: one, three or six instructions per fragment; or one number in half precision; or, with TF32, one instruction
// on numbers of 10 digits. double: one instruction, exact to rounding.

constexpr bool SPLIT = sizeof(number) == 4;
// The inner dimension of one instruction.
constexpr int STEP = !SPLIT ? 4 : TF32 ? 8 : 16;
// Fragments of a warp along m; and at most along n, by the registers that sums take.
constexpr int FRAGMENTS_DOWN = 2;
constexpr int MOST_ACROSS = SPLIT ? 6 : 4;

struct Result {
    number value[4];
};

// Left and right fragments of one step; `at(place, k)` reads the factor at a row or column and an inner index.
struct Left {
#if TERMS > 0
    unsigned terms[TERMS][4];
#elif TF32
    unsigned value[4];
#else
    double value[2];
#endif

    template <typename At>
    __device__ inline void load(int g, int t, At at) {
#if TERMS > 0
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            const int row = g + (part % 2) * 8, k = 2 * t + (part / 2) * 8;
            unsigned own[TERMS];
            split(at(row, k), at(row, k + 1), own);
#pragma unroll
            for (int term = 0; term < TERMS; ++term) terms[term][part] = own[term];
        }
#elif TF32
#pragma unroll
        for (int part = 0; part < 4; ++part) value[part] = round_tf32(at(g + part % 2 * 8, t + part / 2 * 4));
#else
        value[0] = at(g, t);
        value[1] = at(g + 8, t);
#endif
    }
};

struct Right {
#if TERMS > 0
    unsigned terms[TERMS][2];
#elif TF32
    unsigned value[2];
#else
    double value;
#endif

    template <typename At>
    __device__ inline void load(int g, int t, At at) {
#if TERMS > 0
#pragma unroll
        for (int part = 0; part < 2; ++part) {
            const int k = 2 * t + part * 8;
            unsigned own[TERMS];
            split(at(g, k), at(g, k + 1), own);
#pragma unroll
            for (int term = 0; term < TERMS; ++term) terms[term][part] = own[term];
        }
#elif TF32
#pragma unroll
        for (int part = 0; part < 2; ++part) value[part] = round_tf32(at(g, t + part * 4));
#else
        value = at(g, t);
#endif
    }
};

__device__ inline void multiply_add(Result& sum, const Left& left, const Right& right) {
#if TERMS > 0
    // Small products first: they would be lost one by one against the large ones.
#pragma unroll
    for (int order = TERMS - 1; order >= 0; --order)
#pragma unroll
        for (int i = 0; i <= order; ++i) multiply_short(sum.value, left.terms[i], right.terms[order - i]);
#elif TF32
    multiply_tf32(sum.value, left.value, right.value);
#else
    multiply_double(sum.value, left.value, right.value);
#endif
}

// See `product.cuh`.
template <int WARPS_DOWN, int ACROSS>
__device__ __noinline__ void matrix_product(const number* __restrict__ left, int left_stride,
                                            const number* __restrict__ right, number* out, int rows, int columns,
                                            int inner, const number* bias, int places, Start start) {
    constexpr int WARPS_ACROSS = WARPS / WARPS_DOWN;
    constexpr int TILE_ROWS = WARPS_DOWN * FRAGMENTS_DOWN * 16;
    constexpr int TILE_COLUMNS = WARPS_ACROSS * ACROSS * 8;
    // Rows of 4 (mod 32) words put the lanes of a fragment into different banks.
    constexpr int LEFT_STRIDE = TILE_ROWS + 4, RIGHT_STRIDE = TILE_COLUMNS + 4;
    constexpr int STAGE = DEPTH * (LEFT_STRIDE + RIGHT_STRIDE);
    static_assert(2 * STAGE * sizeof(number) <= WORKSPACE_BYTES, "two stages fit into the workspace");
    number* stages = workspace();
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int warp_row = (warp / WARPS_ACROSS) * FRAGMENTS_DOWN * 16;
    const int warp_column = (warp % WARPS_ACROSS) * ACROSS * 8;

    for (int row_start = 0; row_start < rows; row_start += TILE_ROWS) {
        for (int column_start = 0; column_start < columns; column_start += TILE_COLUMNS) {
            auto fetch = [&](int stage, int k_start) {
                number* left_tile = stages + stage * STAGE;
                number* right_tile = left_tile + DEPTH * LEFT_STRIDE;
                for (int piece = threadIdx.x; piece < DEPTH * TILE_ROWS / LANES; piece += THREADS) {
                    const int k = piece / (TILE_ROWS / LANES), m = piece % (TILE_ROWS / LANES) * LANES;
                    const bool valid = k_start + k < inner && row_start + m < left_stride;
                    const number* from = left + (valid ? (k_start + k) * left_stride + row_start + m : 0);
                    copy_ahead(left_tile + k * LEFT_STRIDE + m, from, valid);
                }
                for (int piece = threadIdx.x; piece < DEPTH * TILE_COLUMNS / LANES; piece += THREADS) {
                    const int k = piece / (TILE_COLUMNS / LANES), n = piece % (TILE_COLUMNS / LANES) * LANES;
                    const bool valid = k_start + k < inner && column_start + n < columns;
                    const number* from = right + (valid ? (k_start + k) * columns + column_start + n : 0);
                    copy_ahead(right_tile + k * RIGHT_STRIDE + n, from, valid);
                }
            };
            Result sum[FRAGMENTS_DOWN][ACROSS] = {};
            fetch(0, 0);
            int stage = 0;
            for (int k_start = 0; k_start < inner; k_start += DEPTH) {
                await_copies();
                // Behind this barrier the stage is complete, and nobody reads the other one any more.
                __syncthreads();
                if (k_start + DEPTH < inner) fetch(1 - stage, k_start + DEPTH);
                const number* left_tile = stages + stage * STAGE + warp_row;
                const number* right_tile = stages + stage * STAGE + DEPTH * LEFT_STRIDE + warp_column;
#pragma unroll
                for (int k_step = 0; k_step < DEPTH; k_step += STEP) {
                    Left a[FRAGMENTS_DOWN];
#pragma unroll
                    for (int i = 0; i < FRAGMENTS_DOWN; ++i)
                        a[i].load(g, t, [&](int m, int k) { return left_tile[(k_step + k) * LEFT_STRIDE + i * 16 + m]; });
#pragma unroll
                    for (int j = 0; j < ACROSS; ++j) {
                        Right b;
                        b.load(g, t, [&](int n, int k) { return right_tile[(k_step + k) * RIGHT_STRIDE + j * 8 + n]; });
#pragma unroll
                        for (int i = 0; i < FRAGMENTS_DOWN; ++i) multiply_add(sum[i][j], a[i], b);
                    }
                }
                stage = 1 - stage;
            }
#pragma unroll
            for (int i = 0; i < FRAGMENTS_DOWN; ++i)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const int m = row_start + warp_row + i * 16 + half * 8 + g;
                    if (m >= rows) continue;
                    const number shift = bias ? bias[m] : number(0);
#pragma unroll
                    for (int j = 0; j < ACROSS; ++j)
#pragma unroll
                        for (int side = 0; side < 2; ++side) {
                            const int n = column_start + warp_column + j * 8 + 2 * t + side;
                            if (n >= columns) continue;
                            const number product = sum[i][j].value[2 * half + side];
                            const number value = n < places ? product + shift : product;
                            number* to = out + m * columns + n;
                            *to = start == ADD ? *to + value : value;
                        }
                }
            __syncthreads();
        }
    }
}

// See `gradient.cuh`.
template <int WARPS_DOWN, int ACROSS>
__device__ __noinline__ void matrix_outer_product(const number* __restrict__ left, const number* __restrict__ right,
                                                  number* sum, int inputs, int outputs, int columns) {
    constexpr int WARPS_ACROSS = WARPS / WARPS_DOWN;
    constexpr int TILE_INPUTS = WARPS_DOWN * FRAGMENTS_DOWN * 16;
    constexpr int TILE_OUTPUTS = WARPS_ACROSS * ACROSS * 8;
    // Rows of 24 floats or 12 doubles put the lanes of a fragment into different banks.
    constexpr int STRIDE = SPLIT ? DEPTH + 8 : DEPTH + 4;
    constexpr int STAGE = (TILE_INPUTS + TILE_OUTPUTS) * STRIDE;
    static_assert(2 * STAGE * sizeof(number) <= WORKSPACE_BYTES, "two stages fit into the workspace");
    number* stages = workspace();
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int warp_input = (warp / WARPS_ACROSS) * FRAGMENTS_DOWN * 16;
    const int warp_output = (warp % WARPS_ACROSS) * ACROSS * 8;

    for (int input_start = 0; input_start < inputs; input_start += TILE_INPUTS) {
        for (int output_start = 0; output_start < outputs; output_start += TILE_OUTPUTS) {
            auto fetch = [&](int stage, int n_start) {
                constexpr int PIECES = DEPTH / LANES;
                for (int piece = threadIdx.x; piece < (TILE_INPUTS + TILE_OUTPUTS) * PIECES; piece += THREADS) {
                    const int row = piece / PIECES, n = piece % PIECES * LANES;
                    const bool is_left = row < TILE_INPUTS;
                    const int place = is_left ? input_start + row : output_start + row - TILE_INPUTS;
                    const bool valid = place < (is_left ? inputs : outputs) && n_start + n < columns;
                    const number* from = (is_left ? left : right) + (valid ? place * columns + n_start + n : 0);
                    copy_ahead(stages + stage * STAGE + row * STRIDE + n, from, valid);
                }
            };
            Result total[FRAGMENTS_DOWN][ACROSS] = {};
            fetch(0, 0);
            int stage = 0;
            for (int n_start = 0; n_start < columns; n_start += DEPTH) {
                await_copies();
                __syncthreads();
                if (n_start + DEPTH < columns) fetch(1 - stage, n_start + DEPTH);
                const number* left_tile = stages + stage * STAGE + warp_input * STRIDE;
                const number* right_tile = stages + stage * STAGE + (TILE_INPUTS + warp_output) * STRIDE;
#pragma unroll
                for (int n_step = 0; n_step < DEPTH; n_step += STEP) {
                    Left a[FRAGMENTS_DOWN];
#pragma unroll
                    for (int i = 0; i < FRAGMENTS_DOWN; ++i)
                        a[i].load(g, t, [&](int m, int k) { return left_tile[(i * 16 + m) * STRIDE + n_step + k]; });
#pragma unroll
                    for (int j = 0; j < ACROSS; ++j) {
                        Right b;
                        b.load(g, t, [&](int n, int k) { return right_tile[(j * 8 + n) * STRIDE + n_step + k]; });
#pragma unroll
                        for (int i = 0; i < FRAGMENTS_DOWN; ++i) multiply_add(total[i][j], a[i], b);
                    }
                }
                stage = 1 - stage;
            }
#pragma unroll
            for (int i = 0; i < FRAGMENTS_DOWN; ++i)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const int input = input_start + warp_input + i * 16 + half * 8 + g;
                    if (input >= inputs) continue;
#pragma unroll
                    for (int j = 0; j < ACROSS; ++j)
#pragma unroll
                        for (int side = 0; side < 2; ++side) {
                            const int output = output_start + warp_output + j * 8 + 2 * t + side;
                            if (output < outputs) sum[input * outputs + output] += total[i][j].value[2 * half + side];
                        }
                }
            __syncthreads();
        }
    }
}

__device__ constexpr int warps_down(int rows) {
    return rows > 64 ? 4 : rows > 32 ? 2 : 1;
}

// Fragments per warp along n: those that compute the fewest columns in vain; of equals, the most.
__device__ constexpr int fragments_across(int down, int columns) {
    int best = 1, fewest = 1 << 30;
    for (int across = 1; across <= MOST_ACROSS; ++across) {
        const int tile = WARPS / down * across * 8;
        const int bytes = 2 * DEPTH * (down * FRAGMENTS_DOWN * 16 + tile + 8) * int(sizeof(number));
        const int computed = (columns + tile - 1) / tile * tile;
        if (bytes <= WORKSPACE_BYTES && computed <= fewest) {
            best = across;
            fewest = computed;
        }
    }
    return best;
}

template <int ROWS, int COLUMNS>
__device__ inline void tile_product(const number* left, int left_stride, const number* right, number* out, int inner,
                                    const number* bias, int places, Start start) {
    constexpr int DOWN = warps_down(ROWS);
    matrix_product<DOWN, fragments_across(DOWN, COLUMNS)>(left, left_stride, right, out, ROWS, COLUMNS, inner, bias,
                                                          places, start);
}

template <int INPUTS, int OUTPUTS>
__device__ inline void tile_outer_product(const number* left, const number* right, number* sum, int columns) {
    constexpr int DOWN = warps_down(INPUTS);
    constexpr int EACH = WARPS / DOWN * 8;
    constexpr int MOST = SPLIT ? (DOWN == 4 ? 8 : DOWN == 2 ? 4 : 2) : DOWN == 4 ? 4 : 2;
    constexpr int NEEDED = (OUTPUTS + EACH - 1) / EACH;
    matrix_outer_product<DOWN, NEEDED < MOST ? NEEDED : MOST>(left, right, sum, INPUTS, OUTPUTS, columns);
}
