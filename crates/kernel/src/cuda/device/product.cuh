// Products of a layer: out[m][n] = sum over k of left[k][m] * right[k][n].
//
// `left` is a packed matrix with rows of `left_stride` numbers (a multiple of a 16-byte piece); `right` and `out`
// are signals: one row per neuron, `columns` numbers each, channels outermost and places innermost.

// Rows of one thread; its lanes are 2 along m by 16 along n.
constexpr int THREAD_ROWS = sizeof(number) == 4 ? 8 : 4;

enum Start { REPLACE, ADD };

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

// The same for few rows: each warp takes every eighth k, and their sums are added in warp order.
__device__ __noinline__ void narrow_product(const number* __restrict__ left, int left_stride,
                                            const number* __restrict__ right, number* out, int rows, int columns,
                                            int inner, const number* bias, int places) {
    constexpr int AT_ONCE = 4;
    number* sums = workspace();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int row_start = 0; row_start < rows; row_start += AT_ONCE) {
        for (int column_start = 0; column_start < columns; column_start += 32) {
            const int n = column_start + lane;
            number sum[AT_ONCE] = {};
            if (n < columns) {
#pragma unroll 4
                for (int k = warp; k < inner; k += WARPS) {
                    const number value = right[k * columns + n];
#pragma unroll
                    for (int i = 0; i < AT_ONCE; ++i) sum[i] += left[k * left_stride + row_start + i] * value;
                }
            }
#pragma unroll
            for (int i = 0; i < AT_ONCE; ++i) sums[(warp * AT_ONCE + i) * 32 + lane] = sum[i];
            __syncthreads();
            const int m = row_start + warp;
            if (warp < AT_ONCE && m < rows && n < columns) {
                number total = bias && n < places ? bias[m] : number(0);
                for (int part = 0; part < WARPS; ++part) total += sums[(part * AT_ONCE + warp) * 32 + lane];
                out[m * columns + n] = total;
            }
            __syncthreads();
        }
    }
}
