// Points of the unit cube, and where they lie: the numbers that the host would draw, bit for bit.

// Philox 4x32 with ten rounds (Salmon, Moraes, Dror, Shaw 2011): 64 random bits of a stream.
__device__ inline unsigned long long random_bits(unsigned long long seed, unsigned long long stream,
                                                 unsigned long long index) {
    unsigned a = unsigned(index), b = unsigned(index >> 32), c = unsigned(stream), d = unsigned(stream >> 32);
    unsigned low = unsigned(seed), high = unsigned(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        const unsigned long long first = 0xD2511F53ull * a, second = 0xCD9E8D57ull * c;
        a = unsigned(second >> 32) ^ b ^ low;
        b = unsigned(second);
        c = unsigned(first >> 32) ^ d ^ high;
        d = unsigned(first);
        low += 0x9E3779B9u;
        high += 0xBB67AE85u;
    }
    return a | static_cast<unsigned long long>(b) << 32;
}

// A kind of sequence.
constexpr long long SOBOL = 1;

// One part of the points; laid out by the host.
struct Part {
    long long kind;
    unsigned long long stream;
    // Of a Latin hypercube: points of a cube, and half the binary digits of the numbers that are permuted.
    long long count, half;
    long long width;
    // Where the part's columns and direction numbers lie, in words behind the first part.
    long long columns, directions;
    // The same of what a point lies inside of, and of the order that points are visited in; -1 where there is none.
    long long inside, order;
    // Where it is counted how many candidates lie inside, in words, and groups of candidates that are counted.
    long long counts, groups;
};

// A number of a point: `low + length * coordinate`, or `low` alone where there is no coordinate.
struct Column {
    long long dimension;
    double low, length;
};

// The points of one part that a launch draws.
struct Job {
    // Where their rows go, in numbers.
    long long to;
    long long first, count;
    // Which part, in words behind the first one.
    long long part;
};

// What a tree of random bits flips of six digits, or of the last two, behind the first ones.
__device__ inline unsigned flips_of(unsigned long long tree, unsigned digits, int first) {
    const int levels = first < 30 ? 6 : 2;
    const unsigned path = (digits << first) >> (32 - levels);
    unsigned flips = 0;
    for (int level = 0; level < levels; ++level) {
        const unsigned node = (1u << level) - 1 + (path >> (levels - level));
        // All but the last level lie in the first half of a tree.
        const unsigned bits = level < 5 ? unsigned(tree) >> node : unsigned(tree >> node);
        flips |= (bits & 1) << (31 - first - level);
    }
    return flips;
}

// The tree below the first digits.
__device__ inline unsigned long long tree_of(unsigned long long seed, unsigned long long stream, long long dimension,
                                             unsigned digits, int first) {
    const unsigned long long prefix = 1ull << first | static_cast<unsigned long long>(digits) >> (32 - first);
    return random_bits(seed, stream, static_cast<unsigned long long>(dimension) << 33 | prefix);
}

// The Sobol sequence in Gray code order with nested uniform scrambling (Owen 1995): 32 digits.
__device__ inline unsigned sobol_digits(unsigned long long seed, const Part& part, const long long* directions,
                                        unsigned index, long long dimension) {
    const unsigned gray = index ^ (index >> 1);
    unsigned digits = 0;
    for (int bit = 0; bit < 32; ++bit)
        if (gray >> bit & 1) digits ^= unsigned(directions[dimension * 32 + bit]);
    unsigned flips = 0;
    for (int first = 0; first < 32; first += 6)
        flips |= flips_of(tree_of(seed, part.stream, dimension, digits, first), digits, first);
    return digits ^ flips;
}

// The interval of a Latin hypercube's point: a permutation by a Feistel network (Luby, Rackoff 1988).
__device__ inline unsigned latin_interval(unsigned long long seed, const Part& part, unsigned index,
                                          long long dimension) {
    const unsigned long long cube = index / unsigned(part.count), mask = (1ull << part.half) - 1;
    unsigned long long place = index % unsigned(part.count);
    do {
        unsigned long long left = place >> part.half, right = place & mask;
        for (unsigned long long round = 0; round < 4; ++round) {
            const unsigned long long family =
                1ull << 63 | static_cast<unsigned long long>(dimension) << 52 | round << 48 | cube << 16;
            const unsigned long long mixed = left ^ (random_bits(seed, part.stream, family | right) & mask);
            left = right;
            right = mixed;
        }
        place = left << part.half | right;
    } while (place >= static_cast<unsigned long long>(part.count));
    return unsigned(place);
}

// A coordinate of a point of the unit cube. All operations but the last of a Latin hypercube are exact.
__device__ inline double unit_coordinate(unsigned long long seed, const Part& part, const long long* directions,
                                         unsigned index, long long dimension) {
    const unsigned long long counter = static_cast<unsigned long long>(dimension) << 32 | index;
    if (part.kind == 0) return (double(random_bits(seed, part.stream, counter) >> 12) + 0.5) * 0x1p-52;
    if (part.kind == SOBOL) return (double(sobol_digits(seed, part, directions, index, dimension)) + 0.5) * 0x1p-32;
    const double within = (double(random_bits(seed, part.stream, counter) >> 32) + 0.5) * 0x1p-32;
    const double place = (double(latin_interval(seed, part, index, dimension)) + within) / double(part.count);
    return place < 1 - 0x1p-53 ? place : 1 - 0x1p-53;
}

// Where a coordinate of the unit cube lies; rounded twice, as the host does.
__device__ inline double stretched(const Column& column, double unit) {
    return __dadd_rn(column.low, __dmul_rn(column.length, unit));
}

// A number of a point.
__device__ inline double number_of(unsigned long long seed, const Part& part, const long long* directions, unsigned index,
                                   const Column& column) {
    if (column.dimension < 0) return column.low;
    return stretched(column, unit_coordinate(seed, part, directions, index, column.dimension));
}
