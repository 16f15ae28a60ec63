// Many steps of training in one launch. Blocks with a tile compute its loss and gradient, step after step. Others, the
// movers, add up gradients and move parameters: each layer's as soon as all blocks are done with it, while those are on
// their way through the layers before it. What is left for the end of a step is the first layer. All blocks run at the
// same time; who waits waits for counts that only grow, and sums have one order, so that nothing depends on who is faster.

// What movers hold at a time: as many loads are under way.
constexpr int GROUPS_WISHED = THREADS < 128 ? 2 : 4;
constexpr int GROUP_BYTES = 8 * SHARES * REDUCED;
constexpr int GROUPS = SHARED_BYTES >= GROUPS_WISHED * GROUP_BYTES ? GROUPS_WISHED : 1;
static_assert(SHARED_BYTES >= GROUP_BYTES, "sums have room in place of values");

// Whether a block with a tile has one more step to take. Where points stay it goes on after the last one without being
// told, and does no harm: what it reads next tells it then.
__device__ inline bool begin_step(const Block& block) {
    const Arguments& arguments = block.arguments;
    const int round = block.round;
    if (arguments.series == 0) return round == 0;
    if (round == arguments.series) return false;
    const long long step = arguments.progress[0] + arguments.index + round;
    if (arguments.interval == 0) return round == 0 || !ended(arguments, step - 1);
    await_weights(block);
    __syncthreads();
    return !ended(arguments, step);
}

// Draws the points of a block's own tile.
__device__ __noinline__ void draw_tile(const Block& block, const double* rows, int numbers) {
    const Arguments& arguments = block.arguments;
    if (arguments.series == 0 || arguments.interval == 0) return;
    const long long begin = rows - arguments.rows;
    draw_rows(arguments, Stage(arguments, block.round).step, Drawing{threadIdx.x, THREADS, begin, begin + numbers});
    __syncthreads();
}

// Moves the parameters, step after step, the last layers first. Movers take turns, a piece each.
template <typename ParameterOf, typename Put>
__device__ inline void move_series(const Arguments& arguments, ParameterOf parameter_of, Put put) {
    constexpr int PLACES = Totals<GROUPS>::PLACES;
    const Totals<GROUPS> totals{reinterpret_cast<double*>(shared_memory)};
    const int mover = int(blockIdx.x) - int(arguments.blocks), movers = int(gridDim.x) - int(arguments.blocks);
    int* moved = arguments.counts + HIDDEN * COUNTS_APART;
#pragma unroll 1
    for (int round = 0; round < arguments.series; ++round) {
        const Stage stage(arguments, round);
        const Step step = step_of(arguments, stage);
        if (threadIdx.x == 0) await_shared(moved, round * movers);
        __syncthreads();
        if (ended(arguments, stage.step)) return;
        // Pieces until this mover's next one.
        int left = mover;
        const auto await_layer = [&](int layer) {
            if (threadIdx.x == 0)
                await_shared(arguments.counts + layer * COUNTS_APART, (round + 1) * int(arguments.blocks));
            __syncthreads();
        };
#pragma unroll 1
        for (int layer = HIDDEN - 1; layer >= 0; --layer) {
            // With the first layer all biases and the head.
            const int start = layer == 0 ? 0 : FIRST_GRADIENT + (layer - 1) * SQUARE_GRADIENT;
            const int count = layer == 0 ? FIRST_GRADIENT + GRADIENT - BIASES_GRADIENT : SQUARE_GRADIENT;
            const auto place_of = [&](int place) {
                return layer == 0 && place >= FIRST_GRADIENT ? place - FIRST_GRADIENT + BIASES_GRADIENT : start + place;
            };
            bool waits = true;
            int piece = left;
#pragma unroll 1
            for (; piece * PLACES < count; piece += movers) {
                move_places(arguments, stage, step, totals, arguments.blocks, piece * PLACES, count, place_of,
                            parameter_of, put, [&] {
                                if (waits) await_layer(layer);
                                waits = false;
                            });
                __syncthreads();
            }
            left = piece - (count + PLACES - 1) / PLACES;
        }
        if (left == 0) {
            await_layer(0);
            move_scalars(arguments, stage, step);
        }
        __syncthreads();
        if (threadIdx.x == 0) add_shared(moved);
    }
}
