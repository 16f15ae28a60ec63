// Rows and residuals of narrow networks: a warp takes a few points through all layers and back, its lanes have neurons of their
// own. What they tell each other lies in shared memory: weights of the whole network for all warps of a block, and every
// warp's own values. Nobody waits for another warp.

#ifdef STAND_IN
alignas(16) static unsigned char shared_memory[SHARED_BYTES];
#else
extern __shared__ __align__(16) unsigned char shared_memory[];
#endif

// Neurons of a lane. Weights from one input to the next: lanes that read one output's weights are then in different banks.
constexpr int EACH_LANE = (NEURONS + 31) / 32, WEIGHT_STRIDE = NEURONS | 1;
// Where weights lie in shared memory: hidden layers by input and output, then biases, then the head's weights and biases.
constexpr int SQUARES_NEAR = FEATURES * WEIGHT_STRIDE;
constexpr int BIASES_NEAR = SQUARES_NEAR + (HIDDEN - 1) * NEURONS * WEIGHT_STRIDE;
constexpr int HEAD_NEAR = BIASES_NEAR + HIDDEN * NEURONS;
constexpr int WEIGHTS_NEAR = (HEAD_NEAR + (NEURONS + 1) * OUTPUTS + LANES - 1) / LANES * LANES;

__device__ inline int inputs_of(int layer) {
    return layer == 0 ? FEATURES : NEURONS;
}

__device__ inline const number* near_weights(int layer) {
    const number* weights = reinterpret_cast<const number*>(shared_memory);
    return weights + (layer == 0 ? 0 : SQUARES_NEAR + (layer - 1) * NEURONS * WEIGHT_STRIDE);
}

// Brings all weights into shared memory.
__device__ inline void bring_weights(const double* parameters) {
    number* near = reinterpret_cast<number*>(shared_memory);
    for (int layer = 0; layer < HIDDEN; ++layer) {
        number* to = const_cast<number*>(near_weights(layer));
        for (int place = threadIdx.x; place < inputs_of(layer) * NEURONS; place += THREADS)
            to[place / NEURONS * WEIGHT_STRIDE + place % NEURONS] = number(parameters[WEIGHTS_AT[layer] + place]);
        for (int place = threadIdx.x; place < NEURONS; place += THREADS)
            near[BIASES_NEAR + layer * NEURONS + place] = number(parameters[BIAS_AT[layer] + place]);
    }
    for (int place = threadIdx.x; place < NEURONS * OUTPUTS; place += THREADS)
        near[HEAD_NEAR + place] = number(parameters[WEIGHTS_AT[HIDDEN] + place]);
    for (int place = threadIdx.x; place < OUTPUTS; place += THREADS)
        near[HEAD_NEAR + NEURONS * OUTPUTS + place] = number(parameters[BIAS_AT[HIDDEN] + place]);
    __syncthreads();
}

// Points of a term on their way; `block.scratch` is the warp's own.
template <typename Term>
struct Passage {
    static constexpr int COLUMNS = Term::COLUMNS, CHANNELS = Term::CHANNELS, PLACES = Term::PLACES, POINTS = Term::POINTS;
    typedef typename Term::Net::Jets Jets;
    typedef number Own[EACH_LANE][COLUMNS];

    const Block& block;
    const double* rows;
    // Points that there are; behind them the last one is repeated.
    int count;

    __device__ static int lane() {
        return threadIdx.x % 32;
    }

    // A neuron of this lane. Behind the last one it is repeated; nothing of that is kept.
    __device__ static int neuron(int part) {
        const int own = lane() + 32 * part;
        return own < NEURONS ? own : NEURONS - 1;
    }

    __device__ static bool is_neuron(int part) {
        return lane() + 32 * part < NEURONS;
    }

    // What a layer's activation is applied to, and its values.
    __device__ number* sums(int layer) const {
        return block.scratch + Term::VALUES + (FEATURES + 2 * layer * NEURONS) * COLUMNS;
    }

    __device__ number* values(int layer) const {
        return sums(layer) + NEURONS * COLUMNS;
    }

    __device__ number* inputs(int layer) const {
        return layer == 0 ? block.scratch + Term::VALUES : values(layer - 1);
    }

    __device__ const double* row(int point) const {
        return row_of<Term>(rows, count, point);
    }

    // All columns of a neuron.
    __device__ static void read_columns(number (&to)[COLUMNS], const number* from) {
        if constexpr (COLUMNS % LANES == 0) {
#pragma unroll
            for (int column = 0; column < COLUMNS; column += LANES) {
                const Piece piece = *reinterpret_cast<const Piece*>(from + column);
#pragma unroll
                for (int lane = 0; lane < LANES; ++lane) to[column + lane] = piece.lane[lane];
            }
        } else {
#pragma unroll
            for (int column = 0; column < COLUMNS; ++column) to[column] = from[column];
        }
    }

    __device__ void read_coefficients(number* k, int place) const {
#pragma unroll
        for (int c = 0; c < Term::COEFFICIENT_COUNT; ++c) k[c] = block.scratch[Term::COEFFICIENTS + c * PLACES + place];
    }

    // From the coordinates to the residuals, which stay in the scratch memory.
    __device__ void forward() const {
        if constexpr (Term::COEFFICIENT_COUNT > 0) {
            for (int place = lane(); place < PLACES; place += 32)
                Term::coefficients(block, row(place % POINTS), place / POINTS, block.scratch + Term::COEFFICIENTS + place);
            __syncwarp();
        }
        for (int at = lane(); at < FEATURES * PLACES; at += 32) {
            const int n = at / PLACES, place = at % PLACES;
            number h[CHANNELS], k[Term::COEFFICIENT_ROOM];
            read_coefficients(k, place);
            Jets::feature(n, row(place % POINTS) + place / POINTS * COORDINATES, h, k);
#pragma unroll
            for (int c = 0; c < CHANNELS; ++c) inputs(0)[n * COLUMNS + c * PLACES + place] = h[c];
        }
        __syncwarp();
#pragma unroll 1
        for (int layer = 0; layer < HIDDEN; ++layer) {
            Own sum;
            add_inputs(sum, layer);
            activate(sum, layer);
            __syncwarp();
        }
        const number* head = reinterpret_cast<const number*>(shared_memory) + HEAD_NEAR;
        const number* last = values(HIDDEN - 1);
        for (int place = lane(); place < OUTPUTS * COLUMNS; place += 32) {
            const int output = place / COLUMNS, column = place % COLUMNS;
            number total = column < PLACES ? head[NEURONS * OUTPUTS + output] : number(0);
#pragma unroll 4
            for (int n = 0; n < NEURONS; ++n) total += head[n * OUTPUTS + output] * last[n * COLUMNS + column];
            block.scratch[Term::HEAD + place] = total;
        }
        __syncwarp();
        if (lane() < POINTS) {
            number found[Term::RESIDUALS];
            Term::residuals(block, row(lane()), lane(), found);
#pragma unroll
            for (int k = 0; k < Term::RESIDUALS; ++k) block.scratch[Term::KEPT + k * POINTS + lane()] = found[k];
        }
        __syncwarp();
    }

    // The sums of a layer.
    __device__ void add_inputs(Own& sum, int layer) const {
        const number *from = inputs(layer), *weights = near_weights(layer);
        const number* biases = reinterpret_cast<const number*>(shared_memory) + BIASES_NEAR + layer * NEURONS;
#pragma unroll
        for (int part = 0; part < EACH_LANE; ++part)
#pragma unroll
            for (int column = 0; column < COLUMNS; ++column)
                sum[part][column] = column < PLACES ? biases[neuron(part)] : number(0);
        const int inputs_here = inputs_of(layer);
#pragma unroll 4
        for (int i = 0; i < inputs_here; ++i) {
            number columns[COLUMNS];
            read_columns(columns, from + i * COLUMNS);
#pragma unroll
            for (int part = 0; part < EACH_LANE; ++part) {
                const number weight = weights[i * WEIGHT_STRIDE + neuron(part)];
#pragma unroll
                for (int column = 0; column < COLUMNS; ++column) sum[part][column] += weight * columns[column];
            }
        }
    }

    // The layer's values from its sums; both are kept for the way back.
    __device__ void activate(const Own& sum, int layer) const {
#pragma unroll
        for (int part = 0; part < EACH_LANE; ++part) {
            if (!is_neuron(part)) continue;
            const int at = neuron(part) * COLUMNS;
#pragma unroll
            for (int place = 0; place < PLACES; ++place) {
                number z[CHANNELS], h[CHANNELS], k[Term::COEFFICIENT_ROOM];
                read_coefficients(k, place);
#pragma unroll
                for (int c = 0; c < CHANNELS; ++c) z[c] = sum[part][c * PLACES + place];
                Jets::forward(z, h, k);
#pragma unroll
                for (int c = 0; c < CHANNELS; ++c) {
                    sums(layer)[at + c * PLACES + place] = z[c];
                    values(layer)[at + c * PLACES + place] = h[c];
                }
            }
        }
    }

    // The derivatives of a residual, times `scale`, into the points' rows, `Term::RESIDUALS` apart.
    __device__ void reverse(int residual, double scale, double* to) const {
        for (int place = lane(); place < OUTPUTS * COLUMNS; place += 32) block.scratch[Term::HEAD_BAR + place] = number(0);
        for (int place = lane(); place < SCALARS * POINTS; place += 32)
            block.scratch[Term::SCALAR_BARS + place] = number(0);
        __syncwarp();
        if (lane() < POINTS) {
            number seeds[Term::RESIDUALS];
#pragma unroll
            for (int k = 0; k < Term::RESIDUALS; ++k) seeds[k] = number(k == residual ? scale : 0);
            Term::residuals_adjoint(block, row(lane()), lane(), seeds);
        }
        __syncwarp();
        Own bar;
        head_reverse(bar, to);
#pragma unroll 1
        for (int layer = HIDDEN - 1;; --layer) {
            activation_reverse(bar, layer);
            write_layer(bar, layer, to);
            if (layer == 0) break;
            pass_back(bar, layer);
        }
        for (int place = lane(); place < SCALARS * POINTS; place += 32)
            write(to, place % POINTS, WEIGHTS + place / POINTS, block.scratch[Term::SCALAR_BARS + place]);
    }

    // A number of a point's row.
    __device__ void write(double* to, int point, int column, number value) const {
        if (point < count) to[static_cast<long long>(point) * Term::RESIDUALS * STRIDE + column] = double(value);
    }

    // From the adjoints of the outputs to those of the last layer's values.
    __device__ void head_reverse(Own& bar, double* to) const {
        const number* head = reinterpret_cast<const number*>(shared_memory) + HEAD_NEAR;
        const number* bars = block.scratch + Term::HEAD_BAR;
#pragma unroll
        for (int part = 0; part < EACH_LANE; ++part) {
            const number* own = values(HIDDEN - 1) + neuron(part) * COLUMNS;
#pragma unroll
            for (int column = 0; column < COLUMNS; ++column) bar[part][column] = number(0);
            for (int output = 0; output < OUTPUTS; ++output) {
                const number weight = head[neuron(part) * OUTPUTS + output];
                number total[POINTS] = {};
#pragma unroll
                for (int column = 0; column < COLUMNS; ++column) {
                    const number from = bars[output * COLUMNS + column];
                    bar[part][column] += weight * from;
                    total[column % POINTS] += own[column] * from;
                }
#pragma unroll
                for (int point = 0; point < POINTS; ++point)
                    if (is_neuron(part))
                        write(to, point, WEIGHTS_AT[HIDDEN] + neuron(part) * OUTPUTS + output, total[point]);
            }
        }
        for (int at = lane(); at < OUTPUTS * POINTS; at += 32) {
            const int output = at / POINTS, point = at % POINTS;
            number total = number(0);
            for (int place = point; place < PLACES; place += POINTS) total += bars[output * COLUMNS + place];
            write(to, point, BIAS_AT[HIDDEN] + output, total);
        }
    }

    // Adjoints of a layer's values to those of its sums, which they replace.
    __device__ void activation_reverse(Own& bar, int layer) const {
#pragma unroll
        for (int part = 0; part < EACH_LANE; ++part) {
            const number* own = sums(layer) + neuron(part) * COLUMNS;
#pragma unroll
            for (int place = 0; place < PLACES; ++place) {
                number z[CHANNELS], h_bar[CHANNELS], z_bar[CHANNELS], k[Term::COEFFICIENT_ROOM];
                read_coefficients(k, place);
#pragma unroll
                for (int c = 0; c < CHANNELS; ++c) {
                    z[c] = own[c * PLACES + place];
                    h_bar[c] = bar[part][c * PLACES + place];
                }
                Jets::reverse(z, h_bar, z_bar, k);
#pragma unroll
                for (int c = 0; c < CHANNELS; ++c) bar[part][c * PLACES + place] = z_bar[c];
            }
        }
    }

    // The derivatives along a layer's weights and biases.
    __device__ void write_layer(const Own& bar, int layer, double* to) const {
        const number* from = inputs(layer);
        const int inputs_here = inputs_of(layer), weights = WEIGHTS_AT[layer], biases = BIAS_AT[layer];
#pragma unroll 4
        for (int i = 0; i < inputs_here; ++i) {
            number columns[COLUMNS];
            read_columns(columns, from + i * COLUMNS);
#pragma unroll
            for (int part = 0; part < EACH_LANE; ++part) {
                number total[POINTS] = {};
#pragma unroll
                for (int column = 0; column < COLUMNS; ++column) total[column % POINTS] += columns[column] * bar[part][column];
#pragma unroll
                for (int point = 0; point < POINTS; ++point)
                    if (is_neuron(part)) write(to, point, weights + i * NEURONS + neuron(part), total[point]);
            }
        }
#pragma unroll
        for (int part = 0; part < EACH_LANE; ++part)
#pragma unroll
            for (int point = 0; point < POINTS; ++point) {
                number total = number(0);
#pragma unroll
                for (int place = point; place < PLACES; place += POINTS) total += bar[part][place];
                if (is_neuron(part)) write(to, point, biases + neuron(part), total);
            }
    }

    // Adjoints of a layer's sums to those of the values before it, which they replace.
    __device__ void pass_back(Own& bar, int layer) const {
        number* told = block.scratch + Term::BARS;
#pragma unroll
        for (int part = 0; part < EACH_LANE; ++part)
#pragma unroll
            for (int column = 0; column < COLUMNS; ++column) {
                if (is_neuron(part)) told[neuron(part) * COLUMNS + column] = bar[part][column];
                bar[part][column] = number(0);
            }
        __syncwarp();
        const number* weights = near_weights(layer);
#pragma unroll 4
        for (int output = 0; output < NEURONS; ++output) {
            number columns[COLUMNS];
            read_columns(columns, told + output * COLUMNS);
#pragma unroll
            for (int part = 0; part < EACH_LANE; ++part) {
                const number weight = weights[neuron(part) * WEIGHT_STRIDE + output];
#pragma unroll
                for (int column = 0; column < COLUMNS; ++column) bar[part][column] += weight * columns[column];
            }
        }
        // Behind this the next layer's may be told.
        __syncwarp();
    }
};

// A warp's own scratch memory.
__device__ inline Block warp_block(const Arguments& arguments) {
    number* scratch = reinterpret_cast<number*>(shared_memory) + WEIGHTS_NEAR + threadIdx.x / 32 * WARP_SCRATCH;
    return Block{arguments, scratch, nullptr, nullptr, arguments.parameters + WEIGHTS};
}

// Residuals of some points, and their rows where `output` is not null: scaled derivatives, the scaled residual behind them,
// and zeros up to whole tiles of the product that follows.
template <typename Term>
__device__ inline void pass_points(const Block& block, const double* rows, int count, const double* scales, double* output,
                                   double* values) {
    const Passage<Term> passage{block, rows, count};
    passage.forward();
    const int lane = threadIdx.x % 32;
    const number* kept = block.scratch + Term::KEPT;
    for (int at = lane; at < count * Term::RESIDUALS; at += 32)
        values[at] = double(kept[at % Term::RESIDUALS * Term::POINTS + at / Term::RESIDUALS]);
    if (output)
        for (int k = 0; k < Term::RESIDUALS; ++k) {
            passage.reverse(k, scales[k], output + static_cast<long long>(k) * STRIDE);
            for (int point = 0; point < count; ++point) {
                double* to = output + (static_cast<long long>(point) * Term::RESIDUALS + k) * STRIDE;
                for (int column = PARAMETERS + lane; column < STRIDE; column += 32)
                    to[column] = column == PARAMETERS ? scales[k] * double(kept[k * Term::POINTS + point]) : 0.0;
            }
        }
    // Behind this the next points may use the memory.
    __syncwarp();
}
