// A step of training that stays on the device: the blocks' gradients added up, then parameters moved and packed.

struct Step {
    double length, correction;
    double rate;
};

// Threads that share the blocks of one place: more loads are under way at a time.
constexpr int SHARES = 4;
constexpr int REDUCED = THREADS / SHARES;

// Adds up `gradients` gradients and all blocks' sums in a fixed order, in double precision; and, per block of this
// launch, the squares of the gradient. `parameter_of` tells which parameter a place of the gradient belongs to, or -1.
template <typename ParameterOf>
__device__ inline void reduce_blocks(const Arguments& arguments, long long gradients, ParameterOf parameter_of) {
    const int place = blockIdx.x * REDUCED + threadIdx.x % REDUCED, share = threadIdx.x / REDUCED;
    double total = 0;
    if (place < GRADIENT) {
        const number* from = arguments.gradients + place;
#pragma unroll 8
        for (int block = share; block < int(gradients); block += SHARES)
            total += double(from[static_cast<long long>(block) * GRADIENT]);
    } else if (place < GRADIENT + SUMS) {
        const double* from = arguments.sums + (place - GRADIENT);
        for (int block = share; block < int(arguments.blocks); block += SHARES)
            total += from[static_cast<long long>(block) * SUMS];
    }
    double* parts = reinterpret_cast<double*>(workspace());
    parts[threadIdx.x] = total;
    __syncthreads();
    double square = 0;
    if (share == 0 && place < GRADIENT + SUMS) {
        total = parts[threadIdx.x];
        for (int other = 1; other < SHARES; ++other) total += parts[other * REDUCED + threadIdx.x];
        const int parameter = place < GRADIENT ? parameter_of(place) : WEIGHTS + place - GRADIENT;
        if (parameter < PARAMETERS) total *= arguments.unscale;
        if (parameter >= 0) arguments.result[parameter] = total;
        if (parameter >= 0 && parameter < PARAMETERS) square = total * total;
    }
    __syncthreads();
    square = warp_sum(square);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = square;
    __syncthreads();
    if (threadIdx.x == 0) {
        double sum = 0;
        for (int warp = 0; warp < WARPS; ++warp) sum += parts[warp];
        arguments.norms[blockIdx.x] = sum;
    }
}

// The number of a step within its call.
__device__ inline long long this_step(const Arguments& arguments) {
    return arguments.progress[1] + arguments.index;
}

// Whether an earlier step was the last one. A mark of this very step is larger than its number.
__device__ inline bool ended(const Arguments& arguments) {
    const long long step = this_step(arguments), refused = arguments.progress[2], below = arguments.progress[3];
    return (refused != 0 && refused <= step) || (below != 0 && below <= step);
}

// Whether the loss and its gradient are finite; the loss and what it is made of go to the history, and a loss below
// the bound is marked.
__device__ inline bool acceptable(const Arguments& arguments) {
    double* decision = reinterpret_cast<double*>(workspace());
    if (threadIdx.x < 32) {
        double norm = 0, loss = 0;
        for (long long part = threadIdx.x; part < arguments.reducers; part += 32) norm += arguments.norms[part];
        for (int k = threadIdx.x; k < SUMS - SCALARS; k += 32)
            loss += 0.5 * arguments.unscale * arguments.factors[k] * arguments.result[PARAMETERS + k];
        norm = warp_sum(norm);
        loss = warp_sum(loss);
        if (threadIdx.x == 0) {
            decision[0] = norm + loss;
            decision[1] = loss;
        }
    }
    __syncthreads();
    const double both = decision[0], loss = decision[1];
    // Infinite or no number, and nothing else, differs from itself after subtraction.
    const bool finite = both - both == 0;
    if (blockIdx.x == 0) {
        const int each = 1 + SUMS - SCALARS;
        double* history = arguments.history + this_step(arguments) * each;
        for (int k = threadIdx.x; k < each; k += THREADS)
            history[k] = k == 0 ? loss : arguments.result[PARAMETERS + k - 1];
        if (threadIdx.x == 0) {
            if (!finite) arguments.progress[2] = 1 + this_step(arguments);
            else if (loss < arguments.bound) arguments.progress[3] = 1 + this_step(arguments);
        }
    }
    return finite;
}

// Adam (Kingma, Ba 2015, algorithm 1) with decay as in AdamW (Loshchilov, Hutter 2019, algorithm 2): the parameter's
// new value.
__device__ inline double moved(const Arguments& arguments, const Step& step, long long place) {
    const double gradient = arguments.result[place];
    double* mean = arguments.moments + place;
    double* square = mean + PARAMETERS;
    *mean = arguments.mean_decay * *mean + (1 - arguments.mean_decay) * gradient;
    *square = arguments.square_decay * *square + (1 - arguments.square_decay) * gradient * gradient;
    const double keep = place < arguments.decaying ? 1 - step.rate * arguments.decay : 1.0;
    double* parameter = const_cast<double*>(arguments.parameters) + place;
    *parameter = keep * *parameter - step.length * *mean / (sqrt(*square * step.correction) + arguments.floor);
    return *parameter;
}

// Ends a series of steps.
__device__ inline void advance_progress(const Arguments& arguments) {
    if (threadIdx.x == 0) arguments.progress[1] += arguments.index;
}
