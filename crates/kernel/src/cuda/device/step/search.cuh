// Points that have to be looked for: those inside a shape, and those whose turn it is in the order of an epoch. Point i inside is the
// i-th candidate that lies inside. Candidates are counted by groups, so that any part of a draw is found without those before it.

struct Arguments {
    double* rows;
    // Of every part inside a shape: candidates that lie inside before each group, and in all groups.
    long long* counts;
    const long long* parts;
    // Where those parts lie, in words behind the first one.
    const long long* insides;
    long long inside_count;
    const long long* jobs;
    long long job_count;
    // As those of a step.
    const long long* progress;
    long long index;
    unsigned long long seed, renewal;
    long long interval;
    // Whether it does not matter if a draw is due.
    long long always;
};

// Candidates of a group, a few for every thread; as a power of two.
constexpr int GROUP_DIGITS = 10, GROUP = 1 << GROUP_DIGITS;
static_assert(GROUP % (2 * THREADS) == 0, "an even number of candidates for every thread");

// Kinds of steps of an inside test.
constexpr int WITHIN = 0, EITHER = 1, BOTH = 2, WITHOUT = 3, BALL = 4, BLOCK = 5, ELLIPSOID = 6, HALF_SPACE = 7, CYLINDER = 8,
              CONE = 9, TORUS = 10, SIDES = 11;

// A test of points: a stack of truth values, as bits.
struct Test {
    long long dimension;
    // Which number of a point its coordinates are.
    long long axes[3];
    long long steps;
};

// One step, with as many numbers behind it.
struct TestStep {
    long long kind, numbers;
};

// Sums and products are rounded one by one, as on the host.
__device__ inline double product(double a, double b) {
    return __dmul_rn(a, b);
}

__device__ inline double sum(double a, double b) {
    return __dadd_rn(a, b);
}

__device__ inline double dot(const double* axis, const double (&point)[3]) {
    return sum(sum(product(axis[0], point[0]), product(axis[1], point[1])), product(axis[2], point[2]));
}

__device__ inline bool within(const double* bounds, long long dimension, const double (&point)[3]) {
    bool inside = true;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis)
        if (axis < dimension) inside &= bounds[2 * axis] <= point[axis] && point[axis] <= bounds[2 * axis + 1];
    return inside;
}

// Whether a ray to the right passes an odd number of sides.
__device__ inline bool passes(const double* sides, long long count, const double (&point)[3]) {
    bool odd = false;
    for (long long side = 0; side < count; ++side, sides += 4) {
        const double left = sides[0], low = sides[1], right = sides[2], high = sides[3];
        if ((low > point[1]) != (high > point[1]))
            odd ^= point[0] < sum(left, product((point[1] - low) / (high - low), right - left));
    }
    return odd;
}

// Whether a primitive holds a point of its own frame.
__device__ inline bool holds(long long kind, const double* own, long long numbers, long long dimension,
                             const double (&point)[3]) {
    const double beside = sum(product(point[0], point[0]), product(point[1], point[1]));
    switch (kind) {
    case BALL:
        return (dimension < 3 ? beside : sum(beside, product(point[2], point[2]))) < own[0];
    case BLOCK: {
        bool inside = true;
#pragma unroll
        for (int axis = 0; axis < 3; ++axis)
            if (axis < dimension) inside &= own[2 * axis] < point[axis] && point[axis] < own[2 * axis + 1];
        return inside;
    }
    case ELLIPSOID: {
        double total = 0;
#pragma unroll
        for (int axis = 0; axis < 3; ++axis)
            if (axis < dimension) {
                const double share = point[axis] / own[axis];
                total = sum(total, product(share, share));
            }
        return total < 1;
    }
    case HALF_SPACE: {
        const double from[3] = {point[0] - own[0], point[1] - own[1], point[2] - own[2]};
        return dot(own + 3, from) < 0;
    }
    case CYLINDER:
        return 0 < point[2] && point[2] < own[0] && beside < own[1];
    case CONE: {
        const double radius = product(own[1], 1 - point[2] / own[0]);
        return 0 < point[2] && point[2] < own[0] && beside < product(radius, radius);
    }
    case TORUS: {
        const double from = sqrt(beside) - own[0];
        return sqrt(sum(product(from, from), product(point[2], point[2]))) < own[1];
    }
    default:
        return passes(own, numbers / 4, point);
    }
}

// Numbers of a primitive in front of its own: a box, an origin, a scale, whether it is turned, and axes if so.
constexpr int PLACED = 11, AXES = 9;

// Whether a point lies inside.
__device__ inline bool lies_inside(const Test& test, const double (&point)[3]) {
    unsigned long long stack = 0;
    const TestStep* step = reinterpret_cast<const TestStep*>(&test + 1);
    for (long long count = 0; count < test.steps; ++count) {
        const long long kind = step->kind, numbers = step->numbers;
        const double* own = reinterpret_cast<const double*>(step + 1);
        step = reinterpret_cast<const TestStep*>(own + numbers);
        const unsigned long long top = stack & 1;
        switch (kind) {
        case WITHIN:
            if (!within(own, test.dimension, point)) stack &= ~1ull;
            break;
        case EITHER:
            stack = stack >> 1 | top;
            break;
        case BOTH:
            stack = stack >> 1 & ~(top ^ 1);
            break;
        case WITHOUT:
            stack = stack >> 1 & ~top;
            break;
        default: {
            double local[3] = {point[0] - own[6], point[1] - own[7], point[2] - own[8]};
            const double scale = own[9];
            int before = PLACED;
            if (own[10] != 0) {
                before += AXES;
                const double from[3] = {local[0], local[1], local[2]};
#pragma unroll
                for (int axis = 0; axis < 3; ++axis)
                    local[axis] = axis < test.dimension ? dot(own + PLACED + 3 * axis, from) : 0;
            }
            if (scale != 1)
#pragma unroll
                for (int axis = 0; axis < 3; ++axis) local[axis] /= scale;
            const bool inside = within(own, test.dimension, point) &&
                                holds(kind, own + before, numbers - before, test.dimension, local);
            stack = stack << 1 | (inside ? 1 : 0);
        }
        }
    }
    return stack & 1;
}

// Functions that are called: they are long, and wanted at many places.
#ifdef STAND_IN
#define CALLED inline
#else
#define CALLED __noinline__
#endif

// A number of a point.
__device__ CALLED double number_at(unsigned long long seed, const Part* part, const long long* directions, unsigned index,
                                   const Column* column) {
    return number_of(seed, *part, directions, index, *column);
}

__device__ CALLED unsigned long long bits_of(unsigned long long seed, unsigned long long stream, unsigned long long index) {
    return random_bits(seed, stream, index);
}

// Digits of a Sobol point, scrambled, where it is known what is flipped of the first six, and the tree below these.
__device__ CALLED unsigned scrambled(unsigned long long seed, unsigned long long stream, long long dimension,
                                     unsigned digits, unsigned flips, unsigned long long tree) {
    flips |= flips_of(tree, digits, 6);
#pragma unroll
    for (int first = 12; first < 32; first += 6)
        flips |= flips_of(tree_of(seed, stream, dimension, digits, first), digits, first);
    return digits ^ flips;
}

// What is flipped of the first six digits along each axis of a shape, by these, and the trees below them.
struct Scrambling {
    unsigned long long trees[3][64];
    unsigned flips[3][64];
};

// That of the part at hand.
__device__ inline Scrambling& scrambling() {
    __shared__ Scrambling own;
    return own;
}

// Candidates of one part. All threads of a block look at a group of them together.
struct Candidates {
    unsigned long long seed;
    const Part* part;
    const Column* columns;
    const long long* directions;
    const Test* test;

    __device__ inline Candidates(const Arguments& arguments, unsigned long long seed, long long place)
        : seed(seed),
          part(reinterpret_cast<const Part*>(arguments.parts + place)),
          columns(reinterpret_cast<const Column*>(arguments.parts + part->columns)),
          directions(arguments.parts + part->directions),
          test(reinterpret_cast<const Test*>(arguments.parts + part->inside)) {}

    __device__ inline double number(unsigned index, long long place) const {
        return number_at(seed, part, directions, index, columns + place);
    }

    // Prepares for many groups: the first digits of Sobol points are always the same few.
    __device__ inline void prepare() const {
        // Others may still read what is there.
        __syncthreads();
        if (part->kind == SOBOL) {
            for (int slot = threadIdx.x; slot < 64 * int(test->dimension); slot += THREADS) {
                const unsigned digits = unsigned(slot % 64) << 26;
                const long long dimension = columns[test->axes[slot / 64]].dimension;
                const unsigned long long top =
                    bits_of(seed, part->stream, static_cast<unsigned long long>(dimension) << 33 | 1);
                scrambling().flips[slot / 64][slot % 64] = flips_of(top, digits, 0);
                scrambling().trees[slot / 64][slot % 64] =
                    bits_of(seed, part->stream, static_cast<unsigned long long>(dimension) << 33 | 64 | slot % 64);
            }
        }
        __syncthreads();
    }

    // The digits along each axis that the candidates of a group have in common: the Gray code of their numbers is linear.
    __device__ inline void begin(long long group, unsigned (&common)[3]) const {
        const unsigned first = unsigned(group * GROUP), gray = first ^ (first >> 1);
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
            common[axis] = 0;
            if (part->kind != SOBOL || axis >= test->dimension) continue;
            const long long* own = directions + columns[test->axes[axis]].dimension * 32;
            for (int bit = 0; bit < 32; ++bit)
                if (gray >> bit & 1) common[axis] ^= unsigned(own[bit]);
        }
    }

    // Whether one of a group lies inside, and where it is along the coordinates of the shape.
    __device__ inline bool look(long long group, int number, const unsigned (&common)[3], double (&point)[3]) const {
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
            point[axis] = 0;
            if (axis >= test->dimension) continue;
            const Column& column = columns[test->axes[axis]];
            if (part->kind == SOBOL) {
                const unsigned gray = unsigned(number) ^ (unsigned(number) >> 1);
                const long long* own = directions + column.dimension * 32;
                unsigned digits = common[axis];
#pragma unroll
                for (int bit = 0; bit < GROUP_DIGITS; ++bit)
                    if (gray >> bit & 1) digits ^= unsigned(own[bit]);
                const unsigned flips = scrambling().flips[axis][digits >> 26];
                const unsigned long long tree = scrambling().trees[axis][digits >> 26];
                digits = scrambled(seed, part->stream, column.dimension, digits, flips, tree);
                point[axis] = stretched(column, (double(digits) + 0.5) * 0x1p-32);
            } else {
                point[axis] = this->number(unsigned(group * GROUP + number), test->axes[axis]);
            }
        }
        return lies_inside(*test, point);
    }

    // Writes a row, where it is known how the point lies along the shape.
    __device__ inline void put(double* row, unsigned index, const double (&point)[3]) const {
        for (long long place = 0; place < part->width; ++place) {
            int known = -1;
#pragma unroll
            for (int axis = 0; axis < 3; ++axis)
                if (axis < test->dimension && test->axes[axis] == place) known = axis;
            row[place] = known == 0   ? point[0]
                         : known == 1 ? point[1]
                         : known == 2 ? point[2]
                                      : number(index, place);
        }
    }
};

// The step that a launch was made for, and its draw.
struct Turn {
    bool over, due;
    // Of the phase.
    unsigned long long step;
    unsigned long long seed;

    __device__ inline explicit Turn(const Arguments& arguments) {
        const long long own = arguments.progress[0] + arguments.index;
        const long long refused = arguments.progress[1], below = arguments.progress[2];
        // Whether an earlier step was the last one.
        over = (refused != 0 && refused <= own) || (below != 0 && below <= own);
        step = arguments.progress[3] + own;
        const unsigned long long interval = arguments.interval;
        due = arguments.always || (interval != 0 && step % interval == 0);
        const unsigned long long number = arguments.progress[4] + (interval ? step / interval : 0);
        seed = number == 0 ? arguments.seed : bits_of(arguments.seed, arguments.renewal, number);
    }
};

// Counts the candidates of every group that lie inside.
__device__ inline void count_candidates(const Arguments& arguments) {
    const Turn turn(arguments);
    if (turn.over || !turn.due) return;
    int* sums = reinterpret_cast<int*>(workspace());
    for (long long number = 0; number < arguments.inside_count; ++number) {
        const Candidates candidates(arguments, turn.seed, arguments.insides[number]);
        candidates.prepare();
        for (long long group = blockIdx.x; group < candidates.part->groups; group += gridDim.x) {
            int own = 0;
            unsigned common[3];
            candidates.begin(group, common);
            for (int place = threadIdx.x; place < GROUP; place += THREADS) {
                double point[3];
                own += candidates.look(group, place, common, point);
            }
            own = warp_sum(own);
            // Others may still read what is there.
            __syncthreads();
            if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = own;
            __syncthreads();
            if (threadIdx.x == 0) {
                int total = 0;
                for (int warp = 0; warp < WARPS; ++warp) total += sums[warp];
                arguments.counts[candidates.part->counts + group] = total;
            }
        }
    }
}

// From counts of groups to counts before them, and that of all. One block for every part.
__device__ inline void add_up_counts(const Arguments& arguments) {
    const Turn turn(arguments);
    if (turn.over || !turn.due) return;
    long long* sums = reinterpret_cast<long long*>(workspace());
    for (long long number = blockIdx.x; number < arguments.inside_count; number += gridDim.x) {
        const Part& part = *reinterpret_cast<const Part*>(arguments.parts + arguments.insides[number]);
        long long* counts = arguments.counts + part.counts;
        const long long each = (part.groups + THREADS - 1) / THREADS;
        const long long first = each * threadIdx.x < part.groups ? each * threadIdx.x : part.groups;
        const long long end = first + each < part.groups ? first + each : part.groups;
        long long own = 0;
        for (long long group = first; group < end; ++group) own += counts[group];
        __syncthreads();
        sums[threadIdx.x] = own;
        __syncthreads();
        long long before = 0;
        for (int thread = 0; thread < int(threadIdx.x); ++thread) before += sums[thread];
        for (long long group = first; group < end; ++group) {
            const long long count = counts[group];
            counts[group] = before;
            before += count;
        }
        if (threadIdx.x == THREADS - 1) counts[part.groups] = before;
    }
}

// A range of points, and where the row of its first one goes.
struct Range {
    long long first, end;
    double* to;
};

// Writes the rows of those points of a range that are candidates of a group, before which so many lie inside; how many of the group
// do. All threads of a block.
__device__ CALLED int place_group(const Candidates& candidates, long long group, long long base, const Range& range) {
    int* sums = reinterpret_cast<int*>(workspace());
    const int lane = threadIdx.x % 32, own_warp = threadIdx.x / 32;
    int before = 0;
    unsigned common[3];
    candidates.begin(group, common);
    for (int pass = 0; pass < GROUP / THREADS; ++pass) {
        const int place = pass * THREADS + threadIdx.x;
        double point[3];
        const int inside = candidates.look(group, place, common, point);
        int up_to = inside;
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const int lower = __shfl_sync(0xffffffffu, up_to, (lane - distance) & 31);
            if (lane >= distance) up_to += lower;
        }
        // Two places in turn: who writes next has passed a barrier behind which nobody reads there.
        int* own = sums + (pass & 1) * WARPS;
        if (lane == 31) own[own_warp] = up_to;
        __syncthreads();
        long long number = base + before + up_to - inside;
        int total = 0;
        for (int warp = 0; warp < WARPS; ++warp) {
            if (warp < own_warp) number += own[warp];
            total += own[warp];
        }
        if (inside && range.first <= number && number < range.end)
            candidates.put(range.to + (number - range.first) * candidates.part->width, unsigned(group * GROUP + place), point);
        before += total;
    }
    return before;
}

// A block's share of a range: every `step`-th group from `share` on. Behind the groups that were counted, one block goes on alone.
__device__ CALLED void place_range(const Arguments& arguments, const Candidates& candidates, const Range& range,
                                   long long share, long long step) {
    const long long groups = candidates.part->groups;
    const long long* counts = arguments.counts + candidates.part->counts;
    if (range.first >= range.end) return;
    if (range.first < counts[groups]) {
        long long low = 0, high = groups;
        while (high - low > 1) {
            const long long middle = (low + high) / 2;
            (counts[middle] <= range.first ? low : high) = middle;
        }
        for (long long group = low + share; group < groups && counts[group] < range.end; group += step)
            place_group(candidates, group, counts[group], range);
    }
    if (share > 0) return;
    long long base = counts[groups];
    for (long long group = groups; base < range.end; ++group) base += place_group(candidates, group, base, range);
}

// The upper half of a product.
__device__ inline unsigned long long product_high(unsigned long long a, unsigned long long b) {
    const unsigned long long a0 = unsigned(a), a1 = a >> 32, b0 = unsigned(b), b1 = b >> 32;
    const unsigned long long low = a0 * b0, one = a1 * b0 + (low >> 32), other = a0 * b1 + unsigned(one);
    return a1 * b1 + (one >> 32) + (other >> 32);
}

// The order in which an epoch visits points; laid out by the host.
struct Order {
    unsigned long long seed, stream;
    // Points in all, of a step, and of a block, which stay beside one another.
    long long count, size, block;
};

// Of one step.
struct Visit {
    static constexpr int ROUNDS = 8;
    Order order;
    unsigned long long keys[ROUNDS];
    // Where the first block begins; the place of the step's first point in its epoch; whole blocks, and half their digits.
    unsigned long long turn;
    long long start, whole;
    int half;

    __device__ inline Visit(const Order& order, unsigned long long step) : order(order) {
        const unsigned long long steps = (order.count + order.size - 1) / order.size;
        const unsigned long long seed = bits_of(order.seed, order.stream, step / steps);
        for (int round = 0; round < ROUNDS; ++round) keys[round] = bits_of(seed, 0, round);
        turn = order.block == 1 ? 0 : product_high(bits_of(seed, 0, ROUNDS), order.count);
        start = step % steps * order.size;
        whole = order.count / order.block;
        half = 1;
        while (2 * half < 64 && (whole - 1) >> (2 * half) > 0) ++half;
    }

    // The block at a place of the epoch: a permutation by a Feistel network.
    __device__ inline long long block_at(long long number) const {
        if (number >= whole) return number;
        const unsigned long long mask = (1ull << half) - 1;
        unsigned long long place = number;
        do {
            unsigned long long left = place >> half, right = place & mask;
            for (int round = 0; round < ROUNDS; ++round) {
                unsigned long long bits = right ^ keys[round];
                bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9ull;
                bits = (bits ^ bits >> 27) * 0x94D049BB133111EBull;
                bits ^= bits >> 31;
                const unsigned long long mixed = left ^ (bits & mask);
                left = right;
                right = mixed;
            }
            place = left << half | right;
        } while (place >= static_cast<unsigned long long>(whole));
        return place;
    }

    // The point at a place of the step, and how many points of its block follow from there on.
    __device__ inline long long point_at(long long place, long long& following) const {
        const long long number = (start + place) / order.block, within = (start + place) % order.block;
        following = order.block - within;
        return (block_at(number) * order.block + within + turn) % order.count;
    }
};

// Points in a box, in the order of an epoch.
__device__ CALLED void place_in_order(const Candidates& points, const Visit& visit, const Job& job, double* to) {
    const long long threads = static_cast<long long>(gridDim.x) * THREADS;
    for (long long own = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x; own < job.count; own += threads) {
        long long following;
        const unsigned index = unsigned(visit.point_at(job.first + own, following));
        double* row = to + own * points.part->width;
        for (long long place = 0; place < points.part->width; ++place)
            row[place] = points.number(index, place);
    }
}

// Points inside a shape, in the order of an epoch: blocks of points are shared out, and the groups in which they lie.
__device__ CALLED void place_blocks(const Arguments& arguments, const Candidates& candidates, const Visit& visit,
                                    const Job& job, double* to) {
    const long long first = visit.start + job.first, end = first + job.count, block = visit.order.block;
    const long long segments = (end - 1) / block - first / block + 1;
    const long long shares = (gridDim.x + segments - 1) / segments;
    for (long long unit = blockIdx.x; unit < segments * shares; unit += gridDim.x) {
        const long long edge = (first / block + unit / shares) * block;
        const long long from = edge > first ? edge : first, to_end = edge + block < end ? edge + block : end;
        long long following;
        const long long point = visit.point_at(from - visit.start, following);
        const long long length = to_end - from, left = visit.order.count - point;
        const long long straight = length < left ? length : left;
        double* row = to + (from - first) * candidates.part->width;
        place_range(arguments, candidates, {point, point + straight, row}, unit % shares, shares);
        // Behind the last point comes the first.
        row += straight * candidates.part->width;
        place_range(arguments, candidates, {0, length - straight, row}, unit % shares, shares);
    }
}

// Writes the points of the step that a launch was made for.
__device__ inline void place_points(const Arguments& arguments) {
    const Turn turn(arguments);
    if (turn.over) return;
    for (long long number = 0; number < arguments.job_count; ++number) {
        const Job job = reinterpret_cast<const Job*>(arguments.jobs)[number];
        const Candidates candidates(arguments, turn.seed, job.part);
        double* to = arguments.rows + job.to;
        const Part& part = *candidates.part;
        if (part.inside >= 0) candidates.prepare();
        if (part.order >= 0) {
            const Visit visit(*reinterpret_cast<const Order*>(arguments.parts + part.order), turn.step);
            if (part.inside < 0) {
                place_in_order(candidates, visit, job, to);
            } else {
                place_blocks(arguments, candidates, visit, job, to);
            }
        } else if (turn.due) {
            place_range(arguments, candidates, {job.first, job.first + job.count, to}, blockIdx.x, gridDim.x);
        }
    }
}
