#!/usr/bin/env bash
# What residual-based weights do to errors after as many steps, one JSON line per run:
# benches/residual-weights.sh [PATH OF pinnace [SEED ...]] > benches/runs/DATE-residual-weights.jsonl
# Some minutes for each seed.
set -euo pipefail
pinnace=${1:-target/release/pinnace}
seeds=("${@:2}")
for seed in "${seeds[@]:-0}"; do
    for problem in burgers allen-cahn; do
        for weights in false true; do
            for method in adam gauss-newton; do
                if [ "$method" = adam ]; then
                    choices=(--steps 3000 --set training.learning_rate=0.005 --set training.schedule=cosine)
                else
                    choices=(--steps 120)
                fi
                run=$("$pinnace" train "$problem" --no-run --no-estimate --quiet --json --seed "$seed" "${choices[@]}" \
                    --set training.optimizer="$method" --set training.residual_weights="$weights")
                echo "{\"optimizer\":\"$method\",\"residual_weights\":$weights,\"run\":$run}"
            done
        done
    done
done
