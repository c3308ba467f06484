"""Arrays and functions that replace values of a case file."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

if TYPE_CHECKING:
    from .case import Case

Box = Sequence[int]
AXES = "xyz"


class Given:
    """An array, or a function of arrays."""

    def __init__(self, value: Union[np.ndarray, Callable[..., Any]]) -> None:
        self._value = value
        self._takes = _parameters(value) if callable(value) else ()

    @property
    def varies_in_time(self) -> bool:
        return "t" in self._takes

    def describe(self) -> str:
        if callable(self._value):
            return f"a function of {', '.join(self._takes)}"
        return f"an array of shape {self._value.shape}"

    def stand_in(self, section: str) -> float:
        """Placeholder in the case's text. Not 0 if that would mean that there is no such term."""
        return 1.0 if section == "equation" else 0.0

    def values_on(self, case: "Case", key: str) -> tuple[Callable[..., np.ndarray], bool]:
        """Returns the function (time, lower, upper) that the solver calls for the values of a box."""
        if callable(self._value):
            return self._function_on(self._value, case, key), self.varies_in_time
        return self._array_on(self._value, case, key), False

    def _function_on(self, function: Callable[..., Any], case: "Case", key: str) -> Callable[..., np.ndarray]:
        names = [*AXES[: len(case.points)], "t"]
        _require_known(self._takes, names, key)

        def values(time: float, lower: Box, upper: Box) -> np.ndarray:
            known: dict[str, Any] = {"t": time}
            for axis in range(len(case.points)):
                along = [1] * len(case.points)
                along[-1 - axis] = upper[axis] - lower[axis]
                known[AXES[axis]] = case.coordinates(axis)[lower[axis]:upper[axis]].reshape(along)
            try:
                if isinstance(function, np.ufunc):
                    found = function(*(known[name] for name in self._takes))
                else:
                    found = function(**{name: known[name] for name in self._takes})
            except (TypeError, ValueError) as failure:
                _explain(failure, key)
                raise
            return _of_box(found, lower, upper, case, f"{key}: the function returned")

        return values

    def _array_on(self, array: np.ndarray, case: "Case", key: str) -> Callable[..., np.ndarray]:
        whole = _fitted(array, case, key)

        def values(_time: float, lower: Box, upper: Box) -> np.ndarray:
            # A face's array has one point across the face, wherever that lies.
            slices = tuple(slice(None) if whole.shape[-1 - axis] == 1 else slice(lower[axis], upper[axis])
                           for axis in reversed(range(len(case.points))))
            return _of_box(whole[slices], lower, upper, case, f"{key} is")

        return values


def given_for(value: Any, key: str) -> Optional[Given]:
    """Returns None for numbers and expressions, which a case file can hold."""
    if isinstance(value, (str, bool, int, float, np.number)) or np.ndim(value) == 0 and not callable(value):
        return None
    if callable(value):
        return Given(value)
    return Given(np.array(real_numbers(value, key)))  # a copy, which nobody changes


def real_numbers(value: Any, said: str) -> np.ndarray:
    """Converts to an array of float64. Raises ValueError if values are not real, or if some are masked."""
    array = value if isinstance(value, np.ndarray) else np.asarray(value)
    if np.ma.is_masked(array):
        raise ValueError(f"{said}: some values of the array are masked (needs an array without a mask)")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{said}: {type(value).__name__} of {array.dtype} (needs a number, an expression, "
                         "an array of real numbers or a function)")
    return np.asarray(array, dtype=np.float64)


def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    known = (*AXES, "t")
    if isinstance(function, np.ufunc):
        return tuple(AXES[: function.nin])
    if isinstance(function, np.vectorize):
        function = function.pyfunc
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a function of C's that does not say
        raise ValueError(f"{function!r} has unknown argument names (needs a function of some of "
                         f"{', '.join(known)})") from None
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.POSITIONAL_ONLY) for p in parameters):
        raise ValueError(f"{function!r} has arguments without names (needs a function of some of "
                         f"{', '.join(known)}, as named arguments)")
    return tuple(p.name for p in parameters if p.default is p.empty or p.name in known)


def _explain(failure: Exception, key: str) -> None:
    """Adds to an exception what the usual mistake is: a function of single numbers."""
    if hasattr(failure, "add_note"):  # from Python 3.11
        failure.add_note(f"{key}: the function receives arrays of coordinates: use numpy.sin instead of math.sin, "
                         "numpy.where instead of if, or give numpy.vectorize(function)")


def _require_known(takes: Sequence[str], names: Sequence[str], key: str) -> None:
    for name in takes:
        if name not in names:
            raise ValueError(f"{key}: the function has an argument {name} (needs some of "
                             f"{', '.join(names)})")


def _fitted(array: np.ndarray, case: "Case", key: str) -> np.ndarray:
    """Returns the array with all axes of the grid, each as long as the grid's or of length 1."""
    shape = list(case.shape)
    if key.startswith("boundary."):
        across = len(shape) - 1 - AXES.index(key.split(".")[1][0])
        if array.ndim == len(shape) - 1:
            array = np.expand_dims(array, across)
        shape[across] = 1
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        wanted = tuple(n for i, n in enumerate(shape) if not (key.startswith("boundary.") and i == across))
        raise ValueError(f"{key} is an array of shape {array.shape} (needs {wanted})") from None


def _of_box(values: Any, lower: Box, upper: Box, case: "Case", said: str) -> np.ndarray:
    shape = tuple(upper[axis] - lower[axis] for axis in reversed(range(len(case.points))))
    array = real_numbers(values, said)
    try:
        return np.ascontiguousarray(np.broadcast_to(array, shape))
    except ValueError:
        raise ValueError(f"{said} an array of shape {array.shape} (needs {shape}, or a shape that broadcasts to "
                         "it)") from None
