"""Milliseconds of a Cholesky factor in f64 by cuSOLVER, through PyTorch: one matrix, and two at once. For comparison with
ours, which takes two at once."""
import json

import torch

torch.backends.cuda.preferred_linalg_library("cusolver")
for size in (1341, 3393, 5121):
    for batch in (1, 2):
        rows = torch.randn(batch, size, 2 * size, dtype=torch.float64, device="cuda")
        matrix = rows @ rows.mT
        times = []
        for _ in range(30):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            torch.linalg.cholesky_ex(matrix)
            end.record()
            end.synchronize()
            times.append(start.elapsed_time(end))
        print(json.dumps({"cholesky": "cusolver", "size": size, "batch": batch, "median_ms": sorted(times)[15]}))
