// Steps for several dampings: where they lead, how they bend, what they promise. One block of threads per candidate,
// or per residual of the plan.

// Blocks of threads that share the points of one residual.
constexpr int SHARED_OUT = 16;

// A number of one of the factor's last rows; of the last block the diagonal's share lies apart.
__device__ inline double solved_half(const Arguments& arguments, long long factor, long long row, long long column) {
    const long long apart = row / BLOCK * BLOCK;
    if (column >= apart) return corner_of(arguments, factor, row / BLOCK)[row % BLOCK * BLOCK + column - apart];
    return factor_of(arguments, factor)[row * arguments.stride + column];
}

// The solved half of the equations, from the factor's last rows.
__device__ inline void begin_backward(const Arguments& arguments) {
    const int candidate = blockIdx.x;
    const long long factor = arguments.factor[candidate];
    const double pulled = arguments.pulled[candidate];
    const double pull = arguments.in_rows ? -pulled : arguments.damped[factor] * pulled;
    double* to = vector_of(arguments.to, arguments, candidate);
    for (long long place = threadIdx.x; place < column_blocks(arguments) * BLOCK; place += THREADS) {
        double number = 0;
        if (place < arguments.size) {
            number = solved_half(arguments, factor, arguments.size, place);
            if (pull != 0) number += pull * solved_half(arguments, factor, arguments.size + 1, place);
        }
        to[place] = number;
    }
}

// What a step promises, and parameters a little ahead and behind, or at its end.
__device__ inline void look_ahead(const Arguments& arguments) {
    const int candidate = blockIdx.x;
    const double* step = vector_of(arguments.step, arguments, candidate);
    double* ahead = vector_of(arguments.moved, arguments, 2 * candidate);
    const double pulled = arguments.pulled[candidate];
    double along = 0, square = 0;
    for (long long place = threadIdx.x; place < arguments.size; place += THREADS) {
        along += step[place] * arguments.slope[place];
        square += step[place] * (step[place] - pulled * arguments.momentum[place]);
        ahead[place] = arguments.parameters[place] + arguments.reach * step[place];
        ahead[arguments.stride + place] = arguments.parameters[place] - arguments.reach * step[place];
    }
    along = block_sum(along);
    square = block_sum(square);
    if (threadIdx.x == 0) {
        arguments.report[2 * candidate] = along;
        arguments.report[2 * candidate + 1] = square;
    }
}

// The second derivative of the rows along every step, or the rows at its end.
template <bool ENDS>
__device__ inline void fill_rows(const Arguments& arguments) {
    const int kind = blockIdx.x / SHARED_OUT % int(arguments.kind_count), share = blockIdx.x % SHARED_OUT;
    const int candidate = blockIdx.x / SHARED_OUT / int(arguments.kind_count);
    const long long* own = arguments.kinds + 4 * kind;
    const double scale = reinterpret_cast<const double*>(own)[3];
    const double* ahead = arguments.others + (ENDS ? 1 : 2) * candidate * arguments.all_rows;
    const double* behind = ahead + arguments.all_rows;
    double* to = arguments.curved + candidate * arguments.apart;
    // Unknowns behind the rows are none.
    if (kind == 0 && share == 0)
        for (long long row = arguments.all_rows + threadIdx.x; row < arguments.apart; row += THREADS) to[row] = 0;
    for (long long point = share * THREADS + threadIdx.x; point < own[2]; point += SHARED_OUT * THREADS) {
        const long long row = own[0] + point * own[1];
        if (ENDS) to[row] = scale * ahead[row];
        else to[row] = scale / (arguments.reach * arguments.reach) * (ahead[row] - 2 * arguments.values[row] + behind[row]);
    }
}

// Ends from which corrections, in `acceleration`, were taken off, from the ends in `from`.
__device__ inline void correct_end(const Arguments& arguments) {
    const int candidate = blockIdx.x;
    const double* from = vector_of(arguments.from, arguments, candidate);
    const double* correction = vector_of(arguments.acceleration, arguments, candidate);
    double* to = vector_of(arguments.to, arguments, candidate);
    for (long long place = threadIdx.x; place < arguments.size; place += THREADS) to[place] = from[place] - correction[place];
}

// The step's end: its bend is added where there is one, as far as it may.
__device__ inline void end_step(const Arguments& arguments) {
    const int candidate = blockIdx.x;
    double* step = vector_of(arguments.step, arguments, candidate);
    const double* acceleration = vector_of(arguments.acceleration, arguments, candidate);
    double part = 0;
    if (arguments.accelerated) {
        double length = 0, accelerated = 0;
        for (long long place = threadIdx.x; place < arguments.size; place += THREADS) {
            length += step[place] * step[place];
            accelerated += acceleration[place] * acceleration[place];
        }
        length = sqrt(block_sum(length));
        accelerated = sqrt(block_sum(accelerated));
        // Neither zero nor infinite nor no number.
        if (accelerated > 0 && accelerated - accelerated == 0) part = 0.5 * fmin(arguments.most_bend * length / (0.5 * accelerated), 1.0);
    }
    double* end = vector_of(arguments.moved, arguments, candidate);
    for (long long place = threadIdx.x; place < arguments.size; place += THREADS) {
        if (part > 0) step[place] += part * acceleration[place];
        end[place] = arguments.parameters[place] - step[place];
    }
}

// Squares of every residual, in parts that the host adds up.
__device__ inline void sum_squares(const Arguments& arguments) {
    const int kind = blockIdx.x / SHARED_OUT % int(arguments.kind_count), share = blockIdx.x % SHARED_OUT;
    const int candidate = blockIdx.x / SHARED_OUT / int(arguments.kind_count);
    const long long* own = arguments.kinds + 4 * kind;
    const double* values = arguments.values + candidate * arguments.all_rows;
    double total = 0;
    for (long long point = share * THREADS + threadIdx.x; point < own[2]; point += SHARED_OUT * THREADS) {
        const double value = values[own[0] + point * own[1]];
        total += value * value;
    }
    total = block_sum(total);
    if (threadIdx.x == 0) arguments.report[blockIdx.x] = total;
}

// Rows times one number each: 64 columns and a part of the rows per block of threads, all candidates at once.
__device__ inline void slope_parts(const Arguments& arguments) {
    __shared__ double shares[THREADS];
    const int groups = int(arguments.stride) / 64, group = blockIdx.x % groups;
    const long long part = blockIdx.x / groups, column = group * 64 + threadIdx.x % 64;
    const int share = threadIdx.x / 64;
    double sum[4] = {};
#pragma unroll 4
    for (long long row = part * 4 + share; row < arguments.row_count; row += arguments.parts * 4) {
        const double number = arguments.rows[row * arguments.stride + column];
#pragma unroll
        for (int candidate = 0; candidate < 4; ++candidate)
            if (candidate < arguments.candidates)
                sum[candidate] += number * arguments.curved[candidate * arguments.apart + row];
    }
#pragma unroll
    for (int candidate = 0; candidate < 4; ++candidate) {
        if (candidate >= arguments.candidates) break;
        shares[threadIdx.x] = sum[candidate];
        __syncthreads();
        if (share == 0) {
            double total = sum[candidate];
            for (int other = 1; other < 4; ++other) total += shares[other * 64 + threadIdx.x];
            double* to = arguments.sums + (part * arguments.candidates + candidate) * arguments.stride + column;
            *to = arguments.fresh ? total : *to + total;
        }
        __syncthreads();
    }
}

// Adds up their parts, and what is carried to where steps are pulled; the residual is no parameter.
template <bool PULLED>
__device__ inline void add_slopes(const Arguments& arguments) {
    const long long place = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
    const long long candidate = place / arguments.stride, column = place % arguments.stride;
    if (candidate >= arguments.candidates) return;
    double total = 0;
    for (long long part = 0; part < arguments.parts; ++part)
        total += arguments.sums[(part * arguments.candidates + candidate) * arguments.stride + column];
    if (PULLED && column < arguments.size) total += arguments.pulled[candidate] * arguments.momentum[column];
    arguments.to[place] = column < arguments.size ? total : 0.0;
}
