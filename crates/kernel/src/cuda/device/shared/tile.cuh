// A tile of points through everything: coefficients, network, residuals, and back. `Term` is one loss term, written
// out by the emitter; the functions here are the same for all of them.

struct Block {
    const Arguments& arguments;
    number* scratch;
    number* gradient;
    // Scalars, then squares.
    double* sums;
    // The problem's trainable scalars.
    const double* scalars;
};

__device__ inline number scalar_of(const Block& block, int place) {
    return number(block.scalars[place]);
}

// The network's outputs, their adjoints, and how far apart their rows are.
template <typename Term>
__device__ inline const number* head_of(const Block& block) {
    return block.scratch + Term::HEAD;
}

template <typename Term>
__device__ inline number* head_bar_of(const Block& block) {
    return block.scratch + Term::HEAD_BAR;
}

template <typename Term>
__device__ constexpr int head_stride(const Block&) {
    return Term::COLUMNS;
}

__device__ inline Block own_block(const Arguments& arguments) {
    const long long block = blockIdx.x;
    return Block{arguments, arguments.scratch + block * SCRATCH, arguments.gradients + block * GRADIENT,
                 arguments.sums + block * SUMS, arguments.parameters + WEIGHTS};
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
