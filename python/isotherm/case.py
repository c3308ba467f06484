"""Cases: the problem, the method, and the device."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union

import numpy as np

from . import _core, toml
from .given import Given, given_for

Keys = Mapping[str, Any]

FACES = ("x_lower", "x_upper", "y_lower", "y_upper", "z_lower", "z_upper")


class Case:
    """A case that has been read and checked.

    Case("case.toml") reads a case file. Keyword arguments, named by section, override its keys:

        Case("case.toml", method={"tolerance": 1e-8}, grid={"points": [257, 257]})

    None removes a key (method={"tolerance": None}) or a whole section (initial=None).

    Without a file, the arguments are the whole case:

        Case(grid={"points": [65, 65], "lower": [0, 0], "upper": [1, 1]},
             equation={"type": "poisson", "source": lambda x, y: np.sin(np.pi * x)},
             boundary={"all": {"type": "dirichlet", "value": 0.0}},
             method={"name": "multigrid", "tolerance": 1e-8, "iterations": 50})

    equation.source, initial.value and the values of boundary faces may be numbers, expressions (as in
    the file), arrays, or functions. An array has the shape of the grid, (z, y, x) or (y, x), or one
    that broadcasts to it. An array for a face has the shape of that face. A function receives the
    coordinates x, y (and z) as arrays that broadcast to that shape, and the time if it has an argument
    t. It returns an array or a number. Each rank calls it for its own points.

    Raises ValueError, with the message that the program would print, if a key or a value is wrong.
    """

    def __init__(self, file: Union[str, os.PathLike[str], None] = None, **sections: Any) -> None:
        self._given, plain = _without_given(sections)
        if file is None:
            self._name, self._source_text = "case", toml.document(_without_none(plain))
            overrides = [line for line in _all_overrides(plain) if line.startswith("!")]
        else:
            self._name = os.fspath(file)
            self._source_text = Path(file).read_text(encoding="utf-8")
            overrides = _all_overrides(plain)
        self._overrides = overrides
        self._read()

    def _read(self) -> None:
        self._core = _core.Case(self._source_text, self._name, self._overrides)
        for key in self._given:
            if key.startswith("boundary.") and key.split(".")[1] not in self._faces():
                raise ValueError(f"{key} is not a face of this grid (its faces are {', '.join(self._faces())})")

    def _faces(self) -> tuple[str, ...]:
        return FACES[: 2 * len(self._core.points)]

    def replace(self, **sections: Any) -> "Case":
        """Returns a copy with other keys: case.replace(method={"tolerance": 1e-6}). None removes a key."""
        given, plain = _without_given(sections)
        copy = Case.__new__(Case)
        copy._name, copy._source_text = self._name, self._source_text
        copy._overrides = self._overrides + _all_overrides(plain)
        replaced = {f"{name}.{key}" for name, keys in sections.items()
                    if isinstance(keys, Mapping) for key in keys}
        gone = {name for name, keys in sections.items() if keys is None}
        copy._given = {k: g for k, g in self._given.items()
                       if k not in replaced and k.split(".")[0] not in gone} | given
        copy._read()
        return copy

    @property
    def text(self) -> str:
        """The text of the case as a case file, without arrays and functions of Python."""
        return self._core.text

    @property
    def title(self) -> str:
        """The name of the run."""
        return self._core.title

    @property
    def points(self) -> tuple[int, ...]:
        """Numbers of points along x, y (and z)."""
        return tuple(self._core.points)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the whole field: (z, y, x) or (y, x)."""
        return self.points[::-1]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values: float32 or float64."""
        return np.dtype(self._core.precision)

    @property
    def method(self) -> str:
        """The method: "direct", "multigrid", "jacobi", "ftcs" …"""
        return self._core.method

    @property
    def equation(self) -> str:
        """The equation: "laplace", "poisson" or "diffusion"."""
        return self._core.equation

    @property
    def iterations(self) -> int:
        """Maximum number of iterations, or number of time steps."""
        return self._core.iterations

    @property
    def time_step(self) -> float:
        """Time step, or 0 if the method does not advance time."""
        return self._core.time_step

    @property
    def directory(self) -> Path:
        """The output directory of the case. run() writes there only if asked to."""
        return Path(self._core.directory)

    def axis_number(self, axis: Union[int, str]) -> int:
        """Returns 0, 1 or 2 for "x", "y" or "z"."""
        names = "xyz"[: len(self.points)]
        if isinstance(axis, str) and axis in tuple(names):
            return names.index(axis)
        if isinstance(axis, int) and 0 <= axis < len(names):
            return axis
        raise ValueError(f"{axis!r} is not an axis of this grid (its axes are {', '.join(names)})")

    def coordinates(self, axis: Union[int, str]) -> np.ndarray:
        """Coordinates of all points along axis "x", "y" or "z" (0, 1, 2). Arrays have the axes reversed."""
        axis = self.axis_number(axis)
        graded = self._core.coordinates(axis)
        if graded is not None:
            return np.array(graded)
        return self._core.lower[axis] + np.arange(self.points[axis]) * self._core.spacing[axis]

    def _has_tolerance(self) -> bool:
        return self._core.tolerance > 0.0 or self._core.absolute_tolerance > 0.0

    def _files_by_full_name(self) -> dict[str, dict[str, str]]:
        """Overrides that replace file names by absolute paths, for a case file in another folder."""
        said = {"initial": ("file", self._core.initial_file), "run": ("plan_table", self._core.plan_table)}
        return {section: {key: os.path.abspath(path)} for section, (key, path) in said.items()
                if path is not None}

    def _functions(self) -> dict[str, tuple[Any, bool]]:
        return {key: given.values_on(self, key) for key, given in self._given.items()}

    def _require_text_alone(self, what: str) -> None:
        if self._given:
            raise ValueError(
                f"{what} writes the case to a file, but {next(iter(self._given))} is an array "
                "or a function, which a case file cannot contain: omit directory= and write the field "
                "with Solver.write, or use an expression")

    def __reduce__(self) -> Any:
        return _restored, (self._name, self._source_text, self._overrides, self._given)

    def __repr__(self) -> str:
        points = " x ".join(map(str, self.points))
        return (f"<isotherm.Case {self.title!r}: {self.equation}, {points} points, "
                f"{self.dtype}, {self.method}>")

    def _repr_html_(self) -> str:
        from .notebook import picture_of_start

        rows = {"equation": self.equation, "points": " × ".join(map(str, self.points)),
                "precision": str(self.dtype), "method": self.method,
                **{key: given.describe() for key, given in self._given.items()}}
        cells = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
                        f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
                        for name, text in rows.items())
        return f"<b>{html.escape(self.title)}</b><table>{cells}</table>{picture_of_start(self)}"


def _restored(name: str, text: str, overrides: list[str], given: dict[str, Given]) -> Case:
    """Restores a pickled case."""
    case = Case.__new__(Case)
    case._name, case._source_text, case._overrides, case._given = name, text, overrides, given
    case._read()
    return case


def _without_given(sections: Keys) -> tuple[dict[str, Given], dict[str, Any]]:
    """Replaces arrays and functions in the sections by numbers, and returns them separately."""
    for name, keys in sections.items():
        for key in (name, *(keys if isinstance(keys, Mapping) else ())):
            if not isinstance(key, str) or "." in key:
                raise ValueError(f"{key!r} is not a key (sections are dicts: method={{\"tolerance\": 1e-8}})")
    given: dict[str, Given] = {}
    plain = {name: dict(keys) if isinstance(keys, Mapping) else keys for name, keys in sections.items()}
    for section, key in (("equation", "source"), ("initial", "value")):
        keys = plain.get(section)
        if isinstance(keys, dict) and key in keys:
            found = given_for(keys[key], f"{section}.{key}")
            if found is not None:
                given[f"{section}.{key}"], keys[key] = found, found.stand_in(section)
    boundary = plain.get("boundary")
    if isinstance(boundary, dict):
        for face, condition in boundary.items():
            if not isinstance(condition, Mapping) or "value" not in condition:
                continue
            found = given_for(condition["value"], f"boundary.{face}.value")
            if found is None:
                continue
            boundary[face] = {**condition, "value": 0.0}
            for one in _faces_meant(face):
                given[f"boundary.{one}"] = found
    return given, plain


def _faces_meant(face: str) -> tuple[str, ...]:
    if face not in FACES:
        raise ValueError(f"boundary.{face}: an array or a function needs a single face "
                         f"({', '.join(FACES)})")
    return (face,)


def _without_none(sections: Keys) -> dict[str, Any]:
    kept = {name: keys for name, keys in sections.items() if keys is not None}
    return {name: {key: value for key, value in keys.items() if value is not None}
            if isinstance(keys, Mapping) else keys for name, keys in kept.items()}


def _all_overrides(sections: Keys) -> list[str]:
    """Returns the overrides in the form of `isotherm run --set`."""
    return [line for name, keys in sections.items()
            for line in ([_override(f"{name}.{key}", value) for key, value in keys.items()]
                         if isinstance(keys, Mapping) else [_override(name, keys)])]


def _override(key: str, value: Any) -> str:
    return f"!{key}" if value is None else f"{key}={toml.text_of(value, key)}"
