"""UniFrac, Faith's diversity and reading BIOM, beside scikit-bio and biom-format, on this machine.

    pip install scikit-bio numba biom-format h5py numpy scipy
    cargo build --release
    python3 benches/peers/unifrac.py                              # 2,000 samples, 20,000 tips, 2 % filled
    python3 benches/peers/unifrac.py --samples 300 --tips 3000    # small
    python3 benches/peers/unifrac.py --wide 20000                 # also memory at so many samples, without scikit-bio

Every measurement is a process of its own, so that its memory is its own; scikit-bio compiles on a small cohort before
its clock runs. Prints one JSON object per line; the last ones are ratios. `--repeat` takes the fastest of so many runs of ours.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

METRICS = {
    "unweighted": ("unweighted_unifrac", {}),
    "weighted": ("weighted_unifrac", {}),
    "normalized": ("weighted_unifrac", {"normalized": True}),
}


def random_tree(rng, tips):
    nodes = [f"t{tip}:{rng.exponential(0.1):.6f}" for tip in range(tips)]
    while len(nodes) > 1:
        one = int(rng.integers(len(nodes)))
        nodes[one], nodes[-1] = nodes[-1], nodes[one]
        first = nodes.pop()
        other = int(rng.integers(len(nodes)))
        nodes[other] = f"({first},{nodes[other]}):{rng.exponential(0.1):.6f}"
    return nodes[0] + ";\n"


def write_biom(path, rng, samples, taxa, filled):
    import h5py
    import scipy.sparse

    found = rng.binomial(samples, filled, size=taxa).clip(1)
    places = np.concatenate([np.sort(rng.choice(samples, count, replace=False)) for count in found])
    starts = np.concatenate([[0], np.cumsum(found)])
    counts = rng.geometric(0.05, size=len(places)).astype("f8")
    rows = scipy.sparse.csr_matrix((counts, places, starts), shape=(taxa, samples))
    text = h5py.special_dtype(vlen=str)
    with h5py.File(path, "w") as file:
        file.attrs["id"], file.attrs["type"] = "None", "OTU table"
        file.attrs["format-url"], file.attrs["format-version"] = "http://biom-format.org", (2, 1)
        file.attrs["generated-by"], file.attrs["creation-date"] = "pinnace", "2026-01-01T00:00:00"
        file.attrs["shape"], file.attrs["nnz"] = (taxa, samples), len(counts)
        for part, matrix, names in (
            ("observation", rows, [f"t{taxon}" for taxon in range(taxa)]),
            ("sample", rows.tocsc(), [f"s{sample}" for sample in range(samples)]),
        ):
            file.create_group(f"{part}/metadata")
            file.create_group(f"{part}/group-metadata")
            file.create_dataset(f"{part}/ids", data=np.array(names, dtype=object), dtype=text, compression="gzip")
            for name, numbers in (("data", matrix.data), ("indices", matrix.indices), ("indptr", matrix.indptr)):
                numbers = numbers if name == "data" else numbers.astype("i4")
                file.create_dataset(f"{part}/matrix/{name}", data=numbers, compression="gzip")


def peak(process):
    """The most memory that a process has had, in MB; what it was started from does not count, as it does in getrusage."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0)
    except OSError:
        return 0


def measured(command, environment=None):
    """Seconds, the peak of memory in MB, and what was printed."""
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **(environment or {})})
    memory = [0]

    def watch():
        while child.poll() is None:
            memory[0] = max(memory[0], peak(child.pid))
            time.sleep(0.002)

    watcher = threading.Thread(target=watch)
    watcher.start()
    printed = child.stdout.read().decode()
    status = child.wait()
    seconds = time.perf_counter() - begin
    watcher.join()
    if status != 0:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {status}")
    return seconds, memory[0], printed


def say(**what):
    print(json.dumps(what), flush=True)


def scikit_bio(table, tree, out, metrics):
    """Runs in a process of its own: times each metric, and keeps what was found."""
    import biom
    import skbio
    from skbio import TreeNode
    from skbio.diversity import alpha_diversity, beta_diversity

    read = TreeNode.read(str(tree))
    loaded = biom.load_table(str(table))
    taxa, samples = list(loaded.ids(axis="observation")), list(loaded.ids())
    counts = loaded.matrix_data.T.toarray().astype(int)
    small = counts[:8]
    for name in metrics:
        metric, options = METRICS[name]
        run = lambda counts, names: beta_diversity(
            metric, counts, names, taxa=taxa, tree=read, engine="fast", validate=False, **options
        )
        run(small, samples[:8])
        begin = time.perf_counter()
        found = run(counts, samples)
        seconds = time.perf_counter() - begin
        np.save(f"{out}-{name}.npy", found.data)
        print(json.dumps({"name": name, "seconds": seconds, "version": skbio.__version__}), flush=True)
    begin = time.perf_counter()
    found = alpha_diversity("faith_pd", counts, samples, taxa=taxa, tree=read, validate=False)
    print(json.dumps({"name": "faith", "seconds": time.perf_counter() - begin}), flush=True)
    np.save(f"{out}-faith.npy", np.asarray(found))


def ours(arguments, repeat, cache):
    """The fastest of a few runs: seconds in all, those after reading, memory."""
    best = None
    for _ in range(repeat):
        seconds, memory, printed = measured(arguments + ["--json", "--quiet"], {"PINNACE_CACHE": cache})
        told = json.loads(printed)
        work = told["seconds"] - told["reading_seconds"]
        best = min(best or (np.inf, 0, 0), (seconds, work, memory))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pinnace", default="target/release/pinnace")
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--tips", type=int, default=20000)
    parser.add_argument("--filled", type=float, default=0.02)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--wide", type=int, default=0)
    parser.add_argument("--biom", type=int, default=10000, help="samples and taxa of the table that is only read; 0 for none")
    parser.add_argument("--peer", nargs=3, help=argparse.SUPPRESS)
    choices = parser.parse_args()
    if choices.peer:
        return scikit_bio(*choices.peer, list(METRICS))
    with tempfile.TemporaryDirectory(prefix="pinnace-unifrac-") as folder:
        compare(choices, Path(folder))


def compare(choices, folder):
    rng = np.random.default_rng(1)
    table, tree, cache = folder / "table.biom", folder / "tree.nwk", str(folder / "cache")
    write_biom(table, rng, choices.samples, choices.tips, choices.filled)
    tree.write_text(random_tree(rng, choices.tips))
    say(samples=choices.samples, tips=choices.tips, filled=choices.filled, cores=os.cpu_count(), load=os.getloadavg()[0])

    matrix = choices.samples**2 * 8 / 2**20
    own = {}
    for name in [*METRICS, "generalized", "variance-adjusted"]:
        repeat = choices.repeat if name in METRICS else 1
        command = [choices.pinnace, "unifrac", str(table), str(tree), "--metric", name, "--out", str(folder / f"{name}.npy")]
        seconds, work, memory = ours(command, repeat, cache)
        own[name] = work
        say(who="pinnace", name=name, seconds=seconds, without_reading=work, memory_mb=memory, output_mb=matrix)
    command = [choices.pinnace, "unifrac", str(table), str(tree), "--faith", str(folder / "faith.tsv")]
    seconds, own["faith"], memory = ours(command, choices.repeat, cache)
    say(who="pinnace", name="faith", seconds=seconds, without_reading=own["faith"], memory_mb=memory)

    _, memory, printed = measured([sys.executable, __file__, "--peer", str(table), str(tree), str(folder / "peer")])
    for line in printed.splitlines():
        found = json.loads(line)
        name = found["name"]
        theirs = np.load(folder / f"peer-{name}.npy")
        if name == "faith":
            mine = np.loadtxt(folder / "faith.tsv", skiprows=1, usecols=1)
        else:
            mine = np.load(folder / f"{name}.npy")
        off = float(np.max(np.abs(mine - theirs) / np.maximum(1.0, np.abs(theirs))))
        say(who="scikit-bio", **found, memory_mb=memory)
        say(ratio=name, times_faster=found["seconds"] / own[name], largest_difference=off)

    if choices.biom:
        big = folder / "big.biom"
        write_biom(big, rng, choices.biom, choices.biom, 0.1)
        show = [choices.pinnace, "cohort", "show", str(big), "--json"]
        empty, _, _ = measured([choices.pinnace, "--version"])
        fresh = [measured(show, {"PINNACE_CACHE": str(folder / f"cache-{number}")})[0] for number in range(choices.repeat)]
        # An address where nothing can be kept: what reading alone takes.
        alone = min(measured(show, {"PINNACE_CACHE": "/dev/null"})[0] for _ in range(choices.repeat))
        again = min(measured(show, {"PINNACE_CACHE": str(folder / "cache-0")})[0] for _ in range(choices.repeat))
        say(who="pinnace", name="biom", first=min(fresh), first_without_keeping=alone, second=again, program=empty)
        load = f"import biom, time; t = time.perf_counter(); biom.load_table({str(big)!r}); print(time.perf_counter() - t)"
        theirs = float(measured([sys.executable, "-c", load])[2])
        say(who="biom-format", name="biom", seconds=theirs, ratio=theirs / alone)

    if choices.wide:
        write_biom(table, rng, choices.wide, choices.tips, choices.filled)
        output = choices.wide**2 * 8 / 2**20
        for limit in ([], ["--memory-limit", "1GB"]):
            path = folder / f"wide{len(limit)}.npy"
            command = [choices.pinnace, "unifrac", str(table), str(tree), "--out", str(path), *limit]
            seconds, work, memory = ours(command, 1, cache)
            say(who="pinnace", name="unweighted", samples=choices.wide, limit=limit[1:], seconds=seconds, memory_mb=memory, output_mb=output)
        same = subprocess.run(["cmp", str(folder / "wide0.npy"), str(folder / "wide2.npy")]).returncode == 0
        say(same_bits_under_the_limit=same)


if __name__ == "__main__":
    main()
