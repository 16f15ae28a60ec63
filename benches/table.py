#!/usr/bin/env python3
"""Puts the errors of a run of `pinnace bench accuracy` into a document, between its two comments `results` or `accuracy`; the
latter asks for what others have published beside them:
python3 benches/table.py benches/runs/DATE-library.jsonl examples/README.md
python3 benches/table.py benches/runs/DATE-library.jsonl benches/notes/accuracy.md"""

import json
import os
import re
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def errors(run):
    """The relative L2 error of every unknown, and the relative error of every parameter that was found."""
    for unknown, error in run["relative_l2"].items():
        if error is not None:
            yield unknown, error
    for name, truth in run["truth"].items():
        yield name, abs(run["parameters"][name] / truth - 1)


def groups(runs):
    """Problem, quantity, its errors seed by seed and the median time; problems as they are listed."""
    order = {name: place for place, name in enumerate(FOLDERS)}
    for problem in sorted({run["problem"] for run in runs}, key=lambda name: order.get(name, len(order))):
        same = sorted((run for run in runs if run["problem"] == problem), key=lambda run: run["seed"])
        failed = [run["seed"] for run in same if run.get("failed")]
        if failed:
            sys.exit(f"{problem} failed with seeds {failed}: a table would hide it")
        seconds = statistics.median(run["seconds"] for run in same)
        found = {}
        for run in same:
            for name, error in errors(run):
                found.setdefault(name, []).append(error)
        for name, values in found.items():
            yield problem, name, values, seconds


def seconds_to(runs, problem, bound):
    """The median over seeds of the first time at which the largest error of an unknown was below a bound."""
    firsts = []
    for run in runs:
        if run["problem"] == problem:
            history = run.get("history", {"seconds": [], "error": []})
            below = (time for time, error in zip(history["seconds"], history["error"]) if error < bound)
            firsts.append(next(below, float("inf")))
    median = statistics.median(firsts)
    return f"{median:.0f} s" if median < float("inf") else ""


def link(problem, document):
    if problem not in FOLDERS:
        return problem
    path = ROOT / "examples" / FOLDERS[problem] / "README.md"
    return f"[{problem}]({os.path.relpath(path, document.parent)})"


def results(runs, document):
    yield "| problem | of | error | seeds 0, 1, 2 | time |"
    yield "|---|---|---|---|---|"
    for problem, name, values, seconds in groups(runs):
        listed = ", ".join(f"{value:.1e}" for value in values)
        median = statistics.median(values)
        yield f"| {link(problem, document)} | {name} | {median:.1e} | {listed} | {seconds:.0f} s |"


def accuracy(runs, document):
    published = {(best["problem"], best["of"]): best for best in json.loads((ROOT / "benches/published.json").read_text())}
    yield "| problem | of | median | lowest to highest | to 1e-4 | to 1e-6 | time | published | by, with, where |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for problem, name, values, seconds in groups(runs):
        best = published.get((problem, name))
        other = f"{best['error']:.1e} | {best['method']}; {best['cost']}; {best['source']}" if best else "|"
        spread = f"{min(values):.1e} to {max(values):.1e}"
        median = statistics.median(values)
        first, second = (seconds_to(runs, problem, bound) for bound in (1e-4, 1e-6))
        cells = [link(problem, document), name, f"{median:.1e}", spread, first, second, f"{seconds:.0f} s", other]
        yield f"| {' | '.join(cells)} |"


def main():
    source, document = Path(sys.argv[1]), Path(sys.argv[2])
    runs = [json.loads(line) for line in source.read_text().splitlines() if line]
    runs = [run for run in runs if run.get("optimizer", "shipped") == "shipped"]
    text, places = document.read_text(), 0
    for mark, rows in [("results", results), ("accuracy", accuracy)]:
        seeds = {1: "One seed", 3: "Three seeds"}.get(count := len({run["seed"] for run in runs}), f"{count} seeds")
        raw = os.path.relpath(source, document.parent)
        lines = [f"{seeds}, and the median time of a training ([raw run]({raw})):", "", *rows(runs, document)]
        text, count = re.subn(
            rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)",
            lambda found: found[1] + "\n".join(lines) + "\n" + found[2],
            text,
            flags=re.DOTALL,
        )
        places += count
    if places != 1:
        sys.exit(f"{document} has {places} places for results")
    document.write_text(text)


FOLDERS = {path.name[3:]: path.name for path in sorted((ROOT / "examples").iterdir()) if path.is_dir()}
main()
