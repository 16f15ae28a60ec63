// Dense linear algebra of one least-squares problem, the same text for every plan. Matrices lie row by row, `stride`
// numbers a row, their lower triangle; vectors of candidates lie `stride` numbers apart.

struct Arguments {
    // Scaled rows of the Jacobian, the residual behind the `size` parameters, zeros behind it.
    const double* rows;
    long long row_count;
    long long stride;
    long long size;
    // Parts of the rows that are added up apart; whether their sums start from zero.
    long long parts;
    long long fresh;
    double* sums;
    // The rows' products with each other; row `size` is the slope.
    double* matrix;
    // The blocks on their diagonals apart; what each has added to its diagonal.
    double* factors;
    double* corners;
    // Which of their blocks of numbers are finished.
    int* flags;
    long long factor_count;
    double damped[4];
    long long candidates;
    // Of every candidate: its factor, and what its equations have added to their diagonal.
    long long factor[4];
    double added[4];
    // Whether a candidate's step is damped towards `momentum`, 1, or towards nothing, 0.
    double pulled[4];
    const double* momentum;
    // Whether unknowns are rows: then `momentum` is its product with every row, `size` the rows and `stride` their padded
    // number.
    long long in_rows;
    // Vectors that a solution comes from, and goes to.
    double* from;
    double* to;
    double* step;
    double* acceleration;
    // What is left of the slope while steps are refined, and the rows times their directions, `apart` numbers from one
    // candidate to the next.
    double* kept;
    const double* along;
    // Where the step begins, and parameters beside it: two per candidate, then one.
    const double* parameters;
    double* moved;
    // Whether the step has a bend.
    long long accelerated;
    // Residuals at the parameters, and at those beside them; rows in all.
    const double* values;
    const double* others;
    long long all_rows;
    // Per residual of the plan: its first row, rows from one to the next, how many, its scale.
    const long long* kinds;
    long long kind_count;
    // One number per row and candidate, `apart` numbers from one candidate to the next.
    double* curved;
    long long apart;
    // The rows times the residuals: half of the loss's slope.
    double* slope;
    // What the host is told.
    double* report;
    // Whether all steps are found by conjugate gradients, whatever their factors; the part of the first slope's square that
    // ends them; what steps are in multiples of: the diagonal of the rows' products with each other.
    long long iterated;
    double enough;
    double* diagonal;
    // Sums of rows with random signs, and the first one of the rows at hand among all.
    long long sketched;
    long long first_row;
    // Whether factors are cut into blocks of 128 by 128 numbers.
    long long wide;
    // What tells random subspaces of the parameters apart.
    unsigned long long key;
    // Where curvature is seen, in multiples of a step, and the most that a step may bend.
    double reach, most_bend;
};

// Adds up a number of every thread, in a fixed order; every thread has the sum.
__device__ inline double block_sum(double value) {
    __shared__ double parts[WARPS];
    value = warp_sum(value);
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    double total = 0;
    for (int warp = 0; warp < WARPS; ++warp) total += parts[warp];
    return total;
}

struct Place {
    int down, across;
};

// The place of a tile of a lower triangle, counted row by row.
__device__ inline Place lower_place(int number) {
    int down = int((sqrt(8.0 * number + 1) - 1) / 2);
    while (down * (down + 1) / 2 > number) --down;
    while ((down + 1) * (down + 2) / 2 <= number) ++down;
    return Place{down, number - down * (down + 1) / 2};
}

// What a warp's products of four inner indices are made of.
template <int DOWN, int ACROSS>
struct Fragments {
    double left[DOWN][2], right[ACROSS];

    // From shared memory: so many numbers from one row or column to the next, and from one inner index to the next.
    template <int PLACE, int INNER>
    __device__ void load(const double* from_left, const double* from_right) {
        const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
        for (int i = 0; i < DOWN; ++i) {
            left[i][0] = from_left[(16 * i + g) * PLACE + t * INNER];
            left[i][1] = from_left[(16 * i + 8 + g) * PLACE + t * INNER];
        }
#pragma unroll
        for (int j = 0; j < ACROSS; ++j) right[j] = from_right[(8 * j + g) * PLACE + t * INNER];
    }

    // The same with a right factor whose columns lie side by side.
    template <int DOWNWARDS, int ACROSS_STRIDE>
    __device__ void load_across(const double* from_left, const double* from_right) {
        const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
        for (int i = 0; i < DOWN; ++i) {
            left[i][0] = from_left[(16 * i + g) * DOWNWARDS + t];
            left[i][1] = from_left[(16 * i + 8 + g) * DOWNWARDS + t];
        }
#pragma unroll
        for (int j = 0; j < ACROSS; ++j) right[j] = from_right[8 * j + g + t * ACROSS_STRIDE];
    }

    __device__ void multiply(double (&sum)[DOWN][ACROSS][4]) const {
#pragma unroll
        for (int i = 0; i < DOWN; ++i)
#pragma unroll
            for (int j = 0; j < ACROSS; ++j) multiply_double(sum[i][j], left[i], right[j]);
    }
};

// Calls `each` with the row and column of every pair of neighbours that this thread holds, and the pair.
template <int DOWN, int ACROSS, typename Each>
__device__ inline void for_pairs(double (&sum)[DOWN][ACROSS][4], Each each) {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < DOWN; ++i)
#pragma unroll
        for (int j = 0; j < ACROSS; ++j)
#pragma unroll
            for (int half = 0; half < 2; ++half)
                each(16 * i + 8 * half + g, 8 * j + 2 * t, sum[i][j][2 * half], sum[i][j][2 * half + 1]);
}
