// Parameters for the kernels that go layer by layer: rows of whole 16-byte pieces, forward and transposed.

// Calls `each` with the place of every parameter of a layer and where its packed copies go.
template <typename Value>
__device__ inline void pack_layer(const Dense& layer, number* packed, Value value) {
    const long long thread = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
    const long long threads = static_cast<long long>(gridDim.x) * THREADS;
    const int wide = padded(layer.outputs), tall = padded(layer.inputs);
    for (long long place = thread; place < static_cast<long long>(layer.inputs) * wide; place += threads) {
        const int input = int(place / wide), output = int(place % wide);
        const bool inside = output < layer.outputs;
        const number weight = inside ? number(value(layer.weights + input * layer.outputs + output)) : number(0);
        packed[layer.matrix + place] = weight;
        if (inside) packed[layer.transpose + output * tall + input] = weight;
    }
    for (long long place = thread; place < wide; place += threads)
        packed[layer.packed_bias + place] = place < layer.outputs ? number(value(layer.bias + place)) : number(0);
}
