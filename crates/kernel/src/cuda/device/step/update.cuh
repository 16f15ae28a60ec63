// A step of training that stays on the device: the blocks' gradients are added up, parameters move and are packed, all
// by the thread that adds up. Whether a step was a good one is known only when all of its sums are, one launch later: a
// step reads one copy of parameters and running means and writes the other, so that nothing is lost by then.

#define RULE_ADAM 0
#define RULE_MOMENTUM 1
#define RULE_NESTEROV 2
#define RULE_RMSPROP 3
#ifndef RULE
#define RULE RULE_ADAM
#endif

// What one step is made of, as the host computes it.
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

// Sums over some gradients in a fixed order, in double precision, of REDUCED places from `first` on.
struct Totals {
    // Of every share; room for SHARES times REDUCED.
    double* parts;

    // A barrier must follow.
    __device__ inline void add_up(const Arguments& arguments, long long gradients, int first) const {
        const int share = threadIdx.x / FOURS, four = threadIdx.x % FOURS;
        const Four* from = reinterpret_cast<const Four*>(arguments.gradients) + first / 4 + four;
        double own[4] = {};
#pragma unroll 4
        for (int block = share; block < int(gradients); block += SHARES) {
            const Four numbers = from[static_cast<long long>(block) * (GRADIENT / 4)];
#pragma unroll
            for (int part = 0; part < 4; ++part) own[part] += double(numbers.value[part]);
        }
#pragma unroll
        for (int part = 0; part < 4; ++part) parts[share * REDUCED + four * 4 + part] = own[part];
    }

    // The sum of one place.
    __device__ inline double of(int place) const {
        double total = 0;
#pragma unroll
        for (int share = 0; share < SHARES; ++share) total += parts[share * REDUCED + place];
        return total;
    }
};

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
    const Totals totals{parts};
    totals.add_up(arguments, gradients, blockIdx.x * REDUCED);
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

    // The one that a launch was made for.
    __device__ explicit Stage(const Arguments& arguments)
        : step(arguments.progress[0] + arguments.index),
          parameters(arguments.parameters),
          moments(arguments.moments),
          next_parameters(arguments.next_parameters),
          next_moments(arguments.next_moments) {}
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

// A parameter and the running means of its gradient, or its velocity, and of that gradient's square.
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

    // By what a parameter moves: one of the rules of `linear::Update`, of which a text has the one that it is compiled for. All rules take
    // their numbers from the same arguments; velocities are kept as means.
#if RULE == RULE_ADAM
    // Adam (Kingma, Ba 2015, algorithm 1) with decay as in AdamW (Loshchilov, Hutter 2019, algorithm 2).
    __device__ inline void move(const Arguments& arguments, const Step& step, double gradient, bool decays) {
        mean = arguments.mean_decay * mean + (1 - arguments.mean_decay) * gradient;
        square = arguments.square_decay * square + (1 - arguments.square_decay) * gradient * gradient;
        const double keep = decays ? 1 - step.rate * arguments.decay : 1.0;
        parameter = keep * parameter - step.length * mean / (sqrt(square * step.correction) + arguments.floor);
    }
#elif RULE == RULE_MOMENTUM
    // Momentum (Polyak 1964).
    __device__ inline void move(const Arguments& arguments, const Step& step, double gradient, bool) {
        mean = arguments.mean_decay * mean - step.length * gradient;
        parameter = parameter + mean;
    }
#elif RULE == RULE_NESTEROV
    // Nesterov's momentum (Sutskever, Martens, Dahl, Hinton 2013), at the points where gradients are taken.
    __device__ inline void move(const Arguments& arguments, const Step& step, double gradient, bool) {
        const double push = step.length * gradient;
        mean = arguments.mean_decay * mean - push;
        parameter = parameter + (arguments.mean_decay * mean - push);
    }
#elif RULE == RULE_RMSPROP
    // RMSProp (Tieleman, Hinton 2012), with momentum.
    __device__ inline void move(const Arguments& arguments, const Step& step, double gradient, bool) {
        square = arguments.square_decay * square + (1 - arguments.square_decay) * gradient * gradient;
        mean = arguments.mean_decay * mean - step.length * gradient / (sqrt(square) + arguments.floor);
        parameter = parameter + mean;
    }
#endif
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

// Moves the parameters by the sum of some gradients, unless steps have ended. `put` packs the new value of the parameter at a
// place of the gradient.
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
    static_assert(REDUCED <= THREADS, "a thread moves one parameter");
    const int place = blockIdx.x * REDUCED + threadIdx.x;
    const int parameter = threadIdx.x < REDUCED ? parameter_of(place) : -1;
    // Asked for before the sums, for they take longer.
    State state = {};
    if (parameter >= 0) state.load(stage, parameter);
    __shared__ double parts[SHARES * REDUCED];
    const Totals totals{parts};
    totals.add_up(arguments, gradients, blockIdx.x * REDUCED);
    __syncthreads();
    if (parameter < 0) return;
    put(place, number(move_parameter(arguments, stage, state, step, totals.of(threadIdx.x), parameter)));
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
