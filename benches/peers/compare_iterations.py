"""One iteration of Gauss-Newton, ours and JAX's in turn on this machine's CPU or GPU: the same points, weights, threads,
f64.

  python3 compare_iterations.py --pinnace ../../target/release/pinnace --out ../runs/DATE-iterations.jsonl
  python3 compare_iterations.py --pinnace ../../bundle/pinnace --device cuda --out iterations.jsonl

Ours runs before and after each peer.  `plain` is what the peer does: normal equations, one factor, one loss;
`training` is an iteration as training takes it, with two dampings and geodesic acceleration.  Losses before the
first and after five plain iterations must agree.  A row marked busy proves nothing.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

from compare import BUSY, HERE, measured

CONFIGS = {"cpu": [(20, 4, 4096), (20, 4, 16384), (32, 4, 4096), (32, 4, 16384)],
           "cuda": [(20, 4, 8192), (20, 4, 20000), (32, 4, 20000)]}
VARIANTS = ["nested", "taylor"]


def ours(args, folder):
    return measured([os.path.abspath(args.pinnace), "bench", "iteration", "--case", folder, "--device", args.device,
                     "--threads", str(args.threads), "--json"])


def theirs(args, variant, width, depth, points):
    threads = str(args.threads)
    command = [sys.executable, os.path.join(HERE, "jax_gauss_newton.py"), "--n", str(points), "--width", str(width),
               "--depth", str(depth), "--dtype", "fp64", "--device", args.device, "--variant", variant, "--threads", threads,
               "--steps", "50", "--warmup", "6", "--max-seconds", str(args.seconds)]
    env = dict(os.environ, OMP_NUM_THREADS=threads,
               XLA_FLAGS="--xla_cpu_multi_thread_eigen=true intra_op_parallelism_threads=" + threads)
    return measured(command, env)


def run(args):
    out = open(args.out, "a", buffering=1)
    put = lambda record: out.write(json.dumps(record) + "\n")
    with open("/proc/cpuinfo") as f:
        model = next((line.split(":")[1].strip() for line in f if line.startswith("model name")), None)
    put({"machine": model, "cores": os.cpu_count(), "system": platform.platform(), "threads": args.threads,
         "date": time.strftime("%Y-%m-%d")})
    for width, depth, points in CONFIGS[args.device]:
        folder = tempfile.mkdtemp(prefix="case-")
        subprocess.run([sys.executable, "common.py", "--dump", folder, "--problem", "burgers", "--n", str(points),
                        "--width", str(width), "--depth", str(depth)], cwd=HERE, check=True, capture_output=True)
        before = ours(args, folder)
        put({"who": "pinnace", **before})
        for variant in VARIANTS:
            record = theirs(args, variant, width, depth, points)
            after = ours(args, folder)
            if record.get("median_ms") and before.get("plain_ms") and after.get("plain_ms"):
                for kind in ("plain", "training"):
                    record[f"ours_{kind}_ms"] = (before[f"{kind}_ms"] + after[f"{kind}_ms"]) / 2
                    record[f"{kind}_ratio"] = record["median_ms"] / record[f"ours_{kind}_ms"]
                for loss in ("loss0", "loss5"):
                    record[f"{loss}_difference"] = abs(record[loss] / before[loss] - 1)
            record["busy"] = max(r.get("other_cpu_cores", 0) for r in (before, record, after)) > BUSY
            put({"who": f"jax_gauss_newton:{variant}", **record})
            put({"who": "pinnace", **after})
            before = after
            print(line(variant, width, depth, points, record), flush=True)


def line(variant, width, depth, points, r):
    name = f"{width}x{depth} {points:6} {variant:7}"
    if "plain_ratio" not in r:
        return f"{name} {r.get('status', 'failed')}"
    mark = "  busy: proves nothing" if r["busy"] else ""
    return (f"{name} {r['median_ms']:8.2f} ms   plain {r['ours_plain_ms']:7.2f} ms {r['plain_ratio']:5.2f} x   "
            f"training {r['ours_training_ms']:7.2f} ms {r['training_ratio']:5.2f} x   "
            f"losses differ by {r['loss0_difference']:.0e}, {r['loss5_difference']:.0e}{mark}")


if __name__ == "__main__":
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--pinnace", default=os.path.join(HERE, "../../target/release/pinnace"))
    ap.add_argument("--out", default="iterations.jsonl")
    ap.add_argument("--device", choices=sorted(CONFIGS), default="cpu")
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--seconds", type=float, default=20.0, help="timed seconds per peer")
    run(ap.parse_args())
