"""Adds up ncu's durations by kernel: launches.py FILE.csv (from --csv --metrics gpu__time_duration.sum)."""
import csv
import sys


def main(path):
    with open(path) as file:
        rows = list(csv.DictReader(line for line in file if line.startswith('"')))
    scale = {"ns": 1e-3, "nsecond": 1e-3, "us": 1.0, "usecond": 1.0, "ms": 1e3, "msecond": 1e3}
    totals = {}
    for row in rows:
        if row.get("Metric Name") != "gpu__time_duration.sum":
            continue
        micros = float(row["Metric Value"].replace(",", "")) * scale[row["Metric Unit"]]
        count, total, most = totals.get(row["Kernel Name"], (0, 0.0, 0.0))
        totals[row["Kernel Name"]] = (count + 1, total + micros, max(most, micros))
    print(f"{'kernel':20} {'launches':>8} {'us each':>9} {'us at most':>10} {'us in all':>10}")
    for name, (count, total, most) in sorted(totals.items(), key=lambda item: -item[1][1]):
        print(f"{name[:20]:20} {count:8} {total / count:9.2f} {most:10.2f} {total:10.1f}")


main(sys.argv[1])
