#!/usr/bin/env bash
# Error against time of all optimizers on three problems, and the pictures for docs/optimizers.md:
# benches/optimizers.sh DATE [PATH OF pinnace [OPTIONS OF bench accuracy, such as --jobs 8 --threads 2 --resume]]
# SEEDS=1 takes one seed in place of three. It leaves benches/runs/DATE-optimizers.jsonl and docs/images/optimizers-PROBLEM.png.
set -euo pipefail
cd "$(dirname "$0")/.."
date=$1
pinnace=${2:-target/release/pinnace}
problems=(burgers kovasznay poisson-5d)
out=target/optimizers
"$pinnace" bench accuracy "${problems[@]}" --seeds "${SEEDS:-3}" --budget 60s --out "$out" \
    --optimizer gauss-newton,adam,lbfgs,adam+lbfgs,adam+ssbroyden \
    --set training.learning_rate=5e-3 --set training.schedule=cosine "${@:3}"
cp "$out/accuracy.jsonl" "benches/runs/$date-optimizers.jsonl"
for problem in "${problems[@]}"; do
    cp "$out/$problem.png" "docs/images/optimizers-$problem.png"
done
