"""Solves the Laplace, Poisson and diffusion equations on regular grids.

    case = isotherm.Case("case.toml")
    result = isotherm.run(case)          # a Result, with the field as an array: result.u
    solver = isotherm.Solver(case)       # step by step
    data = isotherm.open("results/case") # the results of a run, as an xarray Dataset
    rows = isotherm.sweep(case, over={"equation.diffusivity": [0.1, 0.2]}) # all combinations

Arrays have the axes (z, y, x), or (y, x) in 2D, as in the files. A mistake in a case raises ValueError with
the message that the program prints. A run that fails raises RuntimeError.
"""

import os as _os


def _limit_spinning() -> None:
    """Loads the library so that threads spin only briefly while they wait for each other, as in the program.

    GNU's OpenMP library reads the variable once, when it is loaded. If another package has loaded it
    before, that package's setting applies. The environment is unchanged afterwards.
    """
    if "GOMP_SPINCOUNT" in _os.environ or "OMP_WAIT_POLICY" in _os.environ:
        from . import _core  # noqa: F401
        return
    _os.environ["GOMP_SPINCOUNT"] = "5000"
    try:
        from . import _core  # noqa: F401
    finally:
        del _os.environ["GOMP_SPINCOUNT"]


_limit_spinning()

from ._core import version as __version__  # noqa: E402
from .case import Case  # noqa: E402
from .result import Result  # noqa: E402
from .series import open_directory  # noqa: E402
from .solver import Solver, run  # noqa: E402
from .sweeps import sweep  # noqa: E402

open = open_directory  # noqa: A001: isotherm.open, as xarray and h5py have theirs

__all__ = ["Case", "Result", "Solver", "__version__", "open", "run", "sweep"]
