"""The output of a run as an xarray Dataset."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np

if TYPE_CHECKING:
    import xarray as xr

AXES = ("z", "y", "x")  # as datasets have them
COMPONENTS = 3  # of vectors, along a last axis


def open_directory(path: Union[str, os.PathLike[str]]) -> "xr.Dataset":
    """Opens the series of a run's output directory, or one file, as an xarray Dataset.

    The dimensions are time (iteration for a steady problem), z, y and x, with coordinates; no z in 2D.
    Vector fields (gradient, flux) have an additional last dimension, component: "x", "y", "z".
    Values are read lazily, and only from the files that contain them. The Dataset keeps no file open.
    Needs xarray and h5py.

    Raises FileNotFoundError if there is nothing to open, ValueError if a file was not written by isotherm.
    """
    import xarray as xr
    from xarray.core import indexing

    from .stacked import StackedField  # here, as it needs xarray

    heads = sorted((Head(file) for file in _files(Path(path))), key=lambda head: head.iteration)
    kind = heads[-1]
    others = [head.path.name for head in heads if not head.same_kind(kind)]
    if others:
        warnings.warn(f"{path}: ignored, since their grid or fields differ from those of {kind.path.name}: "
                      f"{', '.join(others)}", stacklevel=2)
    heads = [head for head in heads if head.same_kind(kind)]
    along = "time" if kind.time is not None else "iteration"
    dimensions = (along, *kind.dimensions)
    variables = {
        name: ((*dimensions, "component") if name in kind.vectors else dimensions,
               indexing.LazilyIndexedArray(StackedField(heads, name)))
        for name in kind.fields
    }
    coordinates: dict[str, Any] = {along: [getattr(head, along) for head in heads]}
    if along == "time":
        coordinates["iteration"] = ("time", [head.iteration for head in heads])
    for axis in kind.dimensions:
        coordinates[axis] = (axis, kind.coordinates(axis), {"axis": axis.upper()})
    if kind.vectors:
        coordinates["component"] = list("xyz")
    return xr.Dataset({name: xr.Variable(*variable) for name, variable in variables.items()},
                      coords=coordinates, attrs=kind.attributes)


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.exists():
        raise FileNotFoundError(f"there is no file or directory {path}")
    files: list[Path] = []
    series = path / "u.vtkhdf.series"
    if series.is_file():
        try:
            names = [entry["name"] for entry in json.loads(series.read_text(encoding="utf-8"))["files"]]
            if not all(isinstance(name, str) and Path(name).name == name for name in names):
                raise ValueError("it names files in other folders")
        except (KeyError, TypeError, ValueError, RecursionError) as fault:
            raise ValueError(f"{series} is not a valid series of files: {fault}") from None
        files = [path / name for name in names if (path / name).is_file()]
    files = files or list(path.glob("u_*.vtkhdf"))
    # Checkpoints with names of their own hold more than the snapshots, and are no part of the series.
    snapshots = [file for file in files if not file.stem.endswith(".checkpoint")]
    files = snapshots or files
    if not files:
        raise FileNotFoundError(f"{path} contains no fields (u_*.vtkhdf) of a run")
    return files


class Head:
    """The description of a file, without its values."""

    def __init__(self, path: Path) -> None:
        import h5py

        self.path = path
        try:
            with h5py.File(path, "r") as file:
                self._read(file)
        except (OSError, KeyError, TypeError, ValueError, IndexError, AttributeError, RuntimeError) as fault:
            raise ValueError(f"{path} was not written by isotherm, or is damaged: {fault}") from None

    def _read(self, file: Any) -> None:
        about = file["isotherm"].attrs
        group = file["VTKHDF"].get("PointData") or file["VTKHDF"]["CellData"]
        self.group = group.name
        self.fields = {name: group[name].dtype for name in group}
        self.vectors = _text(about["vectors"]).split() if "vectors" in about else []
        if any(group[name].shape[3:] != (COMPONENTS,) for name in self.vectors):
            raise ValueError("its vectors do not have three components")
        shapes = {group[name].shape[:3] if name in self.vectors else group[name].shape for name in group}
        if len(shapes) != 1 or len(next(iter(shapes))) != len(AXES):
            raise ValueError("its fields have no common shape (z, y, x)")
        self.shape = next(iter(shapes))
        for name in group:
            if group[name].external or group[name].is_virtual or group[name].file.filename != file.filename:
                raise ValueError(f"the values of {name} are stored in another file")
            if name in (*AXES, "component", "time", "iteration"):
                raise ValueError(f"a field is called {name}")
        self.lower = tuple(float(number) for number in about["lower"])
        self.spacing = tuple(float(number) for number in about["spacing"])
        self.graded = {axis: np.array(list_[:], dtype=float)
                       for axis, list_ in file["isotherm"].get("coordinates", {}).items()}
        self.iteration = int(about["iteration"])
        if len(self.lower) != len(AXES) or len(self.spacing) != len(AXES):
            raise ValueError("it does not describe its points")
        if any(axis not in AXES or self.graded[axis].shape != (self.shape[AXES.index(axis)],)
               for axis in self.graded):
            raise ValueError("the numbers of its coordinates and points differ")
        self.flat = int(about["dimension"]) == 2
        if self.flat and self.shape[0] != 1:
            raise ValueError("a 2D field has several planes")
        steady = "diffusion" not in _said(json.loads(_text(file["isotherm/fingerprint"][0])),
                                          "equation.type")
        self.time = None if steady else float(about["time"])
        self.attributes = {"case": _text(file["isotherm/case"][0]), "version": _text(about["version"])}

    @property
    def dimensions(self) -> tuple[str, ...]:
        return AXES[1:] if self.flat else AXES

    def coordinates(self, axis: str) -> np.ndarray:
        number = "xyz".index(axis)
        count = self.shape[AXES.index(axis)]
        if axis in self.graded:
            return self.graded[axis]
        return self.lower[number] + self.spacing[number] * np.arange(count)

    def same_kind(self, other: "Head") -> bool:
        return (self.shape == other.shape and self.fields == other.fields and self.vectors == other.vectors
                and self.lower == other.lower and self.spacing == other.spacing
                and self.graded.keys() == other.graded.keys()
                and all(np.array_equal(self.graded[axis], other.graded[axis]) for axis in self.graded))


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _said(fingerprint: Any, key: str) -> str:
    return str(fingerprint.get(key, "")) if isinstance(fingerprint, dict) else ""
