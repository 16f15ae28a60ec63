// Half precision has few exponents. Two terms of it are as accurate as single precision where numbers are near the largest
// that it has: values and adjoints are multiplied by a power of two, one for each channel of a tile's layer, and weights by
// the same one always, which leaves room for weights up to 4000. Other numbers need none of that.

#if SCALED
constexpr int WEIGHT_EXPONENT = 4;

// Of values and adjoints: what undoes it must be a number, too.
constexpr int MOST_EXPONENT = 100;

__device__ inline float exact_power(int exponent) {
    return __uint_as_float(unsigned(127 + exponent) << 23);
}

// The exponent that brings a size, given as its bits, to 2^14. Zeros may have any: the largest is in nobody's way.
__device__ inline int fitting(unsigned bits) {
    const int exponent = 141 - int(bits >> 23);
    return exponent < -60 ? -60 : exponent > MOST_EXPONENT ? MOST_EXPONENT : exponent;
}

__device__ inline float scaled_weight(float weight) {
    return weight * exact_power(WEIGHT_EXPONENT);
}
#else
__device__ inline number scaled_weight(number weight) {
    return weight;
}
#endif

// What the values of a layer are multiplied by before they are rounded, for each channel: a power of two, or nothing. Made
// of the largest of each channel.
template <int CHANNELS>
struct ScalesOf {
#if SCALED
    int exponents[CHANNELS];

    __device__ explicit ScalesOf(const unsigned* sizes) {
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) exponents[c] = fitting(sizes[c]);
    }

    // Of adjoints whose products with values of these scales are summed over all channels: what products are multiplied by
    // is the same for all of them. `common` is its exponent.
    __device__ ScalesOf(const ScalesOf& values, const ScalesOf& own, int& common) {
        common = MOST_EXPONENT;
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            const int both = values.exponents[c] + own.exponents[c];
            common = both < common ? both : common;
        }
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            const int rest = common - values.exponents[c];
            exponents[c] = rest < -120 ? -120 : rest;
        }
    }

    __device__ number apply(int channel, number value) const {
        return value * exact_power(exponents[channel]);
    }

    // What undoes it behind a product with weights.
    __device__ number unscale(int channel) const {
        return exact_power(-exponents[channel] - WEIGHT_EXPONENT);
    }
#else
    __device__ explicit ScalesOf(const unsigned*) {}

    __device__ number apply(int, number value) const {
        return value;
    }
#endif
};
