// Blocks that follow each other share a gradient: SHARING of them, or those that are left. They add to each layer's part of
// it in the order of their tiles, so that sums do not depend on who is faster. Launches have no more blocks than run at a
// time, and those with smaller numbers start first: who waits waits for one that runs. A processor that stands in takes
// blocks one after the other, which is an order as well.
struct Turn {
    // How many blocks share the gradient, and how many times they add before this tile.
    int members, before;
    int* counts;

    __device__ Turn(const Arguments& arguments, int tile) {
        const int leader = blockIdx.x / SHARING * SHARING, left = int(gridDim.x) - leader;
        members = left < SHARING ? left : SHARING;
        before = tile / int(gridDim.x) * members + int(blockIdx.x) - leader;
        counts = arguments.turns + blockIdx.x / SHARING * (HIDDEN + 1);
    }

    // Behind the last tile counts start from zero again.
    __device__ int after(const Arguments& arguments, int tile) const {
        const int all = int(arguments.table[TABLE_END]), grid = int(gridDim.x);
        const int leader = blockIdx.x / SHARING * SHARING, rest = all % grid - leader;
        const int last = all / grid * members + (rest < 0 ? 0 : rest < members ? rest : members);
        return before + 1 == last ? 0 : before + 1;
    }
};

// Waits until it is this block's turn to add to a layer's part of the gradient, the head's being number HIDDEN; a barrier
// must follow.
__device__ inline void await_turn(const Arguments& arguments, int tile, int layer) {
#ifndef STAND_IN
    if (SHARING == 1 || threadIdx.x != 0) return;
    const Turn turn(arguments, tile);
    while (read_shared(turn.counts + layer) != turn.before) {
    }
#endif
}

// Lets the next one add; a barrier must stand before.
__device__ inline void pass_turn(const Arguments& arguments, int tile, int layer) {
#ifndef STAND_IN
    if (SHARING == 1 || threadIdx.x != 0) return;
    const Turn turn(arguments, tile);
    write_shared(turn.counts + layer, turn.after(arguments, tile));
#endif
}
