"""Solvers that release their memory."""

import numpy as np
import pytest

import isotherm

# A field of 32 MB has its own memory mapping, so its memory can be measured.
LARGE = """
import os
import numpy as np
import isotherm

def used_mb():
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

case = isotherm.Case(grid={"points": [2000, 2000 * RANKS], "lower": [0, 0], "upper": [1, 1]},
                     equation={"type": "laplace"}, boundary={"all": {"type": "dirichlet", "value": 1}},
                     method={"name": "jacobi", "iterations": 2})
isotherm.Solver(case.replace(grid={"points": [20, 20]})).close()  # allocates what remains allocated
before = used_mb()
"""


def all_uses(solver, file):
    return [lambda: solver.u, lambda: solver.values(), lambda: solver.set(np.zeros((17, 33))),
            lambda: solver.advance(), lambda: solver.solve(), lambda: solver.iteration,
            lambda: solver.time, lambda: solver.residuals, lambda: solver.residual,
            lambda: solver.reference, lambda: solver.converged, lambda: solver.shape,
            lambda: solver.offset, lambda: solver.coordinates("x"), lambda: solver.backend,
            lambda: solver.device, lambda: solver.rank, lambda: solver.ranks,
            lambda: solver.write(file), lambda: solver.picture(file)]


def test_a_closed_solver_says_so(plate, tmp_path):
    solver = isotherm.Solver(isotherm.Case(plate))
    assert not solver.closed
    solver.close()
    solver.close()

    assert solver.closed and "closed" in repr(solver) and solver.case.title == "plate"
    for use in all_uses(solver, tmp_path / "u"):
        with pytest.raises(ValueError, match="^the solver was closed: create a new Solver$"):
            use()
    assert not list(tmp_path.glob("u*"))


def test_with_closes(plate):
    with isotherm.Solver(isotherm.Case(plate)) as solver:
        result = solver.solve()
        kept = result.u
    assert solver.closed and result.u is kept and "200 iterations" in result._repr_html_()

    with pytest.raises(ZeroDivisionError):
        with isotherm.Solver(isotherm.Case(plate)) as solver:
            raise ZeroDivisionError
    assert solver.closed


def test_a_solver_at_work_cannot_be_closed(plate):
    solvers = []

    def closes(x, t):
        if solvers:
            solvers[0].close()
        return x * t

    solvers.append(isotherm.Solver(isotherm.Case(plate, equation={"source": closes})))
    with pytest.raises(RuntimeError, match="is busy"):
        solvers[0].advance(5)
    assert not solvers[0].closed


def test_arrays_outlive_a_closed_solver(plate):
    solver = isotherm.Solver(isotherm.Case(plate))
    solver.advance(3)
    u, kept = solver.u, solver.values()
    solver.close()
    others = [isotherm.Solver(isotherm.Case(plate)) for _ in range(3)]  # these may reuse its memory

    np.testing.assert_array_equal(u, kept)
    assert all(other.u.max() == pytest.approx(1.0) for other in others)


@pytest.mark.parametrize("ranks", [1, 2])
def test_memory_is_given_back(on_ranks, ranks):
    done = on_ranks(ranks, f"RANKS = {ranks}\n" + LARGE + """
solver = isotherm.Solver(case)
solver.solve()
at_work = used_mb() - before
solver.close()
closed = used_mb() - before

solver = isotherm.Solver(case)
u = solver.u if solver.rank == 0 else None
solver.close()
kept = used_mb() - before
assert u is None or u[0, 0] == 1.0
u = None
isotherm.Solver(case.replace(grid={"points": [20, 20]})).close()  # synchronises the ranks
given_up = used_mb() - before
print(f"memory: {at_work > 32 > 16 > closed} {kept > 16 > given_up}"
      f" ({at_work:.0f} {closed:.0f} {kept:.0f} {given_up:.0f})\\n", end="", flush=True)
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("memory: True True") == ranks, done.stdout


@pytest.mark.parametrize("ranks", [1, 2])
def test_closing_after_mpi_has_ended_is_quiet(plate, on_ranks, ranks):
    done = on_ranks(ranks, """
import atexit
import isotherm
made = []
@atexit.register  # registered before isotherm's handler, hence called after it
def close():
    made[0].close()
    print(f"closed {made[0].closed}\\n", end="", flush=True)
made.append(isotherm.Solver(isotherm.Case("plate.toml")))
made[0].advance()
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("closed True") == ranks and "Error" not in done.stderr


def test_solvers_of_some_ranks_give_theirs_back(on_ranks):
    pytest.importorskip("mpi4py")
    done = on_ranks(3, """
RANKS = 2
from mpi4py import MPI
""" + LARGE + """
some = MPI.COMM_WORLD.Split(0 if MPI.COMM_WORLD.rank in (0, 2) else 1)
solver = isotherm.Solver(case, comm=some)
solver.close()
closed = used_mb() - before
solver = isotherm.Solver(case, comm=some)
lost = used_mb() - before
del solver
isotherm.Solver(case.replace(grid={"points": [20, 20]}))  # on all ranks, including these
given_up = used_mb() - before
print(f"memory: {closed < 16 < 32 < lost} {given_up < 16} ({closed:.0f} {lost:.0f} {given_up:.0f})\\n",
      end="", flush=True)
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("memory: True True") == 3, done.stdout


def test_a_rank_that_leaves_with_an_exception_ends_all(plate, on_ranks):
    done = on_ranks(2, """
import isotherm
with isotherm.Solver(isotherm.Case("plate.toml", method={"steps": 10**12})) as solver:
    if solver.rank == 1:
        raise ZeroDivisionError("of rank 1")
    solver.solve()
""")
    assert done.returncode != 0 and "of rank 1" in done.stderr
