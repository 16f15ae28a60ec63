// Vectors as long as the parameters, and one symmetric matrix: what methods that remember steps need of them.

struct Arguments {
    // Of a vector.
    long long size;
    // Factors or summands; coefficients of the latter.
    const double* table[MOST];
    double coefficients[MOST];
    long long count;
    // Where a sum goes.
    double* to;
    // Where parts of products go.
    double* parts;
    // Rows one after the other; what becomes of it: factor * matrix + (u v) * weights * (u v)^T.
    double* matrix;
    long long changes;
    double factor, own, mixed, other;
    const double* u;
    const double* v;
    const double* vector;
};

// Blocks that share a product.
constexpr int SHARED_OUT = 8;

// Parts of the products of vectors 2n and 2n + 1 of the table.
__device__ inline void add_products(const Arguments& arguments) {
    const int pair = blockIdx.x / SHARED_OUT, share = blockIdx.x % SHARED_OUT;
    const double* first = arguments.table[2 * pair];
    const double* second = arguments.table[2 * pair + 1];
    double sum = 0;
    for (long long place = share * THREADS + threadIdx.x; place < arguments.size; place += SHARED_OUT * THREADS)
        sum += first[place] * second[place];
    sum = warp_sum(sum);
    double* sums = reinterpret_cast<double*>(workspace());
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < WARPS; ++warp) sum += sums[warp];
        arguments.parts[blockIdx.x] = sum;
    }
}

// The sum of the table's vectors times their coefficients; it may replace one of them.
__device__ inline void combine_vectors(const Arguments& arguments) {
    const long long threads = static_cast<long long>(gridDim.x) * THREADS;
    for (long long place = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x; place < arguments.size;
         place += threads) {
        double sum = 0;
        for (long long n = 0; n < arguments.count; ++n) sum += arguments.coefficients[n] * arguments.table[n][place];
        arguments.to[place] = sum;
    }
}

// What becomes of one number of the matrix: the same bits on both sides of the diagonal, so that one side is all there
// is to know.
__device__ inline double changed(const Arguments& arguments, double number, long long row, long long column) {
    const long long large = row > column ? row : column, small = row > column ? column : row;
    const double u = arguments.u[large], v = arguments.v[large];
    const double by_u = fma(arguments.own, u, arguments.mixed * v), by_v = fma(arguments.mixed, u, arguments.other * v);
    return fma(by_u, arguments.u[small], fma(by_v, arguments.v[small], arguments.factor * number));
}

// Changes the matrix, if that is wanted, and multiplies it with a vector: a warp per row, one pass through memory.
__device__ inline void multiply_matrix(const Arguments& arguments) {
    const long long size = arguments.size;
    const int lane = threadIdx.x % 32;
    for (long long row = blockIdx.x * WARPS + threadIdx.x / 32; row < size; row += gridDim.x * WARPS) {
        double* numbers = arguments.matrix + row * size;
        double sum = 0;
        for (long long column = lane; column < size; column += 32) {
            double number = numbers[column];
            if (arguments.changes) numbers[column] = number = changed(arguments, number, row, column);
            sum += number * arguments.vector[column];
        }
        sum = warp_sum(sum);
        if (lane == 0) arguments.to[row] = sum;
    }
}

__device__ inline void set_identity(const Arguments& arguments) {
    const long long all = arguments.size * arguments.size, threads = static_cast<long long>(gridDim.x) * THREADS;
    for (long long place = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x; place < all; place += threads)
        arguments.matrix[place] = place / arguments.size == place % arguments.size ? 1 : 0;
}
