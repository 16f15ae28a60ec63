#!/usr/bin/env bash
# How far every computed reference can be trusted, one JSON line each:
# benches/references.sh [PATH OF pinnace [NAME ...]] > benches/runs/DATE-references.jsonl
# Without a cache it takes some minutes.
set -euo pipefail
pinnace=${1:-target/release/pinnace}
names=("${@:2}")
if [ ${#names[@]} -eq 0 ]; then
    mapfile -t names < <("$pinnace" list | awk '/fourier-etdrk4|chebyshev-cavity/ { print $1 }')
fi
for name in "${names[@]}"; do
    "$pinnace" reference "$name" --json
done
