"""Fixtures and cases of the tests of the Python package."""

import faulthandler
import os
import shutil
import signal
import subprocess
import sys

import pytest

import isotherm

# Reports and ends tests that hang.
faulthandler.dump_traceback_later(600, exit=True)
# Background processes ignore the interrupt; restore the default.
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
    """The environment in which mpirun starts several ranks on any machine, even as root."""
    if shutil.which("mpirun") is None:
        pytest.skip("no mpirun here")
    own = {"OMPI_MCA_rmaps_base_oversubscribe": "1",  # for Open MPI 4 and 5
           "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMP_NUM_THREADS": "1"}
    if os.geteuid() == 0:
        own |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return os.environ | own


@pytest.fixture
def on_ranks(tmp_path, mpirun_environment):
    """Runs a program on several ranks. Returns its exit code, output and errors."""

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
    """Tests with this fixture are skipped without a CUDA device, or fail if one is required."""
    if not has_device():
        if os.environ.get("ISOTHERM_REQUIRE_CUDA") == "1":
            pytest.fail("no CUDA device")
        pytest.skip("no CUDA device")
