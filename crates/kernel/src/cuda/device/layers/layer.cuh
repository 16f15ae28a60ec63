// One dense layer on a tile: which product runs for its sizes, and what becomes of its weights' gradients.

// A layer's place in the parameters, and in the packed matrices (`matrix` by inputs, `transpose` by outputs).
struct Dense {
    int inputs, outputs;
    int weights, bias;
    int matrix, transpose, packed_bias;
};

__device__ constexpr int padded(int count) {
    return (count + 3) / 4 * 4;
}

// Outputs up to which a layer's products run warp by warp.
constexpr int NARROW_ROWS = 4;
// Neurons on one side up to which a layer's gradient is computed weight by weight.
constexpr int NARROW_SIDE = 8;

template <int ROWS, int COLUMNS>
__device__ inline void layer_product(const number* left, int left_stride, const number* right, number* out, int inner,
                                     const number* bias, int places, Start start) {
    if constexpr (ROWS <= NARROW_ROWS) {
        if (start == REPLACE) {
            narrow_product(left, left_stride, right, out, ROWS, COLUMNS, inner, bias, places);
            return;
        }
    }
    tile_product<ROWS, COLUMNS>(left, left_stride, right, out, inner, bias, places, start);
}

// Adds a tile's gradient to the block's own sums.
struct Sum {
    number* gradient;

    template <typename Term, int INPUTS, int OUTPUTS>
    __device__ void dense(const Dense& layer, const number* values, const number* bar) const {
        number* weights = gradient + layer.weights;
        if constexpr (INPUTS <= NARROW_SIDE || OUTPUTS <= NARROW_SIDE) {
            narrow_outer_product(values, bar, weights, INPUTS, OUTPUTS, Term::COLUMNS);
        } else {
            tile_outer_product<INPUTS, OUTPUTS>(values, bar, weights, Term::COLUMNS);
        }
        bias_gradient(bar, gradient + layer.bias, OUTPUTS, Term::COLUMNS, Term::PLACES);
        __syncthreads();
    }

    template <typename Term, int WIDTH, typename Read>
    __device__ void factors(const Factors& factors, const number* bar, Read read) const {
        factor_sums<WIDTH, Term::COLUMNS>(factors, bar, read, gradient);
    }
};

// Points whose rows a thread writes together: their numbers are neighbours.
constexpr int TOGETHER = 8;
static_assert(POINTS % TOGETHER == 0, "tiles are whole groups of points");

__device__ inline bool all_zero(const number* values) {
    bool zero = true;
#pragma unroll
    for (int point = 0; point < TOGETHER; ++point) zero = zero && values[point] == number(0);
    return zero;
}

// Writes the gradient of one layer at `count` points into their rows, `stride` numbers apart.
__device__ __noinline__ void write_rows(const Dense layer, const number* values, const number* bar, double* rows,
                                        long long stride, int count, int columns, int places) {
    const int weights = layer.inputs * layer.outputs;
    for (int place = threadIdx.x; place < weights + layer.outputs; place += THREADS) {
        const bool is_bias = place >= weights;
        const number* left = values + (is_bias ? 0 : place / layer.outputs * columns);
        const number* right = bar + (is_bias ? place - weights : place % layer.outputs) * columns;
        double* own = rows + (is_bias ? layer.bias + place - weights : layer.weights + place);
        const int end = is_bias ? places : columns;
        for (int first = 0; first < count; first += TOGETHER) {
            double sum[TOGETHER] = {};
            for (int n = first; n < end; n += POINTS) {
                // Of an input all derivatives but its own are zero. A warp has one input where layers are wide.
                if (!is_bias && all_zero(left + n)) continue;
#pragma unroll
                for (int point = 0; point < TOGETHER; ++point)
                    sum[point] += (is_bias ? 1.0 : double(left[n + point])) * double(right[n + point]);
            }
#pragma unroll
            for (int point = 0; point < TOGETHER; ++point)
                if (first + point < count) own[(first + point) * stride] = sum[point];
        }
    }
    __syncthreads();
}

// Writes every point's own gradient into its row.
struct Rows {
    double* rows;
    long long stride;
    int count;

    template <typename Term, int INPUTS, int OUTPUTS>
    __device__ void dense(const Dense& layer, const number* values, const number* bar) const {
        write_rows(layer, values, bar, rows, stride, count, Term::COLUMNS, Term::PLACES);
    }

    template <typename Term, int WIDTH, typename Read>
    __device__ void factors(const Factors& factors, const number* bar, Read read) const {
        factor_rows<WIDTH, Term::COLUMNS>(factors, bar, read, rows, stride, count);
    }
};

// Adds the product of `moved` and `bar`, point by point.
__device__ __noinline__ void add_products(const number* moved, const number* bar, double* products, int outputs,
                                          int columns) {
    const int point = threadIdx.x % POINTS, slot = threadIdx.x / POINTS;
    double sum = 0;
    for (int output = slot; output < outputs; output += THREADS / POINTS)
        for (int n = point; n < columns; n += POINTS)
            sum += double(moved[output * columns + n]) * double(bar[output * columns + n]);
    double* sums = reinterpret_cast<double*>(workspace());
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (slot == 0) {
        for (int other = 1; other < THREADS / POINTS; ++other) sum += sums[other * POINTS + point];
        products[point] += sum;
    }
    __syncthreads();
}

// Adds the product of every point's gradient with a direction: the layer is applied with the direction as its
// weights, and the result multiplied with the adjoint.
struct Along {
    const number* direction;
    number* moved;
    double* products;

    template <typename Term, int INPUTS, int OUTPUTS>
    __device__ void dense(const Dense& layer, const number* values, const number* bar) const {
        layer_product<OUTPUTS, Term::COLUMNS>(direction + layer.matrix, padded(OUTPUTS), values, moved, INPUTS,
                                              direction + layer.packed_bias, Term::PLACES, REPLACE);
        add_products(moved, bar, products, OUTPUTS, Term::COLUMNS);
    }

    template <typename Term, int WIDTH, typename Read>
    __device__ void factors(const Factors& factors, const number* bar, Read read) const {
        for (int at = threadIdx.x; at < WIDTH * Term::COLUMNS; at += THREADS)
            moved[at] = factor_of(factors, direction, at / Term::COLUMNS) * read[at];
        __syncthreads();
        add_products(moved, bar, products, WIDTH, Term::COLUMNS);
    }
};
