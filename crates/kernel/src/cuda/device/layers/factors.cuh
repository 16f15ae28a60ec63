// Trainable factors of neurons: signals times factors, and what becomes of the factors' gradients.

// How many, and where they are among the parameters and among the packed numbers. One is that of all neurons.
struct Factors {
    int count;
    int parameters, packed;
};

// The factor of a neuron.
__device__ inline number factor_of(const Factors& factors, const number* packed, int neuron) {
    return packed[factors.packed + (factors.count == 1 ? 0 : neuron)];
}

// What factors multiply.
struct Values {
    const number* values;

    __device__ number operator[](int at) const { return values[at]; }
};

// The same where a share of one signal takes the place of as much of another.
struct Differences {
    const number *first, *second;

    __device__ number operator[](int at) const { return first[at] - second[at]; }
};

// output = factor * input.
template <int WIDTH, int COLUMNS>
__device__ inline void scale_layer(const Factors& factors, const number* packed, const number* input, number* output) {
    for (int at = threadIdx.x; at < WIDTH * COLUMNS; at += THREADS)
        output[at] = factor_of(factors, packed, at / COLUMNS) * input[at];
    __syncthreads();
}

// The adjoint of the input, or, with the `rest` of the factors to one, of what they take the place of.
template <int WIDTH, int COLUMNS>
__device__ inline void scale_layer_reverse(const Factors& factors, const number* packed, bool rest,
                                           const number* output_bar, number* input_bar, Start start) {
    for (int at = threadIdx.x; at < WIDTH * COLUMNS; at += THREADS) {
        const number factor = factor_of(factors, packed, at / COLUMNS);
        const number own = (rest ? number(1) - factor : factor) * output_bar[at];
        input_bar[at] = (start == ADD ? input_bar[at] : number(0)) + own;
    }
    __syncthreads();
}

// output = second + share * (first - second).
template <int WIDTH, int COLUMNS>
__device__ inline void blend_layer(const Factors& share, const number* packed, const number* first,
                                   const number* second, number* output) {
    for (int at = threadIdx.x; at < WIDTH * COLUMNS; at += THREADS)
        output[at] = second[at] + factor_of(share, packed, at / COLUMNS) * (first[at] - second[at]);
    __syncthreads();
}

// Adds a tile's gradient of factors to the block's own sums: a warp takes a neuron; where all neurons have one factor, the
// warps' sums follow in their order.
template <int WIDTH, int COLUMNS, typename Read>
__device__ inline void factor_sums(const Factors& factors, const number* bar, Read read, number* gradient) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const bool shared = factors.count == 1;
    number all = number(0);
    for (int neuron = warp; neuron < WIDTH; neuron += WARPS) {
        number total = number(0);
        for (int n = lane; n < COLUMNS; n += 32) total += read[neuron * COLUMNS + n] * bar[neuron * COLUMNS + n];
        total = warp_sum(total);
        all += total;
        if (!shared && lane == 0) gradient[factors.parameters + neuron] += total;
    }
    if (shared) {
        number* parts = workspace();
        if (lane == 0) parts[warp] = all;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int other = 1; other < WARPS; ++other) all += parts[other];
            gradient[factors.parameters] += all;
        }
    }
    __syncthreads();
}

// Writes the gradient of factors at `count` points into their rows.
template <int WIDTH, int COLUMNS, typename Read>
__device__ inline void factor_rows(const Factors& factors, const number* bar, Read read, double* rows,
                                   long long stride, int count) {
    for (int place = threadIdx.x; place < factors.count * count; place += THREADS) {
        const int factor = place / count, point = place % count;
        const int first = factors.count == 1 ? 0 : factor, end = factors.count == 1 ? WIDTH : factor + 1;
        double sum = 0;
        for (int neuron = first; neuron < end; ++neuron)
            for (int n = neuron * COLUMNS + point; n < (neuron + 1) * COLUMNS; n += POINTS)
                sum += double(read[n]) * double(bar[n]);
        rows[point * stride + factors.parameters + factor] = sum;
    }
    __syncthreads();
}
