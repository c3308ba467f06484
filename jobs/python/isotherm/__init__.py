"""Solves the Laplace, Poisson and diffusion equations on regular grids.

    case = isotherm.Case("case.toml")
    result = isotherm.run(case)          # a Result, with the field as an array: result.u
    solver = isotherm.Solver(case)       # step by step
    data = isotherm.open("results/case") # what a run has written, as an xarray Dataset

Arrays have the axes (z, y, x), or (y, x) in 2D, as in the files. Mistakes in a case are ValueErrors with
the line that the program prints; a run that fails is a RuntimeError.
"""

from ._core import __version__
from .case import Case
from .result import Result
from .series import open_directory
from .solver import Solver, run

open = open_directory  # noqa: A001: isotherm.open, as xarray and h5py have theirs

__all__ = ["Case", "Result", "Solver", "__version__", "open", "run"]
