"""Runs with output, and reading them with isotherm.open()."""

import pickle
import re
import shutil
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

import isotherm

xarray = pytest.importorskip("xarray")


@pytest.fixture
def written(plate, tmp_path):
    return isotherm.run(plate, directory=tmp_path / "out", quiet=True)


def test_a_run_writes_what_the_program_writes(written, plate):
    names = {file.name for file in written.directory.iterdir()}

    assert {"u_000000.vtkhdf", "u_000200.vtkhdf", "u.png", "summary.json", "run.log"} <= names
    np.testing.assert_array_equal(written.u, isotherm.run(plate).u)
    assert written.iterations == 200
    again = isotherm.run(plate).residuals
    for name in again.dtype.names:  # NaN means no estimate; numpy compares it in plain arrays only
        np.testing.assert_array_equal(written.residuals[name], again[name])
    assert "data:image/png" in written._repr_html_()


def test_residuals_hold_the_estimated_error(written, tmp_path):
    assert written.error is None and np.isnan(written.residuals["error"]).all()  # the plate has no tolerance
    case = isotherm.Case(grid={"points": [33, 33], "lower": [0, 0], "upper": [1, 1]},
                         equation={"type": "poisson", "source": 1},
                         boundary={"all": {"type": "dirichlet", "value": 0}},
                         method={"name": "multigrid", "tolerance": 1e-6, "iterations": 50})
    solver = isotherm.Solver(case)
    assert solver.error is None
    result = solver.solve()
    on_disk = isotherm.run(case, directory=tmp_path / "steady", quiet=True)

    assert 0 < result.error <= 1e-6 and f"error {result.error:.2g}" in repr(result)
    assert result.error == solver.error == on_disk.error == result.residuals["error"][-1]
    assert np.isnan(result.residuals["error"][0])
    for name in result.residuals.dtype.names:
        np.testing.assert_array_equal(on_disk.residuals[name], result.residuals[name])

    table = on_disk.directory / "residuals.csv"  # the table as older versions wrote it
    rows = [line.rpartition(",")[0] for line in table.read_text().splitlines()]
    table.write_text("\n".join(rows) + "\n")
    older = isotherm.Result.of_directory(on_disk.directory, case)
    np.testing.assert_array_equal(older.residuals["residual"], result.residuals["residual"])
    assert older.error is None


def test_nothing_is_overwritten_unasked(written, plate):
    before = (written.directory / "run.log").read_bytes()
    with pytest.raises(ValueError, match="resume=True, replace the results with overwrite=True, or .* with directory=") as refused:
        isotherm.run(plate, directory=written.directory, quiet=True)
    assert " --" not in str(refused.value)
    assert (written.directory / "run.log").read_bytes() == before

    further = isotherm.Case(plate, method={"steps": 250})
    assert isotherm.run(further, directory=written.directory, resume=True, quiet=True).iterations == 250
    assert isotherm.run(plate, directory=written.directory, overwrite=True, quiet=True).iterations == 200


def test_refusals_speak_of_the_arguments(written, plate, tmp_path):
    with pytest.raises(ValueError, match="^resume=True: there is nothing to resume from"):
        isotherm.run(plate, directory=tmp_path / "none", resume=True, quiet=True)
    with pytest.raises(ValueError, match="omit one of them$"):
        isotherm.run(plate, directory=written.directory, resume=True, overwrite=True, quiet=True)
    with pytest.raises(ValueError, match="/a--overwrite contains"):  # a name that looks like an option
        folder = tmp_path / "a--overwrite"
        isotherm.run(plate, directory=folder, quiet=True)
        isotherm.run(plate, directory=folder, quiet=True)


def test_the_series_is_a_dataset(written):
    data = isotherm.open(written.directory)

    assert data.u.dims == ("time", "y", "x") and data.u.shape == (3, 17, 33)
    assert list(data.iteration.values) == [0, 100, 200]
    np.testing.assert_array_equal(data.x, np.linspace(0, 2, 33))
    # the unit of time is that of the case
    assert data.time.attrs == {} and "plate" in data.attrs["case"]
    assert (written.directory / "residuals.csv").read_text().startswith("iteration,time,residual,relative,error\n")
    np.testing.assert_array_equal(data.u[-1], written.u)
    np.testing.assert_array_equal(data.u.isel(time=[0, 2], y=slice(3, 9, 2), x=5),
                                  np.stack([data.u[n].values for n in (0, 2)])[:, 3:9:2, 5])
    near = data.u.sel(x=1.0, y=0.5, method="nearest")
    assert near.shape == (3,) and near[0] == pytest.approx(1.0)
    assert data.u.isel(time=slice(0, 0)).shape == (0, 17, 33)
    assert data.u.isel(time=slice(0, 0)).values.shape == (0, 17, 33)


def test_all_that_xarray_does_with_it(written):
    u = isotherm.open(written.directory).u
    loaded = u.copy(deep=True).load()

    np.testing.assert_array_equal(u[0, 15:3:-3].values, loaded.values[0, 15:3:-3])
    np.testing.assert_array_equal(u[::-1, [5, 2, 2], ::-7].values, loaded.values[::-1][:, [5, 2, 2]][:, :, ::-7])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(u)).values, loaded.values)
    assert u[:, []].values.shape == (3, 0, 33)
    np.testing.assert_array_equal(u.isel(x=xarray.DataArray([1, 2], dims="p"), y=xarray.DataArray([3, 4], dims="p")),
                                  loaded.values[:, [3, 4], [1, 2]])


def test_without_a_series_files_are_in_the_order_of_iterations(written):
    (written.directory / "u.vtkhdf.series").unlink()
    for iteration in (900_000, 1_000_000, 11_000_000):
        file = written.directory / f"u_{iteration}.vtkhdf"
        shutil.copy(written.directory / "u_000200.vtkhdf", file)
        with h5py.File(file, "r+") as changed:
            changed["isotherm"].attrs["iteration"] = iteration
            changed["isotherm"].attrs["time"] = iteration * 0.5

    data = isotherm.open(written.directory)

    assert list(data.iteration.values) == [0, 100, 200, 900_000, 1_000_000, 11_000_000]
    assert (np.diff(data.time) > 0).all()


def test_a_checkpoint_does_not_replace_the_snapshots_of_a_cut(plate, tmp_path):
    case = isotherm.Case(plate, output={"cut": {"lower": [0.5, 0.25], "upper": [1.5, 0.75]}})
    folder = isotherm.run(case, directory=tmp_path / "out", quiet=True).directory
    (folder / "u.vtkhdf.series").unlink()
    (folder / "u_000200.vtkhdf").unlink()  # as if the run had been interrupted before writing it
    assert (folder / "u_000200.checkpoint.vtkhdf").exists()

    data = isotherm.open(folder)

    assert list(data.iteration.values) == [0, 100] and data.u.shape == (2, 9, 17)
    assert isotherm.open(folder / "u_000200.checkpoint.vtkhdf").u.shape == (1, 17, 33)
    for snapshot in ("u_000000.vtkhdf", "u_000100.vtkhdf"):
        (folder / snapshot).unlink()
    assert isotherm.open(folder).u.shape == (1, 17, 33)
    (folder / "u.vtkhdf.series").write_text('{"file-series-version": "1.0", "files": []}')
    assert isotherm.open(folder).u.shape == (1, 17, 33)


def test_xarray_opens_the_files_in_time_as_documented(written):
    for module in ("dask", "h5netcdf"):
        pytest.importorskip(module)
    page = Path(__file__).parents[2] / "docs" / "reference" / "python.md"
    (recipe,) = [block for block in re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
                 if "open_mfdataset" in block and "h5netcdf" in block]
    names = {}
    exec(recipe.replace("results/plate", str(written.directory)), names)

    with names["data"] as data:
        ours = isotherm.open(written.directory)
        assert data.u.dims == ("time", "z", "y", "x") and data.u.shape == (3, 1, 17, 33)
        np.testing.assert_array_equal(data.time, ours.time)
        np.testing.assert_array_equal(data.iteration, ours.iteration)
        np.testing.assert_array_equal(data.u[:, 0], ours.u)


def test_values_are_read_when_they_are_asked_for(written):
    data = isotherm.open(written.directory)
    (written.directory / "u_000100.vtkhdf").unlink()

    assert data.u[0].values.max() == pytest.approx(1.0)
    with pytest.raises(OSError):
        data.u[1].load()


def test_a_steady_solution_is_one_field(tmp_path):
    case = isotherm.Case(grid={"points": [9, 8, 7], "lower": [0, 0, 0], "upper": [1, 1, 1]},
                         equation={"type": "laplace"},
                         boundary={"all": {"type": "dirichlet", "value": "x*y + z"}},
                         method={"name": "multigrid", "tolerance": 1e-10, "iterations": 30})
    result = isotherm.run(case, directory=tmp_path / "out", quiet=True)

    assert result.converged
    u = result.data.u
    assert u.dims == ("iteration", "z", "y", "x") and u.shape == (1, 7, 8, 9)
    np.testing.assert_allclose(u[0], (u.x * u.y + u.z).transpose("z", "y", "x"), atol=1e-9)


def test_vectors_have_a_dimension_of_their_own(tmp_path):
    sides = {face: {"type": "dirichlet", "value": "3*x - y"} for face in ("x", "y")}
    case = isotherm.Case(title="slope", grid={"points": [9, 8]}, equation={"type": "laplace"},
                         boundary=sides, method={"tolerance": 1e-12},
                         output={"fields": ["u", "gradient"], "picture": False})

    gradient = isotherm.run(case, directory=tmp_path / "out", quiet=True).data.gradient

    assert gradient.dims == ("iteration", "y", "x", "component") and gradient.shape == (1, 8, 9, 3)
    np.testing.assert_allclose(gradient.sel(component="x"), 3.0, atol=1e-9)
    np.testing.assert_allclose(gradient[-1, 2:4, 3, 1], -1.0, atol=1e-9)
    np.testing.assert_array_equal(gradient.sel(component="z"), 0.0)


def test_materials_mask_insulated_points(tmp_path):
    sides = {"x_lower": {"type": "dirichlet", "value": 0}, "x_upper": {"type": "dirichlet", "value": 1},
             "y": {"type": "neumann"}}
    case = isotherm.Case(title="channel", grid={"points": [9, 8]}, equation={"type": "laplace"},
                         boundary=sides, insulated=[{"where": "y < 0.2 && x > 0.2"}], initial={"value": 25},
                         method={"tolerance": 1e-12}, output={"fields": ["u", "material", "share"], "picture": False})

    data = isotherm.run(case, directory=tmp_path / "out", quiet=True).data.squeeze()
    u = data.u.where(data.material != -1)

    assert np.isnan(u).sum() == 2 * 6  # not the points of the face x_upper
    assert (data.u == 25).sum() == 5  # the surface does not reach into the volumes of these
    np.testing.assert_allclose(data.share.isel(x=4, y=slice(0, 2)), [0, 0.1], atol=1e-9)
    assert np.isnan(u.sel(x=0.5, y=0)) and 0 <= u.min() and u.max() == 1
    assert (data.material == 0).sum() == 72 - 12


def test_a_solver_writes_its_field(plate, tmp_path):
    solver = isotherm.Solver(isotherm.Case(plate, initial={"value": lambda x, y: x * (2 - x) * y * (1 - y)}))
    solver.advance(40)
    solver.write(tmp_path / "field.vtkhdf")
    solver.picture(tmp_path / "field.png")

    field = isotherm.open(tmp_path / "field.vtkhdf").u
    np.testing.assert_array_equal(field[0], solver.u)
    assert (tmp_path / "field.png").read_bytes().startswith(b"\x89PNG")
    solver.picture(tmp_path / "field.pdf")
    assert (tmp_path / "field.pdf").read_bytes().startswith(b"%PDF-")
    solver.picture(tmp_path / "field.svg")
    assert b"<svg" in (tmp_path / "field.svg").read_bytes()[:200]
    for name in ("field.jpg", "field", "png"):
        with pytest.raises(ValueError, match=f"{name}: the name of a picture must end in .png, .svg or .pdf"):
            solver.picture(tmp_path / name)
    for name in ("abc", "field.h5"):
        with pytest.raises(ValueError, match=f"{name}: the name of a field must end in .vtkhdf"):
            solver.write(tmp_path / name)
    assert {file.name for file in tmp_path.iterdir()} == {"plate.toml", "field.vtkhdf", "field.png", "field.pdf", "field.svg"}
    with h5py.File(tmp_path / "field.vtkhdf") as file:
        assert b"given by a program" in file["isotherm/fingerprint"][0]
    with pytest.raises(RuntimeError, match="none"):
        solver.write(tmp_path / "none" / "field.vtkhdf")


def test_what_a_case_file_cannot_hold_is_not_written(plate, tmp_path):
    case = isotherm.Case(plate, initial={"value": lambda x: x})

    with pytest.raises(ValueError, match="initial.value is an array or a function"):
        isotherm.run(case, directory=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_other_files_are_refused(tmp_path):
    (tmp_path / "u_000001.vtkhdf").write_text("something else")
    with pytest.raises(ValueError, match="u_000001.vtkhdf was not written by isotherm"):
        isotherm.open(tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no file or directory .*none"):
        isotherm.open(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="empty contains no fields"):
        isotherm.open(tmp_path / "empty")


def test_files_lead_nowhere_else(written, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(bytes(17 * 33 * 8))
    with h5py.File(written.directory / "u_000200.vtkhdf", "r+") as file:
        group = file["VTKHDF/CellData"]
        del group["u"], file["u"]
        group.create_dataset("u", (1, 17, 33), "f8", external=[(str(secret), 0, 17 * 33 * 8)])
    with pytest.raises(ValueError, match="are stored in another file"):
        isotherm.open(written.directory)
    (written.directory / "u.vtkhdf.series").write_text('{"files": [{"name": "../u_000100.vtkhdf"}]}')
    with pytest.raises(ValueError, match="other folders"):
        isotherm.open(written.directory)


def test_the_initial_file_lies_beside_the_case(written, plate, monkeypatch):
    monkeypatch.chdir("/")
    file = written.directory / "u_000200.vtkhdf"
    (plate.parent / "start.vtkhdf").write_bytes(file.read_bytes())
    text = plate.read_text().replace('value = "sin(pi*x/2)*sin(pi*y)"', 'file = "start.vtkhdf"\ndataset = "u"')
    plate.write_text(text.replace("steps = 200", "steps = 0"))

    np.testing.assert_array_equal(isotherm.run(plate).u, written.u)
    further = isotherm.run(plate, directory=plate.parent / "further", quiet=True, method={"steps": 1})
    assert further.iterations == 1


def test_a_file_of_the_programs_opens_without_isotherm(written):
    engine = pytest.importorskip("h5netcdf") and "h5netcdf"
    with xarray.open_dataset(written.directory / "u_000200.vtkhdf", engine=engine) as data:
        np.testing.assert_array_equal(data.u[0], written.u)


def test_the_package_does_not_need_xarray(plate):
    code = ("import sys; sys.modules['xarray'] = None; import isotherm; "
            f"print(isotherm.run({str(plate)!r}).iterations)")
    done = subprocess.run([__import__("sys").executable, "-c", code], capture_output=True, text=True,
                          check=True)
    assert done.stdout.strip() == "200"


def test_probes_are_measured_where_a_run_writes(plate, tmp_path):
    case = isotherm.Case(plate, probe=[{"name": "middle", "at": [1.0, 0.5]},
                                       {"name": "left", "plane": {"x": 0.0}}])
    result = isotherm.run(case, directory=tmp_path / "probed", quiet=True)

    middle = np.genfromtxt(result.directory / "probe_middle.csv", delimiter=",", names=True)
    np.testing.assert_array_equal(middle["iteration"], [0, 100, 200])
    assert middle["value"][-1] == result.u[8, 16]
    assert (result.directory / "probe_left.csv").exists()
    np.testing.assert_array_equal(isotherm.run(case).u, result.u)  # ignored in memory
    with pytest.raises(ValueError, match="outside the grid"):
        isotherm.Case(plate, probe=[{"name": "far", "at": [99.0, 99.0]}])
