"""Progress display, and pictures in notebooks."""

from __future__ import annotations

import base64
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from .case import Case
    from .solver import Solver

MOST_POINTS = 4_000_000  # of a case that is built to be looked at
BETWEEN_LINES_S = 0.2


def picture_of(solver: "Solver") -> Optional[bytes]:
    """Returns a PNG of the field, or None on several ranks: drawing is collective, displaying is not."""
    if solver.ranks > 1:
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "u.png"
        solver.picture(file)
        return file.read_bytes()


def picture_of_start(case: "Case") -> str:
    """Returns the initial field as HTML, or nothing if it is large or cannot be created."""
    from .solver import Solver

    count = 1
    for points in case.points:
        count *= points
    if count > MOST_POINTS:
        return ""
    try:
        with Solver(case, device="cpu") as solver:
            png = picture_of(solver)
    except (RuntimeError, ValueError):
        return ""
    return "" if png is None else (
        f"<img src='data:image/png;base64,{base64.b64encode(png).decode()}'>")


class Progress:
    """A line on standard error with the progress of a solver, rewritten in place, also in notebooks."""

    def __init__(self, solver: "Solver", shows: bool) -> None:
        self._solver = solver
        self._shows = shows and solver.rank == 0
        self._next = 0.0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._shows:
            self._draw()
            print(file=sys.stderr, flush=True)

    def update(self) -> None:
        now = time.monotonic()
        if self._shows and now >= self._next:
            self._next = now + BETWEEN_LINES_S
            self._draw()

    def _draw(self) -> None:
        solver = self._solver
        residual = solver.residual
        told = "" if residual is None else f", residual {residual:.3g}"
        error = solver.error
        told += "" if error is None else f", error {error:.2g}"
        print(f"\riteration {solver.iteration} of at most {solver.case.iterations}{told}   ", end="",
              file=sys.stderr, flush=True)
