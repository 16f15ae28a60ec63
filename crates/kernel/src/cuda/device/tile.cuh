// A tile of points through everything: coefficients, network, residuals, and back. `Term` is one loss term, written
// out by the emitter; the functions here are the same for all of them.

struct Arguments {
    // Weights, then scalars, as the host has them.
    const double* parameters;
    // Of every residual in the gradient: 2 * weight / points.
    const double* factors;
    // Per term: where its rows start, its points, its first tile; then where the tiles end.
    const long long* table;
    const double* rows;
    // Packed by `pack`.
    number* weights;
    number* direction;
    // One piece per block.
    number* scratch;
    number* gradients;
    double* sums;
    // The gradient, then the sums of squares.
    double* result;
    const double* seeds;
    double* output;
    // Residuals that come along with the output.
    double* values;
    // Of the launches that work on one term.
    long long term;
    long long points;
    // Blocks whose pieces are added up.
    long long blocks;
    // Whether the blocks' sums start from zero.
    long long fresh;
    // Of the update: squares of the gradient per block of `reduce`, and how many blocks that are.
    double* norms;
    long long reducers;
    // Running means of the gradient, then of its square.
    double* moments;
    // One per step of a call: step length; the loss that was found and the sums of squares.
    const double* rates;
    double* history;
    // Steps before this call; steps of this call before this series; 1 + the step of this call that was refused, or
    // 0; 1 + the step whose loss was below the bound, or 0; the phase's steps before this call; the draw of the
    // phase's first step.
    long long* progress;
    // The step within its series.
    long long index;
    long long decaying;
    double mean_decay, square_decay, floor, decay;
    // Steps end after one from a smaller loss.
    double bound;
    // Points that are drawn here: what, and how; steps between two draws or 0; whether a draw waits for its step.
    const long long* jobs;
    long long job_count;
    const long long* parts;
    unsigned long long seed, renewal;
    long long interval;
    long long always;
};

struct Block {
    const Arguments& arguments;
    number* scratch;
    number* gradient;
    // Scalars, then squares.
    double* sums;
};

__device__ inline Block own_block(const Arguments& arguments) {
    const long long block = blockIdx.x;
    return Block{arguments, arguments.scratch + block * SCRATCH, arguments.gradients + block * GRADIENT,
                 arguments.sums + block * SUMS};
}

__device__ inline void clear_sums(const Block& block) {
    for (int place = threadIdx.x; place < GRADIENT; place += THREADS) block.gradient[place] = number(0);
    for (int place = threadIdx.x; place < SUMS; place += THREADS) block.sums[place] = 0;
    __syncthreads();
}

// Calls `each` for every neuron and place. A thread always sees the same place.
template <typename Each>
__device__ inline void for_neurons(int neurons, int places, Each each) {
    const int place = threadIdx.x % places;
    for (int neuron = threadIdx.x / places; neuron < neurons; neuron += THREADS / places) each(neuron, place);
}

// Adds what every thread gathered for its place to `sums`, slot by slot.
__device__ inline void add_over_neurons(number gathered, number* sums, int places) {
    number* parts = workspace();
    parts[threadIdx.x] = gathered;
    __syncthreads();
    if (threadIdx.x < places) {
        number total = sums[threadIdx.x];
        for (int slot = threadIdx.x; slot < THREADS; slot += places) total += parts[slot];
        sums[threadIdx.x] = total;
    }
    __syncthreads();
}

// The numbers of a point; beyond the last one it is repeated.
template <typename Term>
__device__ inline const double* row_of(const double* rows, int count, int point) {
    return rows + (point < count ? point : count - 1) * Term::ROW;
}

// Sets the adjoints of the residuals at every point and brings them through the residual's program. `seed` is given
// point, residual's number and value.
template <typename Term, typename Seed>
__device__ inline void seed_residuals(const Block& block, const double* rows, int count, Seed seed) {
    for (int place = threadIdx.x; place < Term::OUTPUTS * Term::COLUMNS; place += THREADS)
        block.scratch[Term::HEAD_BAR + place] = number(0);
    for (int place = threadIdx.x; place < Term::SCALARS * POINTS; place += THREADS)
        block.scratch[Term::SCALAR_BARS + place] = number(0);
    __syncthreads();
    const int point = threadIdx.x;
    if (point < POINTS) {
        const double* row = row_of<Term>(rows, count, point);
        number seeds[Term::RESIDUALS];
        Term::residuals(block, row, point, seeds);
#pragma unroll
        for (int k = 0; k < Term::RESIDUALS; ++k) seeds[k] = point < count ? seed(point, k, seeds[k]) : number(0);
        Term::residuals_adjoint(block, row, point, seeds);
    }
    __syncthreads();
}

// Adds the scalars' adjoints over the points to the block's sums.
template <typename Term>
__device__ inline void sum_scalars(const Block& block) {
    if (threadIdx.x < Term::SCALARS) {
        double total = 0;
        for (int point = 0; point < POINTS; ++point)
            total += double(block.scratch[Term::SCALAR_BARS + threadIdx.x * POINTS + point]);
        block.sums[threadIdx.x] += total;
    }
    __syncthreads();
}

// Loss and gradient of one tile; `first` is the number of the term's first residual in the plan.
template <typename Term>
__device__ inline void evaluate_tile(const Block& block, const double* rows, int count, int first) {
    Term::forward(block, rows, count);
    const double* factors = block.arguments.factors + first;
    number* kept = block.scratch + Term::KEPT;
    seed_residuals<Term>(block, rows, count, [&](int point, int k, number value) {
        kept[k * POINTS + point] = value;
        return number(factors[k]) * value;
    });
    if (threadIdx.x < Term::RESIDUALS) {
        double total = 0;
        for (int point = 0; point < count; ++point) {
            const double value = double(kept[threadIdx.x * POINTS + point]);
            total += value * value;
        }
        block.sums[Term::SCALARS + first + threadIdx.x] += total;
    }
    Term::reverse(block, rows, count, Sum{block.gradient});
    sum_scalars<Term>(block);
}

// The gradient of the sum of seeds times residuals over one term's points.
template <typename Term>
__device__ inline void transposed_tile(const Block& block, const double* rows, int count, const double* seeds) {
    Term::forward(block, rows, count);
    seed_residuals<Term>(block, rows, count,
                         [&](int point, int k, number) { return number(seeds[point * Term::RESIDUALS + k]); });
    Term::reverse(block, rows, count, Sum{block.gradient});
    sum_scalars<Term>(block);
}

// Residuals, point by point.
template <typename Term>
__device__ inline void fill_tile(const Block& block, const double* rows, int count, double* output) {
    Term::forward(block, rows, count);
    const int point = threadIdx.x;
    if (point < count) {
        number values[Term::RESIDUALS];
        Term::residuals(block, row_of<Term>(rows, count, point), point, values);
        for (int k = 0; k < Term::RESIDUALS; ++k) output[point * Term::RESIDUALS + k] = double(values[k]);
    }
    __syncthreads();
}

// One row of derivatives per point and residual, and the residuals.
template <typename Term>
__device__ inline void jacobian_tile(const Block& block, const double* rows, int count, double* output,
                                     double* values) {
    fill_tile<Term>(block, rows, count, values);
    for (int residual = 0; residual < Term::RESIDUALS; ++residual) {
        seed_residuals<Term>(block, rows, count, [&](int, int k, number) { return number(k == residual ? 1 : 0); });
        const Rows target{output + static_cast<long long>(residual) * PARAMETERS,
                          static_cast<long long>(Term::RESIDUALS) * PARAMETERS, count};
        Term::reverse(block, rows, count, target);
        for (int place = threadIdx.x; place < Term::SCALARS * count; place += THREADS) {
            const int scalar = place / count, point = place % count;
            target.rows[point * target.stride + WEIGHTS + scalar] =
                double(block.scratch[Term::SCALAR_BARS + scalar * POINTS + point]);
        }
        __syncthreads();
    }
}

// The derivative of every residual along a direction; `scalars` is the direction's share of the scalars.
template <typename Term>
__device__ inline void along_tile(const Block& block, const double* rows, int count, const double* scalars,
                                  double* output) {
    Term::forward(block, rows, count);
    double* products = block.sums + Term::SCALARS;
    for (int residual = 0; residual < Term::RESIDUALS; ++residual) {
        seed_residuals<Term>(block, rows, count, [&](int, int k, number) { return number(k == residual ? 1 : 0); });
        if (threadIdx.x < POINTS) products[threadIdx.x] = 0;
        __syncthreads();
        Term::reverse(block, rows, count,
                      Along{block.arguments.direction, block.scratch + Term::MOVED, products});
        if (threadIdx.x < count) {
            double sum = products[threadIdx.x];
            for (int scalar = 0; scalar < Term::SCALARS; ++scalar)
                sum += scalars[scalar] * double(block.scratch[Term::SCALAR_BARS + scalar * POINTS + threadIdx.x]);
            output[threadIdx.x * Term::RESIDUALS + residual] = sum;
        }
        __syncthreads();
    }
}
