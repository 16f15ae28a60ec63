#!/usr/bin/env bash
# What exact conditions on shapes gain over penalties in the same time, one JSON line per run:
# benches/exact-against-penalties.sh [PATH OF pinnace [BUDGET [SEED ...]]] > benches/runs/DATE-exact-against-penalties.jsonl
# BUDGET is 20s, seeds are 0 1 2 if not given: six minutes. PROBLEMS="couette kirsch" takes other problems.
# "exact" is what a problem's file leaves to Pinnace, "penalties" is hard_constraints = "off".
set -euo pipefail
pinnace=${1:-target/release/pinnace}
budget=${2:-20s}
seeds=(0 1 2)
if [ $# -gt 2 ]; then
    seeds=("${@:3}")
fi
read -ra problems <<< "${PROBLEMS:-couette laplace-holes reaction-holes}"
# Seeds come one after the other, so that a run that was ended early compares all problems.
for seed in "${seeds[@]}"; do
    for problem in "${problems[@]}"; do
        for conditions in exact penalties; do
            choices=(--seed "$seed" --budget "$budget")
            if [ "$conditions" = penalties ]; then
                choices+=(--set training.hard_constraints=off)
            fi
            run=$("$pinnace" train "$problem" --no-run --no-estimate --quiet --json "${choices[@]}")
            echo "{\"conditions\":\"$conditions\",\"problem\":\"$problem\",\"seed\":$seed,\"run\":$run}"
        done
    done
done
