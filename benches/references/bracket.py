#!/usr/bin/env python3
"""A bracket as triangles, and heat that flows through it, as a table of points and values:

    python3 benches/references/bracket.py

writes examples/54-heat-bracket/bracket.stl and examples/54-heat-bracket/reference.csv. Needs numpy, scipy and scikit-fem.

The bracket is an L with a fillet and a hole of 24 corners through it, as thick everywhere. Its front and back are insulated, and what is
prescribed on its ends is a constant and a cosine over the thickness. So the solution is w0 + w1 cos(pi z/h), and the two
functions of the plane solve Δw0 = 0 and Δw1 = (pi/h)² w1: finite elements of second order on triangles that become smaller
towards the corners that point inwards. The change from half as many refinements and twice the size of triangles is printed."""

from pathlib import Path

import numpy as np
from scipy.spatial import Delaunay
from scipy.stats import qmc
from skfem import Basis, BilinearForm, ElementTriP2, MeshTri, condense, solve
from skfem.helpers import dot, grad

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "54-heat-bracket"
FILLET = 0.2
TURN = 1.5 * np.pi - 0.5 * np.pi * np.arange(13) / 12
PROFILE = np.array(
    [(0, 0), (1, 0), (1, 0.4), *zip(0.6 + FILLET * np.cos(TURN), 0.6 + FILLET * np.sin(TURN)), (0.4, 1), (0, 1)], float
)
CENTRE, RADIUS, SIDES = np.array([0.7, 0.2]), 0.1, 24
THICKNESS, WAVE = 0.3, 0.3
POINTS = 3000
MILLIMETRES = 100  # per unit of the problem, which is a decimetre


def ring():
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    return CENTRE + RADIUS * np.stack([np.cos(angle), np.sin(angle)], 1)


def divided(corners, size):
    """Points along a closed line, no further apart than `size`."""
    points = []
    for start, end in zip(corners, np.roll(corners, -1, 0)):
        count = max(1, int(np.ceil(np.linalg.norm(end - start) / size - 1e-9)))
        points.append(start + (end - start) * (np.arange(count) / count)[:, None])
    return np.concatenate(points)


def inside(points, corners):
    """Which points lie within a closed line: how often a ray to the right passes it."""
    found = np.zeros(len(points), bool)
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, 0)):
        crosses = (y0 > points[:, 1]) != (y1 > points[:, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            found ^= crosses & (points[:, 0] < x0 + (points[:, 1] - y0) / (y1 - y0) * (x1 - x0))
    return found


def triangles(size):
    """Points and triangles of the profile without the hole."""
    edge = np.concatenate([divided(PROFILE, size), divided(ring(), size)])
    across = np.arange(size, 1, size)
    grid = np.stack(np.meshgrid(across, across), -1).reshape(-1, 2)
    grid[:, 0] += size / 4 * np.where(np.round(grid[:, 1] / size) % 2 == 0, 1, -1)
    far = np.min(np.linalg.norm(grid[:, None] - edge[None], axis=2), axis=1) > 0.6 * size
    points = np.concatenate([edge, grid[far & inside(grid, PROFILE) & ~inside(grid, ring())]])
    cells = Delaunay(points).simplices
    middle = points[cells].mean(1)
    return points, cells[inside(middle, PROFILE) & ~inside(middle, ring())]


def mesh(size, refinements):
    points, cells = triangles(size)
    found = MeshTri(np.ascontiguousarray(points.T), np.ascontiguousarray(cells.T))
    corners = np.concatenate([PROFILE[3:-2], ring()])
    for step in range(refinements):
        middle = found.p[:, found.t].mean(1).T
        near = np.min(np.linalg.norm(middle[:, None] - corners[None], axis=2), axis=1) < size * 2.0**-step
        found = found.refined(np.flatnonzero(near))
    return found


@BilinearForm
def stiffness(u, v, w):
    return dot(grad(u), grad(v)) + w.square * u * v


def solution(size, refinements):
    basis = Basis(mesh(size, refinements), ElementTriP2())
    hot = basis.get_dofs(lambda x: np.isclose(x[0], 1)).flatten()
    cold = basis.get_dofs(lambda x: np.isclose(x[1], 1)).flatten()
    parts = []
    for square, height in [(0.0, 1.0), ((np.pi / THICKNESS) ** 2, WAVE)]:
        values = basis.zeros()
        values[hot] = height
        matrix = stiffness.assemble(basis, square=square)
        parts.append(solve(*condense(matrix, x=values, D=np.concatenate([hot, cold]))))
    return basis, parts


def at(found, points):
    basis, (constant, wave) = found
    flat = np.ascontiguousarray(points[:, :2].T)
    return basis.interpolator(constant)(flat) + basis.interpolator(wave)(flat) * np.cos(np.pi * points[:, 2] / THICKNESS)


def write_stl(path):
    points, cells = triangles(0.25)
    corners = [points[cell] for cell in cells]
    edges = {}
    for number, (a, b, c) in enumerate(corners):
        if (b - a)[0] * (c - a)[1] < (b - a)[1] * (c - a)[0]:
            corners[number] = np.array([a, c, b])
            cells[number] = cells[number][[0, 2, 1]]
    for a, b, c in cells:
        for pair in [(a, b), (b, c), (c, a)]:
            edges[pair] = True
    facets = []
    raised = lambda point, z: (*(MILLIMETRES * point), MILLIMETRES * z)
    for a, b, c in corners:
        facets.append([raised(a, THICKNESS), raised(b, THICKNESS), raised(c, THICKNESS)])
        facets.append([raised(a, 0), raised(c, 0), raised(b, 0)])
    for a, b in edges:
        if (b, a) not in edges:
            low, high = points[a], points[b]
            facets.append([raised(low, 0), raised(high, 0), raised(high, THICKNESS)])
            facets.append([raised(low, 0), raised(high, THICKNESS), raised(low, THICKNESS)])
    with path.open("w") as file:
        file.write("solid bracket, in millimetres\n")
        for facet in facets:
            file.write("facet normal 0 0 0\nouter loop\n")
            for corner in facet:
                file.write("vertex " + " ".join(f"{value:.9g}" for value in corner) + "\n")
            file.write("endloop\nendfacet\n")
        file.write("endsolid bracket\n")
    print(f"{path.name}: {len(facets)} triangles")


def main():
    EXAMPLE.mkdir(exist_ok=True)
    write_stl(EXAMPLE / "bracket.stl")
    drawn = qmc.Sobol(3, seed=0).random(16384) * [1, 1, THICKNESS]
    drawn = drawn[inside(drawn[:, :2], PROFILE) & ~inside(drawn[:, :2], ring())][:POINTS]
    fine, coarse = solution(0.0125, 14), solution(0.025, 7)
    values = at(fine, drawn)
    change = at(coarse, drawn) - values
    print(f"largest change {np.abs(change).max():.1e}, relative L2 {np.linalg.norm(change) / np.linalg.norm(values):.1e}")
    with (EXAMPLE / "reference.csv").open("w") as file:
        file.write("# made by benches/references/bracket.py\nx,y,z,u\n")
        for (x, y, z), value in zip(drawn, values):
            file.write(f"{x:.9f},{y:.9f},{z:.9f},{value:.9f}\n")


if __name__ == "__main__":
    main()
