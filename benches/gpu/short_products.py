"""How wrong JᵀJ is from products of 16-bit halves, and what steps of Gauss-Newton become of it.

Every column of J (Burgers 20×4, on the processor) is scaled by a power of two and split into two half-precision numbers;
three products of their parts are added up in f32, as matrix units do, and those sums in f64 every few rows.  Prints the
largest eigenvalues of the error in multiples of the mean of the diagonal, beside those of J rounded to f32 and multiplied
exactly, and by how much steps of some dampings differ.  Needs JAX; a few minutes."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../peers"))
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

import common
import jax_gauss_newton as peer

POINTS, ITERATIONS, SEEN = 4096, 5, (0, 4)


def short_products(rows, flushed):
    scales = 2.0 ** np.floor(10 - np.log2(np.abs(rows).max(0)))
    scaled = rows * scales
    high = scaled.astype(np.float16)
    low = (scaled - high).astype(np.float16)
    total = np.zeros((rows.shape[1],) * 2)
    for first in range(0, len(rows), flushed):
        part = np.zeros_like(total, dtype=np.float32)
        for start in range(first, min(first + flushed, len(rows)), 16):
            one, other = (plane[start:start + 16].astype(np.float64) for plane in (high, low))
            # Rounded once per instruction.
            for left, right in ((other, one), (one, other), (one, one)):
                part = (part + left.T @ right).astype(np.float32)
        total += part
    return total / scales[:, None] / scales


def main():
    jax.config.update("jax_enable_x64", True)
    data = common.make_data("burgers", POINTS)
    data = [jnp.asarray(data[key]) for key in ("pde", "bnd", "tgt")]
    layers = [(jnp.asarray(w), jnp.asarray(b)) for w, b in common.init_params("burgers", 20, 4)]
    theta, unravel = ravel_pytree(layers)
    residuals, rows = peer.make_rows({"n": POINTS, "variant": "taylor"}, unravel)
    rows, damping = jax.jit(rows), peer.FIRST_DAMPING
    for iteration in range(ITERATIONS):
        here, jacobian = (np.asarray(part) for part in rows(theta, *data))
        normal, slope = jacobian.T @ jacobian, jacobian.T @ here
        mean, one = np.trace(normal) / len(normal), np.eye(len(normal))
        solve = lambda matrix, damping: np.linalg.solve(matrix + damping * mean * one, slope)
        if iteration in SEEN:
            single = jacobian.astype(np.float32).astype(np.float64)
            ends = np.linalg.eigvalsh(single.T @ single - normal)[[0, -1]] / mean
            print(f"iteration {iteration} loss {here @ here:.3e}  J in f32: {ends[0]:.1e} {ends[1]:.1e}")
            for flushed in (64, 256):
                error = short_products(jacobian, flushed) - normal
                ends = np.linalg.eigvalsh(error)[[0, -1]] / mean
                print(f"  sums of {flushed} rows in f32: {ends[0]:.1e} {ends[1]:.1e}")
                for tried in (1e-4, 1e-5, 1e-6, 1e-7):
                    step = solve(normal, tried)
                    differs = np.linalg.norm(solve(normal + error, tried) - step) / np.linalg.norm(step)
                    print(f"    damping {tried:.0e}: the step differs by {differs:.1e}", flush=True)
        for _ in range(10):
            end = theta - solve(normal, damping)
            if np.sum(np.asarray(residuals(end, *data)) ** 2) < here @ here:
                theta, damping = end, damping / peer.FALL
                break
            damping *= peer.RISE


main()
