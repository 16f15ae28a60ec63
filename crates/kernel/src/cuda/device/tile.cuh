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
    // What adjoints and factors are multiplied by at the end.
    double unscale;
    // Sets of parameters whose residuals are wanted, and how many those of one set are.
    long long candidates;
    long long all_rows;
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
    for (int place = threadIdx.x; place < Term::SCALARS * Term::POINTS; place += THREADS)
        block.scratch[Term::SCALAR_BARS + place] = number(0);
    __syncthreads();
    const int point = threadIdx.x;
    if (point < Term::POINTS) {
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
        for (int point = 0; point < Term::POINTS; ++point)
            total += double(block.scratch[Term::SCALAR_BARS + threadIdx.x * Term::POINTS + point]);
        block.sums[threadIdx.x] += total;
    }
    __syncthreads();
}

// Residuals of one tile: their squares to the block's sums, their adjoints to the network's outputs. `first` is the
// number of the term's first residual in the plan.
template <typename Term>
__device__ inline void seed_losses(const Block& block, const double* rows, int count, int first) {
    const double* factors = block.arguments.factors + first;
    number* kept = block.scratch + Term::KEPT;
    seed_residuals<Term>(block, rows, count, [&](int point, int k, number value) {
        kept[k * Term::POINTS + point] = value;
        return number(factors[k]) * value;
    });
    for (int k = threadIdx.x / 32; k < Term::RESIDUALS; k += WARPS) {
        double total = 0;
        for (int point = threadIdx.x % 32; point < count; point += 32) {
            const double value = double(kept[k * Term::POINTS + point]);
            total += value * value;
        }
        total = warp_sum(total);
        if (threadIdx.x % 32 == 0) block.sums[Term::SCALARS + first + k] += total;
    }
}
