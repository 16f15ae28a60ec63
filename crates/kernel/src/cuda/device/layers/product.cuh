// Products by ordinary multiply-adds.
//
// tile_product: out[m][n] = sum over k of left[k][m] * right[k][n]. `left` is a packed matrix with rows of `left_stride`
// numbers (a multiple of a 16-byte piece); `right` and `out` are signals: one row per neuron, `columns` numbers each.
// tile_outer_product: sum[i][o] += sum over n of left[i][n] * right[o][n], all three as above. `sum` belongs to this
// block alone, so it is read, added to and written without atomics.

// Rows of one thread; its lanes are 2 along m by 16 along n.
constexpr int THREAD_ROWS = sizeof(number) == 4 ? 8 : 4;

// `bias` (or null) is added to the value channel, which is the first `places` columns.
template <int WARPS_DOWN, int THREAD_COLUMNS>
__device__ __noinline__ void product(const number* __restrict__ left, int left_stride,
                                     const number* __restrict__ right, number* out, int rows, int columns, int inner,
                                     const number* bias, int places, Start start) {
    constexpr int WARPS_ACROSS = WARPS / WARPS_DOWN;
    constexpr int TILE_ROWS = WARPS_DOWN * 2 * THREAD_ROWS;
    constexpr int TILE_COLUMNS = WARPS_ACROSS * 16 * THREAD_COLUMNS;
    constexpr int STAGE = DEPTH * (TILE_ROWS + TILE_COLUMNS);
    static_assert(2 * STAGE * sizeof(number) <= WORKSPACE_BYTES, "two stages fit into the workspace");
    number* stages = workspace();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int thread_row = (warp / WARPS_ACROSS) * 2 * THREAD_ROWS + (lane / 16) * THREAD_ROWS;
    const int thread_column = (warp % WARPS_ACROSS) * 16 * THREAD_COLUMNS + (lane % 16) * 2;

    for (int row_start = 0; row_start < rows; row_start += TILE_ROWS) {
        for (int column_start = 0; column_start < columns; column_start += TILE_COLUMNS) {
            auto fetch = [&](int stage, int k_start) {
                number* left_tile = stages + stage * STAGE;
                number* right_tile = left_tile + DEPTH * TILE_ROWS;
                for (int piece = threadIdx.x; piece < DEPTH * TILE_ROWS / LANES; piece += THREADS) {
                    const int k = piece / (TILE_ROWS / LANES), m = piece % (TILE_ROWS / LANES) * LANES;
                    const bool valid = k_start + k < inner && row_start + m < left_stride;
                    const number* from = left + (valid ? (k_start + k) * left_stride + row_start + m : 0);
                    copy_ahead(left_tile + k * TILE_ROWS + m, from, valid);
                }
                for (int piece = threadIdx.x; piece < DEPTH * TILE_COLUMNS / LANES; piece += THREADS) {
                    const int k = piece / (TILE_COLUMNS / LANES), n = piece % (TILE_COLUMNS / LANES) * LANES;
                    const bool valid = k_start + k < inner && column_start + n < columns;
                    const number* from = right + (valid ? (k_start + k) * columns + column_start + n : 0);
                    copy_ahead(right_tile + k * TILE_COLUMNS + n, from, valid);
                }
            };
            number sum[THREAD_ROWS][THREAD_COLUMNS];
#pragma unroll
            for (int i = 0; i < THREAD_ROWS; ++i)
#pragma unroll
                for (int j = 0; j < THREAD_COLUMNS; ++j) sum[i][j] = number(0);

            fetch(0, 0);
            int stage = 0;
            for (int k_start = 0; k_start < inner; k_start += DEPTH) {
                await_copies();
                // Behind this barrier the stage is complete, and nobody reads the other one any more.
                __syncthreads();
                if (k_start + DEPTH < inner) fetch(1 - stage, k_start + DEPTH);
                const number* left_tile = stages + stage * STAGE + thread_row;
                const number* right_tile = stages + stage * STAGE + DEPTH * TILE_ROWS + thread_column;
#pragma unroll
                for (int k = 0; k < DEPTH; ++k) {
                    number a[THREAD_ROWS], b[THREAD_COLUMNS];
#pragma unroll
                    for (int i = 0; i < THREAD_ROWS; i += LANES) {
                        const Piece piece = *reinterpret_cast<const Piece*>(left_tile + k * TILE_ROWS + i);
#pragma unroll
                        for (int l = 0; l < LANES; ++l) a[i + l] = piece.lane[l];
                    }
#pragma unroll
                    for (int j = 0; j < THREAD_COLUMNS; j += 2) {
                        b[j] = right_tile[k * TILE_COLUMNS + j * 16];
                        b[j + 1] = right_tile[k * TILE_COLUMNS + j * 16 + 1];
                    }
#pragma unroll
                    for (int i = 0; i < THREAD_ROWS; ++i)
#pragma unroll
                        for (int j = 0; j < THREAD_COLUMNS; ++j) sum[i][j] += a[i] * b[j];
                }
                stage = 1 - stage;
            }
#pragma unroll
            for (int i = 0; i < THREAD_ROWS; ++i) {
                const int m = row_start + thread_row + i;
                if (m >= rows) continue;
                const number shift = bias ? bias[m] : number(0);
#pragma unroll
                for (int j = 0; j < THREAD_COLUMNS; ++j) {
                    const int n = column_start + thread_column + (j / 2) * 32 + j % 2;
                    if (n >= columns) continue;
                    const number value = n < places ? sum[i][j] + shift : sum[i][j];
                    number* to = out + m * columns + n;
                    *to = start == ADD ? *to + value : value;
                }
            }
            __syncthreads();
        }
    }
}

template <int EACH>
__device__ __noinline__ void outer_product(const number* __restrict__ left, const number* __restrict__ right,
                                           number* sum, int inputs, int outputs, int columns) {
    constexpr int SIDE = 16 * EACH;
    // A stride of 80 bytes puts eight neighbouring rows into different banks.
    constexpr int STRIDE = DEPTH + LANES;
    constexpr int STAGE = 2 * SIDE * STRIDE;
    static_assert(2 * STAGE * sizeof(number) <= WORKSPACE_BYTES, "two stages fit into the workspace");
    number* stages = workspace();
    const int down = threadIdx.x / 16, across = threadIdx.x % 16;
    for (int input_start = 0; input_start < inputs; input_start += SIDE) {
        for (int output_start = 0; output_start < outputs; output_start += SIDE) {
            auto fetch = [&](int stage, int n_start) {
                for (int piece = threadIdx.x; piece < 2 * SIDE * DEPTH / LANES; piece += THREADS) {
                    const int row = piece / (DEPTH / LANES), n = piece % (DEPTH / LANES) * LANES;
                    const bool is_left = row < SIDE;
                    const int place = is_left ? input_start + row : output_start + row - SIDE;
                    const bool valid = place < (is_left ? inputs : outputs) && n_start + n < columns;
                    const number* from = (is_left ? left : right) + (valid ? place * columns + n_start + n : 0);
                    copy_ahead(stages + stage * STAGE + row * STRIDE + n, from, valid);
                }
            };
            number total[EACH][EACH];
#pragma unroll
            for (int a = 0; a < EACH; ++a)
#pragma unroll
                for (int b = 0; b < EACH; ++b) total[a][b] = number(0);

            fetch(0, 0);
            int stage = 0;
            for (int n_start = 0; n_start < columns; n_start += DEPTH) {
                await_copies();
                __syncthreads();
                if (n_start + DEPTH < columns) fetch(1 - stage, n_start + DEPTH);
                const number* left_tile = stages + stage * STAGE + down * STRIDE;
                const number* right_tile = stages + stage * STAGE + (SIDE + across) * STRIDE;
#pragma unroll
                for (int n = 0; n < DEPTH; n += LANES) {
                    Piece a[EACH];
#pragma unroll
                    for (int i = 0; i < EACH; ++i)
                        a[i] = *reinterpret_cast<const Piece*>(left_tile + i * 16 * STRIDE + n);
#pragma unroll
                    for (int j = 0; j < EACH; ++j) {
                        const Piece b = *reinterpret_cast<const Piece*>(right_tile + j * 16 * STRIDE + n);
#pragma unroll
                        for (int i = 0; i < EACH; ++i)
#pragma unroll
                            for (int l = 0; l < LANES; ++l) total[i][j] += a[i].lane[l] * b.lane[l];
                    }
                }
                stage = 1 - stage;
            }
#pragma unroll
            for (int i = 0; i < EACH; ++i) {
                const int input = input_start + down + 16 * i;
                if (input >= inputs) continue;
#pragma unroll
                for (int j = 0; j < EACH; ++j) {
                    const int output = output_start + across + 16 * j;
                    if (output < outputs) sum[input * outputs + output] += total[i][j];
                }
            }
            __syncthreads();
        }
    }
}

__device__ constexpr int warps_down(int rows) {
    return rows > 8 * THREAD_ROWS ? 8 : rows > 4 * THREAD_ROWS ? 4 : rows > 2 * THREAD_ROWS ? 2 : 1;
}

__device__ constexpr int tile_columns(int down, int thread_columns) {
    return WARPS / down * 16 * thread_columns;
}

// Columns per thread: those that compute the fewest columns in vain; of equals, the most.
__device__ constexpr int thread_columns(int down, int columns) {
    int best = 2, fewest = 1 << 30;
    for (int each = 2; each <= 8; each += 2) {
        const int tile = tile_columns(down, each);
        const int bytes = 2 * DEPTH * (down * 2 * THREAD_ROWS + tile) * int(sizeof(number));
        const int computed = (columns + tile - 1) / tile * tile;
        if (bytes <= WORKSPACE_BYTES && computed <= fewest) {
            best = each;
            fewest = computed;
        }
    }
    return best;
}

template <int ROWS, int COLUMNS>
__device__ inline void tile_product(const number* left, int left_stride, const number* right, number* out, int inner,
                                    const number* bias, int places, Start start) {
    constexpr int DOWN = warps_down(ROWS);
    product<DOWN, thread_columns(DOWN, COLUMNS)>(left, left_stride, right, out, ROWS, COLUMNS, inner, bias, places,
                                                 start);
}

template <int INPUTS, int OUTPUTS>
__device__ inline void tile_outer_product(const number* left, const number* right, number* sum, int columns) {
    constexpr int WIDE = INPUTS > OUTPUTS ? INPUTS : OUTPUTS;
    outer_product<(WIDE > 64 ? THREAD_ROWS : WIDE > 32 ? 4 : 2)>(left, right, sum, INPUTS, OUTPUTS, columns);
}
