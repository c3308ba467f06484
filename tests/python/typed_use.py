"""A program that uses all of the package with its types; test_types.py has mypy check it."""

from pathlib import Path

import numpy as np

import isotherm

case: isotherm.Case = isotherm.Case(
    "case.toml", method={"tolerance": 1e-8}, equation={"source": lambda x, y: np.sin(x) * y})
shape: tuple[int, ...] = case.replace(grid={"points": [5, 5]}).shape


def ends(solver: isotherm.Solver) -> bool:
    residual, error = solver.residual, solver.error
    return residual is not None and residual < 1e-3 or error is not None and error < 1e-4


with isotherm.Solver(case, device="cpu") as solver:
    steps: int = solver.advance(10)
    result: isotherm.Result = solver.solve(ends, until={"time": 1.0, "tolerance": 1e-3})
    solver.solve(until=0.5)
    solver.solve(until=ends, progress=True)
    copied: np.ndarray = solver.values()
    solver.write(Path("u.vtkhdf"))
    converged: bool = solver.converged

mean = float(isotherm.run(case, until=ends).u.mean())
data = isotherm.open("results")
names: list[str] = [str(name) for name in data.data_vars]
