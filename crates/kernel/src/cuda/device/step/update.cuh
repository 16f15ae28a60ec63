// A step of training that stays on the device: the blocks' gradients are added up, parameters move and are packed, all
// by the thread that adds up. Whether a step was a good one is known only when all of its sums are, one launch later: a
// step reads one copy of parameters and running means and writes the other, so that nothing is lost by then.

// What one step of Adam is made of, as the host computes it.
struct Step {
    double length, correction, rate;
};

// Numbers of a step's history: the loss, then the sums of squares.
constexpr int FOUND = 1 + SUMS - SCALARS;

struct alignas(16) Four {
    number value[4];
};

// Fours of places that a block of threads adds up, and threads that share the blocks of a four: many loads are under
// way at a time. Networks of few neurons have few places and many blocks. One more block adds up what is no gradient of a
// weight.
constexpr int FOURS = THREADS < 64 ? 1 : THREADS < 128 ? 2 : THREADS < 256 ? 8 : 16;
constexpr int SHARES = THREADS / FOURS;
constexpr int REDUCED = 4 * FOURS;
constexpr int SUMMING = GRADIENT / REDUCED;
static_assert(GRADIENT % REDUCED == 0, "no place is left over");

// Sums over some gradients in a fixed order, in double precision, of GROUPS times REDUCED places; `place_of` tells which,
// in fours that lie side by side, and they end before `count`. `parts` has room for SHARES times as many.
template <int GROUPS>
struct Totals {
    static constexpr int PLACES = GROUPS * REDUCED;
    // Gradients of which a thread reads at a time.
    static constexpr int BATCH = 24 / sizeof(number);
    double* parts;

    // A barrier must follow.
    template <typename PlaceOf>
    __device__ inline void add_up(const Arguments& arguments, long long gradients, int first, int count,
                                  PlaceOf place_of) const {
        const int share = threadIdx.x / FOURS;
        const Four* from[GROUPS];
        double own[GROUPS][4] = {};
#pragma unroll
        for (int group = 0; group < GROUPS; ++group) {
            const int place = first + (group * FOURS + threadIdx.x % FOURS) * 4;
            // What lies beyond the last place is added up like the last one, and never asked for.
            from[group] = reinterpret_cast<const Four*>(arguments.gradients) + place_of(place < count ? place : count - 4) / 4;
        }
        // One place of many blocks: the compiler's own loads ahead are as good.
        if constexpr (GROUPS == 1) {
#pragma unroll 4
            for (int block = share; block < int(gradients); block += SHARES) {
                const Four numbers = from[0][static_cast<long long>(block) * (GRADIENT / 4)];
#pragma unroll
                for (int part = 0; part < 4; ++part) own[0][part] += double(numbers.value[part]);
            }
        } else {
            // What is missing in the last batch adds nothing.
#pragma unroll 1
            for (int start = share; start < int(gradients); start += BATCH * SHARES) {
                Four numbers[BATCH][GROUPS] = {};
#pragma unroll
                for (int turn = 0; turn < BATCH; ++turn)
                    if (start + turn * SHARES < int(gradients))
#pragma unroll
                        for (int group = 0; group < GROUPS; ++group)
                            numbers[turn][group] =
                                from[group][static_cast<long long>(start + turn * SHARES) * (GRADIENT / 4)];
#pragma unroll
                for (int turn = 0; turn < BATCH; ++turn)
#pragma unroll
                    for (int group = 0; group < GROUPS; ++group)
#pragma unroll
                        for (int part = 0; part < 4; ++part)
                            own[group][part] += double(numbers[turn][group].value[part]);
            }
        }
#pragma unroll
        for (int group = 0; group < GROUPS; ++group)
#pragma unroll
            for (int part = 0; part < 4; ++part)
                parts[share * PLACES + (group * FOURS + threadIdx.x % FOURS) * 4 + part] = own[group][part];
    }

    // The sum of one place.
    __device__ inline double of(int place) const {
        double total = 0;
#pragma unroll
        for (int share = 0; share < SHARES; ++share) total += parts[share * PLACES + place];
        return total;
    }
};

__device__ inline int same_place(int place) {
    return place;
}

// Calls `each` with every other sum, by one lane of a warp: gradients of scalars, then squares.
template <typename Each>
__device__ inline void for_sums(const Arguments& arguments, Each each) {
    for (int place = threadIdx.x / 32; place < SUMS; place += WARPS) {
        double total = 0;
        for (int block = threadIdx.x % 32; block < int(arguments.blocks); block += 32)
            total += arguments.sums[static_cast<long long>(block) * SUMS + place];
        total = warp_sum(total);
        if (threadIdx.x % 32 == 0) each(place, total);
    }
}

// Adds up some gradients and all blocks' sums. `parameter_of` tells which parameter a place of the gradient belongs to, or
// -1.
template <typename ParameterOf>
__device__ inline void reduce_blocks(const Arguments& arguments, long long gradients, ParameterOf parameter_of) {
    if (blockIdx.x == SUMMING) {
        for_sums(arguments, [&](int place, double total) {
            arguments.result[WEIGHTS + place] = place < SCALARS ? total * arguments.unscale : total;
        });
        return;
    }
    __shared__ double parts[SHARES * REDUCED];
    const Totals<1> totals{parts};
    totals.add_up(arguments, gradients, blockIdx.x * REDUCED, GRADIENT, same_place);
    __syncthreads();
    if (threadIdx.x >= REDUCED) return;
    const int parameter = parameter_of(blockIdx.x * REDUCED + threadIdx.x);
    if (parameter >= 0) arguments.result[parameter] = totals.of(threadIdx.x) * arguments.unscale;
}

// A step: its number within its call, and the copies of parameters and running means that it reads and writes.
struct Stage {
    long long step;
    const double *parameters, *moments;
    double *next_parameters, *next_moments;

    // The one that a launch was made for, or a later one of that launch: every other step goes from the second copy to
    // the first.
    __device__ explicit Stage(const Arguments& arguments, int later = 0) {
        step = arguments.progress[0] + arguments.index + later;
        const bool swapped = later % 2 != 0;
        parameters = swapped ? arguments.next_parameters : arguments.parameters;
        moments = swapped ? arguments.next_moments : arguments.moments;
        next_parameters = swapped ? const_cast<double*>(arguments.parameters) : arguments.next_parameters;
        next_moments = swapped ? const_cast<double*>(arguments.moments) : arguments.next_moments;
    }
};

// Whether an earlier step was the last one. A mark of this very step is larger than its number.
__device__ inline bool ended(const Arguments& arguments, long long step) {
    const long long refused = arguments.progress[1], below = arguments.progress[2];
    return (refused != 0 && refused <= step) || (below != 0 && below <= step);
}

// Infinite or no number, and nothing else, differs from itself after subtraction.
__device__ inline bool is_number(double value) {
    return value - value == 0;
}

// A parameter and the running means of its gradient and of that gradient's square.
struct State {
    double parameter, mean, square;

    __device__ inline void load(const Stage& stage, int place) {
        parameter = stage.parameters[place];
        mean = stage.moments[place];
        square = stage.moments[PARAMETERS + place];
    }

    __device__ inline void store(const Stage& stage, int place) const {
        stage.next_parameters[place] = parameter;
        stage.next_moments[place] = mean;
        stage.next_moments[PARAMETERS + place] = square;
    }

    // Adam (Kingma, Ba 2015, algorithm 1) with decay as in AdamW (Loshchilov, Hutter 2019, algorithm 2).
    __device__ inline void move(const Arguments& arguments, const Step& step, double gradient, bool decays) {
        mean = arguments.mean_decay * mean + (1 - arguments.mean_decay) * gradient;
        square = arguments.square_decay * square + (1 - arguments.square_decay) * gradient * gradient;
        const double keep = decays ? 1 - step.rate * arguments.decay : 1.0;
        parameter = keep * parameter - step.length * mean / (sqrt(square * step.correction) + arguments.floor);
    }
};

__device__ inline Step step_of(const Arguments& arguments, const Stage& stage) {
    return reinterpret_cast<const Step*>(arguments.lengths)[stage.step];
}

// Moves one parameter by its gradient; its new value. A gradient that is not finite refuses the step.
__device__ inline double move_by(const Arguments& arguments, const Stage& stage, State state, const Step& step,
                                 double gradient, int parameter) {
    if (!is_number(gradient * gradient)) arguments.progress[1] = 1 + stage.step;
    state.move(arguments, step, gradient, parameter < arguments.decaying);
    state.store(stage, parameter);
    return state.parameter;
}

// The same by a sum over blocks.
__device__ inline double move_parameter(const Arguments& arguments, const Stage& stage, State state, const Step& step,
                                        double total, int parameter) {
    return move_by(arguments, stage, state, step, total * arguments.unscale, parameter);
}

// The loss, of what it is made of. One that is not finite refuses the step, one below the bound makes it the last.
__device__ inline void judge_loss(const Arguments& arguments, const Stage& stage, double* found) {
    double loss = 0;
    for (int k = 0; k < FOUND - 1; ++k) loss += 0.5 * arguments.unscale * arguments.factors[k] * found[1 + k];
    found[0] = loss;
    if (!is_number(loss)) arguments.progress[1] = 1 + stage.step;
    else if (loss < arguments.bound) arguments.progress[2] = 1 + stage.step;
}

// Moves the scalars; the loss and what it is made of go to the history.
__device__ inline void move_scalars(const Arguments& arguments, const Stage& stage, const Step& step) {
    double* found = arguments.history + stage.step * FOUND;
    for_sums(arguments, [&](int place, double total) {
        if (place < SCALARS) {
            State state;
            state.load(stage, WEIGHTS + place);
            move_parameter(arguments, stage, state, step, total, WEIGHTS + place);
        } else {
            found[1 + place - SCALARS] = total;
        }
    });
    __syncthreads();
    if (threadIdx.x == 0) judge_loss(arguments, stage, found);
}

// Moves the parameters at some places by the sum of some gradients, which are there after `await`. `put` packs the new value
// of the parameter at a place of the gradient; of the others see `Totals`.
template <int GROUPS, typename PlaceOf, typename ParameterOf, typename Put, typename Await>
__device__ inline void move_places(const Arguments& arguments, const Stage& stage, const Step& step,
                                   const Totals<GROUPS>& totals, long long gradients, int first, int count,
                                   PlaceOf place_of, ParameterOf parameter_of, Put put, Await await) {
    constexpr int PLACES = Totals<GROUPS>::PLACES, EACH = (PLACES + THREADS - 1) / THREADS;
    // Asked for before the sums, for they take longer.
    int places[EACH], parameters[EACH];
    State states[EACH] = {};
#pragma unroll
    for (int each = 0; each < EACH; ++each) {
        const int own = threadIdx.x + each * THREADS;
        places[each] = own < PLACES && first + own < count ? place_of(first + own) : -1;
        parameters[each] = places[each] < 0 ? -1 : parameter_of(places[each]);
        if (parameters[each] >= 0) states[each].load(stage, parameters[each]);
    }
    await();
    totals.add_up(arguments, gradients, first, count, place_of);
    __syncthreads();
#pragma unroll
    for (int each = 0; each < EACH; ++each)
        if (parameters[each] >= 0) {
            const double total = totals.of(threadIdx.x + each * THREADS);
            put(places[each],
                number(move_parameter(arguments, stage, states[each], step, total, parameters[each])));
        }
}

// Moves the parameters by the sum of some gradients, unless steps have ended.
template <typename ParameterOf, typename Put>
__device__ inline void move_parameters(const Arguments& arguments, long long gradients, ParameterOf parameter_of,
                                       Put put) {
    const Stage stage(arguments);
    if (ended(arguments, stage.step)) return;
    const Step step = step_of(arguments, stage);
    if (blockIdx.x == SUMMING) {
        move_scalars(arguments, stage, step);
        return;
    }
    __shared__ double parts[SHARES * REDUCED];
    move_places(arguments, stage, step, Totals<1>{parts}, gradients, blockIdx.x * REDUCED, GRADIENT, same_place,
                parameter_of, put, [] {});
}

// Moves the parameters by gradients and sums that are added up already: after `reduce`, and after whoever adds those of
// several devices. The bits are those of `move_parameters`.
template <typename ParameterOf, typename Put>
__device__ inline void move_by_result(const Arguments& arguments, ParameterOf parameter_of, Put put) {
    const Stage stage(arguments);
    if (ended(arguments, stage.step)) return;
    const Step step = step_of(arguments, stage);
    State state;
    if (blockIdx.x == SUMMING) {
        double* found = arguments.history + stage.step * FOUND;
        for (int place = threadIdx.x; place < SUMS; place += THREADS) {
            const double total = arguments.result[WEIGHTS + place];
            if (place < SCALARS) {
                state.load(stage, WEIGHTS + place);
                move_by(arguments, stage, state, step, total, WEIGHTS + place);
            } else {
                found[1 + place - SCALARS] = total;
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) judge_loss(arguments, stage, found);
        return;
    }
    if (threadIdx.x >= REDUCED) return;
    const int place = blockIdx.x * REDUCED + threadIdx.x, parameter = parameter_of(place);
    if (parameter < 0) return;
    state.load(stage, parameter);
    put(place, number(move_by(arguments, stage, state, step, arguments.result[parameter], parameter)));
}

// Ends a series of steps.
__device__ inline void advance_progress(const Arguments& arguments) {
    if (threadIdx.x == 0) arguments.progress[0] += arguments.index;
}
