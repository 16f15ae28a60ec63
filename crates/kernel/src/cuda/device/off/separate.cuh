// Loss and gradient by separate launches, as frameworks do it: a library multiplies matrices, and these kernels do the
// rest between two products, on all points of a term at once.
//
// A signal is a matrix with one row per neuron. Points come in tiles of POINTS; a row has, tile after tile, all channels
// at all places of the tile. A signal that a product reads has one more row, with ones in the value channel: what the
// product multiplies with the bias.

// One tile, for the functions of a term.
struct Block {
    const Arguments& arguments;
    // The tile's own arrays.
    number* scratch;
    number* head;
    number* head_bar;
    // Numbers of a row.
    long long stride;
};

__device__ inline number scalar_of(const Block& block, int place) {
    return number(block.arguments.parameters[WEIGHTS + place]);
}

template <typename Term>
__device__ inline const number* head_of(const Block& block) {
    return block.head;
}

template <typename Term>
__device__ inline number* head_bar_of(const Block& block) {
    return block.head_bar;
}

template <typename Term>
__device__ inline long long head_stride(const Block& block) {
    return block.stride;
}

// All signals of a term.
template <typename Term>
struct Signals {
    const Arguments& arguments;
    unsigned tiles;
    long long stride;

    __device__ explicit Signals(const Arguments& given)
        : arguments(given), tiles(unsigned((given.points + Term::POINTS - 1) / Term::POINTS)),
          stride(static_cast<long long>(tiles) * Term::COLUMNS) {}

    // The value channel of one neuron at one place.
    __device__ number* at(int row, unsigned tile, int place) const {
        return arguments.scratch + row * stride + static_cast<long long>(tile) * Term::COLUMNS + place;
    }

    __device__ number* arrays(unsigned tile) const {
        return arguments.scratch + Term::ROWS * stride + static_cast<long long>(tile) * Term::ARRAYS;
    }

    // Coefficients of the channels at one place, PLACES numbers apart, and their adjoints.
    __device__ number* coefficients(unsigned tile, int place) const {
        return arrays(tile) + Term::COEFFICIENTS + place;
    }

    __device__ number* coefficients_bar(unsigned tile, int place) const {
        return arrays(tile) + Term::COEFFICIENTS_BAR + place;
    }

    __device__ Block block(unsigned tile) const {
        return Block{arguments, arrays(tile), at(Term::HEAD, tile, 0), at(Term::HEAD_BAR, tile, 0), stride};
    }

    // The numbers of a point; beyond the last one it is repeated.
    __device__ const double* row(unsigned tile, int point) const {
        const long long number = static_cast<long long>(tile) * Term::POINTS + point;
        return arguments.rows + (number < arguments.points ? number : arguments.points - 1) * Term::ROW;
    }
};

// Calls `each` for every neuron, tile and place; neighbours are places.
template <typename Term, typename Each>
__device__ inline void for_places(const Signals<Term>& signals, int neurons, Each each) {
    const unsigned all = unsigned(neurons) * signals.tiles;
    if constexpr (THREADS % Term::PLACES == 0) {
        constexpr unsigned AT_ONCE = THREADS / Term::PLACES;
        const int place = threadIdx.x % Term::PLACES;
        for (unsigned number = blockIdx.x * AT_ONCE + threadIdx.x / Term::PLACES; number < all;
             number += gridDim.x * AT_ONCE)
            each(int(number / signals.tiles), number % signals.tiles, place);
    } else {
        // Many places of a point, as integrals have: a tile is shared out among blocks.
        const unsigned long long places = static_cast<unsigned long long>(all) * Term::PLACES;
        for (unsigned long long at = blockIdx.x * static_cast<unsigned long long>(THREADS) + threadIdx.x; at < places;
             at += static_cast<unsigned long long>(gridDim.x) * THREADS) {
            const unsigned number = unsigned(at / Term::PLACES);
            each(int(number / signals.tiles), number % signals.tiles, int(at % Term::PLACES));
        }
    }
}

// The same, where `each` also adds to adjoints of coefficients, if any train: then one thread takes all neurons of a
// place, so that they are added up in one order.
template <typename Term, typename Each>
__device__ inline void for_places_gathering(const Signals<Term>& signals, int neurons, Each each) {
    if constexpr (Term::TRAINED == 0) {
        for_places(signals, neurons, [&](int n, unsigned tile, int place) { each(n, tile, place, nullptr); });
    } else {
        for_places(signals, 1, [&](int, unsigned tile, int place) {
            number gathered[Term::TRAINED] = {};
            for (int n = 0; n < neurons; ++n) each(n, tile, place, gathered);
            number* sums = signals.coefficients_bar(tile, place);
            for (int c = 0; c < Term::TRAINED; ++c) sums[c * Term::PLACES] += gathered[c];
        });
    }
}

// The row that products multiply with the bias.
template <typename Term>
__device__ inline void write_ones(const Signals<Term>& signals, int row) {
    for_places(signals, 1, [&](int, unsigned tile, int place) {
        for (int channel = 0; channel < Term::CHANNELS; ++channel)
            signals.at(row, tile, place)[channel * Term::PLACES] = number(channel == 0 ? 1 : 0);
    });
}

// output = left + right.
template <typename Term>
__device__ inline void add_layer(const Signals<Term>& signals, int left, int right, int output, int width) {
    for_places(signals, width, [&](int n, unsigned tile, int place) {
        for (int at = 0; at < Term::COLUMNS; at += Term::PLACES)
            signals.at(output + n, tile, place)[at] =
                signals.at(left + n, tile, place)[at] + signals.at(right + n, tile, place)[at];
    });
}

template <typename Term>
__device__ inline void add_layer_reverse(const Signals<Term>& signals, int output_bar, int left_bar, bool left_adds,
                                         int right_bar, bool right_adds, int width) {
    for_places(signals, width, [&](int n, unsigned tile, int place) {
        for (int at = 0; at < Term::COLUMNS; at += Term::PLACES) {
            const number bar = signals.at(output_bar + n, tile, place)[at];
            number& left = signals.at(left_bar + n, tile, place)[at];
            left = (left_adds ? left : number(0)) + bar;
            number& right = signals.at(right_bar + n, tile, place)[at];
            right = (right_adds ? right : number(0)) + bar;
        }
    });
}

// The sum of a value over the threads of a block, in a fixed order; thread 0 has it.
__device__ inline double block_sum(double value) {
    double* parts = reinterpret_cast<double*>(workspace());
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int warp = 1; warp < WARPS; ++warp) value += parts[warp];
    __syncthreads();
    return value;
}

// What a neuron's factors receive: the sums over all rows of a signal times the adjoint of the output, one block per neuron;
// where all neurons have one factor, one block for all.
template <typename Term, typename Value>
__device__ inline void add_factors(const Signals<Term>& signals, int factors, bool shared, int bar, int width,
                                   Value value) {
    double total = 0;
    for (int n = shared ? 0 : blockIdx.x; n < width; n += shared ? 1 : gridDim.x) {
        if (shared && blockIdx.x != 0) return;
        const number* own = signals.at(bar + n, 0, 0);
        for (long long at = threadIdx.x; at < signals.stride; at += THREADS)
            total += double(value(n, at)) * double(own[at]);
        if (shared && n + 1 < width) continue;
        total = block_sum(total);
        number* gradient = signals.arguments.gradients + factors + (shared ? 0 : n);
        if (threadIdx.x == 0) *gradient += number(total);
        total = 0;
    }
}

// output = factor * input.
template <typename Term>
__device__ inline void scale_layer(const Signals<Term>& signals, int factors, bool shared, int input, int output,
                                   int width) {
    for_places(signals, width, [&](int n, unsigned tile, int place) {
        const number factor = signals.arguments.weights[factors + (shared ? 0 : n)];
        for (int at = 0; at < Term::COLUMNS; at += Term::PLACES)
            signals.at(output + n, tile, place)[at] = factor * signals.at(input + n, tile, place)[at];
    });
}

template <typename Term>
__device__ inline void scale_layer_reverse(const Signals<Term>& signals, int factors, bool shared, int input,
                                           int output_bar, int input_bar, bool adds, int width) {
    for_places(signals, width, [&](int n, unsigned tile, int place) {
        const number factor = signals.arguments.weights[factors + (shared ? 0 : n)];
        for (int at = 0; at < Term::COLUMNS; at += Term::PLACES) {
            number& bar = signals.at(input_bar + n, tile, place)[at];
            bar = (adds ? bar : number(0)) + factor * signals.at(output_bar + n, tile, place)[at];
        }
    });
    add_factors(signals, factors, shared, output_bar, width,
                [&](int n, long long at) { return signals.at(input + n, 0, 0)[at]; });
}

// output = second + share * (first - second).
template <typename Term>
__device__ inline void blend_layer(const Signals<Term>& signals, int share, int first, int second, int output,
                                   int width) {
    const number part = signals.arguments.weights[share];
    for_places(signals, width, [&](int n, unsigned tile, int place) {
        for (int at = 0; at < Term::COLUMNS; at += Term::PLACES) {
            const number other = signals.at(second + n, tile, place)[at];
            signals.at(output + n, tile, place)[at] = other + part * (signals.at(first + n, tile, place)[at] - other);
        }
    });
}

template <typename Term>
__device__ inline void blend_layer_reverse(const Signals<Term>& signals, int share, int first, int second,
                                           int output_bar, int first_bar, bool first_adds, int second_bar,
                                           bool second_adds, int width) {
    const number part = signals.arguments.weights[share];
    for_places(signals, width, [&](int n, unsigned tile, int place) {
        for (int at = 0; at < Term::COLUMNS; at += Term::PLACES) {
            const number bar = signals.at(output_bar + n, tile, place)[at];
            number& one = signals.at(first_bar + n, tile, place)[at];
            one = (first_adds ? one : number(0)) + part * bar;
            number& other = signals.at(second_bar + n, tile, place)[at];
            other = (second_adds ? other : number(0)) + (number(1) - part) * bar;
        }
    });
    add_factors(signals, share, true, output_bar, width, [&](int n, long long at) {
        return signals.at(first + n, 0, 0)[at] - signals.at(second + n, 0, 0)[at];
    });
}

// Neighbouring neurons of a signal, as one of their own.
template <typename Term>
__device__ inline void copy_layer(const Signals<Term>& signals, int input, int output, int width) {
    for_places(signals, width, [&](int n, unsigned tile, int place) {
        for (int at = 0; at < Term::COLUMNS; at += Term::PLACES)
            signals.at(output + n, tile, place)[at] = signals.at(input + n, tile, place)[at];
    });
}

// Of `all` neurons, the copied ones begin with `first`.
template <typename Term>
__device__ inline void copy_layer_reverse(const Signals<Term>& signals, int output_bar, int input_bar, bool adds, int all,
                                          int first, int width) {
    for_places(signals, all, [&](int n, unsigned tile, int place) {
        const bool copied = n >= first && n < first + width;
        for (int at = 0; at < Term::COLUMNS; at += Term::PLACES) {
            number& bar = signals.at(input_bar + n, tile, place)[at];
            const number more = copied ? signals.at(output_bar + n - first, tile, place)[at] : number(0);
            bar = (adds ? bar : number(0)) + more;
        }
    });
}

// Calls `each` for every point of whole tiles.
template <typename Term, typename Each>
__device__ inline void for_points(const Signals<Term>& signals, Each each) {
    const unsigned all = signals.tiles * Term::POINTS;
    for (unsigned number = blockIdx.x * THREADS + threadIdx.x; number < all; number += gridDim.x * THREADS)
        each(number / Term::POINTS, int(number % Term::POINTS));
}

// Residuals: their squares to the block's sums, their adjoints to the network's outputs. `first` is the number of the
// term's first residual in the plan.
template <typename Term>
__device__ inline void seed_losses(const Signals<Term>& signals, int first) {
    const Arguments& arguments = signals.arguments;
    double squares[Term::RESIDUALS] = {};
    for_points(signals, [&](unsigned tile, int point) {
        const Block block = signals.block(tile);
        for (int output = 0; output < Term::OUTPUTS; ++output)
            for (int at = point; at < Term::COLUMNS; at += Term::POINTS)
                block.head_bar[output * block.stride + at] = number(0);
        for (int scalar = 0; scalar < SCALARS; ++scalar)
            block.scratch[Term::SCALAR_BARS + scalar * Term::POINTS + point] = number(0);
        const double* row = signals.row(tile, point);
        const bool inside = static_cast<long long>(tile) * Term::POINTS + point < arguments.points;
        number seeds[Term::RESIDUALS];
        Term::residuals(block, row, point, seeds);
        for (int k = 0; k < Term::RESIDUALS; ++k) {
            if (inside) squares[k] += double(seeds[k]) * double(seeds[k]);
            seeds[k] = inside ? number(arguments.factors[first + k]) * seeds[k] : number(0);
        }
        Term::residuals_adjoint(block, row, point, seeds);
    });
    double* sums = arguments.sums + blockIdx.x * SUMS + SCALARS + first;
    for (int k = 0; k < Term::RESIDUALS; ++k) {
        const double total = block_sum(squares[k]);
        if (threadIdx.x == 0) sums[k] += total;
    }
}

// Adds the scalars' adjoints over the points to the block's sums.
template <typename Term>
__device__ inline void sum_scalars(const Signals<Term>& signals) {
    double totals[SCALARS > 0 ? SCALARS : 1] = {};
    for_points(signals, [&](unsigned tile, int point) {
        const number* bars = signals.arrays(tile) + Term::SCALAR_BARS + point;
        for (int scalar = 0; scalar < SCALARS; ++scalar) totals[scalar] += double(bars[scalar * Term::POINTS]);
    });
    for (int scalar = 0; scalar < SCALARS; ++scalar) {
        const double total = block_sum(totals[scalar]);
        if (threadIdx.x == 0) signals.arguments.sums[blockIdx.x * SUMS + scalar] += total;
    }
}

__device__ inline void clear_all(const Arguments& arguments) {
    const long long threads = static_cast<long long>(gridDim.x) * THREADS;
    const long long first = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
    for (long long place = first; place < GRADIENT; place += threads) arguments.gradients[place] = number(0);
    for (long long place = first; place < arguments.blocks * SUMS; place += threads) arguments.sums[place] = 0;
}

// Keeps every weight in the precision of products.
__device__ inline void pack_weights(number* packed, const double* parameters) {
    const int threads = gridDim.x * THREADS;
    for (int place = blockIdx.x * THREADS + threadIdx.x; place < WEIGHTS; place += threads)
        packed[place] = number(parameters[place]);
}
