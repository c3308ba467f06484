#!/usr/bin/python3
"""read_with_xarray.py DIRECTORY

Opens the files of write_samples with h5py and with xarray, through each installed netCDF library,
and compares dimensions, coordinates and every value with the formula of that program. Without
these modules (from PyPI: h5py xarray h5netcdf netCDF4) it is skipped (exit code 77), or fails if
ISOTHERM_REQUIRE_XARRAY=1.
"""

import importlib.util
import os
import sys

try:
    import h5py
    import numpy as np
    import xarray as xr

    ENGINES = {"h5netcdf": "h5netcdf", "netcdf4": "netCDF4"}
    ENGINES = [engine for engine, module in ENGINES.items() if importlib.util.find_spec(module)]
    if not ENGINES:
        raise ImportError("neither h5netcdf nor netCDF4 is there")
except ImportError as missing:
    if os.environ.get("ISOTHERM_REQUIRE_XARRAY") == "1":
        sys.exit(f"FAILED: {missing}")
    print(f"skipped: {missing}")
    sys.exit(77)

# name: points, lower, spacing, as in write_samples.cpp
BOX = ((41, 30, 19), (-1.0, 0.5, 2.0), (0.25, 0.5, 0.125))
PLANE = ((37, 21, 1), (0.25, -3.0, 0.0), (0.5, 0.125, 1.0))
SAMPLES = {
    "box": BOX,
    "graded": BOX,
    "graded_plane": PLANE,
    "plane": PLANE,
    "compressed": BOX,
    "rounded": PLANE,
    "cut": ((17, 17, 7), (-0.25, 2.5, 2.625), BOX[2]),
    "slice": ((41, 1, 19), (-1.0, 4.0, 2.0), BOX[2]),
}
# graded along these axes: the i-th point is i * i spacings from the first
GRADED = {"graded": (0, 2), "graded_plane": (0,)}
ITERATION = 10
TIME = 1.0


def coordinates(name):
    points, lower, spacing = SAMPLES[name]
    power = [2 if a in GRADED.get(name, ()) else 1 for a in range(3)]
    return {axis: lower[a] + spacing[a] * np.arange(points[a]) ** power[a]
            for a, axis in enumerate("xyz")}


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def check_xarray(path, name, engine):
    where = f"{engine}: {path}"
    x, y, z = coordinates(name).values()
    with xr.open_dataset(path, engine=engine) as data:
        u = data["u"]
        expect(u.dims == ("z", "y", "x"), f"{where}: has dimensions {u.dims}")
        for axis, wanted in coordinates(name).items():
            expect(np.array_equal(u.coords[axis], wanted), f"{where}: has other {axis}")
            expect(u.coords[axis].attrs["axis"] == axis.upper(), f"{where}: {axis} is another axis")
        expect(float(u.coords["time"]) == TIME and int(u.coords["iteration"]) == ITERATION,
               f"{where}: u has no time and iteration as coordinates")
        for field, time in (("u", TIME), ("source", -1.0)):
            wanted = x[None, None, :] + 10 * y[None, :, None] + 100 * z[:, None, None] + 1000 * time
            expect(np.allclose(data[field], wanted, rtol=3e-7, atol=0), f"{where}: {field} is wrong")
        flux = data["flux"]
        expect(flux.dims == ("z", "y", "x", "component"), f"{where}: flux has dimensions {flux.dims}")
        wanted = u.values[..., None] * np.array([1, -2, 4])
        expect(np.allclose(flux, wanted, rtol=3e-7, atol=0), f"{where}: flux is wrong")
        middle = u.sel(x=x[len(x) // 2], y=y[len(y) // 2], z=z[len(z) // 2])
        wanted = x[len(x) // 2] + 10 * y[len(y) // 2] + 100 * z[len(z) // 2] + 1000 * TIME
        expect(abs(float(middle) - wanted) < 3e-7 * abs(wanted), f"{where}: finds other points")


def check_h5py(path):
    with h5py.File(path) as file:
        group = file["VTKHDF"].get("PointData") or file["VTKHDF"]["CellData"]
        for field in ("u", "source"):
            expect(file[field] == group[field], f"{path}: {field} is there twice")
            for dimension, axis in zip(group[field].dims, "zyx", strict=True):
                expect(dimension.keys() == [axis], f"{path}: has dimensions {dimension.keys()}")
                expect(dimension[0] == file[axis], f"{path}: has another {axis}")
        for axis in "xyz":
            expect(file[axis].is_scale, f"{path}: {axis} is no scale")
            uses = {(file[use].name, int(where)) for use, where in file[axis].attrs["REFERENCE_LIST"]}
            expect({where for _, where in uses} == {"zyx".index(axis)} and len(uses) == 3,
                   f"{path}: {axis} says that it is used by {uses}")


def main(directory):
    for precision in ("float32", "float64"):
        for name in SAMPLES:
            path = os.path.join(directory, precision, name, f"u_{ITERATION:06d}.vtkhdf")
            check_h5py(path)
            for engine in ENGINES:
                check_xarray(path, name, engine)
    print(f"{2 * len(SAMPLES)} files as they should be, through h5py and {' and '.join(ENGINES)}")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
