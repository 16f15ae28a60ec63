// A step of training that stays on the device: the blocks' gradients are added up, parameters move and are packed, all
// by the thread that adds up. Whether a step was a good one is known only when all of its sums are, one launch later: a
// step reads one copy of parameters and running means and writes the other, so that nothing is lost by then.

// What one step of Adam is made of, as the host computes it.
struct Step {
    double length, correction, rate;
};

// Threads that share the blocks of one place: more loads are under way at a time.
constexpr int SHARES = 4;
constexpr int REDUCED = THREADS / SHARES;

// Numbers of a step's history: the loss, then the sums of squares.
constexpr int FOUND = 1 + SUMS - SCALARS;

// The sum of one place over all blocks in a fixed order, in double precision; only the first of the threads that
// share a place has it. Behind the gradient come the other sums.
__device__ inline double sum_of_blocks(const Arguments& arguments, int place, int share) {
    double total = 0;
    if (place < GRADIENT) {
        const number* from = arguments.gradients + place;
#pragma unroll 8
        for (int block = share; block < int(arguments.blocks); block += SHARES)
            total += double(from[static_cast<long long>(block) * GRADIENT]);
    } else if (place < GRADIENT + SUMS) {
        const double* from = arguments.sums + (place - GRADIENT);
        for (int block = share; block < int(arguments.blocks); block += SHARES)
            total += from[static_cast<long long>(block) * SUMS];
    }
    double* parts = reinterpret_cast<double*>(workspace());
    parts[threadIdx.x] = total;
    __syncthreads();
    if (share == 0)
        for (int other = 1; other < SHARES; ++other) total += parts[other * REDUCED + threadIdx.x];
    __syncthreads();
    return total;
}

// Adds up the blocks' gradients and sums. `parameter_of` tells which parameter a place of the gradient belongs to, or
// -1.
template <typename ParameterOf>
__device__ inline void reduce_blocks(const Arguments& arguments, ParameterOf parameter_of) {
    const int place = blockIdx.x * REDUCED + threadIdx.x % REDUCED, share = threadIdx.x / REDUCED;
    const double total = sum_of_blocks(arguments, place, share);
    if (share == 0 && place < GRADIENT + SUMS) {
        const int parameter = place < GRADIENT ? parameter_of(place) : WEIGHTS + place - GRADIENT;
        if (parameter >= 0) arguments.result[parameter] = parameter < PARAMETERS ? total * arguments.unscale : total;
    }
}

// The number of a step within its call.
__device__ inline long long this_step(const Arguments& arguments) {
    return arguments.progress[0] + arguments.index;
}

// Whether an earlier step is known to have been the last one.
__device__ inline bool ended(const Arguments& arguments) {
    return arguments.progress[1] != 0 || arguments.progress[2] != 0;
}

// Whether this step is not to be taken: the one before it was refused, for its loss or gradient was not finite, or its
// loss was below the bound, or steps had ended before. One warp finds out, and one of the grid writes it down; its
// first lane has the answer.
__device__ inline bool judge_last_step(const Arguments& arguments) {
    const long long last = this_step(arguments) - 1;
    const bool known = ended(arguments);
    if (last < 0) return known;
    const double* norms = arguments.norms + last % 2 * arguments.reducers;
    double* found = arguments.history + last * FOUND;
    double norm = 0, loss = 0;
    for (long long part = threadIdx.x; part < arguments.reducers; part += 32) norm += norms[part];
    for (int k = threadIdx.x; k < FOUND - 1; k += 32)
        loss += 0.5 * arguments.unscale * arguments.factors[k] * found[1 + k];
    norm = warp_sum(norm);
    loss = warp_sum(loss);
    // Infinite or no number, and nothing else, differs from itself after subtraction.
    const double both = norm + loss;
    const bool finite = both - both == 0, below = loss < arguments.bound;
    if (!known && blockIdx.x == 0 && threadIdx.x == 0) {
        found[0] = loss;
        if (!finite) arguments.progress[1] = 1 + last;
        else if (below) arguments.progress[2] = 1 + last;
    }
    return known || !finite || below;
}

// A parameter and the running means of its gradient and of that gradient's square.
struct State {
    double parameter, mean, square;

    __device__ inline void load(const Arguments& arguments, int place) {
        parameter = arguments.parameters[place];
        mean = arguments.moments[place];
        square = arguments.moments[PARAMETERS + place];
    }

    __device__ inline void store(const Arguments& arguments, int place) const {
        arguments.next_parameters[place] = parameter;
        arguments.next_moments[place] = mean;
        arguments.next_moments[PARAMETERS + place] = square;
    }

    // Adam (Kingma, Ba 2015, algorithm 1) with decay as in AdamW (Loshchilov, Hutter 2019, algorithm 2).
    __device__ inline void move(const Arguments& arguments, const Step& step, double gradient, bool decays) {
        mean = arguments.mean_decay * mean + (1 - arguments.mean_decay) * gradient;
        square = arguments.square_decay * square + (1 - arguments.square_decay) * gradient * gradient;
        const double keep = decays ? 1 - step.rate * arguments.decay : 1.0;
        parameter = keep * parameter - step.length * mean / (sqrt(square * step.correction) + arguments.floor);
    }
};

// Moves the parameters by the sum of the blocks' gradients, unless steps have ended. `put` packs the new value of the
// parameter at a place of the gradient.
template <typename ParameterOf, typename Put>
__device__ inline void move_parameters(const Arguments& arguments, ParameterOf parameter_of, Put put) {
    __shared__ bool over;
    const int place = blockIdx.x * REDUCED + threadIdx.x % REDUCED, share = threadIdx.x / REDUCED;
    const long long number_of_step = this_step(arguments);
    // Asked for before the sums, for they take longer.
    int parameter = -1;
    State state{};
    Step step{};
    if (share == 0 && place < GRADIENT + SCALARS) {
        parameter = place < GRADIENT ? parameter_of(place) : WEIGHTS + place - GRADIENT;
        step = reinterpret_cast<const Step*>(arguments.lengths)[number_of_step];
        if (parameter >= 0) state.load(arguments, parameter);
    }
    if (threadIdx.x < 32) {
        const bool found = judge_last_step(arguments);
        if (threadIdx.x == 0) over = found;
    }
    double total = sum_of_blocks(arguments, place, share);
    if (over) return;
    double square = 0;
    if (parameter >= 0) {
        total *= arguments.unscale;
        square = total * total;
        state.move(arguments, step, total, parameter < arguments.decaying);
        state.store(arguments, parameter);
        if (place < GRADIENT) put(place, number(state.parameter));
    } else if (share == 0 && place >= GRADIENT + SCALARS && place < GRADIENT + SUMS) {
        arguments.history[number_of_step * FOUND + 1 + place - GRADIENT - SCALARS] = total;
    }
    double* parts = reinterpret_cast<double*>(workspace());
    square = warp_sum(square);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = square;
    __syncthreads();
    if (threadIdx.x == 0) {
        double sum = 0;
        for (int warp = 0; warp < WARPS; ++warp) sum += parts[warp];
        arguments.norms[number_of_step % 2 * arguments.reducers + blockIdx.x] = sum;
    }
}

// Ends a series of steps, and says how the last of them went.
__device__ inline void end_series(const Arguments& arguments) {
    if (threadIdx.x < 32) judge_last_step(arguments);
    __syncthreads();
    if (threadIdx.x == 0) arguments.progress[0] += arguments.index;
}
