#!/usr/bin/env python3
"""Ways to place points after long trainings, several side by side.

    cargo build --release -p pinnace --example adaptive_sampling
    benches/adaptive.py target/release/examples/adaptive_sampling RESULTS.jsonl --seconds 360
    benches/adaptive.py --table RESULTS.jsonl

Trains Burgers, Allen-Cahn and the wave equation with 20,000 steps of Adam and 300 of Gauss-Newton from five seeds, at fixed uniform points, at
uniform points drawn anew as often as others move, with `rad` and with `r3`. As many trainings go side by side as cores allow. What a file of results
has is not trained again: call it until it says that nothing is left. Seeds come one after the other, so that what is there compares all ways.
Needs nothing but Python and the program.
"""

import argparse
import concurrent.futures
import json
import math
import os
import subprocess
import sys
import threading
import time

PROBLEMS = ["burgers", "allen-cahn", "wave"]
OPTIMIZERS = ["gauss-newton:300", "adam:20000"]
WAYS = ["uniform, fixed", "uniform, drawn anew", "rad", "r3"]


def jobs(seeds):
    for seed in range(seeds):
        for optimizer in OPTIMIZERS:
            for problem in PROBLEMS:
                for way in WAYS:
                    yield problem, optimizer, way, seed


def key(line):
    return line["problem"], line["optimizer"], line["sampling"], line["seed"]


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.startswith("{")]


def train(arguments):
    known = {key(line) for line in read(arguments.results)}
    missing = [job for job in jobs(arguments.seeds) if (job[0], job[1].split(":")[0], *job[2:]) not in known]
    end = time.monotonic() + arguments.seconds
    writing = threading.Lock()
    environment = {**os.environ, "RAYON_NUM_THREADS": str(arguments.threads)}

    def run(job):
        problem, optimizer, way, seed = job
        left = end - time.monotonic()
        if left <= 0:
            return False
        command = [arguments.program, problem, optimizer, str(seed), way]
        try:
            # Past its time it is killed, and left for the next call.
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=left, check=False)
        except subprocess.TimeoutExpired:
            return False
        if done.returncode != 0:
            print(f"{job}: {done.stderr.strip()}", file=sys.stderr)
            return False
        with writing, open(arguments.results, "a", encoding="utf-8") as results:
            results.write(done.stdout)
        print(done.stdout.strip(), flush=True)
        return True

    side_by_side = max(1, (os.cpu_count() or 1) // arguments.threads)
    with concurrent.futures.ThreadPoolExecutor(side_by_side) as pool:
        done = sum(pool.map(run, missing))
    print(f"{done} trained, {len(missing) - done} left: {side_by_side} side by side, {arguments.threads} threads each")


def mean(numbers):
    """The geometric one."""
    return math.exp(sum(math.log(number) for number in numbers) / len(numbers))


def table(path):
    lines = read(path)
    print("| problem | method | points | seeds | mean square | to fixed | to drawn anew | error | to fixed | to drawn anew | resampling |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for problem in PROBLEMS:
        for optimizer in sorted({name.split(":")[0] for name in OPTIMIZERS}):
            own = {way: {} for way in WAYS}
            for line in lines:
                if (line["problem"], line["optimizer"]) == (problem, optimizer) and line["sampling"] in own:
                    own[line["sampling"]][line["seed"]] = line
            # Only seeds that all ways have.
            seeds = set.intersection(*({*of} for of in own.values()))
            if not seeds:
                continue
            of = lambda way, name: mean([own[way][seed][name] for seed in seeds])
            for way in WAYS:
                parts = [own[way][seed].get("renewing") or 0 for seed in seeds]
                numbers = []
                for name in ("mean_square", "error"):
                    value = of(way, name)
                    numbers.append(f"{value:.1e}")
                    numbers += [f"{value / of(other, name):.2g}" for other in WAYS[:2]]
                share = f"{100 * sum(parts) / len(parts):.2g} %"
                print(f"| {problem} | {optimizer} | {way} | {len(seeds)} | {' | '.join(numbers)} | {share} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="the example adaptive_sampling")
    parser.add_argument("results", nargs="?", help="a file to which lines are added")
    parser.add_argument("--threads", type=int, default=2, help="of each training")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=86400, help="after which what is left is left")
    parser.add_argument("--table", metavar="RESULTS", help="compares what a file has")
    arguments = parser.parse_args()
    if arguments.table:
        return table(arguments.table)
    if not arguments.results:
        parser.error("a program and a file of results are needed")
    return train(arguments)


if __name__ == "__main__":
    main()
