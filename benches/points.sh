#!/usr/bin/env bash
# One training step from a thousand to a million points, one JSON line each:
# benches/points.sh [PATH OF pinnace] > benches/runs/DATE-points.jsonl
set -euo pipefail
pinnace=${1:-target/release/pinnace}
for width in 64 128; do
    for points in 1000 10000 100000 1000000; do
        "$pinnace" bench step --problem burgers --width "$width" --depth 4 --points "$points" --device cpu --json
    done
done
