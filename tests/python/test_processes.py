"""Other processes next to isotherm: children and pools of workers."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import isotherm

CHILDREN = """
import os, subprocess, sys
import isotherm

def inherited():
    return sorted(subprocess.run(["env", "-0"], capture_output=True, check=True).stdout.split(b"\\0"))

os.environ["OF_MINE"] = "kept"
before = inherited()
first = isotherm.run("plate.toml")
assert inherited() == before
assert first.solver.ranks == 1

child = "import isotherm; print(f'<{isotherm.Solver(isotherm.Case(\\"plate.toml\\")).ranks}>', end='')"
done = subprocess.run(["mpirun", "-n", "2", sys.executable, "-c", child], capture_output=True, text=True)
assert done.returncode == 0, done
assert done.stdout == "<2><2>", done

written = isotherm.run("plate.toml", directory="out", quiet=True)
assert (written.u == first.u).all() and (isotherm.run("plate.toml").u == first.u).all()
assert inherited() == before
"""

POOLS = """
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
import isotherm

if __name__ == "__main__":
    case = isotherm.Case("plate.toml", method={"steps": 3})
    cases = [case.replace(equation={"diffusivity": d}) for d in (0.1, 0.2, 0.3, 0.4)]
    wanted = [isotherm.run(each).u for each in cases]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(isotherm.run, cases))
    assert [result.iterations for result in found] == [3] * 4
    assert all((result.u == u).all() for result, u in zip(found, wanted))
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        try:
            pool.submit(isotherm.run, case).result()
        except RuntimeError as refused:
            print(refused)
"""

SWEEP = """
import isotherm

def middle(result):
    return {"middle": float(result.u[result.u.shape[0] // 2, result.u.shape[1] // 2])}

if __name__ == "__main__":
    case = isotherm.Case("plate.toml")
    over = {"equation.diffusivity": [0.1, 0.2], ("method.steps", "method.check_every"): [(3, 1), (5, 1)]}
    rows = isotherm.sweep(case, over, processes=2, measure=middle)
    assert rows == [row | {"seconds": other["seconds"]}
                    for row, other in zip(isotherm.sweep(case, over, measure=middle), rows)]
    assert [row["iterations"] for row in rows] == [3, 5, 3, 5]
    print([row["status"] for row in rows], rows[3]["equation.diffusivity"])
"""


def run_program(text, folder, environment):
    (folder / "program.py").write_text(text)
    return subprocess.run([sys.executable, "program.py"], cwd=folder, env=environment, capture_output=True,
                          text=True, timeout=300, check=False)


def test_children_inherit_the_environment_as_it_was(plate, mpirun_environment):
    done = run_program(CHILDREN, plate.parent, mpirun_environment)

    assert done.returncode == 0, done.stderr


def test_a_pool_of_processes_solves_a_sweep(plate, mpirun_environment):
    done = run_program(POOLS, plate.parent, mpirun_environment)

    assert done.returncode == 0, done.stderr
    assert "was forked after isotherm had started MPI" in done.stdout
    assert 'multiprocessing.get_context("spawn")' in done.stdout


def test_a_sweep_solves_all_combinations(plate, mpirun_environment):
    done = run_program(SWEEP, plate.parent, mpirun_environment)

    assert done.returncode == 0, done.stderr
    assert done.stdout == "['done', 'done', 'done', 'done'] 0.2\n"


def test_a_sweep_reports_cases_that_fail(plate):
    rows = isotherm.sweep(plate, {"equation.diffusivity": [-1, 0.1], "boundary.all.value": [0.5]})

    assert [row["status"] for row in rows] == ["failed", "done"]
    assert "diffusivity" in rows[0]["message"] and rows[1]["message"] == "" and rows[1]["max"] <= 1.0
    with pytest.raises(ValueError, match="has 1 values .needs 2, for method.steps, method.check_every"):
        isotherm.sweep(plate, {("method.steps", "method.check_every"): [(1,)]})


def test_rows_of_a_sweep_have_what_the_case_asks_for(plate):
    case = isotherm.Case(plate, output={"quantities": ["mean", "flux"]}, probe=[{"name": "middle", "at": [0.5, 0.5]}])
    row, = isotherm.sweep(case, {"equation.diffusivity": [0.1]})

    with isotherm.Solver(case.replace(equation={"diffusivity": 0.1})) as solver:
        result = solver.solve()
        assert "flux_x_lower" in row and {name: row[name] for name in result.quantities} == result.quantities
        assert row["mean"] == pytest.approx(result.quantities["mean"])
        assert row["probe_middle"] == solver.probes["middle"]["value"]
    assert "stop_time" not in row


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda result: pickle.loads(pickle.dumps(result))])
def test_a_result_is_copied_with_its_values(plate, copied):
    with isotherm.Solver(isotherm.Case(plate)) as solver:
        solver.advance(100)
        result = solver.solve(callback=lambda s: s.iteration >= 101)
        other, wanted = copied(result), result.u.copy()
        solver.solve()  # overwrites the memory of result.u

    np.testing.assert_array_equal(other.u, wanted)
    assert other.u.dtype == wanted.dtype and not np.array_equal(result.u, wanted)
    assert other.residuals.tobytes() == result.residuals.tobytes()
    for name in ("title", "iterations", "time", "converged", "seconds", "directory"):
        assert getattr(other, name) == getattr(result, name)
    assert repr(other) == repr(result) and "iterations" in other._repr_html_()
    np.testing.assert_array_equal(copied(other).u, wanted)
    np.testing.assert_array_equal(copied(result).u, result.u)  # memory of the closed solver


def test_a_result_of_a_closed_solver_has_no_values_to_copy(plate):
    with isotherm.Solver(isotherm.Case(plate)) as solver:
        result = solver.solve()

    with pytest.raises(ValueError, match="copy or pickle a result before you close its solver"):
        pickle.dumps(result)


def test_a_result_in_a_directory_is_read_there(plate, tmp_path):
    pytest.importorskip("xarray")
    result = isotherm.run(plate, directory=tmp_path / "out", quiet=True)

    other = pickle.loads(pickle.dumps(result))

    assert other.directory == result.directory
    np.testing.assert_array_equal(other.u, isotherm.run(plate).u)
