"""Small BIOM 2.1 files for the tests of crates/cohort: pip install biom-format h5py numpy, then

    python3 benches/peers/biom_files.py crates/cohort/tests/main/data

`good.biom` is what biom-format writes; in the others one thing is wrong, which their names say.
"""

import shutil
import sys
from datetime import datetime
from pathlib import Path

import biom
import h5py
import numpy as np

COUNTS = np.array([[3, 0, 1], [0, 2, 0], [5, 5, 300], [0, 0, 7]])


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    good = folder / "good.biom"
    table = biom.Table(COUNTS, ["ACGT", "ACGA", "TTTT", "Älg"], ["one", "two", "three"])
    with h5py.File(good, "w") as file:
        table.to_hdf5(file, "pinnace", creation_date=datetime(2026, 1, 1))

    def spoiled(name, spoil):
        path = folder / f"{name}.biom"
        shutil.copy(good, path)
        with h5py.File(path, "r+") as file:
            spoil(file)

    def replaced(path, values):
        def spoil(file):
            del file[path]
            text = h5py.special_dtype(vlen=str)
            is_text = values.dtype == object
            file.create_dataset(path, data=values, dtype=text if is_text else None)

        return spoil

    data = "/observation/matrix/data"
    spoiled("negative", replaced(data, np.array([3.0, 1, 2, -5, 5, 300, 7])))
    spoiled("fractional", replaced(data, np.array([3.0, 1, 2, 0.5, 5, 300, 7])))
    spoiled("nan", replaced(data, np.array([3.0, 1, 2, np.nan, 5, 300, 7])))
    spoiled("short", replaced(data, np.array([3.0, 1, 2])))
    spoiled("outside", replaced("/observation/matrix/indices", np.array([0, 2, 1, 0, 1, 3, 2], dtype="i4")))
    spoiled("duplicate", replaced("/sample/ids", np.array(["one", "two", "one"], dtype=object)))
    spoiled("without-ids", lambda file: file.pop("/observation/ids"))
    spoiled("empty", replaced("/sample/ids", np.zeros(0)))
    # Within a taxon in any order, whole numbers, a zero that is stored.
    spoiled("unsorted", lambda file: (
        replaced("/observation/matrix/indices", np.array([2, 0, 1, 2, 0, 1, 2], dtype="i8"))(file),
        replaced(data, np.array([1, 3, 2, 300, 5, 5, 7], dtype="i8"))(file),
    ))
    spoiled("twice", replaced("/observation/matrix/indices", np.array([0, 2, 1, 0, 0, 2, 2], dtype="i4")))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
