"""The engine "isotherm" of xarray, which is found by the entry point in the package's metadata.

    data = xarray.open_dataset("results/plate/u_000500.vtkhdf", engine="isotherm")
    data = xarray.open_mfdataset("results/plate/u_*[0-9].vtkhdf", engine="isotherm")    # along time; needs dask
    data = xarray.open_dataset("results/plate", engine="isotherm")    # the whole run

xarray asks its own engines first. If netCDF4 or h5netcdf is installed, they take any HDF5 file, so the engine must be
named; otherwise it follows from the ending .vtkhdf.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Union

import xarray as xr
from xarray.backends import BackendEntrypoint

from .series import open_directory


class IsothermBackend(BackendEntrypoint):
    """Opens isotherm's files for xarray.open_dataset(), with the dimensions and coordinates of isotherm.open().

    A single file has one moment along time (iteration, for a steady problem), so files can be concatenated.
    """

    description = "Open the results of isotherm (.vtkhdf), or the directory of a run"
    open_dataset_parameters = ("filename_or_obj", "drop_variables")

    def open_dataset(self, filename_or_obj: Union[str, os.PathLike[Any]], *,  # type: ignore[override]
                     drop_variables: Union[str, Iterable[str], None] = None) -> xr.Dataset:
        """Opens a file or the directory of a run. Raises ValueError as isotherm.open()."""
        data = open_directory(filename_or_obj)
        dropped = [drop_variables] if isinstance(drop_variables, str) else list(drop_variables or ())
        return data.drop_vars(dropped, errors="ignore")

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Whether a name ends in .vtkhdf."""
        return isinstance(filename_or_obj, (str, os.PathLike)) and Path(filename_or_obj).suffix == ".vtkhdf"
