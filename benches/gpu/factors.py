"""Milliseconds of Cholesky factors in f64 at sizes of larger networks: ours, in blocks of 64 and of 128 columns, one and three at
once, and cuSOLVER's; then products of a Jacobian's columns. Needs PyTorch for memory and time.

    python3 benches/gpu/factors.py [crates/kernel/src/cuda/device]"""
import ctypes
import glob
import json
import os
import sys

import torch

DEVICE = sys.argv[1] if len(sys.argv) > 1 else "crates/kernel/src/cuda/device"
PARTS = ["shared/numbers", "shared/instructions"] + ["dense/" + part for part in "dense normal cholesky wide solve candidates gram".split()]
KERNELS = {"products": "multiply_all", "gather": "gather_parts", "damp": "damp_row", "factor": "finish_block", "wide": "finish_wide",
           "begin": "begin_backward", "forward": "solve_forward", "backward": "solve_backward"}
SHARED = {"products": 101376, "wide": 40960}
DAMPED = [0.5, 0.05, 0.005]
SIDE, BLOCK, THREADS = 128, 64, 256

torch.zeros(1, device="cuda")
stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
whole, real = ctypes.c_longlong, ctypes.c_double


class Dense(ctypes.Structure):
    """As `Arguments` in `dense/dense.cuh`."""
    _fields_ = [(name, whole) for name in "rows row_count stride size parts fresh sums matrix factors corners flags factor_count".split()]
    _fields_ += [("damped", real * 4), ("candidates", whole), ("factor", whole * 4), ("added", real * 4), ("pulled", real * 4)]
    _fields_ += [(name, whole) for name in ("carried in_rows from_ to step bend kept along parameters moved bent values others all_rows "
                                            "kinds kind_count curved apart slope report iterated").split()]
    _fields_ += [("enough", real)] + [(name, whole) for name in "diagonal sketched first_row wide key".split()] + [("reach", real), ("most_bend", real)]


def library(stem):
    folders = ["/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib"] + sys.path
    for folder in folders:
        for found in sorted(glob.glob(f"{folder}/{stem}*")) + sorted(glob.glob(f"{folder}/nvidia/*/lib/{stem}*")):
            return ctypes.CDLL(found, mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(stem)


def good(status, what):
    if status:
        raise RuntimeError(f"{what}: {status}")


def text():
    lines = ["typedef double number;", "#define HALVES 0", f"constexpr int THREADS = {THREADS}, WORKSPACE_BYTES = 16;",
             f"constexpr int SHARED_BYTES = {SHARED['products']}, WIDE_BYTES = {SHARED['wide']};"]
    lines += [open(os.path.join(DEVICE, part + ".cuh")).read() for part in PARTS]
    for name, function in KERNELS.items():
        bounds = f"__launch_bounds__(THREADS, {1 if name in SHARED else 2})"
        lines.append(f'extern "C" __global__ void {bounds} {name}(Arguments arguments) {{ {function}(arguments); }}')
    return "\n".join(lines).encode()


def compiled():
    nvrtc, program, size = library("libnvrtc.so"), ctypes.c_void_p(), ctypes.c_size_t()
    good(nvrtc.nvrtcCreateProgram(ctypes.byref(program), text(), b"dense.cu", 0, None, None), "program")
    options = [b"--gpu-architecture=sm_%d%da" % torch.cuda.get_device_capability(), b"--std=c++17", b"--diag-suppress=177"]
    status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    if status:
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise RuntimeError(log.value.decode())
    good(nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)), "size")
    image = ctypes.create_string_buffer(size.value)
    good(nvrtc.nvrtcGetCUBIN(program, image), "image")
    return image.raw


cuda, module, functions = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), {}
good(cuda.cuModuleLoadData(ctypes.byref(module), compiled()), "loading")
for name in KERNELS:
    functions[name] = ctypes.c_void_p()
    good(cuda.cuModuleGetFunction(ctypes.byref(functions[name]), module, name.encode()), name)
    # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    good(cuda.cuFuncSetAttribute(functions[name], 8, SHARED.get(name, 0)), "shared memory")


def launch(name, blocks, dense):
    pointers = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(dense), ctypes.c_void_p))
    shape = (int(blocks), 1, 1, THREADS, 1, 1, SHARED.get(name, 0))
    good(cuda.cuLaunchKernel(functions[name], *shape, stream, pointers, None), name)


def median(prepare, act, turns):
    times = []
    for _ in range(turns):
        prepare()
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        act()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return sorted(times)[turns // 2]


def say(**facts):
    print(json.dumps(facts), flush=True)


def numbers(*shape, kind=torch.float64):
    return torch.zeros(*shape, dtype=kind, device="cuda")


def padded(unknowns):
    return (unknowns + 1) // SIDE * SIDE + SIDE


def triangle(side):
    return side * (side + 1) // 2


def matrix_of(size):
    torch.manual_seed(0)
    some = torch.randn(padded(size), padded(size), dtype=torch.float64, device="cuda")
    matrix = (some + some.T) / 2
    matrix[size + 1:] = 0
    matrix.diagonal()[:size] += 3 * size ** 0.5
    return matrix


def ours(size, matrix, turns):
    stride, carried = padded(size), numbers(padded(size))
    slope, lower = matrix[size, :size], matrix[:size, :size].tril()
    for wide in (0, 1):
        blocks = (size + 1) // BLOCK + 1
        blocks += blocks % 2 * wide
        for count in (1, 3):
            memory, corners = numbers(count * blocks * BLOCK * stride), numbers(count * blocks * 2 * BLOCK * BLOCK)
            flags, vectors = numbers(8 * (triangle(blocks) + blocks), kind=torch.int32), numbers(2, 4, stride)
            dense = Dense(size=size, stride=stride, matrix=matrix.data_ptr(), factors=memory.data_ptr(), corners=corners.data_ptr(),
                          flags=flags.data_ptr(), factor_count=count, candidates=count, carried=carried.data_ptr(), wide=wide)
            dense.damped[:count], dense.factor[:count] = DAMPED[:count], range(count)
            prepare = lambda: launch("damp", blocks * BLOCK * count, dense)
            act = lambda: launch("wide" if wide else "factor", triangle(blocks // 2 if wide else blocks) * count, dense)
            milliseconds = median(prepare, act, turns)
            first = memory.clone()
            prepare()
            act()
            same = bool(torch.equal(first, memory))
            del first
            dense.to = vectors[0].data_ptr()
            launch("begin", count, dense)
            dense.from_, dense.to = vectors[0].data_ptr(), vectors[1].data_ptr()
            launch("backward", blocks * count, dense)
            off = []
            for number in range(count):
                found = vectors[1][number, :size]
                product = lower @ found + lower.T @ found + (DAMPED[number] - lower.diagonal()) * found
                off.append(float((product - slope).norm() / slope.norm()))
            say(factor="ours", columns=BLOCK * (1 + wide), size=size, factors=count, ms=milliseconds,
                tflops=count * size ** 3 / 3 / milliseconds / 1e9, residual=max(off), same_bits=same)


def cusolver(size, matrix, turns):
    solver, handle, work = library("libcusolver.so"), ctypes.c_void_p(), ctypes.c_int()
    good(solver.cusolverDnCreate(ctypes.byref(handle)), "handle")
    good(solver.cusolverDnSetStream(handle, stream), "stream")
    # Bordered as ours is: two rows behind the unknowns.
    stride, order, info = padded(size), size + 2, numbers(1, kind=torch.int32)
    full = matrix.clone()
    full.diagonal()[:size] += DAMPED[0]
    full.diagonal()[size:order] = 1e6
    # Row by row lower is column by column upper.
    for triangle_, filled in ((1, full), (0, full.T.contiguous())):
        memory = numbers(stride, stride)
        place = ctypes.c_void_p(memory.data_ptr())
        good(solver.cusolverDnDpotrf_bufferSize(handle, triangle_, order, place, stride, ctypes.byref(work)), "workspace")
        space = numbers(max(1, work.value))
        arguments = (ctypes.c_void_p(space.data_ptr()), work.value, ctypes.c_void_p(info.data_ptr()))
        act = lambda: good(solver.cusolverDnDpotrf(handle, triangle_, order, place, stride, *arguments), "factor")
        milliseconds = median(lambda: memory.copy_(filled), act, turns)
        say(factor="cusolver", triangle="upper" if triangle_ else "lower", size=size, factors=1, ms=milliseconds,
            tflops=size ** 3 / 3 / milliseconds / 1e9, info=int(info[0]))


def products(parameters, rows):
    stride = padded(parameters)
    tiles, jacobian = triangle(stride // SIDE), torch.randn(rows, stride, dtype=torch.float64, device="cuda")
    for parts in (1, 2, 3):
        sums, matrix = numbers(tiles * parts * SIDE * SIDE), numbers(stride, stride)
        dense = Dense(rows=jacobian.data_ptr(), row_count=rows, stride=stride, size=parameters, parts=parts, fresh=1, sums=sums.data_ptr(),
                      matrix=matrix.data_ptr())
        multiply = median(lambda: None, lambda: launch("products", tiles * parts, dense), 5)
        gather = median(lambda: None, lambda: launch("gather", tiles * 16, dense), 5)
        say(products=parameters, rows=rows, parts=parts, ms=multiply, gather_ms=gather)


for size in (1341, 3297, 5121, 6145, 8001, 12737):
    matrix, turns = matrix_of(size), 15 if size < 6000 else 5
    ours(size, matrix, turns)
    cusolver(size, matrix, turns)
    del matrix
    torch.cuda.empty_cache()
for parameters, rows in ((1341, 20000), (12737, 8192)):
    products(parameters, rows)
