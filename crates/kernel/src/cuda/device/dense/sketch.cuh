// Steps without a factor of their own equations: conjugate gradients on all rows, in multiples of the diagonal or in terms of
// fewer rows, which are sums of all of them with random signs (Clarkson, Woodruff 2013).

// The sign of a row in its sum; as in `gram.rs` of this crate (the finalizer of SplitMix64: Steele, Lea, Flood 2014).
__device__ inline double sign_of(long long row) {
    unsigned long long bits = (static_cast<unsigned long long>(row) + 1) * 0x9e3779b97f4a7c15ull;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
    return (bits ^ (bits >> 31)) & 1 ? -1.0 : 1.0;
}

// Adds the rows at hand to their sums, in `to`: a number per thread, in the order of the rows. Sums behind the last one are
// nothing, and so are numbers behind the parameters.
__device__ inline void add_with_signs(const Arguments& arguments) {
    const long long groups = (arguments.stride + THREADS - 1) / THREADS, sum = blockIdx.x / groups;
    const long long column = blockIdx.x % groups * THREADS + threadIdx.x;
    if (column >= arguments.stride) return;
    double* to = arguments.to + sum * arguments.stride + column;
    double total = arguments.fresh ? 0.0 : *to;
    if (sum < arguments.sketched && column < arguments.size) {
        const long long behind = (sum + arguments.sketched - arguments.first_row % arguments.sketched) % arguments.sketched;
        for (long long row = behind; row < arguments.row_count; row += arguments.sketched)
            total += sign_of(arguments.first_row + row) * arguments.rows[row * arguments.stride + column];
    }
    *to = total;
}

// The squares of the rows' columns: 64 columns and a part of the rows per block of threads.
__device__ inline void square_parts(const Arguments& arguments) {
    __shared__ double shares[THREADS];
    const int groups = int(arguments.stride) / 64, group = blockIdx.x % groups;
    const long long part = blockIdx.x / groups, column = group * 64 + threadIdx.x % 64;
    const int share = threadIdx.x / 64;
    double sum = 0;
#pragma unroll 4
    for (long long row = part * 4 + share; row < arguments.row_count; row += arguments.parts * 4) {
        const double number = arguments.rows[row * arguments.stride + column];
        sum += number * number;
    }
    shares[threadIdx.x] = sum;
    __syncthreads();
    if (share == 0) {
        for (int other = 1; other < 4; ++other) sum += shares[other * 64 + threadIdx.x];
        double* to = arguments.sums + part * arguments.stride + column;
        *to = arguments.fresh ? sum : *to + sum;
    }
}

// The sum of the diagonal, and the square of the slope.
__device__ inline void survey_diagonal(const Arguments& arguments) {
    double trace = 0, square = 0;
    for (long long place = threadIdx.x; place < arguments.size; place += THREADS) {
        trace += arguments.diagonal[place];
        square += arguments.slope[place] * arguments.slope[place];
    }
    trace = block_sum(trace);
    square = block_sum(square);
    if (threadIdx.x == 0) {
        arguments.report[0] = trace;
        arguments.report[1] = square;
    }
}

// Where conjugate gradients begin, into `to`: at what is carried where steps are pulled there, or at nothing. A thread per
// number, as below.
__device__ inline void begin_iterations(const Arguments& arguments) {
    const long long place = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
    const long long candidate = place / arguments.stride, column = place % arguments.stride;
    if (candidate >= arguments.candidates) return;
    const bool pulled = column < arguments.size && arguments.pulled[candidate] != 0;
    arguments.to[place] = pulled ? arguments.pulled[candidate] * arguments.momentum[column] : 0.0;
}

// The slope that is left, in `kept`, in multiples of the damped diagonal.
__device__ inline void divide_by_diagonal(const Arguments& arguments) {
    const long long place = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
    const long long candidate = place / arguments.stride, column = place % arguments.stride;
    if (candidate >= arguments.candidates) return;
    const double divisor = column < arguments.size ? arguments.diagonal[column] + arguments.added[candidate] : 1.0;
    arguments.to[place] = arguments.kept[place] / divisor;
}

// The same in terms of the sums of rows J: (1 - J' (J J' + d)^-1 J) / d, whose last product is there in parts.
__device__ inline void divide_by_sketch(const Arguments& arguments) {
    const long long place = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
    const long long candidate = place / arguments.stride, column = place % arguments.stride;
    if (candidate >= arguments.candidates) return;
    double total = 0;
    for (long long part = 0; part < arguments.parts; ++part)
        total += arguments.sums[(part * arguments.candidates + candidate) * arguments.stride + column];
    arguments.to[place] = (arguments.kept[place] - total) / arguments.damped[arguments.factor[candidate]];
}
