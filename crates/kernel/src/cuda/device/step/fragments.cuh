// Products of the fused step. A layer's values lie in shared memory, one row per neuron, one column per channel and
// place: as TERMS planes of bfloat16 numbers whose sum is the value, or as whole numbers. Weights come from memory in
// fragments of 16 by 16, in the order in which the lanes of a warp hold them. A warp owns DOWN tiles of 16 neurons at
// all columns, so that no two warps add to the same sum.

#if TERMS > 0
typedef unsigned short Cell;
constexpr int PLANES = TERMS;
#else
typedef number Cell;
constexpr int PLANES = 1;
#endif
// Numbers of memory that one fragment of weights takes.
constexpr int FRAGMENT = TERMS > 0 ? PLANES * 128 : 256;
// Whole numbers behind each row, so that those which a warp reads together fall into different banks.
constexpr int PADDING = sizeof(number) == 4 ? 8 : 4;
// Tiles of 8 columns whose right fragments a warp holds at a time.
constexpr int GROUP = sizeof(number) == 4 ? 4 : 2;

// Whether weights are fetched one step ahead. A warp that owns two tiles of neurons lacks the registers: the compiler would
// make every product wait for the one before.
constexpr bool AHEAD = DOWN == 1;
// Whether products of one step are under way while those of the next are given, with weights of three steps in registers. In
// bfloat16 the compiler makes them wait all the same, and from 256 neurons on it took longer (`benches/gpu/fused-step.md`).
constexpr bool OVERLAPPED = AHEAD && SCALED && INNER <= 8;
// Tiles of 8 inputs whose gradients a warp sums at a time; of doubles two leave registers for what products read.
constexpr int OUTER = AHEAD && sizeof(number) == 4 && WIDTH % 32 == 0 ? 4 : 2;

// Where a number of the values lies. Short ones are matrices of 8 by 8 that take 128 bytes in a row, as matrix
// instructions read them.
template <int COLUMNS>
__device__ constexpr int cell_at(int term, int row, int column) {
#if TERMS > 0
    return ((term * ((COLUMNS + 15) / 16 * 2) + column / 8) * ROWS + row) * 8 + column % 8;
#else
    return row * ((COLUMNS + 15) / 16 * 16 + PADDING) + column;
#endif
}

struct alignas(16) Words {
    unsigned word[4];
};
struct alignas(2 * sizeof(number)) Both {
    number value[2];
};
struct alignas(16) Quad {
    number value[4];
};

// Reads from memory at this very moment: the compiler would keep what it read before in registers that it lacks.
__device__ inline Quad read_again(const Quad* from) {
#ifdef STAND_IN
    return *from;
#else
    Quad own;
#if SINGLE && NEAR_LAYERS > 0
    asm volatile("ld.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(own.value[0]), "=f"(own.value[1]), "=f"(own.value[2]), "=f"(own.value[3])
                 : "l"(from));
#elif SINGLE
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(own.value[0]), "=f"(own.value[1]), "=f"(own.value[2]), "=f"(own.value[3])
                 : "l"(from));
#elif NEAR_LAYERS > 0
    asm volatile("ld.v2.f64 {%0, %1}, [%2];" : "=d"(own.value[0]), "=d"(own.value[1]) : "l"(from));
    asm volatile("ld.v2.f64 {%0, %1}, [%2 + 16];" : "=d"(own.value[2]), "=d"(own.value[3]) : "l"(from));
#else
    asm volatile("ld.global.v2.f64 {%0, %1}, [%2];" : "=d"(own.value[0]), "=d"(own.value[1]) : "l"(from));
    asm volatile("ld.global.v2.f64 {%0, %1}, [%2 + 16];" : "=d"(own.value[2]), "=d"(own.value[3]) : "l"(from));
#endif
    return own;
#endif
}

// The same from shared memory.
__device__ inline Quad read_near(const Quad* from) {
#ifdef STAND_IN
    return *from;
#else
    Quad own;
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(from));
#if SINGLE
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(own.value[0]), "=f"(own.value[1]), "=f"(own.value[2]), "=f"(own.value[3])
                 : "r"(at));
#else
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(own.value[0]), "=d"(own.value[1]) : "r"(at));
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2 + 16];" : "=d"(own.value[2]), "=d"(own.value[3]) : "r"(at));
#endif
    return own;
#endif
}

// Sixteen rows by sixteen of the inner dimension.
struct Left {
#if TERMS > 0
    unsigned terms[TERMS][4];
#else
    // Rows g and g + 8 at t, t + 4, t + 8 and t + 12.
    number value[8];
#endif

    __device__ inline void load(const number* fragment) {
        const int lane = threadIdx.x % 32;
#if TERMS > 0
#pragma unroll
        for (int term = 0; term < TERMS; ++term) {
            const Words words = reinterpret_cast<const Words*>(fragment)[term * 32 + lane];
#pragma unroll
            for (int part = 0; part < 4; ++part) terms[term][part] = words.word[part];
        }
#else
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            const Both both = reinterpret_cast<const Both*>(fragment)[part * 32 + lane];
            value[2 * part] = both.value[0];
            value[2 * part + 1] = both.value[1];
        }
#endif
    }

    // Of two results side by side. A result's lanes hold what a left fragment's lanes do.
    __device__ inline void take(const number (&first)[4], const number (&second)[4]) {
#if TERMS > 0
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            const number(&from)[4] = part < 2 ? first : second;
            unsigned own[TERMS];
            split(from[part % 2 * 2], from[part % 2 * 2 + 1], own);
#pragma unroll
            for (int term = 0; term < TERMS; ++term) terms[term][part] = own[term];
        }
#else
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            const number(&from)[4] = part < 2 ? first : second;
            value[2 * part] = as_factor(from[part % 2]);
            value[2 * part + 1] = as_factor(from[2 + part % 2]);
        }
#endif
    }

    // Writes what it took of results whose first row and column are these.
    template <int COLUMNS>
    __device__ inline void store(Cell* cells, int row, int column) const {
        row += threadIdx.x % 32 / 4;
        column += threadIdx.x % 4 * 2;
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            const int to = row + part % 2 * 8, at = column + part / 2 * 8;
#if TERMS > 0
#pragma unroll
            for (int term = 0; term < TERMS; ++term)
                *reinterpret_cast<unsigned*>(cells + cell_at<COLUMNS>(term, to, at)) = terms[term][part];
#else
            const int first = part / 2 * 4 + part % 2;
            *reinterpret_cast<Both*>(cells + cell_at<COLUMNS>(0, to, at)) = Both{value[first], value[first + 2]};
#endif
        }
    }
};

// Sixteen of the inner dimension by eight columns.
struct Right {
#if TERMS > 0
    unsigned terms[TERMS][2];
#else
    number value[4];
#endif
};

// Two tiles of columns side by side; the inner dimension runs over rows.
template <int COLUMNS>
__device__ inline void load_down(Right* pair, const Cell* cells, int row, int column) {
#if TERMS > 0
#pragma unroll
    for (int term = 0; term < TERMS; ++term) {
        unsigned parts[4];
        load_transposed(parts, cells, cell_at<COLUMNS>(term, row, column),
                        [](int lane) { return lane % 16 * 8 + lane / 16 * ROWS * 8; });
#pragma unroll
        for (int part = 0; part < 4; ++part) pair[part / 2].terms[term][part % 2] = parts[part];
    }
#else
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int tile = 0; tile < 2; ++tile)
#pragma unroll
        for (int part = 0; part < 4; ++part)
            pair[tile].value[part] = cells[cell_at<COLUMNS>(0, row + 4 * part + t, column + 8 * tile + g)];
#endif
}

// Two tiles of neurons; the inner dimension runs over columns, in the order of `Left::take`.
template <int COLUMNS>
__device__ inline void load_along(Right* pair, const Cell* cells, int neuron, int column) {
#if TERMS > 0
#pragma unroll
    for (int term = 0; term < TERMS; ++term) {
        unsigned parts[4];
        load_fragments(parts, cells, cell_at<COLUMNS>(term, neuron, column), [](int lane) {
            return (lane / 16 * 8 + lane % 8) * 8 + lane / 8 % 2 * ROWS * 8;
        });
#pragma unroll
        for (int part = 0; part < 4; ++part) pair[part / 2].terms[term][part % 2] = parts[part];
    }
#else
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int tile = 0; tile < 2; ++tile)
#pragma unroll
        for (int part = 0; part < 4; ++part)
            pair[tile].value[part] =
                cells[cell_at<COLUMNS>(0, neuron + 8 * tile + g, column + part / 2 * 8 + 2 * t + part % 2)];
#endif
}

// Writes two neighbouring columns of one row.
template <int COLUMNS>
__device__ inline void store_cells(Cell* cells, int row, int column, number first, number second) {
#if TERMS > 0
    unsigned terms[TERMS];
    split(first, second, terms);
#pragma unroll
    for (int term = 0; term < TERMS; ++term)
        *reinterpret_cast<unsigned*>(cells + cell_at<COLUMNS>(term, row, column)) = terms[term];
#else
    *reinterpret_cast<Both*>(cells + cell_at<COLUMNS>(0, row, column)) =
        Both{as_factor(first), as_factor(second)};
#endif
}

// Adds left times right to COUNT tiles of columns from `start` on. Small products of terms come first: they would be
// lost one by one against the large ones.
template <int ACROSS, int COUNT>
__device__ inline void multiply_group(number (&sum)[DOWN][ACROSS][4], const Left (&left)[DOWN],
                                      const Right (&right)[COUNT], int start) {
#if TERMS > 0
#pragma unroll
    for (int order = TERMS - 1; order >= 0; --order)
#pragma unroll
        for (int i = 0; i <= order; ++i)
#pragma unroll
            for (int tile = 0; tile < COUNT; ++tile)
#pragma unroll
                for (int down = 0; down < DOWN; ++down)
                    if (start + tile < ACROSS)
                        multiply_short(sum[down][start + tile], left[down].terms[i],
                                          right[tile].terms[order - i]);
#else
#pragma unroll
    for (int tile = 0; tile < COUNT; ++tile)
#pragma unroll
        for (int down = 0; down < DOWN; ++down)
            if (start + tile < ACROSS) multiply_whole(sum[down][start + tile], left[down].value, right[tile].value);
#endif
}

// Weights of one step of 16 neurons for the rows of this warp.
__device__ inline void fetch_weights(Left (&left)[DOWN], const number* fragments, int step) {
#pragma unroll
    for (int down = 0; down < DOWN; ++down)
        left[down].load(fragments + (step * TILES + threadIdx.x / 32 * DOWN + down) * FRAGMENT);
}

#if GROUPED
// Adds left times right, whose terms start `plane` cells from each other, for the four warps of a group. Between
// `begin_products` and the `await_products` that ends them sums and left factors belong to the products.
template <Order ORDER, int ACROSS>
__device__ inline void multiply_terms(number (&sum)[DOWN][ACROSS][4], const Left (&left)[DOWN], const Cell* right,
                                      int plane, int inner, int outer) {
#pragma unroll
    for (int order = TERMS - 1; order >= 0; --order)
#pragma unroll
        for (int i = 0; i <= order; ++i)
#pragma unroll
            for (int down = 0; down < DOWN; ++down)
                multiply_rows<ORDER>(sum[down], left[down].terms[i], factor(right + (order - i) * plane, inner, outer));
}
#endif

// Adds left times the values of the sixteen neurons from `row` on.
template <int COLUMNS>
__device__ inline void multiply_down(number (&sum)[DOWN][COLUMNS / 8][4], const Left (&left)[DOWN], const Cell* cells,
                                     int row) {
    constexpr int ACROSS = COLUMNS / 8;
#pragma unroll
    for (int start = 0; start < ACROSS; start += GROUP) {
        Right right[GROUP];
#pragma unroll
        for (int pair = 0; pair < GROUP; pair += 2)
            if (start + pair < ACROSS) load_down<COLUMNS>(right + pair, cells, row, (start + pair) * 8);
        multiply_group(sum, left, right, start);
    }
}

#if GROUPED
// As `add_product` for four warps that give one instruction; the products of a step are awaited behind those of the next,
// and weights are fetched two steps ahead.
template <int COLUMNS, int STEPS>
__device__ inline void add_overlapped(number (&sum)[DOWN][COLUMNS / 8][4], const Left (&first)[DOWN],
                                      const number* fragments, const Cell* cells) {
    Left left[3][DOWN];
#pragma unroll
    for (int down = 0; down < DOWN; ++down) left[0][down] = first[down];
    if constexpr (STEPS > 1) fetch_weights(left[1], fragments, 1);
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
        begin_products();
        multiply_terms<DOWNWARDS>(sum, left[step % 3], cells + step * 16 * 8, cell_at<COLUMNS>(1, 0, 0), 8 * 8, ROWS * 8);
        commit_products();
        if (step > 0) await_products<1>();
        if (step + 2 < STEPS) fetch_weights(left[(step + 2) % 3], fragments, step + 2);
    }
    await_products<0>();
}
#endif

// Adds the weights times the values of STEPS times 16 neurons; TOGETHER says that four warps give one instruction. Where
// they are fetched ahead `next` has the weights of the first step, and those of the next one are always on their way.
template <int COLUMNS, bool TOGETHER, int STEPS>
__device__ inline void add_product(number (&sum)[DOWN][COLUMNS / 8][4], Left (&next)[DOWN], const number* fragments,
                                   const Cell* cells) {
#if GROUPED
    if constexpr (TOGETHER && OVERLAPPED) {
        add_overlapped<COLUMNS, STEPS>(sum, next, fragments, cells);
        settle(sum);
        return;
    }
#endif
#pragma unroll 1
    for (int step = 0; step < STEPS; ++step) {
        Left left[DOWN];
        if constexpr (AHEAD) {
#pragma unroll
            for (int down = 0; down < DOWN; ++down) left[down] = next[down];
            fetch_weights(next, fragments, step + 1 < STEPS ? step + 1 : step);
        } else {
            fetch_weights(left, fragments, step);
        }
#if GROUPED
        if constexpr (TOGETHER) {
            begin_products();
            multiply_terms<DOWNWARDS>(sum, left, cells + step * 16 * 8, cell_at<COLUMNS>(1, 0, 0), 8 * 8, ROWS * 8);
            commit_products();
            await_products<0>();
        } else
#endif
            multiply_down<COLUMNS>(sum, left, cells, step * 16);
    }
#if GROUPED
    if constexpr (TOGETHER) settle(sum);
#endif
}

// A thread's adjoints as left factors, sixteen columns each; what fills up the last one is zero.
template <int COLUMNS>
struct Bars {
    static constexpr int PAIRS = (COLUMNS + 15) / 16;
    Left pairs[DOWN][PAIRS];

    __device__ inline explicit Bars(const number (&from)[DOWN][COLUMNS / 8][4]) {
        const number none[4] = {};
#pragma unroll
        for (int down = 0; down < DOWN; ++down)
#pragma unroll
            for (int pair = 0; pair < PAIRS; ++pair) {
                if (2 * pair + 1 < COLUMNS / 8)
                    pairs[down][pair].take(from[down][2 * pair], from[down][2 * pair + 1 < COLUMNS / 8 ? 2 * pair + 1 : 0]);
                else
                    pairs[down][pair].take(from[down][2 * pair], none);
            }
    }

    __device__ inline void store(Cell* cells) const {
#pragma unroll
        for (int down = 0; down < DOWN; ++down)
#pragma unroll
            for (int pair = 0; pair < PAIRS; ++pair)
                pairs[down][pair].template store<COLUMNS>(cells, (threadIdx.x / 32 * DOWN + down) * 16, pair * 16);
    }
};

// Adds to a gradient, or writes where nothing lies there yet.
template <int COUNT>
__device__ inline void add_to_gradient(number* to, const number (&value)[COUNT], bool first) {
    if (!first) return add_to_memory(to, value);
    // In one go.
    struct alignas(COUNT * sizeof(number) < 16 ? COUNT * sizeof(number) : 16) {
        number value[COUNT];
    } whole;
#pragma unroll
    for (int part = 0; part < COUNT; ++part) whole.value[part] = value[part];
    *reinterpret_cast<decltype(whole)*>(to) = whole;
}

// Adds the products of adjoints and the values of INPUTS neurons over all columns to a block's own gradient, which lies
// as results do, without the rows and tiles of inputs that only fill up; `first` says that nothing lies there yet. COUNT
// tiles of 8 inputs are summed at a time. `unscale` undoes what adjoints and values were multiplied by.
template <int COLUMNS, int INPUTS, int COUNT, bool TOGETHER>
__device__ inline void add_outer_product(const Bars<COLUMNS>& bars, const Cell* cells, number* gradient, bool first,
                                         number unscale) {
    constexpr int ALONG_TILES = (INPUTS + 7) / 8;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll 1
    for (int chunk = 0; chunk < ALONG_TILES; chunk += COUNT) {
        number sum[DOWN][COUNT][4] = {};
#if GROUPED
        if constexpr (TOGETHER) begin_products();
#endif
#pragma unroll
        for (int pair = 0; pair < Bars<COLUMNS>::PAIRS; ++pair) {
            Left left[DOWN];
#pragma unroll
            for (int down = 0; down < DOWN; ++down) left[down] = bars.pairs[down][pair];
#if GROUPED
            if constexpr (TOGETHER) {
                multiply_terms<ALONG>(sum, left, cells + cell_at<COLUMNS>(0, chunk * 8, pair * 16),
                                      cell_at<COLUMNS>(1, 0, 0), ROWS * 8, 8 * 8);
                continue;
            }
#endif
#pragma unroll
            for (int start = 0; start < COUNT; start += 2) {
                Right right[2];
                load_along<COLUMNS>(right, cells, (chunk + start) * 8, pair * 16);
                multiply_group(sum, left, right, start);
            }
        }
#if GROUPED
        if constexpr (TOGETHER) {
            commit_products();
            await_products<0>();
            settle(sum);
        }
#endif
#pragma unroll
        for (int down = 0; down < DOWN; ++down) {
            const int row = (warp * DOWN + down) * 16;
            number* own = gradient + row / 16 * ALONG_TILES * 128;
            // Where neurons are no multiple of 16, the last rows are half a tile, and there may be warps without any.
            const bool half = NEURONS % 16 > 0 && NEURONS % 16 <= 8 && row + 16 > NEURONS;
            if (WIDTH > NEURONS && row >= NEURONS) continue;
#pragma unroll
            for (int tile = 0; tile < COUNT; ++tile) {
#if SCALED
#pragma unroll
                for (int part = 0; part < 4; ++part) sum[down][tile][part] *= unscale;
#endif
                if (ALONG_TILES % COUNT > 0 && chunk + tile >= ALONG_TILES) continue;
                const int place = (chunk + tile) * 32 + lane;
                if (half) {
                    const number upper[2] = {sum[down][tile][0], sum[down][tile][1]};
                    add_to_gradient(own + 2 * place, upper, first);
                } else {
                    add_to_gradient(own + 4 * place, sum[down][tile], first);
                }
            }
        }
    }
}
