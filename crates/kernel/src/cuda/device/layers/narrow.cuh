// Products with a side of a few neurons, which would leave most of a tile empty.

// out[m][n] = sum over k of left[k][m] * right[k][n] for few rows: each warp takes every eighth k, and their sums are
// added in warp order. `bias` (or null) is added to the value channel, which is the first `places` columns.
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

// sum[i][o] += sum over n of left[i][n] * right[o][n], a warp per weight.
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
