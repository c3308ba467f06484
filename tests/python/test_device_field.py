"""The memory description of a DeviceField, tested with host memory."""

import numpy as np

import isotherm
from isotherm.device import DeviceField


def test_the_interface_describes_the_memory(plate):
    solver = isotherm.Solver(isotherm.Case(plate), device="cpu")  # NumPy reads the memory
    _, pointer, shape, strides = solver._core.field
    field = DeviceField(solver.u, pointer, tuple(shape), tuple(strides), solver.case.dtype)
    said = field.__cuda_array_interface__

    class Here:  # the same interface for memory that NumPy can read
        __array_interface__ = {**{k: v for k, v in said.items() if k != "stream"}, "version": 3,
                               "data": (said["data"][0], True)}

    np.testing.assert_array_equal(np.asarray(Here()), solver.u)
    assert field.ndim == 2 and field.shape == solver.shape and field.dtype == np.float64
    assert field.__dlpack_device__()[0] == 1
