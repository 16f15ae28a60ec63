// Rows of a least-squares problem: scaled derivatives, the scaled residual behind them, and zeros up to whole tiles of
// the product that follows.

// The arguments of a candidate: parameters, their packed copies and residuals of all candidates lie behind each other.
__device__ inline Arguments arguments_of(const Arguments& arguments, long long candidate) {
    Arguments own = arguments;
    own.parameters += candidate * STRIDE;
    own.weights += candidate * PACKED;
    own.values += candidate * arguments.all_rows;
    return own;
}

template <typename Term>
__device__ inline void rows_tile(const Block& block, const double* rows, int count, const double* scales,
                                 double* output, double* values) {
    jacobian_tile<Term>(block, rows, count, output, STRIDE, [&](int k) { return scales[k]; }, values);
    constexpr int BEHIND = STRIDE - PARAMETERS;
    for (int place = threadIdx.x; place < count * Term::RESIDUALS * BEHIND; place += THREADS) {
        const int row = place / BEHIND, column = place % BEHIND;
        const double residual = column == 0 ? scales[row % Term::RESIDUALS] * values[row] : 0.0;
        output[static_cast<long long>(row) * STRIDE + PARAMETERS + column] = residual;
    }
    __syncthreads();
}
