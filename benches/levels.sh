#!/usr/bin/env bash
# How long `basic` and `advanced` train to the same error, one JSON line per run, and a table of medians on stderr:
# benches/levels.sh [PATH OF pinnace [ROUNDS]] > benches/runs/DATE-levels.jsonl
# Some minutes for each round; nothing else should run. Five problems, whose errors both levels reach in a minute or so.
set -euo pipefail
pinnace=${1:-target/release/pinnace}
rounds=${2:-3}
problems=(helmholtz:1e-4 klein-gordon:1e-6 burgers:1e-4 heat-4d:1e-5 kovasznay:1e-4)
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
for round in $(seq "$rounds"); do
    for choice in "${problems[@]}"; do
        problem=${choice%:*}
        error=${choice#*:}
        # The level that comes first changes: a machine gets warmer, and its cores slower.
        levels=(basic advanced)
        if [ $((round % 2)) = 0 ]; then levels=(advanced basic); fi
        for level in "${levels[@]}"; do
            run=$("$pinnace" train "$problem" --no-run --no-estimate --quiet --json --device cpu \
                --set performance.level="$level" \
                --set "training.budget={ error = $error, seconds = 300 }")
            echo "{\"level\":\"$level\",\"error\":$error,\"round\":$round,\"run\":$run}" | tee -a "$lines"
        done
    done
done
python3 - "$lines" >&2 <<'PYTHON'
import json
import statistics
import sys

runs = [json.loads(line) for line in open(sys.argv[1])]
print("| problem | to an error of | basic | advanced | ratio |\n|---|---|---|---|---|")
ratios = []
for problem in dict.fromkeys(run["run"]["problem"] for run in runs):
    own = [run for run in runs if run["run"]["problem"] == problem]
    missed = [run for run in own if run["run"]["stopped"] != "target-error"]
    seconds = {
        level: statistics.median(run["run"]["seconds"] for run in own if run["level"] == level)
        for level in ("basic", "advanced")
    }
    ratio = seconds["advanced"] / seconds["basic"]
    note = f" ({len(missed)} of {len(own)} runs did not get there)" if missed else ""
    ratios.append(ratio if not missed else float("inf"))
    print(f"| {problem} | {own[0]['error']:g} | {seconds['basic']:.2f} s | {seconds['advanced']:.2f} s | {ratio:.2f}{note} |")
fast = sum(ratio <= 0.8 for ratio in ratios)
print(f"at most 0.8 on {fast} of {len(ratios)} problems; the largest ratio is {max(ratios):.2f}")
PYTHON
