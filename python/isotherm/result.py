"""The result of a run."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

if TYPE_CHECKING:
    from .case import Case
    from .solver import Solver


RESIDUAL = np.dtype([("iteration", np.int64), ("time", np.float64), ("residual", np.float64), ("error", np.float64)])


def last_error(residuals: np.ndarray) -> Optional[float]:
    """The estimated error that belongs to the last residual, if there is one."""
    known = len(residuals) > 0 and not np.isnan(residuals["error"][-1])
    return float(residuals["error"][-1]) if known else None


def _read_residuals(file: Path) -> np.ndarray:
    """Reads residuals.csv. Tables of older versions have no column for the error."""
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    residuals = np.zeros(len(lines), dtype=RESIDUAL)
    for row, line in zip(residuals, lines):
        iteration, time, residual, _relative, error = (line.split(",") + [""])[:5]
        row["iteration"], row["time"], row["residual"] = int(iteration), float(time or "nan"), float(residual)
        row["error"] = float(error or "nan")
    return residuals


def _last_quantities(file: Path) -> dict[str, float]:
    """The last row of quantities.csv, without iteration and time; empty if the run has no such table."""
    if not file.is_file():
        return {}
    lines = file.read_text(encoding="utf-8").splitlines()
    row = dict(zip(lines[0].split(","), lines[-1].split(",")))
    return {name: float(text) for name, text in row.items() if name not in ("iteration", "time")}


class Result:
    """u: the field, of shape (z, y, x) or (y, x); this rank's part if the run was in memory on several ranks.
    residuals: a structured array with iteration, time, residual and error, the estimated error of the field
    relative to the range of its values; NaN if there is no estimate.
    error: the last estimate; None if there is none.
    converged: whether the field meets the case's tolerance; None if the case has none.
    floating: the floating conductors by name, each with "value", "flux" and "given_flux".
    quantities: what [output] quantities of the case names, of the final field, such as "max" or "flux_x_lower".
    mean_flux, effective_conductivity: of a periodic cell with a mean gradient, by axes ("x", "y", "z"), as those
    of Solver; empty if there is none.
    stop: where the criterion [method] stop ended the run: "criterion", "iteration", "time_s" and "value"; None if
    none did.
    iterations, time (of the field), seconds (for solving), directory (None if nothing was written).

    A result can be pickled and deep-copied, so it can come from another process. The copy has
    its own values as a NumPy array. If the run wrote to a directory, the copy reads them there.
    """

    def __init__(self, title: str, iterations: int, time: float, converged: Optional[bool],
                 residuals: np.ndarray, seconds: float, directory: Optional[Path] = None,
                 solver: Optional["Solver"] = None,
                 floating: Optional[dict[str, dict[str, float]]] = None,
                 stop: Optional[dict[str, Any]] = None, quantities: Optional[dict[str, float]] = None,
                 mean_flux: Optional[dict[str, float]] = None,
                 effective_conductivity: Optional[dict[str, float]] = None) -> None:
        self.title = title
        self.iterations = iterations
        self.time = time
        self.converged = converged
        self.residuals = residuals
        self.seconds = seconds
        self.directory = directory
        self.solver = solver
        self.floating = floating or {}
        self.stop = stop
        self.quantities = quantities or {}
        self.mean_flux = mean_flux or {}
        self.effective_conductivity = effective_conductivity or {}
        self._u: Any = None

    @classmethod
    def of_solver(cls, solver: "Solver") -> "Result":
        return cls(solver.case.title, solver.iteration, solver.time,
                   solver.converged if solver.case._has_tolerance() else None, solver.residuals, solver._core.seconds,
                   solver=solver, floating=solver.floating, stop=solver.stop, quantities=solver.quantities,
                   mean_flux=solver.mean_flux, effective_conductivity=solver.effective_conductivity)

    @classmethod
    def of_directory(cls, directory: Path, solved: "Case") -> "Result":
        summary = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
        result, case = summary["result"], summary["case"]
        residuals = _read_residuals(directory / "residuals.csv")
        return cls(case["title"], result["iterations"], result["time_s"] or 0.0,
                   result["converged"] if solved._has_tolerance() else None, residuals,
                   (summary.get("performance") or {}).get("solve_s", 0.0), directory,
                   floating=result.get("floating"), stop=result.get("stop"),
                   quantities=_last_quantities(directory / "quantities.csv"), mean_flux=result.get("mean_flux"),
                   effective_conductivity=result.get("effective_conductivity"))

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__ | {"solver": None}
        if self.solver is not None and not self.solver.closed:
            state["_u"] = self.solver.values()
        elif isinstance(self._u, np.ndarray):
            state["_u"] = self._u.copy()
        elif self._u is not None or self.directory is None:
            raise ValueError("the solver of this result was closed before the result had a copy of its values: "
                             "copy or pickle a result before you close its solver")
        return state

    @property
    def error(self) -> Optional[float]:
        """The estimated error of the field, relative to the range of its values, if the tolerance bounds it;
        None if there is no estimate."""
        return last_error(self.residuals)

    @property
    def u(self) -> Any:
        """The field, like Solver.u: without a copy, in the memory of the solver's device. It is read from its
        file if the run wrote to a directory. After the solver is closed, it exists only if read before."""
        if self._u is None:
            self._u = self.solver.u if self.solver is not None else self.data.u[-1].values
        return self._u

    @property
    def data(self) -> Any:
        """The files of the run, as isotherm.open() returns them."""
        from .series import open_directory

        if self.directory is None:
            raise ValueError("the run wrote no files: call run() with directory=")
        return open_directory(self.directory)

    def _picture(self) -> Optional[bytes]:
        from .notebook import picture_of

        if self.solver is not None:
            return None if self.solver.closed else picture_of(self.solver)
        drawn = (self.directory or Path()) / "u.png"
        return drawn.read_bytes() if drawn.is_file() else None

    def _said(self) -> str:
        end = {True: ", converged", False: ", not converged", None: ""}[self.converged]
        last = f", residual {self.residuals['residual'][-1]:.3g}" if len(self.residuals) else ""
        error = "" if self.error is None else f", error {self.error:.2g}"
        return f"{self.iterations} iterations in {self.seconds:.3g} s{end}{last}{error}"

    def __repr__(self) -> str:
        return f"<isotherm.Result {self.title!r}: {self._said()}>"

    def _repr_html_(self) -> str:
        picture = self._picture()
        shown = "" if picture is None else (
            f"<br><img src='data:image/png;base64,{base64.b64encode(picture).decode()}'>")
        return f"<b>{html.escape(self.title)}</b>: {html.escape(self._said())}{shown}"
