"""Prints milliseconds per step beside the peers' and the ratios, from what run-all wrote: table.py RESULTS.

Peers come from RESULTS/peers.jsonl; ours from RESULTS/steps.jsonl. Ratios are of steps as accurate as fp32 (or fp64),
against the fastest peer and against the fastest of those that users run.
"""
import json
import os
import sys

USERS = ("deepxde", "torch_eager", "jax_nested")
DTYPES = {"f32": "fp32", "fp16x3": "fp32", "bf16x6": "fp32", "f64": "fp64", "tf32": "tf32", "bf16": "bf16-autocast"}


def lines(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        found = [json.loads(line) for line in file if line.startswith("{")]
    return found


def case(row):
    return (row["problem"], row.get("points", row.get("n")), row["width"], row["depth"])


def main(folder):
    ours, peers = lines(f"{folder}/steps.jsonl"), lines(f"{folder}/peers.jsonl")
    if not ours:
        print("no steps were measured")
        return
    best = {}
    for row in peers:
        if row.get("median_ms"):
            users = row.get("peer", "").split(":")[0] in USERS
            for kind in ["any"] + ["users"] * users:
                key = (case(row), row["dtype"], kind)
                best[key] = min(best.get(key, float("inf")), row["median_ms"])
    print(f"{'case':28} {'precision':9} {'ms':>9} {'peak %':>7} {'plan MB':>8} {'peak MB':>8} {'best peer':>10} {'ratio':>6} {'users run':>10} {'ratio':>6}")
    for row in ours:
        problem, points, width, depth = case(row)
        dtype = DTYPES.get(row["precision"])
        known = [best.get((case(row), dtype, kind)) for kind in ("any", "users")]
        texts = [(f"{ms:.3f}", f"{ms / row['median_ms']:.1f}") if ms else ("-", "-") for ms in known]
        memory = row.get("device_memory") or {}
        size = lambda key: f"{memory[key] / 1e6:.1f}" if memory.get(key) else "-"
        share = f"{100 * row['share_of_peak']:.1f}" if row.get("share_of_peak") else "-"
        (any_ms, any_ratio), (users_ms, users_ratio) = texts
        print(f"{problem + f' {width}x{depth} {points}':28} {row['precision']:9} {row['median_ms']:9.4f} {share:>7} "
              f"{size('planned_bytes'):>8} {size('peak_bytes'):>8} {any_ms:>10} {any_ratio:>6} {users_ms:>10} {users_ratio:>6}")


main(sys.argv[1] if len(sys.argv) > 1 else "results")
