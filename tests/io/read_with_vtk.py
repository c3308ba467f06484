#!/usr/bin/python3
"""read_with_vtk.py DIRECTORY

Opens what write_samples wrote with ParaView's own readers, as a double click does, and compares
types, times, origin, spacing, axis order and every value with the formula u = x + 10 y + 100 z +
1000 t. Without ParaView's Python packages (Debian: python3-paraview) it is skipped (exit code 77),
or fails where ISOTHERM_REQUIRE_READER=1.
"""

import os
import sys

try:
    import numpy as np
    import paraview.simple as pv
    from paraview import servermanager
    from paraview.vtk.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOHDF import vtkHDFReader
except ImportError as missing:
    if os.environ.get("ISOTHERM_REQUIRE_READER") == "1":
        sys.exit(f"FAILED: {missing}; Debian's package is python3-paraview")
    print(f"skipped: {missing}; Debian's package is python3-paraview")
    sys.exit(77)

# name: points, lower, spacing, as in write_samples.cpp
BOX = ((41, 30, 19), (-1.0, 0.5, 2.0), (0.25, 0.5, 0.125))
PLANE = ((37, 21, 1), (0.25, -3.0, 0.0), (0.5, 0.125, 0.125))  # as thick as its smaller spacing
SAMPLES = {
    "box": BOX,
    "plane": PLANE,
    "steady": BOX,
    "compressed": BOX,
    "rounded": PLANE,
    "cut": ((17, 17, 7), (-0.25, 2.5, 2.625), BOX[2]),
    "slice": ((41, 1, 19), (-1.0, 4.0, 2.0), (0.25, 0.125, 0.125)),
}
ITERATIONS = (0, 10, 25)


def times_of(name):
    return [float(i) if name == "steady" else 0.1 * i for i in ITERATIONS]


def expected_values(name, time):
    """The formula at the sample's points, indexed [z, y, x]."""
    points, lower, spacing = SAMPLES[name]
    x, y, z = (lower[a] + spacing[a] * np.arange(points[a]) for a in range(3))
    return x[None, None, :] + 10 * y[None, :, None] + 100 * z[:, None, None] + 1000 * time


class Checks:
    def __init__(self):
        self.count = 0
        self.failures = []

    def expect(self, condition, what):
        self.count += 1
        if not condition:
            self.failures.append(what)


def check_geometry(checks, image, name, where):
    points, lower, spacing = SAMPLES[name]
    flat = 1 in points
    nodes = tuple(n + 1 if flat else n for n in points)
    origin = [lower[a] - (0.5 * spacing[a] if flat else 0.0) for a in range(3)]
    checks.expect(image.GetClassName() in ("vtkImageData", "vtkUniformGrid"),
                  f"{where}: is a {image.GetClassName()}")
    checks.expect(tuple(image.GetDimensions()) == nodes,
                  f"{where}: has {image.GetDimensions()} points instead of {nodes}")
    checks.expect(np.array_equal(image.GetSpacing(), spacing),
                  f"{where}: has spacing {image.GetSpacing()} instead of {spacing}")
    checks.expect(np.array_equal(image.GetOrigin(), origin),
                  f"{where}: begins at {image.GetOrigin()} instead of {origin}")


def check_field(checks, image, name, field, number, time, where):
    points = SAMPLES[name][0]
    data = image.GetCellData() if 1 in points else image.GetPointData()
    array = data.GetArray(field)
    checks.expect(array is not None, f"{where}: has no {field} where it belongs")
    if array is None:
        return
    values = vtk_to_numpy(array)
    wanted = expected_values(name, time).astype(number).ravel()
    checks.expect(values.dtype == number, f"{where}: {field} is {values.dtype}, not {number}")
    checks.expect(values.shape == wanted.shape and np.allclose(values, wanted, rtol=3e-7, atol=0),
                  f"{where}: {field} has wrong values")


def true_time(iteration):
    return 0.1 * iteration  # the values know the time even where the series counts iterations


def stored_number(precision, name):
    return np.dtype("float32" if name == "rounded" else precision)


def check_image(checks, image, name, precision, iteration, where):
    number = stored_number(precision, name)
    check_geometry(checks, image, name, where)
    check_field(checks, image, name, "u", number, true_time(iteration), where)
    check_field(checks, image, name, "source", number, -1.0, where)


def check_series(checks, path, name, precision):
    """The file as ParaView opens it, at each of its times."""
    source = pv.OpenDataFile(path)
    checks.expect(source is not None, f"{path}: ParaView knows no reader for it")
    if source is None:
        return
    source.UpdatePipelineInformation()
    times = list(source.TimestepValues)
    checks.expect(times == times_of(name), f"{path}: has times {times} instead of {times_of(name)}")
    for iteration, time in zip(ITERATIONS, times):
        source.UpdatePipeline(time)
        image = servermanager.Fetch(source)
        check_image(checks, image, name, precision, iteration, f"{path} at {time}")
    pv.Delete(source)


def check_vtkhdf(checks, path, name, precision, iteration):
    """One .vtkhdf file, with VTK's reader for them."""
    reader = vtkHDFReader()
    checks.expect(reader.CanReadFile(path), f"{path}: vtkHDFReader does not take it")
    reader.SetFileName(path)
    reader.Update()
    check_image(checks, reader.GetOutputDataObject(0), name, precision, iteration, path)


def main(directory):
    checks = Checks()
    version = servermanager.vtkSMProxyManager
    version = (version.GetVersionMajor(), version.GetVersionMinor())
    for precision in ("float32", "float64"):
        for name, (points, _, _) in SAMPLES.items():
            folder = os.path.join(directory, precision, name)
            check_series(checks, os.path.join(folder, "u.xmf"), name, precision)
            if version >= (5, 12):  # before, ParaView does not know the extension
                check_series(checks, os.path.join(folder, "u.vtkhdf.series"), name, precision)
            if version >= (5, 12) or 1 not in points:  # before, the reader fails on cell data
                for iteration in ITERATIONS:
                    file = os.path.join(folder, f"u_{iteration:06d}.vtkhdf")
                    check_vtkhdf(checks, file, name, precision, iteration)
    for failure in checks.failures:
        print("FAILED:", failure)
    print(f"ParaView {version[0]}.{version[1]}: {checks.count} checks, "
          f"{len(checks.failures)} failed")
    return 1 if checks.failures or checks.count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
