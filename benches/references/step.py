#!/usr/bin/env python3
"""Flow over a backward-facing step, as a table of points and values:

    python3 benches/references/step.py

writes examples/57-backward-step/reference.csv. Needs numpy, scipy and scikit-fem.

Taylor-Hood elements (velocities of second order, pressure of first) on triangles of a grid whose lines gather at the corner that points
inwards, where first derivatives and the pressure are infinite, and at the ends of the outflow. Newton's method from rest. The outflow is
the natural condition of the weak form: nu du/dx = p, dv/dx = 0. The changes from a grid to one with every cell cut into four are printed."""

from pathlib import Path

import numpy as np
from scipy.sparse import bmat
from scipy.sparse.linalg import splu
from scipy.stats import qmc
from skfem import Basis, BilinearForm, ElementTriP1, ElementTriP2, ElementVector, LinearForm, MeshTri
from skfem.helpers import ddot, div, dot, grad, mul

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "57-backward-step"
VISCOSITY = 0.01
CORNER = (2.0, 1.0)
POINTS = 3000
CELLS = [16, 32, 64]  # along each of four stretches of the channel


def towards(start, end, cells, grading):
    """Grid lines from `start` to `end` that gather at `start`: the k-th is the grading-th power of k/cells away."""
    return start + (end - start) * (np.arange(cells + 1) / cells) ** grading


def mesh(cells, strong=3.5, weak=2.0):
    """Triangles of the channel. Twice as many cells have all the lines of half as many, and one more between any two."""
    half = cells // 2
    after = [towards(2, 3, half, strong)[1:], towards(4, 3, half, weak)[-2::-1]]
    across = np.concatenate([towards(2, 0, cells, strong)[::-1], *after])
    below = [towards(0, 0.5, half, weak)[:-1], towards(1, 0.5, half, strong)[::-1]]
    above = [towards(1, 1.5, half, strong)[1:], towards(2, 1.5, half, weak)[-2::-1]]
    grid = MeshTri.init_tensor(across, np.concatenate([*below, *above]))
    middle = grid.p[:, grid.t].mean(1)
    return grid.remove_elements(np.flatnonzero((middle[0] < CORNER[0]) & (middle[1] > CORNER[1])))


def solve(grid):
    """Velocity and pressure at points, as a function."""
    velocity = Basis(grid, ElementVector(ElementTriP2()), intorder=6)
    pressure = velocity.with_element(ElementTriP1())
    diffusion = BilinearForm(lambda u, v, w: VISCOSITY * ddot(grad(u), grad(v))).assemble(velocity)
    mass = BilinearForm(lambda u, q, w: -div(u) * q).assemble(velocity, pressure)

    @BilinearForm
    def carried(u, v, w):
        return dot(mul(grad(w["flow"]), u) + mul(grad(u), w["flow"]), v)

    @LinearForm
    def carries(v, w):
        return dot(mul(grad(w["flow"]), w["flow"]), v)

    places = velocity.doflocs
    sideways = np.isin(np.arange(velocity.N), velocity.split_indices()[0])
    edge = velocity.get_dofs(grid.boundary_facets()).flatten()
    open_end = (places[0, edge] > 4 - 1e-12) & (np.abs(places[1, edge] - 1) < 1 - 1e-12)
    known = edge[~open_end]
    u = velocity.zeros()
    inflow = known[(places[0, known] < 1e-12) & sideways[known]]
    u[inflow] = 4 * places[1, inflow] * (1 - places[1, inflow])
    p = pressure.zeros()
    free = np.concatenate([np.setdiff1d(np.arange(velocity.N), known), velocity.N + np.arange(pressure.N)])
    for step in range(20):
        flow = {"flow": velocity.interpolate(u)}
        residual = np.concatenate([diffusion @ u + carries.assemble(velocity, **flow) + mass.T @ p, mass @ u])
        slope = bmat([[diffusion + carried.assemble(velocity, **flow), mass.T], [mass, None]], "csc")
        change = splu(slope[free][:, free].tocsc()).solve(-residual[free])
        full = np.zeros(velocity.N + pressure.N)
        full[free] = change
        u, p = u + full[: velocity.N], p + full[velocity.N :]
        if np.abs(full[: velocity.N]).max() < 1e-8:  # The next change would be its square.
            break
    else:
        raise RuntimeError("Newton's method did not converge")

    def solution(points):
        both = velocity.probes(points.T) @ u
        return np.concatenate([both.reshape(2, -1), [pressure.probes(points.T) @ p]]).T

    return solution


def inside():
    """Points of a Sobol sequence that lie in the channel, off its edge, with six decimals."""
    points = np.round(qmc.Sobol(2, scramble=True, seed=1).random(8192) * [4, 2], 6)
    margin = 1e-5
    x, y = points.T
    within = (x > margin) & (x < 4 - margin) & (y > margin) & (y < 2 - margin)
    return points[within & ((x > 2 + margin) | (y < 1 - margin))][:POINTS]


def main():
    points = inside()
    found = [solve(mesh(cells))(points) for cells in CELLS]
    for cells, one, other in zip(CELLS[1:], found, found[1:]):
        relative = np.linalg.norm(one - other, axis=0) / np.linalg.norm(other, axis=0)
        changes = ", ".join(f"{name} {change:.1e}" for name, change in zip("uvp", relative))
        print(f"{cells // 2} to {cells} cells: relative changes {changes}; at most {np.abs(one - other).max():.1e}")
    EXAMPLE.mkdir(exist_ok=True)
    with open(EXAMPLE / "reference.csv", "w") as file:
        file.write("x,y,u,v,p\n")
        rows = zip(points, found[-1])
        file.writelines(f"{x:.6f},{y:.6f},{u:.8f},{v:.8f},{p:.8f}\n" for (x, y), (u, v, p) in rows)


if __name__ == "__main__":
    main()
