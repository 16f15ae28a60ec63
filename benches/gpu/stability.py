#!/usr/bin/env python3
"""What docs/stability.md, docs/levels.md and docs/gpu.md say of a GPU, measured there: one JSON line per run.

benches/gpu/stability.py RESULTS PART... with the program in bundle/ (benches/gpu/bundle). Parts:
precisions  a step in every precision (pinnace bench step): which are faster than those as accurate as f32
overhead    the same steps of Adam without guard, with it, with clipping, in turn: compare milliseconds per step
guarded     Burgers 128x4 and Kovasznay 128x5, Adam, 20,000 steps, in numbers with few digits and in fp16x3, seeds 0 to 4
wave        the two-scale wave in fp16 with its scaled loss: no update that is not finite
levels      time to the same error at `basic` and `advanced`, five problems
ultra       milliseconds per step over a grid of precisions and tiles, and what `ultra` chooses
library     every built-in problem for a few steps on one thread each, seeds 0 to 4, at `basic` (whose bits are those of `advanced`
            on a CPU) and at `ultra`: none may diverge. --shard I/N takes every Nth run.
balance     the two-scale wave by penalties alone in one window, 40,000 steps of Adam, weights of 1 and by the rules
soap        SOAP and Adam, equal steps, 64x4 and 10,000 points
Runs that are in the results already are not made again. --seconds N begins no run later than that. --jobs N runs at once (of parts that are not timed).
"""
import argparse
import itertools
import json
import os
import pathlib
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("PINNACE", str(ROOT / "bundle" / "pinnace"))
KEPT = """problem device level steps seconds stopped loss relative_l2 relative_residual optimizer precision precisions width depth
incidents steadiness fallbacks warnings""".split()
ADAM = ["--set", "training.optimizer=adam"]
SIZES = {"width": "network.width", "depth": "network.depth", "points": "training.points"}


def sized(**sizes):
    return list(itertools.chain(*(["--set", f"{SIZES[name]}={size}"] for name, size in sizes.items())))


def train(problem, *words, device="cuda"):
    return ["train", problem, "--no-run", "--quiet", "--json", "--device", device, *words]


def precisions():
    cases = [("burgers", 10000, 128, 4), ("burgers", 100000, 128, 4), ("ns2d", 10000, 128, 5)]
    for (problem, points, width, depth), precision in itertools.product(
        cases, ["fp16x3", "bf16x6", "bf16x3", "tf32", "bf16", "fp16", "f32", "f64"]
    ):
        words = ["bench", "step", "--device", "cuda", "--json", "--problem", problem, "--points", str(points)]
        words += ["--width", str(width), "--depth", str(depth), "--precision", precision]
        yield {"case": f"{problem} {width}x{depth} {points}", "precision": precision}, words


def overhead():
    sizes = [(1000, 100000), (10000, 60000)]
    choices = ['guard="stop"', 'guard="adaptive"', 'clip="global-norm"', 'clip="percentile"']
    for turn, (points, steps), choice in itertools.product(range(4), sizes, choices):
        words = train("burgers", *ADAM, *sized(width=128, depth=4, points=points), "--steps", str(steps))
        yield {"choice": choice, "points": points, "turn": turn}, words + ["--set", f"training.{choice}"]


def guarded():
    problems = [("burgers", 4), ("kovasznay", 5)]
    numbers = ["fp16x3", "bf16x3", "tf32", "fp16", "bf16"]
    for (problem, depth), seed, precision in itertools.product(problems, range(5), numbers):
        words = train(problem, *ADAM, *sized(width=128, depth=depth, points=10000), "--steps", "20000")
        words += ["--seed", str(seed), "--precision", precision, "--set", "training.schedule=cosine"]
        yield {"precision": precision, "seed": seed, "problem": problem}, words


def wave():
    for seed in range(3):
        words = train("wave", *ADAM, *sized(width=128, depth=4, points=10000), "--steps", "20000", "--precision", "fp16")
        yield {"seed": seed}, words + ["--seed", str(seed), "--set", "training.schedule=cosine"]


def levels():
    adam = [*ADAM, "--set", "training.schedule=cosine", *sized(width=128, depth=4, points=10000)]
    budget = lambda error, steps: ["--set", f"training.budget={{ error = {error}, seconds = 60{steps} }}"]
    problems = [("helmholtz", 1e-4, []), ("kovasznay", 1e-4, []), ("burgers", 1e-4, [])]
    problems += [("burgers", 1e-3, adam), ("kovasznay", 1e-3, adam)]
    for turn, (problem, error, words), level in itertools.product(range(3), problems, ["basic", "advanced"]):
        method = "adam" if words else "stated"
        run = train(problem, *words, "--level", level, *budget(error, ", steps = 20000" if words else ""))
        yield {"level": level, "problem": problem, "method": method, "error": error, "turn": turn}, run


def ultra():
    problems = [("burgers", 4, 10000), ("kovasznay", 5, 10000), ("wave", 4, 1000)]
    for problem, depth, points in reversed(problems):
        base = train(problem, *ADAM, *sized(width=128, depth=depth, points=points))
        for precision, tiles in itertools.product(["fp16x3", "bf16x6", "f64"], ["rule", 8, 16, 32, 64]):
            tiled = [] if tiles == "rule" else ["--set", f"performance.tiles={tiles}"]
            steps = "5000" if precision == "f64" else "20000"
            words = base + ["--precision", precision, *tiled]
            # Kernels are compiled by a run of their own.
            yield {"problem": problem, "precision": precision, "tiles": tiles, "first": True}, words + ["--steps", "1"]
            yield {"problem": problem, "precision": precision, "tiles": tiles}, words + ["--steps", steps]
        yield {"problem": problem, "precision": "ultra", "tiles": "ultra"}, base + ["--level", "ultra", "--steps", "20000"]


def library():
    names = sorted(path.name.split("-", 1)[1] for path in (ROOT / "examples").glob("[0-9]*-*"))
    for level, seed, name, method in itertools.product(["basic", "ultra"], range(5), names, ["stated", "adam"]):
        # What `ultra` measures for methods that do not follow the gradient changes no bit.
        if level == "ultra" and (method == "stated" or seed > 1):
            continue
        words = train(name, "--level", level, "--seed", str(seed), "--steps", "15", device="cpu")
        words += ["--set", "performance.threads=1", *(ADAM if method == "adam" else [])]
        yield {"problem": name, "level": level, "method": method, "seed": seed}, words


def balance():
    gradients = lambda every, by: f'{{ kind = "gradient-norm", every = {every}, by = "{by}" }}'
    rules = ["false", '"gradient-norm"', gradients(100, "norm"), gradients(1000, "largest"), gradients(100, "largest"), '"ntk"']
    for seed, rule in itertools.product(range(3), rules):
        words = train("wave", *ADAM, *sized(width=64, depth=3, points=1000), "--steps", "40000", "--seed", str(seed))
        words += ["--set", "training.hard_constraints=off", "--set", "training.windows=1", "--set", "training.learning_rate=2e-3"]
        yield {"rule": rule, "seed": seed}, words + ["--set", "training.schedule=cosine", "--set", f"training.balance={rule}"]


def soap():
    for problem, (method, rate) in itertools.product(
        ["burgers", "kovasznay", "poisson-2d"], [("adam", 1e-3), ("adam", 5e-3), ("soap", 3e-3), ("soap", 1e-2)]
    ):
        words = train(problem, "--set", f"training.optimizer={method}", "--set", f"training.learning_rate={rate}")
        words += ["--set", "training.schedule=cosine", *sized(width=64, depth=4, points=10000), "--steps", "5000"]
        yield {"problem": problem, "method": method, "rate": rate}, words


PARTS = {part.__name__: part for part in [precisions, overhead, guarded, wave, levels, ultra, library, balance, soap]}
TIMED = {"precisions", "overhead", "levels", "ultra"}


def brief(part, text):
    """What is kept of a report; all of it would be megabytes. What `ultra` chose stands in the list of decisions."""
    lines = [line for line in text.splitlines() if line.startswith("{")]
    if not lines:
        return None
    run = json.loads(text[text.index("{") :]) if len(lines) == 1 and not lines[0].endswith("}") else json.loads(lines[-1])
    kept = KEPT + ["decisions"] * (part == "ultra")
    return {key: run[key] for key in kept if key in run} if "stopped" in run else run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("parts", nargs="+", choices=PARTS)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--shard", default="0/1")
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    shard, shards = map(int, options.shard.split("/"))
    began = time.monotonic()
    for part in options.parts:
        path = options.results / f"{part}.jsonl"
        done = set()
        if path.exists():
            done = {json.dumps(json.loads(line)["of"], sort_keys=True) for line in path.open()}
        runs = [run for number, run in enumerate(PARTS[part]()) if number % shards == shard]
        runs = [(of, words) for of, words in runs if json.dumps(of, sort_keys=True) not in done]

        def take(run):
            of, words = run
            if time.monotonic() - began > options.seconds:
                return False
            start = time.monotonic()
            process = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
            line = {"of": of, "exit": process.returncode, "wall": round(time.monotonic() - start, 3)}
            try:
                line["run"] = brief(part, process.stdout)
            except ValueError as wrong:
                line["unread"] = str(wrong)
            if process.returncode != 0:
                line["said"] = process.stderr.strip().splitlines()[-3:]
            with path.open("a") as file:
                file.write(json.dumps(line) + "\n")
            return True

        with ThreadPoolExecutor(1 if part in TIMED else options.jobs) as pool:
            made = sum(pool.map(take, runs))
        print(f"{part}: {made} of {len(runs)} runs, {time.monotonic() - began:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
