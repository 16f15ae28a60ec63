// Products of columns, or of rows, of numbers in half precision, for steps whose damping is far above their error. Every
// line (a column of J for J'J, a row of it for JJ') is multiplied by a power of two that brings its largest number to between
// 2^8 and 2^9, and split into whole numbers and rests. Products of whole numbers are exact, and so is their sum over a slice
// in the f32 of matrix units, which would cut off what is behind 24 digits; products with rests have a sum of their own.
// Slices are rounded to f32 once and added up in pairs of f32 (Kahan 1965). What comes out is, but for that, the exact matrix
// of slightly other rows. Terms lie as blocks of threads stage them: slice by slice of a panel of SIDE lines, in cells of 8 lines by 8
// inner indices.

// Inner indices of a slice, as many as have exact sums: 2^9 * 2^9 * 32 = 2^23.
constexpr int SLICE = 32;
// Slices that are staged or on their way.
constexpr int SLICES = 3;
// Numbers of a slice's one term, and of both.
constexpr int TERM = SIDE * SLICE, BOTH = 2 * TERM;
static_assert(SLICES * 2 * BOTH * sizeof(short) + 3 * sizeof(int) <= SHARED_BYTES, "both factors of some slices, and a place");
static_assert(SIDE * SIDE / 2 * sizeof(double) <= SHARED_BYTES, "half of a tile");

// Panels of tiles whose products are made side by side: those that are needed at one time stay in the second-level cache.
constexpr int BAND = 12;

// Where a number's cell begins: the line within its panel, and eight inner indices of its slice.
__device__ inline int cell_of(int line, int eight) {
    return (eight * (SIDE / 8) + line / 8) * 64 + line % 8 * 8;
}

__device__ inline int panels_of(const Arguments& arguments) {
    return int(arguments.in_rows ? arguments.apart : arguments.stride) / SIDE;
}

__device__ inline long long slices_of(const Arguments& arguments) {
    return arguments.in_rows ? arguments.stride / SLICE : (arguments.row_count + SLICE - 1) / SLICE;
}

// The power of two that undoes what brings a size to below 2^9; zeros and what is no number may have any.
__device__ inline double unscale_of(double size) {
    const long long exponent = (__double_as_longlong(size) >> 52) - 8;
    return __longlong_as_double((exponent < 23 ? 23 : exponent > 2023 ? 2023 : exponent) << 52);
}

// The largest size of every column of the rows at hand, into `sizes`, and the columns' products with the residuals, into
// `sums`: 64 columns and a part of the rows per block of threads.
__device__ inline void size_parts(const Arguments& arguments) {
    __shared__ double shares[2][THREADS];
    const int groups = int(arguments.stride) / 64, group = blockIdx.x % groups;
    const long long part = blockIdx.x / groups, column = group * 64 + threadIdx.x % 64;
    const int share = threadIdx.x / 64;
    double size = 0, sum = 0;
#pragma unroll 4
    for (long long row = part * 4 + share; row < arguments.row_count; row += arguments.parts * 4) {
        const double* own = arguments.rows + row * arguments.stride;
        size = fmax(size, fabs(own[column]));
        sum += own[column] * own[arguments.size];
    }
    shares[0][threadIdx.x] = size;
    shares[1][threadIdx.x] = sum;
    __syncthreads();
    if (share != 0) return;
    for (int other = 64 + threadIdx.x; other < THREADS; other += 64) {
        size = fmax(size, shares[0][other]);
        sum += shares[1][other];
    }
    const long long to = part * arguments.stride + column;
    arguments.sizes[to] = size;
    arguments.sums[to] = arguments.fresh ? sum : arguments.sums[to] + sum;
}

// What the columns are multiplied by, from the parts of their sizes.
__device__ inline void settle_scales(const Arguments& arguments) {
    const long long column = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
    if (column >= arguments.stride) return;
    double size = 0;
    for (long long part = 0; part < arguments.parts; ++part)
        size = fmax(size, arguments.sizes[part * arguments.stride + column]);
    arguments.unscales[column] = unscale_of(size);
}

struct alignas(16) Eight {
    unsigned words[4];
};

// The terms of a slice of a panel, each slice by a block of threads.
__device__ inline void split_slice(const Arguments& arguments) {
    const long long slices = slices_of(arguments), panel = blockIdx.x / slices, slice = blockIdx.x % slices;
    unsigned short* cells = arguments.halves + static_cast<long long>(blockIdx.x) * BOTH;
    for (int piece = threadIdx.x; piece < TERM / 8; piece += THREADS) {
        // Neighbours read what lies side by side.
        const int line = arguments.in_rows ? piece / (SLICE / 8) : piece % SIDE;
        const int eight = arguments.in_rows ? piece % (SLICE / 8) : piece / SIDE;
        const long long outer = panel * SIDE + line, inner = slice * SLICE + 8 * eight;
        const long long first = arguments.in_rows ? outer * arguments.stride + inner : inner * arguments.stride + outer;
        const long long apart = arguments.in_rows ? 1 : arguments.stride;
        const double scale = 1 / arguments.unscales[outer];
        float values[8];
#pragma unroll
        for (int place = 0; place < 8; ++place) {
            const bool valid = (arguments.in_rows ? outer : inner + place) < arguments.row_count;
            values[place] = valid ? float(arguments.rows[first + place * apart] * scale) : 0.0f;
        }
        Eight own[2];
#pragma unroll
        for (int pair = 0; pair < 4; ++pair) {
            const float low = values[2 * pair], high = values[2 * pair + 1];
            own[0].words[pair] = pack_short(rint(low), rint(high));
            own[1].words[pair] = pack_short(low - rint(low), high - rint(high));
        }
        for (int term = 0; term < 2; ++term)
            *reinterpret_cast<Eight*>(cells + term * TERM + cell_of(line, eight)) = own[term];
    }
}

// The place of a tile where tiles are counted band by band, down the columns of a band.
__device__ inline Place band_place(int number, int side) {
    const int start = lower_place(number).down / BAND * BAND, height = side - start < BAND ? side - start : BAND;
    const int within = number - start * (start + 1) / 2;
    if (within < start * height) return Place{start + within % height, within / height};
    const Place last = lower_place(within - start * height);
    return Place{start + last.down, start + last.across};
}

// Adds a warp's products of a slice to their totals; `lost` is what those have lost to rounding.
__device__ inline void add_products(float (&total)[4][4][4], float (&lost)[4][4][4], const unsigned short* left,
                                    const unsigned short* right) {
    constexpr int STEPS = SLICE / 16;
    // Four cells of a left factor are 16 lines, those of a right one twice 8.
    const auto along = [](int lane) { return cell_of(lane / 8 % 2 * 8, lane / 16) + lane % 8 * 8; };
    const auto across = [](int lane) { return cell_of(lane / 16 * 8, lane / 8 % 2) + lane % 8 * 8; };
    unsigned others[STEPS][2][2][4];
#pragma unroll
    for (int part = 0; part < STEPS * 4; ++part)
        load_fragments(others[part / 4][part / 2 % 2][part % 2], right,
                       part / 2 % 2 * TERM + cell_of(part % 2 * 16, part / 4 * 2), across);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float whole[4][4] = {}, rest[4][4] = {};
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            unsigned own[2][4];
#pragma unroll
            for (int term = 0; term < 2; ++term)
                load_fragments(own[term], left, term * TERM + cell_of(16 * i, 2 * step), along);
#pragma unroll
            for (int product = 3; product >= 0; --product)
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const unsigned (&pair)[4] = others[step][product % 2][j / 2];
                    const unsigned both[2] = {pair[j % 2 * 2], pair[j % 2 * 2 + 1]};
                    multiply_short(product == 0 ? whole[j] : rest[j], own[product / 2], both);
                }
        }
#pragma unroll
        for (int number = 0; number < 16; ++number) {
            const int j = number / 4, place = number % 4;
            float &all = total[i][j][place], &less = lost[i][j][place];
            const float more = (whole[j][place] + rest[j][place]) - less, next = all + more;
            less = (next - all) - more;
            all = next;
        }
    }
}

// One tile and a part of the inner indices per block of threads.
__device__ inline void multiply_halves(const Arguments& arguments) {
    unsigned short* stages = reinterpret_cast<unsigned short*>(shared_memory);
    const int side = panels_of(arguments), tiles = side * (side + 1) / 2;
    const Place place = band_place(blockIdx.x % tiles, side);
    // For the end: until then registers are few.
    int* kept = reinterpret_cast<int*>(stages + SLICES * 2 * BOTH);
    if (threadIdx.x == 0) {
        kept[0] = place.down * SIDE;
        kept[1] = place.across * SIDE;
        kept[2] = blockIdx.x / tiles * tiles + place.down * (place.down + 1) / 2 + place.across;
    }
    const long long part = blockIdx.x / tiles, slices = slices_of(arguments);
    const long long each = (slices + arguments.parts - 1) / arguments.parts, start = part * each;
    const int count = int(start + each < slices ? each : start < slices ? slices - start : 0);
    const int warp = threadIdx.x / 32, warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
    const unsigned short* down = arguments.halves + (place.down * slices + start) * BOTH + threadIdx.x * 8;
    // From there to those of the other factor, in multiples of eight.
    const int across = int((place.across - place.down) * slices * (BOTH / 8));
    // The next slice, where there is one.
    auto fetch = [&](bool more, int room) {
        if (more) {
            unsigned short* to = stages + room + threadIdx.x * 8;
#pragma unroll
            for (int piece = 0; piece < BOTH; piece += THREADS * 8) {
                copy_cells(to + piece, down + piece);
                copy_cells(to + BOTH + piece, down + 8LL * across + piece);
            }
            down += BOTH;
        }
        close_copies();
    };
    float total[4][4][4] = {}, lost[4][4][4] = {};
    constexpr int STAGE = 2 * BOTH, LAST = (SLICES - 1) * STAGE;
#pragma unroll 1
    for (int ahead = 0; ahead + 1 < SLICES; ++ahead) fetch(ahead < count, ahead * STAGE);
    int stage = 0;
    for (int left = count; left > 0; --left) {
        await_copies_but<SLICES - 2>();
        // Behind this barrier the slice is complete, and nobody reads the one before it any more.
        __syncthreads();
        fetch(left >= SLICES, stage == 0 ? LAST : stage - STAGE);
        add_products(total, lost, stages + stage + cell_of(warp_row, 0), stages + stage + BOTH + cell_of(warp_column, 0));
        stage = stage == LAST ? 0 : stage + STAGE;
    }
    const bool fresh = arguments.fresh || arguments.in_rows;
    // By way of shared memory, half of the rows at a time: what scales need would take the sums' registers.
    float* shown = reinterpret_cast<float*>(shared_memory);
    constexpr int SHOWN = SIDE * SIDE / 2;
#pragma unroll 1
    for (int first = 0; first < SIDE; first += SIDE / 2) {
        __syncthreads();
        if (warp_row == first) {
            const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
            float* to = shown + g * SIDE + warp_column + 2 * t;
#pragma unroll
            for (int number = 0; number < 64; ++number) {
                const int i = number / 16, j = number / 4 % 4, place = number % 4;
                const int behind = (16 * i + place / 2 * 8) * SIDE + 8 * j + place % 2;
                to[behind] = total[i][j][place];
                to[behind + SHOWN] = lost[i][j][place];
            }
        }
        __syncthreads();
        const double *down = arguments.unscales + kept[0], *across = arguments.unscales + kept[1];
        double* own = arguments.sums + static_cast<long long>(kept[2]) * SIDE * SIDE;
#pragma unroll 4
        for (int number = threadIdx.x; number < SHOWN; number += THREADS) {
            const int row = first + number / SIDE, column = number % SIDE;
            const double sum = double(shown[number]) - double(shown[number + SHOWN]);
            const double value = sum * down[row] * across[column];
            double* to = own + row * SIDE + column;
            *to = fresh ? value : *to + value;
        }
    }
}
