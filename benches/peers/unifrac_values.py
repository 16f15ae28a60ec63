"""Distances of scikit-bio for the tests of crates/cohort: pip install scikit-bio numpy, then

    python3 benches/peers/unifrac_values.py crates/cohort/tests/main/data

makes a table, a tree and, in `peers.tsv`, what scikit-bio finds for them. The tree and the reads are random, from a fixed
seed, with what goes wrong easily: taxa of one sample only, a fork of three branches, a long stem, branches of length 0, tips without reads.
"""

import sys
from io import StringIO
from pathlib import Path

import numpy as np
import skbio
from skbio import TreeNode
from skbio.diversity import alpha_diversity, beta_diversity

SAMPLES, TIPS = 12, 40


def random_tree(rng, tips):
    """Joins of random neighbours; every tenth branch has length 0, and one node has three children."""
    length = lambda: 0.0 if rng.random() < 0.1 else round(float(rng.exponential(0.5)), 4)
    nodes = [f"t{tip}:{length()}" for tip in range(tips)]
    nodes = [f"({nodes[0]},{nodes[1]},{nodes[2]}):{length()}"] + nodes[3:]
    while len(nodes) > 2:
        rng.shuffle(nodes)
        nodes = [f"({nodes[0]},{nodes[1]}):{length()}"] + nodes[2:]
    return f"(({nodes[0]},{nodes[1]}):1.25,outside:0.75);"


def main(folder):
    rng = np.random.default_rng(20261120)
    tree = random_tree(rng, TIPS)
    names = [f"t{tip}" for tip in range(TIPS)]
    counts = rng.poisson(np.exp(rng.normal(-1.0, 2.0, (SAMPLES, TIPS))))
    counts[:, 7] = 0
    counts[3, 7] = 5
    kept = counts.sum(axis=0) > 0
    counts, taxa = counts[:, kept], [name for name, has in zip(names, kept) if has]
    samples = [f"s{sample}" for sample in range(SAMPLES)]
    read = TreeNode.read(StringIO(tree))

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "peers.nwk").write_text(tree + "\n")
    lines = ["#OTU ID\t" + "\t".join(samples)]
    lines += [taxon + "\t" + "\t".join(map(str, row)) for taxon, row in zip(taxa, counts.T)]
    (folder / "peers-table.tsv").write_text("\n".join(lines) + "\n")

    rows = [f"# scikit-bio {skbio.__version__}, numpy {np.__version__}: made by benches/peers/unifrac_values.py"]
    metrics = {
        "unweighted": ("unweighted_unifrac", {}),
        "weighted": ("weighted_unifrac", {}),
        "normalized": ("weighted_unifrac", {"normalized": True}),
    }
    for name, (metric, options) in metrics.items():
        matrix = beta_diversity(metric, counts, samples, taxa=taxa, tree=read, **options)
        rows += [f"{name}\t{value!r}" for value in map(float, matrix.condensed_form())]
    diversity = alpha_diversity("faith_pd", counts, samples, taxa=taxa, tree=read)
    rows += [f"faith\t{value!r}" for value in map(float, diversity)]
    (folder / "peers.tsv").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
