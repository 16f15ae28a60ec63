// Parameters of a plain network for the fused step: weights as fragments, forward and transposed, and where a block's
// own gradient has them.

// Puts one weight into a matrix of fragments.
__device__ inline void put_weight(number* fragments, int row, int inner, number weight) {
    number* fragment = fragments + (inner / 16 * TILES + row / 16) * FRAGMENT;
#if TERMS > 0
    const int lane = row % 8 * 4 + inner % 8 / 2, part = row % 16 / 8 + inner % 16 / 8 * 2;
    unsigned terms[TERMS];
    split(weight, 0.0f, terms);
    for (int term = 0; term < TERMS; ++term)
        reinterpret_cast<Cell*>(fragment)[(term * 32 + lane) * 8 + part * 2 + inner % 2] =
            static_cast<Cell>(terms[term] & 0xffffu);
#else
    const int lane = row % 8 * 4 + inner % 4;
    fragment[(inner % 16 / 4 * 32 + lane) * 2 + row % 16 / 8] = weight;
#endif
}

// Calls `value` once for every parameter and packs what it gives; what fills up the fragments becomes zero.
template <typename Value>
__device__ inline void pack_network(number* packed, Value value) {
    const int thread = blockIdx.x * THREADS + threadIdx.x, threads = gridDim.x * THREADS;
    for (int at = thread; at < (FEATURE_ROWS + (HIDDEN - 1) * WIDTH) * WIDTH; at += threads) {
        const int output = at % WIDTH, line = at / WIDTH;
        const int layer = line < FEATURE_ROWS ? 0 : 1 + (line - FEATURE_ROWS) / WIDTH;
        const int input = layer == 0 ? line : (line - FEATURE_ROWS) % WIDTH;
        const bool inside = input < (layer == 0 ? FEATURES : NEURONS) && output < NEURONS;
        const number weight = inside ? number(value(WEIGHTS_AT[layer] + input * NEURONS + output)) : number(0);
        number* forward = packed + (layer == 0 ? 0 : FIRST_PACKED + 2 * (layer - 1) * SQUARE_PACKED);
        put_weight(forward, output, input, weight);
        if (layer > 0) put_weight(forward + SQUARE_PACKED, input, output, weight);
    }
    for (int at = thread; at < HIDDEN * WIDTH; at += threads) {
        const int layer = at / WIDTH, output = at % WIDTH;
        packed[BIASES_PACKED + at] = output < NEURONS ? number(value(BIAS_AT[layer] + output)) : number(0);
    }
    for (int at = thread; at < OUTPUTS * WIDTH; at += threads) {
        const int output = at / WIDTH, input = at % WIDTH;
        packed[HEAD_PACKED + at] =
            input < NEURONS ? number(value(WEIGHTS_AT[HIDDEN] + input * OUTPUTS + output)) : number(0);
    }
    for (int at = thread; at < OUTPUTS; at += threads)
        packed[HEAD_PACKED + OUTPUTS * WIDTH + at] = number(value(BIAS_AT[HIDDEN] + at));
}

// The parameter at a place of a block's own gradient, or -1.
__device__ inline int parameter_of(int place) {
    if (place < BIASES_GRADIENT) {
        const int layer = place < FIRST_GRADIENT ? 0 : 1 + (place - FIRST_GRADIENT) / (WIDTH * WIDTH);
        const int inside = layer == 0 ? place : (place - FIRST_GRADIENT) % (WIDTH * WIDTH);
        const int across = (layer == 0 ? FEATURE_ROWS : WIDTH) / 8;
        const int part = inside % 4, lane = inside / 4 % 32, tile = inside / 128;
        const int output = tile / across * 16 + part / 2 * 8 + lane / 4;
        const int input = tile % across * 8 + lane % 4 * 2 + part % 2;
        const bool real = output < NEURONS && input < (layer == 0 ? FEATURES : NEURONS);
        return real ? WEIGHTS_AT[layer] + input * NEURONS + output : -1;
    }
    if (place < HEAD_GRADIENT) {
        const int layer = (place - BIASES_GRADIENT) / WIDTH, output = (place - BIASES_GRADIENT) % WIDTH;
        return output < NEURONS ? BIAS_AT[layer] + output : -1;
    }
    const int at = place - HEAD_GRADIENT;
    if (at < OUTPUTS * WIDTH) {
        const int output = at / WIDTH, input = at % WIDTH;
        return input < NEURONS ? WEIGHTS_AT[HIDDEN] + input * OUTPUTS + output : -1;
    }
    return at < OUTPUTS * WIDTH + OUTPUTS ? BIAS_AT[HIDDEN] + at - OUTPUTS * WIDTH : -1;
}
