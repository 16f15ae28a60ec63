#!/usr/bin/env bash
# Every built-in problem, or those named, with seeds 0, 1 and 2, one JSON line each:
# benches/library.sh [PATH OF pinnace [NAME ...]] > benches/runs/DATE-library.jsonl
# Then: python3 benches/table.py benches/runs/DATE-library.jsonl examples/README.md
set -euo pipefail
pinnace=${1:-target/release/pinnace}
names=("${@:2}")
if [ ${#names[@]} -eq 0 ]; then
    # Problems are indented; the first indented line is the head of the table.
    mapfile -t names < <("$pinnace" list | awk '/^  / && seen++ { print $1 }')
fi
for name in "${names[@]}"; do
    for seed in 0 1 2; do
        "$pinnace" train "$name" --seed "$seed" --json --quiet --no-run || printf '%s, seed %s: failed\n' "$name" "$seed" >&2
    done
done
