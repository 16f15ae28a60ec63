// A tile of points, layer by layer, for every kind of work.

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

// Loss and gradient of one tile.
template <typename Term>
__device__ inline void evaluate_tile(const Block& block, const double* rows, int count, int first) {
    Term::forward(block, rows, count);
    seed_losses<Term>(block, rows, count, first);
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

// One row of derivatives per point and residual, `stride` numbers apart and multiplied by what `scale` gives for the
// residual; and the residuals.
template <typename Term, typename Scale>
__device__ inline void jacobian_tile(const Block& block, const double* rows, int count, double* output,
                                     long long stride, Scale scale, double* values) {
    fill_tile<Term>(block, rows, count, values);
    for (int residual = 0; residual < Term::RESIDUALS; ++residual) {
        seed_residuals<Term>(block, rows, count,
                             [&](int, int k, number) { return number(k == residual ? scale(k) : 0); });
        const Rows target{output + residual * stride, Term::RESIDUALS * stride, count};
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
