"""Peer 6: JAX, damped Gauss-Newton (Levenberg-Marquardt) on dense normal equations, fp64, one iteration under jit.

One iteration = Jacobian of all rows, JᵀJ, Cholesky factor of JᵀJ + damping, step, loss there; a step that does not
lower the loss is not taken.  The damping begins at 1e-2 of the mean of the diagonal, falls by 3 after a step and
rises by 4 otherwise.

nested     residuals by forward-over-reverse, rows of J by vmap(grad) over the points: what one writes first
taylor     residuals by a hand-written forward propagation, rows of J by vmap(grad)
jacfwd     residuals as in nested, J by jax.jacfwd of all rows at once (a column per parameter)
"""
import numpy as np
import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree

import common as C
import jax_common as J
from jax_taylor import taylor

FIRST_DAMPING, FALL, RISE = 1e-2, 3.0, 4.0


def net(params, x):
    for w, b in params[:-1]:
        x = jnp.tanh(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def by_taylor(params, x):
    u, d1, d2 = taylor(params, x[None], (0, 1), (1,), None, jnp.matmul)
    return C.residual_terms("burgers", u, d1, d2)[0][0]


def by_nesting(params, x):
    slopes = jax.value_and_grad(lambda y: net(params, y)[0])
    (u, d1), (_, along_x) = jax.jvp(slopes, (x,), (jnp.array([0.0, 1.0]),))
    d1, d2 = {i: d1[i][None, None] for i in (0, 1)}, {1: along_x[1][None, None]}
    return C.residual_terms("burgers", u[None, None], d1, d2)[0][0]


def make_rows(cfg, unravel):
    """(residuals, Jacobian) of all rows, each divided by the root of its number of points."""
    inside = by_taylor if cfg["variant"] == "taylor" else by_nesting
    here = lambda theta, x: inside(unravel(theta), x)
    there = lambda theta, x, target: net(unravel(theta), x)[0] - target[0]
    scale = [1 / np.sqrt(cfg["n"]), 1 / np.sqrt(C.N_IC), 1 / np.sqrt(C.N_BC)]
    scale = np.repeat(scale, [cfg["n"], C.N_IC, C.N_BC])

    def residuals(theta, pde, bnd, tgt):
        r = jnp.concatenate([jax.vmap(here, (None, 0))(theta, pde),
                             jax.vmap(there, (None, 0, 0))(theta, bnd, tgt)])
        return scale * r

    def rows(theta, pde, bnd, tgt):
        r1, j1 = jax.vmap(jax.value_and_grad(here), (None, 0))(theta, pde)
        r2, j2 = jax.vmap(jax.value_and_grad(there), (None, 0, 0))(theta, bnd, tgt)
        return scale * jnp.concatenate([r1, r2]), scale[:, None] * jnp.concatenate([j1, j2])

    def columns(theta, *data):
        return residuals(theta, *data), jax.jacfwd(residuals)(theta, *data)

    return residuals, columns if cfg["variant"] == "jacfwd" else rows


def run(cfg):
    if cfg["problem"] != "burgers" or cfg["dtype"] != "fp64":
        raise ValueError("this peer knows burgers in fp64")
    jax.config.update("jax_enable_x64", True)
    device = jax.devices("gpu" if cfg["device"] == "cuda" else "cpu")[0]
    jax.config.update("jax_default_device", device)
    before = C.rss_reset()
    d = C.make_data(cfg["problem"], cfg["n"])
    data = tuple(jnp.asarray(d[k]) for k in ("pde", "bnd", "tgt"))
    params = [(jnp.asarray(w), jnp.asarray(b)) for w, b in C.init_params("burgers", cfg["width"], cfg["depth"])]
    theta, unravel = ravel_pytree(params)
    residuals, rows = make_rows(cfg, unravel)

    def one(theta, damping, pde, bnd, tgt):
        r, jacobian = rows(theta, pde, bnd, tgt)
        normal, slope = jacobian.T @ jacobian, jacobian.T @ r
        mean = jnp.trace(normal) / theta.size
        factor = jax.scipy.linalg.cho_factor(normal + damping * mean * jnp.eye(theta.size))
        trial = theta - jax.scipy.linalg.cho_solve(factor, slope)
        loss, after = r @ r, jnp.sum(residuals(trial, pde, bnd, tgt) ** 2)
        good = after < loss
        damping = jnp.where(good, damping / FALL, damping * RISE)
        return jnp.where(good, trial, theta), damping, loss, 2 * jnp.linalg.norm(slope)

    jitted = jax.jit(one)
    state = [theta, jnp.asarray(FIRST_DAMPING)]
    box = {}

    def step():
        *state[:], box["loss"], box["norm"] = jitted(*state, *data)
        return box["loss"]

    rec = C.time_steps(cfg, step, lambda: jax.block_until_ready(state[0]), lambda: float(box["norm"]))
    rec["parameters"] = int(theta.size)
    rec["peak_mem_bytes"], rec["peak_mem_kind"] = max(0, C.rss_read() - before), "peak RSS growth during config"
    return rec


if __name__ == "__main__":
    raise SystemExit(C.main("jax_gauss_newton", __doc__, ["nested", "taylor", "jacfwd"], run, J.versions))
