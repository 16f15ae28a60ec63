#!/usr/bin/env python3
"""The reference solution around two balls in the unit cube, as a table of points and values:

    python3 benches/references/balls.py

writes examples/46-laplace-balls/reference.csv. Needs numpy and scipy.

As in holes.py: multipoles at the centres of the balls with their odd mirror images in the walls, harmonic polynomials about
the middle for what images further away would do, coefficients by least squares on the boundary. By the maximum principle, no
error inside is larger than the largest one on the boundary, which is measured at other points than those of the fit. Two
symmetries leave a quarter of the functions and of the boundary: z and 1 - z, and a half turn that exchanges the balls."""

import math
from pathlib import Path

import numpy as np
from scipy.special import lpmv
from scipy.stats import qmc

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RADIUS = 0.15
CENTRE = np.array([0.3, 0.35, 0.5])  # of the ball at 1; that at -1 is a half turn away
# Images of a coordinate in the walls, up to two reflections, and their signs.
IMAGES = [(1, 0, 1), (-1, 0, -1), (-1, 2, -1), (1, 2, 1), (1, -2, 1)]
POINTS = 2500


def half_turn(points):
    return points * [-1, -1, 1] + [1, 1, 0]


def harmonics(offset, degree, inward):
    """Solid harmonics up to a degree that are even along z, and change their sign with a half turn where they are about the
    middle; of size one at the distance where they are largest."""
    distance = np.linalg.norm(offset, axis=1)
    cosine = offset[:, 2] / distance
    angle = np.arctan2(offset[:, 1], offset[:, 0])
    columns = []
    for order in range(degree + 1):
        radial = (distance / 0.9) ** order if inward else (RADIUS / distance) ** (order + 1)
        for turn in range(order % 2, order + 1, 2):
            if inward and turn % 2 == 0:
                continue
            scale = math.sqrt(math.factorial(order - turn) / math.factorial(order + turn))
            value = scale * radial * lpmv(turn, order, cosine)
            columns.append(value * np.cos(turn * angle))
            if turn:
                columns.append(value * np.sin(turn * angle))
    return np.stack(columns, 1)


def basis(points, orders, degree):
    total = 0
    for image in np.ndindex(len(IMAGES), len(IMAGES), len(IMAGES)):
        factors, shifts, signs = (np.array(numbers) for numbers in zip(*(IMAGES[which] for which in image)))
        for own, sign in [(points, 1), (half_turn(points), -1)]:
            total = total + sign * signs.prod() * harmonics(own * factors + shifts - CENTRE, orders, False)
    return np.concatenate([total, harmonics(points - 0.5 + 1e-12, degree, True)], 1)


def boundary(wall, ball, seed):
    """Points on a ball and on the walls with what is prescribed there: all that symmetry leaves."""
    index = np.arange(ball) + 0.5
    height, angle = 1 - 2 * index / ball, np.pi * (1 + 5**0.5) * index + seed
    flat = np.sqrt(1 - height**2)
    around = RADIUS * np.stack([flat * np.cos(angle), flat * np.sin(angle), height], 1)
    s = (1 - np.cos(np.pi * (np.arange(wall) + 0.5) / wall)) / 2
    grid = np.stack([axis.ravel() for axis in np.meshgrid(s, s)], 1)
    walls = np.concatenate([np.insert(grid, axis, level, axis=1) for axis in range(3) for level in (0.0, 1.0)])
    points = np.concatenate([around + CENTRE, walls])
    values = np.concatenate([np.ones(ball), np.zeros(len(walls))])
    left = (points[:, 2] <= 0.5) & ((points[:, 0] + points[:, 1] <= 1) | (values == 1))
    return points[left], values[left]


def solve(orders, degree):
    """The solution as a function of points, and its largest error on the boundary."""
    points, values = boundary(2 * degree, 6 * (orders + 1) ** 2, 0)
    coefficients = np.linalg.lstsq(basis(points, orders, degree), values, rcond=1e-14)[0]

    def solution(points):
        return basis(points, orders, degree) @ coefficients

    points, values = boundary(2 * degree + 5, 7 * (orders + 1) ** 2, 1)
    return solution, np.abs(solution(points) - values).max()


def main():
    points = np.round(qmc.Sobol(3, scramble=True, seed=1).random(4096), 5)
    gaps = [np.linalg.norm(own - CENTRE, axis=1) - RADIUS for own in (points, half_turn(points))]
    points = points[np.min(gaps, 0) > 0][:POINTS]
    coarse, coarse_error = solve(12, 16)
    fine, error = solve(18, 22)
    values = fine(points)
    change = np.linalg.norm(coarse(points) - values) / np.linalg.norm(values)
    print(f"largest error on the boundary {error:.1e} (fewer functions: {coarse_error:.1e}), "
          f"relative change from fewer functions {change:.1e}")
    folder = EXAMPLES / "46-laplace-balls"
    folder.mkdir(exist_ok=True)
    with open(folder / "reference.csv", "w") as file:
        file.write("x,y,z,phi\n")
        file.writelines(f"{x:.5f},{y:.5f},{z:.5f},{value:.10f}\n" for (x, y, z), value in zip(points, values))


if __name__ == "__main__":
    main()
