"""What the tests of the Python package share."""

import faulthandler
import os
import shutil
import signal
import subprocess
import sys

import pytest

import isotherm

# What waits for ever is told, and ended.
faulthandler.dump_traceback_later(600, exit=True)
# Started in the background a process does not hear it.
signal.signal(signal.SIGINT, signal.default_int_handler)

PLATE = """
title = "plate"
[grid]
points = [33, 17]
lower = [0.0, 0.0]
upper = [2.0, 1.0]
[equation]
type = "diffusion"
diffusivity = 0.1
[boundary]
all = { type = "dirichlet", value = 0.0 }
[initial]
value = "sin(pi*x/2)*sin(pi*y)"
[method]
name = "ftcs"
time_step = "stable"
steps = 200
[output]
snapshot_every = 100
"""


@pytest.fixture
def plate(tmp_path):
    """A case file in a folder of its own."""
    file = tmp_path / "plate.toml"
    file.write_text(PLATE)
    return file


@pytest.fixture
def mpirun_environment():
    """The environment in which mpirun starts several ranks on any machine, also as root."""
    if shutil.which("mpirun") is None:
        pytest.skip("no mpirun here")
    own = {"OMPI_MCA_rmaps_base_oversubscribe": "1",  # of Open MPI 4, and of 5
           "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMP_NUM_THREADS": "1"}
    if os.geteuid() == 0:
        own |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return os.environ | own


@pytest.fixture
def on_ranks(tmp_path, mpirun_environment):
    """Runs a program on several ranks; its exit code, output and errors."""

    def run(ranks, program, **environment):
        file = tmp_path / "program.py"
        file.write_text(program)
        return subprocess.run(["mpirun", "-n", str(ranks), sys.executable, str(file)], cwd=tmp_path,
                              env=mpirun_environment | environment, capture_output=True, text=True,
                              timeout=600, check=False)

    return run


def has_device():
    try:
        isotherm.Solver(isotherm.Case(grid={"points": [5, 5], "lower": [0, 0], "upper": [1, 1]},
                                      equation={"type": "laplace"},
                                      boundary={"all": {"type": "dirichlet", "value": 1.0}},
                                      method={"name": "jacobi", "iterations": 1}), device="cuda")
    except ValueError:
        return False
    return True


@pytest.fixture
def device():
    """The tests that ask for it are skipped without a CUDA device, or fail where it is asked for."""
    if not has_device():
        if os.environ.get("ISOTHERM_REQUIRE_CUDA") == "1":
            pytest.fail("no CUDA device")
        pytest.skip("no CUDA device")
