"""Fields on a CUDA device."""

import gc

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


def space(precision):
    return isotherm.Case(
        grid={"points": [35, 21, 18], "lower": [0, 0, 0], "upper": [1, 1, 1], "precision": precision},
        equation={"type": "diffusion", "diffusivity": 0.1}, boundary={"all": {"type": "neumann", "value": 0}},
        initial={"value": "x + 2*y + 4*z"}, method={"name": "ftcs", "time_step": "stable", "steps": 20})


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("library", ["cupy", "torch", "numba.cuda"])
def test_libraries_see_all_axes_and_keep_the_memory(library, precision, device):
    module = pytest.importorskip(library)
    solver = isotherm.Solver(space(precision), device="cuda")
    solver.solve()
    field, values = solver.u, solver.values()
    if library == "cupy":
        arrays = [module.asarray(field), module.from_dlpack(field)]
    elif library == "torch":
        arrays = [module.from_dlpack(field), module.as_tensor(field, device="cuda")]
    else:
        arrays = [module.as_cuda_array(field)]
    del solver, field
    gc.collect()

    for array in arrays:
        assert tuple(array.shape) == (18, 21, 35)
        host = {"cupy": lambda a: a.get(), "torch": lambda a: a.cpu().numpy(),
                "numba.cuda": lambda a: a.copy_to_host()}[library](array)
        assert host.dtype == np.dtype(precision)
        np.testing.assert_array_equal(host, values)


def test_a_sum_by_torch_follows_the_steps_of_the_solver(device):
    torch = pytest.importorskip("torch")
    solver = isotherm.Solver(space("float64"), device="cuda")
    for _ in range(20):
        solver.advance()
        assert float(torch.from_dlpack(solver.u).max()) == solver.values().max()
