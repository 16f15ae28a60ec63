#!/usr/bin/env bash
# Conditions at re-entrant corners: penalties against R-functions written out in [ansatz], which make them exact, and the equation multiplied by the
# distance to the corner. One JSON line per run, after as many steps: benches/corners.sh [PATH OF pinnace [SEED ...]] > benches/runs/DATE-corners.jsonl
# About ten minutes for each seed on two quiet cores. No training here knows which conditions its ansatz makes exact: they stay penalties, of zero.
set -euo pipefail
pinnace=${1:-target/release/pinnace}
seeds=("${@:2}")
here=$(dirname "$0")
for seed in "${seeds[@]:-0}"; do
    for problem in l-shape l-shape-told "$here"/problems/corners/*.toml; do
        run=$("$pinnace" train "$problem" --no-run --quiet --json --seed "$seed" --steps 120)
        echo "{\"problem\":\"$(basename "$problem" .toml)\",\"seed\":$seed,\"run\":$run}"
    done
done
