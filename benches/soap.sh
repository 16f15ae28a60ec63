#!/usr/bin/env bash
# SOAP beside Adam at equal time on three problems, with 64x4 and 10,000 points, two threads each, one training after the other:
# benches/soap.sh DATE [PATH OF pinnace [OPTIONS OF bench accuracy, such as --resume]]
# SEEDS=1 takes one seed in place of three, BUDGET="3000 steps" equal steps in place of equal time (two minutes). It leaves
# benches/runs/DATE-soap.jsonl. Each method has the best of a few learning rates, which are its own: RATES_ADAM and RATES_SOAP.
set -euo pipefail
cd "$(dirname "$0")/.."
date=$1
pinnace=${2:-target/release/pinnace}
problems=(burgers kovasznay poisson-2d)
out=target/soap
rm -rf "$out.jsonl"
for method in adam soap; do
    rates=${RATES_ADAM:-1e-3 5e-3 1e-2}
    [ "$method" = soap ] && rates=${RATES_SOAP:-3e-3 1e-2}
    for rate in $rates; do
        "$pinnace" bench accuracy "${problems[@]}" --seeds "${SEEDS:-3}" --budget "${BUDGET:-120s}" --jobs 1 --threads 2 \
            --out "$out/$method-$rate" --optimizer "$method" --no-plots \
            --set training.learning_rate="$rate" --set training.schedule=cosine \
            --set network.width=64 --set network.depth=4 --set training.points=10000 "${@:3}"
        # Which learning rate a line is of stands in its settings.
        cat "$out/$method-$rate/accuracy.jsonl" >> "$out.jsonl"
    done
done
cp "$out.jsonl" "benches/runs/$date-soap.jsonl"
