// Makes a gradient shorter before parameters move by it: rules one after the other, as linear::clip on the host. One block does
// it, between the launch that adds up and the one that moves.

struct Arguments {
    // The gradient, then the sums of squares.
    double* result;
    const double* parameters;
    // Of every sum of squares in the loss; what they are multiplied by at the end.
    const double* factors;
    double unscale;
    long long count, squares;
    // As those of a step.
    long long* progress;
    long long index;
    // What rules say, one after the other; which numbers belong together; what rules remember; whether the gradient of a step of
    // this call was made shorter.
    const double* rules;
    long long rule_count;
    const double* parts;
    double* memory;
    double* shortened;
};

// Kinds of rules.
constexpr int VALUE = 0, PARTS = 1, UNITS = 2, WHOLE = 3, MEAN = 4, PERCENTILE = 5, AVERAGE = 6;

struct Rule {
    // Its kind; up to three numbers; where its memory begins, and norms that this holds; where its parts begin, and how many there are.
    double kind, first, second, third, memory, window, parts, part_count;
};

// Numbers at equal distances.
struct Part {
    double first, count, stride;
};

// The sum over all threads, for all of them, in an order that depends on nothing but the count.
template <typename Each>
__device__ inline double block_sum(long long count, Each each) {
    double sum = 0;
    for (long long place = threadIdx.x; place < count; place += THREADS) sum += each(place);
    sum = warp_sum(sum);
    double* sums = reinterpret_cast<double*>(workspace());
    // Others may still read what is there.
    __syncthreads();
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    double total = 0;
    for (int warp = 0; warp < WARPS; ++warp) total += sums[warp];
    return total;
}

__device__ inline double square_of(const double* numbers, const Part& part) {
    return block_sum(static_cast<long long>(part.count), [&](long long place) {
        const double number = numbers[static_cast<long long>(part.first) + place];
        return number * number;
    });
}

// Numbers one after the other get at most a norm; whether they were longer.
__device__ inline bool shorten(double* numbers, const Part& part, double own, double most) {
    if (!(own > most)) return false;
    for (long long place = threadIdx.x; place < static_cast<long long>(part.count); place += THREADS)
        numbers[static_cast<long long>(part.first) + place] *= most / own;
    return true;
}

// A unit gets at most a share of its own norm; by one thread.
__device__ inline bool shorten_unit(const Arguments& arguments, const Part& unit, double ratio) {
    const long long first = static_cast<long long>(unit.first), stride = static_cast<long long>(unit.stride);
    const long long count = static_cast<long long>(unit.count);
    double slopes = 0, numbers = 0;
    for (long long row = 0; row < count; ++row) {
        const long long place = first + row * stride;
        slopes += arguments.result[place] * arguments.result[place];
        numbers += arguments.parameters[place] * arguments.parameters[place];
    }
    const double own = sqrt(slopes), size = sqrt(numbers);
    const double most = ratio * (size > LEAST_UNIT ? size : LEAST_UNIT);
    if (!(own > most)) return false;
    for (long long row = 0; row < count; ++row) arguments.result[first + row * stride] *= most / own;
    return true;
}

// The last norms: how many there are, where the oldest is, and those. By one thread.
struct Norms {
    double* memory;
    long long window;

    __device__ inline long long count() const {
        return static_cast<long long>(memory[0]);
    }

    // The one that is so much younger than the oldest.
    __device__ inline double at(long long age) const {
        return memory[2 + (static_cast<long long>(memory[1]) + age) % window];
    }

    __device__ inline void remember(double norm) const {
        const long long oldest = static_cast<long long>(memory[1]), there = count();
        memory[2 + (oldest + there) % window] = norm;
        if (there < window) memory[0] = there + 1;
        else memory[1] = (oldest + 1) % window;
    }
};

__device__ inline double mean_limit(const Rule& rule, const Norms& norms, double norm) {
    double sum = 0;
    const long long count = norms.count();
    for (long long age = 0; age < count; ++age) sum += norms.at(age);
    norms.remember(norm);
    return count > 0 ? rule.first * (sum / count) : norm;
}

__device__ inline double average_limit(const Rule& rule, double* memory, double norm) {
    const bool known = memory[0] != 0;
    const double limit = rule.second * memory[1];
    const double most = !known ? norm : limit > rule.third ? limit : rule.third;
    memory[1] = known ? rule.first * memory[1] + (1 - rule.first) * norm : norm;
    memory[0] = 1;
    return most;
}

// The smallest of the norms that is not below so many per cent of them, by all threads.
__device__ inline double percentile_limit(const Rule& rule, const Norms& norms, double norm, double* shared) {
    if (threadIdx.x == 0) norms.remember(norm);
    __syncthreads();
    const long long count = norms.count();
    long long rank = static_cast<long long>(ceil(rule.first / 100.0 * double(count)));
    rank = rank < 1 ? 1 : rank > count ? count : rank;
    for (long long own = threadIdx.x; own < count; own += THREADS) {
        long long below = 0;
        for (long long other = 0; other < count; ++other)
            below += norms.at(other) < norms.at(own) || (norms.at(other) == norms.at(own) && other < own);
        if (below == rank - 1) *shared = norms.at(own);
    }
    __syncthreads();
    return *shared;
}

// The limit of a rule that follows norms, for all threads.
__device__ inline double limit_of(const Arguments& arguments, const Rule& rule, double norm) {
    __shared__ double shared;
    double* memory = arguments.memory + static_cast<long long>(rule.memory);
    const Norms norms{memory, static_cast<long long>(rule.window)};
    const int kind = static_cast<int>(rule.kind);
    // Others may still read the last one.
    __syncthreads();
    if (kind == PERCENTILE) return percentile_limit(rule, norms, norm, &shared);
    if (threadIdx.x == 0) shared = kind == MEAN ? mean_limit(rule, norms, norm) : average_limit(rule, memory, norm);
    __syncthreads();
    return shared;
}

// Whether this thread made something shorter.
__device__ inline bool apply_rule(const Arguments& arguments, const Rule& rule) {
    const int kind = static_cast<int>(rule.kind);
    const Part* parts = reinterpret_cast<const Part*>(arguments.parts) + static_cast<long long>(rule.parts);
    const Part whole{0, double(arguments.count), 1};
    bool clipped = false;
    if (kind == VALUE) {
        for (long long place = threadIdx.x; place < arguments.count; place += THREADS) {
            const double slope = arguments.result[place], limit = rule.first;
            clipped |= slope > limit || slope < -limit;
            arguments.result[place] = slope > limit ? limit : slope < -limit ? -limit : slope;
        }
    } else if (kind == UNITS) {
        for (long long unit = threadIdx.x; unit < static_cast<long long>(rule.part_count); unit += THREADS)
            clipped |= shorten_unit(arguments, parts[unit], rule.first);
    } else if (kind == PARTS) {
        for (long long part = 0; part < static_cast<long long>(rule.part_count); ++part) {
            const double own = sqrt(square_of(arguments.result, parts[part]));
            clipped |= shorten(arguments.result, parts[part], own, rule.first);
        }
    } else {
        const double own = sqrt(square_of(arguments.result, whole));
        const double most = kind == WHOLE ? rule.first : limit_of(arguments, rule, own);
        clipped |= shorten(arguments.result, whole, own, most);
    }
    // The next rule sees it all.
    __syncthreads();
    return clipped;
}

// Whether loss and gradient are the basis of a step: rules must not remember others.
__device__ inline bool is_sound(const Arguments& arguments) {
    const Part whole{0, double(arguments.count), 1};
    const double square = square_of(arguments.result, whole);
    double loss = 0;
    for (long long k = 0; k < arguments.squares; ++k)
        loss += 0.5 * arguments.unscale * arguments.factors[k] * arguments.result[arguments.count + k];
    const double both = square + loss;
    return both - both == 0;
}

__device__ inline void clip_gradient(const Arguments& arguments) {
    const long long step = arguments.progress[0] + arguments.index;
    const long long refused = arguments.progress[1], below = arguments.progress[2];
    if ((refused != 0 && refused <= step) || (below != 0 && below <= step)) return;
    if (threadIdx.x == 0) arguments.shortened[step] = 0;
    if (!is_sound(arguments)) {
        if (threadIdx.x == 0) arguments.progress[1] = 1 + step;
        return;
    }
    __syncthreads();
    const Rule* rules = reinterpret_cast<const Rule*>(arguments.rules);
    for (long long rule = 0; rule < arguments.rule_count; ++rule)
        if (apply_rule(arguments, rules[rule])) arguments.shortened[step] = 1;
}
