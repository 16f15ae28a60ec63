// Parameters for the kernels that go layer by layer: rows of whole 16-byte pieces, forward and transposed.

// Packs all parameters of a layer.
__device__ inline void pack_layer(const Dense& layer, number* packed, const double* parameters) {
    const long long thread = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
    const long long threads = static_cast<long long>(gridDim.x) * THREADS;
    const int wide = padded(layer.outputs), tall = padded(layer.inputs);
    for (long long place = thread; place < static_cast<long long>(layer.inputs) * wide; place += threads) {
        const int input = int(place / wide), output = int(place % wide);
        const bool inside = output < layer.outputs;
        const number weight = inside ? number(parameters[layer.weights + input * layer.outputs + output]) : number(0);
        packed[layer.matrix + place] = weight;
        if (inside) packed[layer.transpose + output * tall + input] = weight;
    }
    for (long long place = thread; place < wide; place += threads)
        packed[layer.packed_bias + place] = place < layer.outputs ? number(parameters[layer.bias + place]) : number(0);
}

// Packs one parameter, if it belongs to the layer.
__device__ inline void put_parameter(const Dense& layer, number* packed, int place, number value) {
    const int weight = place - layer.weights, bias = place - layer.bias;
    if (weight >= 0 && weight < layer.inputs * layer.outputs) {
        const int input = weight / layer.outputs, output = weight % layer.outputs;
        packed[layer.matrix + input * padded(layer.outputs) + output] = value;
        packed[layer.transpose + output * padded(layer.inputs) + input] = value;
    } else if (bias >= 0 && bias < layer.outputs) {
        packed[layer.packed_bias + bias] = value;
    }
}

// The same for factors of neurons.
__device__ inline void pack_layer(const Factors& factors, number* packed, const double* parameters) {
    const int threads = gridDim.x * THREADS;
    for (int place = blockIdx.x * THREADS + threadIdx.x; place < factors.count; place += threads)
        packed[factors.packed + place] = number(parameters[factors.parameters + place]);
}

__device__ inline void put_parameter(const Factors& factors, number* packed, int place, number value) {
    const int factor = place - factors.parameters;
    if (factor >= 0 && factor < factors.count) packed[factors.packed + factor] = value;
}
