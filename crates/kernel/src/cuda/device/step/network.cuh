// Parameters of a plain network for the fused step: weights as fragments, forward and transposed, and where a block's
// own gradient has them.

// Puts one weight into a matrix of fragments.
__device__ inline void put_weight(number* fragments, int row, int inner, number weight) {
    number* fragment = fragments + (inner / 16 * TILES + row / 16) * FRAGMENT;
#if TERMS > 0
    const int lane = row % 8 * 4 + inner % 8 / 2, part = row % 16 / 8 + inner % 16 / 8 * 2;
    unsigned terms[TERMS];
    split(scaled_weight(weight), 0.0f, terms);
    for (int term = 0; term < TERMS; ++term)
        reinterpret_cast<Cell*>(fragment)[(term * 32 + lane) * 8 + part * 2 + inner % 2] =
            static_cast<Cell>(terms[term] & 0xffffu);
#else
    const int lane = row % 8 * 4 + inner % 4;
    fragment[(inner % 16 / 4 * 32 + lane) * 2 + row % 16 / 8] = as_factor(weight);
#endif
}

// Puts one weight of a hidden layer into its matrix and the transposed one. The first layer needs no transposed one.
__device__ inline void put_both(number* packed, int layer, int input, int output, number weight) {
    number* forward = packed + (layer == 0 ? 0 : FIRST_PACKED + 2 * (layer - 1) * SQUARE_PACKED);
    if (layer == 0 || input < 16 * INNER) put_weight(forward, output, input, weight);
    if (layer > 0 && output < 16 * INNER) put_weight(forward + SQUARE_PACKED, input, output, weight);
}

// Packs all parameters; what fills up the fragments becomes zero.
__device__ inline void pack_network(number* packed, const double* parameters) {
    const int thread = blockIdx.x * THREADS + threadIdx.x, threads = gridDim.x * THREADS;
    for (int at = thread; at < (FEATURE_ROWS + (HIDDEN - 1) * WIDTH) * WIDTH; at += threads) {
        const int output = at % WIDTH, line = at / WIDTH;
        const int layer = line < FEATURE_ROWS ? 0 : 1 + (line - FEATURE_ROWS) / WIDTH;
        const int input = layer == 0 ? line : (line - FEATURE_ROWS) % WIDTH;
        const bool inside = input < (layer == 0 ? FEATURES : NEURONS) && output < NEURONS;
        const int place = WEIGHTS_AT[layer] + input * NEURONS + output;
        put_both(packed, layer, input, output, inside ? number(parameters[place]) : number(0));
    }
    for (int at = thread; at < HIDDEN * WIDTH; at += threads) {
        const int layer = at / WIDTH, output = at % WIDTH;
        packed[BIASES_PACKED + at] = output < NEURONS ? number(parameters[BIAS_AT[layer] + output]) : number(0);
    }
    for (int at = thread; at < OUTPUTS * WIDTH; at += threads) {
        const int output = at / WIDTH, input = at % WIDTH;
        packed[HEAD_PACKED + at] =
            input < NEURONS ? number(parameters[WEIGHTS_AT[HIDDEN] + input * OUTPUTS + output]) : number(0);
    }
    for (int at = thread; at < OUTPUTS; at += threads)
        packed[HEAD_PACKED + OUTPUTS * WIDTH + at] = number(parameters[BIAS_AT[HIDDEN] + at]);
}

// A weight of a hidden layer, by its place in a block's own gradient.
struct Weight {
    int layer, input, output;

    __device__ explicit Weight(int place) {
        layer = place < FIRST_GRADIENT ? 0 : 1 + (place - FIRST_GRADIENT) / SQUARE_GRADIENT;
        const int inside = layer == 0 ? place : (place - FIRST_GRADIENT) % SQUARE_GRADIENT;
        // Tiles of 16 outputs by 8 inputs, the last outputs perhaps half of one.
        const int row = ((layer == 0 ? FEATURES : NEURONS) + 7) / 8 * 128, rest = inside % row;
        output = inside / row * 16;
        const int each = NEURONS % 16 > 0 && NEURONS % 16 <= 8 && output + 16 > NEURONS ? 2 : 4;
        const int part = rest % each, lane = rest / each % 32;
        output += part / 2 * 8 + lane / 4;
        input = rest / each / 32 * 8 + lane % 4 * 2 + part % 2;
    }
};

// The parameter at a place of a block's own gradient, or -1.
__device__ inline int parameter_of(int place) {
    if (place < BIASES_GRADIENT) {
        const Weight weight(place);
        const bool real = weight.output < NEURONS && weight.input < (weight.layer == 0 ? FEATURES : NEURONS);
        return real ? WEIGHTS_AT[weight.layer] + weight.input * NEURONS + weight.output : -1;
    }
    if (place < HEAD_GRADIENT) {
        const int layer = (place - BIASES_GRADIENT) / ROWS_GRADIENT, output = (place - BIASES_GRADIENT) % ROWS_GRADIENT;
        return output < NEURONS ? BIAS_AT[layer] + output : -1;
    }
    const int at = place - HEAD_GRADIENT;
    if (at < OUTPUTS * ROWS_GRADIENT) {
        const int output = at / ROWS_GRADIENT, input = at % ROWS_GRADIENT;
        return input < NEURONS ? WEIGHTS_AT[HIDDEN] + input * OUTPUTS + output : -1;
    }
    return at < OUTPUTS * ROWS_GRADIENT + OUTPUTS ? BIAS_AT[HIDDEN] + at - OUTPUTS * ROWS_GRADIENT : -1;
}

// Packs the parameter at a place of the gradient. Biases and the head's weights lie there as they are packed, but in
// shorter rows; the head's biases follow its weights.
__device__ inline void put_parameter(number* packed, int place, number value) {
    if (place < BIASES_GRADIENT) {
        const Weight weight(place);
        put_both(packed, weight.layer, weight.input, weight.output, value);
        return;
    }
    const int at = place - BIASES_GRADIENT, row = at / ROWS_GRADIENT;
    packed[BIASES_PACKED + (row < HIDDEN + OUTPUTS ? row * (WIDTH - ROWS_GRADIENT) : (HIDDEN + OUTPUTS) * (WIDTH - ROWS_GRADIENT)) + at] = value;
}
