#!/usr/bin/python3
"""read_with_vtk.py DIRECTORY

Opens the files of write_samples with ParaView's own readers, like a double click, and compares
types, times, origin, spacing, axis order and every value with the formula u = x + 10 y + 100 z +
1000 t. Contours of the series must lie where the formula has their value. Without ParaView's
Python packages (Debian: python3-paraview) it is skipped (exit code 77), or fails if
ISOTHERM_REQUIRE_READER=1.
"""

import os
import sys

try:
    import numpy as np
    import paraview.simple as pv
    from paraview import servermanager
    from paraview.vtk.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkVersion
    from vtkmodules.vtkFiltersCore import vtkContourFilter
    from vtkmodules.vtkIOHDF import vtkHDFReader
except ImportError as missing:
    if os.environ.get("ISOTHERM_REQUIRE_READER") == "1":
        sys.exit(f"FAILED: {missing}; Debian's package is python3-paraview")
    print(f"skipped: {missing}; Debian's package is python3-paraview")
    sys.exit(77)

# name: points, lower, spacing, as in write_samples.cpp
BOX = ((41, 30, 19), (-1.0, 0.5, 2.0), (0.25, 0.5, 0.125))
PLANE = ((37, 21, 1), (0.25, -3.0, 0.0), (0.5, 0.125, 1.0))
SAMPLES = {
    "box": BOX,
    "graded": BOX,
    "graded_plane": PLANE,
    "graded_cut": ((41, 1, 19), (-1.0, 4.0, 2.0), BOX[2]),
    "plane": PLANE,
    "steady": BOX,
    "compressed": BOX,
    "rounded": PLANE,
    "cut": ((17, 17, 7), (-0.25, 2.5, 2.625), BOX[2]),
    "slice": ((41, 1, 19), (-1.0, 4.0, 2.0), BOX[2]),
    "side": ((1, 28, 14), (0.25, 1.5, 2.375), BOX[2]),
    "strip": ((26, 19, 1), (2.25, -2.875, 0.0), PLANE[2]),
    "line": ((41, 1, 1), (-1.0, 4.0, 3.125), BOX[2]),
}
# graded along these axes: the i-th point is i * i spacings from the first
GRADED = {"graded": (0, 2), "graded_plane": (0,), "graded_cut": (0, 2)}
ITERATIONS = (0, 10, 25)
GRADIENT = np.array([1.0, 10.0, 100.0])


def times_of(name):
    return [float(i) if name == "steady" else 0.1 * i for i in ITERATIONS]


def coordinates(name):
    points, lower, spacing = SAMPLES[name]
    power = [2 if a in GRADED.get(name, ()) else 1 for a in range(3)]
    return [lower[a] + spacing[a] * np.arange(points[a]) ** power[a] for a in range(3)]


def expected_values(name, time):
    """Returns the formula at the sample's points, indexed [z, y, x]."""
    x, y, z = coordinates(name)
    return x[None, None, :] + 10 * y[None, :, None] + 100 * z[:, None, None] + 1000 * time


class Checks:
    def __init__(self):
        self.count = 0
        self.failures = []

    def expect(self, condition, what):
        self.count += 1
        if not condition:
            self.failures.append(what)


def as_cells(points, lower, spacing):
    """Returns nodes, origin and spacing of an image whose cells are these points. An axis with a
    single point is as thick as the smallest spacing."""
    thick = min(spacing[a] for a in range(3) if points[a] > 1)
    spacing = [spacing[a] if points[a] > 1 else thick for a in range(3)]
    return [n + 1 for n in points], [lower[a] - 0.5 * spacing[a] for a in range(3)], spacing


def nodes_around(points, thick):
    """Returns the ends of cells: half-way between points."""
    if len(points) == 1:
        return np.array([points[0] - 0.5 * thick, points[0] + 0.5 * thick])
    middles = 0.5 * (points[1:] + points[:-1])
    ends = points[0] - 0.5 * (points[1] - points[0]), points[-1] + 0.5 * (points[-1] - points[-2])
    return np.concatenate([ends[:1], middles, ends[1:]])


def check_rectilinear(checks, grid, name, cells, where):
    checks.expect(grid.GetClassName() == "vtkRectilinearGrid", f"{where}: is a {grid.GetClassName()}")
    wanted = coordinates(name)
    found = [vtk_to_numpy(getattr(grid, f"Get{axis}Coordinates")()) for axis in "XYZ"]
    for axis in range(3):
        nodes = wanted[axis]
        if cells and len(nodes) > 1:  # a plane may have any thickness
            nodes = nodes_around(nodes, 0.0)
        elif cells:
            nodes = nodes_around(nodes, found[axis][1] - found[axis][0])
        checks.expect(np.array_equal(found[axis], nodes), f"{where}: has other {'xyz'[axis]}")


def check_geometry(checks, image, name, cells, where):
    if name in GRADED:
        return check_rectilinear(checks, image, name, cells, where)
    nodes, origin, spacing = as_cells(*SAMPLES[name]) if cells else SAMPLES[name]
    bounds = [origin[a] + end * spacing[a] for a in range(3) for end in (0, nodes[a] - 1)]
    checks.expect(image.GetClassName() in ("vtkImageData", "vtkUniformGrid"),
                  f"{where}: is a {image.GetClassName()}")
    for what, found, wanted in (("dimensions", image.GetDimensions(), nodes),
                                ("spacing", image.GetSpacing(), spacing),
                                ("origin", image.GetOrigin(), origin),
                                ("bounds", image.GetBounds(), bounds)):
        checks.expect(np.array_equal(found, wanted),
                      f"{where}: has {what} {found} instead of {tuple(wanted)}")


# the components of vectors, relative to u
VECTOR = np.array([1.0, -2.0, 4.0])


def check_field(checks, image, name, cells, field, number, time, where, factors=np.ones(1)):
    data = image.GetCellData() if cells else image.GetPointData()
    array = data.GetArray(field)
    checks.expect(array is not None, f"{where}: has no {field} where it belongs")
    if array is None:
        return
    values = vtk_to_numpy(array)
    wanted = expected_values(name, time).astype(number).ravel()
    if len(factors) > 1:
        wanted = wanted[:, None] * factors.astype(number)
    checks.expect(values.dtype == number, f"{where}: {field} is {values.dtype}, not {number}")
    checks.expect(values.shape == wanted.shape and np.allclose(values, wanted, rtol=3e-7, atol=0),
                  f"{where}: {field} has wrong values")


def check_contour(checks, image, name, time, where):
    """Checks the contour of the middle value of u, computed by ParaView's filter. It must lie on the
    plane (or line) of the formula, and extend over the grid along all axes except the one along which
    u rises most (in every sample u rises more along it than along the other axes together)."""
    values = expected_values(name, time)
    level = 0.5 * (values.min() + values.max())
    contour = vtkContourFilter()
    contour.SetInputData(image)
    contour.SetInputArrayToProcess(0, 0, 0, 0, "u")  # the last 0: point data
    contour.SetValue(0, level)
    contour.Update()
    points = contour.GetOutput().GetPoints()
    if points.GetNumberOfPoints() == 0:
        checks.expect(False, f"{where}: has no contour")
        return
    places = vtk_to_numpy(points.GetData()).astype("float64")
    error = np.abs(places @ GRADIENT + 1000 * time - level).max()
    # coordinates are float32
    checks.expect(error < 3e-3, f"{where}: has a contour that is off by {error}")
    bounds = np.reshape(image.GetBounds(), (3, 2))
    steepest = np.argmax(GRADIENT * (bounds[:, 1] - bounds[:, 0]))
    found = np.stack([places.min(axis=0), places.max(axis=0)], axis=1)
    reaches = np.isclose(found, bounds).all(axis=1)
    checks.expect(np.delete(reaches, steepest).all(),
                  f"{where}: has a contour that reaches over {found.tolist()}")


def true_time(iteration):
    return 0.1 * iteration  # values depend on time even if the series counts iterations


def stored_number(precision, name):
    return np.dtype("float32" if name == "rounded" else precision)


def check_image(checks, image, name, cells, precision, iteration, where):
    number = stored_number(precision, name)
    check_geometry(checks, image, name, cells, where)
    check_field(checks, image, name, cells, "u", number, true_time(iteration), where)
    check_field(checks, image, name, cells, "source", number, -1.0, where)
    check_field(checks, image, name, cells, "flux", number, true_time(iteration), where, VECTOR)
    if not cells:
        check_contour(checks, image, name, true_time(iteration), where)


def fetched(source, name):
    """Returns the data that a reader has read. ParaView 5.11's own function swaps axes of rectilinear
    grids when fetching them, so these are taken from the reader directly."""
    if name not in GRADED:
        return servermanager.Fetch(source)
    data = source.GetClientSideObject().GetOutputDataObject(0)
    while data.IsA("vtkMultiBlockDataSet"):
        data = data.GetBlock(0)
    return data


def check_series(checks, source, name, cells, precision, where):
    """Checks an opened series at each of its times."""
    checks.expect(source is not None, f"{where}: ParaView knows no reader for it")
    if source is None:
        return
    source.UpdatePipelineInformation()
    times = list(source.TimestepValues)
    checks.expect(times == times_of(name), f"{where}: has times {times} instead of {times_of(name)}")
    for iteration, time in zip(ITERATIONS, times):
        source.UpdatePipeline(time)
        image = fetched(source, name)
        check_image(checks, image, name, cells, precision, iteration, f"{where} at {time}")
    pv.Delete(source)


def check_vtkhdf(checks, path, name, cells, precision, iteration):
    """Checks a single .vtkhdf file with VTK's own reader."""
    reader = vtkHDFReader()
    checks.expect(reader.CanReadFile(path), f"{path}: vtkHDFReader does not take it")
    reader.SetFileName(path)
    reader.Update()
    check_image(checks, reader.GetOutputDataObject(0), name, cells, precision, iteration, path)


def check_sample(checks, folder, name, precision, version, vtk_version):
    xmf = os.path.join(folder, "u.xmf")
    check_series(checks, pv.OpenDataFile(xmf), name, False, precision, xmf)
    # the other arrays that a user may choose; the filter knows one by itself
    if precision == "float64":
        for reader, file in ((pv.XDMFReader, {"FileNames": [xmf]}),
                             (pv.Xdmf3ReaderT, {"FileName": [xmf]})):
            check_series(checks, reader(**file), name, False, precision, f"{reader.__name__}: {xmf}")
    flat = 1 in SAMPLES[name][0]
    if name in GRADED and vtk_version < (9, 7):  # older versions reject such files with a message
        return
    if version >= (5, 12):  # older versions of ParaView do not know the extension
        series = os.path.join(folder, "u.vtkhdf.series")
        check_series(checks, pv.OpenDataFile(series), name, flat, precision, series)
    if version >= (5, 12) or not flat:  # older readers fail on cell data
        for iteration in ITERATIONS:
            file = os.path.join(folder, f"u_{iteration:06d}.vtkhdf")
            check_vtkhdf(checks, file, name, flat, precision, iteration)


def main(directory):
    checks = Checks()
    version = servermanager.vtkSMProxyManager
    version = (version.GetVersionMajor(), version.GetVersionMinor())
    for precision in ("float32", "float64"):
        for name in SAMPLES:
            check_sample(checks, os.path.join(directory, precision, name), name, precision, version,
                         (vtkVersion.GetVTKMajorVersion(), vtkVersion.GetVTKMinorVersion()))
    for failure in checks.failures:
        print("FAILED:", failure)
    print(f"ParaView {version[0]}.{version[1]}: {checks.count} checks, "
          f"{len(checks.failures)} failed")
    return 1 if checks.failures or checks.count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
