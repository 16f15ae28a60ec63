// Gradients of a layer's weights: sum[i][o] += sum over n of left[i][n] * right[o][n], both signals of `columns`
// numbers per row. `sum` belongs to this block alone, so it is read, added to and written without atomics.

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

// The same where one side is a few neurons wide: a warp per weight.
__device__ __noinline__ void narrow_outer_product(const number* __restrict__ left, const number* __restrict__ right,
                                                  number* sum, int inputs, int outputs, int columns) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int place = warp; place < inputs * outputs; place += WARPS) {
        const number* a = left + place / outputs * columns;
        const number* b = right + place % outputs * columns;
        number total = number(0);
        for (int n = lane; n < columns; n += 32) total += a[n] * b[n];
        total = warp_sum(total);
        if (lane == 0) sum[place] += total;
    }
}

// Adds the value channel of every row to the bias's gradient.
__device__ __noinline__ void bias_gradient(const number* __restrict__ right, number* sum, int outputs, int columns,
                                           int places) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int output = warp; output < outputs; output += WARPS) {
        number total = number(0);
        for (int n = lane; n < places; n += 32) total += right[output * columns + n];
        total = warp_sum(total);
        if (lane == 0) sum[output] += total;
    }
}
