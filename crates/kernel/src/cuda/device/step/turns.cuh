// Blocks that follow each other share a gradient: SHARING of them, or those that are left. They add to each layer's part of
// it in the order of their tiles, so that sums do not depend on who is faster. Launches have no more blocks than run at a
// time, and those with smaller numbers start first: who waits waits for one that runs. A processor that stands in takes
// blocks one after the other, which is an order as well.
struct Turn {
    // How many blocks share the gradient, and the number of the first.
    int members, leader;
    int* counts;

    __device__ explicit Turn(const Arguments& arguments) {
        leader = int(blockIdx.x) / SHARING * SHARING;
        const int left = int(gridDim.x) - leader;
        members = left < SHARING ? left : SHARING;
        counts = arguments.turns + blockIdx.x / SHARING * HIDDEN;
    }

    // Tiles of these blocks that come before a tile.
    __device__ int before(int tile) const {
        const int grid = int(gridDim.x), rest = tile % grid - leader;
        return tile / grid * members + (rest < 0 ? 0 : rest < members ? rest : members);
    }

    // Behind the last tile of a kernel counts start from zero again.
    __device__ int after(const Arguments& arguments, int tile) const {
        const int first = before(first_tile(arguments)), next = before(tile) + 1;
        return next == before(end_tile(arguments)) ? 0 : next - first;
    }
};

// The first tile of this block that is not before `first`.
__device__ inline int own_tile(int first) {
    const int grid = int(gridDim.x), behind = (first - int(blockIdx.x) + grid - 1) / grid * grid;
    return int(blockIdx.x) + (first > int(blockIdx.x) ? behind : 0);
}

// Waits until it is this block's turn to add to a layer's part of the gradient; a barrier must follow.
__device__ inline void await_turn(const Arguments& arguments, int tile, int layer) {
#ifndef STAND_IN
    if (SHARING == 1 || threadIdx.x != 0) return;
    const Turn turn(arguments);
    const int before = turn.before(tile) - turn.before(first_tile(arguments));
    while (read_shared(turn.counts + layer) != before) {
    }
#endif
}

// Lets the next one add; a barrier must stand before.
__device__ inline void pass_turn(const Arguments& arguments, int tile, int layer) {
#ifndef STAND_IN
    if (SHARING == 1 || threadIdx.x != 0) return;
    const Turn turn(arguments);
    write_shared(turn.counts + layer, turn.after(arguments, tile));
#endif
}
