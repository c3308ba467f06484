"""Fields on a CUDA device."""

import numpy as np
import pytest

import isotherm
from isotherm.device import DeviceField

pytestmark = pytest.mark.gpu


def test_a_field_on_the_device_equals_that_on_the_cpu(plate, device):
    here, there = (isotherm.Solver(isotherm.Case(plate), device=name) for name in ("cpu", "cuda"))
    for solver in (here, there):
        solver.solve()

    assert isinstance(there.u, DeviceField) and there.backend == "cuda"
    assert there.u.shape == here.u.shape
    np.testing.assert_array_equal(there.values(), here.u)


def test_cupy_takes_it_without_a_copy(plate, device):
    cupy = pytest.importorskip("cupy")
    solver = isotherm.Solver(isotherm.Case(plate), device="cuda")
    solver.advance(10)
    field = solver.u
    array = cupy.asarray(field)

    assert array.data.ptr == field.__cuda_array_interface__["data"][0]
    np.testing.assert_array_equal(cupy.asnumpy(array), solver.values())
    array[...] = 2 * array
    np.testing.assert_array_equal(cupy.asnumpy(cupy.from_dlpack(solver.u)), solver.values())


def test_torch_takes_it_without_a_copy(plate, device):
    torch = pytest.importorskip("torch")
    solver = isotherm.Solver(isotherm.Case(plate), device="cuda")
    tensor = torch.from_dlpack(solver.u)

    assert tensor.data_ptr() == solver.u.__cuda_array_interface__["data"][0]
    np.testing.assert_array_equal(tensor.cpu().numpy(), solver.values())
