#!/usr/bin/env python3
"""Reference solutions around circular holes in the unit square, as tables of points and values:

    python3 benches/references/holes.py

writes examples/44-laplace-holes/reference.csv and examples/45-reaction-holes/reference.csv. Needs numpy and scipy.

The solution is a sum of functions that solve the equation exactly: multipoles at the centres of the holes, with their odd
mirror images in the walls, and regular functions about the middle for what the first images leave on the walls. The
coefficients are least squares on the boundary. Mirror images: the solution is zero on the walls, continues across them as an
odd function, and is smooth in the corners. By the maximum principle, no error inside is larger than the largest one on the
boundary, which is measured at points between those of the fit and printed, with the change from fewer functions."""

from pathlib import Path

import numpy as np
from scipy.special import ive, kve
from scipy.stats import qmc

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RADIUS = 0.1
CENTRES = [(0.3, 0.3), (0.7, 0.7), (0.7, 0.3), (0.3, 0.7)]
POINTS = 3000


def boundary(wall, ring):
    """Points on the walls, gathered at the corners, and on the holes: hole by hole, then the walls."""
    s = (1 - np.cos(np.pi * (np.arange(wall) + 0.5) / wall)) / 2
    zero, one = np.zeros(wall), np.ones(wall)
    walls = [np.stack(side, 1) for side in [(s, zero), (s, one), (zero, s), (one, s)]]
    angle = 2 * np.pi * (np.arange(ring) + 0.5) / ring
    around = RADIUS * np.stack([np.cos(angle), np.sin(angle)], 1)
    return [np.array(centre) + around for centre in CENTRES], np.concatenate(walls)


def multipoles(points, orders, radial):
    """Multipoles at every centre, less their mirror images in the walls."""
    columns = []
    for centre in CENTRES:
        total = 0
        for x, x_sign in [(points[:, 0], 1), (-points[:, 0], -1), (2 - points[:, 0], -1)]:
            for y, y_sign in [(points[:, 1], 1), (-points[:, 1], -1), (2 - points[:, 1], -1)]:
                offset = (x - centre[0]) + 1j * (y - centre[1])
                total = total + x_sign * y_sign * pole(offset, orders, radial)
        columns.append(total)
    return np.concatenate(columns, 1)


def pole(offset, orders, radial):
    distance, turn = np.abs(offset), offset / np.abs(offset)
    columns = [radial(0, distance)]
    for order in range(1, orders + 1):
        wave = radial(order, distance) * turn**order
        columns += [wave.real, wave.imag]
    return np.stack(columns, 1)


def regular(points, degree, radial):
    offset = (points[:, 0] - 0.5) + 1j * (points[:, 1] - 0.5)
    distance = np.abs(offset)
    turn = np.where(distance > 0, offset / np.where(distance > 0, distance, 1), 1)
    columns = [radial(0, distance)]
    for order in range(1, degree + 1):
        wave = radial(order, distance) * turn**order
        columns += [wave.real, wave.imag]
    return np.stack(columns, 1)


class Laplace:
    """No source: one on two holes, minus one on the others."""

    values = [1, 1, -1, -1]

    @staticmethod
    def outward(order, distance):
        return np.log(distance) if order == 0 else (RADIUS / distance) ** order

    @staticmethod
    def inward(order, distance):
        return (distance / 0.75) ** order

    @staticmethod
    def source(points):
        return np.zeros(len(points))


class Reaction:
    """-laplacian(u) + c*u = f with c = 25 and f = 50 sin(pi x) sin(2 pi y), of which a part of the solution follows."""

    values = [1, 1, 0.2, 0.2]
    root = 5.0

    @staticmethod
    def outward(order, distance):
        scale = kve(order, Reaction.root * RADIUS)
        return kve(order, Reaction.root * distance) / scale * np.exp(-Reaction.root * (distance - RADIUS))

    @staticmethod
    def inward(order, distance):
        scale = ive(order, Reaction.root * 0.75)
        return ive(order, Reaction.root * distance) / scale * np.exp(Reaction.root * (distance - 0.75))

    @staticmethod
    def source(points):
        waves = np.sin(np.pi * points[:, 0]) * np.sin(2 * np.pi * points[:, 1])
        return 50 * waves / (5 * np.pi**2 + Reaction.root**2)


def solve(problem, orders, degree):
    """The solution as a function of points, and its largest error on the boundary."""

    def basis(points):
        far = multipoles(points, orders, problem.outward)
        return np.concatenate([far, regular(points, degree, problem.inward)], 1)

    def wanted(rings, walls):
        values = [np.full(len(ring), value) for ring, value in zip(rings, problem.values)] + [np.zeros(len(walls))]
        points = np.concatenate([*rings, walls])
        return points, np.concatenate(values)

    points, values = wanted(*boundary(8 * degree, 8 * orders))
    coefficients = np.linalg.lstsq(basis(points), values - problem.source(points), rcond=1e-15)[0]

    def solution(points):
        return basis(points) @ coefficients + problem.source(points)

    points, values = wanted(*boundary(11 * degree + 1, 11 * orders + 1))
    return solution, np.abs(solution(points) - values).max()


def inside():
    """Points of a Sobol sequence that lie in the square and in no hole, with six decimals."""
    points = np.round(qmc.Sobol(2, scramble=True, seed=1).random(8192), 6)
    distances = [np.hypot(points[:, 0] - x, points[:, 1] - y) for x, y in CENTRES]
    return points[np.min(distances, 0) > RADIUS][:POINTS]


def main():
    points = inside()
    for problem, folder in [(Laplace, "44-laplace-holes"), (Reaction, "45-reaction-holes")]:
        coarse, coarse_error = solve(problem, 10, 24)
        fine, error = solve(problem, 16, 40)
        values = fine(points)
        change = np.linalg.norm(coarse(points) - values) / np.linalg.norm(values)
        print(f"{folder}: largest error on the boundary {error:.1e} (fewer functions: {coarse_error:.1e}), "
              f"relative change from fewer functions {change:.1e}")
        (EXAMPLES / folder).mkdir(exist_ok=True)
        with open(EXAMPLES / folder / "reference.csv", "w") as file:
            file.write("x,y,u\n")
            file.writelines(f"{x:.6f},{y:.6f},{u:.12f}\n" for (x, y), u in zip(points, values))


if __name__ == "__main__":
    main()
