"""Evaluates a network that `pinnace export --format safetensors` wrote, with NumPy alone.

    python3 read_network.py network.safetensors points.csv > values.csv

points.csv: a header line, then one line per point with the coordinates in the problem's order.
"""
import json, math, sys
import numpy as np

content = open(sys.argv[1], "rb").read()
start = 8 + int.from_bytes(content[:8], "little")
header = json.loads(content[8:start])
network = json.loads(header.pop("__metadata__")["pinnace"])
tensors = {name: np.frombuffer(content[start:], "<f8", math.prod(entry["shape"]), entry["data_offsets"][0])
           .reshape(entry["shape"]) for name, entry in header.items()}

waves = {"identity": lambda z: z, "sin": np.sin, "cos": np.cos}
operations = {
    "tanh": np.tanh,
    "sin": np.sin,
    "silu": lambda z: z / (1 + np.exp(-z)),
    "gelu": lambda z: z * 0.5 * (1 + np.vectorize(math.erf)(z / math.sqrt(2))),
    "gate": lambda gate, first, second: gate * first + (1 - gate) * second,
    "add": lambda left, right: left + right,
    "multiply": lambda left, right: left * right,
}
points = np.loadtxt(sys.argv[2], delimiter=",", skiprows=1, ndmin=2)


def run(points, prefix):
    inputs = points @ tensors[prefix + "features.weight"] + tensors[prefix + "features.bias"]
    signals = {0: np.stack([waves[wave](z) for wave, z in zip(network["features"], inputs.T)], axis=1)}
    for layer in network["layers"]:
        read = [signals[signal] for signal in layer["inputs"]]
        if layer["kind"] == "dense":
            output = read[0] @ tensors[prefix + layer["weight"]] + tensors[prefix + layer["bias"]]
        elif layer["kind"] == "scale":
            output = tensors[prefix + layer["factors"]] * read[0]
        elif layer["kind"] == "blend":
            output = read[1] + tensors[prefix + layer["factors"]] * (read[0] - read[1])
        elif layer["kind"] == "select":
            output = read[0][:, slice(*layer["columns"])]
        else:
            output = operations[layer["kind"]](*read)
        signals[layer["output"]] = output
    return output


if "windows" in network:  # where two windows of time meet, the earlier one answers
    time = points[:, network["coordinates"].index("t")]
    window = np.searchsorted([end for _, end in network["windows"][:-1]], time)
    output = np.stack([run(point[None], f"window{number + 1}.")[0] for point, number in zip(points, window)])
else:
    output = run(points, "")
# An unknown with an ansatz is a formula of the coordinates and of its own output N.
functions = {"abs": np.abs, "sign": np.sign, "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "tanh": np.tanh,
             "sin": np.sin, "cos": np.cos, "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh,
             "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "erf": np.vectorize(math.erf),
             "min": np.minimum, "max": np.maximum, "where": np.where}
names = functions | network["parameters"] | dict(zip(network["coordinates"], points.T))
values = [eval(network["ansatz"].get(unknown, "N").replace("^", "**"), names | {"N": output[:, number]})
          for number, unknown in enumerate(network["unknowns"])]
np.savetxt(sys.stdout, np.stack(values, axis=1), delimiter=",", header=",".join(network["unknowns"]),
           comments="", fmt="%.17g")
