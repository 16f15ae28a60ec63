// Equations of a random subspace of the parameters: every unknown is a sum of parameters with random signs. As `subspace.rs` of
// this crate: parameters come in groups of as many as there are unknowns, and each group is turned by a random number of places.
// The parameters are `size`, the unknowns `sketched`, `apart` numbers lie from one row in terms of the subspace to the next, and
// `key` tells the turns apart.

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
__device__ inline unsigned long long mixed(const Arguments& arguments, long long number) {
    unsigned long long bits = arguments.key + (static_cast<unsigned long long>(number) + 1) * 0x9e3779b97f4a7c15ull;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
    return bits ^ (bits >> 31);
}

// By how many places a group is turned.
__device__ inline long long turned(const Arguments& arguments, long long group) {
    return static_cast<long long>((mixed(arguments, arguments.size + group) >> 1) % static_cast<unsigned long long>(arguments.sketched));
}

__device__ inline double random_sign(const Arguments& arguments, long long parameter) {
    return mixed(arguments, parameter) & 1 ? -1.0 : 1.0;
}

// One over the root of the parameters that an unknown moves: all groups have one, but for the last.
__device__ inline double shared_out(const Arguments& arguments, long long unknown) {
    const long long last = (arguments.size - 1) / arguments.sketched, behind = arguments.size - last * arguments.sketched;
    const long long place = (unknown + arguments.sketched - turned(arguments, last)) % arguments.sketched;
    return 1 / sqrt(double(last + (place < behind ? 1 : 0)));
}

// Rows that a thread takes at a time: it finds signs once for all of them.
constexpr int COMBINED = 8;

// The rows at hand in terms of the subspace, into `to`, where the first one is `first_row`: 256 unknowns and some rows per block
// of threads.
__device__ inline void combine_columns(const Arguments& arguments) {
    const long long unknowns = arguments.sketched, across = (unknowns + THREADS - 1) / THREADS;
    const long long unknown = blockIdx.x % across * THREADS + threadIdx.x, first = blockIdx.x / across * COMBINED;
    if (unknown >= unknowns) return;
    double sum[COMBINED] = {};
    for (long long start = 0, group = 0; start < arguments.size; start += unknowns, ++group) {
        const long long parameter = start + (unknown + unknowns - turned(arguments, group)) % unknowns;
        if (parameter >= arguments.size) continue;
        const double sign = random_sign(arguments, parameter);
#pragma unroll
        for (int row = 0; row < COMBINED; ++row)
            if (first + row < arguments.row_count) sum[row] += sign * arguments.rows[(first + row) * arguments.stride + parameter];
    }
    const double factor = shared_out(arguments, unknown);
    double* to = arguments.to + (arguments.first_row + first) * arguments.apart + unknown;
#pragma unroll
    for (int row = 0; row < COMBINED; ++row)
        if (first + row < arguments.row_count) to[row * arguments.apart] = factor * sum[row];
}

// What lies behind the unknowns of a row: the residual, and the row's product with what is carried. A warp per row.
__device__ inline void complete_rows(const Arguments& arguments) {
    const long long row = static_cast<long long>(blockIdx.x) * WARPS + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (row >= arguments.row_count) return;
    const double* own = arguments.rows + row * arguments.stride;
    double sum = 0;
    for (long long column = lane; column < arguments.size; column += 32) sum += own[column] * arguments.momentum[column];
    sum = warp_sum(sum);
    double* to = arguments.to + (arguments.first_row + row) * arguments.apart;
    for (long long place = arguments.sketched + lane; place < arguments.apart; place += 32)
        to[place] = place == arguments.sketched ? own[arguments.size] : place == arguments.sketched + 1 ? sum : 0.0;
}

// What unknowns, `from`, mean for the parameters, into `to`; with what is carried where steps are pulled there, if `fresh`. A
// thread per number.
__device__ inline void spread_unknowns(const Arguments& arguments) {
    const long long place = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
    const long long candidate = place / arguments.stride, parameter = place % arguments.stride;
    if (candidate >= arguments.candidates) return;
    double number = 0;
    if (parameter < arguments.size) {
        const long long group = parameter / arguments.sketched;
        const long long unknown = (parameter % arguments.sketched + turned(arguments, group)) % arguments.sketched;
        number = random_sign(arguments, parameter) * shared_out(arguments, unknown) * arguments.from[candidate * arguments.apart + unknown];
        if (arguments.fresh) number += arguments.pulled[candidate] * arguments.momentum[parameter];
    }
    arguments.to[place] = number;
}

// What a step promises, in parts, from its unknowns `from`: r - J carried is what there is to fit where it is pulled, and its
// products with the subspace's rows lie behind those of r. A block of threads per candidate.
__device__ inline void predicted_in_subspace(const Arguments& arguments) {
    const long long candidate = blockIdx.x;
    const double* unknowns = vector_of(arguments.from, arguments, int(candidate));
    const double* slope = arguments.matrix + arguments.size * arguments.stride;
    const double* momentum = slope + arguments.stride;
    const double pulled = arguments.pulled[candidate];
    double along = 0, square = 0;
    for (long long place = threadIdx.x; place < arguments.size; place += THREADS) {
        along += unknowns[place] * (slope[place] - pulled * momentum[place]);
        square += unknowns[place] * unknowns[place];
    }
    along = block_sum(along);
    square = block_sum(square);
    if (threadIdx.x == 0) {
        // |r|² - |r - J carried|².
        const double fall = 2 * momentum[arguments.size] - momentum[arguments.size + 1];
        arguments.report[2 * candidate] = along + pulled * fall;
        arguments.report[2 * candidate + 1] = square;
    }
}
