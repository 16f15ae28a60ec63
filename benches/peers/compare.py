"""Ours and theirs in turn on this machine's CPU: the same problem, points, weights, precision, threads.

  python3 compare.py --pinnace ../../target/release/pinnace --out ../runs/DATE-cpu.jsonl
  python3 compare.py --table FILE                      # only print the table of an earlier run

Every configuration starts from one dump of points and weights.  Ours runs before and after each
peer, and a ratio is the peer's median over the mean of ours next to it.  A record is marked busy
when other processes took more than a tenth of a core while its clock ran; such a row proves nothing.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIGS = [("burgers", 64, 4), ("burgers", 128, 4), ("ns2d", 128, 5), ("wave3d", 128, 4)]
PEERS = {
    "burgers": ["torch_taylor:compile", "jax_taylor:hand", "jax_taylor:scan", "torch_compile:nested",
                "jax_nested:fwdrev", "torch_eager:eager", "deepxde:pytorch"],
    "ns2d": ["torch_taylor:compile+lap", "jax_taylor:hand+lap", "jax_nested:fwdrev", "deepxde:pytorch"],
    "wave3d": ["torch_taylor:compile+lap", "jax_taylor:hand+lap", "jax_nested:fwdrev", "deepxde:pytorch"],
}
SCRIPT = {"deepxde": "deepxde_run"}
BUSY = 0.1


def busy_cores():
    """Seconds of work of all cores and of finished children of this process."""
    with open("/proc/stat") as f:
        v = [int(x) for x in f.readline().split()[1:9]]
    children = os.times()
    return ((sum(v) - v[3] - v[4]) / os.sysconf("SC_CLK_TCK"),
            children.children_user + children.children_system + children.user + children.system)


def measured(command, env=None):
    """The JSON line a command prints, with the cores that others used while it ran."""
    before, start = busy_cores(), time.perf_counter()
    done = subprocess.run(command, cwd=HERE, env=env, capture_output=True, text=True)
    wall = time.perf_counter() - start
    after = busy_cores()
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    record = json.loads(lines[-1]) if lines else {"status": "failed: " + done.stderr.strip()[-200:]}
    others = (after[0] - before[0]) - (after[1] - before[1])
    record.setdefault("other_cpu_cores", max(0.0, others / wall))
    return record


def ours(args, folder):
    command = [os.path.abspath(args.pinnace), "bench", "step", "--case", folder, "--precision", args.precision,
               "--device", "cpu", "--threads", str(args.threads), "--json"]
    return measured(command)


def theirs(args, peer, problem, width, depth):
    name, variant = peer.split(":")
    dtype = {"f32": "fp32", "f64": "fp64"}[args.precision]
    script = os.path.join(HERE, SCRIPT.get(name, name) + ".py")
    command = [sys.executable, script, "--problem", problem, "--n", str(args.points), "--width", str(width),
               "--depth", str(depth), "--dtype", dtype, "--device", "cpu", "--variant", variant,
               "--threads", str(args.threads), "--max-seconds", str(args.seconds)]
    threads = str(args.threads)
    env = dict(os.environ, OMP_NUM_THREADS=threads, MKL_NUM_THREADS=threads,
               XLA_FLAGS="--xla_cpu_multi_thread_eigen=true intra_op_parallelism_threads=" + threads)
    return measured(command, env)


def run(args):
    os.makedirs(os.path.dirname(os.path.abspath(args.out)), exist_ok=True)
    out = open(args.out, "a", buffering=1)
    put = lambda record: out.write(json.dumps(record) + "\n")
    with open("/proc/cpuinfo") as f:
        model = next((line.split(":")[1].strip() for line in f if line.startswith("model name")), None)
    put({"machine": model, "cores": os.cpu_count(), "system": platform.platform(), "threads": args.threads,
         "precision": args.precision, "points": args.points, "date": time.strftime("%Y-%m-%d")})
    for problem, width, depth in CONFIGS:
        if args.only and f"{problem}-{width}x{depth}" not in args.only:
            continue
        folder = tempfile.mkdtemp(prefix="case-")
        subprocess.run([sys.executable, "common.py", "--dump", folder, "--problem", problem, "--n",
                        str(args.points), "--width", str(width), "--depth", str(depth)],
                       cwd=HERE, check=True, capture_output=True)
        before = ours(args, folder)
        put({"who": "pinnace", **before})
        for peer in [p for p in PEERS[problem] if not args.peers or p in args.peers]:
            record = theirs(args, peer, problem, width, depth)
            after = ours(args, folder)
            if record.get("median_ms") and before.get("median_ms"):
                record["ours_ms"] = (before["median_ms"] + after["median_ms"]) / 2
                record["ratio"] = record["median_ms"] / record["ours_ms"]
                record["loss0_difference"] = abs(record["loss0"] / before["loss0"] - 1)
            record["busy"] = max(r.get("other_cpu_cores", 0) for r in (before, record, after)) > BUSY
            put({"who": peer, **record})
            put({"who": "pinnace", **after})
            before = after
            print(line(peer, record), flush=True)


def line(peer, r):
    if not r.get("ratio"):
        return f"{peer:26} {r.get('problem', '')} {r.get('status', 'failed')}"
    mark = "  busy: proves nothing" if r["busy"] else ""
    name = f"{r['problem']} {r['width']}x{r['depth']}"
    return (f"{name:16} {peer:26} {r['median_ms']:9.2f} ms   ours {r['ours_ms']:8.2f} ms   "
            f"{r['ratio']:6.2f} x{mark}")


def table(path):
    for text in open(path):
        record = json.loads(text)
        if record.get("who", "pinnace") != "pinnace":
            print(line(record["who"], record))
        elif "machine" in record:
            print(record)


if __name__ == "__main__":
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--pinnace", default=os.path.join(HERE, "../../target/release/pinnace"))
    ap.add_argument("--out", default="compare.jsonl")
    ap.add_argument("--points", type=int, default=10000)
    ap.add_argument("--precision", choices=("f32", "f64"), default="f32")
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--seconds", type=float, default=6.0, help="timed seconds per peer")
    ap.add_argument("--only", nargs="*", help="configurations such as burgers-64x4")
    ap.add_argument("--peers", nargs="*", help="peers such as jax_taylor:scan; all by default")
    ap.add_argument("--table")
    a = ap.parse_args()
    table(a.table) if a.table else run(a)
