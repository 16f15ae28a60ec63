// The fused step: a tile of points through a plain network and back; only what activations are applied to leaves the
// multiprocessor. `Net` is the network with the channels of a term, written out by the emitter.
//
// A thread holds results of products at rows g and g + 8 of its warp's tiles and two columns of every 8. Columns are
// sorted by channel, then place, so that it holds all channels of its neurons and places: the chain rule needs no
// other thread.

#ifdef STAND_IN
alignas(16) static unsigned char shared_memory[SHARED_BYTES];
#else
extern __shared__ __align__(16) unsigned char shared_memory[];
#endif

template <typename Net>
struct Walk {
    static constexpr int CHANNELS = Net::CHANNELS, PLACES = Net::PLACES, COLUMNS = Net::COLUMNS;
    static constexpr int ACROSS = COLUMNS / 8, PLACE_TILES = PLACES / 8;
    // Tiles of places that are written out where the head is applied, once per tile of points: with many the others follow
    // in a loop, for there is less to compile then.
    static constexpr int HEAD_TILES = PLACE_TILES > 2 ? 1 : 2;
    // The instruction of four warps must not stand in a function that is called.
    static constexpr bool TOGETHER = !Net::CALLED;
    typedef number Sums[DOWN][ACROSS][4];
    typedef ScalesOf<CHANNELS> Scales;

    // Its `scratch` is in shared memory, behind the cells.
    const Block& block;
    const double* rows;
    int count;
    // Numbers of a point.
    int row;
    // Which tile.
    int tile;
    // Whether nothing was added to the gradient before.
    bool first;

    __device__ Cell* cells() const {
        return reinterpret_cast<Cell*>(shared_memory);
    }

    __device__ static int neuron(int down, int half) {
        return (threadIdx.x / 32 * DOWN + down) * 16 + half * 8 + threadIdx.x % 32 / 4;
    }

    __device__ static Quad quad(const number (&from)[4]) {
        return Quad{{from[0], from[1], from[2], from[3]}};
    }

    // The first of this thread's two places among eight.
    __device__ static int place(int tile) {
        return tile * 8 + threadIdx.x % 4 * 2;
    }

    // Where sums of one layer before its activation are, as this thread left them: those of the first layers in shared
    // memory, or, where not even one layer has room there, some columns of every layer.
    static constexpr int NEAR = NEAR_TILES < ACROSS ? NEAR_TILES : ACROSS, FAR = ACROSS - NEAR;
    struct Saved {
        Quad *near, *far;

        __device__ Quad* at(int down, int tile) const {
            return tile < NEAR ? near + (down * NEAR + tile) * THREADS : far + (down * FAR + tile - NEAR) * THREADS;
        }

        __device__ Quad again(int down, int tile) const {
            return tile < NEAR ? read_near(at(down, tile)) : read_again(at(down, tile));
        }
    };

    __device__ Saved saved(int layer) const {
        Quad* near = reinterpret_cast<Quad*>(shared_memory + NEAR_BYTES) + threadIdx.x;
        number* own = block.arguments.scratch + static_cast<long long>(blockIdx.x) * SCRATCH;
        Quad* far = reinterpret_cast<Quad*>(own) + threadIdx.x;
        if (NEAR_LAYERS > 0 && layer < NEAR_LAYERS) far = near;
        else layer -= NEAR_LAYERS;
        return Saved{near + layer * DOWN * NEAR * THREADS, far + layer * DOWN * FAR * THREADS};
    }

    // The same of the last hidden layer, in place of the cells.
    __device__ Quad* kept() const {
        return reinterpret_cast<Quad*>(shared_memory) + threadIdx.x;
    }

    __device__ void read_coefficients(number (&k)[Net::COEFFICIENT_ROOM], int place) const {
#pragma unroll
        for (int c = 0; c < Net::COEFFICIENT_COUNT; ++c) k[c] = block.scratch[Net::COEFFICIENTS + c * PLACES + place];
    }

    // All channels of this thread's sums at one tile of places.
    template <typename QuadAt>
    __device__ static void gather(Quad (&quads)[CHANNELS], QuadAt quad_at, int down, int tile) {
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) quads[c] = quad_at(down, c * PLACE_TILES + tile);
    }

    // Calls `each` with all channels at one place of one neuron, its part among `quads`, and the coefficients there.
    template <typename Each>
    __device__ void for_parts(const Quad (&quads)[CHANNELS], int tile, Each each) const {
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            number z[CHANNELS], k[Net::COEFFICIENT_ROOM];
            read_coefficients(k, place(tile) + part % 2);
#pragma unroll
            for (int c = 0; c < CHANNELS; ++c) z[c] = quads[c].value[part];
            each(part, z, k);
        }
    }

    // Calls `each` with this thread's rows, places and values of the features, at two places each.
    template <typename Each>
    __device__ void for_features(Each each) const {
        for (int at = threadIdx.x; at < FEATURE_ROWS * (PLACES / 2); at += THREADS) {
            const int n = at / (PLACES / 2), place = at % (PLACES / 2) * 2;
            number h[2][CHANNELS] = {};
#pragma unroll
            for (int side = 0; side < 2; ++side) {
                number k[Net::COEFFICIENT_ROOM];
                read_coefficients(k, place + side);
                const int point = (place + side) % Net::POINTS;
                const double* x =
                    rows + (point < count ? point : count - 1) * row + (place + side) / Net::POINTS * COORDINATES;
                if (n < FEATURES) Net::Jets::feature(n, x, h[side], k);
            }
            each(n, place, h);
        }
    }

    // Values of the features to the cells.
    __device__ void store_features() const {
        const Scales scales(largest(0));
        for_features([&](int n, int place, const number (&h)[2][CHANNELS]) {
#pragma unroll
            for (int c = 0; c < CHANNELS; ++c)
                store_cells<COLUMNS>(cells(), n, c * PLACES + place, scales.apply(c, h[0][c]), scales.apply(c, h[1][c]));
        });
    }

    // What the largest values and adjoints are, where numbers are multiplied so that they fit.
    __device__ unsigned* largest(int set) const {
        return reinterpret_cast<unsigned*>(block.scratch + Net::LARGEST) + set * CHANNELS;
    }

    // Starts looking for them with those of the features; barriers stand behind and between.
    __device__ void begin_largest() const {
#if SCALED
        for (int at = threadIdx.x; at < 2 * HIDDEN * CHANNELS; at += THREADS) largest(0)[at] = 0;
        __syncthreads();
        number sizes[CHANNELS] = {};
        for_features([&](int, int, const number (&h)[2][CHANNELS]) {
#pragma unroll
            for (int c = 0; c < CHANNELS; ++c) sizes[c] = fmaxf(sizes[c], fmaxf(fabsf(h[0][c]), fabsf(h[1][c])));
        });
        raise_all(0, sizes);
        __syncthreads();
#endif
    }

    __device__ void raise_all(int set, const number (&sizes)[CHANNELS]) const {
#if SCALED
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) raise(largest(set) + c, sizes[c]);
#endif
    }

    // The same of all that this thread holds; a barrier must follow.
    __device__ void raise_sums(int set, const Sums& sum) const {
#if SCALED
        number sizes[CHANNELS] = {};
#pragma unroll
        for (int down = 0; down < DOWN; ++down)
#pragma unroll
            for (int tile = 0; tile < ACROSS; ++tile)
#pragma unroll
                for (int part = 0; part < 4; ++part)
                    sizes[tile / PLACE_TILES] = fmaxf(sizes[tile / PLACE_TILES], fabsf(sum[down][tile][part]));
        raise_all(set, sizes);
#endif
    }

    // Products over columns take sixteen at a time: what fills up the last ones becomes zero.
    __device__ void clear_rest() const {
        if constexpr (COLUMNS % 16 != 0)
            for (int at = threadIdx.x; at < ROWS * 4; at += THREADS)
                store_cells<COLUMNS>(cells(), at / 4, COLUMNS + at % 4 * 2, number(0), number(0));
    }

    // Values at one tile of places to the cells; `quads` are what the activation is applied to.
    __device__ void store_tile(Quad (&quads)[CHANNELS], int down, int tile, const Scales& scales) const {
        for_parts(quads, tile, [&](int part, const number* z, const number* k) {
            number h[CHANNELS];
            Net::Jets::forward(z, h, k);
#pragma unroll
            for (int c = 0; c < CHANNELS; ++c) quads[c].value[part] = scales.apply(c, h[c]);
        });
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c)
#pragma unroll
            for (int half = 0; half < 2; ++half)
                store_cells<COLUMNS>(cells(), neuron(down, half), c * PLACES + place(tile), quads[c].value[2 * half],
                                     quads[c].value[2 * half + 1]);
    }

    // Values in place of sums, whose largest are noted; a barrier must follow.
    __device__ void apply_activation(Sums& sum, int set) const {
#pragma unroll
        for (int down = 0; down < DOWN; ++down)
#pragma unroll
            for (int tile = 0; tile < PLACE_TILES; ++tile) {
                Quad quads[CHANNELS];
                gather(quads, [&](int down, int tile) { return quad(sum[down][tile]); }, down, tile);
                for_parts(quads, tile, [&](int part, const number* z, const number* k) {
                    number h[CHANNELS];
                    Net::Jets::forward(z, h, k);
#pragma unroll
                    for (int c = 0; c < CHANNELS; ++c) sum[down][c * PLACE_TILES + tile][part] = h[c];
                });
            }
        raise_sums(set, sum);
    }

    // Values that are there to the cells.
    __device__ void store_sums(const Sums& sum, int set) const {
        const Scales scales(largest(set));
#pragma unroll
        for (int down = 0; down < DOWN; ++down)
#pragma unroll
            for (int tile = 0; tile < ACROSS; ++tile)
#pragma unroll
                for (int half = 0; half < 2; ++half)
                    store_cells<COLUMNS>(cells(), neuron(down, half), place(tile),
                                         scales.apply(tile / PLACE_TILES, sum[down][tile][2 * half]),
                                         scales.apply(tile / PLACE_TILES, sum[down][tile][2 * half + 1]));
    }

    // A layer's values to the cells; `quad_at` gives what its activation is applied to.
    template <typename QuadAt>
    __device__ void store_values(QuadAt quad_at, int set) const {
        const Scales scales(largest(set));
#pragma unroll
        for (int down = 0; down < DOWN; ++down)
#pragma unroll
            for (int tile = 0; tile < PLACE_TILES; ++tile) {
                Quad quads[CHANNELS];
                gather(quads, quad_at, down, tile);
                store_tile(quads, down, tile, scales);
            }
    }

    // Adjoints of a layer's values to those of its sums, which they replace.
    template <typename QuadAt>
    __device__ void activation_reverse(Sums& sum, QuadAt quad_at) const {
#pragma unroll
        for (int down = 0; down < DOWN; ++down)
#pragma unroll
            for (int tile = 0; tile < PLACE_TILES; ++tile) {
                Quad quads[CHANNELS];
                gather(quads, quad_at, down, tile);
                for_parts(quads, tile, [&](int part, const number* z, const number* k) {
                    number h_bar[CHANNELS], z_bar[CHANNELS];
#pragma unroll
                    for (int c = 0; c < CHANNELS; ++c) h_bar[c] = sum[down][c * PLACE_TILES + tile][part];
                    Net::Jets::reverse(z, h_bar, z_bar, k);
#pragma unroll
                    for (int c = 0; c < CHANNELS; ++c) sum[down][c * PLACE_TILES + tile][part] = z_bar[c];
                });
            }
    }

    // Sums behind a product of scaled numbers: what they are, with the bias where there is one.
    __device__ void finish(Sums& sum, const Scales& scales, const number* bias) const {
#if SCALED
#pragma unroll
        for (int down = 0; down < DOWN; ++down)
#pragma unroll
            for (int tile = 0; tile < ACROSS; ++tile)
#pragma unroll
                for (int part = 0; part < 4; ++part) {
                    const number unscale = scales.unscale(tile / PLACE_TILES);
                    const number start = bias && tile < PLACE_TILES ? bias[neuron(down, part / 2)] : number(0);
                    sum[down][tile][part] = sum[down][tile][part] * unscale + start;
                }
#endif
    }

    // Sums before a product: the bias where there is one and nothing has to be done behind the product.
    __device__ void start(Sums& sum, const number* bias) const {
        if (SCALED) bias = nullptr;
#pragma unroll
        for (int down = 0; down < DOWN; ++down)
#pragma unroll
            for (int tile = 0; tile < ACROSS; ++tile)
#pragma unroll
                for (int part = 0; part < 4; ++part)
                    sum[down][tile][part] = bias && tile < PLACE_TILES ? bias[neuron(down, part / 2)] : number(0);
    }

    // Replaces the values among a layer's sums by what its activation is computed from again and again.
    __device__ static void keep(Sums& sum) {
#pragma unroll
        for (int down = 0; down < DOWN; ++down)
#pragma unroll
            for (int tile = 0; tile < PLACE_TILES; ++tile)
#pragma unroll
                for (int part = 0; part < 4; ++part) sum[down][tile][part] = Net::Jets::kept(sum[down][tile][part]);
    }

    // Leaves the sums of all hidden layers where `saved` and `kept` say, and the network's outputs in the scratch
    // memory.
    __device__ void forward() const {
        Sums sum;
        const number* weights = block.arguments.weights;
        Left next[DOWN];
        begin_largest();
        store_features();
        fetch_weights(next, weights, 0);
        publish_cells();
        start(sum, weights + BIASES_PACKED);
        add_product<COLUMNS, TOGETHER, FEATURE_ROWS / 16>(sum, next, weights, cells());
        finish(sum, Scales(largest(0)), weights + BIASES_PACKED);
#pragma unroll 1
        for (int layer = 1; layer < HIDDEN; ++layer) {
            const number* fragments = weights + FIRST_PACKED + 2 * (layer - 1) * SQUARE_PACKED;
            const number* bias = weights + BIASES_PACKED + layer * WIDTH;
            const Saved own = saved(layer - 1);
            const auto save_at = [&](int down, int tile) { return *own.at(down, tile) = quad(sum[down][tile]); };
            keep(sum);
#if SCALED
#pragma unroll
            for (int down = 0; down < DOWN; ++down)
#pragma unroll
                for (int tile = 0; tile < ACROSS; ++tile) save_at(down, tile);
            apply_activation(sum, layer);
            __syncthreads();
            store_sums(sum, layer);
#else
            __syncthreads();
            store_values(save_at, layer);
#endif
            fetch_weights(next, fragments, 0);
            publish_cells();
            start(sum, bias);
            add_product<COLUMNS, TOGETHER, INNER>(sum, next, fragments, cells());
            finish(sum, Scales(largest(layer)), bias);
        }
        keep(sum);
        __syncthreads();
        Quad* own = kept();
#pragma unroll
        for (int down = 0; down < DOWN; ++down)
#pragma unroll
            for (int tile = 0; tile < ACROSS; ++tile) own[(down * ACROSS + tile) * THREADS] = quad(sum[down][tile]);
        head();
    }

    // Outputs from what the last hidden layer's activation is applied to, one tile of places after the other.
    __device__ void head() const {
        const number* weights = block.arguments.weights + HEAD_PACKED;
        const int warp = threadIdx.x / 32;
        const Quad* last = kept();
        const auto quad_at = [&](int down, int tile) { return last[(down * ACROSS + tile) * THREADS]; };
        number* parts = block.scratch + Net::PARTS;
#pragma unroll 1
        for (int output = 0; output < Net::OUTPUTS; ++output) {
#pragma unroll(HEAD_TILES)
            for (int tile = 0; tile < PLACE_TILES; ++tile) {
                number own[CHANNELS][2] = {};
#pragma unroll
                for (int down = 0; down < DOWN; ++down) {
                    Quad quads[CHANNELS];
                    gather(quads, quad_at, down, tile);
                    for_parts(quads, tile, [&](int part, const number* z, const number* k) {
                        number h[CHANNELS];
                        Net::Jets::forward(z, h, k);
                        const number weight = weights[output * WIDTH + neuron(down, part / 2)];
#pragma unroll
                        for (int c = 0; c < CHANNELS; ++c) own[c][part % 2] += weight * h[c];
                    });
                }
#pragma unroll
                for (int c = 0; c < CHANNELS; ++c)
#pragma unroll
                    for (int side = 0; side < 2; ++side) {
                        number total = own[c][side];
#pragma unroll
                        for (int distance = 4; distance < 32; distance *= 2)
                            total += __shfl_xor_sync(0xffffffffu, total, distance);
                        if (threadIdx.x % 32 < 4) parts[warp * COLUMNS + c * PLACES + place(tile) + side] = total;
                    }
            }
            __syncthreads();
            for (int column = threadIdx.x; column < COLUMNS; column += THREADS) {
                number total = column < PLACES ? weights[Net::OUTPUTS * WIDTH + output] : number(0);
                for (int other = 0; other < WARPS; ++other) total += parts[other * COLUMNS + column];
                block.scratch[Net::HEAD + output * COLUMNS + column] = total;
            }
            __syncthreads();
        }
    }

    // Adds what the lanes of one neuron's row hold to a row of the block's gradient.
    __device__ void add_row(number* to, int neuron, number total) const {
        total += __shfl_xor_sync(0xffffffffu, total, 1);
        total += __shfl_xor_sync(0xffffffffu, total, 2);
        if (threadIdx.x % 4 == 0 && (WIDTH == ROWS_GRADIENT || neuron < ROWS_GRADIENT))
            to[neuron] = first ? total : to[neuron] + total;
    }

    // From the adjoints of the outputs to those of the last hidden layer's sums.
    __device__ void head_reverse(Sums& sum) const {
        const number* weights = block.arguments.weights + HEAD_PACKED;
        const number* bars = block.scratch + Net::HEAD_BAR;
        number own[Net::OUTPUTS][DOWN][2] = {};
        Quad* last = kept();
        const auto quad_at = [&](int down, int tile) { return last[(down * ACROSS + tile) * THREADS]; };
#pragma unroll
        for (int down = 0; down < DOWN; ++down)
#pragma unroll(HEAD_TILES)
            for (int tile = 0; tile < PLACE_TILES; ++tile) {
                Quad quads[CHANNELS];
                gather(quads, quad_at, down, tile);
                for_parts(quads, tile, [&](int part, const number* z, const number* k) {
                    number h[CHANNELS], h_bar[CHANNELS] = {}, z_bar[CHANNELS];
                    Net::Jets::forward(z, h, k);
#pragma unroll
                    for (int output = 0; output < Net::OUTPUTS; ++output) {
                        const number weight = weights[output * WIDTH + neuron(down, part / 2)];
#pragma unroll
                        for (int c = 0; c < CHANNELS; ++c) {
                            const number bar = bars[output * COLUMNS + c * PLACES + place(tile) + part % 2];
                            h_bar[c] += weight * bar;
                            own[output][down][part / 2] += bar * h[c];
                        }
                    }
                    Net::Jets::reverse(z, h_bar, z_bar, k);
#pragma unroll
                    for (int c = 0; c < CHANNELS; ++c) quads[c].value[part] = z_bar[c];
                });
                // In their place, for a loop cannot choose among registers.
#pragma unroll
                for (int c = 0; c < CHANNELS; ++c) last[(down * ACROSS + c * PLACE_TILES + tile) * THREADS] = quads[c];
            }
#pragma unroll
        for (int down = 0; down < DOWN; ++down)
#pragma unroll
            for (int tile = 0; tile < ACROSS; ++tile) {
                const Quad own_bars = quad_at(down, tile);
#pragma unroll
                for (int part = 0; part < 4; ++part) sum[down][tile][part] = own_bars.value[part];
            }
#pragma unroll
        for (int output = 0; output < Net::OUTPUTS; ++output)
#pragma unroll
            for (int down = 0; down < DOWN; ++down)
#pragma unroll
                for (int half = 0; half < 2; ++half)
                    add_row(block.gradient + HEAD_GRADIENT + output * ROWS_GRADIENT, neuron(down, half),
                            own[output][down][half]);
        for (int output = threadIdx.x; output < Net::OUTPUTS; output += THREADS) {
            number total = 0;
            for (int place = 0; place < PLACES; ++place) total += bars[output * COLUMNS + place];
            number* at = block.gradient + HEAD_GRADIENT + Net::OUTPUTS * ROWS_GRADIENT + output;
            *at = first ? total : *at + total;
        }
    }

    // Adjoints that are multiplied with values of some layer, scaled in place; what undoes it in their products.
    __device__ Scales scale_bars(Sums& sum, int values, int layer, number& unscale) const {
#if SCALED
        int common;
        const Scales scales(Scales(largest(values)), Scales(largest(HIDDEN + layer)), common);
        unscale = exact_power(-common);
#pragma unroll
        for (int down = 0; down < DOWN; ++down)
#pragma unroll
            for (int tile = 0; tile < ACROSS; ++tile)
#pragma unroll
                for (int part = 0; part < 4; ++part)
                    sum[down][tile][part] = scales.apply(tile / PLACE_TILES, sum[down][tile][part]);
        return scales;
#else
        return Scales(largest(0));
#endif
    }

    // From the adjoints of the outputs to the block's gradient.
    __device__ void reverse() const {
        Sums sum;
        number unscale = 1;
        await_turn(block.arguments, tile, HIDDEN - 1);
        if (SHARING > 1) __syncthreads();
        head_reverse(sum);
        raise_sums(HIDDEN + HIDDEN - 1, sum);
        __syncthreads();
        clear_rest();
#pragma unroll 1
        for (int layer = HIDDEN - 1; layer >= 0; --layer) {
#pragma unroll
            for (int down = 0; down < DOWN; ++down)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    number total = 0;
#pragma unroll
                    for (int tile = 0; tile < PLACE_TILES; ++tile)
                        total += sum[down][tile][2 * half] + sum[down][tile][2 * half + 1];
                    add_row(block.gradient + BIASES_GRADIENT + layer * ROWS_GRADIENT, neuron(down, half), total);
                }
            if (layer == 0) break;
            const Saved own = saved(layer - 1);
            const auto saved_at = [&](int down, int tile) { return own.again(down, tile); };
            store_values(saved_at, layer);
            publish_cells();
            number* gradient = block.gradient + FIRST_GRADIENT + (layer - 1) * SQUARE_GRADIENT;
            const Scales scales = scale_bars(sum, layer, layer, unscale);
            const Bars<COLUMNS> bars(sum);
            add_outer_product<COLUMNS, NEURONS, OUTER, TOGETHER>(bars, cells(), gradient, first, unscale);
            __syncthreads();
            pass_turn(block.arguments, tile, layer);
            bars.store(cells());
            const number* weights = block.arguments.weights + FIRST_PACKED + (2 * layer - 1) * SQUARE_PACKED;
            Left next[DOWN];
            fetch_weights(next, weights, 0);
            publish_cells();
            start(sum, nullptr);
            add_product<COLUMNS, TOGETHER, INNER>(sum, next, weights, cells());
            finish(sum, scales, nullptr);
            activation_reverse(sum, saved_at);
            raise_sums(HIDDEN + layer - 1, sum);
            await_turn(block.arguments, tile, layer - 1);
            __syncthreads();
        }
        store_features();
        publish_cells();
        scale_bars(sum, 0, 0, unscale);
        add_outer_product<COLUMNS, FEATURES, 2, TOGETHER>(Bars<COLUMNS>(sum), cells(), block.gradient, first, unscale);
        __syncthreads();
        pass_turn(block.arguments, tile, 0);
    }
};

template <typename Net>
__device__ __noinline__ void call_forward(Walk<Net> walk) {
    walk.forward();
}

template <typename Net>
__device__ __noinline__ void call_reverse(Walk<Net> walk) {
    walk.reverse();
}

// Networks of fewer channels than the widest are functions that are called: they are compiled beside it.
template <typename Net>
__device__ inline void walk_forward(const Walk<Net>& walk) {
    if constexpr (Net::CALLED) call_forward(walk);
    else walk.forward();
}

template <typename Net>
__device__ inline void walk_reverse(const Walk<Net>& walk) {
    if constexpr (Net::CALLED) call_reverse(walk);
    else walk.reverse();
}

// What a term's coefficients are at every place of a tile.
template <typename Term>
__device__ inline void store_coefficients(const Block& block, const double* rows, int count) {
    for (int place = threadIdx.x; place < Term::PLACES; place += THREADS)
        Term::coefficients(block, row_of<Term>(rows, count, place % Term::POINTS), place / Term::POINTS,
                           block.scratch + Term::COEFFICIENTS + place);
    __syncthreads();
}
