"""isotherm's files by xarray's own functions, through the engine of the package."""

import importlib.metadata
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest

import isotherm

xarray = pytest.importorskip("xarray")


@pytest.fixture(scope="module", autouse=True)
def engine():
    """The tests need the package's metadata, which only an installed package has."""
    if not any(point.value == "isotherm.xarray_backend:IsothermBackend"
               for point in importlib.metadata.distribution("isotherm").entry_points):
        pytest.fail("the package has no entry point for xarray")


@pytest.fixture
def written(plate, tmp_path):
    return isotherm.run(plate, directory=tmp_path / "out", quiet=True)


def test_a_file_has_one_moment(written):
    data = xarray.open_dataset(written.directory / "u_000100.vtkhdf", engine="isotherm")

    assert data.u.dims == ("time", "y", "x") and data.u.shape == (1, 17, 33)
    assert data.encoding.get("source", "").endswith("u_000100.vtkhdf") and list(data.iteration.values) == [100]
    np.testing.assert_array_equal(data.u[0], isotherm.open(written.directory).u[1])
    assert "iteration" not in xarray.open_dataset(written.directory / "u_000100.vtkhdf", engine="isotherm",
                                                  drop_variables="iteration")


def test_a_directory_is_a_series(written):
    data = xarray.open_dataset(written.directory, engine="isotherm")

    xarray.testing.assert_identical(data.load(), isotherm.open(written.directory).load())


def test_files_are_concatenated_along_time(written):
    pytest.importorskip("dask")
    files = sorted(written.directory.glob("u_*[0-9].vtkhdf"))
    data = xarray.open_mfdataset(list(reversed(files)), engine="isotherm")

    assert len(files) == 3 and (np.diff(data.time) > 0).all()
    np.testing.assert_array_equal(data.u, isotherm.open(written.directory).u)
    np.testing.assert_array_equal(data.iteration, [0, 100, 200])


def test_the_engine_is_found_by_the_ending_where_no_other_reads_hdf5():
    backend = xarray.backends.list_engines()["isotherm"]

    assert backend.guess_can_open("u_000500.vtkhdf") and backend.guess_can_open(Path("a/u.vtkhdf"))
    assert not backend.guess_can_open("u.h5") and not backend.guess_can_open(b"\x89HDF")


def test_other_files_of_this_ending_are_refused(tmp_path, written):
    file = tmp_path / "other.vtkhdf"
    with h5py.File(file, "w") as other:
        other["VTKHDF"] = 1
    with pytest.raises(ValueError, match="other.vtkhdf was not written by isotherm"):
        xarray.open_dataset(file, engine="isotherm")
    shutil.copy(written.directory / "u_000100.vtkhdf", tmp_path / "field.h5")
    assert xarray.open_dataset(tmp_path / "field.h5", engine="isotherm").u.shape == (1, 17, 33)
