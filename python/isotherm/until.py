"""Conditions at which a solver stops before the end of its case."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

if TYPE_CHECKING:
    from .solver import Solver

Condition = Union[float, Mapping[str, float], Callable[["Solver"], Any], None]
KEYS = ("time", "iteration", "tolerance", "residual")


class Until:
    """A condition, as Solver.solve(until=...) takes it.

    The solver stops exactly at an iteration, and for a time at the end of the time step that reaches it.
    Tolerances, residuals and functions are evaluated after each check of the case.
    """

    def __init__(self, condition: Condition, solver: "Solver") -> None:
        self._function: Optional[Callable[["Solver"], Any]] = condition if callable(condition) else None
        bounds = _bounds(condition)
        self._time = bounds.get("time")
        self._iteration = bounds.get("iteration")
        self._tolerance = bounds.get("tolerance")
        self._residual = bounds.get("residual")
        self._step = solver.case.time_step
        if self._time is not None and self._step <= 0.0:
            raise ValueError(f"solve(until=...): the method {solver.case.method} does not advance time "
                             "(needs an iteration, a tolerance, a residual or a function)")

    @property
    def looks(self) -> bool:
        """Whether the condition is evaluated after each check."""
        return self._function is not None or self._tolerance is not None or self._residual is not None

    def limited(self, target: int, solver: "Solver") -> int:
        """Returns the iteration to advance to: `target`, or the one at which the time or the number is reached."""
        if self._iteration is not None:
            target = min(target, int(self._iteration))
        if self._time is not None:
            steps = math.ceil((self._time - solver.time) / self._step * (1.0 - 1e-12))
            target = min(target, solver.iteration + max(steps, 0))
        return max(target, solver.iteration)

    def reached(self, solver: "Solver") -> bool:
        """Whether the time or the number of iterations is reached."""
        slack = 1e-9 * self._step
        return ((self._iteration is not None and solver.iteration >= self._iteration)
                or (self._time is not None and solver.time >= self._time - slack))

    def holds(self, solver: "Solver") -> bool:
        """Whether the condition that is evaluated after a check holds on this rank."""
        error, residual = solver.error, solver.residual
        return ((self._tolerance is not None and error is not None and error <= self._tolerance)
                or (self._residual is not None and residual is not None and residual <= self._residual)
                or (self._function is not None and bool(self._function(solver))))


def _bounds(condition: Condition) -> dict[str, float]:
    if condition is None or callable(condition):
        return {}
    bounds = dict(condition) if isinstance(condition, Mapping) else {"time": condition}
    if not bounds:
        raise ValueError(f"solve(until={{}}): the condition is empty (needs some of {', '.join(KEYS)})")
    for key, value in bounds.items():
        if key not in KEYS:
            raise ValueError(f"solve(until=...): {key!r} is not a condition (needs some of {', '.join(KEYS)})")
        try:
            bounds[key] = float(value)
        except (TypeError, ValueError):
            raise ValueError(f"solve(until=...): {key} is {value!r} (needs a number)") from None
        if not math.isfinite(bounds[key]):
            raise ValueError(f"solve(until=...): {key} is {value!r} (needs a finite number)")
    return bounds
