"""Several ranks, mpi4py's communicators, and ranks that fail."""

import numpy as np
import pytest

import isotherm

PARTS = """
import numpy as np
import isotherm
{before}
case = isotherm.Case("plate.toml", equation={{"source": lambda x, y: x * y}})
solver = isotherm.Solver(case{comm})
solver.solve()
np.savez(f"part-{{solver.rank}}", u=solver.u, offset=solver.offset, ranks=solver.ranks,
         along_x=solver.coordinates("x"), along_y=solver.coordinates("y"))
solver.write("whole.vtkhdf")
"""


@pytest.mark.parametrize("communicator", [False, True])
def test_parts_are_those_of_the_whole(plate, on_ranks, communicator):
    before, comm = "", ""
    if communicator:
        pytest.importorskip("mpi4py")
        before, comm = "from mpi4py import MPI", ", comm=MPI.COMM_WORLD"
    done = on_ranks(3, PARTS.format(before=before, comm=comm))
    assert done.returncode == 0, done.stderr

    whole = isotherm.run(isotherm.Case(plate, equation={"source": "x*y"})).u
    seen = 0
    for rank in range(3):
        part = np.load(plate.parent / f"part-{rank}.npz")
        y, x = part["offset"]
        rows, columns = part["u"].shape
        np.testing.assert_array_equal(part["u"], whole[y:y + rows, x:x + columns])
        np.testing.assert_allclose(part["along_x"], np.linspace(0, 2, 33)[x:x + columns], rtol=1e-15)
        np.testing.assert_allclose(part["along_y"], np.linspace(0, 1, 17)[y:y + rows], rtol=1e-15)
        assert part["ranks"] == 3
        seen += part["u"].size
    assert seen == whole.size
    np.testing.assert_array_equal(isotherm.open(plate.parent / "whole.vtkhdf").u[0], whole)


def test_a_communicator_of_some_ranks(plate, on_ranks):
    pytest.importorskip("mpi4py")
    done = on_ranks(2, """
from mpi4py import MPI
import isotherm
alone = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank)
solver = isotherm.Solver(isotherm.Case("plate.toml"), comm=alone)
solver.solve()
print(f"ranks {solver.ranks} {solver.iteration}\\n", end="", flush=True)
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("ranks 1 200") == 2


@pytest.mark.parametrize("other", ["MPICH Version:      4.0.2\nMPICH Release date: unknown\n",
                                   "{own}.9, package: another one"])
def test_a_communicator_of_another_library_is_refused(plate, monkeypatch, other):
    MPI = pytest.importorskip("mpi4py.MPI")
    own = MPI.Get_library_version().split(",")[0].split("\n")[0]
    monkeypatch.setattr(MPI, "Get_library_version", lambda: other.format(own=own))

    with pytest.raises(ValueError, match="mpi4py uses another MPI library"):
        isotherm.Solver(isotherm.Case(plate), comm=MPI.COMM_SELF)


def test_one_rank_may_solve_alone(plate, on_ranks):
    pytest.importorskip("mpi4py")
    done = on_ranks(2, """
from mpi4py import MPI
import isotherm
if MPI.COMM_WORLD.rank == 1:
    print(isotherm.run("plate.toml", comm=MPI.COMM_SELF).iterations, flush=True)
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "200"


@pytest.mark.parametrize("fault", ["raise ZeroDivisionError('of rank 1')", "solver.u[0, 0] = 1.0"])
def test_a_rank_that_fails_ends_all(plate, on_ranks, fault):
    done = on_ranks(2, f"""
import isotherm
solver = isotherm.Solver(isotherm.Case("plate.toml", method={{"steps": 10**12}}))
if solver.rank == 1:
    {fault}
solver.solve()
""")
    assert done.returncode != 0
    assert "of rank 1" in done.stderr or "read-only" in done.stderr


def test_a_function_that_fails_on_one_rank_fails_on_all(plate, on_ranks):
    done = on_ranks(2, """
import isotherm
def source(x, y):
    if x[0, 0] > 0 or y[0, 0] > 0:
        raise KeyError("only here")
    return x * y
try:
    isotherm.Solver(isotherm.Case("plate.toml", equation={"source": source}))
except (KeyError, ValueError) as fault:
    print(f"fault: {fault}\\n", end="", flush=True)
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("fault:") == 2 and "only here" in done.stdout


def test_after_a_fault_on_one_rank_no_rank_goes_on(plate, on_ranks):
    done = on_ranks(2, """
import isotherm
ranks = []
def source(x, t):
    if t > 0 and ranks[0] == 1:
        raise KeyError("only here")
    return 0 * x
solver = isotherm.Solver(isotherm.Case("plate.toml", equation={"source": source}))
ranks.append(solver.rank)
for use in (solver.advance, solver.advance, solver.solve):
    try:
        use(*[5] * (use == solver.advance))
    except (KeyError, RuntimeError) as fault:
        print(f"fault: {fault}\\n", end="", flush=True)
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("only here") == 1
    assert done.stdout.count("cannot continue") == 4, done.stdout


def test_solvers_may_be_lost_in_any_order(plate, on_ranks):
    done = on_ranks(2, """
import isotherm
case = isotherm.Case("plate.toml")
kept = [isotherm.run(case) for _ in range(6)]
del kept[0 if kept[0].solver.rank else 3]
kept.append(isotherm.run(case))
del kept[1:4]
kept.append(isotherm.run(case))
print(f"end {len(kept)}\\n", end="", flush=True)
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("end 4\n") == 2


@pytest.mark.parametrize(("program", "said"), [
    ("isotherm.Solver(isotherm.Case('plate.toml', method={'steps': 10 + rank}))", "different cases"),
    ("isotherm.Solver(isotherm.Case('plate.toml')).advance(3 + rank)", "same number of iterations"),
])
def test_ranks_that_do_not_do_the_same_are_refused(plate, on_ranks, program, said):
    done = on_ranks(2, f"""
import isotherm
rank = isotherm.Solver(isotherm.Case("plate.toml")).rank
try:
    {program}
except ValueError as refusal:
    print("refused: " + str(refusal) + chr(10), end="", flush=True)
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("refused:") == 2 and said in done.stdout


def test_one_callback_ends_the_run_of_all(plate, on_ranks):
    done = on_ranks(2, """
import isotherm
solver = isotherm.Solver(isotherm.Case("plate.toml"))
solver.solve(callback=lambda s: s.rank == 1)
print(f"at {solver.iteration}\\n", end="", flush=True)
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("at 1\n") == 2


def test_more_ranks_than_points_are_refused(plate, on_ranks):
    done = on_ranks(3, """
import isotherm
try:
    isotherm.Solver(isotherm.Case("plate.toml", grid={"points": [2, 2]}))
except ValueError as refusal:
    print(f"refused: {refusal}\\n", end="", flush=True)
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("refused:") == 3
