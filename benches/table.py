#!/usr/bin/env python3
"""Puts the errors of a run of benches/library.sh into a document, between its two `results` comments:
python3 benches/table.py benches/runs/DATE-library.jsonl examples/README.md"""

import json
import os
import re
import statistics
import sys
from pathlib import Path


def errors(run):
    """The relative L2 error of every unknown, and the relative error of every parameter that was found."""
    for unknown, error in run["relative_l2"].items():
        if error is not None:
            yield unknown, error
    for name, truth in run["truth"].items():
        yield name, abs(run["parameters"][name] / truth - 1)


def rows(runs, folders):
    order = {name: place for place, name in enumerate(folders)}
    for problem in sorted({run["problem"] for run in runs}, key=lambda name: order.get(name, len(order))):
        same = sorted((run for run in runs if run["problem"] == problem), key=lambda run: run["seed"])
        seconds = statistics.median(run["seconds"] for run in same)
        found = {}
        for run in same:
            for name, error in errors(run):
                found.setdefault(name, []).append(error)
        for name, values in found.items():
            link = f"[{problem}]({folders[problem]}/README.md)" if problem in folders else problem
            listed = ", ".join(f"{value:.1e}" for value in values)
            yield f"| {link} | {name} | {statistics.median(values):.1e} | {listed} | {seconds:.0f} s |"


def main():
    source, document = Path(sys.argv[1]), Path(sys.argv[2])
    runs = [json.loads(line) for line in source.read_text().splitlines() if line]
    examples = Path(__file__).parent.parent / "examples"
    folders = {path.name[3:]: path.name for path in sorted(examples.iterdir()) if path.is_dir()}
    link = os.path.relpath(source, document.parent)
    lines = [
        f"Median of three seeds, all three, and the time of a run ([raw run]({link})):",
        "",
        "| problem | of | error | seeds 0, 1, 2 | time |",
        "|---|---|---|---|---|",
        *rows(runs, folders),
    ]
    text, count = re.subn(
        r"(<!-- results -->\n).*?(<!-- /results -->)",
        lambda found: found[1] + "\n".join(lines) + "\n" + found[2],
        document.read_text(),
        flags=re.DOTALL,
    )
    if count != 1:
        sys.exit(f"{document} has {count} places for results")
    document.write_text(text)


main()
