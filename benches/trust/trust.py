#!/usr/bin/env python3
"""How far estimates of errors can be trusted: trains problems whose errors are known, fits the numbers of
crates/pinn/src/trust/calibration.rs on one half of the problems, and judges them on the other, both ways.

    trust.py run PINNACE RAW.jsonl [--jobs 8] [--threads 2] [--seeds 0,1,2] [--budgets 5,20] [--only NAME,…]
    trust.py fit RAW.jsonl                 the numbers, as Rust, from all runs
    trust.py judge RAW.jsonl [--shipped]   a table in Markdown: numbers of the other half, or those that were shipped in the runs

`run` needs a built pinnace and nothing else; what RAW.jsonl has is not run again. One line per run: the true error and all that the
estimate is made of, so that fitting needs no new runs.
"""

import argparse, json, math, os, subprocess, sys, threading, time

LATE, NEAR = 0.75, 0.2  # as calibration.rs has them
MOST_FACTOR = 30.0  # as OtherSolution::carried_on has it
BAD = 0.05  # as estimate.rs has it

# Problems with a reference that a machine without a GPU gets through in seconds.
PROBLEMS = """poisson-2d helmholtz poisson-5d helmholtz-fine poisson-multiscale darcy electrostatics laplace-holes reaction-holes
heat-bracket l-shape-told l-shape inclusion sphere-potential poisson-10d heat reaction klein-gordon beam burgers-mild burgers burgers-steep wave
wave-triangle convection advection allen-cahn allen-cahn-kink kdv kdv-cosine kuramoto-sivashinsky heat-4d kovasznay couette
magnetostatics conjugate-heat cavity-smooth cavity-100 backward-step taylor-green elasticity kirsch maxwell elastic-wave beltrami schroedinger
ginzburg-landau gray-scott heat-family annulus-family heat-inverse darcy-inverse""".split()

# Deliberately bad runs: what is done to which problems.
POINTS = ["training.points=40", "training.most_points=40", "training.resample=0", "training.adaptive=false"]
NO_WALL = {
    "poisson-2d": ['conditions.walls.on="x = 0, y = 0, y = 1"'],
    "darcy": ['conditions.walls.on="x = 0, x = 1, y = 0"'],
    "heat": ['conditions.walls.on="x = 0"'],
    "burgers": ['conditions.walls.on="x = -1"'],
    "kovasznay": ['conditions.velocity.on="x = -0.5, y = -0.5, y = 1.5"'],
    "klein-gordon": ['conditions.right.on="t = 0"'],
}
BAD_RUNS = {
    "few-points": (POINTS, "poisson-2d helmholtz-fine darcy burgers kovasznay klein-gordon heat-family reaction schroedinger taylor-green".split()),
    "one-window": (["training.windows=1"], "wave convection advection allen-cahn schroedinger maxwell elastic-wave kdv-cosine".split()),
    "f32": (["training.precision=f32"], "poisson-2d helmholtz burgers heat kovasznay reaction wave allen-cahn".split()),
    "short": ((), "poisson-2d helmholtz-fine burgers wave convection allen-cahn kdv kovasznay beltrami cavity-100 schroedinger gray-scott".split()),
    "no-wall": (None, list(NO_WALL)),
}
SHORT = 0.7  # seconds


def tasks(seeds, budgets, only):
    """Every run, those of all problems before the next seed or budget."""
    for budget in budgets:
        for seed in seeds:
            for problem in PROBLEMS:
                yield dict(problem=problem, kind="plain", seed=seed, budget=budget, set=[])
    for kind, (overrides, problems) in BAD_RUNS.items():
        for problem in problems:
            for seed in seeds[:2]:
                budget = SHORT if kind == "short" else budgets[0]
                yield dict(problem=problem, kind=kind, seed=seed, budget=budget, set=NO_WALL[problem] if overrides is None else list(overrides))


def key(task):
    return (task["problem"], task["kind"], task["seed"], task["budget"])


def digits(value):
    """Four digits of every number: files stay small."""
    if isinstance(value, float):
        return float("%.4g" % value)
    if isinstance(value, dict):
        return {name: digits(own) for name, own in value.items()}
    return [digits(own) for own in value] if isinstance(value, list) else value


def train(pinnace, task, threads):
    command = [pinnace, "train", task["problem"], "--no-run", "--quiet", "--json", "--device", "cpu", "--seed", str(task["seed"]),
               "--budget", "%gs" % task["budget"]]
    for override in task["set"]:
        command += ["--set", override]
    begin = time.time()
    environment = dict(os.environ, RAYON_NUM_THREADS=str(threads))
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    row = {name: task[name] for name in ("problem", "kind", "seed", "budget")}
    row["wall"] = round(time.time() - begin, 2)
    if done.returncode not in (0, 1) or not done.stdout:
        return dict(row, failed=done.stderr.decode()[-300:])
    found = json.loads(done.stdout)
    estimate = found.get("estimate") or {}
    row.update(steps=found["steps"], seconds=found["seconds"], truth=found["relative_l2"], estimate=found["error_estimate"],
               trust=found["trust"], took=estimate.get("seconds"), evidence=estimate.get("evidence"),
               names=[unknown["name"] for unknown in estimate.get("unknowns", [])],
               doubts=[doubt["fact"]["kind"] for doubt in estimate.get("doubts", [])])
    return digits(row)


def run(arguments):
    done = set()
    if os.path.exists(arguments.raw):
        done = {key(json.loads(line)) for line in open(arguments.raw)}
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    budgets = [float(budget) for budget in arguments.budgets.split(",")]
    only = set(arguments.only.split(",")) if arguments.only else None
    left = [task for task in tasks(seeds, budgets, only)
            if key(task) not in done and (only is None or task["problem"] in only)
            and (not arguments.kinds or task["kind"] in arguments.kinds.split(","))]
    print("%d runs are left, about %.0f s" % (len(left), sum(task["budget"] + 1 for task in left) / arguments.jobs), flush=True)
    lock, out = threading.Lock(), open(arguments.raw, "a")
    total = len(left)

    def work():
        while True:
            with lock:
                if not left:
                    return
                task = left.pop(0)
                number = total - len(left)
            row = train(arguments.pinnace, task, arguments.threads)
            with lock:
                out.write(json.dumps(row, separators=(",", ":")) + "\n")
                out.flush()
                print("[%d/%d] %s %s: %s for %s, %s" % (number, total, row["problem"], row["kind"], row.get("estimate"),
                                                       row.get("truth", row.get("failed")), row.get("trust")), flush=True)

    threads = [threading.Thread(target=work) for _ in range(arguments.jobs)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]


def carried(other, unknown, residual):
    """As OtherSolution::carried_on."""
    moved = other["moved"][unknown]
    if moved is None or not residual or not other["difference"]:
        return None
    factor = residual / other["difference"]
    return moved * factor if factor < MOST_FACTOR else None


def samples(raw):
    """One for each unknown with a reference: run, true error, errors carried on from late in training and from the second opinion."""
    for line in open(raw):
        row = json.loads(line)
        evidence = row.get("evidence")
        if not evidence:
            continue
        for unknown, name in enumerate(row["names"]):
            truth = row["truth"][name]
            if truth is None:
                continue
            off = lambda own: abs(own["part"] - LATE)
            near = [(off(own), carried(own, unknown, evidence["residual"])) for own in evidence["trail"] if off(own) <= NEAR]
            late = min((own for own in near if own[1] is not None), default=(None, None))[1]
            second = evidence.get("second")
            if second:
                own = carried(second, unknown, evidence["residual"])
                second = second["moved"][unknown] if own is None else own
            yield dict(row=row, unknown=name, truth=max(truth, 1e-16), late=late, second=second, epsilon=evidence["epsilon"],
                       shipped=(row["estimate"] or {}).get(name), trust=row["trust"])


def logs(sample, kind):
    """What a model of some kind sums, as calibration.rs has it; None where the sample lacks it."""
    floor = lambda value: math.log(max(value, sample["epsilon"]))
    late, second, windows = sample["late"], sample["second"], math.log(sample["row"]["evidence"]["windows"])
    if kind == "both":
        return None if late is None or second is None else [floor(late), floor(second), floor(max(late, second)), windows]
    own = late if kind == "late" else second
    return None if own is None else [floor(own), windows]


def solve(matrix, right):
    """Gauss elimination."""
    count = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for pivot in range(count):
        best = max(range(pivot, count), key=lambda row: abs(rows[row][pivot]))
        rows[pivot], rows[best] = rows[best], rows[pivot]
        for row in range(pivot + 1, count):
            factor = rows[row][pivot] / rows[pivot][pivot]
            rows[row] = [own - factor * other for own, other in zip(rows[row], rows[pivot])]
    found = [0.0] * count
    for row in reversed(range(count)):
        rest = sum(rows[row][column] * found[column] for column in range(row + 1, count))
        found[row] = (rows[row][count] - rest) / rows[row][row]
    return found


def fitted(all_samples, kind):
    """Bias and weights, none below zero, by least squares of logarithms in which far ones count less; every run counts the same."""
    used = [(logs(sample, kind), math.log(sample["truth"]), sample) for sample in all_samples]
    used = [(features, truth, sample) for features, truth, sample in used if features and sample["truth"] > 10 * sample["epsilon"]]
    if not used:
        return 0.0, []
    per_run = {}
    for _, _, sample in used:
        per_run[id(sample["row"])] = per_run.get(id(sample["row"]), 0) + 1
    count = len(used[0][0])
    active = list(range(count))
    while True:
        bias, weights = 0.0, [1.0 / len(active) if place in active else 0.0 for place in range(count)]
        for _ in range(40):
            size = len(active) + 1
            matrix = [[0.0] * size for _ in range(size)]
            right = [0.0] * size
            for features, truth, sample in used:
                off = truth - bias - sum(weight * feature for weight, feature in zip(weights, features))
                trusted = 1.0 / (per_run[id(sample["row"])] * max(abs(off), math.log(2.0)))
                columns = [1.0] + [features[place] for place in active]
                for one in range(size):
                    right[one] += trusted * columns[one] * truth
                    for other in range(size):
                        matrix[one][other] += trusted * columns[one] * columns[other]
            # Towards equal weights, with the pull of a few runs.
            for one in range(1, size):
                matrix[one][one] += 3.0
                right[one] += 3.0 / len(active)
            bias, *some = solve(matrix, right)
            weights = [0.0] * count
            for place, weight in zip(active, some):
                weights[place] = weight
        negative = [place for place in active if weights[place] < 0.0]
        if not negative:
            return bias, weights
        active.remove(min(negative, key=lambda place: weights[place]))


def models(all_samples):
    return {kind: fitted(all_samples, kind) for kind in ("both", "late", "second")}


def predicted(sample, model):
    """As calibration::error."""
    for kind in ("both", "late", "second"):
        features = logs(sample, kind)
        if features:
            bias, weights = model[kind]
            value = math.exp(bias + sum(weight * feature for weight, feature in zip(weights, features)))
            return min(max(value, 4 * sample["epsilon"]), 2.0)
    return None


def fit(arguments):
    found = models(list(samples(arguments.raw)))
    names = dict(both=["late", "second", "larger", "windows"], late=["late", "windows"], second=["second", "windows"])
    for kind, (bias, weights) in found.items():
        own = dict(zip(names[kind], weights))
        numbers = ", ".join("%s: %.3f" % (name, own.get(name, 0.0)) for name in names["both"])
        print("const %s: Weights = Weights { bias: %.3f, %s };" % (kind.upper() + ("" if kind == "both" else "_ALONE"), bias, numbers))


def judge(arguments):
    every = list(samples(arguments.raw))
    names = sorted({sample["row"]["problem"] for sample in every})
    halves = [set(names[0::2]), set(names[1::2])]
    if not arguments.shipped:
        for judged in halves:
            model = models([sample for sample in every if sample["row"]["problem"] not in judged])
            for sample in every:
                if sample["row"]["problem"] in judged:
                    sample["found"] = predicted(sample, model)
    else:
        for sample in every:
            sample["found"] = sample["shipped"]
    # A run that says that it cannot be trusted makes no other claim.
    for sample in every:
        hard = {"missing", "diverged", "ambiguous", "unseen"} & set(sample["row"]["doubts"])
        of_run = [other["found"] for other in every if other["row"] is sample["row"]]
        worst = max((value for value in of_run if value is not None), default=None)
        sample["bad"] = bool(hard) or worst is None or worst >= BAD
    trusted = [sample for sample in every if not sample["bad"]]
    runs = {}
    for sample in every:
        runs.setdefault(id(sample["row"]), []).append(sample)
    small = [own for own in runs.values() if max(sample["truth"] for sample in own) < 1e-2]
    large = [own for own in runs.values() if max(sample["truth"] for sample in own) > 0.3]
    share = lambda part, whole: "%d of %d (%.1f %%)" % (part, whole, 100.0 * part / max(whole, 1))
    within = lambda factor: sum(1 / factor <= sample["found"] / sample["truth"] <= factor for sample in trusted)
    under = lambda factor: sum(sample["found"] * factor < sample["truth"] for sample in trusted)
    print("| what | asked | found |\n|---|---|---|")
    print("| unknowns of runs that may be trusted: within a factor of 3 | 90 %% | %s |" % share(within(3), len(trusted)))
    print("| within a factor of 10 | 98 %% | %s |" % share(within(10), len(trusted)))
    print("| true error more than 3 times as large | | %s |" % share(under(3), len(trusted)))
    print("| true error more than 10 times as large | | %s |" % share(under(10), len(trusted)))
    print("| runs with errors below 1e-2 that are called bad | 10 %% | %s |" % share(sum(own[0]["bad"] for own in small), len(small)))
    print("| runs with errors above 0.3 that are called bad | 90 %% | %s |" % share(sum(own[0]["bad"] for own in large), len(large)))
    took = [row["row"]["took"] / (row["row"]["took"] + row["row"]["seconds"]) for row in every if row["row"].get("took")]
    if took:
        took.sort()
        print("| share of the time, median and largest | 15 %% | %.1f %%, %.1f %% |" % (100 * took[len(took) // 2], 100 * took[-1]))
    worse = [sample for sample in trusted if sample["found"] * 3 < sample["truth"]]
    missed = [own[0] for own in large if not own[0]["bad"] and own[0] not in worse]
    if worse or missed:
        print("\n| run | unknown | true | estimated | too small by |\n|---|---|---|---|---|")
    for sample in sorted(worse + missed, key=lambda sample: sample["found"] / sample["truth"]):
        row = sample["row"]
        print("| %s, %s, seed %d, %g s | %s | %.1e | %.1e | %.1f |" % (row["problem"], row["kind"], row["seed"], row["budget"],
              sample["unknown"], sample["truth"], sample["found"], sample["truth"] / sample["found"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("run")
    one.add_argument("pinnace")
    one.add_argument("raw")
    one.add_argument("--jobs", type=int, default=8)
    one.add_argument("--threads", type=int, default=2)
    one.add_argument("--seeds", default="0,1,2")
    one.add_argument("--budgets", default="5,20")
    one.add_argument("--only")
    one.add_argument("--kinds")
    commands.add_parser("fit").add_argument("raw")
    other = commands.add_parser("judge")
    other.add_argument("raw")
    other.add_argument("--shipped", action="store_true")
    arguments = parser.parse_args()
    dict(run=run, fit=fit, judge=judge)[arguments.command](arguments)


main()
