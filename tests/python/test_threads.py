"""Solvers in several threads of a process, with and without support by MPI."""

import pytest

THREADS = """
import sys
import threading
import mpi4py
import numpy as np
mpi4py.rc.thread_level = LEVEL
from mpi4py import MPI
import isotherm

def in_two_threads(*works):
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

def say(text):
    print(text + chr(10), end="", flush=True)

case = isotherm.Case("plate.toml")
wanted = isotherm.run(case, comm=MPI.COMM_SELF).u.max()
"""


@pytest.fixture
def in_threads(on_ranks):
    pytest.importorskip("mpi4py")

    def run(level, ranks, program):
        done = on_ranks(ranks, THREADS.replace("LEVEL", repr(level)) + program)
        assert done.returncode == 0, done.stderr
        if "no such level" in done.stdout:
            pytest.skip(f"this MPI library has no thread level {level}")
        return done.stdout

    return run


def test_two_threads_work_at_once(plate, in_threads):
    """Both threads are in a function of their solver at the same time."""
    said = in_threads("multiple", 1, """
if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
    say("no such level")
    sys.exit()
both = threading.Barrier(2)
def source(x, t):
    if t > 0:
        try:
            both.wait(60)
        except threading.BrokenBarrierError:
            say("alone")
    return 0 * x
def work():
    for _ in range(3):
        with isotherm.Solver(case.replace(equation={"source": source}, method={"steps": 20})) as solver:
            solver.solve()
            say(f"solved {solver.iteration}")
in_two_threads(work, work)
""")
    assert said.count("solved 20") == 6 and "alone" not in said


def test_two_threads_of_two_ranks(plate, in_threads):
    said = in_threads("multiple", 2, """
if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
    say("no such level")
    sys.exit()
def work(comm):
    def solve():
        for _ in range(3):
            with isotherm.Solver(case, comm=comm) as solver:
                top, highest = np.array([solver.solve().u.max()]), np.empty(1)
                solver.write(f"{comm.Get_name()}.vtkhdf")
                # Not allreduce(): it duplicates the communicator while holding Python's lock.
                comm.Allreduce(top, highest, MPI.MAX)
                say(f"solved {highest[0] == wanted}")
    return solve
comms = [MPI.COMM_WORLD.Dup(), MPI.COMM_WORLD.Dup()]
for number, comm in enumerate(comms):
    comm.Set_name(f"u{number}")
in_two_threads(*map(work, comms))
""")
    assert said.count("solved True") == 12, said


@pytest.mark.parametrize("level", ["serialized", "funneled"])
def test_one_thread_at_a_time_where_mpi_allows_no_more(plate, in_threads, level):
    said = in_threads(level, 1, """
inside, leave = threading.Event(), threading.Event()
others = isotherm.Solver(case)
kept = [isotherm.Solver(case)]
def source(x, t):
    if t > 0:
        inside.set()
        leave.wait()
        assert isotherm.run(case).u.max() == wanted  # by the thread whose turn it is
    return 0 * x
def intrude():
    inside.wait()
    try:
        try_all()
    finally:
        leave.set()
def try_all():
    for wrong in (lambda: others.advance(), lambda: isotherm.Solver(case),
                  lambda: isotherm.run(case, directory="out"), others.close):
        try:
            wrong()
        except RuntimeError as refusal:
            say(f"refused: {refusal}")
    kept.clear()  # destroyed later
    say(f"told {others.iteration} {others.closed}")
threading.Thread(target=intrude, daemon=True).start()
solver = isotherm.Solver(case.replace(equation={"source": source}, method={"steps": 2}))
solver.solve()
others.advance()
if MPI.Query_thread() == MPI.THREAD_SERIALIZED:
    in_two_threads(others.advance)  # no other thread works now
    assert others.iteration == 2
say("end")
""")
    assert said.count("refused: another thread is calling MPI") == 4, said
    assert "told 0 False" in said and "end" in said and not (plate.parent / "out").exists()


@pytest.mark.parametrize("ranks", [1, 2])
def test_one_run_with_a_directory_at_a_time(plate, in_threads, ranks):
    """A signal ends the first one, which proves that it was working, and the old handlers are restored."""
    said = in_threads("multiple", ranks, """
import os
import signal
import time
if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
    say("no such level")
    sys.exit()
comms = [MPI.COMM_WORLD.Dup(), MPI.COMM_WORLD.Dup()]
ended = threading.Event()
def run_long():
    try:
        isotherm.run(case.replace(method={"steps": 10**12}, output={"snapshot_every": None}), directory="long",
                     quiet=True, comm=comms[0])
    except KeyboardInterrupt as stopped:
        say(f"stopped: {stopped}")
    finally:
        ended.set()
def run_second():
    while not os.path.exists("long/run.log") and not ended.is_set():
        time.sleep(0.01)
    try:
        isotherm.run(case, directory="second", quiet=True, comm=comms[1])
    except RuntimeError as refusal:
        say(f"refused: {refusal}")
    comms[1].Barrier()
    os.kill(os.getpid(), signal.SIGTERM)
in_two_threads(run_long, run_second)
isotherm.run(case, directory="third", quiet=True)
with open("/proc/self/status") as status:
    caught = next(line for line in status if line.startswith("SigCgt"))
say(f"caught {int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1}")
""")
    assert said.count("refused: run() with a directory is active in another thread") == ranks, said
    assert said.count("stopped: ") == ranks and said.count("caught 0") == ranks, said
    assert not (plate.parent / "second").exists()


def test_threads_write_and_read_side_by_side(plate, in_threads):
    """Without mutual exclusion, a single-threaded build of HDF5 would crash here."""
    said = in_threads("multiple", 1, """
if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
    say("no such level")
    sys.exit()
def work(name):
    def write_and_read():
        with isotherm.Solver(case) as solver:
            for turn in range(20):
                solver.advance()
                solver.write(f"{name}.vtkhdf")
                again = case.replace(initial={"value": None, "file": f"{name}.vtkhdf"})
                with isotherm.Solver(again) as other:
                    assert (other.u == solver.u).all()
        say("all equal")
    return write_and_read
def run_with_files():
    isotherm.run(case.replace(output={"snapshot_every": 2, "compression": 1}), directory="out", quiet=True)
    say("all equal")
in_two_threads(work("a"), work("b"), work("c"), run_with_files)
""")
    assert said.count("all equal") == 4, said
